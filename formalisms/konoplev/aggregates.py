"""The aggregates of the whole system and its equations of motion, (2.2)-(2.4), (3.2)-(3.4), (4.1)-(4.3).

``A(q) = S A Sᵀ`` and ``b = S (W + A (Ṡᵀ q̇))`` are summed over the bodies: each adds to the rows of the directions that
move it, so that blocks of zeros are never stored.

Transfer from the frame of one body's aggregate to the next: L_c,parent⁻¹ L_p L_c as one element of the group, (1.1).

A row transferred from aggregate to aggregate is rotated once per pair, instead of into the axes of a body's frame and
out of them again. For a pair with one direction of mobility, all constants of the element are multiplied beforehand:
about the axis e_k the rotation is ``R = e_k e_kᵀ + (E - e_k e_kᵀ) cos θ + <e_k> sin θ``, so an entry of ``P R Q`` with
constant P and Q costs two multiplications.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from mbconcord.model.body import Body
from mbconcord.model.expressions import Expression
from mbconcord.model.system import System
from mbconcord.records import dataclass

from .body import Aggregate, Axes, aggregate
from .forces import efforts, loads
from .mechanism import Link, Mechanism
from .pair import ROTATIONS, Of, Pair, Slot, rotation
from .structure import (
    Direction,
    Places,
    Rows,
    Tree,
    bias,
    pair_rate_rows,
    rate_rows,
    structural_rows,
    transfer_rows,
    tree,
    twists,
)  # fmt: skip
from .vectors import (  # fmt: skip
    Arithmetic,
    Matrix,
    Scalar,
    Transfer,
    Vector,
    absent,
    add,
    dot,
    from_column_axes,
    minus,
    plus,
    product,
    skew,
    sum_matrices,
    times,
    to_column_axes,
    transpose,
)

#: Rows from which on an element for all of them costs less than each over the origins.
FEWEST = 2
#: e_1, e_2, e_3.
AXES = ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))


def seated_rows(
    tree: Tree, seats: Mapping[int, Transfer | None], origin: Mapping[int, Rows], of: Of
) -> dict[int, Rows]:
    """Compute rows of S of every link in its aggregate's frame: ``origin``, rows at the link's origin, times L_c.

    They are transferred from the parent's aggregate if that costs less than from ``origin``: if there are several rows,
    the pair's own rotation has no zeros, its constants are no symbols, and at most one direction is mobile.
    """
    rows: dict[int, Rows] = {0: {}}
    for number, link in tree.links.items():
        before, after = seats.get(link.parent), seats.get(number)
        known = simple(link.pair) and all(constant(tree.links.get(n)) for n in (link.parent, number))
        full = not any(absent(x) for row in tree.matrices[number].transfer.c for x in row)
        if not (known and full and len(rows[link.parent]) >= FEWEST):
            rows[number] = transfer_rows(after, origin[number])
            continue
        own = {d: tree.matrices[number].rows[d.alpha] for d in tree.directions[number]}
        rows[number] = transfer_rows(element(link.pair, before, after, of), rows[link.parent]) | transfer_rows(
            after, own
        )
    return rows


def simple(pair: Pair) -> bool:
    """Return True if a pair has at most one direction of mobility, and its other slots are numbers without symbols."""
    fixed = (slot for alpha, slot in enumerate(pair.slots, 1) if alpha not in pair.mobile)
    return len(pair.mobile) <= 1 and all(x.constant for s in fixed for x in (s.known, *(s.direct or ())))


def constant(link: Link | None) -> bool:
    """Return True if the place of a link's aggregate contains no symbols."""
    return link is None or link.body is None or all(x.constant for x in link.body.inertia.centre)


