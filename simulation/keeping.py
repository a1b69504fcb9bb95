"""One state projected onto the constraints, keeping the author's values as far as the constraints allow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random
from typing import Final

import numpy as np

from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ZERO
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.turns import snap_angles
from mbconcord.records import dataclass, replace

from .assembly import KICKS, Assembly, complete, find_singular, kick, report_contradictions, with_auxiliary
from .batch import Array, RowsAtStates
from .levenberg_marquardt import ACCEPTED, solve, units_of
from .rows import constraint_rows

# What is said of a state that was moved onto the constraints.


#: What is said of a position that admits more motions than those beside it.
SINGULAR: Final = (
    "the constraints admit more motions at this position than beside it: which of its branches a motion takes, and "
    "accelerations and reactions there, are not determined"
)


def describe_moves(system: System, start: Placed) -> Iterator[Diagnostic]:
    """Report a start that was not on the constraints."""
    if start.released:
        message = f"{', '.join(start.released)} cannot be kept: the constraints do not close with the given values"
        yield Diagnostic("warning", "state", message, "the nearest state that closes is taken")
    if start.rates_released:
        message = f"rates of {', '.join(start.rates_released)} cannot be kept: the constraints do not admit them"
        yield Diagnostic("warning", "state", message, "the nearest rates that they admit are taken")
    if start.is_moved:
        message = f"the initial state is moved onto the constraints: {shifts(system, start)}"
        yield Diagnostic("warning", "state", message)
    if start.singular:
        yield Diagnostic("warning", "state", SINGULAR, "begin beside it, on the branch that is meant")


def shifts(system: System, start: Placed) -> str:
    """Describe in words the largest change of a position and of a rate of a state."""
    names = system.coordinate_names
    parts = []
    for what, change in (("", start.shift), ("'", start.change)):
        i = int(np.abs(change / start.units).argmax()) if len(change) else 0
        if len(change) and abs(change[i]) > 0:
            parts.append(f"{names[i]}{what} by {change[i]:.6g}")
    return ", ".join(parts) or "not at all"


#: Rows with so large a part of the largest gap are named.
NAMED = 0.1
#: Positions that are nearer in all their coordinates, in their units, are one.
SAME = 1e-6
#: Starts from which other positions are looked for, and how far from the first one they lie at most.
STARTS, FAR = 60, 3.0
#: Changes of less than this, in the units of the coordinates, are rounding.
ROUNDING = 1e-12


class AssemblyError(NumbersError):
    """No state near the given one satisfies the constraints; ``nearest`` comes closest."""

    def __init__(self, findings: Sequence[Diagnostic], nearest: State) -> None:
        super().__init__(findings)
        self.nearest = nearest

    def saying(self, findings: Iterable[Diagnostic]) -> AssemblyError:
        """Return the same error with these findings in place of its own."""
        return AssemblyError(tuple(findings), self.nearest)


@dataclass(frozen=True)
class Placed:
    """A state on the constraints.

    Attributes
    ----------
    state : positions and rates of all coordinates of the system
    auxiliary (a,) : coordinates of cut joints
    shift, change (n,) : changes of the positions and of the rates from those that were given
    units (n,) : units of the coordinates: 1 for angles, for shifts the reach of the mechanism
    reach (m,) : size of the terms of each row of position
    released, rates_released : names of coordinates whose positions or rates were to be kept and could not be
    assembly : rank, gaps and regularity of the state
    singular : True if the position admits more motions than positions beside it
    """

    state: State
    auxiliary: Array
    shift: Array
    change: Array
    units: Array
    reach: Array
    released: tuple[str, ...]
    rates_released: tuple[str, ...]
    assembly: Assembly
    singular: bool

    @property
    def is_moved(self) -> bool:
        """True if a position or rate differs from the given one."""
        return bool((np.abs(self.shift) > ROUNDING * self.units).any()) or bool(
            (np.abs(self.change) > ROUNDING * self.units * (1 + np.abs(self.change))).any()
        )

    @property
    def distance(self) -> float:
        """Largest change of a position, in its unit."""
        return float(np.abs(self.shift / self.units).max(initial=0.0))


def author_set(system: System, state: State) -> tuple[frozenset[str], frozenset[str]]:
    """Return names of positions and of rates that are set: by the state, and by the model's nonzero initial rates."""
    begun = {c.name for c in system.coordinates if c.velocity is not ZERO}
    return frozenset(state.q), frozenset(state.v) | begun


