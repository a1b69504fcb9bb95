"""Conversion of Konoplev's equations to the canonical ones: M = A(q), h = b, weight and the rest of Q, in the model's
order.

Deep trees: the recursion (2.4) from the tips to the base, and summed aggregates of all bodies that a pair carries.

Twists, and their rates at q̈ = 0, are computed outward from pair to pair, (1.3), (3.1), (3.4)::

    V_p = L_pᵀ V_parent + M_p f ṙ ,
    V̇_p = L_pᵀ V̇_parent + Φ(V_p^{parent,p})ᵀ L_pᵀ V_parent + Ṁ_p f ṙ + M_p f r̈ ,

and wrenches inward, (2.4): ``X_p^+ = X_p + Σ L_c X_c^+`` over the links that p carries; ``f_αᵀ M_pᵀ X_p^+`` is the
element of S X of (4.2) in the row p-α. As ``s_p^I = s_j^I L_p^j`` for every body p beyond j, (4.3) is::

    A_J^I = s_j^I A_j^+ (s_j^J)ᵀ ,    A_j^+ = A_j + Σ L_c A_c^+ L_cᵀ ,

and ``s_j^I = f_αᵀ M_iᵀ L_j^i`` carries the wrench ``A_j^+ (s_j^J)ᵀ`` inward from link to link, all in frames of links.
The number of operations is proportional to that of elements for A(q), to that of bodies for b and the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import as_expression

from .aggregates import Aggregates, bias_forces, mass_matrix, sum_applied_forces, weights, with_armatures
from .body import Aggregate
from .structure import Direction, Tree
from .vectors import REST, Matrix, Vector, congruent, dot, plus, rate_row, sum_matrices, times, to_column_axes

#: Coordinates that move one link from which on sums are gathered: more than in any chain that the paper counts.
DEEP = 9

#: V, and V̇ where q̈ = 0, of a link's frame.
Motion = tuple[Vector, Vector]


def deep(tree: Tree) -> bool:
    """Return True if enough coordinates move one link to make gathering sums worthwhile."""
    depth = {0: 0}
    for number, link in tree.links.items():
        depth[number] = depth[link.parent] + sum(1 for d in tree.directions[number] if d.coordinate)
    return max(depth.values()) >= DEEP


def motions(tree: Tree) -> dict[int, Motion]:
    """Return (V, V̇ at q̈ = 0) of the links' frames, by link."""
    found: dict[int, Motion] = {0: (REST, REST)}
    for number, link in tree.links.items():
        own, directions = tree.matrices[number], tree.directions[number]
        twist, bias = map(own.transfer.twist, found[link.parent])
        relative = plus(REST, *(times(d.rate, own.rows[d.alpha]) for d in directions))
        rates = (times(d.rate, own.row_rates[d.alpha]) for d in directions)
        known = (times(d.bias, own.rows[d.alpha]) for d in directions)
        found[number] = plus(twist, relative), plus(bias, rate_row(twist, relative), *rates, *known)
    return found


def gather_bias_forces(tree: Tree, inertias: Mapping[int, Aggregate]) -> dict[Direction, Any]:
    """Compute b = S (W + A Ṡᵀ q̇), (4.2), plus S (I ψ'' + J ψ') of flywheels, by the recursion (2.4)."""
    moving = motions(tree)
    return project_gathered_wrenches(
        tree, inertias, lambda number, inertia: inertia.inertial(*_move_to_seat(inertia, moving[number]))
    )


def gather_weights(tree: Tree, inertias: Mapping[int, Aggregate], fall: Mapping[int, Vector]) -> dict[Direction, Any]:
    """Compute S P, the weight part of S T in (2.3), by (2.4); ``fall`` is gravity in the axes of the links."""

    def weight(number: int, inertia: Aggregate) -> Vector:
        g = fall[number]
        return inertia.weight(to_column_axes(g, inertia.seat.c) if inertia.seat else g)

    return project_gathered_wrenches(tree, inertias, weight)


def project_gathered_wrenches(
    tree: Tree, inertias: Mapping[int, Aggregate], acting: Callable[[int, Aggregate], Vector]
) -> dict[Direction, Any]:
    """Compute S X by (2.4); ``acting`` returns the wrench X on an aggregate, in the aggregate's frame."""
    whole = dict.fromkeys(tree.links, REST)
    for number, inertia in inertias.items():
        wrench = acting(number, inertia)
        whole[number] = inertia.seat.wrench(wrench) if inertia.seat else wrench
    found: dict[Direction, Any] = {}
    for number in reversed([*tree.links]):
        own, parent = tree.matrices[number], tree.links[number].parent
        found |= {d: dot(own.rows[d.alpha], whole[number]) for d in tree.directions[number] if d.coordinate}
        if parent:
            whole[parent] = plus(whole[parent], own.transfer.wrench(whole[number]))
    return found


