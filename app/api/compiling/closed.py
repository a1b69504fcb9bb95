"""Accelerations, multipliers and reactions of machines with constraints, as formulas for a compiled function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations, islice
from math import frexp
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.motion import MotionFactors, NoPivotError, SolvedMotion, solve_motion
from mbconcord.model.derivation import EFFORT, Derivation, Lazy, Nested
from mbconcord.model.derivatives import (
    ALONG,
    CHANGE,
    CHANGES,
    OF_FORWARD,
    OF_ROWS,
    change_along,
    constrained_residuals,
    constrained_slopes,
    require_free,
    require_parts,
)
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, FormalismError, NumbersError, among, error
from mbconcord.model.evaluation import Array, ConstrainedMotion
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, number, rate, substitute, symbol, symbols
from mbconcord.model.expressions.functions import apply
from mbconcord.model.limits import count as counted
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.naming import Namer
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.continuation import find_nearest
from mbconcord.simulation.rows import constraint_rows, find_formulas

from ..derivatives import OF_LOADS, constrained_derivatives
from ..evaluate import evaluate_system
from ..interpreted import REMEDY, WITNESS
from ..moving import find_efforts, impose, require_independent
from ..states import GivenNumbers
from .direct import OFF, UNSOUND

#: Quantities that are solved for in a system with constraints.
MOTION: Final = ("acceleration", "lambda", "reactions")
#: Further outputs: number of pivots and rows above rounding; violations of the constraints, and sizes of their terms.
SOUND, GAPS, SIZES = "sound", "gaps of constraints", "sizes of gaps"
#: Number of states on the constraints at which rows are chosen and numbers compared; their spread about the start.
STATES, SPREAD = 12, 0.3
#: Largest number of sets of rows that are tried.
SETS = 400
#: Violation, as a part of the size of its terms, above which it is reported.
VIOLATED = 1e-8
#: Difference from the interpreter's accelerations that rounding explains, as a part of the largest.
ROUNDING = 1e-9
#: Difference from the interpreter's derivatives of accelerations that rounding explains, as a part of the largest.
SLOPES = 1e-7
#: Number that avoids division by zero; it is less than the square of any size.
LEAST = number("1e-250")
#: A row that is shorter than this part of the longest is rounding.
NOTHING = 1e-12
#: Changes along a direction that states have not where rows depend on each other.
NOWHERE = ("d2a_along", "dlambda_along", "d2lambda_along")


@dataclass(frozen=True)
class ClosedMotion:
    """Formulas of the constrained motion of a model, with states at which they are compared.

    Attributes
    ----------
    derivation : equations with :data:`MOTION`, :data:`SOUND`, :data:`GAPS`, :data:`SIZES` among native quantities
    by : the formalism that derived the equations
    kept : numbers of the independent constraint rows with which the motion is solved
    sound : value of :data:`SOUND` at states where all pivots and rows are above rounding
    open : numbers of the constraint rows whose multipliers are not unique
    rows : names of the gaps
    states, motion : states on the constraints, and the motion that the interpreter computes there
    unseen : True if positions of cut joints have no gap, since their own coordinates are not given
    held : mass matrix and rows with which the motion is solved
    drives : names of rows of drives that impose accelerations
    actuated : coordinates whose accelerations are given
    closing : steps onto the constraints that stand in place of what is solved; None: it is the motion itself
    """

    derivation: Derivation
    by: Formalism
    kept: Sequence[int]
    sound: int
    open: tuple[int, ...]
    rows: tuple[str, ...]
    states: Sequence[State] = field(repr=False)
    motion: ConstrainedMotion = field(repr=False)
    unseen: bool
    held: HeldMass = field(repr=False)
    drives: tuple[str, ...] = ()
    actuated: tuple[str, ...] = ()
    closing: Any = field(default=None, repr=False)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Names of outputs that are computed in addition to the requested quantities, to judge the states."""
        return (SOUND, GAPS, SIZES) if self.rows else (SOUND,)

    @property
    def columns(self) -> Mapping[str, Array]:
        """Positions and rates of :attr:`states` by symbol."""
        names = self.derivation.system.coordinate_names
        found = {name: np.array([state.q[name] for state in self.states]) for name in names}
        found |= {f"{name}'": np.array([state.v[name] for state in self.states]) for name in names}
        found |= {f"{name}''": np.array([state.a[name] for state in self.states]) for name in self.actuated}
        given = self.states[0].parameters
        return found | {name: np.full(len(self.states), x) for name, x in given.items()}

    @cached_property
    def directions(self) -> Mapping[str, Array]:
        """Directions of positions and rates at :attr:`states` by symbol."""
        names, dice = self.derivation.system.coordinate_names, np.random.default_rng(2)
        return {f"{x}{dot}{CHANGE}": dice.uniform(-1, 1, len(self.states)) for dot in ("", "'") for x in names}

    @property
    def doubts(self) -> list[Expression]:
        """Formulas that a call inspects and that are large in doubt: for rows or pivots near rounding, and for gaps."""
        native: Any = self.derivation.native
        gaps = zip(native[GAPS], native[SIZES], strict=True) if self.rows else ()
        squares = (gap * gap / (size * size + LEAST) for gap, size in gaps)
        return [UNSOUND * (number(self.sound) - native[SOUND]), OFF * sum(squares, ZERO)]

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """Remarks on violations of constraints that are not checked."""
        if not self.unseen:
            return ()
        message = "whether positions of cut joints close is not looked at: their own coordinates are not given"
        remedy = "mbconcord.evaluate tells how far states are off them"
        return (Diagnostic("note", "constraints", message, remedy),)

    def leave_open(self, found: dict[str, Array]) -> None:
        """Put NaN for multipliers that are not unique."""
        for name in OF_ROWS if self.open else ():
            if name in found:
                found[name] = found[name].copy()  # one state's are a view of what computed them
                found[name][..., list(self.open)] = np.nan

    def compare(self, found: Mapping[str, Array], by: str) -> None:
        """Compare quantities that ``by`` computed at :attr:`states` with the interpreter's numbers.

        Raises
        ------
        DisagreementError
            A difference is larger than rounding explains.
        """
        known = {"acceleration": self.motion.acceleration, "lambda": self.motion.multipliers}
        known |= {"reactions": self.motion.reactions, EFFORT: find_efforts(self.derivation.system, self.motion)}
        if {*OF_FORWARD, *CHANGES} & {*found}:
            system = self.derivation.system
            known |= constrained_derivatives(system, self.by, Instance(system, self.states), self.kept)
            known |= multiply_along(known, system.coordinate_names, self.directions)
        for name, own in known.items():
            if name not in found:
                continue
            own = own.reshape(len(own), -1)
            mine = found[name].reshape(own.shape)
            bases = (own, known[ALONG[name][0]]) if name in CHANGES else (own,)  # a change may be zero, rounding apart
            size = np.nanmax(np.abs(np.hstack(bases)), axis=1, initial=1e-300, keepdims=True)
            size = np.maximum(size, 1e-3 * size.max())  # at rest accelerations are rounding alone
            with np.errstate(all="ignore"):
                off = np.where(np.isnan(own), 0.0, np.nan_to_num(np.abs(mine - own) / size, nan=np.inf))
            if off.size and off.max() > (SLOPES if name in (*OF_FORWARD, *CHANGES) else ROUNDING):
                s, i = np.unravel_index(int(off.argmax()), off.shape)
                values = f"{by} gives {float(mine[s, i])!r}, the interpreter {float(own[s, i])!r}"
                message = f"{values} at state {s} on the constraints"
                raise DisagreementError(error(f"{WITNESS}/{name}[{i}]", message, REMEDY))

    def complete(
        self, found: dict[str, Array], at: GivenNumbers, names: Sequence[str], values: Mapping[str, Any]
    ) -> Iterator[Diagnostic]:  # fmt: skip
        """Replace numbers at states with pivots near rounding by the interpreter's; report gaps of constraints.

        ``values`` are those of all symbols, a direction's among them.
        """
        self.leave_open(found)
        unsure = np.flatnonzero(~(found[SOUND] == self.sound))
        if unsure.size and self.closing:
            for name in names:
                found[name] = np.where(np.isin(np.arange(len(found[name])), unsure)[:, None], np.nan, found[name])
            message = f"there is no step at {counted(len(unsure), 'state')}, where rows depend on each other"
            yield Diagnostic("warning", "constraints", message, "give states beside it")
        elif unsure.size:
            given = at.states()
            states, system = tuple(given[s] for s in unsure), self.derivation.system
            if self.actuated:
                moved = [replace(state, a=dict.fromkeys(self.actuated, 0.0) | dict(state.a)) for state in states]
                system, states = impose(system, moved, (), self.actuated)
            made = evaluate_system(system, self.by, states, "ignore")
            own: dict[str, Array] = made.by_name()
            if {*OF_FORWARD, *CHANGES} & {*names}:
                own |= constrained_derivatives(self.derivation.system, self.by, made.at)
                whole = {x: np.broadcast_to(y, (at.count,))[unsure] for x, y in values.items() if x.endswith(CHANGE)}
                own |= multiply_along(own, system.coordinate_names, whole) if whole else {}
            for name in (name for name in NOWHERE if name in names):
                own[name] = np.full((len(unsure), *found[name].shape[1:]), np.nan)
                message = "there is none where rows depend on each other"
                yield Diagnostic("warning", name, message, "give states beside it")
            for name in names:
                if name in (*MOTION, *OF_FORWARD, *CHANGES, EFFORT):
                    found[name] = found[name].copy()
                    found[name][unsure] = own[name]
            yield from made.findings
            message = f"of {counted(len(unsure), 'state')} the interpreter computes: rows depend on each other there"
            yield Diagnostic("note", "constraints", message)
        if self.rows:
            yield from self._report_gaps(found[GAPS], found[SIZES])
        yield from self.remarks

    def _report_gaps(self, gaps: Array, sizes: Array) -> Iterator[Diagnostic]:
        with np.errstate(all="ignore"):
            parts = np.where(gaps == 0, 0.0, np.abs(gaps) / sizes)
        off: Array = np.any(parts > VIOLATED, axis=1)
        if off.any():
            s, i = np.unravel_index(int(np.nanargmax(np.where(np.isfinite(parts), parts, 0.0))), parts.shape)
            states = f"{off.sum()} of {len(off)} states are" if len(off) > 1 else "the state is"
            message = f"{states} off the constraints, at most by {abs(gaps[s, i]):.2g}; these are accelerations there"
            remedy = "mbconcord.assemble finds states on them; mbconcord.evaluate tells what it alters"
            yield Diagnostic("warning", f"constraints/{self.rows[i]}", message, remedy)


