"""Projection of positions and rates onto the constraints: the smallest change in the metric of M that closes the rows.

The rows are the simulation's own, differentiated on the graph, and not those of the formalism that is integrated. Cut
joints bring auxiliary coordinates p; of their rows those combinations are taken that no change of p alters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from mbconcord.kernels.motion import MotionFactors, NoPivotError, reflect
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, number, rate
from mbconcord.records import dataclass

from .arrays import Array, Arrays, Factor, Lengths, Metric, factorise, generate_arrays
from .equations import CLEAR, MotionEquations
from .formulas import MotionFormulas, array

#: A gap, as a part of what it is made of, at which positions are done, and how many corrections they get.
CLOSED, CORRECTIONS = 1e-14, 6
#: Auxiliary coordinates that go with a state change by no more than this in the end (rad or m).
FOLLOWED = 1e-13
#: Largest number of rows with which a correction is solved as formulas: of more, generating them takes longer.
MOST = 12


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
        self._equations, self._columns, self._solved = equations, Lengths(), self._solve(formulas)

    def __bool__(self) -> bool:
        return bool(len(self.reach))

    def _solve(self, formulas: MotionFormulas) -> tuple[Arrays, Arrays] | None:
        """Return functions of t, q, p, q': how p follows q, and a whole correction, with what judges its rows.

        None if rows are too many or restrict rates alone, or a pivot is zero at every state.
        """
        n, free, names = self.n, self.free, formulas.closing.coordinates
        sized = np.isfinite(self.reach).all() and self.reach.all()
        if not (0 < len(self._holonomic) <= MOST and self._holonomic.all() and sized):
            return None
        whole = np.hstack([formulas.slopes, formulas.position[:, None], formulas.flow[:, None]]).tolist()
        scales = [number(1 / Fraction(x)) for x in self.reach.tolist()]
        lines = [[scale * x for x in row] for scale, row in zip(scales, whole, strict=True)]
        own_columns, turned = [*range(n), -2, -1], list[list[list[Expression]]]()
        reduced = [[lines[i][c] for c in own_columns] for i in self._whole]
        dq, dv, follow, dp = ([ZERO] * k for k in (n, n, len(self.p), len(self.p)))
        v = [rate(name) for name in names[:n]]
        judged: list[list[Expression]] = [[], []]
        try:
            for which, own in self._cut:
                rows, *parts = reflect([[lines[i][c] for c in (*(n + own), *own_columns)] for i in which], len(own))
                turned.append(rows)
                reduced += [row[len(own) :] for row in rows[len(own) :]]
                judged = [a + b for a, b in zip(judged, parts, strict=True)]
            B = [[row[i] for i in free] for row in reduced]
            factors = MotionFactors(formulas.mass[np.ix_(free, free)].tolist(), B)
            speeds = [_dot(row, v) + row[-1] for row in reduced]
            for change, off in ((dq, [row[-2] for row in reduced]), (dv, speeds)):
                for i, x in zip(free, factors.solve([ZERO] * len(free), off)[0], strict=True):
                    change[i] = x
            for change, moved in ((follow, [ZERO] * n), (dp, dq)):
                for (_, own), rows in zip(self._cut, turned, strict=True):
                    for j in reversed(range(len(own))):
                        done = [ZERO] * (j + 1) + [change[k] for k in own[j + 1 :]]
                        change[own[j]] = -(_dot(rows[j], [*done, *moved]) + rows[j][-2]) / rows[j][j]
            closed = [a + b for a, b in zip(v, dv, strict=True)]
            left = [_dot(row, closed) + row[-1] for row in reduced]
            found = formulas.position.tolist(), dq, dp, closed, left, [factors.sound], factors.sizes, factors.lengths
            inputs = ("t", *names, *(str(x.data) for x in v))
            arrays = [
                generate_arrays([array(x, (len(x),)) for x in part], inputs) for part in ([follow], [*found, *judged])
            ]
            return arrays[0], arrays[1]
        except (NoPivotError, ExpressionError):
            return None

    def _correct(self, t: float, q: Array, v: Array) -> Projected | None:
        """Return the nearest state by formulas; None where their rows might depend on each other."""
        if self._solved is None or self._equations.augmented:
            return None
        (follow, correct), start, p, rates = self._solved, q, self.p, v.tolist()
        for _ in range(CORRECTIONS if self._cut else 0):
            (change,) = follow([t, *q.tolist(), *p.tolist(), *rates])
            p = p + change
            if not largest(change) > FOLLOWED:
                break
        best: tuple[float, Array, Array, Sequence[Array]] | None = None
        for _ in range(CORRECTIONS + 1):
            found = correct([t, *q.tolist(), *p.tolist(), *rates])
            f, dq, dp, _, _, sound, sizes, lengths, *columns = found
            clear = sound[0] == len(self.free) + len(sizes) and _are_clear(self._lengths, sizes, lengths)
            if not (clear and (not columns[0].size or _are_clear(self._columns, *columns))):
                if not self._equations.evaluations:  # rows that depend on each other everywhere
                    self._solved = None
                return None
            gap, before = largest(f / self.reach), np.inf if best is None else best[0]
            if gap < before or best is None:
                best = gap, q, p, found
            if not gap > CLOSED or gap > before / 2:
                break
            q, p = q + dq, p + dp
        assert best is not None
        gap, q, self.p, found = best
        v, left = found[3], found[4]
        if largest(left) > CLOSED * (1.0 + largest(v / self.units)):
            found = correct([t, *q.tolist(), *self.p.tolist(), *v.tolist()])
            v, left = found[3], found[4]
        return Projected(q, v, gap, largest(left), largest((q - start) / self.units))

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
        if (solved := self._correct(t, q, v)) is not None:
            return solved
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


def _dot(row: Sequence[Expression], values: Sequence[Expression]) -> Expression:
    """Return the sum of products of as many entries of a row as there are values."""
    return sum((a * b for a, b in zip(row, values, strict=False)), ZERO)


def _are_clear(known: Lengths, sizes: Array, lengths: Array) -> bool:
    """Return True if all rows, by squares of their sizes beyond each other and of lengths, count by any threshold."""
    return bool((sizes > (CLEAR * known.grow(np.sqrt(lengths))) ** 2).all())


def largest(values: Array) -> float:
    """Return the largest size; infinite if one is undefined."""
    found = float(np.abs(values).max(initial=0.0))
    return found if np.isfinite(found) else np.inf
