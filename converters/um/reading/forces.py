"""Forces: scalar forces of joints, bipolar elements; every other force is kept and reported as lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mbconcord.model import Bipolar, JointEffort, LinearLaw, Point
from mbconcord.model.expressions import Expression, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Force, Law
from mbconcord.model.transformation import Vector

from ..tree import UmBlock
from .bodies import UmMoving
from .expressions import UnrepresentableError
from .links import UmLink, find_end
from .reading import EXTERNAL, Thing, UmReading

LINEAR = ("f0", "k", "l0", "d", "q", "w", "a")


def forces(moving: list[UmMoving], things: list[Thing], cuts: list[UmLink], reading: UmReading) -> tuple[Force, ...]:
    """Read joint efforts in coordinate order, then bipolar elements in file order."""
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
    """Read the law of a scalar force in the coordinate or length x and its rate v; None for no force."""
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
    return LinearLaw(**terms)


def _bipolar(block: UmBlock, thing: Thing, known: set[str], reading: UmReading) -> Bipolar | None:
    reading.single(block)
    at, name = block.locate(reading.file), thing.full_name(block.text("name"))
    first, second = (find_end(block, key, thing, known, reading) for key in ("bd1", "bd2"))
    if first is None or second is None:
        if EXTERNAL in (block.text("bd1"), block.text("bd2")):
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


def _place(block: UmBlock, prefix: str, body: str | None, thing: Thing, reading: UmReading) -> Vector:
    """Return a point in its body's frame; on the base, shifted with its subsystem."""
    x, y, z = reading.vector(block, prefix, thing)
    if body is not None:
        return x, y, z
    return thing.shift[0] + x, thing.shift[1] + y, thing.shift[2] + z
