"""Equilibria: positions at which the forces balance on the constraints, everything at rest.

    Nᵀ (gravity + applied - h) = 0 ,   f(q, t) = 0 ,   q' = 0

Found by a Levenberg-Marquardt method on the constraints: the independent coordinates are moved, the others follow by
closing the loops. Its Jacobian is the stiffness Nᵀ (∂R/∂q) N with the geometric part that the reactions make. Forces
are measured by what they are made of, shifts in the reach of the mechanism.

Motions that are prescribed stand still at the time that is stated. Where the equations do not depend on the time, as
those of what turns steadily about a vertical axis, they go on, and the equilibrium is one relative to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ExpressionError, symbols
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..assembly import with_auxiliary
from ..batch import RowsAtStates
from ..keeping import placed
from ..levenberg_marquardt import ACCEPTED, solve, units_of
from ..motion.arrays import Array
from ..multipliers import left_open
from ..rewriting import standing_still
from ..rows import constraint_rows
from ..shifts import moved
from .equations import FIXED, Equations, equations
from .reduction import Basis, Choice, choice
from .smooth import resting_on_friction

#: Steps before no equilibrium is said to be near.
STEPS: Final = 200
#: Forces that are left of what they are made of: rounding; and accepted where steps no longer help.
SMALLEST, BALANCED = 1e-15, 1e-10
#: No independent coordinate moves farther in a step (rad, or reaches).
LONGEST: Final = 0.5
#: Damping at the start; below this part of the largest, directions are not resisted.
DAMPING, INDIFFERENT = 1e-3, 1e-9
#: Coordinates with so large a part in a direction are named.
NAMED: Final = 0.1


@dataclass(frozen=True)
class Balance:
    """A position at rest, on the constraints.

    Attributes
    ----------
    q (n,) : positions
    chosen, basis : what is independent, and what follows
    force (p,) : Nᵀ (gravity + applied - h), what is left of forces along the independent coordinates
    stiffness (p, d) : -∂force/∂z
    multipliers (m,) : λ, NaN where the rows leave it open
    size : what forces are made of, and what shifts of a unit make, times the units of the coordinates (N m)
    units (p,), position_units (d,) : of the independent rates and coordinates
    """

    q: Array
    chosen: Choice
    basis: Basis
    force: Array
    stiffness: Array
    multipliers: Array
    size: float
    units: Array
    position_units: Array

    @property
    def left(self) -> float:
        """The largest force that is left, as a part of what forces are made of."""
        return float(np.abs(self.force * self.units).max(initial=0.0)) / self.size if self.size > 0 else 0.0

    @property
    def scaled(self) -> Array:
        """The stiffness in units of the coordinates (N m)."""
        return self.stiffness * np.outer(self.units, self.position_units)


@dataclass(frozen=True)
class Resting:
    """An equilibrium of a system with n coordinates.

    Attributes
    ----------
    system, formalism : names
    state : positions, at rest
    coordinates : names
    independent, rates : names of the d coordinates and the p rates in which the stiffness is written
    shapes (n, p) : motions that the rows admit, by the independent rates
    shift (n,) : how far it is from where it was looked for
    stiffness (p, d) : N/m, N, N m; square but for rows that restrict rates alone
    left : the largest force that is left, as a part of what forces are made of
    size : that (N m), with coordinates in ``units`` (p,)
    unstable, indifferent : names of coordinates along which forces drive away, or do not draw back
    multipliers (m,), rows : reactions, NaN where the rows leave them open; of a coordinate that is held the effort that
        holds it
    steps : how many were made
    relative : whether prescribed motions go on meanwhile
    diagnostics : what was remarked
    """

    system: str
    formalism: str
    state: State
    coordinates: tuple[str, ...]
    independent: tuple[str, ...]
    rates: tuple[str, ...]
    shapes: Array
    shift: Array
    stiffness: Array
    left: float
    size: float
    units: Array
    unstable: tuple[tuple[str, ...], ...]
    indifferent: tuple[tuple[str, ...], ...]
    multipliers: Array
    rows: tuple[str, ...]
    steps: int
    relative: bool
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def stability(self) -> str:
        """``stable``, ``unstable`` or ``indifferent``, by the sign of the stiffness."""
        return "unstable" if self.unstable else "indifferent" if self.indifferent else "stable"


class NoEquilibriumError(NumbersError):
    """There is none near the start; ``nearest`` leaves the smallest forces."""

    def __init__(self, findings: Sequence[Diagnostic], nearest: State) -> None:
        super().__init__(findings)
        self.nearest = nearest

    def saying(self, findings: Sequence[Diagnostic]) -> NoEquilibriumError:  # type: ignore[override]
        """The same error with these findings in place of its own."""
        return NoEquilibriumError(tuple(findings), self.nearest)


def equilibrium(
    system: System, by: Formalism, state: State, hold: Collection[str] = (), timed: bool = False
) -> Resting:
    """The equilibrium that is found from a state.

    Parameters
    ----------
    system, by : the equations of a model by a formalism
    state : where it is looked for; rates count for nothing
    hold : coordinates that stay where they are
    timed : whether the time of the state was stated, at which prescribed motions stand still

    Raises
    ------
    NoEquilibriumError
        None is near: which force is left along which coordinate.
    NumbersError
        No state near it satisfies the constraints; the equations depend on a time that was not stated.
    FormalismError
        The formalism does not take the model.
    """
    made = equations(system, by, state.parameters, (), sorted(hold))
    relative = not made.rheonomic and _moves_by_itself(system)
    if made.rheonomic:
        if not timed:
            message = "the model depends on the time: it can rest at a moment alone"
            remedy = "state it, for example --time 0, in Python t=0: prescribed motions stand still there"
            raise NumbersError(error("t", message, remedy))
        system = standing_still(system, state.t)
        made = equations(system, by, state.parameters, (), sorted(hold))
    if not made.names:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    _require_rest(system, made)
    state = State(state.t, state.q, dict.fromkeys(made.names, 0.0), {}, state.parameters)
    start = placed(system, state, set(state.q) | set(hold), ())
    search = _Search(system, made, start.state)
    try:
        found = search.found()
    except ExpressionError as problem:
        raise NumbersError(error(made.formalism, str(problem))) from None
    return _resting(system, made, search, found, relative, tuple(moved(system, start)))


def _moves_by_itself(system: System) -> bool:
    amounts = [step.amount for body in system.bodies for step in body.joint if not step.coordinate]
    amounts += [wheel.angle for body in system.bodies for wheel in body.flywheels]
    return "t" in symbols(amounts)


def _require_rest(system: System, made: Equations) -> None:
    """Refuse drives that accelerate their coordinates whatever the position."""
    findings = []
    for row, rest in zip(made.rows, made.rest, strict=True):
        if row.startswith("drive of ") and not (rest.op == "num" and not rest.data):
            name = row.removeprefix("drive of ")
            message = f"it imposes the acceleration {-rest}: the coordinate cannot rest"
            findings.append(error(f"coordinates/{name}/drive", message, "hold it: give the drive an effort"))
    if findings:
        raise NumbersError(findings)


class _Search:
    """Levenberg-Marquardt on the constraints, from a state."""

    def __init__(self, system: System, made: Equations, state: State) -> None:
        self.made, self.state, self.n = made, state, len(made.names)
        self.at = RowsAtStates(constraint_rows(system), system, [state])
        fixed = {row.partition(" of ")[2] for row in made.rows if row.startswith(FIXED)}
        self.fixed = [made.names.index(name) for name in fixed]
        self.start = with_auxiliary(self.at, self.at.q)
        self.units = units_of(self.at, self.start)[0, : self.n]
        self.size, self.steps = 0.0, 0

    def balance(self, extended: Array) -> Balance:
        """What acts at a position (1, k)."""
        made, q = self.made, extended[0, : self.n]
        values = made.values(self.state.t, q.tolist(), [0.0] * self.n, [0.0] * self.n, [0.0] * len(made.rows))
        at = made.numbers(values)
        if not (np.isfinite(at.force).all() and np.isfinite(at.D).all()):
            raise ExpressionError("the forces have no numbers at the state")
        chosen = choice(at.D, made.holonomic, self.units)
        basis = Basis(at.D, chosen, np.linalg.solve)
        multipliers = basis.multipliers(-at.force)
        slopes = made.slopes(values | dict(zip(made.multipliers, multipliers.tolist(), strict=True)))
        sizes = at.sizes + np.abs(at.D * multipliers[:, None]).sum(axis=0)
        made_of = float((sizes * self.units).max(initial=0.0))
        by_shifts = float(np.abs(slopes.K * np.outer(self.units, self.units)).max(initial=0.0))
        self.size = max(self.size, made_of, by_shifts)
        return Balance(
            q, chosen, basis, basis.rates.T @ at.force, basis.rates.T @ slopes.K @ basis.shapes,
            np.where(left_open(at.D), np.nan, multipliers),
            self.size, self.units[list(chosen.rates)], self.units[list(chosen.positions)],
        )  # fmt: skip

    def moved(self, extended: Array, here: Balance, dz: Array) -> Array | None:
        """The position (1, k) with the independent coordinates moved and the loops closed; None where they do not."""
        tried, own = extended.copy(), list(here.chosen.positions)
        tried[0, : self.n] += here.basis.shapes @ dz
        tried[0, own] = extended[0, own] + dz
        if not self.at.m:
            return tried
        moving = np.array([i not in own and i not in self.fixed for i in range(self.at.k)])
        tried = solve(self.at, tried, units_of(self.at, tried), moving)
        return tried if self.at.positions(tried).gaps[0] <= ACCEPTED else None

    def found(self) -> Balance:
        """The position at which the least forces are left."""
        extended, here = self.start, self.balance(self.start)
        damping, factor, before = DAMPING, 2.0, np.inf
        for _ in range(STEPS):
            if here.left <= SMALLEST or (here.left <= BALANCED and here.left > before / 2) or factor > 1e12:
                break
            self.steps += 1
            there = self._tried(extended, here, damping)
            if there is None or not there[1].left < here.left:
                damping, factor, before = damping * factor, 2 * factor, np.inf
                continue
            before, damping, factor = here.left, damping / 3, 2.0
            extended, here = there
        return here

    def _tried(self, extended: Array, here: Balance, damping: float) -> tuple[Array, Balance] | None:
        """The position after one step, and what acts there."""
        J, g = here.scaled / here.size, here.force * here.units / here.size
        square = J.T @ J
        mu = max(damping * here.left, 1e-16) * float(np.trace(square)) + 1e-300
        step = np.linalg.solve(square + mu * np.eye(len(square)), J.T @ g)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        there = self.moved(extended, here, step * here.position_units)
        if there is None:
            return None
        try:
            return there, self.balance(there)
        except ExpressionError:
            return None


def _resting(
    system: System, made: Equations, search: _Search, here: Balance, relative: bool, notes: tuple[Diagnostic, ...]
) -> Resting:  # fmt: skip
    """The equilibrium, or why there is none."""
    names, chosen = made.names, here.chosen
    state = replace(search.state, q=dict(zip(names, here.q.tolist(), strict=True)))
    if not here.left <= BALANCED:
        raise NoEquilibriumError(list(_unbalanced(made, here)), state)
    values = made.values(state.t, here.q.tolist(), *([0.0] * len(names),) * 2, [0.0] * len(made.rows))
    notes = (*notes, *resting_on_friction(made, values))
    if relative:
        message = "prescribed motions go on at their constant rates: the equilibrium is one relative to them"
        notes = (*notes, Diagnostic("note", "t", message))
    unstable: tuple[tuple[str, ...], ...] = ()
    indifferent: tuple[tuple[str, ...], ...] = ()
    if chosen.rates == chosen.positions:
        unstable, indifferent = _directions(names, here)
    else:
        message = (
            "rows restrict rates that restrict no positions: the positions of rest are many, and not judged"
        )
        notes = (*notes, Diagnostic("note", "constraints", message))
    return Resting(
        system.name, made.formalism, state, names, tuple(names[i] for i in chosen.positions),
        tuple(names[i] for i in chosen.rates), here.basis.rates,
        here.q - search.start[0, : len(names)], here.stiffness, here.left, here.size, here.units, unstable, indifferent,
        here.multipliers, made.rows, search.steps, relative, notes,
    )  # fmt: skip


def _unbalanced(made: Equations, here: Balance) -> Iterator[Diagnostic]:
    """The forces that are left, the largest first."""
    left = np.abs(here.force * here.units)
    worst = [i for i in np.argsort(-left) if left[i] > NAMED * left.max()]
    for i in worst:
        name = made.names[here.chosen.rates[i]]
        message = f"no equilibrium near the start: a force of {here.force[i]:.6g} is left along {name}"
        remedy = "begin nearer to one, or give what balances it: a spring, a drive, or hold the coordinate"
        yield error(f"coordinates/{name}", message, remedy)


Names = tuple[tuple[str, ...], ...]


def _directions(names: Sequence[str], here: Balance) -> tuple[Names, Names]:
    """Coordinates of the directions in which the stiffness is negative, and of those in which it is zero."""
    K = here.scaled
    if not len(K):
        return (), ()
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    zero = INDIFFERENT * max(float(np.abs(values).max()), here.size * INDIFFERENT)
    found: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
    for value, vector in zip(values, vectors.T, strict=True):
        if value <= zero:
            shape = np.abs(here.basis.shapes @ (vector * here.position_units))
            moving = [name for name, x in zip(names, shape, strict=True) if x > NAMED * shape.max()]
            found[int(value >= -zero)].append(tuple(moving))
    return tuple(found[0]), tuple(found[1])
