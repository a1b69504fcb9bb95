"""Vectors and rotations of this formalism, on nodes of the expression graph."""

from __future__ import annotations

from mbconcord.model.expressions import ONE, ZERO, Expression, cos, sin

Triple = tuple[Expression, Expression, Expression]
#: Columns of a rotation matrix: the basis vectors of a frame.
Columns = tuple[Triple, Triple, Triple]

NONE: Triple = (ZERO, ZERO, ZERO)
UNIT: Columns = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def plus(a: Triple, b: Triple) -> Triple:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


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


def from_frame(frame: Columns, a: Triple) -> Triple:
    """Return a₁ e₁ + a₂ e₂ + a₃ e₃: a vector given in the frame, in the axes in which the frame is given."""
    (p, q, r), (x, y, z) = frame, a
    return (x * p[0] + y * q[0] + z * r[0], x * p[1] + y * q[1] + z * r[1], x * p[2] + y * q[2] + z * r[2])


def to_frame(frame: Columns, a: Triple) -> Triple:
    """Return components e₁ · a, e₂ · a, e₃ · a of a vector in the frame."""
    return dot(frame[0], a), dot(frame[1], a), dot(frame[2], a)


def rotate_frame(frame: Columns, axis: Triple, angle: Expression) -> Columns:
    """Rotate the frame about an axis given in it: e ↦ cos e + sin n × e + (1 - cos)(n · e) n."""
    c, s = cos(angle), sin(angle)
    x, y, z = axis
    v = ONE - c
    first: Triple = (c + v * x * x, v * x * y + s * z, v * x * z - s * y)
    second: Triple = (v * x * y - s * z, c + v * y * y, v * y * z + s * x)
    third: Triple = (v * x * z + s * y, v * y * z - s * x, c + v * z * z)
    return from_frame(frame, first), from_frame(frame, second), from_frame(frame, third)
