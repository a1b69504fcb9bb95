"""Vectors, rows and matrices of this formalism, over any arithmetic: graph nodes, floats, NumPy batches.

A structural zero is the node ZERO or the integer 0 (floats and arrays never are); terms with it are skipped, so that a
product with it costs nothing and a block of zeros stays a block of zeros.

The group L(H,6) of motions of the space of screws, (1.1), and its differentiation, (1.2).

Six-vectors have the linear part first. A wrench ``X = (f; μ)`` has its moment about the origin of the frame it is
written in, a twist ``V = (v; ω)`` the velocity of that origin; both in the axes of the frame. With ``L`` from E_σ to
E_t, ``X_σ = L X_t`` (wrenches) and ``V_t = Lᵀ V_σ`` (twists), and rows of S go with L from the right.

The two arithmetics of the aggregates: nodes of the graph, and NumPy arrays over a batch of states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import (
    ZERO,
    Expression,
    ExpressionError,
    as_expression,
    evaluate,
    numpy_arithmetic,
    sqrt,
    substitute,
)
from mbconcord.model.functions import define
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass


class Arithmetic(Protocol):
    """Conversion of the model's expressions to scalars, and functions of scalars, that the aggregates need."""

    def to_scalar(self, expression: Expression) -> Any:
        """Convert an expression to a scalar."""

    def sqrt(self, value: Any) -> Any:
        """Compute the square root."""

    def evaluate_with(self, expression: Expression, given: Mapping[Expression, Any]) -> Any:
        """Evaluate an expression, with the given scalars for symbols that the model lacks."""


class Symbolic:
    """Arithmetic with nodes of the graph, in which aggregates come out as expressions."""

    def to_scalar(self, expression: Expression) -> Any:
        """Return the expression itself."""
        return expression

    def sqrt(self, value: Any) -> Any:
        """Compute the square root."""
        return sqrt(value)

    def evaluate_with(self, expression: Expression, given: Mapping[Expression, Any]) -> Any:
        """Evaluate an expression, with the given scalars for symbols that the model lacks."""
        return substitute([expression], {symbol: as_expression(x) for symbol, x in given.items()})[0]


class Batch:
    """Arithmetic with arrays (N,) over N states, in which aggregates come out as numbers, without a graph."""

    def __init__(self, system: System, states: Sequence[State]) -> None:
        self.system = system
        self.values = bind_states(system, states).values
        self._known: dict[Expression, Any] = {ZERO: 0}

    def to_scalar(self, expression: Expression) -> Any:
        """Evaluate an expression; the node ZERO stays a structural zero."""
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._evaluate(expression, self.values)
        return found

    def sqrt(self, value: Any) -> Any:
        """Compute the square root."""
        return np.sqrt(value)

    def evaluate_with(self, expression: Expression, given: Mapping[Expression, Any]) -> Any:
        """Evaluate an expression, with the given scalars for symbols that the model lacks."""
        more = {symbol.data: np.asarray(x, dtype=float) for symbol, x in given.items()}
        return self._evaluate(expression, {**self.values, **more})

    def _evaluate(self, expression: Expression, values: Mapping[str, Any]) -> Any:
        if expression.op == "num":
            return float(expression.data)
        if expression.op == "sym" and expression.data in values:
            return values[expression.data]
        try:
            with np.errstate(all="ignore"):
                return evaluate(define([expression], self.system.functions), values, numpy_arithmetic())[0]
        except ExpressionError as problem:
            raise NumbersError(error("konoplev", str(problem))) from None


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
    """Return the sum of scalars."""
    result: Scalar = 0
    for term in terms:
        if not (term is ZERO or term.__class__ is int):
            result = term if result.__class__ is int else result + term
    return result


def plus(*terms: Sequence[Scalar]) -> Vector:
    """Return the sum of vectors of one length."""
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
    """Return the sum of matrices of one shape."""
    return tuple(plus(*rows) for rows in zip(*matrices, strict=True))


