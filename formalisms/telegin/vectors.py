"""Vectors of three components and tensors as triples of rows, over the nodes of the graph."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import Vector

Matrix = tuple[Vector, Vector, Vector]

NULL: Vector = (ZERO, ZERO, ZERO)
E: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
ZEROS: Matrix = (NULL, NULL, NULL)


def plus(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(x: Expression, a: Vector) -> Vector:
    """Return x a."""
    return x * a[0], x * a[1], x * a[2]


def total(vectors: Iterable[Vector]) -> Vector:
    """Return the sum of vectors; the zero vector if there are none."""
    result = NULL
    for vector in vectors:
        result = plus(result, vector)
    return result


def dot(a: Vector, b: Vector) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def apply(T: Matrix, a: Vector) -> Vector:
    """Return T a."""
    return dot(T[0], a), dot(T[1], a), dot(T[2], a)


def back(T: Matrix, a: Vector) -> Vector:
    """Return Tᵀ a."""
    return apply(transpose(T), a)


def transpose(T: Matrix) -> Matrix:
    """Return Tᵀ."""
    x, y, z = T
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


def product(S: Matrix, T: Matrix) -> Matrix:
    """Return S T."""
    columns = transpose(T)
    x, y, z = (apply(columns, row) for row in S)
    return x, y, z


def add_tensors(S: Matrix, T: Matrix) -> Matrix:
    """Return S + T."""
    return plus(S[0], T[0]), plus(S[1], T[1]), plus(S[2], T[2])


def scale_tensor(x: Expression, T: Matrix) -> Matrix:
    """Return x T."""
    return times(x, T[0]), times(x, T[1]), times(x, T[2])


def dyad(a: Vector, b: Vector) -> Matrix:
    """Return a bᵀ."""
    return times(a[0], b), times(a[1], b), times(a[2], b)


def skew(a: Vector) -> Matrix:
    """Return the matrix of a ×."""
    x, y, z = a
    return (ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO)


def point_tensor(m: Expression, r: Vector) -> Matrix:
    """Return the tensor m (r·r E - r rᵀ) of a point mass, about the origin of r."""
    return scale_tensor(m, add_tensors(scale_tensor(dot(r, r), E), scale_tensor(-ONE, dyad(r, r))))


def turn(n: Vector, cosine: Expression, sine: Expression) -> Matrix:
    """Return the rotation about the unit vector n: n nᵀ + cos (E - n nᵀ) + sin n×; columns are the rotated axes."""
    along = dyad(n, n)
    across = add_tensors(E, scale_tensor(-ONE, along))
    return add_tensors(along, add_tensors(scale_tensor(cosine, across), scale_tensor(sine, skew(n))))
