"""Integration by SciPy's Runge-Kutta objects: each step is projected onto the constraints and guarded.

The rank of the rows is judged coarsely (see :mod:`.algebra`), so a real row can be dropped. A step that then leaves the
constraints is refused: the run goes back to the last step all of whose evaluations had every row, and from there on
judges finely; further refusals halve the step, down to a lock-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from scipy.integrate import DOP853, Radau

from .algebra import FINE_RANK
from .arrays import Array
from .equations import Equations
from .projection import Projected
from .step import Needed, Problem, Step, StoppedError

METHODS: Final[dict[str, Any]] = {"dop853": DOP853, "radau": Radau}
#: Gaps after a projection with which a step is refused: of positions, of rates by 1 + |q'|.
LEFT, RATE_LEFT = 1e-9, 1e-4
#: A projection may move a position by this part of the step, and this in its units besides.
PART, ASIDE = 0.1, 1e-6
#: Steps are not halved below this part of max(1, t).
SHORTEST = 1e-12
#: DOP853 is stable as far as this times the eigenvalue of largest size.
STABLE = 6.1
UNDERFLOW = "the step has become shorter than the distance of two floats"


class Explicit:
    """A run of one of :data:`METHODS` from (t, y) to an end."""

    def __init__(self, problem: Problem, method: str, tolerance: float, needed: Needed) -> None:
        self.problem, self.method, self.tolerance, self.needed = problem, METHODS[method], tolerance, needed

    @property
    def equations(self) -> Equations:
        """What is integrated."""
        return self.problem.equations

    @property
    def _coarse(self) -> bool:
        """Whether a row that almost depends on others may be dropped."""
        return self.equations.threshold > FINE_RANK

    def _solver(self, t: float, y: Array, end: float, step: float | None = None) -> Any:
        first = None if step is None else min(step, end - t)
        rate = self.problem.rate
        return self.method(rate, t, y, end, rtol=self.tolerance, atol=self.tolerance, first_step=first)

    def steps(self, t: float, y: Array, end: float) -> Iterator[Step]:
        """The steps to the end.

        Raises
        ------
        StoppedError
            No step can be made.
        """
        if not end > t:
            return
        solver = self._solver(t, y, end)
        sound: tuple[float, Array, float] = (t, y, solver.h_abs)
        while solver.status == "running":
            before = solver.t, solver.y.copy(), solver.h_abs
            self.equations.deficient = False
            try:
                message = solver.step()
            except (ValueError, np.linalg.LinAlgError):  # of an implicit method: no numbers
                message = UNDERFLOW
            if solver.status == "failed" or message == UNDERFLOW:
                if not self._coarse or not self.equations.deficient:
                    raise StoppedError(UNDERFLOW, *before[:2])
                solver, back = self._refused(before, sound, 0.0, end)
                yield Step(before[0], before[0], before[1], None, back)
                continue
            between = None
            if self.needed(before[0], before[1], solver.t, solver.y):
                between = solver.dense_output()
            stiff = _stiff(solver, before[1])
            whole = not self.equations.deficient
            n = self.problem.n
            found = self.problem.projection(solver.t, solver.y[:n], solver.y[n : 2 * n])
            if self._left(before[1], found, solver.y):
                length = solver.t - before[0]
                solver, back = self._refused(before, sound, length, end)
                yield Step(before[0], solver.t, solver.y, None, back)
                continue
            solver.y = np.concatenate([found.q, found.v, solver.y[2 * n :]])
            solver.f = self.problem.rate(solver.t, solver.y)
            if whole:
                sound = solver.t, solver.y.copy(), solver.h_abs
            yield Step(before[0], solver.t, solver.y.copy(), between, stiff=stiff)

    def _left(self, y: Array, found: Projected, there: Array) -> bool:
        """Whether a step from y has left the constraints, or was put back onto them by too far."""
        n, units = self.problem.n, self.problem.projection.units
        step = float(np.abs((there[:n] - y[:n]) / units).max(initial=0.0))
        speed = 1.0 + float(np.abs(found.v / units).max(initial=0.0))
        near = (
            found.gap <= LEFT and found.rate_gap <= RATE_LEFT * speed and found.moved <= PART * step + ASIDE
        )
        return not near

    def _refused(
        self, before: tuple[float, Array, float], sound: tuple[float, Array, float], length: float, end: float
    ) -> tuple[Any, float | None]:
        """The solver with which to go on, and the time to which the run goes back."""
        if self._coarse:
            self.equations.threshold = self.problem.projection.threshold = FINE_RANK
            t, y, h = sound
            return self._solver(t, y, end, h / 10), t
        t, y, _ = before
        if length / 2 < SHORTEST * max(1.0, abs(t)):
            raise StoppedError("no step, however short, stays on the constraints", t, y)
        return self._solver(t, y, end, length / 2), None


def _stiff(solver: Any, y: Array) -> bool:
    """Whether DOP853's step from y is as long as its stability lets it be (Hairer & Wanner, dop853).

    h |f(y₁) - f(y*)| / |y₁ - y*| is the step times an eigenvalue, y* being the last stage, at the end of the step too.
    """
    if not isinstance(solver, DOP853):
        return False
    K, last, h = solver.K, solver.n_stages - 1, solver.h_previous
    apart = solver.y - (y + h * (K[:last].T @ solver.A[last, :last]))
    size = float(np.linalg.norm(apart))
    return size > 0 and h * float(np.linalg.norm(K[-1] - K[last])) > STABLE * size
