"""A planar linkage: augmented bodies, absolute angles, and the quantities in its forms.

Notation of Telegin & Kaygorodtsev 2010, section 1: link k with its base k-1, ω and ε of the absolute angle θ (the
paper's α), J^c_ji = m_dj R_i cos α_ij and J^s_ji = m_dj R_i sin α_ij with the angle from e_i to i_j.

Topology of the tree: bases, carrying chains, carried links; k-1 in the paper is the base of k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

from mbconcord.model.expressions import TWO, ZERO, Expression, apply, cos, sin, sqrt
from mbconcord.records import dataclass

from .plane import Pair, cross, dot, plus, rotate, scalars, vectors

GROUND = 0


class Topology:
    """A forest of links 1…N in which a base has a smaller number than what it carries; 0 is the ground."""

    def __init__(self, base: Mapping[int, int]) -> None:
        #: base(k), written k-1 in the paper.
        self.base = dict(base)
        self.links = tuple(self.base)

    @cached_property
    def inward(self) -> tuple[int, ...]:
        """Links N…1, each before its base."""
        return self.links[::-1]

    @cached_property
    def children(self) -> Mapping[int, tuple[int, ...]]:
        """ch(k): the links adjacent to k that it carries."""
        return {k: tuple(j for j in self.links if self.base[j] == k) for k in (GROUND, *self.links)}

    @cached_property
    def chain(self) -> Mapping[int, tuple[int, ...]]:
        """The carrying chain of k, from its root to k."""
        found: dict[int, tuple[int, ...]] = {GROUND: ()}
        for k in self.links:
            found[k] = (*found[self.base[k]], k)
        return found

    @cached_property
    def sub(self) -> Mapping[int, tuple[int, ...]]:
        """Link k and all it carries, in order of numbers."""
        return {k: tuple(i for i in self.links if k in self.chain[i]) for k in self.links}

    def carriers(self, k: int) -> tuple[int, ...]:
        """Return the carrying chain of k without k."""
        return self.chain[k][:-1]

    def find_descendants(self, k: int) -> tuple[int, ...]:
        """Return the links that k carries, without k."""
        return self.sub[k][1:]

    def path(self, k: int, i: int) -> tuple[int, ...]:
        """List the links strictly after k up to i, for k in the chain of i (or the ground); empty for i = k."""
        chain = self.chain[i]
        return chain[chain.index(k) + 1 :] if k != GROUND else chain

    def next_link(self, i: int, k: int) -> int:
        """Return the link that follows i on the way to k: the paper's i+1."""
        return self.path(i, k)[0]

    def walk_inward(self, k: int) -> Iterable[int]:
        """Yield k, base(k), … while there is a link below: the indices i of (10), (12) and (18)."""
        return (i for i in reversed(self.chain[k]) if self.base[i] != GROUND)


Leaves = Literal["components", "angles"]
LEAVES: tuple[Leaves, ...] = ("components", "angles")

#: A coefficient by its two indices, in the paper's order.
Coefficients = dict[tuple[int, int], Expression]


@dataclass(frozen=True)
class PlanarBody:
    """The augmented body of a link (ДТ).

    Attributes
    ----------
    m : mass of the link and of all it carries
    s : m_d i, first moment about the pole O, axes of the link
    J : moment of inertia about O, eq. (5)
    r : R e = O_base O, axes of the base
    """

    m: Expression
    s: Pair
    J: Expression
    r: Pair


@dataclass(frozen=True)
class PlanarMotion:
    """Angles and their rates by link: absolute θ, ω, ε, and relative q', q''."""

    theta: Mapping[int, Expression]
    omega: Mapping[int, Expression]
    epsilon: Mapping[int, Expression]
    rate: Mapping[int, Expression]
    acceleration: Mapping[int, Expression]

    @classmethod
    def relative(
        cls,
        topology: Topology,
        q: Mapping[int, Expression],
        rate: Mapping[int, Expression],
        acceleration: Mapping[int, Expression],
    ) -> PlanarMotion:
        """Sum θ_k = θ_base + q_k, and the same for ω and ε."""
        sums: list[dict[int, Expression]] = []
        for own in (q, rate, acceleration):
            found = {GROUND: ZERO}
            for k in topology.links:
                found[k] = found[topology.base[k]] + own[k]
            sums.append(found)
        theta, omega, epsilon = sums
        return cls(theta, omega, epsilon, rate, acceleration)