def element(pair: Pair, before: Transfer | None, after: Transfer | None, of: Of) -> Transfer:
    """Compute L_before⁻¹ L L_after of a pair with at most one direction of mobility."""
    before, after = before or Transfer((0, 0, 0)), after or Transfer((0, 0, 0))
    alpha = next(iter(pair.mobile), None)
    fixed = Pair(tuple(Slot() if a == alpha else slot for a, slot in enumerate(pair.slots, 1)))  # type: ignore[arg-type]
    shift = to_column_axes(minus(tuple(of(slot.amount) for slot in fixed.slots[:3]), before.o), before.c)
    circular = [tuple(of(x) for x in slot.circular) for slot in fixed.slots[3:]]
    if alpha not in ROTATIONS:
        c = product(transpose(before.c), rotation(*circular))
        o = plus(shift, from_column_axes(c, after.o))
        if alpha is not None:
            column = to_column_axes(AXES[alpha - 1], before.c)
            o = plus(o, times(of(pair.slots[alpha - 1].amount), column))
        return Transfer(o, product(c, after.c))
    k = alpha - ROTATIONS[0]
    one = (1.0, 0)
    first = rotation(*(circular[i] if i < k else one for i in range(3)))
    last = rotation(*(circular[i] if i > k else one for i in range(3)))
    P, Q = product(transpose(before.c), first), product(last, after.c)
    arm = from_column_axes(last, after.o)
    parts = [product(P, part) for part in rodrigues(k)]
    cosine, sine = (of(x) for x in pair.slots[alpha - 1].circular)
    scales: tuple[Scalar, Scalar, Scalar] = (1.0, cosine, sine)
    c = sum_matrices(*(_scale(s, product(part, Q)) for s, part in zip(scales, parts, strict=True)))
    arms = (times(s, from_column_axes(part, arm)) for s, part in zip(scales, parts, strict=True))
    return Transfer(plus(shift, *arms), c)


