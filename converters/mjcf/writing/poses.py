"""Joints of a model as those of a body: its pose where all coordinates are zero, and each joint in its frame there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

from mbconcord.converters.constants import DIGITS, Numbers, shown
from mbconcord.converters.poses import pose
from mbconcord.model import Constant, ElementaryTransformation
from mbconcord.model.expressions import ZERO
from mbconcord.model.transformation import Prescribed

#: What is smaller than this is zero to the digits that are computed.
NOTHING = 10 - DIGITS


@dataclass(frozen=True)
class Axis:
    """One coordinate: its direction, and a point that it turns about, in the frame of the body at zero."""

    coordinate: str
    slides: bool
    direction: list[mpf]
    point: list[mpf]


def frozen(joint: Sequence[ElementaryTransformation]) -> list[ElementaryTransformation]:
    """The transformations of a joint where all coordinates and the time are zero."""
    return [
        ElementaryTransformation(et.kind, et.axis, Constant(ZERO if et.coordinate else et.amount))
        if et.coordinate or isinstance(et.motion, Prescribed)
        else et
        for et in joint
    ]


def axes(joint: Sequence[ElementaryTransformation], numbers: Numbers, place: str) -> list[Axis]:
    """The coordinates of a joint in the frame of the body at zero: axis B.R a and point B.p with B = X₀⁻¹ A_k."""
    still = frozen(joint)
    found = []
    with mp.workdps(DIGITS):
        for k, et in enumerate(joint):
            if et.coordinate is None:
                continue
            rest = still[k + 1 :]  # from the frame of the coordinate to the body's
            p, R = pose(rest, numbers, place)
            axis = [numbers.precise(place, c) for c in et.axis]
            direction = [sum(R[i][n] * axis[i] for i in range(3)) for n in range(3)]
            point = [-sum(R[i][n] * p[i] for i in range(3)) for n in range(3)]
            found.append(Axis(et.coordinate, et.is_translation, direction, point))
    return found


def placed(constants: Sequence[ElementaryTransformation], numbers: Numbers, place: str) -> dict[str, str]:
    """Attributes ``pos`` and ``quat`` of constant transformations; none for the identity."""
    with mp.workdps(DIGITS):
        p, R = pose(constants, numbers, place)
        found = {}
        if any(_near(p)):
            found["pos"] = texts(p)
        turn = quaternion(R)
        if any(_near(turn[1:])):
            found["quat"] = texts(turn)
        return found


def quaternion(R: Sequence[Sequence[mpf]]) -> list[mpf]:
    """The quaternion (w, x, y, z) of a rotation, its largest component 1: so it is read as what it was written from."""
    trace = R[0][0] + R[1][1] + R[2][2]
    squares = [1 + trace, *(1 + 2 * R[i][i] - trace for i in range(3))]
    k = max(range(4), key=lambda i: squares[i])
    off = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    found = [mpf(1)] * 4
    for i in range(4):
        if i == k:
            continue
        product = off[max(i, k) - 1] if 0 in (i, k) else R[i - 1][k - 1] + R[k - 1][i - 1]
        found[i] = product / squares[k]
    return found


def directed(direction: Sequence[mpf]) -> str:
    """A direction, its largest component 1 or -1 where it is along no axis."""
    with mp.workdps(DIGITS):
        largest = max(abs(x) for x in direction)
        return texts([x / largest for x in direction])


def texts(values: Sequence[mpf]) -> str:
    """Numbers as the shortest decimals of their doubles; rounding of the digits that are computed is zero."""
    return " ".join(map(shown, _near(values)))


def _near(values: Sequence[mpf]) -> list[float]:
    return [0.0 if abs(x) < mpf(10) ** NOTHING else float(x) for x in values]