def solve_closed(by: Formalism, system: System) -> ClosedMotion:
    """Derive a system with constraints, and solve for its accelerations and multipliers.

    Rows that depend on others at all states on the constraints are left out for good. They are chosen at states near
    the start, so that given states with few digits have the rank of the mechanism, too.

    Raises
    ------
    FormalismError
        The formalism does not take the model; or no state near the start is on the constraints; or a motion that they
        admit has no inertia.
    """
    whole = by.derive_whole(system)
    require_parts(whole)
    states = _near(system)
    motion = by.constrained_motion(system, states) if states else None
    sound = motion is not None and np.isfinite(motion.acceleration).all(axis=1).any()
    if motion is None or not sound:
        message = (
            "near the initial state no state satisfies them"
            if not states
            else "a motion that they admit has no inertia"
        )
        raise FormalismError(error("constraints", message, "mbconcord.evaluate gives accelerations at a state"))
    rank = int(np.max(motion.rank))
    generic = np.flatnonzero((motion.rank == rank) & np.isfinite(motion.acceleration).all(axis=1))
    states = [states[s] for s in generic]
    motion = by.constrained_motion(system, states)
    assert motion is not None
    kept = choose_rows(scale_formulas(system, motion.rows, motion.D), motion.tree.quantities["M"], rank)
    solved, held = _solve(whole, kept, motion)
    lines: Any = whole.native["D"]
    parts = [[lines[k][i] * x for k, x in zip(kept, solved.multipliers, strict=True)] for i in range(len(lines[0]))]
    multipliers = dict(zip(kept, solved.multipliers, strict=True))
    rows, gaps, sizes, unseen = _gaps(whole)
    native: dict[str, Nested] = {
        "acceleration": solved.acceleration, "lambda": tuple(multipliers.get(i, ZERO) for i in range(len(lines))),
        "reactions": tuple(sum(x, ZERO) for x in parts), SOUND: solved.sound, GAPS: gaps, SIZES: sizes,
    }  # fmt: skip
    drives = tuple(map(drive_row, find_imposed_accelerations(system)))
    if drives:
        along = dict(zip(whole.rows, _row(native["lambda"]), strict=True))
        native[EFFORT] = tuple(along.get(drive_row(name), ZERO) for name in system.coordinate_names)
    open_rows = np.flatnonzero(np.isnan(motion.multipliers).any(axis=0))
    quantities = {name: x for name, x in whole.quantities.items() if name not in native}
    made = ClosedSlopes(whole, kept, held, solved)
    slopes = Lazy({**{name: partial(made.solve, name) for name in OF_FORWARD}, **made.changes})
    derivation = replace(whole, quantities=quantities, native=slopes | {**whole.native, **native})
    operations, left = len(solved.acceleration) + len(kept), tuple(open_rows.tolist())
    return ClosedMotion(derivation, by, kept, operations, left, rows, states, motion, unseen, held, drives)


