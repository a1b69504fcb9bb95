"""First pass: joint transformations, velocities, and the velocity-dependent accelerations.

V_j = T_j V_i + B_j q̇^e_i + a_j q̇_j ,   V̇_j = T_j V̇_i + B_j q̈^e_i + a_j q̈_j + h_j ,   B_j = Y_j Φ_i(A_j)

V_j = [v_j; ω_j] of the point A_j, V̇_j = [v̇_j; ω̇_j] with the inertial acceleration of A_j, both in the axes of link
j; i is its parent. Y_j transfers the motion of the node to A_j: unlike diag(R, R), it includes the arm between them.

Nodes of elastic links: displacement and rotation of their sections, and the effect of modal rates.

θ = Ψ q^e, R_A = Exp(θ), W_A = J_l(θ) Ψ. The coefficients of Exp and of its Jacobian are series in θ², in numbers and
in expressions: unlike quotients, they are not 0/0 for an undeformed body. Their sixteen terms are exact in floats up to
5 rad, far beyond angles for which modes linear in q^e have a meaning.

If every mode rotates the section about one axis of the link, as in plane bending, θ is an angle about that axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from mbconcord.model.expressions import ZERO, Expression, rate, symbol
from mbconcord.records import dataclass

from .links import Products, most, pad_matrix, place_rows, products_of
from .tree import NULL, Attachment, Link
from .vectors import Array, Scalars, blocks, cross, dot, join_arrays, outer, scale, skew, times, transpose, unit

#: Terms of the series of Exp.
TERMS = 16


@dataclass(frozen=True, slots=True)
class Nodes:
    """The sections at attachments, one after the other along the first axis, in the axes of their links.

    ``position`` r_A, ``turn`` R_A, ``moves`` Φ_A and ``turns`` W_A (3×N), ``shifting`` u̇ = Φ_A q̇^e, ``turning``
    ω_e = W_A q̇^e, ``bending`` Ẇ_A q̇^e, ``drawing`` the acceleration from products of modal rates.
    """

    position: Array
    turn: Array
    moves: Array
    turns: Array
    shifting: Array
    turning: Array
    bending: Array
    drawing: Array


def nodes_of(
    attachments: Sequence[Attachment],
    position: Array,
    moves: Array,
    rotations: Array,
    q: Array,
    v: Array,
    scalars: Scalars,
    products: Products,
) -> Nodes:
    """Compute sections at attachments: r0_A (…, 3), Φ_A (…, 3, N + P), Ψ_A (…, 3, N); links' q^e, q̇^e (…, N)."""
    if not np.shape(q)[-1]:
        still = position * 0
        return Nodes(position, unit(position[..., 0]), moves, rotations, still, still, still, still)
    angle, rate = times(rotations, q), times(rotations, v)
    still = angle * 0
    turn, jacobian, bending = unit(angle[..., 0]), unit(angle[..., 0]), still + 0 * rate
    for axis, members in _kinds(attachments).items():
        at = list(members)
        if axis == "none":
            continue
        if isinstance(axis, int):
            turn[at] = _rotation_about(axis, scalars.sine(angle[at][..., axis]), scalars.cosine(angle[at][..., axis]))
        else:
            turn[at], jacobian[at], bending[at] = _exponential(angle[at], rate[at])
    moved = position + times(moves, products.fields(q))
    drawing = still
    if products.count:
        drawing = times(moves, products.bias(v))
        moves = moves @ products.slopes(q)
    turns = jacobian @ rotations
    return Nodes(moved, turn, moves, turns, times(moves, v), times(turns, v), bending, drawing)


def _kinds(attachments: Sequence[Attachment]) -> dict[Any, list[int]]:
    """Return indices of attachments grouped by the rotation of their sections: about one axis, any axis, or none."""
    found: dict[Any, list[int]] = {}
    for i, attachment in enumerate(attachments):
        rows = attachment.node.rotation if attachment.node else ()
        used = [k for k, row in enumerate(rows) if any(row)]
        kind = "none" if not used else used[0] if len(used) == 1 else "any"
        found.setdefault(kind, []).append(i)
    return found


def _rotation_about(axis: int, sine: Array, cosine: Array) -> Array:
    """Return the rotation matrix about an axis of the link."""
    o = sine * 0
    e = o + 1
    rows = {
        0: [e, o, o, o, cosine, -sine, o, sine, cosine],
        1: [cosine, o, sine, o, e, o, -sine, o, cosine],
        2: [cosine, -sine, o, sine, cosine, o, o, o, e],
    }[axis]
    return np.stack(rows, axis=-1).reshape(*np.shape(sine), 3, 3)


