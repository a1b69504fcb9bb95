"""Vectors, rows and matrices of this formalism, over any arithmetic: graph nodes, floats, NumPy batches.

A structural zero is the node ZERO or the integer 0 (floats and arrays are never one); it is passed over, so that a
product with it costs nothing and a block of zeros stays one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mbconcord.model.expressions import ZERO

Scalar = Any
Vector = tuple[Scalar, ...]
Matrix = tuple[Vector, ...]

NONE: Vector = (0, 0, 0)
UNIT: Matrix = ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))


def absent(x: Scalar) -> bool:
    """Return True if a scalar is a structural zero."""
    return x is ZERO or x.__class__ is int


def empty(a: Iterable[Scalar]) -> bool:
    """Return True if all entries are structural zeros."""
    return all(map(absent, a))


def add(a: Scalar, b: Scalar) -> Scalar:
    """Return a + b."""
    return b if absent(a) else a if absent(b) else a + b


def sub(a: Scalar, b: Scalar) -> Scalar:
    """Subtract one scalar from another: a - b."""
    return a if absent(b) else -b if absent(a) else a - b


def mul(a: Scalar, b: Scalar) -> Scalar:
    """Return a b."""
    return 0 if absent(a) or absent(b) else a * b


def total(terms: Iterable[Scalar]) -> Scalar:
    """Sum of scalars."""
    result: Scalar = 0
    for term in terms:
        if not (term is ZERO or term.__class__ is int):
            result = term if result.__class__ is int else result + term
    return result


def plus(*terms: Sequence[Scalar]) -> Vector:
    """Sum of vectors of one length."""
    return tuple(total(entries) for entries in zip(*terms, strict=True))


def minus(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Subtract vectors component by component: a - b."""
    return tuple(sub(x, y) for x, y in zip(a, b, strict=True))


def times(factor: Scalar, a: Iterable[Scalar]) -> Vector:
    """Multiply a vector by a scalar."""
    return tuple(mul(factor, x) for x in a)


def dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """Return Σ a_i b_i; in one loop, as most of the formalism's time is spent here."""
    result: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not (x is ZERO or y is ZERO or x.__class__ is int or y.__class__ is int):
            result = x * y if result.__class__ is int else result + x * y
    return result


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Return a × b."""
    return (
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    )


def transpose(c: Sequence[Sequence[Scalar]]) -> Matrix:
    """Return cᵀ."""
    return tuple(zip(*c, strict=True))


def from_column_axes(c: Sequence[Sequence[Scalar]], a: Sequence[Scalar]) -> Vector:
    """Return c a: a vector from the axes of the columns of c to the axes in which c is written."""
    return tuple(dot(row, a) for row in c)


def to_column_axes(a: Sequence[Scalar], c: Sequence[Sequence[Scalar]]) -> Vector:
    """Return a c, or cᵀ a: a vector from the axes in which c is written to the axes of its columns."""
    return tuple(dot(a, column) for column in zip(*c, strict=True))


def product(a: Sequence[Sequence[Scalar]], b: Sequence[Sequence[Scalar]]) -> Matrix:
    """Multiply two matrices: a b."""
    return tuple(to_column_axes(row, b) for row in a)


def sum_matrices(*matrices: Matrix) -> Matrix:
    """Sum of matrices of one shape."""
    return tuple(plus(*rows) for rows in zip(*matrices, strict=True))


def skew(a: Sequence[Scalar]) -> Matrix:
    """Return the matrix <a> with <a> b = a × b."""
    x, y, z = a
    return (0, sub(0, z), y), (z, 0, sub(0, x)), (sub(0, y), x, 0)