def skew(a: Sequence[Scalar]) -> Matrix:
    """Return the matrix <a> with <a> b = a × b."""
    x, y, z = a
    return (0, sub(0, z), y), (z, 0, sub(0, x)), (sub(0, y), x, 0)


REST: Vector = (0,) * 6


@dataclass(frozen=True, slots=True)
class Transfer:
    """An element L of L(H,6), from E_σ to E_t: ``[[c, 0], [<o> c, c]]``.

    Attributes
    ----------
    o : 3 scalars
        Origin of E_t from that of E_σ, in the axes of E_σ (m).
    c : 3×3
        Columns are the axes of E_t in those of E_σ.
    """

    o: Vector
    c: Matrix = UNIT

    def row(self, row: Vector) -> Vector:
        """Transform a row of six: (a, b) L = ((a + b × o) c, b c)."""
        a, b = row[:3], row[3:]
        moved = plus(a, cross(b, self.o))
        return moved + b if self.c is UNIT else to_column_axes(moved, self.c) + to_column_axes(b, self.c)

    def twist(self, twist: Vector) -> Vector:
        """Return Lᵀ V: the same motion at the origin and in the axes of E_t. The identity ``(V L)ᵀ = Lᵀ Vᵀ`` holds."""
        return self.row(twist)

    def wrench(self, wrench: Vector) -> Vector:
        """Return L X: the same wrench at the origin and in the axes of E_σ."""
        force, moment = from_column_axes(self.c, wrench[:3]), from_column_axes(self.c, wrench[3:])
        return force + plus(moment, cross(self.o, force))

    def then(self, following: Transfer) -> Transfer:
        """Return the product in the group: the transfer from E_σ over E_t to the frame of ``following``."""
        return Transfer(plus(self.o, from_column_axes(self.c, following.o)), product(self.c, following.c))

    def inverse(self) -> Transfer:
        """Return L⁻¹ = [[cᵀ, 0], [-cᵀ<o>, cᵀ]], from E_t to E_σ."""
        return Transfer(tuple(-x for x in to_column_axes(self.o, self.c)), transpose(self.c))

    def matrix(self) -> Matrix:
        """Build the 6×6 matrix."""
        moved = product(skew(self.o), self.c)
        upper = tuple((*row, 0, 0, 0) for row in self.c)
        return upper + tuple((*a, *b) for a, b in zip(moved, self.c, strict=True))


def rate_row(row: Vector, twist: Vector) -> Vector:
    """Compute (a, b) Φ(V) = (a × ω + b × v, b × ω), (1.2): the rate of a row carried by E_t, L̇ = L Φ."""
    a, b = row[:3], row[3:]
    v, w = twist[:3], twist[3:]
    return plus(cross(a, w), cross(b, v)) + cross(b, w)


def phi(twist: Vector, wrench: Vector) -> Vector:
    """Return Φ(V) X = (ω × f; v × f + ω × μ)."""
    v, w = twist[:3], twist[3:]
    f, m = wrench[:3], wrench[3:]
    return cross(w, f) + plus(cross(w, m), cross(v, f))


def phi_matrix(twist: Vector) -> Matrix:
    """Return Φ(V) = [[<ω>, 0], [<v>, <ω>]] (6×6). The identities ``Φ(V)ᵀ V = 0`` and ``rate_row(x, V) = x Φ`` hold."""
    v, w = skew(twist[:3]), skew(twist[3:])
    return tuple((*row, 0, 0, 0) for row in w) + tuple((*a, *b) for a, b in zip(v, w, strict=True))


def congruent(motion: Transfer, matrix: Matrix) -> Matrix:
    """Return L X Lᵀ of a symmetric 6×6 matrix: from E_t to E_σ. Symmetric by construction."""
    left = motion.matrix()
    half = product(left, matrix)
    lower = [[dot(half[i], left[k]) for k in range(i + 1)] for i in range(6)]
    return tuple(tuple(lower[max(i, k)][min(i, k)] for k in range(6)) for i in range(6))
