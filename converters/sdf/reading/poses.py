"""Poses of elements as constant transformations, and sequences of these with as few as tell the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.turns import Steps, by_quaternion
from mbconcord.converters.xml_attributes import numbers_of
from mbconcord.converters.xml_text import Element
from mbconcord.model import Constant, ElementaryTransformation, rotation, shift
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import PI_NODE, ZERO, Expression
from mbconcord.model.transformation import AXES

from .documents import yes_of

#: An angle beyond this (rad) was probably meant in degrees: two turns.
MOST_TURNED: Final = 12.6
#: So much the square of a quaternion's length may differ from 1.
NORMAL: Final = 1e-6
FORMS: Final = ("euler_rpy", "quat_xyzw")


def pose(element: Element | None, findings: Findings) -> Steps:
    """Shifts along x, y, z, then turns rz(yaw) ry(pitch) rx(roll), or one by a quaternion; zeros leave none."""
    if element is None or not element.text:
        return ()
    form = element.attributes.get("rotation_format", FORMS[0])
    if form not in FORMS:
        findings.refuse(element.at, f"rotation_format of <pose>: found {form!r:.60}", among(form, FORMS))
        return ()
    count = 6 if form == FORMS[0] else 7
    values = numbers_of(element.text, count, "<pose>", element, findings)
    if values is None:
        return ()
    turns = values[3:]
    if form == FORMS[0]:
        return (*shift(values[:3]), *_turned(turns, element, findings))
    found = by_quaternion((turns[3], *turns[:3]))
    if found is None:
        findings.refuse(element.at, "the quaternion of <pose> is zero", "a quaternion has a length")
    elif abs(float(sum((x * x for x in turns), ZERO).value) - 1) > NORMAL:
        message = "the quaternion of <pose> is not of the length 1, and is taken as if it were"
        findings.remark(
            "warning", "quaternion", element.at, message, "libsdformat shifts what stands in such a pose"
        )
    return (*shift(values[:3]), *(found or ()))


def _turned(
    angles: list[Expression], element: Element, findings: Findings
) -> Iterable[ElementaryTransformation]:
    in_degrees = yes_of(element, "degrees", findings)
    if not in_degrees and any(abs(angle.value) > MOST_TURNED for angle in angles):
        message = f"<pose> {element.text:.60} turns by more than two turns"
        findings.remark(
            "warning", "turned", element.at, message, 'angles are in radians but with degrees="true"'
        )
    for axis, angle in zip("zyx", reversed(angles), strict=True):
        if angle:
            yield rotation(axis, Constant(angle * PI_NODE / 180 if in_degrees else angle))


def merged(steps: Iterable[ElementaryTransformation]) -> Steps:
    """The same way with shifts one behind another as one, turns about one axis as one, and none by zero."""
    found: list[ElementaryTransformation] = []
    for et in steps:
        if et.coordinate is None and not et.amount:
            continue
        last = found[-1] if found else None
        if last is None or et.coordinate or last.coordinate or last.kind != et.kind:
            found.append(et)
        elif et.is_translation:
            first = len(found)
            while first and found[first - 1].is_translation and not found[first - 1].coordinate:
                first -= 1
            total = _sum([*found[first:], et])
            found[first:] = [*found[first:], et] if total is None else total
        elif last.axis == et.axis:
            found.pop()
            amount = last.amount + et.amount
            if amount:
                found.append(rotation(et.axis, Constant(amount)))
        else:
            found.append(et)
    return tuple(found)


def _sum(shifts: Iterable[ElementaryTransformation]) -> Steps | None:
    """Shifts along x, y and z as one; None where they are along others."""
    total = dict.fromkeys(AXES.values(), ZERO)
    for et in shifts:
        if et.axis not in total:
            return None
        total[et.axis] = total[et.axis] + et.amount
    return shift(total.values())
