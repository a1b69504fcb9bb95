"""Equations as they are written: sums of products on both sides, in the order of the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..expressions import MINUS_ONE, ONE, ZERO, Expression


@dataclass(frozen=True, slots=True)
class Product:
    """Factors in the order in which they are written; ``minus``: it is subtracted."""

    factors: tuple[Expression, ...]
    minus: bool = False


@dataclass(frozen=True, slots=True)
class Balance:
    """One equation: the sum of the products on the left is that of the products on the right.

    ``name`` says which one it is: of a coordinate, of a row. A side without products is zero.
    """

    name: str
    left: tuple[Product, ...]
    right: tuple[Product, ...]

    @property
    def residual(self) -> Expression:
        """Left less right: zero where the equation holds."""
        return _total(self.left) - _total(self.right)


def _total(products: Iterable[Product]) -> Expression:
    total = ZERO
    for product in products:
        value = ONE
        for factor in product.factors:
            value = value * factor
        total = total - value if product.minus else total + value
    return total


def products(*terms: Iterable[Expression], minus: bool = False) -> tuple[Product, ...]:
    """Each term as a product of its factors: without factors 1, with its sign outside; without those that are zero."""
    found = []
    for term in terms:
        factors, negative = [], minus
        for factor in term:
            if factor.op == "neg" or factor is MINUS_ONE:
                factor, negative = -factor, not negative
            if factor is not ONE:
                factors.append(factor)
        if ZERO not in factors:
            found.append(Product(tuple(factors) or (ONE,), negative))
    return tuple(found)
