"""A table of a given motion, for the efforts along it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.system import System
from mbconcord.simulation.motion.prescribed import PrescribedTable

from .states import is_result

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def given_motion(table: DataFrame, system: System, driven: Sequence[str] | None) -> PrescribedTable:
    """Read the motion of the driven coordinates; None: of all in the table.

    Columns are ``t``, positions ``z1``, and optionally rates ``z1'`` and accelerations ``z1''``.

    Raises
    ------
    NumbersError
        A column is missing or unknown, a coordinate does not exist, a cell is not a number.
    """
    names = system.coordinate_names
    known = {f"{name}{dot}" for name in names for dot in ("", "'", "''")}
    findings = [
        error("motion", f"the table has the column {column!r}, no coordinate of the model", among(column, names))
        for column in map(str, table.columns)
        if column != "t" and column not in known and not is_result(column)
    ]
    findings += [
        error("driven", f"no such coordinate {name!r}", among(name, names))
        for name in driven or ()
        if name not in names
    ]
    wanted = [name for name in names if name in (table.columns if driven is None else driven)]
    findings += [
        error("motion", f"the table has no column {name!r}", "give the motion of every driven coordinate")
        for name in ("t", *wanted)
        if name not in table.columns
    ]
    if not findings and not wanted:
        findings.append(error("motion", "the table has no coordinate of the model", among("", names)))
    findings += [
        error(f"coordinates/{name}", "its drive imposes an acceleration", "give its motion in the table too")
        for name in find_imposed_accelerations(system)
        if name not in wanted
    ]
    if findings:
        raise NumbersError(findings)
    columns = {
        column: _to_numbers(table[column])
        for column in ("t", *(name + dot for name in wanted for dot in ("", "'", "''")))
        if column in table.columns
    }
    parts = [{name: columns[name + dot] for name in wanted if name + dot in columns} for dot in ("", "'", "''")]
    return PrescribedTable.from_columns(columns["t"], *parts)


def _to_numbers(column: Series) -> Array:
    """Return the numbers of a column.

    Raises
    ------
    NumbersError
        A cell is not a finite number.
    """
    from pandas import to_numeric

    numbers: Array = to_numeric(column, errors="coerce").to_numpy(dtype=float)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        message = f"row {wrong[0] + 1} of column {column.name!r} holds {column.iloc[wrong[0]]!r:.40}, no finite number"
        raise NumbersError(error("motion", message, "give a number in every row"))
    return numbers