def _exponential(angle: Array, rate: Array) -> tuple[Array, Array, Array]:
    """Compute Exp(θ), J_l(θ), and the part d/dt J_l θ̇ of the section's angular acceleration without θ̈."""
    x = dot(angle, angle)
    hat = skew(angle)
    square = hat @ hat
    c1, c2 = series(x, 2) / 2, series(x, 3) / 6
    d1, d2 = falling(x, 4) / -12, falling(x, 5) / -60
    e = unit(x)
    turn = e + scale(hat, series(x, 1), 2) + scale(square, c1, 2)
    jacobian = e + scale(hat, c1, 2) + scale(square, c2, 2)
    across = cross(angle, rate)
    growth = dot(angle, rate)
    bending = scale(across, d1 * growth) + scale(cross(angle, across), d2 * growth) + scale(cross(rate, across), c2)
    return turn, jacobian, bending


def series(x: Array, first: int) -> Array:
    """Sum Σ (-x)^k first!/(first + 2k)!: sin θ/θ, 2 (1 - cos θ)/θ², 6 (θ - sin θ)/θ³ for first = 1, 2, 3, x = θ²."""
    value = 1 + x * 0
    for k in range(TERMS, 0, -1):
        value = 1 - x / ((first + 2 * k - 1) * (first + 2 * k)) * value
    return value


def falling(x: Array, first: int) -> Array:
    """Sum Σ (k + 1) (-x)^k first!/(first + 2k)!; derivatives of :func:`series` are multiples of it."""
    value = 1 + x * 0
    for k in range(TERMS, 0, -1):
        value = 1 - x * (k + 1) / (k * (first + 2 * k - 1) * (first + 2 * k)) * value
    return value


@dataclass(frozen=True, slots=True)
class Joints:
    """Constants of joints, by link: R_f, p_f, e, a = [σ e; (1-σ) e] and σ; and of the nodes of all attachments."""

    turn: Array
    shift: Array
    axis: Array
    screw: Array
    slides: Array
    position: Array
    moves: Array
    rotations: Array
    products: Products


def joints_of(links: Sequence[Link], attachments: Sequence[Attachment], scalars: Scalars) -> Joints:
    """Evaluate the constants of joints and attachments in the given arithmetic."""
    n, products = most(links), products_of(links)
    nodes = [a.node for a in attachments]
    screws = [(*link.axis, *NULL) if link.sliding else (*NULL, *link.axis) for link in links]
    return Joints(
        scalars.table([[x for row in link.turn for x in row] for link in links], 3, 3),
        scalars.table([link.shift for link in links], 3),
        scalars.table([link.axis for link in links], 3),
        scalars.table(screws, 6),
        np.array([int(link.sliding) for link in links]),
        scalars.table([node.position if node else NULL for node in nodes], 3),
        scalars.table([_displacements(links, a, n, products.count) for a in attachments], 3, n + products.count),
        scalars.table([pad_matrix(node.rotation if node else (), 3, n) for node in nodes], 3, n),
        products.take_rows(np.array([a.link for a in attachments], dtype=int)),
    )


def _displacements(links: Sequence[Link], at: Attachment, n: int, count: int) -> list[Expression]:
    """Return Φ of an attachment, flat, with zero columns up to n modes and ``count`` products."""
    if at.node is None:
        return pad_matrix((), 3, n + count)
    own = len(links[at.link].names)
    rows = [place_rows(row, own, n, count, ZERO) for row in at.node.translation]
    return pad_matrix(rows, 3, n + count)


class Kinematics:
    """The first pass over the links of a tree.

    ``attachments`` are those of the joints, in the order of the links, and after them those of forces.
    """

    def __init__(
        self, links: Sequence[Link], attachments: Sequence[Attachment], joints: Joints, scalars: Scalars
    ) -> None:
        self.links, self.attachments, self.joints, self.scalars = links, attachments, joints, scalars
        self.parents = np.array([link.at.link for link in links], dtype=int)
        self.modes = most(links)
        self.amount = scalars.table([[link.amount] for link in links])
        self.rate = scalars.table([[link.rate] for link in links])
        self.q, self.v, self.a = (self._modal(order) for order in range(3))

    def _modal(self, order: int) -> Array:
        """Return q^e, its rates or its accelerations, by link: (links, …, N)."""
        made = [[*(symbol(n) if not order else rate(n, order) for n in link.names)] for link in self.links]
        rows = [[*row, *[ZERO] * (self.modes - len(row))] for row in made]
        return self.scalars.table(rows, self.modes)

    @cached_property
    def nodes(self) -> Nodes:
        """Sections at the attachments."""
        of = np.array([a.link for a in self.attachments], dtype=int)
        j = self.joints
        q, v = (_take_parent_rows(x, of) for x in (self.q, self.v))
        return nodes_of(self.attachments, j.position, j.moves, j.rotations, q, v, self.scalars, j.products)

    @cached_property
    def _section(self) -> Nodes:
        """Return the sections at the joints alone, without those at forces."""
        x, n = self.nodes, len(self.links)
        return Nodes(*(getattr(x, name)[:n] for name in Nodes.__dataclass_fields__))

    @cached_property
    def _fixed_rotation(self) -> Array:
        """Rotation R_A R_f from the joint's axes at rest to the parent's axes."""
        return self._section.turn @ self.joints.turn

    @cached_property
    def turn(self) -> Array:
        """Rotation ⁱR_j, whose columns are the axes of link j in the axes of its parent."""
        angle = _mask_by_kind(self.amount, self.joints.slides, 0)
        sine, cosine = self.scalars.sine(angle), self.scalars.cosine(angle)
        e = self.joints.axis
        own = scale(unit(cosine), cosine, 2) + scale(outer(e, e), 1 - cosine, 2) + scale(skew(e), sine, 2)
        return self._fixed_rotation @ own

    @cached_property
    def arm(self) -> Array:
        """Vector D_j from the node to A_j, in the parent's axes."""
        slide = scale(self.joints.axis, _mask_by_kind(self.amount, self.joints.slides, 1))
        return times(self._section.turn, self.joints.shift) + times(self._fixed_rotation, slide)

    @cached_property
    def offset(self) -> Array:
        """Vector from the origin of the parent to A_j, in the parent's axes."""
        return self._section.position + self.arm

    @cached_property
    def across(self) -> Array:
        """Matrix T_j (6×6), which takes the motion of the parent's frame to A_j."""
        return self._carrying(self.offset)

    def transmit_wrench(self, j: int, F: Array) -> Array:
        """Return T_jᵀ F = [R f; R m + (A_j - A_i) × R f]: the wrench of link j on its parent, in the parent's axes."""
        turn = self.turn[j]
        force = times(turn, F[..., :3])
        return join_arrays([force, times(turn, F[..., 3:]) + cross(self.offset[j], force)], -1)

    @cached_property
    def bends(self) -> Array:
        """B_j = Y_j Φ_i(A_j) (6×N)."""
        x = self._section
        return self._carrying(self.arm) @ join_arrays([x.moves, x.turns], -2)

    def _carrying(self, arm: Array) -> Array:
        back = transpose(self.turn)
        return blocks(back, -(back @ skew(arm)), 0 * back, back)

    @cached_property
    def velocities(self) -> list[Array]:
        """V_j of every link."""
        found: list[Array] = []
        own = scale(self.joints.screw, self.rate)
        for j, link in enumerate(self.links):
            i = link.at.link
            V = own[j]
            if i >= 0:
                V = V + times(self.across[j], found[i])
                if n := len(self.links[i].names):
                    V = V + times(self.bends[j][..., :n], self.v[i][..., :n])
            found.append(V)
        return found

    @cached_property
    def spin(self) -> Array:
        """ω_j, (links, …, 3)."""
        if not self.links:
            return np.zeros((0, 3), dtype=object)
        return np.stack(np.broadcast_arrays(*(V[..., 3:] for V in self.velocities)))

    @cached_property
    def bias(self) -> Array:
        """h_j, the part of V̇_j due to velocities: (links, …, 6)."""
        x, D = self._section, self.arm
        spin = _take_parent_rows(self.spin, self.parents)
        whole = spin + x.turning
        eta = cross(spin, x.turning) + x.bending
        sweep = scale(cross(whole, times(self._fixed_rotation, self.joints.axis)), self.rate)
        slides = self.joints.slides
        linear = (
            cross(spin, cross(spin, x.position))
            + 2 * cross(spin, x.shifting)
            + x.drawing
            + cross(eta, D)
            + cross(whole, cross(whole, D))
            + 2 * _mask_by_kind(sweep, slides, 1)
        )
        angular = eta + _mask_by_kind(sweep, slides, 0)
        back = transpose(self.turn)
        return join_arrays([times(back, linear), times(back, angular)], -1)


def at_rest(k: Kinematics) -> Kinematics:
    """Return the same positions without velocities: h_j = 0."""
    still = copy(k)
    still.bias = 0 * k.bias
    return still


def _take_parent_rows(values: Array, of: Array) -> Array:
    """Return the rows of a table for the links ``of``; zeros for attachments to the base (-1)."""
    return np.concatenate([values, 0 * values[:1]])[of]


def _mask_by_kind(values: Array, slides: Array, kind: int) -> Array:
    """Select the rows of the links that slide (1) or do not (0); zeros for the others."""
    return values * (slides == kind).astype(int).reshape(-1, *[1] * (values.ndim - 1))
