"""Positions and rates put back onto the constraints: the smallest change in the metric of M that closes the rows.

The rows are the simulation's own, differentiated on the graph, and not those of the formalism that is integrated. Cut
joints bring auxiliary coordinates p; of their rows those combinations are taken that no change of p alters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mbconcord.model.expressions import ZERO

from .algebra import RANK, Factor, Lengths, Metric, factorised
from .arrays import Array, generated
from .equations import Equations
from .formulas import Formulas

#: A gap, as a part of what it is made of, at which positions are done, and how many corrections they get.
CLOSED, CORRECTIONS = 1e-14, 6
#: Auxiliary coordinates that go with a state change by no more than this in the end (rad or m).
FOLLOWED = 1e-13


@dataclass(frozen=True)
class Projected:
    """A state put onto the constraints.

    Attributes
    ----------
    q, v (n,) : positions and rates
    gap : largest |f|, as a part of what f is made of
    rate_gap : largest |D q' + γ|, in the same units
    moved : largest change of a position, in its unit
    """

    q: Array
    v: Array
    gap: float
    rate_gap: float
    moved: float


class Projection:
    """The rows of a system with n coordinates and a auxiliary ones.

    Attributes
    ----------
    p (a,) : auxiliary coordinates, as they were at the last projection
    units (n,) : 1 for angles, for shifts a length of the mechanism
    reach (m',) : what each row is made of
    threshold : by which rows are judged to depend on each other
    free : places of the coordinates that it may move: not those along which a drive imposes the acceleration
    """

    def __init__(
        self, formulas: Formulas, equations: Equations, p: Array, reach: Array, units: Array
    ) -> None:
        rows = formulas.closing
        self.n, self.p, self.reach, self.units = rows.own, p.copy(), reach, units
        self.threshold = RANK
        self._metric, self.free = equations.metric, equations.free
        self._rows = generated([formulas.position, formulas.slopes, formulas.flow], ("t", *rows.coordinates))
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
        """f, ∂f/∂(q, p) and γ at a position, as parts of what the rows are made of."""
        f, D, flow = self._rows([t, *q.tolist(), *self.p.tolist()])
        return f / self.reach, D / self.reach[:, None], flow / self.reach

    def gaps(self, t: float, q: Array, v: Array) -> tuple[float, float]:
        """Largest gaps of position and of rates at a state, the auxiliary coordinates being what suits it best."""
        if not self:
            return 0.0, 0.0
        f, D, flow = self.rows(t, q)
        _, B, r = self._reduced(f, D, flow)
        return largest(f), largest(B @ v + r)

    def _reduced(self, f: Array, D: Array, flow: Array) -> tuple[Array, Array, Array]:
        """f, D (·, n) and γ of rows that no auxiliary coordinate changes."""
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

    def _factor(self, metric: Metric, D: Array, lengths: Lengths) -> Factor:
        return factorised(metric.lower(D[:, self.free].T), lengths, self.threshold)

    def _least(self, metric: Metric, factor: Factor, b: Array) -> Array:
        """The smallest change (n,) of the free coordinates."""
        change = np.zeros(self.n)
        change[self.free] = metric.upper(factor.least(b))
        return change

    def __call__(self, t: float, q: Array, v: Array) -> Projected:
        """The nearest state on the constraints."""
        if not self:
            return Projected(q, v, 0.0, 0.0, 0.0)
        start, metric = q, self._metric(t, q)
        f, D, flow = self._followed(t, q)
        before, factor = np.inf, None
        best = (largest(f), q, self.p.copy())
        for _ in range(CORRECTIONS):
            gap = largest(f)
            if not gap > CLOSED or gap > before / 2:
                break
            before = gap
            reduced, B, _ = self._reduced(f, D, flow)
            factor = self._factor(metric, B[self._holonomic], self._lengths)
            change = self._least(metric, factor, reduced[self._holonomic])
            self.p = self.p - self._following(f - D[:, : self.n] @ change, D)
            q = q - change
            f, D, flow = self.rows(t, q)
            best = min(best, (largest(f), q, self.p.copy()), key=lambda x: x[0])
        if best[1] is not q:
            _, q, self.p = best
            f, D, flow = self.rows(t, q)
        _, B, r = self._reduced(f, D, flow)
        stale = factor is None or bool(self._cut) or not self._holonomic.all()
        for _ in range(2):  # the factor of the position before the last correction is good enough, or not
            if stale or factor is None:
                factor = self._factor(metric, B, self._rate_lengths)
            v = v - self._least(metric, factor, B @ v + r)
            if stale or largest(B @ v + r) <= CLOSED * (1.0 + largest(v / self.units)):
                break
            stale = True
        moved = largest((q - start) / self.units)
        return Projected(q, v, largest(f), largest(B @ v + r), moved)

    def _followed(self, t: float, q: Array) -> tuple[Array, Array, Array]:
        """The rows after the auxiliary coordinates have gone with q, which stays.

        Else rows that no small change of theirs alters would still be off by the square of the step, and q be moved by
        that, along the constraints too, which no error test sees.
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
        """What the auxiliary coordinates lack: the p at which f + D_p p is least."""
        p = np.zeros(len(self.p))
        for which, own in self._cut:
            p[own] = np.linalg.lstsq(D[np.ix_(which, self.n + own)], f[which], rcond=None)[0]
        return p


def _with_auxiliary(formulas: Formulas) -> Iterator[tuple[Array, Array]]:
    """For each cut joint with coordinates of its own: its rows, and the numbers of these coordinates."""
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
    """Largest size; infinite where one is no number."""
    found = float(np.abs(values).max(initial=0.0))
    return found if np.isfinite(found) else np.inf
