"""Vectors (x, y) in the plane of motion, over the nodes of the graph; k is its normal."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model.expressions import ZERO, Expression

Pair = tuple[Expression, Expression]

NULL: Pair = (ZERO, ZERO)


def plus(a: Pair, b: Pair) -> Pair:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1]


def minus(a: Pair, b: Pair) -> Pair:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1]


def times(x: Expression, a: Pair) -> Pair:
    """Return x a."""
    return x * a[0], x * a[1]


def dot(a: Pair, b: Pair) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1]


def cross(a: Pair, b: Pair) -> Expression:
    """Return k · (a × b)."""
    return a[0] * b[1] - a[1] * b[0]


def quarter(a: Pair) -> Pair:
    """Return k × a."""
    return -a[1], a[0]


def rotate(a: Pair, cosine: Expression, sine: Expression) -> Pair:
    """Rotate vector ``a`` counter-clockwise by the angle with this cosine and sine."""
    return a[0] * cosine - a[1] * sine, a[0] * sine + a[1] * cosine


def vectors(pairs: Iterable[Pair]) -> Pair:
    """Sum of vectors."""
    result = NULL
    for pair in pairs:
        result = plus(result, pair)
    return result


def scalars(values: Iterable[Expression]) -> Expression:
    """Sum of scalars, in order."""
    result = ZERO
    for value in values:
        result = result + value
    return result
