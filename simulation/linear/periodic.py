"""Periodic motions: equations that repeat after T, and x(T) = Ψ(x(0)) with a symmetry Ψ = exp Σ s_k X_k of theirs.

With Φ' = A(t) Φ over T the multipliers decide: eigenvalues of Ψ'⁻¹Φ across the symmetries, which are neutral. One
on the unit circle stays there only if forces have a potential and no other is near it. Whole turns of a coordinate
are taken off first, if the equations repeat after one turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import ZERO, ExpressionError, evaluate, rate
from mbconcord.model.expressions.calculus import jacobian
from mbconcord.model.expressions.field import IDENTICAL, vanish
from mbconcord.model.limits import count
from mbconcord.model.state import State
from mbconcord.records import dataclass, field

from ..motion.arrays import Array
from .equations import SlopeEquations
from .reduction import Basis, IndependentCoordinates, accelerations, reduce_equations, state_space, units_of
from .relative import FEEDS, ROUNDING, ZERO_PART, FieldNumbers, Place, complement, pick_independent, word_field
from .smooth import kinks
from .symmetry import SymmetryField, repeats_after_turn

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
ACROSS: Final = "asymptotically stable, up to the symmetries: all other multipliers are inside the unit circle"
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
    monodromy (d + p, d + p) : Ψ'⁻¹Φ(T) of x' = A(t) x from the state on
    multipliers : eigenvalues of that matrix, by real part
    along : name of each symmetry -> s_k, how far the motion goes along it in a period
    turns : whole turns in a period, by coordinate
    """

    period: float
    monodromy: Array
    multipliers: tuple[complex, ...]
    stable: bool | None
    stability: str
    along: Mapping[str, float] = field(default_factory=dict)
    turns: Mapping[str, int] = field(default_factory=dict)

    @property
    def describe_return(self) -> str:
        """The period, and how far the motion is moved after it, in words: ``2 s, 0.3 along x, 1 turn of a``."""
        gone = [f"{s:.6g} {word_field(name)}" for name, s in self.along.items() if s]
        turned = [f"{count(abs(k), 'turn')} of {name}" for name, k in self.turns.items()]
        return ", ".join((f"{self.period:.9g} s", *gone, *turned))


@dataclass(frozen=True)
class Returned:
    """The end of a motion over a period, brought back by whole turns and a symmetry.

    Attributes
    ----------
    shifts (2n,) : what is left of the shifts of all positions and rates from the start
    far : how far positions went from a uniform motion at most
    flows (2n,) : x' at the end
    Phi (d + p, d + p) : Ψ'⁻¹Φ scaled by the weights; empty unless asked for
    along (k,), turns (n,) : factors s_k of the symmetry, and whole turns, that were taken off
    """

    shifts: Array
    far: float
    flows: Array
    Phi: Array
    along: Array
    turns: Array


