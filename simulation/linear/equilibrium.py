"""Equilibria: positions at which the forces balance on the constraints, everything at rest.

    Nᵀ (gravity + applied - h) = 0 ,   f(q, t) = 0 ,   q' = 0

A Levenberg-Marquardt method on the constraints finds them: the independent coordinates are moved, the others follow by
closing the loops. Its Jacobian is the stiffness Nᵀ (∂R/∂q) N with the geometric part that the reactions cause. Forces
are measured relative to their terms, shifts in the reach of the mechanism.

Prescribed motions stop at the stated time. If the equations do not depend on time, as for steady rotation about a
vertical axis, they continue, and the equilibrium is relative to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.limits import format_names
from mbconcord.model.mixed import coordinates_without_inertia
from mbconcord.model.omission import ASSUMED, format_acting
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..assembly import with_auxiliary
from ..batch import RowsAtStates
from ..keeping import describe_moves, place_state
from ..levenberg_marquardt import ACCEPTED, solve, units_of
from ..motion.arrays import Array
from ..poses import describe_far
from ..rows import constraint_rows, left_open, standing_still
from .equations import SlopeEquations, equations
from .modes import feeds_energy, is_held_by_rates, is_stable, is_twisted, modes
from .reduction import Basis, IndependentCoordinates, choice, reduce_equations, state_space
from .smooth import describe_kinks_of_rest, find_kinks_of_rest, moves_by_itself, omit_speeds
from .steady import FED, may_feed

#: Steps before no equilibrium is said to be near.
STEPS: Final = 200
#: Forces that are left of what they are made of: rounding; and accepted where steps no longer help.
SMALLEST, BALANCED = 1e-15, 1e-10
#: So often a step along the forces is halved where it goes too far.
HALVED: Final = 30
#: No independent coordinate moves farther in a step (rad, or reaches).
LONGEST: Final = 0.5
#: Damping at the start; below this part of the largest, directions are not resisted.
DAMPING, INDIFFERENT = 1e-3, 1e-9
#: A place that forces draw to is no farther than this part of the way to where they are next to nothing.
FADES, NEAR = 1e-2, 1e-6
#: What is left of forces below this part of what they are made of is rounding.
CANCELLED: Final = 1e-12
#: A coordinate's forces are measured by their own terms, or by this part of the largest, whose rounding they may bear.
LEAST: Final = 1e-4
#: Coordinates with so large a part in a direction are named.
NAMED: Final = 0.1
#: A position beside a singular one, in units of the coordinates.
BESIDE: Final = 0.01
#: Stability where rows restrict rates alone, or at a singular position.
UNJUDGED: Final = "not judged"


@dataclass(frozen=True)
class RestPosition:
    """A position at rest on the constraints.

    Attributes
    ----------
    q (n,) : positions
    chosen, basis : the independent coordinates, and how the others follow them
    force (p,) : Nᵀ (gravity + applied - h), the residual forces along the independent coordinates
    stiffness (p, d) : -∂force/∂z
    multipliers (m,) : λ, NaN where the rows leave it open
    made_of : largest term of the forces, or change of a force by a unit shift, times units of coordinates (N m)
    size : the largest made_of on the way of the search
    sizes (p,) : the same for the forces along each independent rate
    units (p,), position_units (d,) : units of the independent rates and coordinates
    """

    q: Array
    chosen: IndependentCoordinates
    basis: Basis
    force: Array
    stiffness: Array
    multipliers: Array
    made_of: float
    size: float
    sizes: Array
    units: Array
    position_units: Array

    @property
    def residual(self) -> float:
        """The largest residual force, relative to the terms of the forces along its coordinate."""
        return float((np.abs(self.force * self.units) / self.sizes).max(initial=0.0))

    @property
    def whole(self) -> float:
        """The root of the sum of squares of the relative residuals: one that nothing lessens does not stop others."""
        return float(np.linalg.norm(self.force * self.units / self.sizes))

    @property
    def scaled_stiffness(self) -> Array:
        """The stiffness in units of the coordinates (N m)."""
        return self.stiffness * np.outer(self.units, self.position_units)


@dataclass(frozen=True)
class Resting:
    """An equilibrium of a system with n coordinates.

    Attributes
    ----------
    system, formalism : names of the system and of the formalism
    state : positions, at rest
    coordinates : names of all coordinates
    independent, rates : names of the d coordinates and the p rates in which the stiffness is written
    shapes (n, p) : motions that the rows admit, by the independent rates
    shift (n,) : distance from the start of the search
    stiffness (p, d) : N/m, N, N m; square but for rows that restrict rates alone
    left : the largest residual force, relative to the terms of forces along its coordinate
    made_of : the largest of those terms (N m), with coordinates in units of ``scale`` (n,)
    size : the largest made_of on the way of the search, with rates in ``units`` (p,)
    stability : ``stable``, ``unstable`` or ``indifferent``: by the sign of the stiffness; by the eigenvalues if dampers
        supply energy, forces have no potential, or gyroscopic ones may stabilize; ``undecided`` if higher orders
        decide; ``not judged`` where rows restrict rates alone
    unstable, indifferent : for each direction of negative, or zero, stiffness the names of the coordinates that move
    multipliers (m,), rows : λ, NaN if undetermined, and names of its rows; for a fixed coordinate its holding effort
    steps : number of steps of the search
    relative : True if prescribed motions continue
    still : True if prescribed motions were stopped at the state's time to find the equilibrium
    diagnostics : remarks
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
    made_of: float
    scale: Array
    size: float
    units: Array
    stability: str
    unstable: tuple[tuple[str, ...], ...]
    indifferent: tuple[tuple[str, ...], ...]
    multipliers: Array
    rows: tuple[str, ...]
    steps: int
    relative: bool
    still: bool
    diagnostics: tuple[Diagnostic, ...] = ()


