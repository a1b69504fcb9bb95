"""Origins and axes: constant transformations, and directions of joints."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.turns import by_quaternion
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import Element
from mbconcord.model import ElementaryTransformation, rotation, shift
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import Vector, vector

#: An angle of an origin beyond this (rad) was probably meant in degrees: two turns.
MOST_TURNED: Final = 12.6


def origin(element: Element | None, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    """The constant transformations of an ``<origin>``: shifts along x, y, z, then turns rz(yaw) ry(pitch) rx(roll).

    The same as turns about the fixed x, y, z axes by roll, pitch, yaw in this order. Zeros leave none.
    """
    if element is None:
        return ()
    place, turns = placed(element, findings)
    return (*shift(place), *turns)


def placed(element: Element, findings: Findings) -> tuple[Vector, tuple[ElementaryTransformation, ...]]:
    """The shift (m) of an ``<origin>``, and the turns behind it."""
    xyz = numbers_in(element, "xyz", 3, findings) or (ZERO, ZERO, ZERO)
    return vector(xyz), _turns(element, findings)


def _turns(element: Element, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    if "quat_xyzw" in element.attributes:
        return _quaternion(element, findings)
    angles = numbers_in(element, "rpy", 3, findings) or [ZERO, ZERO, ZERO]
    if any(abs(angle.value) > MOST_TURNED for angle in angles):
        message = f'rpy="{element.attributes["rpy"]}" turns by more than two turns'
        remedy = "angles are in radians; 90 degrees are 1.5707963267948966"
        findings.remark("warning", "turned", element.at, message, remedy)
    turns = zip("zyx", reversed(angles), strict=True)
    return tuple(rotation(axis, angle) for axis, angle in turns if angle)


def _quaternion(element: Element, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    """One turn about an oblique axis: by 2 atan2(|v|, w) about v, of the quaternion (v, w)."""
    if "rpy" in element.attributes:
        findings.refuse(element.at, "<origin> with rpy and quat_xyzw", "it is turned by one of them")
    parts = numbers_in(element, "quat_xyzw", 4, findings)
    if parts is None:
        return ()
    found = by_quaternion((parts[3], *parts[:3]))
    if found is None:
        findings.refuse(element.at, "quat_xyzw is zero", "a quaternion has a length")
    return found or ()


def axis(joint: Element, findings: Findings) -> list[Expression] | None:
    """The direction of a joint in its own frame, of any length; x where nothing says another."""
    element = joint.first("axis")
    if element is None:
        return [ONE, ZERO, ZERO]
    found = numbers_in(element, "xyz", 3, findings)
    if found is None and "xyz" not in element.attributes:
        message = "an <axis> without xyz is read as 1 0 0, as no axis is; other programs may take 0 0 0"
        findings.remark("warning", "axis", element.at, message, "write xyz")
        return [ONE, ZERO, ZERO]
    if found is None:
        return None
    if not any(found):
        message = f"the axis of the joint {joint.attributes['name']!r} is zero: it has no direction"
        findings.refuse(element.at, message, "give it one, for example 0 0 1; its length does not matter")
        return None
    return found
