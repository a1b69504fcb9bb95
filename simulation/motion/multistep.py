"""Integration by multistep codes, LSODA of SciPy and CVODE (Adams) of SUNDIALS, for motions that are stiff at times.

Their history must not be touched: what they integrate is not projected. Instead accelerations are those at the nearest
state on the constraints, and so are the states that are told.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
from scipy.integrate import LSODA

from .arrays import Array
from .explicit import LEFT
from .step import Needed, Problem, Step, StoppedError

#: How far what is integrated may be from the constraints, in the units of the coordinates.
FAR = 1e-3
#: Internal steps of CVODE towards one time.
STEPS = 100_000
REMEDY = "dop853 stays on the constraints"
#: What a code does in one step: time, state, and the state at a time within the step.
Made = tuple[float, Array, Callable[[float], Array]]


class Multistep:
    """A run of ``lsoda`` or ``cvode`` from (t, y) to an end."""

    def __init__(self, problem: Problem, method: str, tolerance: float, needed: Needed) -> None:
        self.problem, self.method, self.tolerance, self.needed = problem, method, tolerance, needed

    def rate(self, t: float, y: Array) -> Array:
        """y' at the nearest state on the constraints."""
        return self.problem.rate(t, self.problem.projected(t, np.array(y)))

    def steps(self, t: float, y: Array, end: float) -> Iterator[Step]:
        """The steps to the end.

        Raises
        ------
        StoppedError
            No step can be made, or it has left the constraints.
        """
        if not end > t:
            return
        made = self._lsoda if self.method == "lsoda" else self._cvode
        here = y
        for after, raw, between in made(t, y, end):
            there = self._on(after, raw, t, here)
            asked = between if self.needed(t, here, after, there) else None
            yield Step(t, after, there, asked)
            t, here = after, there

    def _on(self, t: float, raw: Array, before: float, here: Array) -> Array:
        """The state on the constraints; where there is none near, the run stops at the one before."""
        n = self.problem.n
        found = self.problem.projection(t, raw[:n], raw[n : 2 * n])
        if not (found.gap <= LEFT and found.moved <= FAR):
            message = f"{self.method} has left the constraints by {max(found.gap, found.moved):.2g}; {REMEDY}"
            raise StoppedError(message, before, here)
        return np.concatenate([found.q, found.v, raw[2 * n :]])

    def _lsoda(self, t: float, y: Array, end: float) -> Iterator[Made]:
        solver = LSODA(self.rate, t, y, end, rtol=self.tolerance, atol=self.tolerance)
        while solver.status == "running":
            before = solver.t, solver.y.copy()
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                why = next((str(w.message) for w in said), message or "no numbers")
                raise StoppedError(f"LSODA gives up ({why.strip().rstrip('.')}); {REMEDY}", *before)
            yield solver.t, solver.y.copy(), solver.dense_output()

    def _cvode(self, t: float, y: Array, end: float) -> Iterator[Made]:
        from sksundae.cvode import CVODE  # of another package than the others

        def rate(s: float, x: Array, rates: Array) -> None:
            rates[:] = self.rate(s, x)

        solver: Any = CVODE(
            rate, method="Adams", rtol=self.tolerance, atol=self.tolerance, max_num_steps=STEPS
        )
        solver.init_step(t, y)
        here = t, y
        while here[0] < end:
            with redirect_stdout(StringIO()):  # where the package prints what its result says too
                found = solver.step(end, method="onestep", tstop=end)
            if not found.success:
                raise StoppedError(f"CVODE gives up ({found.message.strip().rstrip('.')}); {REMEDY}", *here)
            here = float(found.t), np.array(found.y, dtype=float)
            yield *here, lambda s: np.array(solver.step(s, method="normal").y, dtype=float)