class Orbit:
    """Motions of equations over a period, from states with the same independent coordinates."""

    def __init__(
        self, made: SlopeEquations, state: State, chosen: IndependentCoordinates, A: Array,
        fields: Sequence[SymmetryField] = (),
    ) -> None:  # fmt: skip
        self.made, self.chosen = made, chosen
        self.fields = [one for one in fields if not evaluate([one.c], {})[0]]
        self._turning: dict[int, bool] = {}
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

    @cached_property
    def _flows(self) -> FieldNumbers:
        return FieldNumbers(self.made.names, self.fields, [1.0] * len(self.fields))

    def lift(self, x: Array) -> Array:
        """Return the symmetries at a state, prolonged to rates (2n, k)."""
        n = len(self.made.names)
        each = self._flows.evaluate_each(x[:n].tolist(), x[n:].tolist()) if self.fields else []
        return np.array([np.concatenate([X, w]) for X, _, w, _ in each]).reshape(len(each), 2 * n).T

    def _go_along(self, x: Array, s: Array) -> tuple[Array, Array]:
        """Return exp Σ s_k X_k of a state (2n,), and its slopes (2n, 2n)."""
        from scipy.integrate import solve_ivp

        width, one = len(x), np.eye(len(x))
        if all(y.constant for single in self.fields for y in single.X):
            return x + self.lift(x) @ s, one

        def turn(_: float, y: Array) -> Array:
            n = width // 2
            each = self._flows.evaluate_each(y[:n].tolist(), y[n:width].tolist())
            X, DX, w, bent = (
                sum(c * part for c, part in zip(s, parts, strict=True)) for parts in zip(*each, strict=True)
            )
            slope = np.block([[DX, np.zeros((n, n))], [bent, DX]])
            return np.concatenate([X, w, (slope @ y[width:].reshape(width, width)).ravel()])

        run = solve_ivp(turn, (0.0, 1.0), np.concatenate([x, one.ravel()]), "DOP853", rtol=TOLERANCES[0], atol=LEFT)
        return run.y[:width, -1], run.y[width:, -1].reshape(width, width)

    def _return(self, start: Array, end: Array, weights: Array) -> tuple[Array, Array, Array, Array]:
        """Take whole turns and a symmetry off the end of a motion, all with weights (2n,).

        Returns
        -------
        tuple
            What is left as shifts of the start (2n,); Ψ'⁻¹ (2n, 2n); s (k,); turns (n,).
        """
        n, moved, s = len(start) // 2, end - start, np.zeros(len(self.fields))
        turns = np.array(
            [round(x / (2 * np.pi)) if abs(x) > np.pi and self._turns(i) else 0 for i, x in enumerate(moved[:n])]
        )
        end = end - np.concatenate([2 * np.pi * turns, np.zeros(n)])
        there, slope = start, np.eye(2 * n)
        for _ in range(ATTEMPTS if self.fields else 0):
            columns = self.lift(there) * weights[:, None]
            step = np.linalg.lstsq(columns, (end - there) * weights, rcond=ZERO_PART)[0]
            if np.abs(columns @ step).max(initial=0.0) <= LEFT * np.abs(weights * end).max(initial=1.0):
                break
            s = s + step
            there, slope = self._go_along(start, s)
        back = np.asarray(np.linalg.inv(slope), dtype=float)
        return back @ (end - there), back, s, turns

    def _turns(self, i: int) -> bool:
        """Return True if equations repeat after a turn of a coordinate that is no symmetry by itself."""
        if i not in self._turning:
            alone = any(
                one.X[i].constant and all(x is ZERO for j, x in enumerate(one.X) if j != i) for one in self.fields
            )
            self._turning[i] = not alone and repeats_after_turn(self.made, self.made.names[i])
        return self._turning[i]

    def follow(self, state: State, T: float, varied: bool, fine: int = 0) -> Returned:
        """Integrate from a state over T, also Φ if ``varied``; ``fine`` is 0 for the fine tolerance, 1 for the coarse.

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
        end = run.y[:, -1]
        even = start[:n, None] + np.outer(end[:n] - start[:n], run.t / T)
        far = float(np.abs(run.y[:n] - even).max(initial=0.0))
        size = np.concatenate([self._roots, self._roots / max(self.fastest, 1 / T)])
        shifts, back, s, turns = self._return(start, end[: 2 * n], size)
        Phi = end[2 * n :].reshape(-1, width)
        if varied and self.fields:
            at = self.made.numbers(self._values(state.t + T, end[:n], end[n : 2 * n]))
            basis = Basis(at.D, self.chosen, np.linalg.solve)
            a, loads = accelerations(at, basis, np.linalg.solve)
            slopes = self.made.slopes(self._values(state.t + T, end[:n], end[n : 2 * n], a, loads))
            found = reduce_equations(at.M, slopes, basis)
            tangent = np.block([[found.shapes, np.zeros(found.rates.shape)], [found.turning, found.rates]])
            Phi = ((back @ tangent)[self.take] * scale) @ Phi
        flows = back @ move(T, end)[: 2 * n]
        return Returned(shifts, far, flows, Phi, s, turns)

    def measure_gap(self, end: Returned, T: float) -> float:
        """Return how far a motion is from its start after T, as a part of how far it went."""
        n = len(self.made.names)
        left = np.concatenate([end.shifts[:n], end.shifts[n:] / max(self.fastest, 1 / T)])
        return float(np.abs(left).max(initial=0.0)) / max(end.far, LITTLE)

    def find(self, state: State, T: float, place: Place) -> tuple[State, float] | None:
        """Return a state near by whose motion returns, and its period, by Newton's method; None if none is found."""
        x, weights, free = np.zeros(len(self.take)), self.weigh(T), not self.made.rheonomic
        here: State | None = state
        fine = 1
        for _ in range(ATTEMPTS):
            if here is None or not T > 0:
                return None
            end = self.follow(here, T, True, fine)
            gap = self.measure_gap(end, T)
            fine = fine if gap > NEARBY else 0
            if gap <= RETURNS / 100:
                return (here, T) if end.far > LITTLE or not free else None
            neutral = self.lift(np.concatenate(self._pack(here)))[self.take] * weights[:, None]
            J = np.hstack(
                [end.Phi - np.eye(len(end.Phi)), *([(end.flows[self.take] * weights)[:, None]] * free), neutral]
            )
            step = np.linalg.lstsq(J, -end.shifts[self.take] * weights, rcond=RETURNS)[0]
            x = x + step[: len(x)] / weights
            T = T + float(step[len(x)]) if free else T
            there = place(x)
            here = there[0] if there else None
        return None

    def judge(self, state: State, T: float) -> PeriodicMotion | None:
        """Judge the motion from a state by its multipliers; None if it does not return."""
        end = self.follow(state, T, False, 1)
        if self.measure_gap(end, T) > NEARBY or (not self.made.rheonomic and end.far <= LITTLE):
            return None
        end = self.follow(state, T, True)
        if self.measure_gap(end, T) > RETURNS:
            return None
        rough, Phi = self.follow(state, T, True, 1).Phi, end.Phi
        error = float(np.linalg.norm(Phi - rough)) + LEFT * float(np.linalg.norm(Phi))
        weights = self.weigh(T)
        neutral = [*self.lift(np.concatenate(self._pack(state))).T, *([] if self.made.rheonomic else [end.flows])]
        names = [*(one.name for one in self.fields), "orbit"][: len(neutral)]
        _, G = pick_independent(names, [x[self.take] * weights for x in neutral], len(Phi))
        Q = complement(G, len(Phi))  # along the orbit itself, and along symmetries, nothing grows or decays
        across = Q.T @ Phi @ Q
        stable, words = _judge_multipliers(across, error, keeps_volume(self.made), self.made.linear)
        words = ACROSS if self.fields and words == UPRIGHT else words
        multipliers = sorted((complex(x) for x in np.linalg.eigvals(Phi)), key=lambda x: (x.real, x.imag))
        along = {one.name: s * (abs(s) > RETURNS) + 0.0 for one, s in zip(self.fields, end.along.tolist(), strict=True)}
        turns = {name: int(k) for name, k in zip(self.made.names, end.turns, strict=True) if k}
        monodromy = Phi * np.outer(1 / weights, weights)
        return PeriodicMotion(T, monodromy, tuple(multipliers), stable, words, along, turns)


def has_corners(made: SlopeEquations) -> bool:
    """Return whether forces or rows have kinks, across which variations are not continuous."""
    return bool(kinks([*made.force, *made.M.ravel(), *made.D.ravel(), *made.rest]))


def keeps_volume(made: SlopeEquations) -> bool:
    """Return True if forces have a potential at every t: multipliers then come in pairs μ, 1/μ."""
    applied, q, v = list(made.parts[1]), *([rate(x, k) for x in made.names] for k in (0, 1))
    if not all(made.holonomic) or any(x is not ZERO for line in jacobian(applied, v) for x in line):
        return False
    K = jacobian(applied, q)
    twisted = [K[i][j] - K[j][i] for i in range(len(q)) for j in range(i)]
    return all(x is ZERO or vanish([x])[0].kind == IDENTICAL for x in twisted)


def _judge_multipliers(Phi: Array, error: float, paired: bool, linear: bool) -> tuple[bool | None, str]:
    """Return stability, as a truth value and in words, by the multipliers with their error bounds."""
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
