"""Judge accelerations, multipliers and power of a run by the direct witness, and by validation's own rows.

Gaps of constraints are judged by own rows too, and events by signs of their formulas before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.model.contact import Rope, split_elements
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import ZERO, compile_numpy
from mbconcord.model.expressions.bounds import U, run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.force import LENGTH, LENGTH_RATE, Point
from mbconcord.model.numbers import has_varying, parameter_values
from mbconcord.model.system import System
from mbconcord.simulation.assembly import assemble_at
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.linear.reduction import DEPENDENT, natural_lengths
from mbconcord.simulation.motion.events import Event, kinks, row_crossings
from mbconcord.simulation.motion.trajectory import TrajectoryRow
from mbconcord.simulation.rows import constraint_rows

from ...judge.closed.rows import Rows, RowsByConstraint
from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.kinematics import takes
from ...judge.motion import Array
from ...judge.scale import scales
from ...judge.tolerances import EPSILON, RATE_DRIFT, RUN, RUN_DIFFERENCES
from ..direct.energies import kinetic_energy, potential_energy
from ..direct.formulas import SeriesFormulas, bind
from ..direct.series import constant
from ..direct.tree import NAME as DIRECT
from ..direct.tree import DirectTree, obstacles
from .made import (
    CLOSED,
    EQUATIONS,
    EVENTS,
    GAPS,
    NO_ENERGIES,
    POWER,
    Made,
    bodies_of,
    compare_readings,
    kinematics_of,
    silent,
    tree_of,
)

#: Factor by which two formulas of one gap may differ: one may be a difference of squares, the other of lengths.
GAP_FACTOR: Final = 100.0
#: Time before and after an event (s) at which its formula must have opposite signs.
BESIDE: Final = 1e-6


def check_gaps(made: Made, rows: Sequence[TrajectoryRow], own: Rows) -> Comparison:
    """Compare the gaps in a table's rows with those of validation's own constraint rows, relative to their terms."""
    m = own.gap.shape[1]
    with np.errstate(all="ignore"):  # of rates that are rounding the terms are, too
        rates = np.fmin(own.relative_gaps[:, m:], np.abs(own.speed) / own.reach)
    found = np.stack([own.relative_gaps[:, :m].max(axis=1), rates.max(axis=1)], axis=1)
    printed = np.array([(row.gap, row.rate_gap) for row in rows])
    one, room = np.ones(len(rows)), GAP_FACTOR * np.fmin(printed, found) + RATE_DRIFT
    difference = ArrayDifference(printed, found, np.ones_like(found), 0 * one, one, None, room)
    return worst("table", "own rows", GAPS, difference, made.states(rows), ("position error", "rate error"))


def list_touches(system: System) -> list[Event]:
    """List the contacts, ropes and stops of a model as events, with formulas that are positive while they act."""
    found = ((element.name, element.side()) for element in split_elements(system)[0])
    return [Event(name, side) for name, side in found if side is not None]


def check_events(made: Made, events: Sequence[Event]) -> Iterator[Comparison]:
    """Yield comparisons of events: formulas must change sign at an event's rows, and between no other two rows.

    Around an event the motion is followed along its rates. Values that are rounding on both sides are not judged. Rows
    of events of contacts, ropes and stops are named ``meets …`` or ``leaves …``.
    """
    table, touches = made.trajectory.found, list_touches(made.system)
    names = [{e.name} for e in events] + [{f"meets {e.name}", f"leaves {e.name}"} for e in touches]
    events = [*events, *touches]
    at = _values(made, table, events, 0.0)
    named = [(i, k) for i, row in enumerate(table) for k, own in enumerate(names) if row.event in own]
    rows = [table[i] for i, _ in named]
    sides = [_values(made, rows, events, s * BESIDE) for s in (-1, 1)] if rows else []
    for k, event in enumerate(events):
        value, own = at[:, k], [j for j, (_, x) in enumerate(named) if x == k]
        size = float(np.nanmax(np.abs(value), initial=0.0))
        told = {named[j][0] for j in own}
        off = max((abs(float(value[i])) for i in told), default=0.0) / (size or 1.0)
        found = Comparison("table", DIRECT, EVENTS, "agrees", off, RUN, size, 1.0, entry=(event.name,))
        for j in own:
            before, after = (float(side[j, k]) for side in sides)
            if before * after >= 0 and max(abs(before), abs(after)) > RUN * size * BESIDE:
                said = f"{before:.3g} before and {after:.3g} after the row"
                yield _wrong(found, made, rows[j], float(value[named[j][0]]), said)
                break
        else:
            missed = np.flatnonzero(value[:-1] * value[1:] < 0)
            clear = np.fmin(np.abs(value[:-1]), np.abs(value[1:])) > RUN * size
            lost = [i for i in missed.tolist() if clear[i] and not {i, i + 1} & told]
            if lost:
                said = f"{value[lost[0] + 1]:.3g} in the next row, and no row of the event"
                yield _wrong(found, made, table[lost[0]], float(value[lost[0]]), said)
            else:
                yield found


def _wrong(found: Comparison, made: Made, row: TrajectoryRow, value: float, said: str) -> Comparison:
    state = made.states([row])[0]
    return replace(found, verdict="disagrees", state=state, values=(0.0, value), explanation=said)


def _values(made: Made, rows: Sequence[TrajectoryRow], events: Sequence[Event], later: float) -> Array:
    """Return values (S, k) of the events' formulas at rows, moved by a time ``later``, by the direct witness."""
    moved = [replace(r, t=r.t + later, q=r.q + r.v * later, v=r.v + r.a * later) for r in rows]
    f, ends = bind(made.system, made.states(moved), at_rest=False), dict[str, tuple[Point, Point]]()
    if elements := split_elements(made.system)[0]:
        if against := obstacles(made.system):
            raise NumbersError(error("events", against[0].reason))
        tree = DirectTree(made.system, f)
        ends = {e.name: (e.first, e.second) for e in elements if isinstance(e, Rope)}
    found = []
    for event in events:
        symbols = f.symbols
        if event.name in ends:
            a, b = map(tree.locate, ends[event.name])
            long = np.sqrt(np.sum((b.r - a.r) ** 2, axis=1))
            lengthens = np.sum((b.r - a.r) * (b.dr - a.dr), axis=1) / long
            own = {str(LENGTH.data): constant(long, f.orders), str(LENGTH_RATE.data): constant(lengthens, f.orders)}
            f = SeriesFormulas({**symbols, **own}, made.system.functions, f.orders, f.count)
        found.append(f.value(event.formula))
    return np.stack(found, axis=1)


