"""Bodies and gravity."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mbconcord.model import (
    Body,
    Coordinate,
    ElementaryTransformation,
    Frame,
    FrameCoincidence,
    Gravity,
    Inertia,
    Location,
    Parameter,
    Point,
    Rod,
)
from mbconcord.model.expressions import ONE, ZERO, evaluate_float, number, sqrt
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from ..tree import UmBlock
from .images import compute_inertia
from .joints import UmFreedom
from .links import Branch, UmLink, UmTree
from .reading import Thing, UmReading

# Coordinates: their names, their order, and what is known of reversed joints.
#
# UM numbers them in the order of the joints in the file, inside a joint in the order of its transformations (of the
# reversed joint: in reversed order). Where every coordinate has a scalar force, and the names of these are distinct
# and fit to be names of coordinates, they are taken; else the names are UM's numbers, q1, q2, ….


@dataclass(frozen=True)
class UmMoving:
    """A coordinate: its name, its branch of the tree, its degree of freedom."""

    name: str
    branch: Branch
    freedom: UmFreedom

    def record(self) -> dict[str, Any]:
        """Return the coordinate's name, and its subsystem, joint and line in the UM file, as JSON values."""
        thing, block = self.branch.link.thing, self.branch.link.block
        return {
            "name": self.name,
            "subsystem": ".".join(thing.path),
            "joint": block.text("name"),
            "line": self.freedom.line,
            "reversed": self.branch.reversed,
        }


def coordinates(tree: UmTree, parameters: Collection[str], reading: UmReading) -> list[UmMoving]:
    """List the coordinates in UM's order."""
    pairs = [(b, s.freedom) for b in tree.branches for s in b.steps if s.freedom is not None]
    names = _names([(branch, freedom) for branch, freedom in pairs], parameters)
    for branch in tree.branches:
        if branch.reversed:
            _note_reversal(branch, reading)
    return [UmMoving(name, branch, freedom) for name, (branch, freedom) in zip(names, pairs, strict=True)]


def _names(pairs: list[tuple[Branch, UmFreedom]], parameters: Collection[str]) -> list[str]:
    taken = {*parameters, *RESERVED}
    found = [
        ".".join((*branch.link.thing.path, freedom.force.text("name"))) if freedom.force else ""
        for branch, freedom in pairs
    ]
    if len(set(found)) == len(found) and all(n.isidentifier() and n not in taken for n in found):
        return found
    names = []
    for place in range(1, len(pairs) + 1):
        name = f"q{place}"
        while name in taken:
            name += "_"
        names.append(name)
    return names


def _note_reversal(branch: Branch, reading: UmReading) -> None:
    """Record a note on how a reversed joint is read, and a warning for each rule of this reading that is uncertain."""
    link = branch.link
    kind, at = link.block.get("type"), link.block.locate(reading.file)
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


def system_coordinates(moving: list[UmMoving]) -> tuple[Coordinate, ...]:
    """Build the model's coordinates with their initial positions; UM's files hold no initial velocities."""
    return tuple(Coordinate(m.name, m.freedom.initial) for m in moving)


def joint(branch: Branch, names: dict[int, str]) -> tuple[ElementaryTransformation, ...]:
    """Return the transformations of a branch; ``names`` maps ``id()`` of each degree of freedom to its coordinate."""
    return tuple(step.transformation(names.get(id(step.freedom))) for step in branch.steps)


def coordinate_locations(moving: list[UmMoving]) -> dict[str, Location]:
    """Return the location of each coordinate in the file."""
    return {f"coordinates/{m.name}": m.freedom.at for m in moving}


# Joints that close loops become cut joints: two frames coincide, the joint's own coordinates being auxiliary.


def closures(cuts: list[UmLink], taken: Collection[str]) -> tuple[FrameCoincidence, ...]:
    """Make the cut joints; their coordinates are named c1_1, c1_2, … by number of joint and of coordinate."""
    made = []
    used = set(taken)
    for place, link in enumerate(cuts, 1):
        transformations: list[ElementaryTransformation] = []
        index = 0
        for step in link.steps:
            name = None
            if step.freedom is not None:
                index += 1
                name = f"c{place}_{index}"
                while name in used:
                    name += "_"
                used.add(name)
            transformations.append(step.transformation(name))
        made.append(FrameCoincidence(link.name, Frame(link.first, tuple(transformations)), Frame(link.second)))
    return tuple(made)


