"""Tiers of constraints, D-I and D-II, and the equations over the names, (4.1) with (4.6), and (4.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mbconcord.model.expressions import Expression, as_expression, rate, symbol
from mbconcord.model.notation.listing import BalanceLine, Product, products
from mbconcord.records import dataclass

from ..canonical import nodes
from ..constraints.rows import rows_of
from ..structure import Direction, Tree
from ..vectors import Matrix
from .naming import Names
from .rows import Named, NamedPlaces


@dataclass(frozen=True, slots=True)
class Closing:
    """Rows of constraints over names.

    Attributes
    ----------
    rows : names of the rows
    by_row : for each row, its elements of D by direction
    D, rest : D (m×n, columns in the model's order) and γ̃ (m)
    """

    rows: tuple[str, ...]
    by_row: tuple[Mapping[Direction, Any], ...]
    D: Any
    rest: Any

    @property
    def multipliers(self) -> dict[str, str]:
        """Descriptions of the multipliers, by their symbols λ."""
        return {f"λ_{{{k}}}": f"multiplier of {row}" for k, row in enumerate(self.rows, 1)}


def closing(made: Named, places: NamedPlaces, names: Names) -> Closing:
    """Write tiers D-I, elements of D, and D-II, ``γ̃ = Ḋᵀ q̇ + γ̇``; D q̈ + γ̃ = 0 is the derivative of (4.8)."""
    model = made.mechanism.system
    found = rows_of(model, places)
    directions = {d.coordinate: d for d in made.tree.free()}
    by_row: list[Mapping[Direction, Any]] = []
    for k, row in enumerate(found, 1):
        elements = ((directions[name], names.break_up("D-0", x)) for name, x in row.D.items())
        by_row.append({d: names.give("D-I", f"D_{{{k}}}^{{{d.name}}}", x) for d, x in elements})
    rest = [names.give("D-II", f"γ̃_{{{k}}}", names.break_up("D-0", row.rest)) for k, row in enumerate(found, 1)]
    named = [{d.coordinate: x for d, x in row.items()} for row in by_row]
    D: Matrix = tuple(tuple(row.get(name, 0) for name in model.coordinate_names) for row in named)
    return Closing(tuple(row.name for row in found), tuple(by_row), nodes(D), nodes(tuple(rest)))


def balances(
    tree: Tree,
    A: Mapping[tuple[Direction, Direction], Any],
    inertial: Sequence[Mapping[Direction, Any]],
    forces: tuple[Mapping[Direction, Any], Mapping[str, Any]],
    closed: Closing,
) -> tuple[BalanceLine, ...]:
    """Write A q̈ + b¹ + b² = Q + U + D λ for every coordinate and D q̈ + γ̃ = 0 for every row."""
    free = [d for d in tree.free() if d.coordinate]
    both = {**A, **{(j, i): x for (i, j), x in A.items()}}
    multipliers = [symbol(name) for name in closed.multipliers]
    weights, loads = forces
    found = []
    for i in free:
        left = _terms((both.get((i, j), 0), _acceleration(j)) for j in free)
        left += _terms((part.get(i, 0),) for part in inertial)
        right = _terms(((weights.get(i, 0),), (loads.get(i.coordinate or "", 0),)))
        right += _terms((row.get(i, 0), λ) for row, λ in zip(closed.by_row, multipliers, strict=True))
        found.append(BalanceLine(i.coordinate or "", left, right))
    for name, row, rest in zip(closed.rows, closed.by_row, closed.rest, strict=True):
        left = _terms((row.get(j, 0), _acceleration(j)) for j in free)
        found.append(BalanceLine(name, left + _terms([(rest,)]), ()))
    return tuple(found)


def _terms(terms: Iterable[Iterable[Any]]) -> tuple[Product, ...]:
    return products(*(tuple(map(as_expression, term)) for term in terms))


def _acceleration(d: Direction) -> Expression:
    return rate(d.coordinate or "", 2)
