"""Constant transformations composed to poses, in many digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mpmath import mp, mpf

from mbconcord.model import Constant, ElementaryTransformation, rotation
from mbconcord.model.expressions import ONE, TWO, ZERO, Expression, apply, cos, sin, sqrt
from mbconcord.model.transformation import AXES, Vector, vector

from .constants import DIGITS, ConstantReader, format_number

# Constant turns: by quaternions, back, and as matrices of formulas.


Rows = tuple[Vector, Vector, Vector]
Steps = tuple[ElementaryTransformation, ...]


def by_quaternion(values: Sequence[Expression]) -> Steps | None:
    """Return the rotation of a quaternion (w, v) of any length: by 2 atan2(|v|, w) about v; None if it is zero."""
    w, *v = values
    if not any(v):
        return () if w else None
    length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (rotation(v, Constant(TWO * apply("atan2", length, w))),)


def back(steps: Iterable[ElementaryTransformation]) -> Steps:
    """Invert a path of constant transformations."""
    return tuple(ElementaryTransformation(et.kind, et.axis, Constant(-et.amount)) for et in reversed(tuple(steps)))


def opposite(et: ElementaryTransformation) -> ElementaryTransformation:
    """Invert a moving transformation by reversing its axis."""
    x, y, z = et.axis
    return ElementaryTransformation(et.kind, (-x, -y, -z), et.motion)


def matrix(turns: Sequence[ElementaryTransformation]) -> Rows:
    """Return the rows of the rotation matrix of constant rotations; columns are the rotated axes in the original frame.

    Rodrigues' formula R = E cos θ + (1 - cos θ) a aᵀ + sin θ [a]×, from left to right.
    """
    rows: Rows = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
    for turn in turns:
        if turn.is_translation:
            continue
        (x, y, z), c, s = turn.axis, cos(turn.amount), sin(turn.amount)
        rest = 1 - c
        own = (
            (c + rest * x * x, rest * x * y - s * z, rest * x * z + s * y),
            (rest * x * y + s * z, c + rest * y * y, rest * y * z - s * x),
            (rest * x * z - s * y, rest * y * z + s * x, c + rest * z * z),
        )
        rows = tuple(  # type: ignore[assignment]
            vector(sum((row[k] * own[k][n] for k in range(3)), ZERO) for n in range(3)) for row in rows
        )
    return rows


# Constant transformations as ``<origin>``: a shift, and turns by roll, pitch and yaw.


def origin(constants: Constants, numbers: ConstantReader, place: str) -> dict[str, str]:
    """Return the attributes of an ``<origin>`` for constant transformations, left to right; none for the identity.

    They are written directly if they are shifts followed by rotations about z, y, x in this order, else computed.
    """
    found = split_origin(constants)
    if found is None:
        return _compute_attributes(constants, numbers, place)
    shift, turns = found
    attributes = {}
    if any(shift):
        attributes["xyz"] = numbers.texts(place, shift)
    if any(turns):
        attributes["rpy"] = numbers.texts(place, turns)
    return attributes


def split_origin(constants: Constants) -> tuple[list[Expression], list[Expression]] | None:
    """Return shifts along x, y, z and rotations about them; None for other elements or another order."""
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


def _compute_attributes(constants: Constants, numbers: ConstantReader, place: str) -> dict[str, str]:
    with mp.workdps(DIGITS):
        shift, rows = pose(constants, numbers, place)
        angles = roll_pitch_yaw(rows)
        attributes = {}
        for key, values in (("xyz", shift), ("rpy", angles)):
            near = [0.0 if abs(x) < mpf(10) ** (10 - DIGITS) else float(x) for x in values]
            if any(near):
                attributes[key] = " ".join(map(format_number, near))
    return attributes


def roll_pitch_yaw(R: Sequence[Sequence[mpf]]) -> tuple[mpf, mpf, mpf]:
    """Return angles r, p, y with R = Rz(y) Ry(p) Rx(r).

    The roll is computed last, from R and the yaw, so the angles reproduce R also at p = ±π/2, where the yaw is free.
    """
    yaw = mp.atan2(R[1][0], R[0][0]) if mp.hypot(R[0][0], R[1][0]) > mpf(10) ** (5 - DIGITS // 2) else mpf(0)
    pitch = mp.atan2(-R[2][0], mp.hypot(R[0][0], R[1][0]))
    c, s = mp.cos(yaw), mp.sin(yaw)
    roll = mp.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw


Constants = Sequence[ElementaryTransformation]


def pose(constants: Constants, numbers: ConstantReader, place: str) -> tuple[list[mpf], list[list[mpf]]]:
    """Return position (m) and rotation matrix after constant transformations, by Rodrigues' formula."""
    p = [mpf(0)] * 3
    R = [[mpf(i == k) for k in range(3)] for i in range(3)]
    for et in constants:
        amount = numbers.precise(place, et.amount)
        a = [numbers.precise(place, c) for c in et.axis]
        if et.is_translation:
            p = [p[i] + amount * sum(R[i][k] * a[k] for k in range(3)) for i in range(3)]
            continue
        c, s = mp.cos(amount), mp.sin(amount)
        cross = [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]
        own = [[(1 - c) * a[i] * a[k] + s * cross[i][k] + (c if i == k else 0) for k in range(3)] for i in range(3)]
        R = [[sum(R[i][n] * own[n][k] for n in range(3)) for k in range(3)] for i in range(3)]
    return p, R
