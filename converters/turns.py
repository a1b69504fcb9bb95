"""Constant turns: by quaternions, back, and as matrices of formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mbconcord.model import Constant, ElementaryTransformation, rotation
from mbconcord.model.expressions import ONE, TWO, ZERO, Expression, apply, cos, sin, sqrt
from mbconcord.model.transformation import Vector, vector

Rows = tuple[Vector, Vector, Vector]
Steps = tuple[ElementaryTransformation, ...]


def by_quaternion(values: Sequence[Expression]) -> Steps | None:
    """By 2 atan2(|v|, w) about v, of the quaternion (w, v) of any length; None: it has none."""
    w, *v = values
    if not any(v):
        return () if w else None
    length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (rotation(v, Constant(TWO * apply("atan2", length, w))),)


def back(steps: Iterable[ElementaryTransformation]) -> Steps:
    """The way back of constant transformations."""
    return tuple(
        ElementaryTransformation(et.kind, et.axis, Constant(-et.amount)) for et in reversed(tuple(steps))
    )


def opposite(et: ElementaryTransformation) -> ElementaryTransformation:
    """The way back of one that moves: about or along the opposite axis."""
    x, y, z = et.axis
    return ElementaryTransformation(et.kind, (-x, -y, -z), et.motion)


def matrix(turns: Sequence[ElementaryTransformation]) -> Rows:
    """Rows of the rotation matrix of constant turns: columns are the new axes in the old ones.

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