class NoEquilibriumError(NumbersError):
    """No equilibrium was found near the start; ``nearest`` leaves the smallest forces."""

    def __init__(self, findings: Sequence[Diagnostic], nearest: State) -> None:
        super().__init__(findings)
        self.nearest = nearest

    def saying(self, findings: Sequence[Diagnostic]) -> NoEquilibriumError:  # type: ignore[override]
        """Return the same error with these findings in place of its own."""
        return NoEquilibriumError(tuple(findings), self.nearest)


def equilibrium(
    system: System, by: Formalism, state: State, hold: Collection[str] = (), timed: bool = False
) -> Resting:
    """Find the static equilibrium near a state.

    Parameters
    ----------
    system, by : the model, and the formalism that gives its equations
    state : start of the search; its rates are ignored
    hold : coordinates that stay fixed
    timed : True if the time of the state, at which prescribed motions are frozen, was given

    Raises
    ------
    NoEquilibriumError
        No equilibrium is near; the findings name the residual forces and their coordinates.
    NumbersError
        No state near it satisfies the constraints; the equations depend on a time that was not given.
    FormalismError
        The formalism does not take the model.
    """
    system = omit_speeds(system)
    made = equations(system, by, state.parameters, (), sorted(hold))
    still = made.rheonomic
    relative = not still and moves_by_itself(system)
    if still:
        if not timed:
            message = "the model depends on the time: it can rest at a moment alone"
            remedy = "state it, for example --time 0, in Python t=0: prescribed motions stand still there"
            raise NumbersError(error("t", message, remedy))
        system = omit_speeds(standing_still(system, state.t))
        made = equations(system, by, state.parameters, (), sorted(hold))
    if not made.names:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    made.require_undriven()
    state = State(state.t, state.q, dict.fromkeys(made.names, 0.0), {}, state.parameters)
    start = place_state(system, state, set(state.q) | set(hold), ())
    search = _EquilibriumSearch(system, made, start.state)
    try:
        found = search.search()
    except ExpressionError as problem:
        raise NumbersError(error(made.formalism, str(problem))) from None
    return replace(_resting(system, made, search, found, relative, tuple(describe_moves(system, start))), still=still)


