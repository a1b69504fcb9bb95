"""Shared parts of reading: findings, expressions, identifiers, and short access to an attribute's value.

A message ends with the certainty of its statement about UM if that is less than seen in real files: ``[I]`` inferred,
``[M]`` from memory of the manuals, ``[?]`` unknown.

Identifiers, ``cnst=(name# value# "comment");``, become parameters, their formulas kept.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.model import Location, Omission, Parameter
from mbconcord.model.expressions import ZERO, Expression, symbol, symbols
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.limits import UM_OMITTED, too_many
from mbconcord.model.omission import Effect
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass, field

from ..tree import Attribute, UmBlock, UmDocument
from .expressions import Expressions, UmScope, UnrepresentableError

# The object of a file and its subsystems: one flat list, the main object first, then the subsystems in order.
#
# Names in the model: body ``leg_seg1`` of subsystem ``FL`` is ``FL.leg_seg1``, as UM writes it; identifier ``p1`` of
# it is ``FL_p1``, because a formula has no names with a dot.


#: UM's names of the fixed frame and of a body that another object supplies.
BASE, EXTERNAL = "Base0", "External"


@dataclass
class Thing:
    """An object: its place among the subsystems, its ``main`` block, its names, its frame.

    ``shift`` is the position of its Base0 in the main object's Base0. ``left`` has subsystems that are left out because
    the file does not contain them, such as wheelsets.
    """

    path: tuple[str, ...]
    main: UmBlock
    scope: UmScope
    subs: UmBlock | None = None
    outer: Thing | None = None
    shift: Vector = (ZERO, ZERO, ZERO)
    bodies: dict[str, UmBlock] = field(default_factory=dict)
    left: dict[str, UmBlock] = field(default_factory=dict)

    def leads_out(self, name: str) -> bool:
        """Return True for a body of a subsystem that is left out."""
        return name.partition(".")[0] in self.left

    @cached_property
    def variables(self) -> dict[str, UmBlock]:
        """The variables (``with var``) of this object by name."""
        return {block.text("name"): block for block in self.main.all("var")}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The number of each variable in the order of the file, by its name."""
        return {name: i for i, name in enumerate(self.variables)}

    @cached_property
    def images(self) -> tuple[UmBlock, ...]:
        """The images (``with go``) of this object, in the order of their numbers."""
        return self.main.all("go")

    def full_name(self, name: str) -> str:
        """Return the full name of an item of this object: ``FL.leg_seg1``."""
        return ".".join((*self.path, name))


def objects(document: UmDocument, findings: Findings) -> list[Thing]:
    """Collect the main object and all subsystems, with their bodies; identifiers are read later."""
    main = document.main
    if main is None:
        found = f"found {document.header or 'no block main'!r}, expected 'with main;'"
        findings.refuse(Location(findings.file, 1, 1), found, "this is no input.dat")
        return []
    things: list[Thing] = []
    pending = [Thing((), main, _scope(main, (), None))]
    while pending:
        thing = pending.pop()
        _bodies(thing, findings)
        things.append(thing)
        pending.extend(reversed(_subsystems(thing, findings)))
    return things


def _subsystems(thing: Thing, findings: Findings) -> list[Thing]:
    found: list[Thing] = []
    names: set[str] = set()
    for subs in thing.main.all("subs"):
        at = subs.locate(findings.file)
        name, inner = subs.text("name"), subs.all("main")
        if not name or name in names:
            message = f"found a second subsystem {name!r}" if name else "found a subsystem without a name"
            findings.refuse(at, message, "expected a name of its own")
        names.add(name)
        _inside(subs, findings)
        kind = subs.get("type")
        if kind and kind != "mbsincluded":
            message = f"the subsystem {name!r} of type {kind!r} is left out: a loss for the motion [?]"
            remedy = "known are subsystems that stand in the file (mbsincluded)"
            findings.remark("warning", f"subsystem {name}", at, message, remedy)
            thing.left[name] = subs
            continue
        if len(inner) != 1 or not kind:
            lacks = "'with main;'" if kind else "type"
            message = f"the subsystem {name!r} has no {lacks} of its own"
            findings.refuse(at, f"{message}, expected mbsincluded with its main")
            continue
        path = (*thing.path, name)
        found.append(Thing(path, inner[0], _scope(inner[0], path, thing.scope), subs, thing))
    return found


