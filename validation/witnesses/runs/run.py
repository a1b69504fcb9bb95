"""Judgement of a run's numbers: a table of a motion, by witnesses that took no part in computing it.

Accelerations and multipliers satisfy the equations of the direct witness, which reads the model's fields and shares
neither a derivation nor generated code with the run; they satisfy the constraints by validation's own rows. Energies
and power are sums over the bodies and the forces of the same witness. Energies and work balance as far as the steps
may err at the tolerance of the run. The last state is that of the same run with half the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import process_time
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import Diagnostic, MbconcordError
from mbconcord.model.expressions import ZERO, ExpressionError
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.motion.charted import OTHER_ANGLES
from mbconcord.simulation.motion.events import Event
from mbconcord.simulation.motion.formulas import formulas
from mbconcord.simulation.motion.prescribed import PrescribedTable, driven, follow_prescribed
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory, TrajectoryRow

from ...judge.comparison import contradict
from ...judge.evidence import Comparison
from .energies import check_energies
from .equations import check_closed, check_equations, chosen
from .made import BALANCE, CLAIM, CLOSED, EQUATIONS, EVENTS, KINETIC, LAST, Made, silent
from .steps import check_balance, check_last, explain_last, neighbour
from .table import check_events

#: The last state is found once more where that takes no more CPU time than this (s), or than this part of all.
SHORT, PART = 0.2, 0.2
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
    told: Callable[[float], None] | None = None, before: TrajectoryRow | None = None,
) -> tuple[Trajectory, tuple[Comparison, ...]]:  # fmt: skip
    """Return the motion of :func:`simulate`, and what witnesses say of it."""
    begun = process_time()
    derived = formulas(system, by, start.parameters)
    ends: list[float] = []

    def note(t: float) -> None:
        ends.append(t)
        if told is not None:
            told(t)

    found = simulate(system, by, start, settings, note, before, derived)
    affordable = max(SHORT, PART * (process_time() - begun))
    half: Trajectory | str
    if found.stopped is not None:
        half = "the run ended before its time"
    elif settings.tolerance < LEAST_TOLERANCE:
        half = f"half of {settings.tolerance:g} is below what floats resolve"
    elif any(OTHER_ANGLES in note.message for note in found.diagnostics):
        half = "a position that the run left in other angles has two sets of the model's own"
    elif found.seconds > affordable:
        half = f"it would cost {found.seconds:.2g} s, more than a fifth of the time that this took"
    else:
        once = replace(settings, tolerance=settings.tolerance / 2, step_out=settings.until - start.t, events=())
        half = simulate(system, by, start, once, None, before, derived)
        half = half if half.stopped is None else f"with half the tolerance it {half.stopped.message}"
    made = Made(system, found, derived, start.parameters, settings.slip, np.array(ends))
    last = silent(LAST, half) if isinstance(half, str) else check_last(made, half)
    if last.verdict == "not checked" and not isinstance(half, str):
        near = simulate(system, by, neighbour(system, start), replace(settings, events=()), None, None, derived)
        last = explain_last(last, made, near)
    return found, check_run(made, last, settings.events)


def along_checked(
    system: System, by: Formalism, start: State, given: PrescribedTable
) -> tuple[Trajectory, tuple[Comparison, ...]]:
    """Return the efforts and reactions along a given motion, and what witnesses say of them."""
    found = follow_prescribed(system, by, start, given)
    derived = formulas(driven(system, given.driven, Motion(ZERO)), by, start.parameters)
    made = Made(driven(system, given.driven, None), found, derived, start.parameters, 0.0, np.zeros(0))
    return found, check_run(made, silent(LAST, "nothing is integrated"))


def judge(found: Sequence[Comparison]) -> Iterator[Diagnostic]:
    """Yield an error for each witness that disagrees, and a warning where the tolerance is loose."""
    yield from contradict(found, "simulate")
    for c in found:
        if c.verdict != "disagrees" and c.quantity in ADMITTED and (c.discrepancy or 0.0) > LOOSE:
            message = f"{ADMITTED[c.quantity]} {c.discrepancy:.1%}"
            yield Diagnostic("warning", "simulate", message, "the steps may err so much; give a smaller --tolerance")


def describe(found: Sequence[Comparison]) -> Iterator[str]:
    """Yield lines that say which witnesses agree and how closely, and what is unchecked and why."""
    by_quantity = {c.quantity: c for c in found if c.verdict == "agrees"}
    balance, last = by_quantity.pop(BALANCE, None), by_quantity.pop(LAST, None)
    if balance is not None:
        yield f"the balance is within what the steps may err at this tolerance, {balance.tolerance:.0e} of the energies"
    if last is not None:
        yield f"half the tolerance moves the last state by {last.discrepancy:.0e} of 1 + |y|"
    if by_quantity:
        parts = (f"{quantity} {c.discrepancy:.0e}" for quantity, c in by_quantity.items())
        yield f"witnessed by the model's fields, to parts of what they are made of: {', '.join(parts)}"
    silent = [f"{c.quantity} ({c.explanation})" for c in found if c.verdict == "not checked"]
    if silent:
        yield f"not checked: {'; '.join(silent)}"


def check_run(made: Made, last: Comparison, events: Sequence[Event] = ()) -> tuple[Comparison, ...]:
    """Return what witnesses say of a run and of its events; ``last`` is what was said of its last state."""
    rows = chosen(made)
    found = [*_guard(check_equations, made, rows, EQUATIONS), *_guard(check_closed, made, rows, CLOSED)]
    found += [*_guard(check_energies, made, rows, KINETIC), *_guard(check_balance, made, rows, BALANCE)]
    if events:
        found += _guard(lambda made, _: check_events(made, events), made, rows, EVENTS)
    found.append(last)
    return tuple(replace(c, claim=CLAIM) for c in found)


def _guard(
    what: Callable[[Made, Sequence[TrajectoryRow]], Iterator[Comparison]],
    made: Made,
    rows: Sequence[TrajectoryRow],
    quantity: str,
) -> Iterator[Comparison]:
    """Yield what a witness says; where it cannot answer, why."""
    try:
        if not rows:
            yield silent(quantity, "the run has no row that can be judged")
            return
        with np.errstate(all="ignore"):
            yield from what(made, rows)
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        yield silent(quantity, str(problem).splitlines()[0])
