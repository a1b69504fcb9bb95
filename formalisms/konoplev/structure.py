"""The structural matrix S = fᵀ Mᵀ L of a tree and its rate, by rows: (1.6), (1.9), (1.10), (3.2)-(3.4).

Row ``s_p^{i-α} = f_αᵀ M_iᵀ L_p^i`` belongs to direction α of the pair of body i, for every body p that it moves. The
general (1.10) is always used: the short form (1.11) holds only where ``M f = f``, and there (1.10) simplifies to it, as
products with structural zeros and ones fold. Rows are given in the frames of the bodies' aggregates (E_c or E_p).

Absolute motion of frames and points, for forces and constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from mbconcord.model.expressions import as_expression
from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion, jacobian_of
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

from .mechanism import Link, Mechanism
from .pair import PairMatrices, matrices
from .vectors import (
    NONE,
    REST,
    Arithmetic,
    Transfer,
    Vector,
    cross,
    empty,
    from_column_axes,
    plus,
    rate_row,
    times,
    to_column_axes,
)


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """A direction of mobility α of the pair of body i: a row of S.

    Attributes
    ----------
    link, alpha : int
        i and α; its name is ``i-α``.
    coordinate : str or None
        None where the motion is prescribed: such rows contribute to V and V̇, but have no equation.
    rate, bias : scalars
        ṙ, and r̈ where q̈ = 0, both along the row.
    """

    link: int
    alpha: int
    coordinate: str | None
    rate: Any
    bias: Any

    @property
    def name(self) -> str:
        """Name ``i-α`` of the direction."""
        return f"{self.link}-{self.alpha}"


#: Rows of S by direction; a row that is not there is zero.
Rows = dict[Direction, Vector]


@dataclass(frozen=True, slots=True)
class Tree:
    """The pairs of a mechanism in some arithmetic, and their reachability.

    Attributes
    ----------
    links : mapping
        Links by number, a parent before its child.
    matrices : mapping
        L, M f and Ṁ f of the pair of every link.
    directions : mapping
        Directions of mobility of each link's own pair, by link number.
    """

    links: Mapping[int, Link]
    matrices: Mapping[int, PairMatrices]
    directions: Mapping[int, tuple[Direction, ...]]

    def path(self, number: int) -> Iterator[int]:
        """Yield the links from this one in to the fixed frame: the set (p)_-."""
        while number:
            yield number
            number = self.links[number].parent

    def free(self) -> list[Direction]:
        """List the directions that are coordinates, body by body, in the order of α."""
        return [d for own in self.directions.values() for d in own if d.coordinate]


def tree(mechanism: Mechanism, arithmetic: Arithmetic) -> Tree:
    """Evaluate the pairs of a mechanism in the given arithmetic."""
    of = arithmetic.to_scalar
    directions = {}
    for link in mechanism.links:
        own = []
        for alpha in link.pair.mobile:
            slot = link.pair.slots[alpha - 1]
            rate, bias = slot.sign * slot.rate, slot.sign * slot.bias
            own.append(Direction(link.number, alpha, slot.coordinate, of(rate), of(bias)))
        directions[link.number] = tuple(own)
    return Tree(
        {link.number: link for link in mechanism.links},
        {link.number: matrices(link.pair, of) for link in mechanism.links},
        directions,
    )


def structural_rows(tree: Tree, kept: Callable[[int, Rows], Rows] | None = None) -> dict[int, Rows]:
    """Compute rows of S about the origins of the bodies' frames: s_i^{i-α} = f_αᵀ M_iᵀ, then s_p = s_parent L_p^parent.

    ``kept`` (link, its rows) may replace rows before others are computed from them: lists of tiers put names for them.
    """
    rows: dict[int, Rows] = {0: {}}
    for number, link in tree.links.items():
        own = tree.matrices[number]
        found = transfer_rows(own.transfer, rows[link.parent])
        found |= {d: own.rows[d.alpha] for d in tree.directions[number]}
        rows[number] = kept(number, found) if kept else found
    return rows


def pair_rate_rows(tree: Tree) -> dict[int, Rows]:
    """Compute the rows f_αᵀ Ṁ_iᵀ L_p^i, the second part of (3.4); zero rows, as of simple pairs, are left out."""
    rows: dict[int, Rows] = {0: {}}
    for number, link in tree.links.items():
        own = tree.matrices[number]
        rows[number] = transfer_rows(own.transfer, rows[link.parent])
        found = {d: own.row_rates[d.alpha] for d in tree.directions[number]}
        rows[number] |= {d: row for d, row in found.items() if not empty(row)}
    return rows


def transfer_rows(transfer: Transfer | None, rows: Rows) -> Rows:
    """Multiply all rows by L from the right."""
    return {d: transfer.row(row) for d, row in rows.items()} if transfer else rows


def twists(tree: Tree, number: int, rows: Rows) -> tuple[dict[int, Vector], Vector]:
    """Return twists V_p^{i,p} of the body relative to all links i of its path, and its absolute twist V_p.

    They are partial sums from the last pair inward to the fixed frame, (3.2) and item 6 of the paper: ``V_p^{parent of
    i, p} = Σ_α (s_p^{i-α})ᵀ ṙ_α + V_p^{i,p}``, in the axes of the rows. ``V = Sᵀ q̇``, (3.3).
    """
    relative: dict[int, Vector] = {}
    twist = REST
    for i in tree.path(number):
        relative[i] = twist
        twist = plus(twist, *(times(d.rate, rows[d]) for d in tree.directions[i]))
    return relative, twist


def rate_rows(rows: Rows, pair_rates: Rows, relative: Mapping[int, Vector]) -> Rows:
    """Compute the rows of Ṡ of one body, (3.4): ``ṡ_p^{i-α} = f_αᵀ (M_iᵀ L_p^i Φ(V_p^{i,p}) + Ṁ_iᵀ L_p^i)``.

    Zero rows are left out.
    """
    found = {}
    for d, row in rows.items():
        rate = rate_row(row, relative[d.link])
        if d in pair_rates:
            rate = plus(rate, pair_rates[d])
        if not empty(rate):
            found[d] = rate
    return found


def bias(rows: Rows, rates: Rows) -> Vector:
    """Compute V̇ at q̈ = 0, (3.4): ``Ṡᵀ q̇`` plus ``sᵀ r̈`` of prescribed motions."""
    moving = (times(d.rate, row) for d, row in rates.items())
    return plus(REST, *moving, *(times(d.bias, row) for d, row in rows.items()))


class Places:
    """Absolute motion of frames and points in fixed axes; computed on first use."""

    def __init__(
        self, tree: Tree, rows: Callable[[], Mapping[int, Rows]], numbers: dict[str | None, int], arithmetic: Arithmetic
    ) -> None:
        self.tree, self.numbers, self.arithmetic = tree, numbers, arithmetic
        self._rows = rows
        self._frames: dict[int, Transfer] = {0: Transfer(NONE)}
        self._twists: dict[int, Vector] = {0: REST}
        self._biases: dict[int, Vector] = {0: REST}
        self._pair_rates: dict[int, Rows] = {}

    @cached_property
    def rows(self) -> Mapping[int, Rows]:
        """Rows of S about the origins of the links' frames."""
        return self._rows()

    def frame(self, number: int) -> Transfer:
        """Compute L from the fixed frame to the link's frame, (1.1)."""
        for link in reversed(list(self.tree.path(number))):
            if link not in self._frames:
                parent = self._frames[self.tree.links[link].parent]
                self._frames[link] = self.name_frame(link, parent.then(self.tree.matrices[link].transfer))
        return self._frames[number]

    def name_frame(self, link: int, frame: Transfer) -> Transfer:
        """Return the frame for further use; the override for lists of tiers replaces its long elements by names."""
        return frame

    def name_scalar(self, label: str, value: Any) -> Any:
        """Return a scalar for further use; the override for lists of tiers replaces it by a name."""
        return value

    def twist(self, number: int) -> Vector:
        """Compute the absolute twist of the link's frame, in its axes."""
        if number not in self._twists:
            self._twists[number] = twists(self.tree, number, self.rows[number])[1]
        return self._twists[number]

    def bias(self, number: int) -> Vector:
        """Compute V̇ of the link's frame at q̈ = 0, in its axes."""
        if number not in self._biases:
            self._pair_rates = self._pair_rates or pair_rate_rows(self.tree)
            rows = self.rows[number]
            relative = twists(self.tree, number, rows)[0]
            self._biases[number] = bias(rows, rate_rows(rows, self._pair_rates[number], relative))
        return self._biases[number]

    def arm(self, point: Point) -> Vector:
        """Return the position of a point in the axes of its body."""
        return tuple(map(self.arithmetic.to_scalar, point.position))

    def position(self, point: Point) -> Vector:
        """Compute the position of a point, axes of the fixed frame."""
        frame = self.frame(self.numbers[point.body])
        return plus(frame.o, from_column_axes(frame.c, self.arm(point)))

    def velocity(self, point: Point) -> Vector:
        """Compute the velocity of a point, axes of the fixed frame."""
        number = self.numbers[point.body]
        twist = self.twist(number)
        return from_column_axes(self.frame(number).c, plus(twist[:3], cross(twist[3:], self.arm(point))))

    def acceleration(self, point: Point) -> Vector:
        """Compute a point's acceleration at q̈ = 0, fixed axes: ``c (v̇ + ω × v + ω̇ × ρ + ω × (ω × ρ))``."""
        number, arm = self.numbers[point.body], self.arm(point)
        twist, rate = self.twist(number), self.bias(number)
        v, w = twist[:3], twist[3:]
        own = plus(rate[:3], cross(w, v), cross(rate[3:], arm), cross(w, cross(w, arm)))
        return from_column_axes(self.frame(number).c, own)

    def columns(self, point: Point) -> dict[str, Vector]:
        """Compute ∂v/∂q̇ of a point by coordinate, axes of the fixed frame: ``c (a + b × ρ)`` of the rows (a, b)."""
        number, arm = self.numbers[point.body], self.arm(point)
        c = self.frame(number).c
        return {
            d.coordinate: from_column_axes(c, plus(row[:3], cross(row[3:], arm)))
            for d, row in self.rows[number].items()
            if d.coordinate
        }

    def motion(self, point: Point, names: Sequence[str]) -> PointMotion:
        """Return the motion of a point and of the axes of its body, as expressions."""
        number = self.numbers[point.body]
        c = self.frame(number).c
        rows = {d.coordinate: row for d, row in self.rows[number].items() if d.coordinate}
        angular = {name: from_column_axes(c, row[3:]) for name, row in rows.items()}
        w, e0 = (from_column_axes(c, twist[3:]) for twist in (self.twist(number), self.bias(number)))
        R: Any = [vector(map(as_expression, row)) for row in c]
        r, v, a0 = self.position(point), self.velocity(point), self.acceleration(point)
        r, v, w, a0, e0 = (vector(map(as_expression, x)) for x in (r, v, w, a0, e0))
        linear, angular = (
            {name: vector(map(as_expression, x)) for name, x in part.items()} for part in (self.columns(point), angular)
        )
        return PointMotion(tuple(R), r, v, w, jacobian_of(names, linear, angular), a0, e0)

    def wrench(self, point: Point, force: Vector, moment: Vector = NONE, follows: bool = False) -> Vector:
        """Return the wrench of a force at a point and a moment, in body axes; the force in fixed unless ``follows``."""
        own = force if follows else to_column_axes(force, self.frame(self.numbers[point.body]).c)
        return own + plus(cross(self.arm(point), own), moment)