@dataclass(frozen=True)
class PlanarLoad:
    """A force F_r (fixed axes) at the point P of a link, p = O P in the axes of the link, a couple M_o."""

    link: int
    p: Pair
    force: Pair
    couple: Expression = ZERO


@dataclass(frozen=True)
class Linkage:
    """Augmented bodies in motion under gravity g and loads.

    ``leaves``: how J^c, J^s and G are computed, as products of components (two trigonometric functions a
    link) or literally, with a cosine and a sine of the angle α of every pair.
    """

    topology: Topology
    bodies: Mapping[int, PlanarBody]
    motion: PlanarMotion
    g: Pair
    loads: Sequence[PlanarLoad] = ()
    leaves: Leaves = "components"

    def to_fixed_axes(self, k: int, a: Pair) -> Pair:
        """Express a vector of link k (0: of the ground) in fixed axes."""
        if k == GROUND:
            return a
        return rotate(a, cos(self.motion.theta[k]), sin(self.motion.theta[k]))

    @cached_property
    def s(self) -> Mapping[int, Pair]:
        """m_dk i_k in fixed axes."""
        return {k: self.to_fixed_axes(k, body.s) for k, body in self.bodies.items()}

    @cached_property
    def static_moments(self) -> Mapping[int, Pair]:
        """m_ck = Σ m_dj i_j: first moment of k and what it carries about O_k, fixed axes."""
        found: dict[int, Pair] = {}
        for k in self.topology.inward:
            found[k] = plus(self.s[k], vectors(found[j] for j in self.topology.children[k]))
        return {k: found[k] for k in self.topology.links}

    @cached_property
    def R(self) -> Mapping[int, Pair]:
        """R_k e_k = O_base O_k in fixed axes."""
        return {k: self.to_fixed_axes(self.topology.base[k], body.r) for k, body in self.bodies.items()}

    def vector_between(self, k: int, i: int) -> Pair:
        """Return O_k O_i in fixed axes, for k in the chain of i."""
        return vectors(self.R[m] for m in self.topology.path(k, i))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Index pairs (j, i) of J_ji: body j, and a joint i of its chain that is carried by a link."""
        t = self.topology
        return tuple((j, i) for j in t.links for i in t.chain[j] if t.base[i] != GROUND)

    @cached_property
    def alpha(self) -> Coefficients:
        """α_ij = φ_j - ψ_i under (j, i), with φ_j = θ_j + δ_j and ψ_i = θ_base(i) + γ_i: from e_i to i_j."""
        theta, base = self.motion.theta, self.topology.base
        return {
            (j, i): theta[j] + polar(self.bodies[j].s)[1] - (theta[base[i]] + polar(self.bodies[i].r)[1])
            for j, i in self.pairs
        }

    @cached_property
    def Jc(self) -> Coefficients:
        """J^c_ji = m_dj R_i cos α_ij = R_i e_i · m_dj i_j."""
        if self.leaves == "components":
            return {(j, i): dot(self.R[i], self.s[j]) for j, i in self.pairs}
        return {pair: self._radii(*pair) * cos(self.alpha[pair]) for pair in self.pairs}

    @cached_property
    def Js(self) -> Coefficients:
        """J^s_ji = m_dj R_i sin α_ij = R_i e_i × m_dj i_j."""
        if self.leaves == "components":
            return {(j, i): cross(self.R[i], self.s[j]) for j, i in self.pairs}
        return {pair: self._radii(*pair) * sin(self.alpha[pair]) for pair in self.pairs}

    def _radii(self, j: int, i: int) -> Expression:
        return polar(self.bodies[j].s)[0] * polar(self.bodies[i].r)[0]

    @cached_property
    def G(self) -> Mapping[int, Expression]:
        """G_k = m_dk g·j_k = k·(m_dk i_k × g).

        From components (m_d i × g) cos θ - (m_d i · g) sin θ with i and g as they are at θ = 0.
        """
        theta = self.motion.theta
        if self.leaves == "components":
            return {
                k: cross(body.s, self.g) * cos(theta[k]) - dot(body.s, self.g) * sin(theta[k])
                for k, body in self.bodies.items()
            }
        found = {}
        for k, body in self.bodies.items():
            md, delta = polar(body.s)
            phi = theta[k] + delta
            found[k] = md * self.g[1] * cos(phi) - md * self.g[0] * sin(phi)
        return found

    @cached_property
    def G0(self) -> Mapping[int, Expression]:
        """G_0k = G_k + Σ G_0j over the adjacent links (7)."""
        return self.inward(self.G)

    def inward(self, values: Mapping[int, Expression]) -> dict[int, Expression]:
        """Sum x_k over the adjacent links, from N to 1: the product with S⁻¹ of (23)."""
        found: dict[int, Expression] = {}
        for k in self.topology.inward:
            found[k] = values[k] + scalars(found[j] for j in self.topology.children[k])
        return {k: found[k] for k in self.topology.links}

    @cached_property
    def square(self) -> Mapping[int, Expression]:
        """ω_k²."""
        return {k: self.motion.omega[k] * self.motion.omega[k] for k in self.topology.links}

    @cached_property
    def u(self) -> Mapping[int, Expression]:
        """u_k = q'_k (q'_k + 2 ω_base) = ω_k² - ω_base²."""
        m, base = self.motion, self.topology.base
        return {k: m.rate[k] * (m.rate[k] + TWO * m.omega[base[k]]) for k in self.topology.links}

    @cached_property
    def force(self) -> Mapping[int, Pair]:
        """F_r: principal vector of the loads on link k, fixed axes."""
        return {k: vectors(load.force for load in self.loads if load.link == k) for k in self.topology.links}

    @cached_property
    def moment(self) -> Mapping[int, Expression]:
        """M_r = M_o + p × F_r: moment of the loads on link k about O_k."""
        return {
            k: scalars(
                load.couple + cross(self.to_fixed_axes(k, load.p), load.force) for load in self.loads if load.link == k
            )
            for k in self.topology.links
        }

    @cached_property
    def M_sum(self) -> Mapping[int, Expression]:
        """MΣ_k = Σ (M_ri + O_k O_i × F_ri) over k and what it carries (2): the M_rk of (1), (6), (13)."""
        return {
            k: scalars(self.moment[i] + cross(self.vector_between(k, i), self.force[i]) for i in self.topology.sub[k])
            for k in self.topology.links
        }

    @cached_property
    def M_difference(self) -> Mapping[int, Expression]:
        """MΔ_k = M_rk + Σ R_j e_j × Σ F_ri (25): the M_rk of (20) and (24). Equals MΣ_k - Σ MΣ_j."""
        carried: dict[int, Pair] = {}
        found: dict[int, Expression] = {}
        for k in self.topology.inward:
            children = self.topology.children[k]
            carried[k] = plus(self.force[k], vectors(carried[j] for j in children))
            found[k] = self.moment[k] + scalars(cross(self.R[j], carried[j]) for j in children)
        return {k: found[k] for k in self.topology.links}


def polar(a: Pair) -> tuple[Expression, Expression]:
    """Return length and direction of a vector; along its x axis the length keeps the sign and the angle is 0."""
    x, y = a
    if y is ZERO:
        return x, ZERO
    return sqrt(x * x + y * y), apply("atan2", y, x)