def find_rod(cut: FrameCoincidence, values: Mapping[str, float]) -> Rod | None:
    """Return the rod that is equivalent to a cut joint of two turns, a length and three turns; None for another joint.

    Two turns reach every direction if each axis, the length's included, is perpendicular to the next; three every
    orientation: the joint then only keeps two points at the distance of its length.
    """
    steps = cut.first.transformations
    moving = [i for i, step in enumerate(steps) if step.coordinate]
    if len(moving) != 5 or [i - moving[0] for i in moving] != [0, 1, 3, 4, 5]:
        return None
    before, own, after = steps[: moving[0]], steps[moving[0] : moving[-1] + 1], steps[moving[-1] + 1 :]
    if [step.is_translation for step in own] != [False, False, True, False, False, False]:
        return None
    if not all(step.is_translation for step in (*before, *after)) or cut.second.transformations:
        return None
    at = (own[0].axis, own[1].axis, own[2].axis, own[3].axis, own[4].axis, own[5].axis)
    pairs = ((at[0], at[1]), (at[1], at[2]), (at[3], at[4]), (at[4], at[5]))
    if any(sum((a * b for a, b in zip(*pair, strict=True)), ZERO) for pair in pairs):
        return None
    length = own[2].amount
    value = evaluate_float(length, values)
    if not value:
        return None
    ends = []
    for part in (before, after):
        at_end = [sum((step.amount * step.axis[k] for step in part), ZERO) for k in range(3)]
        ends.append(at_end if part is before else [-x for x in at_end])
    first, second = ((x, y, z) for x, y, z in ends)
    return Rod(cut.name, Point(cut.first.body, first), Point(cut.second.body, second), length if value > 0 else -length)


#: g of UM, m/s².
STANDARD = number("9.81")


def bodies(
    tree: UmTree, things: list[Thing], moving: list[UmMoving], parameters: Sequence[Parameter], reading: UmReading
) -> tuple[Body, ...]:
    """Build the bodies in file order, parents first."""
    names = {id(m.freedom): m.name for m in moving}
    blocks = {thing.full_name(name): (block, thing) for thing in things for name, block in thing.bodies.items()}
    made = []
    for name in tree.order:
        block, thing = blocks[name]
        reading.single(block)
        branch = tree.carrying[name]
        inertia = compute_inertia(_inertia(block, thing, reading), block, thing, parameters, reading)
        made.append(Body(name, branch.parent, joint(branch, names), inertia))
    return tuple(made)


def locations(things: list[Thing], file: str) -> dict[str, Location]:
    """Return the locations of the bodies and their inertias in the file."""
    found = {}
    for thing in things:
        for name, block in thing.bodies.items():
            place, at = f"bodies/{thing.full_name(name)}", block.locate(file)
            found[place] = at
            mass = block.attribute("m")
            found[f"{place}/inertia"] = mass.locate(file) if mass else at
    return found


def _inertia(block: UmBlock, thing: Thing, reading: UmReading) -> Inertia:
    """Read mass, centre [I], tensor about the centre of mass: ixy, ixz, iyz are its elements, ixy = -∫xy dm."""
    values = [reading.value(block.attribute(k), thing) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    centre = reading.vector(block, "rc", thing)
    at = block.locate(reading.file)
    if any(centre):
        message = "rcx, rcy, rcz are read as the centre of mass in the body's frame [I]"
        reading.findings.remark("note", "rc", at, message)
    xx, yy, zz, xy, xz, yz = values
    return Inertia(reading.value(block.attribute("m"), thing), centre, (xx, yy, zz, xy, xz, yz))


def gravity(things: list[Thing], reading: UmReading) -> Gravity | None:
    """Read gravity of the main object; that of a subsystem must be the same.

    With ``autogravity=true`` the vector is a direction and g = 9.81 m/s².
    """
    if not things:
        return None
    found = [_vector(thing, reading) for thing in things]
    main = found[0]
    for thing, vector in zip(things[1:], found[1:], strict=True):
        if vector != main:
            message = f"the subsystem {'.'.join(thing.path)} has a gravity of its own: the main object's is read [?]"
            reading.findings.remark("warning", "gravity", thing.main.locate(reading.file), message)
            for block in thing.main.all("egravity"):
                reading.omit("gravity", block, thing, "forces")
    if not any(main):
        return None
    if not all(c.constant for c in main):
        at = things[0].main.all("egravity")[0].locate(reading.file)
        reading.findings.refuse(at, "found identifiers in the gravity, expected numbers")
        return None
    norm = sqrt(main[0] * main[0] + main[1] * main[1] + main[2] * main[2])
    at = things[0].main.all("egravity")[0].locate(reading.file)
    if things[0].main.get("autogravity") != "true":
        message = "gravity without autogravity=true is read as an acceleration in m/s² [?]"
        reading.findings.remark("warning", "autogravity", at, message)
        return Gravity(norm, main)
    if norm is not ONE:
        shown = f"{evaluate_float(norm, {}):.6g}"
        message = f"found gravity of size {shown} with autogravity=true: read as 9.81 m/s² in its direction [?]"
        reading.findings.remark("warning", "size of gravity", at, message, "write a unit vector")
    return Gravity(STANDARD, main)


def _vector(thing: Thing, reading: UmReading) -> Vector:
    blocks = thing.main.all("egravity")
    if len(blocks) > 1:
        found = f"found {len(blocks)} blocks egravity, expected one"
        reading.findings.refuse(blocks[1].locate(reading.file), found)
    return reading.vector(blocks[0], "gravity", thing) if blocks else (ZERO, ZERO, ZERO)