def place_state(
    system: System, state: State, kept: Collection[str] | None = None, kept_rates: Collection[str] | None = None
) -> Placed:
    """Return the nearest state on the constraints with these positions and rates fixed; if none closes, with all free.

    Parameters
    ----------
    system : the system, whose functions have formulas and whose parameters have numbers
    state : missing values are the model's own
    kept, kept_rates : names of coordinates; None: those of :func:`author_set`

    Raises
    ------
    AssemblyError
        No state near it satisfies the constraints; the findings say which do not close, and by how much.
    NumbersError
        A number is missing.
    """
    positions, rates = author_set(system, state)
    kept = positions if kept is None else frozenset(kept)
    kept_rates = rates if kept_rates is None else frozenset(kept_rates)
    return _place(RowsAtStates(constraint_rows(system), system, [state]), system, state, kept, kept_rates)


def place_states(
    system: System, states: Sequence[State], kept: Collection[str], kept_rates: Collection[str]
) -> Assembly:
    """Move many states onto the constraints at once, these positions and rates fixed; some may be left open."""
    at = RowsAtStates(constraint_rows(system), system, states)
    start = with_auxiliary(at, at.q)
    q = solve(at, start, units_of(at, start), _free(at, kept))
    return complete(at, states, q, moving=_free(at, kept_rates))


def _place(
    at: RowsAtStates, system: System, state: State, kept: Collection[str], kept_rates: Collection[str]
) -> Placed:
    start = with_auxiliary(at, at.q)
    released: tuple[str, ...] = ()
    q = _close(at, start, _free(at, kept))
    if at.positions(q).gaps[0] > ACCEPTED and kept:
        released = tuple(sorted(kept))
        q = _close(at, start, _free(at, ()))
    if at.positions(q).gaps[0] > ACCEPTED:
        remedy = _snap(system, state, q)
        findings = [replace(d, remedy=remedy or d.remedy) for d in open_rows(at, system, q)]
        raise AssemblyError(findings, _state(at, state, q))
    at.require_leaning(q)
    rates_released: tuple[str, ...] = ()
    made = complete(at, [state], q, moving=_free(at, kept_rates))
    if not made.is_closed[0] and kept_rates:
        made, rates_released = complete(at, [state], q), tuple(sorted(kept_rates))
    if not made.is_closed[0]:
        message = f"no rates satisfy the constraints there: {_position(made)}"
        remedy = "choose another position, or rates that the constraints admit, for example none"
        raise AssemblyError([error("constraints", message, remedy)], made.states[0])
    if contradicting := list(report_contradictions(at, made.extended)):
        raise AssemblyError(contradicting, made.states[0])
    n, found = at.rows.own, made.states[0]
    names = system.coordinate_names
    v = np.array([found.v[name] for name in names])
    return Placed(
        found, q[0, n:], (q - at.q)[0, :n], v - at.v[0, :n], units_of(at, q)[0, :n], at.positions(q).reach[0],
        released, rates_released, made, bool(find_singular(at, q, made.regular)[0]),
    )  # fmt: skip


def _snap(system: System, state: State, q: Array) -> str:
    """Return the advice to snap nearly right angles, if snapping closes the constraints near q (1, k); else empty."""
    snapped, written = snap_angles(system)
    if not written:
        return ""
    at = RowsAtStates(constraint_rows(snapped), snapped, [state])
    if at.positions(_close(at, q, _free(at, ()))).gaps[0] > ACCEPTED:
        return ""
    return f"{', '.join(written[:3])}: not quite a right angle; it closes with --read snap-angles, or snap_angles=True"


def _position(made: Assembly) -> str:
    kind = "the position is regular" if made.regular[0] else "the position is folded or singular"
    return f"{kind}, rank {made.rank[0]} of {made.rows} rows"


