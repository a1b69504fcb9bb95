"""Periodic motions: x(T) = x(0) and equations that repeat after T.

Φ' = A(t) Φ over T, and its eigenvalues decide, the multipliers. One on the unit circle stays there only where forces
have a potential and no other is beside it.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import ZERO, ExpressionError, rate
from mbconcord.model.expressions.calculus import jacobian
from mbconcord.model.expressions.field import IDENTICAL, vanish
from mbconcord.model.state import State
from mbconcord.records import dataclass

from ..motion.arrays import Array
from .equations import SlopeEquations
from .reduction import Basis, IndependentCoordinates, accelerations, reduce_equations, state_space, units_of
from .relative import FEEDS, ROUNDING, Place, complement, pick_independent
from .smooth import kinks

#: A motion returns to this part of how far it goes, or of the other (m, rad) where it goes less far; where the last
#: part is left by a rough integration it may.
RETURNS, LITTLE, NEARBY = 1e-8, 1e-4, 1e-5
#: Tolerances of the integration, the second to see what the first leaves; parts of the period that no step exceeds.
TOLERANCES, PIECES = (1e-12, 1e-9), (16, 9)
#: So often are the equations evaluated over a period at most; steps of Newton's method to an orbit.
EVALUATIONS, ATTEMPTS = 20_000, 15
#: Rounding of multipliers as a part of the monodromy; angles that are whole turns in sum are resonant to the other.
LEFT, RESONANT = 1e-14, 1e-6

UPRIGHT: Final = "asymptotically stable: all multipliers are inside the unit circle"
OUTSIDE: Final = "unstable: a multiplier is outside the unit circle"
ON_CIRCLE: Final = (
    "stable in the linear equations: no multiplier leaves the unit circle; nonlinear stability is not decided"
)
UNDECIDED: Final = "not decided: a multiplier is on the unit circle within rounding"


@dataclass(frozen=True)
class PeriodicMotion:
    """A motion that returns after a period of its equations; d positions and p rates.

    Attributes
    ----------
    period : seconds
    monodromy (d + p, d + p) : Φ(T) of x' = A(t) x from the state on
    multipliers : its eigenvalues, by real part
    """

    period: float
    monodromy: Array
    multipliers: tuple[complex, ...]
    stable: bool | None
    stability: str


class Orbit:
    """A motion of equations over a period, from states with the same independent coordinates."""

    def __init__(self, made: SlopeEquations, state: State, chosen: IndependentCoordinates, A: Array) -> None:
        self.made, self.chosen = made, chosen
        n, at = len(made.names), made.numbers(self._values(state.t, *self._pack(state)))
        self.take = [*chosen.positions, *(n + i for i in chosen.rates)]
        self.fastest = float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))
        self._roots = 1 / units_of(at.M)

    def _pack(self, state: State) -> tuple[Array, Array]:
        q, v = (np.array([x[name] for name in self.made.names], dtype=float) for x in (state.q, state.v))
        return q, v

    def _values(self, t: float, q: Array, v: Array, a: Any = None, loads: Any = None) -> dict[str, float]:
        zeros = np.zeros(len(q)), np.zeros(len(self.made.rows))
        a, loads = (zeros[0] if a is None else a), (zeros[1] if loads is None else loads)
        return self.made.values(t, q.tolist(), v.tolist(), a.tolist(), loads.tolist())

    def weigh(self, T: float) -> Array:
        """Return weights of x (d + p,) that make its parts comparable."""
        of = np.concatenate([self._roots, self._roots / max(self.fastest, 1 / T)])
        return np.asarray(of[self.take])

    def follow(self, state: State, T: float, varied: bool, fine: int = 0) -> tuple[Array, float, Array, Array]:
        """Integrate over T.

        Returns
        -------
        tuple
            Shifts of all positions and rates (2n,); how far positions went; x' at the end; Φ (d + p, d + p), scaled by
            the weights, as far as it is asked for.

        Raises
        ------
        ExpressionError
            There is a state without numbers, or too many evaluations are needed.
        """
        from scipy.integrate import solve_ivp

        n, width, count, weights = len(self.made.names), len(self.take), 0, self.weigh(T)
        scale, start = np.outer(weights, 1 / weights), np.concatenate(self._pack(state))

        def move(t: float, y: Array) -> Array:
            nonlocal count
            count += 1
            if count > EVALUATIONS or not np.isfinite(y).all():
                raise ExpressionError(f"its period takes more than {EVALUATIONS} evaluations")
            q, v = y[:n], y[n : 2 * n]
            at = self.made.numbers(self._values(state.t + t, q, v))
            basis = Basis(at.D, self.chosen, np.linalg.solve)
            a, loads = accelerations(at, basis, np.linalg.solve)
            if not varied:
                return np.concatenate([v, a])
            slopes = self.made.slopes(self._values(state.t + t, q, v, a, loads))
            A, _ = state_space(reduce_equations(at.M, slopes, basis), self.chosen)
            return np.concatenate([v, a, (A * scale @ y[2 * n :].reshape(width, width)).ravel()])

        y = np.concatenate([start, np.eye(width).ravel()]) if varied else start
        least = np.concatenate([np.full(2 * n, LITTLE * RETURNS / 100), np.full(len(y) - 2 * n, TOLERANCES[fine])])
        try:
            run = solve_ivp(
                move, (0.0, T), y, "DOP853", rtol=TOLERANCES[fine], atol=least, max_step=T / PIECES[fine]
            )  # fmt: skip
        except np.linalg.LinAlgError as problem:
            raise ExpressionError(str(problem)) from None
        if not run.success:
            raise ExpressionError(run.message)
        end, far = run.y[:, -1], float(np.abs(run.y[:n] - start[:n, None]).max(initial=0.0))
        flows = move(T, end)[: 2 * n]
        return end[: 2 * n] - start, far, flows, end[2 * n :].reshape(-1, width)

    def measure_gap(self, shifts: Array, far: float, T: float) -> float:
        """Return how far a motion is from its start after T, as a part of how far it went."""
        n = len(self.made.names)
        left = np.concatenate([shifts[:n], shifts[n:] / max(self.fastest, 1 / T)])
        return float(np.abs(left).max(initial=0.0)) / max(far, LITTLE)

    def find(self, state: State, T: float, place: Place) -> tuple[State, float] | None:
        """Find a motion that returns near one, by Newton's method; without time in the equations its period, too."""
        x, weights, free = np.zeros(len(self.take)), self.weigh(T), not self.made.rheonomic
        here: State | None = state
        fine = 1
        for _ in range(ATTEMPTS):
            if here is None or not T > 0:
                return None
            shifts, far, flows, Phi = self.follow(here, T, True, fine)
            gap = self.measure_gap(shifts, far, T)
            fine = fine if gap > NEARBY else 0
            if gap <= RETURNS / 100:
                return (here, T) if far > LITTLE or not free else None
            J = Phi - np.eye(len(Phi))
            J = np.hstack([J, (flows[self.take] * weights)[:, None]]) if free else J
            step = np.linalg.lstsq(J, -shifts[self.take] * weights, rcond=RETURNS)[0]
            x = x + step[: len(x)] / weights
            T = T + float(step[len(x)]) if free else T
            there = place(x)
            here = there[0] if there else None
        return None

    def judge(self, state: State, T: float) -> PeriodicMotion | None:
        """Judge the motion from a state by its multipliers; None if it does not return."""
        shifts, far, *_ = self.follow(state, T, False, 1)
        if self.measure_gap(shifts, far, T) > NEARBY or (not self.made.rheonomic and far <= LITTLE):
            return None
        shifts, far, flows, Phi = self.follow(state, T, True)
        if self.measure_gap(shifts, far, T) > RETURNS:
            return None
        rough = self.follow(state, T, True, 1)[3]
        error = float(np.linalg.norm(Phi - rough)) + LEFT * float(np.linalg.norm(Phi))
        weights = self.weigh(T)
        values, across = np.linalg.eigvals(Phi), Phi
        if not self.made.rheonomic:  # along the orbit itself nothing grows or decays
            _, G = pick_independent(["orbit"], [flows[self.take] * weights], len(Phi))
            Q = complement(G, len(Phi))
            across = Q.T @ Phi @ Q
        stable, words = _judge_multipliers(across, error, keeps_volume(self.made), self.made.linear)
        multipliers = sorted((complex(x) for x in values), key=lambda x: (x.real, x.imag))
        return PeriodicMotion(T, Phi * np.outer(1 / weights, weights), tuple(multipliers), stable, words)