def _inside(subs: UmBlock, findings: Findings) -> None:
    """Refuse a reference to a file outside the model's folder."""
    for attribute in subs.attributes:
        value = attribute.value.strip('"')
        parts = {*PurePosixPath(value).parts, *PureWindowsPath(value).parts}
        if ".." in parts or PurePosixPath(value).is_absolute() or PureWindowsPath(value).anchor:
            findings.refuse(
                attribute.value_at(findings.file),
                f"{attribute.key}={attribute.value} leads out of the model's folder, expected a name in it",
            )


def place(things: list[Thing], expressions: Expressions) -> None:
    """Compute the positions of the subsystems, once their outer objects' identifiers are known.

    A subsystem is placed by ``ro1x, ro1y, ro1z``, in the frame of the object around it [I]; the meaning of ``ro2x…`` is
    unknown [?], so they must be zero.
    """
    for thing in things:
        if thing.subs is not None and thing.outer is not None:
            thing.shift = _shift(thing.subs, thing.outer, expressions)


def _shift(subs: UmBlock, outer: Thing, expressions: Expressions) -> Vector:
    own = [expressions.constant(subs.attribute(f"ro1{a}"), outer.scope) for a in "xyz"]
    for axis in "xyz":
        turned = subs.attribute(f"ro2{axis}")
        if turned is not None and expressions.constant(turned, outer.scope) is not ZERO:
            message = f"found ro2{axis}={turned.value} of a subsystem, expected zero"
            at = turned.locate(expressions.findings.file)
            expressions.findings.refuse(at, message, "what it means is unknown [?]")
    if any(own):
        message = "ro1x, ro1y, ro1z of a subsystem are read as the place of its Base0 [I]"
        at = subs.locate(expressions.findings.file)
        expressions.findings.remark("note", "place of subsystem", at, message)
    x, y, z = (around + mine for around, mine in zip(outer.shift, own, strict=True))
    return x, y, z


def _scope(block: UmBlock, path: tuple[str, ...], outer: UmScope | None) -> UmScope:
    return UmScope(path, {}, {var.text("name") for var in block.all("var")}, outer)


def _bodies(thing: Thing, findings: Findings) -> None:
    for block in thing.main.all("body"):
        name, at = block.text("name"), block.locate(findings.file)
        if not name:
            findings.refuse(at, 'found a body without a name, expected name="…"')
        elif name in (BASE, EXTERNAL):
            findings.refuse(at, f"found a body {name!r}, a name that UM has for itself", "rename it")
        elif name in thing.bodies:
            findings.refuse(at, f"found a second body {name!r}, expected a name of its own", "rename it")
        else:
            thing.bodies[name] = block


def legal(path: tuple[str, ...], name: str) -> str:
    """Convert a name to one that formulas can hold: ``FL.p1`` becomes ``FL_p1``."""
    made = re.sub(r"\W", "_", "_".join((*path, name)))
    return made if made.isidentifier() else f"_{made}"


def single(block: UmBlock, findings: Findings, repeated: tuple[str, ...] = ()) -> None:
    """Refuse a block in which an attribute occurs twice, except those in ``repeated``."""
    seen: dict[str, Attribute] = {}
    for attribute in block.attributes:
        first = seen.setdefault(attribute.key, attribute)
        if first is not attribute and attribute.key not in repeated:
            message = f"found a second {attribute.key} in {block.heading}, the first is in line {first.line}"
            findings.refuse(attribute.locate(findings.file), message, "expected one")


# What is left out of the model, in words: its name, its text, the parameters that the text uses.


#: Longer texts are their beginning and a digest.
LONGEST: Final = 1000
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r'"[^"]*"')