def impose_accelerations(system: System, actuated: Sequence[str]) -> System:
    """Return the system with drives that impose accelerations, parameters at its end, of these coordinates.

    Raises
    ------
    NumbersError
        There is no such coordinate, or it is named twice.
    """
    names = system.coordinate_names
    wrong = [error("actuated", f"there is no coordinate {x!r}", among(x, names)) for x in actuated if x not in names]
    if wrong or len({*actuated}) < len(actuated):
        raise NumbersError(wrong or error("actuated", "a coordinate is named twice", "name each once"))
    return impose(system, (), (), actuated)[0]


def solve_actuated(
    by: Formalism, system: System, actuated: Sequence[str], names: Sequence[str]
) -> ClosedMotion:  # fmt: skip
    """Solve as :func:`solve_closed` does, for given accelerations of actuated coordinates; add their efforts.

    Raises
    ------
    FormalismError
        As for :func:`solve_closed`.
    NumbersError
        There is no such coordinate, or constraints tie the accelerations of these coordinates together; or ``names``
        have quantities that are not of such a motion.
    """
    others = [name for name in names if name not in (*MOTION, EFFORT)]
    if not system.constraints or others:
        message = f"accelerations are given for {', '.join((*MOTION, EFFORT))} of a model with constraints"
        if not system.constraints:
            raise NumbersError(error("actuated", f"{message}, and this one has none", "ask for inverse_dynamics"))
        remedy = "leave it out, or ask for it in a call of its own"
        raise NumbersError(error("actuated", f"{message}, and {others[0]} was asked for", remedy))
    made = impose_accelerations(system, actuated)
    closed = solve_closed(by, made)
    require_independent(actuated, closed.motion)
    own = {p.name: name for p, name in zip(made.parameters[len(system.parameters) :], actuated, strict=True)}
    given = {symbol(x): rate(name, 2) for x, name in own.items()}
    native: Any = closed.derivation.native
    solved: dict[str, Nested] = {name: tuple(substitute(native[name], given)) for name in (*MOTION, EFFORT)}
    solved |= {name: native[name] for name in (SOUND, GAPS, SIZES, "D", "γ", "γ̃") if name in native}
    states = [
        replace(
            state,
            a={own[x]: y for x, y in state.parameters.items() if x in own},
            parameters={x: y for x, y in state.parameters.items() if x not in own},
        )
        for state in closed.states
    ]
    derivation = replace(closed.derivation, system=system, native=solved)
    return replace(closed, derivation=derivation, states=states, actuated=tuple(actuated))