class _EquilibriumSearch:
    """Search by a Levenberg-Marquardt method on the constraints, from a state."""

    def __init__(self, system: System, made: SlopeEquations, state: State) -> None:
        self.made, self.state, self.n = made, state, len(made.names)
        self.at = RowsAtStates(constraint_rows(system), system, [state])
        self.fixed = [made.names.index(name) for name in made.fixed_coordinates]
        self.start = with_auxiliary(self.at, self.at.q)
        self.units = units_of(self.at, self.start)[0, : self.n]
        self.sizes, self.steps = np.zeros(self.n), 0

    def balance(self, extended: Array) -> RestPosition:
        """Compute the forces at a position (1, k)."""
        made, q = self.made, extended[0, : self.n]
        values = made.values(self.state.t, q.tolist(), [0.0] * self.n, [0.0] * self.n, [0.0] * len(made.rows))
        at = made.numbers(values)
        if not (np.isfinite(at.force).all() and np.isfinite(at.D).all()):
            raise ExpressionError("the forces have no numbers at the state")
        chosen = choice(at.lines, made.holonomic, self.units)
        basis = Basis(at.D, chosen, np.linalg.solve)
        multipliers = basis.multipliers(-at.force)
        slopes = made.slopes(values | dict(zip(made.multipliers, multipliers.tolist(), strict=True)))
        sizes = at.sizes + np.abs(at.D * multipliers[:, None]).sum(axis=0)
        by_shifts = np.abs(slopes.K * np.outer(self.units, self.units)).max(axis=1, initial=0.0)
        made_of = np.maximum(sizes * self.units, by_shifts)
        self.sizes = np.maximum(self.sizes, made_of)
        size, units = float(self.sizes.max(initial=0.0)), self.units[list(chosen.rates)]
        own = (np.abs(basis.rates) * units / self.units[:, None]).T @ self.sizes
        return RestPosition(
            q, chosen, basis, basis.rates.T @ at.force, basis.rates.T @ slopes.K @ basis.shapes,
            np.where(left_open(at.lines), np.nan, multipliers), float(made_of.max(initial=0.0)),
            size, np.maximum(own, max(LEAST * size, 1e-300)), units, self.units[list(chosen.positions)],
        )  # fmt: skip

    def move(self, extended: Array, here: RestPosition, dz: Array) -> Array | None:
        """Move the independent coordinates of a position (1, k) and close the loops; None if they do not close."""
        tried, own = extended.copy(), list(here.chosen.positions)
        tried[0, : self.n] += here.basis.shapes @ dz
        tried[0, own] = extended[0, own] + dz
        if not self.at.m:
            return tried
        moving = np.array([i not in own and i not in self.fixed for i in range(self.at.k)])
        tried = solve(self.at, tried, units_of(self.at, tried), moving)
        return tried if self.at.positions(tried).gaps[0] <= ACCEPTED else None

    def search(self) -> RestPosition:
        """Return the position with the least residual forces near the start, or where the forces lead from it."""
        extended, here = self._search_near(self.start, self.balance(self.start))
        if here.residual > BALANCED and here.stiffness.size and here.chosen.rates == here.chosen.positions:
            there = self._search_near(*self._follow_forces(extended, here))[1]
            here = there if there.residual * there.size <= BALANCED * here.size else here  # size may have grown since
        if here.residual <= BALANCED and self.find_lost(here) and here.chosen.rates == here.chosen.positions:
            there = self._search_near(*self._follow_forces(self.start, self.balance(self.start)))[1]
            here = there if there.residual <= BALANCED and not self.find_lost(there) else here
        return self._without_rounding(here) if self.at.k == self.n else here

    def find_lost(self, here: RestPosition) -> str:
        """Name the coordinates that make M singular at the position but not beside it, joined by commas."""
        made, N, still, found = self.made, here.basis.rates, [0.0] * self.n, []
        rates = [made.names[i] for i in here.chosen.rates]
        for shift in (0.0, BESIDE * self.units * np.random.default_rng(0).uniform(-1, 1, self.n)):
            values = made.values(self.state.t, (here.q + shift).tolist(), still, still, [0.0] * len(made.rows))
            M = N.T @ made.numbers(values).M @ N
            found.append(coordinates_without_inertia(M, rates) if np.isfinite(M).all() else "")
        return found[0] if not found[1] else ""

    def _without_rounding(self, here: RestPosition) -> RestPosition:
        """Return the position with zero for coordinates that are rounding, if no force and no gap grows by it."""
        q = np.where(np.abs(here.q) <= SMALLEST * self.units, 0.0, here.q)
        try:
            there = here if (q == here.q).all() else self.balance(q[None])
        except ExpressionError:
            return here
        if there.chosen != here.chosen or (np.abs(there.force) > np.abs(here.force)).any():
            return here
        before, after = self.at.positions(here.q[None]).gaps, self.at.positions(q[None]).gaps
        return there if not self.at.m or after[0] <= before[0] else here

    def _follow_forces(self, extended: Array, here: RestPosition) -> tuple[Array, RestPosition]:
        """Go along the forces by Newton's steps, with eigenvalues of the stiffness made positive; return the end."""
        for _ in range(STEPS):
            if here.residual <= BALANCED or here.chosen.rates != here.chosen.positions:
                break
            J, g = here.scaled_stiffness, here.force * here.units
            values, ways = np.linalg.eigh((J + J.T) / 2)
            least = max(DAMPING * float(np.abs(values).max(initial=0.0)), 1e-300)
            step = ways @ ((ways.T @ g) / np.maximum(np.abs(values), least))
            step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            for _ in range(HALVED):
                there = self._balance_after(extended, here, step)
                if there is not None:
                    shift = (there[1].q - here.q)[list(there[1].chosen.rates)]  # others may be independent there
                    if there[1].force @ shift >= -abs(g @ step) / 2:
                        break
                step = step / 2
            else:
                break
            self.steps += 1
            extended, here = there
        return extended, here

    def _search_near(self, extended: Array, here: RestPosition) -> tuple[Array, RestPosition]:
        damping, factor, before = DAMPING, 2.0, np.inf
        for _ in range(STEPS):
            balanced = here.residual <= BALANCED and here.residual > before / 2
            if balanced or here.residual <= LEAST * SMALLEST or factor > 1e12:
                break
            self.steps += 1
            there = self._try_step(extended, here, damping)
            if there is None or not there[1].whole < here.whole:
                if here.residual <= SMALLEST:
                    break
                damping, factor, before = damping * factor, 2 * factor, np.inf
                continue
            before, damping, factor = here.residual, damping / 3, 2.0
            extended, here = there
        return extended, here

    def _try_step(self, extended: Array, here: RestPosition, damping: float) -> tuple[Array, RestPosition] | None:
        """Return the position after one step, and the forces there."""
        J, g = here.scaled_stiffness / here.sizes[:, None], here.force * here.units / here.sizes
        columns = (J**2).sum(axis=0)
        columns = columns.clip(min=LEAST**2 * float(columns.sum()) + 1e-300)
        damped = np.vstack([J, np.diag(np.sqrt(max(damping * here.residual, 1e-16) * columns))])
        step = np.linalg.lstsq(damped, np.concatenate([g, np.zeros(len(columns))]), rcond=None)[0]
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        return self._balance_after(extended, here, np.asarray(step))

    def _balance_after(self, extended: Array, here: RestPosition, step: Array) -> tuple[Array, RestPosition] | None:
        there = self.move(extended, here, step * here.position_units)
        if there is None:
            return None
        try:
            return there, self.balance(there)
        except ExpressionError:
            return None


def _resting(
    system: System, made: SlopeEquations, search: _EquilibriumSearch, here: RestPosition, relative: bool,
    notes: tuple[Diagnostic, ...],
) -> Resting:  # fmt: skip
    """Return the equilibrium, or raise with the reason why there is none."""
    names, chosen = made.names, here.chosen
    state = replace(search.state, q=dict(zip(names, here.q.tolist(), strict=True)))
    if not here.residual <= BALANCED or _fades(made, here, search):
        raise NoEquilibriumError(list(_report_unbalanced(system, made, here, state.t)), state)
    values = made.values(state.t, here.q.tolist(), *([0.0] * len(names),) * 2, [0.0] * len(made.rows))
    rubbed, kinked = find_kinks_of_rest(made, values)
    notes = (*notes, *describe_kinks_of_rest(rubbed, kinked), *describe_far(system, [state]))
    if relative:
        message = "prescribed motions go on at their constant rates: the equilibrium is one relative to them"
        notes = (*notes, Diagnostic("note", "t", message))
    unstable: tuple[tuple[str, ...], ...] = ()
    indifferent: tuple[tuple[str, ...], ...] = ()
    if chosen.rates == chosen.positions:
        unstable, indifferent = _directions(names, here)
    else:
        message = "rows restrict rates that restrict no positions: the positions of rest are many, and not judged"
        notes = (*notes, Diagnostic("note", "constraints", f"{message}: see mbconcord linearize FILE"))
    judged = "unstable" if unstable else "indifferent" if indifferent else "stable"
    stability = judged if chosen.rates == chosen.positions else UNJUDGED
    if kinked:
        stability, unstable, indifferent = UNJUDGED, (), ()
    by_eigenvalues, held = ("", False) if kinked else _by_eigenvalues(made, state, here)
    if by_eigenvalues:
        stability = by_eigenvalues
        unstable = unstable if stability == "unstable" else ()
        seen = "see mbconcord linearize FILE"
        message = f"{stability} by the eigenvalues: the sign of the stiffness does not decide, {seen}"
        notes = (*notes, Diagnostic("note", "state", message))
    alone = stability == "stable" and not made.linear and held
    if alone or (stability == "stable" and _may_be_fed(system, made, state, here)):
        stability, notes = "undecided", (*notes, FED)
    if lost := search.find_lost(here):
        stability, unstable, indifferent = UNJUDGED, (), ()
        message = f"the position is singular: {lost} turn about one axis or do not move"
        remedy = "take other joint angles, or see whether it stays there: mbconcord simulate FILE --until SECONDS"
        message += " there, and forces across it are in no equation: they may drive it away"
        notes = (*notes, Diagnostic("warning", "state", message, remedy))
    return Resting(
        system.name, made.formalism, state, names, tuple(names[i] for i in chosen.positions),
        tuple(names[i] for i in chosen.rates), here.basis.rates,
        here.q - search.start[0, : len(names)], here.stiffness,
        here.residual, here.made_of, search.units, here.size, here.units, stability,
        unstable, indifferent, here.multipliers, made.rows, search.steps, relative, False, notes,
    )  # fmt: skip