def rodrigues(k: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return the rotation about e_k as parts of 1, of cos θ and of sin θ."""
    axial = tuple(tuple(1.0 if i == j == k else 0 for j in range(3)) for i in range(3))
    across = tuple(tuple(1.0 if i == j != k else 0 for j in range(3)) for i in range(3))
    return axial, across, skew(AXES[k])


def _scale(factor: Scalar, matrix: Matrix) -> Matrix:
    return tuple(times(factor, row) for row in matrix)


@dataclass(frozen=True, slots=True)
class Moving:
    """A body with inertia, in the frame of its aggregate.

    Attributes
    ----------
    number : int
        Number of the body's link.
    inertia : Aggregate
    rows, z : rows of S and of Z = S A
    pair_rates, rates : rows f_αᵀ Ṁᵀ L, and rows of Ṡ
    relative : mapping
        V_p^{i,p}: twist of the body p relative to link i, by i.
    twist, bias : V, and V̇ where q̈ = 0
    g : acceleration of gravity in the axes of the aggregate
    """

    number: int
    inertia: Aggregate
    rows: Rows
    z: Rows
    pair_rates: Rows
    rates: Rows
    relative: Mapping[int, Vector]
    twist: Vector
    bias: Vector
    g: Vector


@dataclass(frozen=True)
class Aggregates:
    """All building blocks of the equations, in some arithmetic; rows of S are computed on first use.

    Attributes
    ----------
    tree : Tree
    inertias : mapping
        Aggregates of the links that have inertia, by number.
    """

    mechanism: Mechanism
    arithmetic: Arithmetic
    tree: Tree
    inertias: Mapping[int, Aggregate]

    @cached_property
    def fall(self) -> dict[int, Vector]:
        """Acceleration of gravity in the axes of every link."""
        gravity = tuple(map(self.arithmetic.to_scalar, self.mechanism.system.gravity_vector))
        return gravity_in_links(self.tree, gravity)

    @cached_property
    def origin(self) -> dict[int, Rows]:
        """Rows of S about the origins of the links' frames."""
        return structural_rows(self.tree)

    @cached_property
    def bodies(self) -> tuple[Moving, ...]:
        """The bodies with inertia, in the frames of their aggregates."""
        pair_rates = pair_rate_rows(self.tree)
        seats = {number: inertia.seat for number, inertia in self.inertias.items()}
        rows = seated_rows(self.tree, seats, self.origin, self.arithmetic.to_scalar)
        return tuple(
            moving(self.tree, number, inertia, rows[number], transfer_rows(inertia.seat, pair_rates[number]), self.fall)
            for number, inertia in self.inertias.items()
        )

    @cached_property
    def places(self) -> Places:
        """Absolute motion of frames and points."""
        return Places(self.tree, lambda: self.origin, self.mechanism.numbers, self.arithmetic)


def aggregates(mechanism: Mechanism, arithmetic: Arithmetic, axes: Axes) -> Aggregates:
    """Compute the aggregates of the bodies and the kinematic aggregate of a mechanism."""
    inertias = {
        link.number: aggregate(link.body, arithmetic.to_scalar, axes)
        for link in mechanism.links
        if link.body and not massless(link.body)
    }
    return Aggregates(mechanism, arithmetic, tree(mechanism, arithmetic), inertias)


def places(mechanism: Mechanism, arithmetic: Arithmetic) -> Places:
    """Return the motion of frames and points without aggregates; constraints need no more."""
    whole = tree(mechanism, arithmetic)
    return Places(whole, lambda: structural_rows(whole), mechanism.numbers, arithmetic)


def massless(body: Body) -> bool:
    """Return True if a body has no inertia at all, and so no aggregate."""
    return body.inertia.is_zero and not body.flywheels and not body.added_inertia


def moving(
    tree: Tree, number: int, inertia: Aggregate, rows: Rows, own_rates: Rows, fall: Mapping[int, Vector]
) -> Moving:
    """Return a body with its twist, rates and rows of Z, from its rows of S in the frame of the aggregate."""
    seat = inertia.seat
    relative, twist = twists(tree, number, rows)
    rates = rate_rows(rows, own_rates, relative)
    z = {d: to_column_axes(row, inertia.matrix) for d, row in rows.items()}
    g = to_column_axes(fall[number], seat.c) if seat else fall[number]
    return Moving(number, inertia, rows, z, own_rates, rates, relative, twist, bias(rows, rates), g)


def gravity_in_links(tree: Tree, g: Vector) -> dict[int, Vector]:
    """Compute the acceleration of gravity c_{0p}ᵀ g in the axes of every link."""
    fall = {0: g}
    for number, link in tree.links.items():
        fall[number] = to_column_axes(fall[link.parent], tree.matrices[number].transfer.c)
    return fall


def mass_matrix(bodies: Iterable[tuple[Rows, Rows]]) -> dict[tuple[Direction, Direction], Any]:
    """Compute A(q) by (4.3): ``A_J^I = Σ_p s_p^I A_p (s_p^J)ᵀ = Σ_p z_p^I (s_p^J)ᵀ`` from the bodies' rows z and s.

    The sum is over the bodies that I and J both move; keys are (I, J) with I not after J.
    """
    result: dict[tuple[Direction, Direction], Any] = {}
    for z, rows in bodies:
        free = [d for d in rows if d.coordinate]
        for i, first in enumerate(free):
            for second in free[i:]:
                share = dot(z[first], rows[second])
                result[first, second] = add(result.get((first, second), 0), share)
    return result


def with_armatures(
    matrix: Mapping[tuple[Direction, Direction], Any], system: System, tree: Tree, of: Callable[[Expression], Any]
) -> dict[tuple[Direction, Direction], Any]:
    """Add the terms c_I a c_J of armatures to A(q): T of (4.1) gains ½ a (c q̇)², and b does not change.

    A sum with an element of the bodies keeps that element's key, (I, J) or (J, I).
    """
    result = dict(matrix)
    directions = {d.coordinate: d for d in tree.free() if d.coordinate}
    for armature in system.armatures:
        along = [(d, armature.coefficients[name]) for name, d in directions.items() if name in armature.coefficients]
        for i, (first, c) in enumerate(along):
            for second, other in along[i:]:
                at = (second, first) if (second, first) in result else (first, second)
                result[at] = add(result.get(at, 0), of(armature.inertia * (c * other)))
    return result


def bias_forces(bodies: Iterable[Moving]) -> dict[Direction, Any]:
    """Compute b = S (W + A Ṡᵀ q̇), (4.2), with the flywheels' S (I ψ'' + J ψ')."""
    return project_wrenches((body.rows, body.inertia.inertial(body.twist, body.bias)) for body in bodies)


def weights(bodies: Iterable[Moving]) -> dict[Direction, Any]:
    """Compute S P, the weight part of S T in (2.3)."""
    return project_wrenches((body.rows, body.inertia.weight(body.g)) for body in bodies)


def sum_applied_forces(system: Aggregates) -> dict[str, Any]:
    """Return S U + u by coordinate, (2.3): generalized forces of forces on bodies, plus efforts along coordinates."""
    model = system.mechanism.system
    acting = loads(model, system.places)
    found = project_wrenches((system.origin[number], wrench) for number, wrench in acting)
    result = {d.coordinate: value for d, value in found.items() if d.coordinate}
    for name, effort in efforts(model, system.arithmetic):
        result[name] = add(result.get(name, 0), effort)
    return result


def project_wrenches(wrenches: Iterable[tuple[Rows, Vector]]) -> dict[Direction, Any]:
    """Return Σ_p s_p^I X_p by direction I, for the directions that are coordinates."""
    result: dict[Direction, Any] = {}
    for rows, wrench in wrenches:
        for d, row in rows.items():
            if d.coordinate:
                result[d] = add(result.get(d, 0), dot(row, wrench))
    return result