def solve_open(system: System, parts: Mapping[str, Nested]) -> tuple[tuple[Expression, ...], list[Expression]] | None:
    """Solve M q'' = gravity + applied - h of an open tree; return accelerations, and formulas of doubts.

    None if drives impose accelerations, or a coordinate has no inertia.
    """
    if find_imposed_accelerations(system):
        return None
    M: Any = parts["M"]
    force = [a + b - c for a, b, c in zip(*(_row(parts[x]) for x in ("gravity", "applied", "h")), strict=True)]
    try:
        found = solve_motion(M, force, [], [])
    except NoPivotError:
        return None
    return found.acceleration, [UNSOUND * (number(len(force)) - found.sound)]


def change_open(whole: Derivation) -> Derivation:
    """Add changes of accelerations along a direction to the native quantities of an open tree.

    Raises
    ------
    FormalismError
        A drive imposes an acceleration, or a coordinate has no inertia.
    """
    require_free(whole)
    q: Any = whole.quantities
    force = [a + b - c for a, b, c in zip(*(_row(q[x]) for x in ("gravity", "applied", "h")), strict=True)]
    try:
        slopes = ClosedSlopes(whole, (), HeldMass(q["M"], (), ZERO), solve_motion(q["M"], force, [], []))
    except NoPivotError:
        message = "a coordinate has no inertia: accelerations, and their changes, do not exist"
        raise FormalismError(error("coordinates", message, "give the bodies it moves a mass")) from None
    return replace(whole, native=Lazy(slopes.changes) | whole.native)


