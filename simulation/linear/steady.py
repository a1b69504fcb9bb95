"""Steadiness of the linear equations of a motion: only if it is proved do eigenvalues decide stability.

An eigenvalue of A(t) at one moment says nothing of x' = A(t) x: both may decay at every moment while x grows. Along a
steady motion (a sleeping top, a bead in a hoop that is kept turning) A is constant. Samples along the motion do not
show that: a spring may soften by 1e-9 a turn, a stop may come a minute later. So the motion is enclosed in a set of
states, along which each coordinate rests, moves on at its rate, or is free; the equations show that no motion leaves
the set, and that what A is made of is the same everywhere on it. Both are identities, decided in prime fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from itertools import chain
from math import pi
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, MbconcordError
from mbconcord.model.expressions import PI_NODE, TIME, ZERO, Expression, ExpressionError, number, rate, symbol, symbols
from mbconcord.model.expressions.calculus import Substitution
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.expressions.program import program
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..keeping import place_state
from ..motion.arrays import Array
from .equations import SlopeEquations
from .modes import TWISTED
from .reduction import Basis, IndependentCoordinates

#: X and DX of a field at positions and rates, and more.
Along = Callable[[Sequence[float], Sequence[float]], tuple[Array, ...]]
#: How many states near a motion are drawn, how far from it (m, rad and by seconds), and how many rates at each.
DRAWN: Final = (6, 0.1, 4)
#: What is said of an equilibrium where :func:`may_feed`.
FED: Final = Diagnostic(
    "warning", "stability", "forces of higher order in positions and rates can feed what oscillates without damping",
    "see mbconcord simulate FILE --until SECONDS",
)  # fmt: skip

#: What is rounding: of a rate beside the fastest, an angle beside a part of a turn, an acceleration beside others.
ROUNDING: Final = 1e-12
#: Parts of half a turn that are known in an angle; the largest whole number that relates two rates.
PARTS, RELATED = 12, 60
#: Steps of what is proved; beyond that nothing is.
MOST_STEPS: Final = 500_000


@dataclass(frozen=True)
class SteadyMotion:
    """Properties that are proved of the motion through a state.

    Attributes
    ----------
    rests : True if it is proved that all coordinates stay where they are, at all times
    uniform : True if it is proved that all coordinates move on at their rates
    steady : True if it is proved that the linear equations stay the same along the motion
    """

    rests: bool
    uniform: bool
    steady: bool


def motion_through(made: SlopeEquations, state: State, acceleration: Array, idle: Collection[int]) -> SteadyMotion:
    """Return what is proved of the motion through a state.

    Parameters
    ----------
    made : the equations of a model
    state : a state on the constraints
    acceleration (n,) : q''; zero where the state is balanced
    idle : indices of the rows whose multipliers are zero

    Returns
    -------
    SteadyMotion
        A state at rest that no force accelerates and no time changes is steady.
    """
    if made.driven:
        return SteadyMotion(False, False, False)
    known, free = _KnownState(made, state), _find_accelerating(made.names, acceleration)
    if not (known.moving or free or made.rheonomic):
        return SteadyMotion(True, True, True)
    try:
        while True:
            way = _Way(made, known, free, idle)
            leaving = way.leaving()
            if leaving is None:
                return SteadyMotion(False, False, False)
            if not leaving:
                return SteadyMotion(not (known.moving or free), not free, way.is_linear_constant())
            free |= leaving
    except ExpressionError:  # numbers of the state, exactly, are too long: nothing is proved
        return SteadyMotion(False, False, False)


def _find_accelerating(names: Sequence[str], a: Array) -> set[str]:
    """Return the coordinates that accelerate at the state itself."""
    least = ROUNDING * max(map(abs, a.tolist()), default=0.0)
    return {name for name, x in zip(names, a.tolist(), strict=True) if abs(x) > least}


class _KnownState:
    """A state in numbers as intended: fractions of a turn, rates that are integer multiples of each other."""

    def __init__(self, made: SlopeEquations, state: State) -> None:
        fastest = max((state.v[name] for name in made.names), key=abs, default=0.0)
        self.t = _decimal(state.t)
        self.q = {name: _place(state.q[name]) for name in made.names}
        self.v = {name: _to_related_rate(state.v[name], fastest) for name in made.names}
        self.moving = {name for name, v in self.v.items() if v is not ZERO}


def _decimal(x: float) -> Expression:
    return number(Fraction(repr(float(x))))


def _place(q: float) -> Expression:
    """Convert a position to an expression, exactly if it is a fraction of a turn up to rounding."""
    turns = Fraction(round(q / pi * PARTS), PARTS)
    near = abs(q - float(turns) * pi) <= ROUNDING * max(abs(q), 1.0)
    return number(turns) * PI_NODE if near else _decimal(q)


def _to_related_rate(v: float, fastest: float) -> Expression:
    """Convert a rate to an expression, as a rational multiple of the fastest if it is one up to rounding."""
    if not v or abs(v) <= ROUNDING * max(abs(fastest), 1.0) < abs(fastest):
        return ZERO
    ratio = Fraction(v / fastest).limit_denominator(RELATED)
    near = abs(float(ratio) * fastest - v) <= ROUNDING * abs(fastest)
    return number(ratio) * _decimal(fastest) if near else _decimal(v)


class _Way:
    """The states that the motion may reach: coordinates at rest or at their rates, others free.

    Attributes
    ----------
    made, free : the equations, and the coordinates of which nothing is known
    """

    def __init__(self, made: SlopeEquations, known: _KnownState, free: Collection[str], idle: Collection[int]) -> None:
        self.made, self.free = made, free
        here: dict[Expression, Expression] = {TIME: known.t}
        along: dict[Expression, Expression] = {TIME: known.t + TIME}
        for name in made.names:
            own = {rate(name, 0): known.q[name], rate(name): known.v[name], rate(name, 2): ZERO}
            here |= own
            if name not in free:
                along |= own | {rate(name, 0): known.q[name] + known.v[name] * TIME}
        for i, (name, row) in enumerate(zip(made.multipliers, made.D, strict=True)):
            if any(d is not ZERO for n, d in zip(made.names, row, strict=True) if n in free):
                here[symbol(name)] = ZERO
            elif i in idle and not free:
                here[symbol(name)] = along[symbol(name)] = ZERO
        inputs = {symbol(u.symbol): ZERO for u in made.inputs}
        self._here, self._along = Substitution(here | inputs), Substitution(along | inputs)

    def leaving(self) -> set[str] | None:
        """Return the coordinates that accelerate as forces change along the way; None if rows cause it."""
        made = self.made
        if not self.is_constant(made.D.ravel() if self.free else made.rest):
            return None
        fixed = made.fixed_coordinates
        watched = [name for name in made.names if name not in self.free and name not in fixed]
        forces = [made.residual[made.names.index(name)] for name in watched]
        return {name for name, same in zip(watched, self._same(forces), strict=True) if not same}

    def is_linear_constant(self) -> bool:
        """Return True if all linear equations are proved constant; M and D come first, where most proofs fail."""
        if not self.is_constant(chain(self.made.M.ravel(), self.made.D.ravel())):
            return False
        every = (*self.made.slopes_of_forces[:2], *self.made.slopes_of_rows)
        return self.is_constant(chain.from_iterable(x.ravel() for x in every))

    def is_constant(self, outputs: Iterable[Expression]) -> bool:
        """Return True if it is proved that the outputs are the same everywhere on the way."""
        return all(self._same(list(outputs)))

    def _same(self, outputs: list[Expression]) -> list[bool]:
        """Decide for each output whether it is proved to be constant along the way."""
        pairs = list(zip(self._along.apply(outputs), self._here.apply(outputs), strict=True))
        apart = [(x, y) for x, y in dict.fromkeys(pairs) if x is not y and not (x.constant and y.constant)]
        if not apart:
            return [x is y for x, y in pairs]
        if len(program([x for pair in apart for x in pair]).steps) > MOST_STEPS:
            return [x is y for x, y in pairs]
        proved = {pair for pair, found in zip(apart, compare(apart), strict=True) if found.kind == IDENTICAL}
        return [x is y or (x, y) in proved for x, y in pairs]


def may_feed(
    system: System, made: SlopeEquations, state: State, chosen: IndependentCoordinates, along: Along | None = None
) -> bool:
    """Return whether applied forces are seen to do work on some motion near an equilibrium, or near a steady motion.

    Random states on the constraints are tried, with rates near the motion's X: forces feed if there K + C DX is not
    symmetric, or if C or a change of the rates gives energy. Forces with a potential and dampers never feed,
    whatever their order.
    """
    applied, names, rng = made.parts[1], made.names, np.random.default_rng(0)
    if not any(symbols([x]) for x in applied):
        return False
    n, zeros = len(names), [0.0] * len(made.rows)
    for _ in range(DRAWN[0]):
        there = _draw(system, made, state, chosen, DRAWN[1] * rng.standard_normal(len(chosen.positions)))
        if there is None:
            continue
        X, DX = along(there, [0.0] * n)[:2] if along else (np.zeros(n), np.zeros((n, n)))
        on = made.values(state.t, there, X.tolist(), [0.0] * n, zeros)
        try:
            at, (by_q, by_v) = made.numbers(on), made.slopes_of_applied(on)
            N = Basis(at.D, chosen, np.linalg.solve).rates
            beside = DRAWN[1] * N @ rng.standard_normal((N.shape[1], DRAWN[2]))
            moved = [
                made.numbers(made.values(state.t, there, (X + v).tolist(), [0.0] * n, zeros)).parts[1] for v in beside.T
            ]
        except (ExpressionError, np.linalg.LinAlgError):  # no value there
            continue
        for v, moving in zip(beside.T, moved, strict=True):
            work = v * (moving - at.parts[1])
            rounding = TWISTED * np.abs(work).sum()
            rounding += ROUNDING * (np.abs(v) * (np.abs(moving) + np.abs(at.parts[1]))).sum()
            if work.sum() > rounding:
                return True
        K, C = (N.T @ x @ N for x in (by_q + by_v @ DX, by_v))
        k, c = (np.abs(N.T) @ np.abs(x) @ np.abs(N) for x in (np.abs(by_q) + np.abs(by_v) @ np.abs(DX), by_v))
        grows = float(np.linalg.eigvalsh((C + C.T) / 2).max(initial=0.0))
        if grows > ROUNDING * c.max(initial=0.0) or (np.abs(K - K.T) > TWISTED * k.max(initial=0.0)).any():
            return True
    return False


def _draw(
    system: System, made: SlopeEquations, state: State, chosen: IndependentCoordinates, shift: Array
) -> list[float] | None:
    """Return positions on the constraints whose independent ones are shifted; None where there are none."""
    kept = [made.names[i] for i in chosen.positions]
    q = dict(state.q) | {name: state.q[name] + float(x) for name, x in zip(kept, shift, strict=True)}
    if made.rows:
        try:
            q = dict(place_state(system, replace(state, q=q, v={}), kept).state.q)
        except MbconcordError:
            return None
    return [q[name] for name in made.names]