def _may_be_fed(system: System, made: SlopeEquations, state: State, here: RestPosition) -> bool:
    """Return True if applied forces may feed energy to a motion near the state, and dampers do not damp them all."""
    zeros, N = [0.0] * len(made.names), here.basis.rates
    values = made.values(state.t, here.q.tolist(), zeros, zeros, [0.0] * len(made.rows))
    C = N.T @ made.slopes(values).C @ N
    damped = len(C) > 0 and np.linalg.eigvalsh((C + C.T) / 2).min() > INDIFFERENT * np.abs(C).max()
    changing = made.changing and not made.linear  # forces of higher order may drive what the time moves
    return not damped and (changing or may_feed(system, made, state, here.chosen))


def _by_eigenvalues(made: SlopeEquations, state: State, here: RestPosition) -> tuple[str, bool]:
    """Return stability by eigenvalues, and True if gyroscopic forces alone hold an undamped oscillation.

    The word is empty where the stiffness decides, by the theorems of Kelvin and Tait.

    The stiffness decides if K is symmetric, dampers dissipate energy, and K is positive or gyroscopic forces are zero.
    """
    chosen, basis = here.chosen, here.basis
    if chosen.rates != chosen.positions or not chosen.rates:
        return "", False
    multipliers = np.where(np.isnan(here.multipliers), 0.0, here.multipliers).tolist()
    values = made.values(state.t, here.q.tolist(), *([0.0] * len(made.names),) * 2, multipliers)
    M = made.numbers(values).M
    found = reduce_equations(M, made.slopes(values), basis)
    held = bool(np.linalg.eigvalsh((found.K + found.K.T) / 2).min() < 0) and bool((found.C - found.C.T).any())
    if not (held or feeds_energy(found.C) or is_twisted(here.scaled_stiffness)):
        return "", False
    try:
        A, _ = state_space(found, chosen)
        own = modes(A, found.M, found.C, found.K, found.shapes, plain=True)
        stable, held = is_stable(own, found.C, here.scaled_stiffness), is_held_by_rates(own, found.M, found.K)
    except np.linalg.LinAlgError:  # no inertia along some of it
        stable, held = None, False
    return {True: "stable", False: "unstable", None: "indifferent"}[stable], held


