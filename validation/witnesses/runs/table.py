"""Judge what a table says of constraints and events: gaps by own rows, signs of formulas around events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.simulation.motion.events import Event
from mbconcord.simulation.motion.trajectory import TrajectoryRow

from ...judge.closed.rows import Rows
from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import RATE_DRIFT, RUN
from ..direct.formulas import bind
from ..direct.tree import NAME as DIRECT
from .made import EVENTS, GAPS, Made

#: Another formula of a gap is made of other terms: of squares, of lengths.
GAP_FACTOR: Final = 100.0
#: So far from the instant of an event (s) its formula has the one sign and the other.
BESIDE: Final = 1e-6


def check_gaps(made: Made, rows: Sequence[TrajectoryRow], own: Rows) -> Comparison:
    """Compare the gaps of rows with those of validation's own rows, as parts of what they are made of."""
    m = own.gap.shape[1]
    found = np.stack([own.relative_gaps[:, :m].max(axis=1), own.relative_gaps[:, m:].max(axis=1)], axis=1)
    printed = np.array([(row.gap, row.rate_gap) for row in rows])
    one, room = np.ones(len(rows)), GAP_FACTOR * np.fmin(printed, found) + RATE_DRIFT
    difference = ArrayDifference(printed, found, np.ones_like(found), 0 * one, one, None, room)
    return worst("table", "own rows", GAPS, difference, made.states(rows), ("position error", "rate error"))


def check_events(made: Made, events: Sequence[Event]) -> Iterator[Comparison]:
    """Compare the signs of the formula of every event before and after its rows, and between all others.

    Around an event the motion is followed along its rates. What is zero on both sides to rounding says nothing.
    """
    table = made.trajectory.found
    at = _values(made, table, events, 0.0)
    named = [(i, k) for i, row in enumerate(table) for k, e in enumerate(events) if row.event == e.name]
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
    """Return the formulas (S, k) at rows, or a little later, by the direct witness's series."""
    moved = [replace(r, t=r.t + later, q=r.q + r.v * later, v=r.v + r.a * later) for r in rows]
    f = bind(made.system, made.states(moved), at_rest=False)
    return f.values([event.formula for event in events])
