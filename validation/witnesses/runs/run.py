"""Judgement of a run's numbers: a table of a motion, by witnesses that took no part in computing it.

Accelerations and multipliers satisfy the equations of the direct witness, which reads the model's fields and shares
neither a derivation nor generated code with the run; they satisfy the constraints by validation's own rows. Energies
and power are sums over the bodies and the forces of the same witness. Energies and work balance as far as the steps
may err at the tolerance of the run. The last state is that of the same run with half the tolerance.

Errors of integration steps are allowed for here: in the balance of energies and work, and in the last state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, NumbersError, error
from mbconcord.model.expressions import ZERO, ExpressionError, compile_numpy, gradient, rate, symbol
from mbconcord.model.normal_forces import list_normal_forces
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.motion.charted import OTHER_ANGLES
from mbconcord.simulation.motion.events import Event
from mbconcord.simulation.motion.formulas import array, formulas
from mbconcord.simulation.motion.prescribed import PrescribedTable, driven, follow_prescribed
from mbconcord.simulation.motion.run import ROWS, RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory, TrajectoryRow

from ...judge.comparison import contradict
from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import APART, RUN
from ..direct.formulas import bind
from .equations import check_closed, check_equations, check_events, chosen, list_touches
from .made import (
    BALANCE,
    CLAIM,
    CLOSED,
    EQUATIONS,
    EVENTS,
    FIRST,
    KINETIC,
    LAST,
    NO_ENERGIES,
    Made,
    check_energies,
    silent,
)
from .stepping import IMPACTS, STEPPING, check_impacts

#: If the allowed error of steps exceeds this part of the energies, the balance is not checked.
NOTHING_LEFT: Final = 0.1
#: Steps that interpolation of a row counts for.
INTERPOLATED: Final = 20
#: What evaluation of an initial value may leave, as a part of 1 + |y|.
ROUNDED: Final = 1e-14
#: Rows that a neighbour has at the same times, at least; so many times what steps err may the end be off.
LEAST_ROWS: Final = 3
#: From row to row within a step a coordinate may be off its mean rate by these: times Δt² and the largest acceleration,
#: and times the tolerance of 1 + |q| + Δt |q'|. So large a part of the pairs of rows is no more off.
CURVED, ADDED, MOST = 5.0, 1e3, 0.75
SURELY: Final = 100.0
HALF_TOLERANCE: Final = "half the tolerance"


def check_balance(made: Made, rows: Sequence[TrajectoryRow]) -> Iterator[Comparison]:
    """Yield the comparison of H - H(0) with work W; a step may err by Σ |∂H/∂y| (1 + |y|) ε √(2 n) + (1 + |W|) ε.

    The largest work is that of all steps: a stiff motion may do work and lose it again from one row to the next.
    """
    table, energies = made.trajectory.found, made.formulas.energies
    balance = np.array([row.balance for row in table])
    if energies is None or not np.isfinite(balance).any():
        yield silent(BALANCE, NO_ENERGIES if energies is None else "no work is integrated")
        return
    names = made.trajectory.coordinates
    variables = [*map(symbol, names), *map(rate, names)]
    slopes = array(gradient(energies.hamiltonian, variables), (len(variables),)).tolist()
    y = np.hstack([made.trajectory.q, made.trajectory.v])
    at = np.vstack([made.trajectory.t, y.T])
    steep = np.abs(compile_numpy(slopes, ["t", *names, *(f"{n}'" for n in names)])(at)).T
    work = np.array([row.work for row in table])
    most = np.maximum.accumulate(np.abs([0.0, *made.works]))[np.searchsorted(made.ends, made.trajectory.t)]
    most = np.maximum(most, np.abs(work))
    size = np.maximum.accumulate((steep * (1.0 + np.abs(y))).sum(axis=1) + 1.0 + most)
    allowed = allow(made, made.trajectory.t) * size
    scale = np.maximum.accumulate([abs(row.kinetic) + abs(row.potential) for row in table] + most)
    gap = np.abs(balance - balance[0])
    with np.errstate(all="ignore"):
        i = int(np.argmax(np.where(np.isfinite(gap), gap / allowed, np.inf)))
        off, room = (float(np.nanmax(np.where(scale > 0, x / scale, 0.0))) for x in (gap, allowed))
    told = Comparison(
        "energies", "work", BALANCE, "agrees", off, room, float(scale[i]), 1.0, made.states([table[i]])[0], (),
        (float(work[i] + balance[i] - balance[0]), float(work[i])),
    )  # fmt: skip
    if not gap[i] <= allowed[i]:
        why = f"the steps may err {allowed[i]:.2g} J at tolerance {made.trajectory.tolerance:g}"
        yield replace(told, verdict="disagrees", explanation=why)
    elif room > NOTHING_LEFT:
        how = f"{allowed.max():.2g} J of {scale.max():.3g} J"
        why = f"at tolerance {made.trajectory.tolerance:g} the steps may err {how}"
        yield replace(told, verdict="not checked", explanation=why)
    else:
        yield told


def allow(made: Made, t: Array) -> Array:
    """Return N ε √(2 n) at times: the error of N steps, without growth, relative to 1 + |y|."""
    steps = np.searchsorted(made.ends, t, side="left") + 1.0 + INTERPOLATED
    return np.asarray(steps * made.trajectory.tolerance * np.sqrt(2 * len(made.trajectory.coordinates) + 1))


def check_first(
    made: Made, start: State, settings: RunSettings, before: TrajectoryRow | None = None
) -> Iterator[Comparison]:
    """Yield the comparison of the first row with the requested state, row times with the step, rates with positions.

    Where constraints or drives change the requested state, as a note of the run says, the first row is not judged, but
    for its balance: zero, or that of the row ``before`` a run that is continued. Events alone lose energy.
    """
    rows, names = made.trajectory.found, made.trajectory.coordinates
    begins, owed = (row.work + row.balance if row else 0.0 for row in (rows[0], before))
    size = abs(rows[0].kinetic) + abs(rows[0].potential) + abs(owed)
    if abs(begins - owed) > RUN * size:
        why = f"energy and work begin with {begins:.6g} J, expected {owed:.6g} J"
        yield Comparison("energies", "work", BALANCE, "disagrees", explanation=why, claim=CLAIM)
    lost = [before.lost if before else 0.0, *(row.lost for row in rows)]
    if odd := [i for i, row in enumerate(rows) if lost[i + 1] != lost[i] and not row.event]:
        why = f"{lost[odd[0] + 1]:.6g} J are lost in impacts at t = {rows[odd[0]].t:.6g}, where there is none"
        yield Comparison("energies", "work", BALANCE, "disagrees", explanation=why, claim=CLAIM)
    asked = bind(made.system, [start], at_rest=False).values([*map(symbol, names), *map(rate, names)])[0]
    begun = np.concatenate([rows[0].q, rows[0].v])
    pairs = {"t": (rows[0].t, start.t)} | dict(
        zip((*names, *(f"{name}'" for name in names)), zip(begun.tolist(), asked.tolist(), strict=True), strict=True)
    )
    off = {name: abs(x - y) / (1.0 + abs(y)) for name, (x, y) in pairs.items()}
    entry = max(off, key=lambda name: off[name])
    values, moved = pairs[entry], off[entry] > ROUNDED
    told = Comparison(
        "table", "the state asked for", FIRST, "agrees", off[entry], ROUNDED, 1.0 + abs(values[1]), 1.0,
        made.states(rows[:1])[0], (entry,), values, claim=CLAIM,
    )  # fmt: skip
    charted = OTHER_ANGLES in str(made.trajectory.diagnostics)
    if moved and not (made.formulas.closing.rows or charted):
        yield replace(told, verdict="disagrees")
        return
    step = settings.step_out or (settings.until - start.t) / ROWS
    late = [row.t for row in rows if not row.event and row.t != settings.until and _is_between(row.t, start.t, step)]
    late = late if made.trajectory.stopped is None else []
    seen = {round((row.t - start.t) / step) for row in rows if not _is_between(row.t, start.t, step)}
    left_out = {*range(int((rows[-1].t - start.t) / step * (1 - ROUNDED)) + 1)} - seen
    if late or left_out:
        where, t = ("a row", late[0]) if late else ("no row", start.t + step * min(left_out))
        why = f"{where} at t = {t:.9g}, {'between the' if late else 'a multiple of the'} steps of {step:g} s"
        told = replace(told, verdict="disagrees", entry=("t",), values=(t, start.t), explanation=why)
    still = None if charted else _find_still(rows, made.ends, settings.tolerance)
    if told.verdict == "agrees" and still is not None:
        why = f"from row to row {names[still]} does not move by what its rates and accelerations say"
        told = replace(told, verdict="disagrees", entry=(names[still],), explanation=why)
    if told.verdict == "disagrees" or not moved:
        yield told


def check_given(made: Made, given: PrescribedTable) -> Comparison:
    """Compare times and motions of driven coordinates with the given table; all rows must satisfy the constraints."""
    rows, names = made.trajectory.found, made.trajectory.coordinates
    at = [names.index(name) for name in given.driven]
    asked = np.column_stack([given.t, given.q, given.v, given.a])
    shown = np.array([[row.t, *row.q[at], *row.v[at], *row.a[at]] for row in rows])
    heads = ["t", *(name + dots for dots in ("", "'", "''") for name in given.driven)]
    off = np.abs(shown - asked) / (1.0 + np.abs(asked)) if shown.shape == asked.shape else np.full((1, 1), np.inf)
    i, j = np.unravel_index(np.argmax(np.where(off <= ROUNDED, off, np.inf)), off.shape)
    by, rest = "the given motion", (ROUNDED, 1.0, 1.0, None, (heads[j],))
    told = Comparison("table", by, FIRST, "agrees", float(off[i, j]), *rest, claim=CLAIM)
    gap, t = max((max(row.gap, row.rate_gap), row.t) for row in rows)
    if off[i, j] <= ROUNDED and not gap > APART:
        return told
    why = f"row {i + 1} is off the table by {off[i, j]:.2g}; constraints are open by {gap:.2g} at t = {t:.9g}"
    return replace(told, verdict="disagrees", explanation=why)


def _find_still(rows: Sequence[TrajectoryRow], ends: Array, tolerance: float) -> int | None:
    """Return the index of a coordinate that moves by other than Δt (v + v') / 2, to Δt² a; None if there is none.

    Only rows within one step of the integrator are compared with each other; None too if these are too few.
    """
    t, q, v, a = (np.array([getattr(row, name) for row in rows]) for name in ("t", "q", "v", "a"))
    first, after = np.searchsorted(ends, t[:-1], side="right"), np.searchsorted(ends, t[1:], side="left")
    struck = np.array([row.event.startswith("impact ") for row in rows[1:]], dtype=bool)
    within = (first == after) & ~struck & (np.diff(t) > 0) & np.isfinite(a[1:] + a[:-1]).all(axis=1)
    if within.sum() < LEAST_ROWS:
        return None
    step, size = np.diff(t)[:, None], np.abs(a[np.isfinite(a).all(axis=1)]).max(axis=0)
    off = np.abs(np.diff(q, axis=0) - step * (v[1:] + v[:-1]) / 2)
    room = CURVED * step**2 * size + ADDED * tolerance * (1.0 + np.abs(q[1:]) + step * np.abs(v[1:]))
    room += 4 * np.spacing(np.abs(t[1:, None])) * np.abs(v[1:])
    far = np.quantile((off / room)[within], MOST, axis=0)
    return int(far.argmax()) if far.size and far.max() > 1.0 else None


def _is_between(t: float, start: float, step: float) -> bool:
    """Return True if a time is not a whole number of steps after the start, within rounding."""
    after = (t - start) / step
    return abs(after - round(after)) > 1e-6 + 4 * float(np.spacing(max(abs(t), abs(start)))) / step


def check_last(made: Made, half: Trajectory) -> Comparison:
    """Compare the last state with that of a run at half the tolerance; allowed are errors of steps without growth.

    Errors grow with the divergence of neighbouring motions: beyond a limit nothing is judged.
    """
    names, last = made.trajectory.coordinates, made.trajectory.found[-1]
    x, y = (np.concatenate([row.q, row.v]) for row in (last, half.found[-1]))
    gap = np.abs(x - y) / (1.0 + np.abs(x))
    i = int(np.argmax(np.where(np.isfinite(gap), gap, np.inf)))
    entry = (*names, *(f"{n}'" for n in names))[i]
    tolerance = float(allow(made, np.array([last.t]))[0])
    told = Comparison(
        made.trajectory.formalism, HALF_TOLERANCE, LAST, "agrees", float(gap[i]), tolerance, 1.0 + abs(float(x[i])),
        1.0, made.states([last])[0], (entry,), (float(x[i]), float(y[i])),
    )  # fmt: skip
    if gap[i] <= tolerance:
        return replace(told, explanation=_describe_small(made, np.abs(x - y)))
    why = (
        f"with half the tolerance {entry} ends at {y[i]:.9g} in place of {x[i]:.9g}: more than "
        f"{len(made.ends):,} steps err by themselves; errors grow along this motion"
    )
    return replace(told, verdict="not checked", explanation=why)


def _describe_small(made: Made, gap: Any) -> str:
    """Describe the coordinate or rate whose gap is more than a thousandth of its largest in the run; "" if none is.

    What stays a billion times below others of its kind, or below 1e-12, is rounding.
    """
    largest = np.max([np.abs([row.q, row.v]) for row in made.trajectory.found], axis=0)
    moving = largest > np.maximum(1e-9 * largest.max(axis=1, initial=0.0, keepdims=True), 1e-12)
    part = (np.where(moving, gap.reshape(largest.shape), 0.0) / np.where(moving, largest, 1.0)).ravel()
    i, names = int(np.argmax(part)), made.trajectory.coordinates
    entry = (*names, *(f"{n}'" for n in names))[i]
    return f"moves {entry} by {part[i]:.1%} of its largest, {largest.ravel()[i]:.3g}" if part[i] > LOOSE else ""


def neighbour(system: System, start: State) -> State:
    """Return a state on the constraints near a start that differs from it in every coordinate and rate."""
    first = place_state(system, start, frozenset()).state
    signs = Random(0)

    def apart(group: Mapping[str, float]) -> dict[str, float]:
        return {name: x + signs.choice((-1, 1)) * APART * (1 + abs(x)) for name, x in group.items()}

    return place_state(system, replace(first, q=apart(first.q), v=apart(first.v)), frozenset()).state


def explain_last(last: Comparison, made: Made, near: Trajectory) -> Comparison:
    """Return the comparison of the last state: it disagrees if divergence of neighbours does not explain the gap."""
    pairs = [(a, b) for a in made.trajectory.found for b in near.found if a.t == b.t]
    apart = [max(np.abs(x - y).max() for x, y in ((a.q, b.q), (a.v, b.v))) for a, b in pairs]
    if near.stopped is not None or len(apart) < LEAST_ROWS or not min(apart) > 0:
        return last
    growth = float((np.array(apart) / np.minimum.accumulate(apart)).max())
    explained = SURELY * growth * (last.tolerance or 0.0)
    if last.discrepancy is None or explained > NOTHING_LEFT or last.discrepancy <= explained:
        return replace(last, explanation=f"{last.explanation}: {growth:.3g}-fold at a neighbouring start")
    why = f"{last.explanation.partition(';')[0]}, and neighbouring starts move apart {growth:.3g}-fold only"
    return replace(last, verdict="disagrees", explanation=why)


#: The last state is found once more where that takes so many evaluations, times one more than there are coordinates.
MOST_WORK: Final = 10_000
#: Tolerances below this are not halved: SciPy takes none below 100 ε.
LEAST_TOLERANCE: Final = 1e-13
#: A part of the energies that is said to be off, although the steps may err by it.
LOOSE: Final = 1e-3
#: What is said of errors that the steps may make, and that are large.
ADMITTED: Final = {
    BALANCE: "energies and work do not balance by up to", LAST: "half the tolerance moves the last state by",
}  # fmt: skip


def run_checked(
    system: System, by: Formalism, start: State, settings: RunSettings,
    told: Callable[[float, float], None] | None = None, before: TrajectoryRow | None = None,
) -> tuple[Trajectory, tuple[Comparison, ...]]:  # fmt: skip
    """Return the motion of :func:`simulate`, and the comparisons of all witnesses with it.

    Raises
    ------
    NumbersError
        The model has no coordinates, so that no witness can judge it.
    """
    if not system.coordinates:
        raise NumbersError(error("coordinates", "the model has no coordinates", "evaluate it at states"))
    derived = formulas(system, by, start.parameters, tuple(p.name for p in list_normal_forces(system)))
    steps: list[tuple[float, float]] = []

    def note(t: float, work: float) -> None:
        steps.append((t, work))
        if told is not None:
            told(t, work)

    placed = place_state(system, start)
    found = simulate(system, by, start, settings, note, before, derived, placed)
    affordable = MOST_WORK // (len(system.coordinate_names) + 1)
    half: Trajectory | str
    if found.stopped is not None:
        half = "the run ended before its time"
    elif settings.tolerance < LEAST_TOLERANCE:
        half = f"half of {settings.tolerance:g} is below what floats resolve"
    elif any(OTHER_ANGLES in note.message for note in found.diagnostics):
        half = "a position that the run left in other angles has two sets of the model's own"
    elif found.evaluations > affordable:
        half = f"it would take {found.evaluations:,} evaluations more, and {affordable:,} are made at the most"
    else:
        once = replace(settings, tolerance=settings.tolerance / 2, step_out=settings.until - start.t, events=())
        half = simulate(system, by, start, once, None, before, derived, placed)
        half = half if half.stopped is None else f"with half the tolerance it {half.stopped.message}"
    made = Made(system, found, derived, start.parameters, settings.slip, *np.array(sorted(steps)).reshape(-1, 2).T)
    last = silent(LAST, half) if isinstance(half, str) else check_last(made, half)
    if last.verdict == "not checked" and not isinstance(half, str):
        near = simulate(system, by, neighbour(system, start), replace(settings, events=()), None, None, derived)
        last = explain_last(last, made, near)
    judged = (*check_run(made, last, settings.events), *check_first(made, start, settings, before))
    if made.rigid:
        step = lambda made, _: iter([check_impacts(made, settings.until, settings.impacts)])  # noqa: E731
        judged = (*judged, *_guard(step, made, found.found, IMPACTS))
    return found, judged


def along_checked(
    system: System, by: Formalism, start: State, given: PrescribedTable
) -> tuple[Trajectory, tuple[Comparison, ...]]:
    """Return the efforts and reactions along a given motion, and the comparisons of all witnesses with them."""
    found = follow_prescribed(system, by, start, given)
    derived = formulas(driven(system, given.driven, Motion(ZERO)), by, start.parameters)
    made = Made(driven(system, given.driven, None), found, derived, start.parameters, 0.0, np.zeros(0), np.zeros(0))
    return found, (*check_run(made, silent(LAST, "nothing is integrated")), check_given(made, given))


def judge(found: Sequence[Comparison]) -> Iterator[Diagnostic]:
    """Yield an error for each witness that disagrees, and a warning where the tolerance is loose."""
    yield from contradict(found, "simulate")
    for c in found:
        if c.verdict != "disagrees" and c.quantity in ADMITTED and (c.discrepancy or 0.0) > LOOSE:
            message = f"{ADMITTED[c.quantity]} {c.discrepancy:.1%}"
        elif c.verdict == "agrees" and c.quantity == LAST and c.explanation:
            message = f"half the tolerance {c.explanation}"
        else:
            continue
        yield Diagnostic("warning", "simulate", message, "the steps may err so much; give a smaller --tolerance")


def describe(found: Sequence[Comparison]) -> Iterator[str]:
    """Yield lines that say which witnesses agree and how closely."""
    by_quantity = {c.quantity: c for c in found if c.verdict == "agrees"}
    balance, last, _, stepped = (by_quantity.pop(quantity, None) for quantity in (BALANCE, LAST, FIRST, IMPACTS))
    if balance is not None:
        of = f"{balance.tolerance:.0e} of the energies and the work of all steps, {balance.scale:.3g} J"
        yield f"the balance is within what the steps may err at this tolerance, {of}"
    if last is not None:
        yield f"half the tolerance moves the last state by {last.discrepancy:.0e} of 1 + |y|"
    if stepped is not None:
        off = f"{stepped.discrepancy:.0e} of its range, its steps err up to {stepped.tolerance:.0e}"
        yield f"{STEPPING} is off in {stepped.entry[0]} by {off}"
    if by_quantity:
        parts = (f"{quantity} {c.discrepancy:.0e}" for quantity, c in by_quantity.items())
        yield f"witnessed by the model's fields, to parts of what they are made of: {', '.join(parts)}"


def check_run(made: Made, last: Comparison, events: Sequence[Event] = ()) -> tuple[Comparison, ...]:
    """Return the comparisons of all witnesses with a run and its events; ``last`` is that of its last state."""
    rows = chosen(made)
    made = replace(made, rows=rows)
    found = [*_guard(check_equations, made, rows, EQUATIONS), *_guard(check_closed, made, rows, CLOSED)]
    found += [*_guard(check_energies, made, rows, KINETIC), *_guard(check_balance, made, rows, BALANCE)]
    if events or list_touches(made.system):
        found += _guard(lambda made, _: check_events(made, events), made, rows, EVENTS)
    found.append(last)
    return tuple(replace(c, claim=CLAIM) for c in found)


def _guard(
    what: Callable[[Made, Sequence[TrajectoryRow]], Iterator[Comparison]],
    made: Made,
    rows: Sequence[TrajectoryRow],
    quantity: str,
) -> Iterator[Comparison]:
    """Yield a witness's comparisons; if it fails or there are no rows, ``quantity`` as not checked, with the reason."""
    try:
        if not rows:
            yield silent(quantity, "the run has no row that can be judged")
            return
        with np.errstate(all="ignore"):
            yield from what(made, rows)
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        yield silent(quantity, str(problem).splitlines()[0])