def describe(what: UmBlock | Attribute, thing: Thing, name: str = "") -> tuple[str, str, tuple[str, ...]]:
    """Return full name, text and parameters of a block or attribute of an object.

    The text is that of the file with single blanks and without comments and numbers of blocks, then that of variables
    that it uses. The parameters are those of the model that occur in it.
    """
    text = _text(what)
    variables = thing.variables
    told: dict[str, None] = {}
    rest = text
    while fresh := _find_used_variables(rest, thing.ranks, told):
        told |= dict.fromkeys(fresh)
        own = [variables[v] for v in fresh]
        rest = "" if what in own else " ".join(map(_text, own))
        text = f"{text} {rest}" if rest else text
    used = dict.fromkeys(w for v in _values(what, *(variables[name] for name in told)) for w in _WORD.findall(v))
    known = thing.scope.identifiers
    parameters = dict.fromkeys(s for word in used if word in known for s in sorted(symbols([known[word]])))
    if not name:
        name = (what.text("name") or what.text("element") or what.heading) if isinstance(what, UmBlock) else what.key
    return thing.full_name(name), text, tuple(parameters)


def _find_used_variables(text: str, ranks: Mapping[str, int], told: Container[str]) -> list[str]:
    """List the variables in a text that are not in ``told``, in the order of ``ranks``."""
    words = {word for word in _WORD.findall(text) if word in ranks and word not in told}
    return sorted(words, key=ranks.__getitem__)


def _text(what: UmBlock | Attribute) -> str:
    if isinstance(what, Attribute):
        return f"{what.key}={' '.join(what.value.split())};"
    inner: tuple[UmBlock | Attribute, ...] = (*what.attributes, *what.blocks)
    return " ".join((f"with {what.keyword};", *map(_text, inner)))


def _values(*parts: UmBlock | Attribute) -> Iterator[str]:
    """Yield the values in the parts, without names in quotation marks."""
    for part in parts:
        if isinstance(part, Attribute):
            yield _QUOTED.sub("", part.value)
        else:
            yield from _values(*part.attributes, *part.blocks)


def short(text: str) -> str:
    """Shorten a long text to its beginning and a digest."""
    if len(text) <= LONGEST:
        return text
    digest = sha256(text.encode()).hexdigest()[:16]
    return f"{text[:LONGEST]}… ({len(text):,} characters, sha256 {digest})"


