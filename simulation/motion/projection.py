"""Projection of positions and rates onto the constraints: the smallest change in the metric of M that closes the rows.

The rows are the simulation's own, differentiated on the graph, and not those of the formalism that is integrated. Cut
joints bring auxiliary coordinates p; of their rows those combinations are taken that no change of p alters.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.model.expressions import ZERO
from mbconcord.records import dataclass

from .arrays import Array, Factor, Lengths, Metric, factorise, generate_arrays
from .equations import MotionEquations
from .formulas import MotionFormulas

#: A gap, as a part of what it is made of, at which positions are done, and how many corrections they get.
CLOSED, CORRECTIONS = 1e-14, 6
#: Auxiliary coordinates that go with a state change by no more than this in the end (rad or m).
FOLLOWED = 1e-13


@dataclass(frozen=True)
class Projected:
    """A state projected onto the constraints.

    Attributes
    ----------
    q, v (n,) : positions and rates
    gap : largest |f|, relative to the size of its terms
    rate_gap : largest |D q' + γ|, in the same units
    moved : largest change of a position, in its unit
    """

    q: Array
    v: Array
    gap: float
    rate_gap: float
    moved: float


class Projection:
    """Projection onto the constraint rows of a system with n coordinates and ``a`` auxiliary ones.

    Attributes
    ----------
    p (a,) : auxiliary coordinates, as they were at the last projection
    units (n,) : 1 for angles, for shifts a length of the mechanism
    reach (m',) : size of the terms of each row
    free : indices of the coordinates that it may move: those along which no drive imposes the acceleration
    """

    def __init__(
        self, formulas: MotionFormulas, equations: MotionEquations, p: Array, reach: Array, units: Array
    ) -> None:
        rows = formulas.closing
        self.n, self.p, self.reach, self.units = rows.own, p.copy(), reach, units
        self._metric, self.free = equations.metric, equations.free
        self._rows = generate_arrays([formulas.position, formulas.slopes, formulas.flow], ("t", *rows.coordinates))
        self._lengths = Lengths()
        self._cut = list(_with_auxiliary(formulas))
        cut = np.concatenate([np.zeros(0, dtype=int), *(which for which, _ in self._cut)])
        self._whole = np.setdiff1d(np.arange(len(rows.rows)), cut)
        holonomic = np.array([x is not ZERO for x in formulas.position], dtype=bool)
        closed = sum(len(which) - len(own) for which, own in self._cut)
        self._holonomic = np.concatenate([holonomic[self._whole], np.full(closed, True)])
        self._rate_lengths = self._lengths if self._holonomic.all() else Lengths()

    def __bool__(self) -> bool:
        return bool(len(self.reach))

    def rows(self, t: float, q: Array) -> tuple[Array, Array, Array]:
        """Compute f, ∂f/∂(q, p) and γ at a position, relative to the scales of the rows."""
        f, D, flow = self._rows([t, *q.tolist(), *self.p.tolist()])
        return f / self.reach, D / self.reach[:, None], flow / self.reach

    def gaps(self, t: float, q: Array, v: Array) -> tuple[float, float]:
        """Return the largest gaps of position and rates at a state, with the most favourable auxiliary coordinates."""
        if not self:
            return 0.0, 0.0
        f, D, flow = self.rows(t, q)
        _, B, r = self._reduce_rows(f, D, flow)
        return largest(f), largest(B @ v + r)

    def _reduce_rows(self, f: Array, D: Array, flow: Array) -> tuple[Array, Array, Array]:
        """Return f, D (·, n) and γ of rows that no auxiliary coordinate changes."""
        if not self._cut:
            return f, D, flow
        n = self.n
        left = [np.eye(len(f))[self._whole]]
        for which, own in self._cut:
            N = np.linalg.qr(D[np.ix_(which, n + own)], mode="complete")[0][:, len(own) :].T
            wide = np.zeros((len(N), len(f)))
            wide[:, which] = N
            left.append(wide)
        N = np.vstack(left)
        return N @ f, N @ D[:, :n], N @ flow

    def _factor(self, metric: Metric, D: Array, lengths: Lengths, threshold: float) -> Factor:
        return factorise(metric.lower(D[:, self.free].T), lengths, threshold)

    def _least(self, metric: Metric, factor: Factor, b: Array) -> Array:
        """Compute the smallest change (n,) of the free coordinates that changes the rows by b."""
        change = np.zeros(self.n)
        change[self.free] = metric.upper(factor.least(b))
        return change

    def __call__(self, t: float, q: Array, v: Array, threshold: float) -> Projected:
        """Return the nearest state on the constraints; ``threshold`` judges which rows depend on each other."""
        if not self:
            return Projected(q, v, 0.0, 0.0, 0.0)
        start, metric = q, self._metric(t, q)
        f, D, flow = self._follow_auxiliary(t, q)
        before, factor = np.inf, None
        best = (largest(f), q, self.p.copy())
        for _ in range(CORRECTIONS):
            gap = largest(f)
            if not gap > CLOSED or gap > before / 2:
                break
            before = gap
            reduced, B, _ = self._reduce_rows(f, D, flow)
            factor = self._factor(metric, B[self._holonomic], self._lengths, threshold)
            change = self._least(metric, factor, reduced[self._holonomic])
            self.p = self.p - self._following(f - D[:, : self.n] @ change, D)
            q = q - change
            f, D, flow = self.rows(t, q)
            best = min(best, (largest(f), q, self.p.copy()), key=lambda x: x[0])
        if best[1] is not q:
            _, q, self.p = best
            f, D, flow = self.rows(t, q)
        _, B, r = self._reduce_rows(f, D, flow)
        stale = factor is None or bool(self._cut) or not self._holonomic.all()
        for _ in range(2):  # the factor of the position before the last correction is good enough, or not
            if stale or factor is None:
                factor = self._factor(metric, B, self._rate_lengths, threshold)
            v = v - self._least(metric, factor, B @ v + r)
            if stale or largest(B @ v + r) <= CLOSED * (1.0 + largest(v / self.units)):
                break
            stale = True
        moved = largest((q - start) / self.units)
        return Projected(q, v, largest(f), largest(B @ v + r), moved)

    def _follow_auxiliary(self, t: float, q: Array) -> tuple[Array, Array, Array]:
        """Compute the rows after the auxiliary coordinates have adapted to fixed q.

        Otherwise rows that no small change of these affects would still be off by the square of the step, and q would
        move by that, along the constraints too, undetected by any error test.
        """
        f, D, flow = self.rows(t, q)
        for _ in range(CORRECTIONS):
            if not self._cut:
                break
            change = self._following(f, D)
            self.p = self.p - change
            f, D, flow = self.rows(t, q)
            if largest(change) <= FOLLOWED:
                break
        return f, D, flow

    def _following(self, f: Array, D: Array) -> Array:
        """Compute the correction p of the auxiliary coordinates that minimises f + D_p p."""
        p = np.zeros(len(self.p))
        for which, own in self._cut:
            p[own] = np.linalg.lstsq(D[np.ix_(which, self.n + own)], f[which], rcond=None)[0]
        return p


def _with_auxiliary(formulas: MotionFormulas) -> Iterator[tuple[Array, Array]]:
    """Yield, for each cut joint with auxiliary coordinates, indices of its rows and of these coordinates."""
    n = formulas.closing.own
    owner = [row.constraint for row in formulas.closing.rows]
    for name in dict.fromkeys(owner):
        which = np.array([i for i, who in enumerate(owner) if who == name])
        own = [
            j for j in range(formulas.slopes.shape[1] - n)
            if any(x is not ZERO for x in formulas.slopes[which, n + j])
        ]  # fmt: skip
        if own:
            yield which, np.array(own)


def largest(values: Array) -> float:
    """Return the largest size; infinite if one is undefined."""
    found = float(np.abs(values).max(initial=0.0))
    return found if np.isfinite(found) else np.inf
