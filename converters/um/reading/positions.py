"""Frames on bodies as UM writes them in parts: ``position=1; p1x=…; p2x=…; axis1=…; angle1=…;``."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbconcord.model.expressions import PI_NODE, ZERO, Expression
from mbconcord.model.transformation import Kind

from ..tree import Attribute, UmBlock
from .reading import Thing, UmReading

# Degrees, exactly: UM's files hold angles in degrees, the model in radians.


def to_radians(angle: Expression) -> Expression:
    """Convert an angle from degrees to radians; a multiple of a degree is a rational part of π."""
    return angle * PI_NODE / 180


#: Keys of a frame: they stand once for each position.
FRAME: Final = tuple(f"{key}{n}" for key in ("axis", "angle") for n in (1, 2, 3)) + tuple(
    f"p{n}{axis}" for n in (1, 2) for axis in "xyz"
)


def frame(block: UmBlock, which: str, thing: Thing, reading: UmReading) -> list[tuple[Kind, str, Expression]]:
    """Read the path from a body's frame to the joint frame ``position=which``: (kind, axis, amount).

    For an image, whose only frame has no ``position``, ``which`` is empty.

    The path is the shift p1, rotations by angle1, angle2, angle3 (degrees) about the axes numbered axis1, axis2, axis3
    [I], then the shift p2 [M]; real files with equations have zeros only.
    """
    part = section(block, which)
    reading.single(replace(block, attributes=tuple(part)))
    values = {a.key: reading.value(a, thing) for a in part}
    way: list[tuple[Kind, str, Expression]] = [
        ("translation", axis, values[f"p1{axis}"]) for axis in "xyz" if values.get(f"p1{axis}", ZERO)
    ]
    if way:
        message = "p1x, p1y, p1z of a joint frame are read as its place on the body [I]"
        reading.findings.remark("note", "p1", block.locate(reading.file), message)
    for number in "123":
        angle = values.get(f"angle{number}", ZERO)
        if angle is ZERO:
            continue
        axis = next((a for a in part if a.key == f"axis{number}"), None)
        if axis is None or axis.value not in ("1", "2", "3"):
            found = f"found axis{number}={axis.value if axis else ''} with angle{number}, expected 1, 2 or 3"
            reading.findings.refuse((axis or part[0]).locate(reading.file), found)
            continue
        way.append(("rotation", "xyz"[int(axis.value) - 1], to_radians(angle)))
        message = f"axis{number}, angle{number} of a joint frame are read as a turn after the shift p1 [?]"
        reading.findings.remark("warning", "turned frame", axis.locate(reading.file), message)
    last: list[tuple[Kind, str, Expression]] = [
        ("translation", axis, values[f"p2{axis}"]) for axis in "xyz" if values.get(f"p2{axis}", ZERO)
    ]
    if last:
        message = "p2x, p2y, p2z of a joint frame are read as a shift after its turns [M]"
        reading.findings.remark("warning", "p2", block.locate(reading.file), message)
    return [*way, *last]


def section(block: UmBlock, which: str) -> list[Attribute]:
    """Return the attributes between ``position=which;`` and the next ``position=…;``."""
    part: list[Attribute] = []
    inside = not which
    for attribute in block.attributes:
        if attribute.key == "position":
            inside = attribute.value == which
        elif inside and (which or attribute.key in FRAME):
            part.append(attribute)
    return part
