"""Integration by SciPy's Runge-Kutta objects: each step is projected onto the constraints and guarded.

The rank of the rows is judged coarsely (see :mod:`.arrays`), so a real row can be dropped. A step that then leaves the
constraints is refused: the run goes back to the last step all of whose evaluations had every row, and from there on
judges finely; further refusals halve the step, down to a lock-up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from typing import Any, Final

import numpy as np
from scipy.integrate import DOP853, LSODA, Radau

from mbconcord.model.limits import count

from .arrays import FINE_RANK, Array
from .projection import Projected
from .stretch import STILL, UNDERFLOW, IntegrationProblem, IntegrationStep, Needed, StoppedError

# Integration by multistep codes, LSODA of SciPy and CVODE (Adams) of SUNDIALS, for motions that are stiff at times.
#
# Their history must not be touched: what they integrate is not projected. Instead accelerations are those at the
# nearest state on the constraints, and so are the states that are told.


#: How far what is integrated may be from the constraints, in the units of the coordinates.
FAR = 1e-3
#: Internal steps of CVODE towards one time.
STEPS = 100_000
REMEDY = "dop853 stays on the constraints"
#: What a code does in one step: time, state, and the state at a time within the step.
Made = tuple[float, Array, Callable[[float], Array]]


class Multistep:
    """A run of ``lsoda`` or ``cvode`` from (t, y) to an end."""

    def __init__(self, problem: IntegrationProblem, method: str, tolerance: float, needed: Needed) -> None:
        self.problem, self.method, self.tolerance, self.needed = problem, method, tolerance, needed

    def rate(self, t: float, y: Array) -> Array:
        """Compute y' at the nearest state on the constraints."""
        return self.problem.rate(t, self.problem.project_state(t, np.array(y)))

    def steps(self, t: float, y: Array, end: float) -> Iterator[IntegrationStep]:
        """Yield the steps to the end.

        Raises
        ------
        StoppedError
            No step is possible, or it has left the constraints.
        """
        if not end > t:
            return
        made = self._lsoda if self.method == "lsoda" else self._cvode
        here = y
        for after, raw, between in made(t, y, end):
            there = self._project(after, raw, t, here)
            asked = between if self.needed(t, here, after, there) else None
            yield IntegrationStep(t, after, there, asked)
            t, here = after, there

    def _project(self, t: float, raw: Array, before: float, here: Array) -> Array:
        """Project the state onto the constraints; if none is near, stop the run at the previous one."""
        n = self.problem.n
        found = self.problem.project(t, raw)
        if not (found.gap <= LEFT and found.moved <= FAR):
            message = f"{self.method} has left the constraints by {max(found.gap, found.moved):.2g}; {REMEDY}"
            raise StoppedError(message, before, here)
        return np.concatenate([found.q, found.v, raw[2 * n :]])

    def _lsoda(self, t: float, y: Array, end: float) -> Iterator[Made]:
        contacts = self.problem.contacts
        first = min(contacts.first, end - t) if contacts is not None and contacts.first else None
        solver = LSODA(self.rate, t, y, end, rtol=self.tolerance, atol=self.tolerance, first_step=first)
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

        solver: Any = CVODE(rate, method="Adams", rtol=self.tolerance, atol=self.tolerance, max_num_steps=STEPS)
        solver.init_step(t, y)
        here, still = (t, y), 0
        while here[0] < end:
            with redirect_stdout(StringIO()):  # where the package prints what its result says too
                found = solver.step(end, method="onestep", tstop=end)
            if not found.success:
                raise StoppedError(f"CVODE gives up ({found.message.strip().rstrip('.')}); {REMEDY}", *here)
            still = 0 if found.t > here[0] else still + 1
            if still > STILL:
                raise StoppedError(UNDERFLOW, *here)
            here = float(found.t), np.array(found.y, dtype=float)
            yield *here, lambda s: np.array(solver.step(s, method="normal").y, dtype=float)


METHODS: Final[dict[str, Any]] = {"dop853": DOP853, "radau": Radau}
#: Gaps after a projection with which a step is refused: of positions, of rates by 1 + |q'|.
LEFT, RATE_LEFT = 1e-9, 1e-4
#: A projection may move a position by this part of the step, and this in its units besides.
PART, ASIDE = 0.1, 1e-6
#: Steps are not halved below this part of max(1, t).
SHORTEST = 1e-12
#: Increments by which SciPy differentiates, as parts of the states: it widens those of which nothing depends (a turn
#: about a symmetry, the work) tenfold at each Jacobian, up to infinity.
WIDEST = 1e-4
#: DOP853 is stable as far as this times the eigenvalue of largest size.
STABLE = 6.1