@dataclass
class UmReading:
    """State of the reading of one file.

    ``assume`` are the kinds of elements whose laws the user assumes. ``assumed`` maps ``id()`` of each block that was
    read by such a law to the kind of its element, or to an empty text if the block is part of another element.
    """

    file: str
    findings: Findings
    expressions: Expressions
    assume: tuple[str, ...] = ()
    assumed: dict[int, str] = field(default_factory=dict)
    omitted: list[tuple[UmBlock | Attribute, Omission]] = field(default_factory=list)
    described: int = 0

    def omit(
        self, kind: str, what: UmBlock | Attribute, thing: Thing, effect: Effect, name: str = "",
        gaps: tuple[Expression, ...] = (), bodies: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """Record that the model does not hold a block or attribute of an object."""
        if self.described > UM_OMITTED:
            return
        place, text, parameters = describe(what, thing, name)
        if bodies and any(thing.shift):  # the text counts from the subsystem's own base
            text = f"{text} Base0 at ({', '.join(map(str, thing.shift))})"
            parameters = tuple(dict.fromkeys((*parameters, *sorted(symbols(thing.shift)))))
        self.described += len(text)
        if self.described > UM_OMITTED:
            things = "characters of what is left out, variables written out each time"
            self.findings.refuse(what.locate(self.file), f"found {too_many(self.described, things, UM_OMITTED)}")
        self.omitted.append((what, Omission(f"{kind}/{place}", kind, short(text), effect, parameters, gaps, bodies)))

    def record_comment(self, name: str, text: str, at: UmBlock | Attribute) -> None:
        """Record a comment next to a block or attribute."""
        self.omitted.append((at, Omission(f"comment/{name}", "comment", " ".join(text.split()), "none")))

    def omissions(self) -> tuple[Omission, ...]:
        """Return the omissions in file order, and record their locations in the findings."""
        found = sorted(self.omitted, key=lambda pair: (pair[0].line, pair[0].column))
        for what, omission in found:
            self.findings.locations.setdefault(f"omissions/{omission.place}", what.locate(self.file))
        return tuple(omission for _, omission in found)

    def value(self, attribute: Attribute | None, thing: Thing) -> Expression:
        """Read a constant of the model: a number, or a formula of identifiers; empty is zero."""
        return self.expressions.constant(attribute, thing.scope)

    def vector(self, block: UmBlock, prefix: str, thing: Thing) -> Vector:
        """Read three constants: ``ro1x``, ``ro1y``, ``ro1z`` for the prefix ``ro1``."""
        x, y, z = (self.value(block.attribute(prefix + axis), thing) for axis in "xyz")
        return x, y, z

    def single(self, block: UmBlock, *repeated: str) -> None:
        """Refuse repeated attributes, except those listed."""
        single(block, self.findings, repeated)


#: The comment of a zero that stands for a parameter without value, which UM has not: written by this project.
NO_VALUE = "no value"


@dataclass(frozen=True)
class _Entry:
    """An identifier: its name in the model, text and location of its value, the names it may use, its comment."""

    name: str
    text: str
    at: Location
    scope: UmScope
    comment: str = ""


@dataclass(frozen=True)
class Identifiers:
    """Parameters in the order of the file, UM's name of each (``FL.p1``), and their locations."""

    parameters: tuple[Parameter, ...]
    original: dict[str, str]
    locations: dict[str, Location]


def identifiers(things: list[Thing], expressions: Expressions) -> Identifiers:
    """Read the identifiers of all objects, and enter them in the objects' scopes.

    A formula may use any identifier of its own object, defined before or after; the model detects cycles.
    """
    entries: list[_Entry] = []
    original: dict[str, str] = {}
    for thing in things:
        for block in thing.main.all("const"):
            for attribute in block.attributes:
                if attribute.key == "cnst":
                    _declare(attribute, thing, original, entries, expressions.findings)
    parameters = []
    for entry in entries:
        try:
            value = expressions.text(entry.text, entry.at, entry.scope)
        except UnrepresentableError as problem:
            message = f"found {problem} in an identifier, expected numbers and identifiers"
            expressions.findings.refuse(entry.at, message)
            continue
        missing = entry.comment == NO_VALUE and value is ZERO
        parameters.append(Parameter(entry.name, None if missing else value))
    return Identifiers(tuple(parameters), original, {f"parameters/{entry.name}": entry.at for entry in entries})


def remark_of(attribute: Attribute) -> tuple[str, str]:
    """Return the name and the comment of an identifier."""
    name, _, rest = attribute.value[1:-1].partition("#")
    return name.strip(), rest.partition("#")[2].strip().strip('"').strip()


def _declare(
    attribute: Attribute, thing: Thing, original: dict[str, str], entries: list[_Entry], findings: Findings
) -> None:
    at = attribute.value_at(findings.file)
    head, _, rest = attribute.value[1:-1].partition("#")
    text = rest.partition("#")[0]
    name = head.strip()
    if attribute.value[:1] + attribute.value[-1:] != "()" or "#" not in attribute.value or not name.isidentifier():
        shown = attribute.value if len(attribute.value) < 60 else attribute.value[:57] + "..."
        findings.refuse(at, f"found cnst={shown}, expected cnst=(name# value); with a name of letters, digits, _")
        return
    if name in thing.scope.identifiers:
        findings.refuse(at, f"found a second identifier {name!r}, expected a name of its own", "rename it")
        return
    chosen = legal(thing.path, name)
    while chosen in RESERVED or chosen in original:
        chosen += "_"
    original[chosen] = thing.full_name(name)
    thing.scope.declare(name, symbol(chosen))
    begin = len(head) + 2 + len(text) - len(text.lstrip())
    before = attribute.value[:begin]
    line, last = at.line + before.count("\n"), len(before) - before.rfind("\n") - 1
    where = Location(at.file, line, (at.column if line == at.line else 1) + last)
    entries.append(_Entry(chosen, text.strip(), where, thing.scope, remark_of(attribute)[1]))