def _free(at: RowsAtStates, kept: Collection[str]) -> Array:
    """Mark coordinates that are not fixed (k,)."""
    return np.array([name not in kept for name in at.rows.coordinates], dtype=bool)


def _close(at: RowsAtStates, start: Array, free: Array) -> Array:
    """Find positions (1, k) from a start; perturb them where they are stuck."""
    random, q = Random(0), solve(at, start, units_of(at, start), free)
    best = q
    for _ in range(KICKS):
        if at.positions(best).gaps[0] <= ACCEPTED:
            break
        tried = np.where(free, kick(at, best, random), best)
        q = solve(at, tried, units_of(at, tried), free)
        if at.positions(q).gaps[0] < at.positions(best).gaps[0]:
            best = q
    return best


def _state(at: RowsAtStates, state: State, q: Array) -> State:
    values = dict(zip(at.rows.coordinates[: at.rows.own], q[0].tolist(), strict=False))
    return replace(state, q=values)


def open_rows(at: RowsAtStates, system: System, q: Array) -> Iterator[Diagnostic]:
    """Yield an error for each constraint that does not close at positions (1, k), with its gap."""
    positions = at.positions(q)
    gaps = np.where(np.isfinite(positions.f[0]), np.abs(positions.f[0]), np.inf)
    relative = gaps / positions.reach[0]
    worst: dict[str, tuple[float, float, bool]] = {}
    for row, gap, part in zip(at.rows.rows, gaps, relative, strict=True):
        if part > max(ACCEPTED, NAMED * relative.max()):
            before = worst.get(row.constraint, (0.0, 0.0, row.metric))
            worst[row.constraint] = max(before, (float(part), float(gap), row.metric))
    turned = {c.name for c in system.constraints if isinstance(c, FrameCoincidence)}
    for name, (_, gap, metric) in worst.items():
        unit = " m" if metric else " rad" if name in turned else ""
        remedy = "change its lengths, or give a state that is nearer to one in which it closes"
        message = f"cannot be closed: in the nearest configuration found a gap of {gap:.6g}{unit} is left"
        yield error(f"constraints/{name}", message, remedy)


def branches(system: System, state: State, kept: Collection[str], count: int, seed: int = 0) -> list[Placed]:
    """Find different positions on the constraints with these coordinates fixed, the nearest to the state first.

    They are found from random starts: there may be others.
    """
    (rates,) = author_set(system, state)[1:]
    at = RowsAtStates(constraint_rows(system), system, [state])
    first = _place(at, system, state, kept, rates)
    if first.released:
        return [first]
    many = RowsAtStates(constraint_rows(system), system, [state] * STARTS)
    free, random = _free(at, kept), Random(seed)
    names = at.rows.coordinates
    origin = np.array([*(first.state.q[name] for name in names[: at.rows.own]), *first.auxiliary])
    sizes = np.linspace(0.3, FAR, STARTS)[:, None]
    start = np.broadcast_to(origin, (STARTS, at.k))
    tried = start + free * sizes * (kick(many, start, random, 1.0) - start)
    ends = solve(many, tried, units_of(many, tried), free)
    sound = ends[many.positions(ends).gaps <= ACCEPTED]
    found = [first]
    for q in sound:
        values = dict(zip(names, q[: at.rows.own].tolist(), strict=False))
        given = replace(state, q={**values, **{n: first.state.q[n] for n in kept}}, v=state.v)
        try:
            other = _place(at.with_states([given]), system, given, given.q, rates)
        except AssemblyError:
            continue
        if other.released or any(_same(other, known, at) for known in found):
            continue
        shift = np.array([other.state.q[n] for n in system.coordinate_names]) - at.q[0, : at.rows.own]
        found.append(replace(other, shift=shift))
    return sorted(found, key=lambda p: p.distance)[:count]


def _same(a: Placed, b: Placed, at: RowsAtStates) -> bool:
    """Return True if two positions are equal up to full turns."""
    x, y = (np.array(list(p.state.q.values())) for p in (a, b))
    apart = (x - y) / a.units
    turning = np.array(at.rows.angles[: at.rows.own])
    apart = np.where(turning, np.angle(np.exp(1j * apart)), apart)
    return bool(np.abs(apart).max(initial=0.0) < SAME)
