"""Parts of the equations of a closed linkage: as expressions, or as numbers at a state.

Solution of M q'' = Q + Dᵀ λ, D q'' = -γ̃ for q'' and λ, where rows of D may depend on each other.

Loops of a planar linkage: cut joints, their closure equations, and the moments of their reactions.

A cut joint (разорванный шарнир) leaves a tree. Its reaction F acts on link e at P, and -F on link f at Q. For
f = 0, the ground, that is step 3 of the algorithm of Telegin & Kaygorodtsev 2010; a joint between two links is
cut where a loop does not pass through the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np

from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.numbers import ANY_RANK
from mbconcord.records import dataclass, fields

from ..linkage import GROUND, Linkage
from ..plane import Pair, minus, quarter, times, vectors


@dataclass(frozen=True)
class Cut:
    """A cut joint: point P of link e coincides with Q of link f, each in the axes of its link (0: the ground)."""

    name: str
    e: int
    p: Pair
    f: int
    q: Pair


@dataclass(frozen=True)
class Loops:
    """Closure equations φ = P - Q = 0 of all cuts, x and y of each in turn."""

    p: Linkage
    cuts: Sequence[Cut]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the closure equations, by the reaction that each transmits."""
        return tuple(f"{cut.name} ({axis})" for cut in self.cuts for axis in ("force x", "force y"))

    def arms(self, link: int, point: Pair) -> Iterator[tuple[int, Pair]]:
        """Yield (k, v_k) along the chain of a link from the ground: v_k leads from O_k to the next pole or to P."""
        t = self.p.topology
        chain = (GROUND, *t.chain[link])
        for k, following in pairwise(chain):
            yield k, self.p.R[following]
        yield chain[-1], self.p.to_fixed_axes(link, point)

    @cached_property
    def closure(self) -> tuple[Expression, ...]:
        """φ = P - Q, m."""
        found: list[Expression] = []
        for cut in self.cuts:
            P = vectors(v for _, v in self.arms(cut.e, cut.p))
            Q = vectors(v for _, v in self.arms(cut.f, cut.q))
            found += minus(P, Q)
        return tuple(found)

    @cached_property
    def _arms_of_cuts(self) -> list[dict[int, Pair]]:
        """v_ek - v_fk by link, for each cut."""
        found = []
        for cut in self.cuts:
            arms = {k: v for k, v in self.arms(cut.e, cut.p) if k != GROUND}
            for k, v in self.arms(cut.f, cut.q):
                if k != GROUND:
                    arms[k] = minus(arms[k], v) if k in arms else times(-ONE, v)
            found.append(arms)
        return found

    @cached_property
    def jacobian(self) -> tuple[tuple[Expression, ...], ...]:
        """C = ∂φ/∂θ: columns k×v_ek - k×v_fk. Column k of Cᵀ F is the moment M_rk of the reactions (25)."""
        rows: list[tuple[Expression, ...]] = []
        for arms in self._arms_of_cuts:
            columns = [quarter(arms[k]) if k in arms else (ZERO, ZERO) for k in self.p.topology.links]
            rows += [tuple(c[0] for c in columns), tuple(c[1] for c in columns)]
        return tuple(rows)

    @cached_property
    def drift(self) -> tuple[Expression, ...]:
        """C' ω = -Σ ω_k² (v_ek - v_fk), so that C ε = -C' ω."""
        found: list[Expression] = []
        for arms in self._arms_of_cuts:
            found += vectors(times(-self.p.square[k], v) for k, v in arms.items())
        return tuple(found)


#: Singular values of D, rows and columns in units of what they are made of, below this part of the largest are zero.
SINGULAR = 1e-9


@dataclass(frozen=True)
class Solution:
    """q'' (n,), reactions Dᵀ λ (n,), λ (m,) with NaN where it is not unique, and the rank of D."""

    acceleration: Array
    reactions: Array
    multipliers: Array
    rank: int


