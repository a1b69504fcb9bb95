"""Coordinates: their names, their order, and what is known of reversed joints.

UM numbers them in the order of the joints in the file, inside a joint in the order of its transformations (of the
reversed joint: in reversed order). Where every coordinate has a scalar force, and the names of these are distinct
and fit to be names of coordinates, they are taken; else the names are UM's numbers, q1, q2, ….
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from mbconcord.model import Coordinate, ElementaryTransformation, Location
from mbconcord.model.expressions import ZERO
from mbconcord.model.expressions.formula_errors import RESERVED

from .joints import Freedom
from .links import Branch, Tree
from .reading import Reading


@dataclass(frozen=True)
class Moving:
    """A coordinate: its name, its branch of the tree, its degree of freedom."""

    name: str
    branch: Branch
    freedom: Freedom

    def record(self) -> dict[str, Any]:
        """What the model does not hold of it, as JSON values."""
        thing, block = self.branch.link.thing, self.branch.link.block
        return {
            "name": self.name,
            "subsystem": ".".join(thing.path),
            "joint": block.text("name"),
            "line": self.freedom.line,
            "reversed": self.branch.reversed,
        }


def coordinates(tree: Tree, parameters: Collection[str], reading: Reading) -> list[Moving]:
    """The coordinates in UM's order."""
    pairs = [(b, s.freedom) for b in tree.branches for s in b.steps if s.freedom is not None]
    names = _names([(branch, freedom) for branch, freedom in pairs], parameters)
    for branch in tree.branches:
        if branch.reversed:
            _reversed(branch, reading)
    return [Moving(name, branch, freedom) for name, (branch, freedom) in zip(names, pairs, strict=True)]


def _names(pairs: list[tuple[Branch, Freedom]], parameters: Collection[str]) -> list[str]:
    taken = {*parameters, *RESERVED}
    found = [
        ".".join((*branch.link.thing.path, freedom.force.text("name"))) if freedom.force else ""
        for branch, freedom in pairs
    ]
    if len(set(found)) == len(found) and all(n.isidentifier() and n not in taken for n in found):
        return found
    names = []
    for number in range(1, len(pairs) + 1):
        name = f"q{number}"
        while name in taken:
            name += "_"
        names.append(name)
    return names


def _reversed(branch: Branch, reading: Reading) -> None:
    """Say what a reversed joint is read by, and what of it is not known."""
    link = branch.link
    kind, at = link.block.get("type"), link.block.at(reading.file)
    free = [step.freedom for step in branch.steps if step.freedom is not None]
    message = (
        f"the joint {link.name} is written from {link.first} towards the base: reversed as UM does, its "
        "transformations in reversed order, constants inverted, coordinates with the same axis and sign"
    )
    reading.findings.remark("note", "reversed", at, message)
    doubts = []
    if kind in ("rotat", "transl"):
        doubts.append(f"a reversed joint {kind} was never seen")
    if any(step.kind == "rotation" and not step.freedom for step in branch.steps):
        doubts.append("that constant turns are inverted is inferred")
    if kind == "6dof" and any(f.initial is not ZERO for f in free):
        doubts.append("initial values of a reversed joint 6dof other than zero were never seen")
    if kind == "comm" and len(free) > 1:
        doubts.append("the order of the coordinates was seen for a joint 6dof only")
    if any(f.force is not None and f.force.get("type") != "none" for f in free):
        doubts.append("the sign of its scalar force was never seen")
    for doubt in doubts:
        message = f"the reversed joint {link.name}: {doubt} [?]"
        reading.findings.remark("warning", doubt, at, message)


def system_coordinates(moving: list[Moving]) -> tuple[Coordinate, ...]:
    """The coordinates of the model with their initial positions; UM's files hold no initial velocities."""
    return tuple(Coordinate(m.name, m.freedom.initial) for m in moving)


def joint(branch: Branch, names: dict[int, str]) -> tuple[ElementaryTransformation, ...]:
    """The transformations of a branch; ``names`` has the coordinates by the identity of their freedoms."""
    return tuple(step.transformation(names.get(id(step.freedom))) for step in branch.steps)


def locations(moving: list[Moving]) -> dict[str, Location]:
    """Where each coordinate stands in the file."""
    return {f"coordinates/{m.name}": m.freedom.at for m in moving}
