"""The states that a table shows, and how far each number may be from the one meant.

States of a model with constraints are moved onto them. A printed state is off by its rounding, so the step is no
longer than that; where it is, the row is no state of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import Location, NumbersError, ReadError, error
from mbconcord.model.limits import listed
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import assemble

from ...constraints.distance import distances
from ...judge.motion import Array
from ...judge.uncertainty import Inputs, inputs
from .columns import Columns
from .reader import PrintedTable

#: How much longer a step onto the constraints may be than the largest rounding, and what floats alone make of it.
STEP: Final = 10.0
NOTHING: Final = 1e-9


@dataclass(frozen=True)
class PrintedStates:
    """States of a model, a row each, and their numbers with what printing made of them."""

    states: tuple[State, ...]
    inputs: Inputs


def printed_states(system: System, table: PrintedTable, columns: Columns) -> PrintedStates:
    """The states of all rows.

    Raises
    ------
    ReadError
        A row that is no state of the model: it is off the constraints by more than its digits, or has no numbers.
    """
    states = tuple(_state(system, columns, i) for i in range(table.count))
    uncertain = {name: column.room for name, column in columns.given.items()}
    if not system.constraints:
        return PrintedStates(states, _numbers(system, table, states, uncertain))
    made = assemble(system, states)
    moved = {
        name + dot: np.array([abs(getattr(b, part)[name] - getattr(a, part).get(name, 0.0))
                              for a, b in zip(states, made.states, strict=True)])
        for part, dot in (("q", ""), ("v", "'"))
        for name in system.coordinate_names
    }  # fmt: skip
    _require_closed(table, columns, moved, np.asarray(made.closed))
    near = distances(system, made.extended)
    for name, step in moved.items():
        uncertain[name] = uncertain.get(name, 0.0) + step + near.get(name, 0.0)
    return PrintedStates(tuple(made.states), _numbers(system, table, made.states, uncertain))


def _state(system: System, columns: Columns, row: int) -> State:
    given = {name: float(column.values[row]) for name, column in columns.given.items()}
    q, v, a = (
        {name: given[name + dots] for name in system.coordinate_names if name + dots in given}
        for dots in ("", "'", "''")
    )
    parameters = {p.name: given[p.name] for p in system.parameters if p.name in given}
    rest = dict.fromkeys(system.coordinate_names, 0.0)
    return State(given.get("t", 0.0), q, {**rest, **v}, {**rest, **a}, parameters)


def _numbers(system: System, table: PrintedTable, states: object, uncertain: Mapping[str, Array]) -> Inputs:
    try:
        return inputs(system, states, uncertain)  # type: ignore[arg-type]
    except NumbersError as problem:
        at = Location(table.file, table.lines[0], 1)
        raise ReadError(d if d.location else d.at(at) for d in problem.diagnostics) from None


def _require_closed(table: PrintedTable, columns: Columns, moved: Mapping[str, Array], closed: Array) -> None:
    """Refuse rows from which the constraints are farther than printing explains."""
    wrong = ~closed
    for dot in ("", "'"):
        own = {name: step for name, step in moved.items() if name.endswith("'") == bool(dot)}
        if any(name not in columns.given for name in own):
            continue
        room = np.max([columns.given[name].room for name in own], axis=0)
        wrong |= np.max(list(own.values()), axis=0) > STEP * room + NOTHING
    if not wrong.any():
        return
    rows = np.flatnonzero(wrong).tolist()
    first = Location(table.file, table.lines[rows[0]], 1)
    message = (
        f"row {listed(str(i + 1) for i in rows)}: no state of the model, the constraints do not hold there"
    )
    remedy = "print more digits, or give the states of the closed mechanism"
    raise ReadError(error("", message, remedy, first))