def least(sizes: Array, nothing: float, most: int) -> float:
    """Return the threshold above which singular values count as nonzero, so that at most ``most`` of them do.

    It is ``nothing`` (zero up to rounding), or, if larger, the geometric mean of the last value that counts and the
    next one: at a state read from printed digits, that one is not zero but as large as the digits cut off make it.
    """
    if most >= len(sizes):
        return nothing
    return max(nothing, float(np.sqrt(sizes[most - 1] * sizes[most]))) if most else np.inf


def solve_motion(M: Array, force: Array, D: Array, rest: Array, most: int = ANY_RANK[0]) -> Solution | None:
    """Solve for the motion at one state with ``most`` independent rows; None if an admitted motion has no inertia."""
    diagonal = np.diag(M)
    heavy = diagonal > len(M) * np.finfo(float).eps * diagonal.max(initial=0.0)  # the others have rounding alone
    units = 1 / np.sqrt(np.where(heavy, diagonal, 1.0))
    scaled = D * units
    norms = np.linalg.norm(scaled, axis=1)
    rows = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 1.0)
    left, sizes, right = np.linalg.svd(scaled * rows[:, None], full_matrices=False)
    kept = sizes > least(sizes, SINGULAR * sizes.max(initial=0.0), most)
    left, across = left[:, kept], sizes[kept, None] * right[kept]
    matrix = np.block([[M * np.outer(units, units), -across.T], [across, np.zeros((len(across), len(across)))]])
    if np.linalg.cond(matrix) > 1 / np.finfo(float).eps:
        return None
    found = np.linalg.solve(matrix, np.concatenate([force * units, -left.T @ (rest * rows)]))
    n = len(units)
    shared = np.linalg.norm(left, axis=1) ** 2 < 1 - SINGULAR  # not unique
    multipliers = np.where(shared, np.nan, (left @ found[n:]) * rows)
    return Solution(found[:n] * units, (across.T @ found[n:]) / units, multipliers, int(kept.sum()))


def dependent(D: Array, most: int = ANY_RANK[0]) -> list[int]:
    """List rows that depend on the rows before them; ``most`` are independent."""
    sizes = np.asarray(np.linalg.svd(D, compute_uv=False), dtype=np.float64)
    nothing = least(sizes, SINGULAR * np.abs(D).max(initial=0.0), most)
    ranks = [int(np.linalg.matrix_rank(D[: i + 1], tol=nothing)) for i in range(len(D))]
    return [i for i, rank in enumerate(ranks) if rank == (ranks[i - 1] if i else 0)]


T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Parts(Generic[T]):
    """Matrices and vectors of the vector form (20) and of its cuts, in absolute angles.

    N links in the order of the tree, c cuts; lengths in m, vectors in the fixed axes of the plane.

    Attributes
    ----------
    H, h : N×N, coefficients in H ε + h ω²
    S : N×N, 1 where a drive acts on a link and -1 where it acts on the base (23)
    C : 2c×N, ∂φ/∂θ
    closure : φ = P - Q, 2c
    drift : C' ω, 2c, so that C ε = -C' ω
    ends : P and Q of each cut in the axes of their links, c×4
    efforts : the model's own efforts in the joints, N
    g : acceleration of gravity, 2
    m : mass of each link together with all links that it carries, N
    G, M_difference : moments of gravity and of loads MΔ, N
    omega, square, epsilon : ω, ω², ε of the links, N
    s, R : first moment of each link about its pole, and arm from the base's pole to it, N×2
    force : load on each link, N×2
    """

    H: T
    h: T
    S: T
    C: T
    closure: T
    drift: T
    ends: T
    efforts: T
    g: T
    m: T
    G: T
    M_difference: T
    omega: T
    square: T
    epsilon: T
    s: T
    R: T
    force: T

    def each(self) -> tuple[T, ...]:
        """Return all parts in the order above."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def map_parts(self, function: Callable[[T], U]) -> Parts[U]:
        """Apply a function to all parts, in the order of :meth:`each`."""
        return Parts(*map(function, self.each()))