def has_corners(made: SlopeEquations) -> bool:
    """Return whether forces or rows have kinks, across which variations are not continuous."""
    return bool(kinks([*made.force, *made.M.ravel(), *made.D.ravel(), *made.rest]))


def keeps_volume(made: SlopeEquations) -> bool:
    """Return whether equations are those of a potential, whatever t: multipliers come in pairs μ, 1/μ."""
    applied, q, v = list(made.parts[1]), *([rate(x, k) for x in made.names] for k in (0, 1))
    if not all(made.holonomic) or any(x is not ZERO for line in jacobian(applied, v) for x in line):
        return False
    K = jacobian(applied, q)
    twisted = [K[i][j] - K[j][i] for i in range(len(q)) for j in range(i)]
    return all(x is ZERO or vanish([x])[0].kind == IDENTICAL for x in twisted)


def _judge_multipliers(Phi: Array, error: float, paired: bool, linear: bool) -> tuple[bool | None, str]:
    """Judge by multipliers, each with its error bound."""
    values, vectors = np.linalg.eig(Phi) if Phi.size else (np.zeros(0), np.zeros((0, 0)))
    try:
        bounds = error * np.linalg.norm(np.linalg.inv(vectors), axis=1) if Phi.size else np.zeros(0)
    except np.linalg.LinAlgError:
        bounds = np.full(len(values), np.inf)
    sizes = np.abs(values)
    if (sizes > 1 + np.maximum(bounds, ROUNDING)).any():
        return False, OUTSIDE
    on = np.flatnonzero(sizes >= 1 - np.maximum(bounds, ROUNDING))
    if not len(on):
        return True, UPRIGHT
    gaps = np.abs(np.subtract.outer(values[on], values)) - 10 * np.add.outer(bounds[on], bounds)
    gaps[np.arange(len(on)), on] = 1.0
    if not (paired and (gaps > 0).all() and (np.abs(values[on].imag) > 10 * bounds[on]).all()):
        return None, UNDECIDED
    return (True, ON_CIRCLE) if linear or not _is_resonant(np.angle(values[on]) / (2 * np.pi)) else (None, FEEDS)


def _is_resonant(turns: Array) -> bool:
    """Return whether three or four of the angles are whole turns in sum, but for pairs that cancel."""
    every = sorted({round(abs(x), 15) for x in turns.tolist()})
    signed = [(i, s) for i in range(len(every)) for s in (1, -1)]
    for order in (3, 4):
        for some in combinations_with_replacement(signed, order):
            factors = [0] * len(every)
            for i, s in some:
                factors[i] += s
            total = sum(f * x for f, x in zip(factors, every, strict=True))
            if any(factors) and sum(map(abs, factors)) == order and abs(total - round(total)) <= RESONANT:
                return True
    return False