def gather_mass_matrix(tree: Tree, inertias: Mapping[int, Aggregate]) -> dict[tuple[Direction, Direction], Any]:
    """Compute A(q) by (4.3) from summed aggregates; keys are (I, J) with I not after J."""
    parts: dict[int, list[Matrix]] = {number: [] for number in (0, *tree.links)}
    for number, inertia in inertias.items():
        parts[number].append(congruent(inertia.seat, inertia.matrix) if inertia.seat else inertia.matrix)
    result: dict[tuple[Direction, Direction], Any] = {}
    for number in reversed([*tree.links]):
        if not parts[number]:  # nothing but massless bodies beyond
            continue
        whole, link = sum_matrices(*parts.pop(number)), tree.links[number]
        if link.parent:
            parts[link.parent].append(congruent(tree.matrices[number].transfer, whole))
        own = _free(tree, number)
        for i, (second, row) in enumerate(own):
            wrench = to_column_axes(row, whole)
            for first, other in own[: i + 1]:
                result[first, second] = dot(other, wrench)
            for first, share in _inwards(tree, number, wrench):
                result[first, second] = share
    return result


def _inwards(tree: Tree, number: int, wrench: Vector) -> Iterator[tuple[Direction, Any]]:
    """Yield f_αᵀ M_iᵀ L_j^i X for all directions i-α of links that carry link j, X a wrench about the origin of j."""
    while parent := tree.links[number].parent:
        wrench = tree.matrices[number].transfer.wrench(wrench)
        number = parent
        yield from ((d, dot(row, wrench)) for d, row in _free(tree, number))


def _free(tree: Tree, number: int) -> list[tuple[Direction, Vector]]:
    """List (direction, row f_αᵀ M_iᵀ) for directions of a link's own pair that are coordinates."""
    rows = tree.matrices[number].rows
    return [(d, rows[d.alpha]) for d in tree.directions[number] if d.coordinate]


def _move_to_seat(inertia: Aggregate, motion: Motion) -> Motion:
    """Transfer twist and rate of a link's frame to the frame of its aggregate."""
    if inertia.seat is None:
        return motion
    twist, bias = map(inertia.seat.twist, motion)
    return twist, bias


def compute_canonical(system: Aggregates) -> dict[str, Any]:
    """Compute M (rows), h, gravity and applied in the order of the model's coordinates."""
    model, tree, inertias = system.mechanism.system, system.tree, system.inertias
    names, acting = model.coordinate_names, sum_applied_forces(system)
    if deep(tree):
        own = gather_mass_matrix(tree, inertias)
        b, weight = gather_bias_forces(tree, inertias), gather_weights(tree, inertias, system.fall)
    else:
        own = mass_matrix((body.z, body.rows) for body in system.bodies)
        b, weight = bias_forces(system.bodies), weights(system.bodies)
    A = with_armatures(own, model, tree, system.arithmetic.to_scalar)
    return {
        "M": square(A, names),
        "h": column(b, names),
        "gravity": column(weight, names),
        "applied": tuple(acting.get(name, 0) for name in names),
    }


def square(found: Mapping[tuple[Direction, Direction], Any], names: Sequence[str]) -> Matrix:
    """Complete a symmetric matrix from the elements on one side of its diagonal."""
    by_name = {(a.coordinate, b.coordinate): x for (a, b), x in found.items()}
    by_name |= {(b, a): x for (a, b), x in by_name.items()}
    return tuple(tuple(by_name.get((a, b), 0) for b in names) for a in names)


def column(found: Mapping[Direction, Any], names: Sequence[str]) -> Vector:
    """Arrange values into a vector in the order of the coordinate names."""
    by_name = {d.coordinate: x for d, x in found.items()}
    return tuple(by_name.get(name, 0) for name in names)


def nodes(value: Any) -> Nested:
    """Convert nested tuples of scalars to expressions: a structural zero becomes the node ZERO."""
    return tuple(map(nodes, value)) if isinstance(value, tuple) else as_expression(value)


def arrays(value: Any, count: int) -> NDArray[np.float64]:
    """Convert nested tuples of scalars to an array (N, …) over the states."""
    if isinstance(value, tuple):
        items = [arrays(item, count) for item in value]
        return np.stack(items, axis=1) if items else np.zeros((count, 0))
    return np.broadcast_to(np.asarray(value, dtype=float), (count,))


def canonical_arrays(system: Aggregates, count: int) -> dict[str, NDArray[np.float64]]:
    """Evaluate the canonical quantities of a numeric system over N states: M (N, n, n), the others (N, n)."""
    n = len(system.mechanism.system.coordinates)
    return {
        name: arrays(value, count).reshape((count, n, n) if name == "M" else (count, n))
        for name, value in compute_canonical(system).items()
    }
