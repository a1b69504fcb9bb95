"""Forces: scalar forces of joints, bipolar elements; elements whose laws the user assumes; others are lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from mbconcord.model import Bipolar, Body, Bushing, Constant, Frame, JointEffort, LinearLaw, Point
from mbconcord.model.expressions import ZERO, Expression, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Force, Law, SixRows, six, six_rows
from mbconcord.model.limits import count
from mbconcord.model.transformation import Vector, shift
from mbconcord.records import dataclass

from ..layout import shapes
from ..tree import UmBlock
from .bodies import UmMoving
from .expressions import UnrepresentableError
from .images import FRAME, section
from .links import UmLink, find_end
from .reading import EXTERNAL, Thing, UmReading

LINEAR = ("f0", "k", "l0", "d", "q", "w", "a")


def forces(
    moving: list[UmMoving], things: list[Thing], cuts: list[UmLink], bodies: Iterable[Body], reading: UmReading
) -> tuple[Force, ...]:
    """Read joint efforts in coordinate order, then bipolar elements in file order, then elements of assumed laws."""
    made: list[tuple[str, str, Force]] = []
    for m in moving:
        if m.freedom.force is not None:
            thing = m.branch.link.thing
            law = _law(m.freedom.force, thing, symbol(m.name), symbol(f"{m.name}'"), reading)
            if law is not None:
                name = thing.full_name(m.freedom.force.text("name"))
                made.append((name, m.name, JointEffort(name or m.name, m.name, law)))
    for link in cuts:
        for step in link.steps:
            if step.freedom and step.freedom.force and step.freedom.force.get("type") != "none":
                message = f"the scalar force of the cut joint {link.name} is left out: a loss for the motion"
                at = step.freedom.force.locate(reading.file)
                reading.findings.remark("warning", f"force of {link.name}", at, message)
                reading.omit("scalar-force", step.freedom.force, link.thing, "forces")
    known = {thing.full_name(name) for thing in things for name in thing.bodies}
    for thing in things:
        for block in thing.main.all("bfrc"):
            bipolar = _bipolar(block, thing, known, reading)
            if bipolar is not None:
                made.append((bipolar.name, "", bipolar))
    made += ((force.name, "", force) for force in _assumed_elements(things, bodies, known, reading))
    counts = Counter(name for name, _, _ in made)
    taken: set[str] = set()
    renamed: list[Force] = []
    for name, other, force in made:
        chosen = name if counts[name] == 1 else other or name
        while chosen in taken:
            chosen += "_"
        taken.add(chosen)
        renamed.append(replace(force, name=chosen))
    return tuple(renamed)


def _law(block: UmBlock, thing: Thing, x: Expression, v: Expression, reading: UmReading) -> Law | None:
    """Read the law of a scalar force in the coordinate or length x and its rate v; None if there is no force."""
    reading.single(block)
    kind, at = block.get("type"), block.locate(reading.file)
    if kind == "none":
        return None
    if kind not in ("expression", "linear"):
        message = f"scalar forces of type {kind or 'nothing'!r} are kept and left out: a loss for the motion"
        reading.findings.remark("warning", f"scalar force {kind}", at, message, "known: none, expression, linear")
        reading.omit("scalar-force", block, thing, "forces")
        return None
    try:
        if kind == "expression":
            attribute = block.attribute("expression")
            if attribute is None or not attribute.value:
                return None
            return reading.expressions.read_attribute(attribute, thing.scope, {"x": x, "v": v}, timed=True)
        terms = {key: reading.expressions.read_attribute(block.attribute(key), thing.scope) for key in LINEAR}
    except UnrepresentableError as problem:
        message = f"a scalar force with {problem} is kept and left out: a loss for the motion [?]"
        reading.findings.remark("warning", f"scalar force with {problem}", at, message)
        reading.omit("scalar-force", block, thing, "forces")
        return None
    if any(terms.values()):
        message = "type=linear is read as f0 - k (x - l0) - d v + q sin(w t + a) [I]"
        reading.findings.remark("warning", "linear", at, message)
        if "linear" in reading.assume:
            reading.omit("assumed-linear", block, thing, "forces")
    return LinearLaw(**terms)


def _bipolar(block: UmBlock, thing: Thing, known: set[str], reading: UmReading) -> Bipolar | None:
    reading.single(block)
    at, name = block.locate(reading.file), thing.full_name(block.text("name"))
    first, second = (find_end(block, key, thing, known, reading) for key in ("bd1", "bd2"))
    if first is None or second is None:
        ends = (block.text("bd1"), block.text("bd2"))
        if EXTERNAL in ends or any(map(thing.leads_out, ends)):
            message = f"the bipolar element {name} leads to an outer object: kept and left out, a loss for the motion"
            reading.findings.remark("warning", "bipolar External", at, message)
            reading.omit("bipolar-force", block, thing, "forces")
        return None
    own = block.all("scalarforce")
    if len(own) != 1:
        message = f"the bipolar element {name} has {len(own)} scalar forces: left out, a loss for the motion [?]"
        reading.findings.remark("warning", "bipolar forces", at, message, "one is known")
        reading.omit("bipolar-force", block, thing, "forces")
        return None
    law = _law(own[0], thing, LENGTH, LENGTH_RATE, reading)
    if law is None:
        return None
    message = "the force of a bipolar element is read as positive where it pushes its points apart [I]"
    reading.findings.remark("note", "sign of bipolar", at, message)
    return Bipolar(
        name,
        Point(first.body, _place(block, "ro1", first.body, thing, reading)),
        Point(second.body, _place(block, "ro2", second.body, thing, reading)),
        law,
    )


def _place(block: UmBlock, prefix: str, body: str | None, thing: Thing, reading: UmReading, tail: str = "") -> Vector:
    """Return a point in its body's frame; a point on the base is shifted with its subsystem."""
    x, y, z = (reading.value(block.attribute(f"{prefix}{axis}{tail}"), thing) for axis in "xyz")
    return (x, y, z) if body is not None else _add(thing.shift, (x, y, z))


def _add(a: Vector, b: Vector, sign: int = 1) -> Vector:
    return a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]


# Bushings and linear elements (6×6) by laws that the user assumes: docs/formats/um.md has each assumption.
#
# Only elements like those in files are read; what differs from them in anything that may act stays left out.


def assumable(block: UmBlock) -> str:
    """Return the kind of an element whose law may be assumed; empty for others."""
    kind = {"sfrc": "bushing", "scalarforce": "linear"}.get(block.keyword, "")
    return "lfrc" if block.keyword == "lfrc" else kind if block.get("type") == kind else ""


def _assumed_elements(
    things: list[Thing], bodies: Iterable[Body], known: set[str], reading: UmReading
) -> Iterator[Bushing]:
    """Yield the bushings and linear elements whose kinds the user assumes."""
    elements = _Elements(things, {body.name: body for body in bodies}, known, reading)
    for thing in things:
        for block in thing.main.all("sfrc", "lfrc"):
            kind, name = assumable(block), thing.full_name(block.text("name"))
            if kind not in reading.assume:
                continue
            try:
                yield (elements.bushing if kind == "bushing" else elements.linear)(block, name, thing)
            except UnrepresentableError as reason:
                message = f"the law of {name} is not assumed: no file seen has {reason}; kept and left out [?]"
                reading.findings.remark("warning", f"{kind} {reason}", block.locate(reading.file), message)
            else:
                reading.assumed[id(block)] = kind


