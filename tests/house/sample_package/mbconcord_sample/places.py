"""Where the mass centres are: the transformations of the joints multiplied out."""

from __future__ import annotations

from mbconcord.model import Body, System
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, sin

Vector = tuple[Expression, ...]
Matrix = tuple[Vector, ...]
STILL: tuple[Matrix, Vector] = (((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)), (ZERO, ZERO, ZERO))


def mass_centre(system: System, body: Body) -> Vector:
    """The mass centre of a body in world axes, m."""
    turn, origin = STILL
    for carrier in system.path(body.name):
        for step in carrier.joint:
            if step.is_translation:
                shift = tuple(step.amount * x for x in step.axis)
                origin = plus(origin, apply(turn, shift))
            else:
                turn = product(turn, rotation(step.axis, step.amount))
    return plus(origin, apply(turn, body.inertia.centre))


def rotation(n: Vector, angle: Expression) -> Matrix:
    """Rodrigues' matrix of a turn by an angle (rad) about a unit vector: cos E + sin [n]× + (1 - cos) n nᵀ."""
    c, s = cos(angle), sin(angle)
    x, y, z = n
    skew = ((ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO))
    return tuple(
        tuple((c if i == k else ZERO) + s * skew[i][k] + (ONE - c) * n[i] * n[k] for k in range(3)) for i in range(3)
    )


def apply(matrix: Matrix, vector: Vector) -> Vector:
    """A v."""
    return tuple(sum((a * b for a, b in zip(row, vector, strict=True)), ZERO) for row in matrix)


def product(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    columns = [apply(a, column) for column in zip(*b, strict=True)]
    return tuple(zip(*columns, strict=True))


def plus(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))
