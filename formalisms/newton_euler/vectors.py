"""Triples, rotations and symmetric matrices of any arithmetic: graph nodes, floats, arrays over states.

A matrix is a triple of rows. A symmetric matrix is ``(xx, yy, zz, xy, xz, yz)``. The axes are 0, 1, 2; the two that
follow an axis cyclically are ``NEXT[axis]``. Vectors are the left operands of every product, so that their components
may also be arrays of graph nodes: :mod:`.mass_matrix` transforms many forces at once in this way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import System
from mbconcord.model.expressions import ZERO, Expression, evaluate, numpy_arithmetic, substitute, symbol
from mbconcord.model.numbers import define

#: A number of some arithmetic.
Number = Any
Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]
Symmetric = tuple[Number, Number, Number, Number, Number, Number]

NEXT = ((1, 2), (2, 0), (0, 1))
#: Place of element (i, k) in the six of a symmetric matrix.
PLACE = ((0, 3, 4), (3, 1, 5), (4, 5, 2))


def triple(elements: Sequence[Number]) -> Vector:
    """Return three elements as a vector."""
    x, y, z = elements
    return x, y, z


def plus(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(a: Vector, s: Number) -> Vector:
    """Multiply a vector by a scalar."""
    return a[0] * s, a[1] * s, a[2] * s


def dot(a: Vector, b: Vector) -> Number:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def apply(m: Matrix, v: Vector) -> Vector:
    """Multiply a matrix by a vector."""
    return dot(v, m[0]), dot(v, m[1]), dot(v, m[2])


def transpose(m: Matrix) -> Matrix:
    """Return the transpose."""
    (a, b, c), (d, e, f), (g, h, i) = m
    return (a, d, g), (b, e, h), (c, f, i)


def product(m: Matrix, n: Matrix) -> Matrix:
    """Multiply two matrices."""
    columns = transpose(n)
    return (apply(columns, m[0]), apply(columns, m[1]), apply(columns, m[2]))


def add_along_axis(v: Vector, axis: int, amount: Number) -> Vector:
    """Add an amount to a vector along an axis."""
    x, y, z = v
    return (x + amount, y, z) if axis == 0 else (x, y + amount, z) if axis == 1 else (x, y, z + amount)


def rotate(v: Vector, axis: int, sine: Number, cosine: Number) -> Vector:
    """Rotate a vector about an axis by the angle with the given sine and cosine."""
    x, y, z = v
    if axis == 0:
        return x, y * cosine - z * sine, y * sine + z * cosine
    if axis == 1:
        return x * cosine + z * sine, y, z * cosine - x * sine
    return x * cosine - y * sine, x * sine + y * cosine, z


def rows(s: Symmetric) -> Matrix:
    """Return a symmetric matrix as a triple of rows."""
    xx, yy, zz, xy, xz, yz = s
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def symmetric(elements: Sequence[Number]) -> Symmetric:
    """Return six elements as a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = elements
    return xx, yy, zz, xy, xz, yz


def add_symmetric(a: Symmetric, b: Symmetric) -> Symmetric:
    """Return the sum of two symmetric matrices."""
    return symmetric([p + q for p, q in zip(a, b, strict=True)])


def congruent(m: Matrix, s: Symmetric) -> Symmetric:
    """Return m s mᵀ."""
    half = product(m, rows(s))
    return (
        dot(half[0], m[0]), dot(half[1], m[1]), dot(half[2], m[2]),
        dot(half[0], m[1]), dot(half[0], m[2]), dot(half[1], m[2]),
    )  # fmt: skip


def turned_symmetric(s: Symmetric, axis: int, sine: Number, cosine: Number) -> Symmetric:
    """Return R s Rᵀ for the rotation R about an axis: 8 multiplications, plus three of sine and cosine."""
    i, k = NEXT[axis]
    ii, kk, ik = s[i], s[k], s[PLACE[i][k]]
    si, sk = s[PLACE[axis][i]], s[PLACE[axis][k]]
    square, mixed, difference = sine * sine, sine * cosine, ii - kk
    moved = square * difference + (mixed + mixed) * ik
    new: list[Number] = [*s]
    new[i], new[k] = ii - moved, kk + moved
    new[PLACE[i][k]] = mixed * difference + (cosine * cosine - square) * ik
    new[PLACE[axis][i]] = cosine * si - sine * sk
    new[PLACE[axis][k]] = sine * si + cosine * sk
    return symmetric(new)


class Scalars(Protocol):
    """Operations of an arithmetic that the recursions need in addition to + - * /."""

    zero: Number
    #: Whether intermediate results are kept to be named.
    keeps: bool

    def to_scalars(self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None) -> list[Number]:
        """Evaluate expressions of the model in this arithmetic; ``given`` are values of symbols it lacks."""

    def blank(self, rows: int, columns: int) -> Any:
        """Return an array of zeros whose rows can be multiplied by a scalar."""


class Graph:
    """Arithmetic with nodes of the graph, in which recursions give expressions."""

    zero: Number = ZERO
    keeps = True

    def to_scalars(self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None) -> list[Number]:
        """Return the expressions themselves, with the given symbols substituted."""
        if not given:
            return list(expressions)
        return [*substitute(expressions, {symbol(name): value for name, value in given.items()})]

    def blank(self, rows: int, columns: int) -> Any:
        """Return an array of zero nodes."""
        return np.full((rows, columns), ZERO, dtype=object)


class Batch:
    """Arithmetic with arrays of floats over states, in which recursions give numbers, without a graph of equations."""

    keeps = False

    def __init__(self, system: System, values: Mapping[str, Any], states: int) -> None:
        self.system = system
        self.values = values
        self.states = states
        self.zero: Number = np.zeros(states)

    def to_scalars(self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None) -> list[Number]:
        """Evaluate each expression over the states, or once for all of them."""
        values = {**self.values, **given} if given else self.values
        return evaluate(define(expressions, self.system.functions), values, numpy_arithmetic())

    def blank(self, rows: int, columns: int) -> Any:
        """Return an array of zeros over the states."""
        return np.zeros((rows, columns, self.states))


def over_states(values: Sequence[Number], count: int) -> NDArray[np.float64]:
    """Stack values over states in an array (states, values)."""
    result = np.empty((count, len(values)))
    for i, value in enumerate(values):
        result[:, i] = value
    return result