class Explicit:
    """A run of one of :data:`METHODS` from (t, y) to an end."""

    def __init__(self, problem: IntegrationProblem, method: str, tolerance: float, needed: Needed) -> None:
        self.problem, self.method, self.tolerance, self.needed = problem, METHODS[method], tolerance, needed
        self._whole = True  # whether every evaluation of the step had every row

    def _rate(self, t: float, y: Array) -> Array:
        found = self.problem.accelerations_at(t, y)
        self._whole &= found.whole
        return self.problem.rate_of(found, y)

    @property
    def _coarse(self) -> bool:
        """True if a row that almost depends on others may be dropped."""
        return self.problem.threshold > FINE_RANK

    def _solver(self, t: float, y: Array, end: float, step: float | None = None) -> Any:
        first = None if step is None else min(step, end - t)
        return self.method(self._rate, t, y, end, rtol=self.tolerance, atol=self.tolerance, first_step=first)

    def steps(self, t: float, y: Array, end: float) -> Iterator[IntegrationStep]:
        """Yield the steps to the end.

        Raises
        ------
        StoppedError
            No step is possible.
        """
        if not end > t:
            return
        solver = self._solver(t, y, end)
        if (contacts := self.problem.contacts) is not None and contacts.first and contacts.first < solver.h_abs:
            solver = self._solver(t, y, end, contacts.first)
        if not np.isfinite(solver.f).all():  # from there DOP853 never ends
            raise StoppedError("the accelerations have no number", t, y)
        sound: tuple[float, Array, float] = (t, y, solver.h_abs)
        while solver.status == "running":
            before = solver.t, solver.y.copy(), solver.h_abs
            self._whole = True
            factors = getattr(solver, "jac_factor", None)
            if factors is not None:
                np.minimum(factors, WIDEST, out=factors)
            try:
                message = solver.step()
            except (ValueError, np.linalg.LinAlgError):  # of an implicit method: no numbers
                message = UNDERFLOW
            if solver.status == "failed" or message == UNDERFLOW:
                if not self._coarse or self._whole:
                    raise StoppedError(UNDERFLOW, *before[:2])
                solver, back = self._retry(before, sound, 0.0, end)
                yield IntegrationStep(before[0], before[0], before[1], None, back)
                continue
            between = None
            if self.needed(before[0], before[1], solver.t, solver.y):
                between = solver.dense_output()
            stiff = _stiff(solver, before[1])
            whole, n = self._whole, self.problem.n
            found = self.problem.project(solver.t, solver.y)
            if self._has_left(before[1], found, solver.y):
                length = solver.t - before[0]
                solver, back = self._retry(before, sound, length, end)
                yield IntegrationStep(before[0], solver.t, solver.y, None, back)
                continue
            solver.y = np.concatenate([found.q, found.v, solver.y[2 * n :]])
            solver.f = self.problem.rate(solver.t, solver.y)
            if whole:
                sound = solver.t, solver.y.copy(), solver.h_abs
            yield IntegrationStep(before[0], solver.t, solver.y.copy(), between, stiff=stiff)

    def _has_left(self, y: Array, found: Projected, there: Array) -> bool:
        """Return True if a step from y has left the constraints, or its projection moved too far."""
        n, units = self.problem.n, self.problem.projection.units
        step = float(np.abs((there[:n] - y[:n]) / units).max(initial=0.0))
        speed = 1.0 + float(np.abs(found.v / units).max(initial=0.0))
        near = found.gap <= LEFT and found.rate_gap <= RATE_LEFT * speed and found.moved <= PART * step + ASIDE
        return not near

    def _retry(
        self, before: tuple[float, Array, float], sound: tuple[float, Array, float], length: float, end: float
    ) -> tuple[Any, float | None]:
        """Return the solver with which to continue, and the time to which the run goes back."""
        if self._coarse:
            self.problem = replace(self.problem, threshold=FINE_RANK)
            t, y, h = sound
            return self._solver(t, y, end, h / 10), t
        t, y, _ = before
        if length / 2 < SHORTEST * max(1.0, abs(t)):
            raise StoppedError("no step, however short, stays on the constraints", t, y)
        return self._solver(t, y, end, length / 2), None


def _stiff(solver: Any, y: Array) -> bool:
    """Return True if DOP853's step from y is limited by stability (Hairer & Wanner, dop853).

    h |f(y₁) - f(y*)| / |y₁ - y*| is the step times an eigenvalue, y* being the last stage, at the end of the step too.
    """
    if not isinstance(solver, DOP853):
        return False
    K, last, h = solver.K, solver.n_stages - 1, solver.h_previous
    apart = solver.y - (y + h * (K[:last].T @ solver.A[last, :last]))
    size = float(np.linalg.norm(apart))
    return size > 0 and h * float(np.linalg.norm(K[-1] - K[last])) > STABLE * size


# Whether a motion is stiff for an explicit method, by the eigenvalues of its equations at the start.


#: Decays are stiff where they are so many times as fast as all oscillations, and need more than so many steps.
FASTER, MANY_STEPS = 100.0, 2000.0
#: Differences by which the equations are linearised, in the units of the coordinates and rates.
DIFFERENCE = 6e-6


def choose_method(problem: IntegrationProblem, t: float, y: Array, until: float) -> tuple[str, str]:
    """Return ``lsoda`` or ``dop853``, and why: by the fastest decay and the fastest oscillation at the start.

    The equations are linearised by differences between states that are projected onto the constraints.
    """
    k = 2 * problem.n
    sides = [[problem.project_state(t, y + s * d) for s in (1, -1)] for d in DIFFERENCE * np.eye(len(y))[:k]]
    moved = np.array([(a - b)[:k] for a, b in sides]).T
    rates = np.array([(problem.rate(t, a) - problem.rate(t, b))[:k] for a, b in sides]).T
    if not (np.isfinite(moved).all() and np.isfinite(rates).all()):
        return "dop853", "the equations have no slopes at the start"
    U, sizes, V = np.linalg.svd(moved)
    m = int(np.count_nonzero(sizes > 1e-4 * DIFFERENCE))
    found = np.linalg.eigvals(U[:, :m].T @ rates @ V[:m].T / sizes[:m]) if m else np.zeros(1)
    decay, swing = max(float((-found.real).max()), 0.0), float(np.abs(found.imag).max())
    steps = decay * (until - t) / STABLE
    stiff = decay > FASTER * max(swing, 1 / (until - t)) and steps > MANY_STEPS
    told = f"at the start the fastest decay is {decay:.2g} 1/s, the fastest oscillation {swing:.2g} rad/s"
    if stiff:
        told += f"; an explicit method would take {count(round(steps), 'step')} at least"
    return "lsoda" if stiff else "dop853", told
