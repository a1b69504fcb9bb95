"""Rows of S and of Ṡ over names, with which every list of tiers begins.

Motion of points with names for long expressions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbconcord.model.derivation import Assignment
from mbconcord.model.expressions import ONE, TIME, Expression, as_expression, directional, rate, symbol
from mbconcord.records import dataclass, replace

from ..aggregates import massless
from ..arithmetic import Symbolic
from ..body import Aggregate, Axes, aggregate
from ..mechanism import Mechanism
from ..places import Places
from ..structure import Rows, Tree, structural_rows, transfer_rows, tree
from ..vectors import Matrix, Transfer, Vector
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