#: States of a run at which its equations are evaluated again.
STATES: Final = 5
#: Coordinates with less inertia than this part of the largest √M_ii have no unit of their own.
LEAST: Final = 1e-3
#: Step of differences in time (s), and their rounding error, in ε of the subtracted values.
INSTANT, ROUNDED = 1e-4, 64


def chosen(made: Made) -> list[TrajectoryRow]:
    """Return a few evenly spread rows, none at a time at which a formula of time has a kink or a contact presses."""
    rows = [row for row in made.trajectory.found if np.isfinite(row.a).all() and not any(row.loads)]
    times, every = np.array([row.t for row in rows]), [*made.formulas.every(), *made.formulas.applied]
    arguments = [node.args[0] for node in kinks(every)]
    if rows:
        arguments += row_crossings(every, times.min() - 1, times.max() + 1)
    if arguments and rows:
        sides = [np.sign(compile_numpy(arguments, ["t"])((times + k * INSTANT)[None])) for k in (-3, 3)]
        rows = [row for row, same in zip(rows, (sides[0] == sides[1]).all(axis=0), strict=True) if same]
    places = {round(i * (len(rows) - 1) / (STATES - 1)) for i in range(STATES)} if rows else set()
    return [rows[i] for i in sorted(places)]


def check_equations(made: Made, rows: Sequence[TrajectoryRow]) -> Iterator[Comparison]:
    """Yield comparisons of the table's M q'' with the direct witness's forces plus the table's Dᵀ λ; and of power.

    Coordinates are scaled by √M_ii. Forces along constraint rows whose λ is undetermined are projected out.
    """
    tree = tree_of(made, rows)
    if isinstance(tree, str):
        yield silent(EQUATIONS, tree)
        yield silent(POWER, tree)
        return
    a, v = (np.array([getattr(row, x) for row in rows]) for x in ("a", "v"))
    M = tree.mass()
    needed, weight, applied = tree.inertial(), tree.gravity(), tree.sum_applied_forces()
    inertial = np.einsum("sij,sj->si", M, a)
    reactions, sizes, free = _reactions(made, rows)
    moved = weight + applied - (needed - inertial) + reactions
    units = np.sqrt(np.maximum(np.einsum("sii->si", M), 0.0))
    units = 1.0 / np.maximum(units, LEAST * units.max(axis=1, keepdims=True, initial=1e-300))
    moved_by = np.einsum("sij,sj->si", np.abs(M), np.abs(a))
    made_of, pushed = _sizes(made, rows, a, moved_by, (needed - inertial, weight, applied))
    scale = ((made_of + sizes) * units).max(axis=1, keepdims=True, initial=0.0)
    left, right = (np.einsum("sij,sj->si", free, x) * units for x in (inertial, moved))
    names = made.trajectory.coordinates
    yield compare_readings(
        made.trajectory.formalism, EQUATIONS, left, right, np.broadcast_to(scale, left.shape), RUN, made.states(rows),
        names, unit=units,
    )  # fmt: skip
    yield _power(made, rows, v, applied, needed - weight - applied, pushed)