def multiply_along(found: Mapping[str, Array], names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Array]:
    """Return the changes of accelerations (S, n) and multipliers (S, m) from their derivatives and directions."""
    dq, dv = (np.stack([values[f"{x}{dot}{CHANGE}"] for x in names], axis=-1)[..., None] for dot in ("", "'"))
    pairs = {"da_along": ("da_dq", "da_dv"), "dlambda_along": OF_LOADS}
    return {name: (found[by_q] @ dq + found[by_v] @ dv)[..., 0] for name, (by_q, by_v) in pairs.items()}


def _near(system: System) -> list[State]:
    """Return states on the constraints: the start and random states near it, moved onto them where possible."""
    dice, names = np.random.default_rng(0), system.coordinate_names
    given = {p.name: float(dice.uniform(0.5, 2.0)) for p in system.parameters if p.value is None}
    start, drawn = Instance(system, [State(parameters=given)]).values, []
    for spread in (0.0, *[SPREAD] * STATES):
        shifts = iter(dice.uniform(-spread, spread, 2 * len(names)).tolist())
        q, v = ({x: float(start[x + mark][0]) + next(shifts) for x in names} for mark in ("", "'"))
        drawn.append(State(0.0, q, v, parameters=given))
    moved = find_nearest(system, Instance(system, drawn)).moved
    return [moved.states[s] for s in np.flatnonzero(moved.is_closed).tolist()]


def scale_formulas(system: System, names: Sequence[str], D: Array) -> Array:
    """Divide rows of D (S, m, n) that are formulas, which may have any factor, by their largest length at S states."""
    factors = np.where(find_formulas(system, names), np.linalg.norm(D, axis=2).max(axis=0, initial=0.0), 1.0)
    return D / np.where(factors > 0, factors, 1.0)[:, None]