@dataclass
class _Elements:
    """Reader of elements between two bodies; anything that no file seen has raises :class:`UnrepresentableError`."""

    things: list[Thing]
    bodies: dict[str, Body]
    known: set[str]
    reading: UmReading

    def bushing(self, block: UmBlock, name: str, thing: Thing) -> Bushing:
        """Read a bushing: six stiffnesses, six dampings, three forces of preload on the second body."""
        self.require(block, thing, *(f"ro{i}{axis}" for i in "12" for axis in "xyz"), type="linear")
        if {block.text("bodyref1"), block.text("bodyref2")} - {"", block.text("bd1")}:
            raise UnrepresentableError("another body than bd1 as bodyref1 or bodyref2")
        first, second = (self.end(block, key, thing) for key in ("bd1", "bd2"))
        offset = self.offset(first, second)  # both are parallel at q = 0: there is no telling whose axes are meant
        points = []
        for which, body in (("1", first), ("2", second)):
            part = replace(block, attributes=tuple(section(block, which)))
            self.reading.single(part)
            self.require_zero(part, thing, *(key for key in FRAME if not key.startswith(("axis", "p1"))))
            points.append(_place(part, "p1", body, thing, self.reading))
        if any(_add(_add(points[0], offset, -1), points[1], -1)):
            message = f"the points of the bushing {name} are apart at q = 0: in all files seen they coincide [?]"
            self.reading.findings.remark("warning", "points apart", block.locate(self.reading.file), message)
        values = self.listed(block, "parameters", 24, thing)
        if any(values[15:]):
            raise UnrepresentableError("a value behind the first 15 of parameters")
        stiffness, damping = (_diagonal(values[i : i + 6]) for i in (0, 6))
        frames = Frame(first, shift(points[0])), Frame(second, shift(points[1]))
        return Bushing(name, *frames, stiffness, damping, six((*values[12:15], ZERO, ZERO, ZERO)))

    def linear(self, block: UmBlock, name: str, thing: Thing) -> Bushing:
        """Read a linear element: six forces on the second body, 6×6 dampings and stiffnesses.

        At q = 0 its second point is at ro2x1, ro2y1, ro2z1 of the first body. A block ``conn`` names an outer body.
        """
        self.require(block, thing, *(f"ro2{axis}" for axis in "xyz"), type="elast", autodetection2="true")
        joined = [
            (t, b) for t in self.things for b in t.main.all("conn") if t.full_name(b.text("element")) == name
        ] if block.text("bd2") == EXTERNAL else [(thing, block)]  # fmt: skip
        if len(joined) != 1:
            raise UnrepresentableError(f"{len(joined)} connections of an element to an outer body")
        outer, end = joined[0]
        if end is not block:
            self.require(end, outer, "rox", "roy", "roz", type="TLFrc")
        first, second = self.end(block, "bd1", thing), self.end(end, "bd2" if end is block else "extbody", outer)
        spot = _place(block, "ro2", first, thing, self.reading, "1")
        frames = Frame(first, shift(spot)), Frame(second, shift(_add(spot, self.offset(first, second), -1)))
        values = self.listed(block, "dissmatrix", 36, thing)
        stiffness = [[self.reading.value(block.attribute(f"c{i}{j}"), thing) for j in range(1, 7)] for i in range(1, 7)]
        preload = [self.reading.value(block.attribute(f"{of}{axis}"), thing) for of in "ft" for axis in "xyz"]
        if end is not block:
            self.reading.assumed[id(end)] = ""
        damping = (values[i : i + 6] for i in range(0, 36, 6))
        return Bushing(name, *frames, six_rows(stiffness), six_rows(damping), six(preload))

    def require(self, block: UmBlock, thing: Thing, *zero: str, **words: str) -> None:
        """Refuse an element with unknown attributes, other values than ``words``, or not zero at the keys ``zero``."""
        known, _ = shapes()
        self.reading.single(block, "position", *FRAME)
        strange = [a.key for a in block.attributes if a.key not in known[block.keyword].places]
        strange += [b.keyword for b in block.blocks]
        if strange:
            raise UnrepresentableError(f"{strange[0]} in {block.keyword}")
        for key, word in words.items():
            key = "bushing_type" if (block.keyword, key) == ("sfrc", "type") else key
            if block.text(key) != word:
                raise UnrepresentableError(f"{key}={block.text(key)} in {block.keyword}")
        self.require_zero(block, thing, *zero)

    def require_zero(self, block: UmBlock, thing: Thing, *keys: str) -> None:
        """Require zero or nothing as the values of these keys."""
        for key in keys:
            if self.reading.value(block.attribute(key), thing):
                raise UnrepresentableError(f"{key} other than zero in {block.keyword}")

    def end(self, block: UmBlock, key: str, thing: Thing) -> str | None:
        """Return the body at an end; None for the base."""
        end = find_end(block, key, thing, self.known, self.reading)
        if end is None:
            raise UnrepresentableError(f"{key}={block.text(key)} in {block.keyword}")
        return end.body

    def offset(self, first: str | None, second: str | None) -> Vector:
        """Return the second body's origin in the first one's axes at q = 0, where their axes are parallel."""
        chains: tuple[list[Body], list[Body]] = ([], [])
        for name, chain in zip((first, second), chains, strict=True):
            while name is not None:
                chain.append(self.bodies[name])
                name = chain[-1].parent
        while all(chains) and chains[0][-1] is chains[1][-1]:
            for chain in chains:
                chain.pop()
        found: Vector = (ZERO, ZERO, ZERO)
        for sign, chain in zip((-1, 1), chains, strict=True):
            for et in (et for body in chain for et in body.joint if isinstance(et.motion, Constant) and et.amount):
                if not et.is_translation:
                    raise UnrepresentableError("bodies that are turned against each other at q = 0")
                x, y, z = et.axis
                found = _add(found, (x * et.amount, y * et.amount, z * et.amount), sign)
        return found

    def listed(self, block: UmBlock, key: str, size: int, thing: Thing) -> list[Expression]:
        """Read ``size`` values separated by ``#``; a dissmatrix may have one more ``#`` at its end."""
        attribute, expressions = block.attribute(key), self.reading.expressions
        text = attribute.value if attribute else ""
        words = (text.removesuffix("#") if key == "dissmatrix" else text).split("#")
        at = attribute.value_at(self.reading.file) if attribute else block.locate(self.reading.file)
        if len(words) != size:
            found = f"found {count(len(words), 'value')} in {key} of {block.heading}, expected {size}"
            self.reading.findings.refuse(at, found, "write one between every two #, empty for zero")
            return [ZERO] * size
        starts = accumulate((len(word) + 1 for word in words[:-1]), initial=at.column)
        places = [at if "\n" in text else replace(at, column=column) for column in starts]
        return [expressions.text(word, place, thing.scope) for word, place in zip(words, places, strict=True)]


def _diagonal(values: Sequence[Expression]) -> SixRows:
    return six_rows([value if i == j else ZERO for j in range(6)] for i, value in enumerate(values))
