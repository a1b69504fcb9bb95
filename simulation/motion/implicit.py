"""Integration by IDA of SUNDIALS, for stiff models away from singular positions: stabilised index 2.

With D of rows that are independent at the start, chosen once (Gear, Gupta and Leimkuhler 1985)::

    q' = v + Dᵀ μ ,   M v' = F + Dᵀ λ ,   f(q, t) = 0 ,   D v + γ = 0

Auxiliary coordinates of cut joints are unknowns like q, without mass. Nothing is projected: constraints are solved for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
from scipy.linalg import qr
from sksundae.ida import IDA

from .arrays import FINE_RANK, Array
from .stretch import STILL, UNDERFLOW, IntegrationProblem, IntegrationStep, Needed, StoppedError

#: Tolerance of μ and λ, large: they leave the error test.
FREE = 1e3
#: Internal steps towards one time.
STEPS = 100_000
REMEDY = "at a singular position, or where rows become dependent, take dop853"


class Implicit:
    """A run of IDA from (t, y) to an end."""

    def __init__(self, problem: IntegrationProblem, tolerance: float, needed: Needed) -> None:
        self.problem, self.tolerance, self.needed = problem, tolerance, needed
        rows = problem.projection
        self.n, self.a = problem.n, len(rows.p)
        self.k = self.n + self.a
        self.extra = 1 if problem.balanced else 0
        self.chosen: Array = np.zeros(0, dtype=int)
        self._here: tuple[float, Array] = (0.0, np.zeros(0))

    def _start(self, t: float, y: Array) -> tuple[Array, Array]:
        """Compute all unknowns and their rates at a state (q, q', work)."""
        n, a, k = self.n, self.a, self.k
        projection = self.problem.projection
        q, v = y[:n], y[n : 2 * n]
        accelerations = self.problem.accelerations_at(t, y)
        r, multipliers, turning = 0, np.zeros(0), np.zeros(a)
        if projection:
            _, D, flow = projection.rows(t, q)
            _, R, pivots = qr(D.T, mode="economic", pivoting=True)
            sizes = np.abs(np.diagonal(R))
            r = int(np.count_nonzero(sizes > FINE_RANK * sizes[0]))
            self.chosen = np.sort(pivots[:r])
            D, flow = D[self.chosen], flow[self.chosen]
            if a:
                turning = np.linalg.lstsq(D[:, n:], -(D[:, :n] @ v + flow), rcond=None)[0]
            loads = np.concatenate([accelerations.reactions, np.zeros(a)])
            multipliers = np.linalg.lstsq(D.T, loads, rcond=None)[0]
        whole = np.concatenate([q, projection.p, v, turning, y[2 * n :], np.zeros(r), multipliers])
        rates = np.zeros_like(whole)
        rates[:k] = whole[k : 2 * k]
        rates[k : k + n] = accelerations.a
        if self.extra:
            rates[2 * k] = self.problem.rate(t, y)[-1]
        return whole, rates

    def _residual(self, t: float, x: Array, rates: Array, result: Array) -> None:
        n, k, r = self.n, self.k, len(self.chosen)
        problem, last = self.problem, 2 * k + self.extra
        q, v = x[:n], x[k : k + n]
        M, F, applied, explicit = problem.equations.evaluate_unconstrained(t, q, v)
        problem.projection.p = np.array(x[n:k])
        result[:k] = rates[:k] - x[k : 2 * k]
        result[k : k + n] = M @ rates[k : k + n] - F
        result[k + n : 2 * k] = 0.0
        reactions = np.zeros(n)
        if r:
            f, D, flow = (part[self.chosen] for part in problem.projection.rows(t, q))
            forces, speed = D.T @ x[last + r :], D @ x[k : 2 * k] + flow
            D[:, list(problem.equations.driven)] = 0.0
            result[:k] -= D.T @ x[last : last + r]
            result[k : 2 * k] -= D.T @ x[last + r :]
            result[last : last + r] = f
            result[last + r :] = speed
            reactions = forces[:n]
        if self.extra:
            if problem.equations.driven:  # whose efforts work too
                reactions = problem.equations.evaluate_at(t, q, v, problem.threshold).reactions
            result[2 * k] = rates[2 * k] - problem.power(applied, reactions, explicit, v)
        if not np.isfinite(result).all():  # of NaN IDA never ends
            raise StoppedError("the accelerations have no number", *self._here)

    def steps(self, t: float, y: Array, end: float) -> Iterator[IntegrationStep]:
        """Yield the steps to the end.

        Raises
        ------
        StoppedError
            No step is possible.
        """
        if not end > t:
            return
        whole, rates = self._start(t, y)
        k, last = self.k, 2 * self.k + self.extra
        tolerances = np.full(len(whole), self.tolerance)
        tolerances[last:] = FREE
        algebraic = [*range(k + self.n, 2 * k), *range(last, len(whole))]
        solver: Any = IDA(
            self._residual, rtol=self.tolerance, atol=tolerances, algebraic_idx=algebraic or None,
            max_num_steps=STEPS,
        )  # fmt: skip
        solver.init_step(t, whole, rates)
        here, still = y, 0
        while t < end:
            self._here = t, here
            with redirect_stdout(StringIO()):  # where the package prints what its result says too
                found = solver.step(end, method="onestep", tstop=end)
            if not found.success:
                raise StoppedError(f"IDA gives up ({found.message.strip().rstrip('.')}); {REMEDY}", t, here)
            after, there = float(found.t), self._state(found.y)
            still = 0 if after > t else still + 1
            if still > STILL:
                raise StoppedError(UNDERFLOW, t, here)
            between = None
            if self.needed(t, here, after, there):
                between = lambda s: self._state(solver.step(s, method="normal").y)  # noqa: E731
            yield IntegrationStep(t, after, there, between)
            t, here = after, there

    def _state(self, x: Array) -> Array:
        """Extract (q, q', work) from all unknowns."""
        x, n, k = np.array(x, dtype=float), self.n, self.k
        return np.concatenate([x[:n], x[k : k + n], x[2 * k : 2 * k + self.extra]])