def choose_rows(D: Array, mass: Array, rank: int) -> list[int]:
    """Choose independent rows of D (S, m, n): those whose smallest singular value is largest at the worst of S states.

    The diagonal of ``mass`` (S, n, n) scales the columns.
    """
    lengths = np.sqrt(np.einsum("sii->si", mass))
    scaled = D / np.where(lengths > 0, lengths, 1.0)[:, None, :]
    sizes = np.linalg.norm(scaled, axis=2)
    live = [i for i, x in enumerate(sizes.max(axis=0, initial=0.0)) if x > NOTHING * sizes.max(initial=0.0)]
    if len(live) == rank:
        return live
    scaled = scaled / np.where(sizes > 0, sizes, 1.0)[:, :, None]
    sets = islice(combinations(live, rank), SETS)
    return list(max(sets, key=lambda x: np.linalg.svd(scaled[:, [*x]], compute_uv=False)[:, -1].min()))


@dataclass(frozen=True)
class HeldMass:
    """M (n, n) and the kept rows D (k, n); M includes σ DᵀD if a coordinate has inertia by the constraints alone."""

    M: Sequence[Sequence[Expression]]
    D: Sequence[Sequence[Expression]]
    sigma: Expression

    def load(self, force: Sequence[Expression], rest: Sequence[Expression]) -> list[Expression]:
        """Return forces (n,) that with M + σ DᵀD give the motion of M under ``force``; ``rest`` (k,) is γ̃."""
        return [f - self.sigma * _dot([x[i] for x in self.D], rest) for i, f in enumerate(force)]


class ClosedSlopes:
    """Derivatives of accelerations, n×n, by the implicit function theorem; each is derived on request."""

    def __init__(self, whole: Derivation, kept: Sequence[int], held: HeldMass, solved: SolvedMotion) -> None:
        self._whole, self._kept, self._held, self._solved = whole, kept, held, solved

    @cached_property
    def _factors(self) -> MotionFactors:
        return MotionFactors(self._held.M, self._held.D)

    @cached_property
    def _motion(self) -> tuple[list[str], dict[Expression, Expression]]:
        """Symbols of multipliers; accelerations and multipliers by symbol."""
        names, namer = self._whole.system.coordinate_names, Namer(self._whole.system.names)
        loads = [namer.fresh(f"λ{k}") for k in self._kept]
        solved = dict(zip([rate(name, 2) for name in names], self._solved.acceleration, strict=True))
        return loads, solved | dict(zip(map(symbol, loads), self._solved.multipliers, strict=True))

    @cached_property
    def _parts(self) -> list[list[list[Expression]]]:
        """Derivatives of the forces by q and by q', then of the constraint rows by both, at the solved motion."""
        loads, solved = self._motion
        parts = constrained_slopes(self._whole, self._kept, loads)
        flat = iter(substitute([x for part in parts for row in part for x in row], solved))
        return [[[next(flat) for _ in row] for row in part] for part in parts]

    @property
    def changes(self) -> dict[str, Callable[[], tuple[Expression, ...]]]:
        """Return the function that makes each of :data:`.CHANGES`, by its name."""
        return {name: partial(self._move, *ALONG[name]) for name in CHANGES}

    def _move(self, of: str, order: int) -> tuple[Expression, ...]:
        """Return the first or second derivative of q'' (n,), or of the multipliers (m,), along a direction."""
        loads, solved = self._motion
        n, names = len(self._solved.acceleration), self._whole.system.coordinate_names
        residuals = constrained_residuals(self._whole, self._kept, loads)
        found = change_along(residuals, names, solved, self._solve, order)
        own = dict(zip(self._kept, found[n:], strict=True))
        return tuple(own.get(i, ZERO) for i in range(len(self._whole.rows))) if of == "lambda" else tuple(found[:n])

    def _solve(self, right: Sequence[Expression]) -> tuple[Expression, ...]:
        """Return changes of q'' (n,), then of λ (k,), whose residuals are ``right`` (n + k,)."""
        n = len(self._solved.acceleration)
        force, rest = right[:n], [-x for x in right[n:]]
        a, loads = self._factors.solve(self._held.load(force, rest), rest)
        return *a, *loads

    def solve(self, name: str) -> tuple[tuple[Expression, ...], ...]:
        """Return the derivative of this name: ∂q''/∂q, ∂q''/∂q' or ∂q''/∂τ."""
        n, place, columns = len(self._solved.acceleration), OF_FORWARD.index(name), []
        for k in range(n):
            force = [ONE if i == k else ZERO for i in range(n)]
            rest = [ZERO] * len(self._kept)
            if place < 2:
                force, rest = [-row[k] for row in self._parts[place]], [row[k] for row in self._parts[2 + place]]
            columns.append(self._factors.solve(self._held.load(force, rest), rest)[0])
        return tuple(zip(*columns, strict=True))


