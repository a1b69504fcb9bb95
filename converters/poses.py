"""Constant transformations multiplied out, in many digits."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp, mpf

from mbconcord.model import ElementaryTransformation

from .constants import Numbers

Constants = Sequence[ElementaryTransformation]


def pose(constants: Constants, numbers: Numbers, place: str) -> tuple[list[mpf], list[list[mpf]]]:
    """Position (m) and rotation matrix at the end of constant transformations, by Rodrigues' formula."""
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
        own = [
            [(1 - c) * a[i] * a[k] + s * cross[i][k] + (c if i == k else 0) for k in range(3)]
            for i in range(3)
        ]
        R = [[sum(R[i][n] * own[n][k] for n in range(3)) for k in range(3)] for i in range(3)]
    return p, R
