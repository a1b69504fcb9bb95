"""The object of a file and its subsystems: one flat list, the main object first, then the subsystems in order.

Names in the model: body ``leg_seg1`` of subsystem ``FL`` is ``FL.leg_seg1``, as UM writes it; identifier ``p1`` of
it is ``FL_p1``, because a formula has no names with a dot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath, PureWindowsPath

from mbconcord.converters.findings import Findings
from mbconcord.model import Location
from mbconcord.model.expressions import ZERO
from mbconcord.model.transformation import Vector

from ..tree import Attribute, Block, Document
from .expressions import Expressions, Scope

#: UM's names of the fixed frame and of a body that another object supplies.
BASE, EXTERNAL = "Base0", "External"


@dataclass
class Thing:
    """An object: its place among the subsystems, its ``main`` block, its names, where its frame stands.

    ``shift`` is where its Base0 stands in that of the main object.
    """

    path: tuple[str, ...]
    main: Block
    scope: Scope
    subs: Block | None = None
    outer: Thing | None = None
    shift: Vector = (ZERO, ZERO, ZERO)
    bodies: dict[str, Block] = field(default_factory=dict)

    @cached_property
    def variables(self) -> dict[str, Block]:
        """The variables (``with var``) of this object by name."""
        return {block.text("name"): block for block in self.main.all("var")}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The places of the variables in their order."""
        return {name: i for i, name in enumerate(self.variables)}

    @cached_property
    def images(self) -> tuple[Block, ...]:
        """The images (``with go``) of this object, in the order of their numbers."""
        return self.main.all("go")

    def named(self, name: str) -> str:
        """The full name of something of this object: ``FL.leg_seg1``."""
        return ".".join((*self.path, name))


def objects(document: Document, findings: Findings) -> list[Thing]:
    """The main object and all subsystems, with their bodies; identifiers are not read yet."""
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
        at = subs.at(findings.file)
        name, inner = subs.text("name"), subs.all("main")
        if not name or name in names:
            message = f"found a second subsystem {name!r}" if name else "found a subsystem without a name"
            findings.refuse(at, message, "expected a name of its own")
        names.add(name)
        _inside(subs, findings)
        if subs.get("type") != "mbsincluded" or len(inner) != 1:
            message = f"the subsystem {name!r} has the type {subs.get('type') or 'nothing'!r}"
            if subs.get("type") == "mbsincluded":
                message = f"the subsystem {name!r} has no 'with main;' of its own"
            remedy = "only subsystems that stand in the file (mbsincluded) are known; others [?]"
            findings.refuse(at, f"{message}, expected mbsincluded with its main", remedy)
            continue
        path = (*thing.path, name)
        found.append(Thing(path, inner[0], _scope(inner[0], path, thing.scope), subs, thing))
    return found


def _inside(subs: Block, findings: Findings) -> None:
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
    """Find where the subsystems stand, once their outer objects' identifiers are known.

    A subsystem stands where ``ro1x, ro1y, ro1z`` say, in the frame of the object around it [I]; what ``ro2x…`` say
    is unknown [?], so they must be zero.
    """
    for thing in things:
        if thing.subs is not None and thing.outer is not None:
            thing.shift = _shift(thing.subs, thing.outer, expressions)


def _shift(subs: Block, outer: Thing, expressions: Expressions) -> Vector:
    own = [expressions.constant(subs.attribute(f"ro1{a}"), outer.scope) for a in "xyz"]
    for axis in "xyz":
        turned = subs.attribute(f"ro2{axis}")
        if turned is not None and expressions.constant(turned, outer.scope) is not ZERO:
            message = f"found ro2{axis}={turned.value} of a subsystem, expected zero"
            at = turned.at(expressions.findings.file)
            expressions.findings.refuse(at, message, "what it means is unknown [?]")
    if any(own):
        message = "ro1x, ro1y, ro1z of a subsystem are read as the place of its Base0 [I]"
        at = subs.at(expressions.findings.file)
        expressions.findings.remark("note", "place of subsystem", at, message)
    x, y, z = (around + mine for around, mine in zip(outer.shift, own, strict=True))
    return x, y, z


def _scope(block: Block, path: tuple[str, ...], outer: Scope | None) -> Scope:
    return Scope(path, {}, {var.text("name") for var in block.all("var")}, outer)


def _bodies(thing: Thing, findings: Findings) -> None:
    for block in thing.main.all("body"):
        name, at = block.text("name"), block.at(findings.file)
        if not name:
            findings.refuse(at, 'found a body without a name, expected name="…"')
        elif name in (BASE, EXTERNAL):
            findings.refuse(at, f"found a body {name!r}, a name that UM has for itself", "rename it")
        elif name in thing.bodies:
            findings.refuse(at, f"found a second body {name!r}, expected a name of its own", "rename it")
        else:
            thing.bodies[name] = block


def legal(path: tuple[str, ...], name: str) -> str:
    """A name that formulas can hold: ``FL.p1`` becomes ``FL_p1``."""
    made = re.sub(r"\W", "_", "_".join((*path, name)))
    return made if made.isidentifier() else f"_{made}"


def single(block: Block, findings: Findings, repeated: tuple[str, ...] = ()) -> None:
    """Refuse an attribute that stands twice in a block where it has one meaning."""
    seen: dict[str, Attribute] = {}
    for attribute in block.attributes:
        first = seen.setdefault(attribute.key, attribute)
        if first is not attribute and attribute.key not in repeated:
            message = f"found a second {attribute.key} in {block.heading}, the first is in line {first.line}"
            findings.refuse(attribute.at(findings.file), message, "expected one")