def _report_unbalanced(system: System, made: SlopeEquations, here: RestPosition, t: float) -> Iterator[Diagnostic]:
    """Yield the residual forces, largest first."""
    left = np.abs(here.force * here.units)
    worst = [i for i in np.argsort(-left) if left[i] > NAMED * left.max()]
    zeros = [0.0] * len(made.names)
    rubbed, _ = find_kinks_of_rest(made, made.values(t, here.q.tolist(), zeros, zeros, [0.0] * len(made.rows)))
    for i in worst:
        name = made.names[here.chosen.rates[i]]
        message = f"no equilibrium near the start: a force of {here.force[i]:.6g} is left along {name}"
        remedy = "begin nearer to one, or give what balances it: a spring, a drive, or hold the coordinate"
        absent = (o for o in system.omissions if o.effect in ("forces", "unknown") and o.kind not in ASSUMED)
        if left_out := format_acting(absent):
            remedy = f"what is left out of the model may be what balances it: {left_out}; else {remedy}"
        if rubbed:
            remedy = f"dry friction along {format_names(rubbed)} is left out here and may hold it; else {remedy}"
        yield error(f"coordinates/{name}", message, remedy)


def _fades(made: SlopeEquations, here: RestPosition, search: _EquilibriumSearch) -> bool:
    """Return True if forces only fade on the way out, as exp(-x): the place they lead to stays as far away."""
    still = [0.0] * len(made.names)
    at = made.numbers(made.values(search.state.t, here.q.tolist(), still, still, [0.0] * len(made.rows)))
    sizes = np.abs(here.basis.rates).T @ (at.sizes + np.abs(at.D).T @ np.abs(np.nan_to_num(here.multipliers)))
    by_shifts = np.abs(here.scaled_stiffness).max(axis=1, initial=0.0) / here.units  # what cancels within a factor
    sizes = np.maximum(sizes, by_shifts)
    force = np.where(np.abs(here.force) > CANCELLED * sizes, here.force, 0.0)
    step = np.linalg.lstsq(here.scaled_stiffness, force * here.units, rcond=INDIFFERENT**2)[0]
    went = np.abs((here.q - search.start[0, : len(still)]) / search.units).max(initial=NEAR)
    return float(np.abs(step).max(initial=0.0)) > FADES * float(went)


Names = tuple[tuple[str, ...], ...]


def _directions(names: Sequence[str], here: RestPosition) -> tuple[Names, Names]:
    """Return names of coordinates for each direction with negative stiffness, and for each with zero stiffness."""
    K, roots = here.scaled_stiffness, np.sqrt(here.sizes)  # of each coordinate's own size: signs are the same
    if not len(K):
        return (), ()
    values, vectors = np.linalg.eigh((K + K.T) / 2 / np.outer(roots, roots))
    vectors = vectors / roots[:, None]
    zero = INDIFFERENT * max(float(np.abs(values).max()), INDIFFERENT)
    found: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
    for value, vector in zip(values, vectors.T, strict=True):
        if value <= zero:
            shape = np.abs(here.basis.shapes @ (vector * here.position_units))
            moving = [name for name, x in zip(names, shape, strict=True) if x > NAMED * shape.max()]
            found[int(value >= -zero)].append(tuple(moving))
    return tuple(found[0]), tuple(found[1])
