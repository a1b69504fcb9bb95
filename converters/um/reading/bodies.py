"""Bodies and gravity."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model import Body, Gravity, Inertia, Location, Parameter
from mbconcord.model.expressions import ONE, ZERO, evaluate_float, number, sqrt
from mbconcord.model.transformation import Vector

from ..tree import Block
from .computed import computed
from .coordinates import Moving, joint
from .links import Tree
from .objects import Thing
from .reading import Reading

#: g of UM, m/s².
STANDARD = number("9.81")


def bodies(
    tree: Tree, things: list[Thing], moving: list[Moving], parameters: Sequence[Parameter], reading: Reading
) -> tuple[Body, ...]:
    """The bodies in the order of the file, parents first."""
    names = {id(m.freedom): m.name for m in moving}
    blocks = {thing.named(name): (block, thing) for thing in things for name, block in thing.bodies.items()}
    made = []
    for name in tree.order:
        block, thing = blocks[name]
        reading.single(block)
        branch = tree.carrying[name]
        inertia = computed(_inertia(block, thing, reading), block, thing, parameters, reading)
        made.append(Body(name, branch.parent, joint(branch, names), inertia))
    return tuple(made)


def locations(things: list[Thing], file: str) -> dict[str, Location]:
    """Where the bodies and their inertias stand in the file."""
    found = {}
    for thing in things:
        for name, block in thing.bodies.items():
            place, at = f"bodies/{thing.named(name)}", block.at(file)
            found[place] = at
            mass = block.attribute("m")
            found[f"{place}/inertia"] = mass.at(file) if mass else at
    return found


def _inertia(block: Block, thing: Thing, reading: Reading) -> Inertia:
    """Mass, centre of mass [I], tensor about the centre of mass: ixy, ixz, iyz are its elements, ixy = -∫xy dm."""
    values = [reading.value(block.attribute(k), thing) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    centre = reading.vector(block, "rc", thing)
    at = block.at(reading.file)
    if any(centre):
        message = "rcx, rcy, rcz are read as the centre of mass in the body's frame [I]"
        reading.findings.remark("note", "rc", at, message)
    xx, yy, zz, xy, xz, yz = values
    return Inertia(reading.value(block.attribute("m"), thing), centre, (xx, yy, zz, xy, xz, yz))


def gravity(things: list[Thing], reading: Reading) -> Gravity | None:
    """Gravity of the main object; that of a subsystem must be the same.

    With ``autogravity=true`` the vector is a direction and g = 9.81 m/s².
    """
    if not things:
        return None
    found = [_vector(thing, reading) for thing in things]
    main = found[0]
    for thing, vector in zip(things[1:], found[1:], strict=True):
        if vector != main:
            message = f"the subsystem {'.'.join(thing.path)} has a gravity of its own: the main object's is read [?]"
            reading.findings.remark("warning", "gravity", thing.main.at(reading.file), message)
            for block in thing.main.all("egravity"):
                reading.omit("gravity", block, thing, "forces")
    if not any(main):
        return None
    if not all(c.constant for c in main):
        at = things[0].main.all("egravity")[0].at(reading.file)
        reading.findings.refuse(at, "found identifiers in the gravity, expected numbers")
        return None
    norm = sqrt(main[0] * main[0] + main[1] * main[1] + main[2] * main[2])
    at = things[0].main.all("egravity")[0].at(reading.file)
    if things[0].main.get("autogravity") != "true":
        message = "gravity without autogravity=true is read as an acceleration in m/s² [?]"
        reading.findings.remark("warning", "autogravity", at, message)
        return Gravity(norm, main)
    if norm is not ONE:
        shown = f"{evaluate_float(norm, {}):.6g}"
        message = (
            f"found gravity of size {shown} with autogravity=true: read as 9.81 m/s² in its direction [?]"
        )
        reading.findings.remark("warning", "size of gravity", at, message, "write a unit vector")
    return Gravity(STANDARD, main)


def _vector(thing: Thing, reading: Reading) -> Vector:
    blocks = thing.main.all("egravity")
    if len(blocks) > 1:
        found = f"found {len(blocks)} blocks egravity, expected one"
        reading.findings.refuse(blocks[1].at(reading.file), found)
    return reading.vector(blocks[0], "gravity", thing) if blocks else (ZERO, ZERO, ZERO)
