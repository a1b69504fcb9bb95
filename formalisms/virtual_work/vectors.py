"""Vectors and rotations of this formalism, on nodes of the expression graph."""

from __future__ import annotations

from mbconcord.model.expressions import ONE, ZERO, Expression, cos, sin

Triple = tuple[Expression, Expression, Expression]
Rows = tuple[Triple, Triple, Triple]

NONE: Triple = (ZERO, ZERO, ZERO)
UNIT: Rows = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def plus(*terms: Triple) -> Triple:
    """Return the sum of vectors."""
    x, y, z = ZERO, ZERO, ZERO
    for a, b, c in terms:
        x, y, z = x + a, y + b, z + c
    return x, y, z


def minus(a: Triple, b: Triple) -> Triple:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(s: Expression, a: Triple) -> Triple:
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


def dot(a: Triple, b: Triple) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Triple, b: Triple) -> Triple:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def to_world(A: Rows, a: Triple) -> Triple:
    """Return A a: from the frame's axes to those of the world."""
    return dot(A[0], a), dot(A[1], a), dot(A[2], a)


def to_body(A: Rows, a: Triple) -> Triple:
    """Return Aᵀ a: from the axes of the world to the frame's."""
    x, y, z = (A[0][k] * a[0] + A[1][k] * a[1] + A[2][k] * a[2] for k in range(3))
    return x, y, z


def rotate_axes(A: Rows, e: Triple, angle: Expression) -> Rows:
    """Return A R(e, angle), right-handed and active: eq. (10) for e = x, y, z, Rodrigues' formula otherwise."""
    c, s = cos(angle), sin(angle)
    v = ONE - c
    x, y, z = e
    columns: Rows = (
        (c + v * x * x, v * x * y + s * z, v * x * z - s * y),
        (v * x * y - s * z, c + v * y * y, v * y * z + s * x),
        (v * x * z + s * y, v * y * z - s * x, c + v * z * z),
    )
    first, second, third = (to_world(columns, row) for row in A)
    return first, second, third