def _solve(whole: Derivation, kept: Sequence[int], motion: ConstrainedMotion) -> tuple[SolvedMotion, HeldMass]:
    """Solve the equations with the kept rows; return the solution, and the mass matrix and rows used.

    If a coordinate has inertia by the constraints alone, σ DᵀD is added to M, which does not change the motion.
    """
    q, D, rest = whole.quantities, whole.native["D"], whole.native["γ̃"]
    M: Any = q["M"]
    force = [a + b - c for a, b, c in zip(*map(_row, (q["gravity"], q["applied"], q["h"])), strict=True)]
    lines, still = [_row(_row(D)[k]) for k in kept], [_row(rest)[k] for k in kept]
    n, mass = len(force), motion.tree.quantities["M"]
    singular = np.linalg.eigvalsh(mass)[:, 0] <= ROUNDING * np.einsum("sii->s", mass)
    if not singular.any():
        try:
            return solve_motion(M, force, lines, still), HeldMass(M, lines, ZERO)
        except NoPivotError:
            pass
    ratio = float(np.einsum("sii->s", mass).mean() or 1.0) / float(np.einsum("sij,sij->s", motion.D, motion.D).mean())
    sigma = number(Fraction(2) ** frexp(ratio)[1])
    wide = [[M[i][k] + sigma * _dot([x[i] for x in lines], [x[k] for x in lines]) for k in range(n)] for i in range(n)]
    held = HeldMass(wide, lines, sigma)
    try:
        return solve_motion(wide, held.load(force, still), lines, still), held
    except NoPivotError:
        message = "a motion that they admit has no inertia"
        raise FormalismError(error("constraints", message, "give the bodies it moves a mass or an inertia")) from None


def _gaps(whole: Derivation) -> tuple[tuple[str, ...], tuple[Expression, ...], tuple[Expression, ...], bool]:
    """Return names, formulas and sizes of the gaps, and whether some positions of cut joints have no gap."""
    system, closing = whole.system, constraint_rows(whole.system)
    extra = {f"{name}{mark}" for name in closing.coordinates[closing.own :] for mark in ("", "'")}
    names, gaps, sizes, unseen = list[str](), list[Expression](), list[Expression](), False
    for row in closing.rows:
        if symbols([row.position, row.reach]) & extra:
            unseen = True
        elif row.position is not ZERO:
            names, gaps, sizes = [*names, row.constraint], [*gaps, row.position], [*sizes, row.reach]
    rates = [rate(name) for name in system.coordinate_names]
    flow = _row(whole.native.get("γ", ()))
    if not flow and TIME.data in symbols(x for row in closing.rows for x in (row.position, row.speed)):
        return tuple(names), tuple(gaps), tuple(sizes), True
    of_formulas = find_formulas(system, whole.rows)
    for i, (name, line) in enumerate(zip(whole.rows, _row(whole.native["D"]), strict=True)):
        if any(x is not ZERO for x in line):
            terms = [x * v for x, v in zip(line, rates, strict=True) if x is not ZERO]
            speed = flow[i] if flow else sum(terms, ZERO)  # what does not move with time has no γ
            names.append(name)
            gaps.append(speed)
            unit = line if of_formulas[i] else (ONE,)  # of rates that are nothing beside 1
            sizes.append(sum((apply("abs", x) for x in (*terms, speed - sum(terms, ZERO), *unit)), ZERO))
    return tuple(names), tuple(gaps), tuple(sizes), unseen


def _dot(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    return sum((x * y for x, y in zip(a, b, strict=True)), ZERO)


def _row(value: Any) -> tuple[Any, ...]:
    return tuple(value)
