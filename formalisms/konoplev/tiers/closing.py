"""Tiers of constraints, D-I and D-II, and the equations over the names, (4.1) with (4.6), and (4.8).

Rows of S and of Ṡ over names, with which every list of tiers begins.

Motion of points with names for long expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mbconcord.model.derivation import Assignment
from mbconcord.model.expressions import ONE, TIME, Expression, as_expression, directional, rate, symbol
from mbconcord.model.notation.listing import BalanceLine, Product, products
from mbconcord.records import dataclass, replace

from ..aggregates import massless
from ..body import Aggregate, Axes, aggregate
from ..canonical import nodes
from ..constraints.rows import rows_of
from ..mechanism import Mechanism
from ..structure import Direction, Places, Rows, Tree, structural_rows, transfer_rows, tree
from ..vectors import Matrix, Symbolic, Transfer, Vector
from .naming import Names, component, named_row


@dataclass(frozen=True, slots=True)
class Named:
    """The mechanism after the tiers I-0, A-0 and A-I.

    Attributes
    ----------
    tree : Tree
    inertias : mapping
        The aggregate of every body with inertia, by its link, with names for long elements.
    origin : mapping
        Rows about the origins of the links' frames, with names for long components.
    rows : mapping
        Rows of S as names, by link; in the frame of the aggregate where there is one.
    auxiliary, entries : assignments
        Lines of the tiers A-0 and A-I, from which rates of the rows are computed.
    """

    mechanism: Mechanism
    tree: Tree
    inertias: Mapping[int, Aggregate]
    origin: dict[int, Rows]
    rows: Mapping[int, Rows]
    auxiliary: tuple[Assignment, ...]
    entries: tuple[Assignment, ...]


def name_rows(mechanism: Mechanism, axes: Axes, names: Names) -> Named:
    """Write tiers I-0 (long elements of aggregates), A-0 (auxiliary names) and A-I (rows of S)."""
    made = tree(mechanism, Symbolic())
    inertias = {
        link.number: _inertia(names, link.number, aggregate(link.body, _itself, axes))
        for link in mechanism.links
        if link.body and not massless(link.body)
    }
    origin = structural_rows(made, lambda number, rows: _shorten_rows(names, number, rows))
    rows = {number: _rows(names, number, inertias.get(number), origin[number]) for number in made.links}
    auxiliary, entries = (tuple(names.groups.get(group, ())) for group in ("A-0", "A-I"))
    return Named(mechanism, made, inertias, origin, rows, auxiliary, entries)


def rates(made: Named, names: Names) -> dict[int, Rows]:
    """Write tiers b-0 and b-IV: rows of Ṡ by differentiating the entries of tier I, as the paper proposes at (3.4)."""
    along: dict[Expression, Expression] = {TIME: ONE}
    for coordinate in made.mechanism.system.coordinate_names:
        along[symbol(coordinate)] = rate(coordinate)
    for item in made.auxiliary:
        (slope,) = directional([item.expression], along)
        slope = names.break_up("b-0", slope)
        along[symbol(item.name)] = as_expression(names.give("b-0", f"d{item.name}", slope))
    found = directional([item.expression for item in made.entries], along)
    slopes = {item.name: slope for item, slope in zip(made.entries, found, strict=True)}
    rows: dict[int, Rows] = {}
    for number in made.inertias:
        rows[number] = {}
        for d in made.rows[number]:
            entries = (slopes.get(component("s", number, i, d), 0) for i in range(1, 7))
            row = tuple(names.break_up("b-0", entry) for entry in entries)
            rows[number][d] = named_row(names, "b-IV", "ṡ", number, d, row)
    return rows


def _inertia(names: Names, number: int, inertia: Aggregate) -> Aggregate:
    """Return the aggregate with names for its long elements."""

    def shorten_matrix(letter: str, matrix: Matrix) -> Matrix:
        upper = {
            (i, k): names.shorten("I-0", f"{letter}_{{{number},{i + 1}{k + 1}}}", matrix[i][k])
            for i in range(6)
            for k in range(i, 6)
        }
        return tuple(tuple(upper[min(i, k), max(i, k)] for k in range(6)) for i in range(6))

    theta = shorten_matrix("Θ", inertia.theta)
    matrix = theta if inertia.matrix is inertia.theta else shorten_matrix("A", inertia.matrix)
    return replace(inertia, theta=theta, matrix=matrix, rate=inertia.rate and shorten_matrix("Ȧ", inertia.rate))


def _shorten_rows(names: Names, number: int, rows: Rows) -> Rows:
    """Name the long components of rows about the origin of a link's frame."""
    return {
        d: tuple(names.shorten("A-0", component("l", number, i, d), x) for i, x in enumerate(row, 1))
        for d, row in rows.items()
    }


def _rows(names: Names, number: int, inertia: Aggregate | None, origin: Rows) -> Rows:
    """Transfer rows to the frame of the aggregate, and name their components in tier A-I."""
    rows = transfer_rows(inertia.seat, origin) if inertia else origin
    short = {d: tuple(names.break_up("A-0", x) for x in row) for d, row in rows.items()}
    return {d: named_row(names, "A-I", "s", number, d, row) for d, row in short.items()}


def _itself(expression: Expression) -> Expression:
    return expression


class NamedPlaces(Places):
    """Motion of points with names for long expressions."""

    def __init__(self, made: Named, names: Names) -> None:
        super().__init__(made.tree, lambda: made.origin, made.mechanism.numbers, Symbolic())
        self.names = names
        self._short: dict[int, Vector] = {}

    def name_frame(self, link: int, frame: Transfer) -> Transfer:
        """Return the frame with names for its long elements."""
        o = tuple(self.names.shorten("U-0", f"o_{{{link},{i}}}", x) for i, x in enumerate(frame.o, 1))
        c = tuple(
            tuple(self.names.shorten("U-0", f"c_{{{link},{i}{k}}}", x) for k, x in enumerate(row, 1))
            for i, row in enumerate(frame.c, 1)
        )
        return Transfer(o, c)

    def name_scalar(self, label: str, value: Any) -> Any:
        """Put the scalar into a tier under this label and return its name."""
        return self.names.give("U-0", label, self.names.break_up("U-0", value))

    def twist(self, number: int) -> Vector:
        """Compute the absolute twist of the link's frame, with names for long elements."""
        if number not in self._short:
            found = super().twist(number)
            self._short[number] = tuple(
                self.names.shorten("U-0", f"v_{{{number},{i}}}", x) for i, x in enumerate(found, 1)
            )
        return self._short[number]

    def bias(self, number: int) -> Vector:
        """Compute V̇ of the link's frame at q̈ = 0, with names for long elements."""
        if number not in self._biases:
            found = super().bias(number)
            self._biases[number] = tuple(
                self.names.shorten("U-0", f"a_{{{number},{i}}}", x) for i, x in enumerate(found, 1)
            )
        return self._biases[number]


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
