"""Constant transformations as ``<origin>``: a shift, and turns by roll, pitch and yaw."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp, mpf

from mbconcord.converters.constants import DIGITS, Numbers, shown
from mbconcord.converters.poses import Constants, pose
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import AXES, Vector


def origin(constants: Constants, numbers: Numbers, place: str) -> dict[str, str]:
    """The attributes of an ``<origin>`` for constant transformations from left to right; none for the identity.

    As they stand where they are shifts along and then turns about the axes z, y, x in this order, else computed.
    """
    found = _as_they_stand(constants)
    if found is None:
        return _computed(constants, numbers, place)
    shift, turns = found
    attributes = {}
    if any(shift):
        attributes["xyz"] = numbers.texts(place, shift)
    if any(turns):
        attributes["rpy"] = numbers.texts(place, turns)
    return attributes


def _as_they_stand(constants: Constants) -> tuple[list[Expression], list[Expression]] | None:
    """Shifts along x, y, z and turns about them: None where these are not all, or in another order."""
    shift, turns = [ZERO] * 3, [ZERO] * 3
    lowest = 3
    for et in constants:
        along = _signed_axis(et.axis)
        if along is None:
            return None
        i, sign = along
        if et.is_translation and lowest == 3:
            shift[i] = shift[i] + sign * et.amount
        elif not et.is_translation and i < lowest:
            turns[i], lowest = sign * et.amount, i
        else:
            return None
    return shift, turns


def _signed_axis(axis: Vector) -> tuple[int, Expression] | None:
    for i, own in enumerate(AXES.values()):
        if axis == own:
            return i, ONE
        if axis == tuple(-c for c in own):
            return i, -ONE
    return None


def _computed(constants: Constants, numbers: Numbers, place: str) -> dict[str, str]:
    with mp.workdps(DIGITS):
        shift, rows = pose(constants, numbers, place)
        angles = roll_pitch_yaw(rows)
        attributes = {}
        for key, values in (("xyz", shift), ("rpy", angles)):
            near = [0.0 if abs(x) < mpf(10) ** (10 - DIGITS) else float(x) for x in values]
            if any(near):
                attributes[key] = " ".join(map(shown, near))
    return attributes


def roll_pitch_yaw(R: Sequence[Sequence[mpf]]) -> tuple[mpf, mpf, mpf]:
    """Angles r, p, y with R = Rz(y) Ry(p) Rx(r).

    The roll is what the others leave, so that R is met at p = ±π/2 too, where the yaw is free.
    """
    yaw = mp.atan2(R[1][0], R[0][0]) if mp.hypot(R[0][0], R[1][0]) > mpf(10) ** (5 - DIGITS // 2) else mpf(0)
    pitch = mp.atan2(-R[2][0], mp.hypot(R[0][0], R[1][0]))
    c, s = mp.cos(yaw), mp.sin(yaw)
    roll = mp.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw
