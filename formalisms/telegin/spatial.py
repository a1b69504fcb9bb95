"""Trees of revolute and prismatic joints in space: sweeps in time linear in the links.

The vector form of Telegin & Kaygorodtsev 2010 (their proof of (1)), extended to prismatic joints. Vectors of link k
are in its own axes; :attr:`Link.rotation` takes them to those of its base b. Outward::

    ω = ω_b + n q' ,  ε = ε_b + n q'' + q' ω_b×n    (revolute; a prismatic joint adds nothing)
    a_O = a_Ob + U_b R + u ,  U = ε× + ω×ω×
    u = n q'' + 2 q' ω_b×n                          (prismatic; 0 for a revolute joint)

inward, with the first moment s and the tensor J of the extended body::

    P = U s + Σ (P_j + m_j u_j)                                                        ( = m̄'' )
    N = s×(a_O - g) + J ε + ω×J ω - M_r + Σ [N_j + R_j×(P_j + m_j u_j - F_j)]
    M = n·N (revolute) ;  n·(m (a_O - g) + P - F) (prismatic)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from mbconcord.model.expressions import ONE, TWO, Expression
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .loads import Load, Places
from .tree import GROUND, Augmented, Link, Tree, augment_links
from .vectors import (
    NULL,
    E,
    Matrix,
    add_tensors,
    apply,
    back,
    cross,
    dot,
    dyad,
    minus,
    plus,
    product,
    scale_tensor,
    skew,
    times,
    total,
    transpose,
)  # fmt: skip


@dataclass(frozen=True)
class Motion:
    """Motion of a link in its axes: ω, ε, acceleration ``a`` of the pole, and u, the part of ``a`` due to sliding."""

    omega: Vector
    epsilon: Vector
    a: Vector
    u: Vector = NULL

    @cached_property
    def U(self) -> Matrix:
        """ε× + ω×ω×: accelerations of the link's points relative to the pole."""
        turning = skew(self.omega)
        return add_tensors(skew(self.epsilon), product(turning, turning))


@dataclass(frozen=True)
class Sweep:
    """An inward sweep, by link: second derivatives P of static moments, joint moments N, drives M, carried loads F."""

    P: Mapping[int, Vector]
    N: Mapping[int, Vector]
    M: Mapping[int, Expression]
    F: Mapping[int, Vector]


def propagate_motion(link: Link, base: Motion, acceleration: Expression) -> Motion:
    """Compute a link's motion from that of its base and of its joint: the outward sweep at one link."""
    a = plus(base.a, apply(base.U, link.R))
    if link.turns:
        turned = back(link.rotation, base.omega)
        omega = plus(turned, times(link.rate, link.axis))
        own = plus(times(acceleration, link.axis), times(link.rate, cross(turned, link.axis)))
        epsilon = plus(back(link.rotation, base.epsilon), own)
        return Motion(omega, epsilon, back(link.rotation, a))
    n, C = link.direction, link.setting
    u = plus(times(acceleration, n), times(TWO * link.rate, cross(base.omega, n)))
    return Motion(back(C, base.omega), back(C, base.epsilon), back(C, plus(a, u)), u)


def compute_inertial_wrench(body: Augmented, motion: Motion) -> tuple[Vector, Vector]:
    """Return U s and s×(a_O - g) + J ε + ω×J ω: P and N of a link that carries nothing and has no loads."""
    gyroscopic = cross(motion.omega, apply(body.J, motion.omega))
    turning = plus(cross(body.s, motion.a), plus(apply(body.J, motion.epsilon), gyroscopic))
    return apply(motion.U, body.s), turning


def transmit_wrench(
    child: Link, m: Expression, u: Vector, P: Vector, F: Vector, N: Vector
) -> tuple[Vector, Vector, Vector]:
    """Return P_j + m_j u_j, F_j and N_j + R_j×(P_j + m_j u_j - F_j) of a child in the axes of its base."""
    force = apply(child.rotation, F)
    p = plus(apply(child.rotation, P), times(m, u))
    return p, force, plus(apply(child.rotation, N), cross(child.R, minus(p, force)))


def driven(link: Link, body: Augmented, motion: Motion, P: Vector, F: Vector, N: Vector) -> Expression:
    """Return M of a link: the effort of its joint along its axis."""
    if link.turns:
        return dot(link.axis, N)
    return dot(link.axis, minus(plus(times(body.m, motion.a), P), F))


class Spatial:
    """Equations of motion of a tree of links."""

    def __init__(self, tree: Tree, gravity: Vector) -> None:
        self.tree = tree
        self.gravity = gravity
        self.bodies: Mapping[int, Augmented] = augment_links(tree)

    @cached_property
    def g(self) -> Mapping[int, Vector]:
        """Acceleration of gravity in the axes of each link."""
        found = {GROUND: self.gravity}
        for k, link in self.tree.links.items():
            found[k] = back(link.rotation, found[link.base])
        return found

    @cached_property
    def static_moments(self) -> Mapping[int, Vector]:
        """m̄_k = s_k + Σ m̄_j: first moment of the subtree about its pole (1), link axes."""
        found: dict[int, Vector] = {}
        for k in self.tree.inward:
            carried = (apply(self.tree.links[j].rotation, found[j]) for j in self.tree.children[k])
            found[k] = plus(self.bodies[k].s, total(carried))
        return found

    @cached_property
    def gravity_forces(self) -> Mapping[int, Expression]:
        """Q = n·(m̄×g) of a revolute joint, m n·g of a prismatic one."""
        return {
            k: dot(link.axis, cross(self.static_moments[k], self.g[k]))
            if link.turns
            else self.bodies[k].m * dot(link.axis, self.g[k])
            for k, link in self.tree.links.items()
        }

    def motions(self, accelerations: Mapping[int, Expression], ground: Vector = NULL) -> Mapping[int, Motion]:
        """Run the outward sweep; ``ground`` is the acceleration of the fixed axes (-g adds the weight)."""
        found = {GROUND: Motion(NULL, NULL, ground)}
        for k, link in self.tree.links.items():
            found[k] = propagate_motion(link, found[link.base], accelerations[k])
        return found

    def sweep(self, motions: Mapping[int, Motion], loads: Mapping[int, tuple[Vector, Vector]]) -> Sweep:
        """Run the inward sweep; ``loads`` are F_r and M_r about the pole of each loaded link, link axes."""
        P: dict[int, Vector] = {}
        N: dict[int, Vector] = {}
        F: dict[int, Vector] = {}
        M: dict[int, Expression] = {}
        for k in self.tree.inward:
            link, body, motion = self.tree.links[k], self.bodies[k], motions[k]
            F[k], moment = loads.get(k, (NULL, NULL))
            P[k], N[k] = compute_inertial_wrench(body, motion)
            N[k] = minus(N[k], moment)
            for j in self.tree.children[k]:
                child = self.tree.links[j]
                p, force, turning = transmit_wrench(child, self.bodies[j].m, motions[j].u, P[j], F[j], N[j])
                P[k], F[k], N[k] = plus(P[k], p), plus(F[k], force), plus(N[k], turning)
            M[k] = driven(link, body, motion, P[k], F[k], N[k])
        return Sweep(P, N, M, F)

    def loads(self, external: Sequence[Load], places: Places) -> Mapping[int, tuple[Vector, Vector]]:
        """Return principal vectors F_r and moments M_r of the loads on each link, link axes."""
        found: dict[int, tuple[Vector, Vector]] = {}
        for load in external:
            force = back(places[load.link].A, load.force)
            moment = plus(load.couple, cross(load.arm, force))
            F, M = found.get(load.link, (NULL, NULL))
            found[load.link] = (plus(F, force), plus(M, moment))
        return found

    def project_loads(self, loads: Mapping[int, tuple[Vector, Vector]]) -> Mapping[int, Expression]:
        """Compute generalized forces of the loads: the terms of M_r and F in the sweep, with opposite signs."""
        F: dict[int, Vector] = {}
        N: dict[int, Vector] = {}
        for k in self.tree.inward:
            F[k], N[k] = loads.get(k, (NULL, NULL))
            for j in self.tree.children[k]:
                child = self.tree.links[j]
                force = apply(child.rotation, F[j])
                F[k] = plus(F[k], force)
                N[k] = plus(N[k], plus(apply(child.rotation, N[j]), cross(child.R, force)))
        links = self.tree.links
        return {k: dot(link.axis, N[k] if link.turns else F[k]) for k, link in links.items()}

    @cached_property
    def subtree_tensors(self) -> Mapping[int, Matrix]:
        """Î_k = J_k + Σ [Î_j + 2 (R_j·m̄_j) E - R_j m̄_jᵀ - m̄_j R_jᵀ], link axes; eq. (17) when planar."""
        found: dict[int, Matrix] = {}
        for k in self.tree.inward:
            found[k] = self.bodies[k].J
            for j in self.tree.children[k]:
                child = self.tree.links[j]
                m, A = apply(child.rotation, self.static_moments[j]), child.rotation
                turned = product(product(A, found[j]), transpose(A))
                mixed = add_tensors(dyad(child.R, m), dyad(m, child.R))
                moved = add_tensors(scale_tensor(TWO * dot(child.R, m), E), scale_tensor(-ONE, mixed))
                found[k] = add_tensors(found[k], add_tensors(turned, moved))
        return found

    def mass_column(self, k: int) -> Mapping[int, Expression]:
        """Compute H_ki of link k with itself and every link i that carries it; eqs. (17)-(18) when planar.

        A unit rate of joint k gives its subtree the momentum p and the angular momentum L about O_k:
        n×m̄ and Î n of a revolute joint, m n and m̄×n of a prismatic one. H_ki = n_i·L about O_i, or n_i·p.
        """
        link = self.tree.links[k]
        n, m = link.axis, self.static_moments[k]
        if link.turns:
            p, L = cross(n, m), apply(self.subtree_tensors[k], n)
        else:
            p, L = times(self.bodies[k].m, n), cross(m, n)
        found: dict[int, Expression] = {}
        i = k
        while i != GROUND:
            link = self.tree.links[i]
            found[i] = dot(link.axis, L if link.turns else p)
            p, L = apply(link.rotation, p), apply(link.rotation, L)
            L = plus(L, cross(link.R, p))
            i = link.base
        return found
