"""Loops of a planar linkage: cut joints, their closure equations, and the moments of their reactions.

A cut joint (разорванный шарнир) leaves a tree. Its reaction F acts on link e at P, and -F on link f at Q. For
f = 0, the ground, that is step 3 of the algorithm of Telegin & Kaygorodtsev 2010; a joint between two links is
cut where a loop does not pass through the ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.records import dataclass

from ..linkage import Linkage
from ..plane import Pair, minus, quarter, times, vectors
from ..topology import GROUND


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