def _sizes(
    made: Made, rows: Sequence[TrajectoryRow], a: Array, inertial: Array, forces: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Return sizes of terms (S, n) of M q'' + h - gravity - applied, and of applied: sums of absolute values.

    For models that validation's kinematics do not support they are absolute values of h, gravity and applied.
    """
    if not takes(made.tree):
        return inertial + sum(map(np.abs, forces)), np.abs(forces[2])
    own = scales(kinematics_of(made, rows))
    return own.scale_efforts(a), own.rows["applied"]


def _reactions(made: Made, rows: Sequence[TrajectoryRow]) -> tuple[Array, Array, Array]:
    """Return Dᵀ λ (S, n) of known λ, its size, and matrices (S, n, n) that project out forces of the other λ."""
    m, n = made.formulas.D.shape
    count = len(rows)
    if not m:
        return np.zeros((count, n)), np.zeros((count, n)), np.broadcast_to(np.eye(n), (count, n, n))
    names = made.trajectory.coordinates
    inputs = ["t", *names, *(f"{name}'" for name in names)]
    at = np.array([[row.t, *row.q, *row.v] for row in rows]).T
    off = {name: U * np.abs(x) for name, x in zip(inputs, at, strict=True)}
    found = run_bounds(levels(program(made.formulas.D.ravel().tolist())), dict(zip(inputs, at, strict=True)), off)
    D, rounding = (np.moveaxis(x.reshape(m, n, count), 2, 0) for x in found)
    multipliers = np.array([row.multipliers for row in rows])
    known = np.isfinite(multipliers)
    values = np.where(known, multipliers, 0.0)
    free = np.tile(np.eye(n), (count, 1, 1))
    for s in np.flatnonzero(~known.all(axis=1)):
        free[s] = leave_out(D[s][~known[s]], rounding[s][~known[s]] / U)
    return np.einsum("smi,sm->si", D, values), np.einsum("smi,sm->si", np.abs(D), np.abs(values)), free


def leave_out(rows: Array, terms: Array) -> Array:
    """Return the matrix (n, n) that projects out forces along rows (r, n), without rows that are only rounding.

    Rows may have any factor, so a row is rounding if all its entries are remainders of cancelling ``terms`` (r, n).
    """
    sizes = natural_lengths(rows, np.fmax(np.where(np.isfinite(terms), terms, 0.0), np.abs(rows)))
    lines = rows / sizes[:, None]
    return np.asarray(np.eye(rows.shape[1]) - np.linalg.pinv(lines, rcond=DEPENDENT) @ lines)


def _power(
    made: Made, rows: Sequence[TrajectoryRow], v: Array, applied: Array, reactions: Array, pushed: Array
) -> Comparison:
    """Compare the power of forces other than weight, Q·q' - ∂L/∂t, with the table's; moving constraints do work."""
    if made.formulas.energies is None:
        return silent(POWER, NO_ENERGIES)
    by_time, room = np.zeros(len(rows)), np.zeros(len(rows))
    moving = bool(made.trajectory.efforts) or any(x is not ZERO for x in made.formulas.flow)
    if made.formulas.energies.explicit is not ZERO:
        by_time, room = _lagrangian_rate(made, rows)
        room += RUN_DIFFERENCES * np.abs(by_time)
    forces = applied + reactions if moving else applied
    size = np.einsum("si,si->s", pushed + moving * np.abs(reactions), np.abs(v)) + np.abs(by_time)
    printed = np.array([row.power for row in rows])
    found = np.einsum("si,si->s", forces, v) - by_time
    return compare_readings("table", POWER, printed, found, size, RUN, made.states(rows), ("power",), bound=room)


def _lagrangian_rate(made: Made, rows: Sequence[TrajectoryRow]) -> tuple[Array, Array]:
    """Return ∂L/∂t (S,) at the same q and q', by differences of the sums over the bodies, and its rounding.

    Parameters μ that vary in time are held constant, and their effect on the energy is subtracted: ∂L/∂t - ∂H/∂μ μ'.
    """
    steps = (-2, -1, 1, 2)
    shifted = [replace(row, t=row.t + k * INSTANT) for k in steps for row in rows]
    if not has_varying(made.system):
        tree = tree_of(made, shifted)
        assert not isinstance(tree, str)
        (kinetic, size), (potential, reach) = kinetic_energy(tree), potential_energy(tree)
        return _differ(kinetic - potential, size + reach)
    names, system = {p.name for p in made.system.parameters if p.varies is not None}, made.system
    here = made.states([row for _ in steps for row in rows])
    held, later = (
        [{n: x for n, x in parameter_values(system, s.parameters, t=s.t).items() if n in names} for s in states]
        for states in (here, made.states(shifted))
    )
    still = [replace(s, parameters={**s.parameters, **m}) for s, m in zip(made.states(shifted), held, strict=True)]
    moved = [replace(s, parameters={**s.parameters, **m}) for s, m in zip(here, later, strict=True)]
    found = []
    for states, factor in ((still, 1.0), (moved, 1.0), (moved, -1.0), (moved, 0.0)):
        turned = [replace(s, v={n: factor * x for n, x in s.v.items()}) for s in states]
        bodies = bodies_of(made.integrated, turned)
        assert not isinstance(bodies, str)
        found.append((*kinetic_energy(bodies), *potential_energy(bodies)))
    (T, a, V, b), (forth, c, W, d), (back, *_), (rest, *_) = found
    explicit, room = _differ(T - V, a + b)
    changed, more = _differ((forth + back) / 2 - 2 * rest + W, 2 * c + d)  # H = T2 - T0 + V, of T = T2 + T1 + T0
    return explicit - changed, room + more


def _differ(x: Array, size: Array) -> tuple[Array, Array]:
    """Return the time derivative (S,) of values at -2, -1, 1, 2 time steps (4 S,), and its rounding."""
    values, rounding = x.reshape(4, -1), ROUNDED * EPSILON * size.reshape(4, -1).max(axis=0) / INSTANT
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * INSTANT), rounding


def check_closed(made: Made, rows: Sequence[TrajectoryRow]) -> Iterator[Comparison]:
    """Yield the comparison of D q'' with -γ̃ by own rows, with best-fitting accelerations of cut joints; and gaps."""
    if not (made.system.constraints or any(isinstance(c.drive, Motion) for c in made.system.coordinates)):
        return
    system, states = made.system, made.states(rows)
    batch = RowsAtStates(constraint_rows(system), system, states)
    own = RowsByConstraint(system, assemble_at(batch, states, held=True).extended)
    n, D, rest = len(system.coordinate_names), own.rows.D, own.rows.rest
    a = np.array([row.a for row in rows])
    along = np.einsum("sij,sj->si", D[:, :, :n], a)
    for s in range(len(rows)):
        if D.shape[2] > n:
            auxiliary = D[s, :, n:]
            along[s] += auxiliary @ np.linalg.lstsq(auxiliary, -rest[s] - along[s], rcond=DEPENDENT)[0]
    scale = np.einsum("sij,sj->si", np.abs(D[:, :, :n]), np.abs(a)) + np.abs(rest) + own.rows.shaking
    largest = np.max(np.abs(a), axis=1, initial=0.0, keepdims=True)  # a machine is solved for as a whole, and so rounds
    least = ROUNDED * EPSILON / RUN
    scale = np.maximum(scale, least * np.abs(D[:, :, :n]).sum(axis=2) * largest)
    if takes(made.tree):  # where the constraints hold all still, what is left is rounding of what they hold
        free = scales(kinematics_of(made, rows))
        with np.errstate(all="ignore"):
            falling = sum(free.rows[x] for x in ("h", "gravity", "applied")) / free.roots**2 * free.cond[:, None]
        falling = np.where(np.isfinite(falling), falling, 0.0)
        scale = np.maximum(scale, least * np.einsum("sij,sj->si", np.abs(D[:, :, :n]), falling))
    reach = np.broadcast_to(scale.max(axis=1, keepdims=True, initial=0.0), scale.shape)
    yield compare_readings("table", CLOSED, along, -rest, reach, RUN, states, own.names, "own rows")
    yield check_gaps(made, rows, own.rows)
