"""Constant rotations: about a unit vector, and the one that lays a coordinate axis along a joint's axis."""

from __future__ import annotations

from mbconcord.model.expressions import ONE, ZERO, Expression, evaluate

from .vectors import NEXT, Matrix, Vector, product

UNITS: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def rotation_about(n: Vector, sine: Expression, cosine: Expression) -> Matrix:
    """Return the rotation about a unit vector: cos E + (1 - cos) n nᵀ + sin [n]×. Columns: new axes in old."""
    x, y, z = n
    rest = ONE - cosine
    return (
        (cosine + rest * (x * x), rest * (x * y) - sine * z, rest * (x * z) + sine * y),
        (rest * (x * y) + sine * z, cosine + rest * (y * y), rest * (y * z) - sine * x),
        (rest * (x * z) - sine * y, rest * (y * z) + sine * x, cosine + rest * (z * z)),
    )


def alignment(n: Vector) -> tuple[int, Matrix]:
    """Return the coordinate axis e nearest to the unit vector n, and a constant rotation that carries e into n.

    The shortest such rotation is E + [v]× + [v]²/(1 + c), v = e × n, c = e · n. Where n points against the
    axis, half a turn about the next axis comes first and the shortest rotation leads to -n.
    """
    sizes = [float(value) for value in evaluate(n, {})]
    axis = max(range(3), key=lambda i: abs(sizes[i]))
    i, k = NEXT[axis]
    backwards = sizes[axis] < 0
    c, a, b = (-n[axis], -n[i], -n[k]) if backwards else (n[axis], n[i], n[k])
    m = [list(row) for row in UNITS]
    if a or b:
        share = ONE / (ONE + c)
        m[axis][axis], m[axis][i], m[axis][k] = c, -a, -b
        m[i][axis], m[i][i], m[i][k] = a, ONE - a * a * share, -(a * b * share)
        m[k][axis], m[k][i], m[k][k] = b, -(a * b * share), ONE - b * b * share
    shortest: Matrix = tuple((row[0], row[1], row[2]) for row in m)  # type: ignore[assignment]
    return axis, product(shortest, rotation_about(UNITS[i], ZERO, -ONE)) if backwards else shortest


def compose(first: Matrix | None, second: Matrix) -> Matrix | None:
    """Multiply rotations, where None is the identity."""
    turn = product(first, second) if first else second
    return None if turn == UNITS else turn
