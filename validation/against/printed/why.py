"""Why a table has other numbers than the model: the one change, of the table or of the model, with which all agrees.

Numbers of validation's own choose the changes that bring the table nearer; a change is stated only where the whole
table agrees after it, judged as the table itself was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.mixed import imposed
from mbconcord.model.system import System
from mbconcord.validation.why import Answer
from mbconcord.validation.why.answer import Cause, Step
from mbconcord.validation.why.forces import force_changes, gravity_changes
from mbconcord.validation.why.inertia import changes, together
from mbconcord.validation.why.kinematics import jointed
from mbconcord.validation.why.search import MOST
from mbconcord.validation.why.turned import turned

from ...direct.witness import direct, obstacles
from ...judge.kinematics import Kinematics
from ...judge.motion import Array
from ...judge.scale import scales
from ..numbers import expected_motion
from .columns import Columns, mapped
from .misprints import changed_cells, changed_columns
from .reader import Cell, Column, PrintedTable
from .states import printed_states

#: Models of more bodies are not searched: every change of every body is tried.
BODIES: Final = 12
#: So many rows choose the changes that are judged, and so many of these are.
ROWS: Final = 3
JUDGED: Final = 12
#: Misprints in so many rows, at most, are looked for.
MISPRINTS: Final = 3
#: A change that leaves more than this part of the difference is none.
NEARER: Final = 0.5

#: Whether a table agrees with a model in all that disagreed.
Agrees = Callable[[System, PrintedTable], bool]


@dataclass(frozen=True)
class Change:
    """A clause, and the model or the table with the change."""

    cause: Cause
    table: PrintedTable


def why_not_printed(system: System, table: PrintedTable, wrong: Sequence[Cell], agrees: Agrees) -> Answer:
    """What has to be changed so that a table agrees.

    Parameters
    ----------
    system, table
    wrong : the cells that their digits do not explain
    agrees : judges a change
    """
    names = ("the model", "the table")
    columns = mapped(table, system)
    reason = _not_searched(system, columns)
    if reason:
        return Answer(reason=reason, names=names)
    misprinted = _misprints(system, table, wrong, agrees)
    if misprinted:
        return Answer(misprinted, names=names)
    rows = _spread(table.count, wrong)
    made = chain(_of_columns(system, table, columns, wrong), _of_model(system, table))
    found = _agreeing(system, table, rows, made, agrees)
    if found:
        return Answer((found,), names=names)
    return Answer(located=f"{len({c.row for c in wrong})} of {table.count} rows differ", names=names)


def _not_searched(system: System, columns: Columns) -> str:
    if system.constraints and "acceleration" in columns.canonical:
        return "accelerations of models with constraints"
    if imposed(system):
        return "accelerations that drives impose"
    if len(system.bodies) > BODIES:
        return f"{len(system.bodies)} bodies, of which every change would be tried (at most {BODIES})"
    unknown = obstacles(system)
    return str(unknown[0]) if unknown else ""


def _misprints(
    system: System, table: PrintedTable, wrong: Sequence[Cell], agrees: Agrees
) -> tuple[Step, ...]:
    """A misprint in every row that differs, where these are few; none where a row has none that explains it."""
    differing = sorted({cell.row for cell in wrong})
    if len(differing) > MISPRINTS or 2 * len(differing) > table.count:
        return ()
    steps = []
    for row in differing:
        rest, at = table.without({*differing} - {row}), row - sum(other < row for other in differing)
        keys = [cell.column.heading.key for cell in wrong if cell.row == row]
        made = (
            Change(Cause(table.file, f"row {row + 1}, {said}", system), changed)
            for said, changed in changed_cells(rest, mapped(rest, system), keys, at)
        )
        found = _agreeing(system, rest, [at], made, agrees)
        if found is None:
            return ()
        steps.append(found)
    return tuple(steps)


def _of_columns(
    system: System, table: PrintedTable, columns: Columns, wrong: Sequence[Cell]
) -> Iterator[Change]:
    """Other units and signs of columns."""
    for said, changed in changed_columns(table, columns, [cell.column.heading.key for cell in wrong]):
        yield Change(Cause(table.file, said, system), changed)


def _of_model(system: System, table: PrintedTable) -> Iterator[Change]:
    """All single changes of the model."""
    turns = turned(system)
    single = ((words, ((b.name, new),)) for b in system.bodies for words, new in changes(system, b, turns))
    for cause in (Cause(*made) for made in gravity_changes(system)):
        yield Change(cause, table)
    for cause in jointed(system, system.bodies):
        yield Change(cause, table)
    for words, inertias in (*single, *together(system)):
        new = dict(inertias)
        bodies = tuple(replace(b, inertia=new.get(b.name, b.inertia)) for b in system.bodies)
        place = ", ".join(f"bodies/{name}/inertia" for name in new)
        yield Change(Cause(place, words, replace(system, bodies=bodies)), table)
    for cause in (Cause(*made) for made in force_changes(system)):
        yield Change(cause, table)


def _spread(count: int, wrong: Sequence[Cell]) -> list[int]:
    """Rows that differ and rows over the whole table."""
    differing = sorted({cell.row for cell in wrong})
    return sorted({x[i * (len(x) - 1) // (ROWS - 1)] for x in (differing, range(count)) for i in range(ROWS)})


def _agreeing(
    system: System, table: PrintedTable, rows: Sequence[int], made: Iterable[Change], agrees: Agrees
) -> Step | None:
    """The changes after which all of the table agrees."""
    found = [c.cause for c in _nearest(system, table, rows, made) if agrees(c.cause.system, c.table)]
    return Step(tuple(found[:MOST])) if found else None


def _nearest(
    system: System, table: PrintedTable, rows: Sequence[int], made: Iterable[Change]
) -> list[Change]:
    """The changes that bring the table nearest, in the order of the catalogue."""
    others = {*range(table.count)} - {*rows}
    few = table.without(others)
    own, sizes = _numbers(system, few), _sizes(system, few)
    scale = {key: max(sizes[key], np.abs(x).max()) or 1.0 for key, x in own.items()}
    before = _apart(own, scale)
    left: list[tuple[float, int, Change]] = []
    for i, change in enumerate(made):
        try:
            rest = _apart(_numbers(change.cause.system, change.table.without(others)), scale)
        except (MbconcordError, ValueError, ArithmeticError, np.linalg.LinAlgError):
            continue  # the changed model has no numbers
        if rest <= NEARER * before:
            left.append((rest, i, change))
    best = islice(sorted(left, key=lambda item: item[:2]), JUDGED)
    return [change for _, _, change in sorted(best, key=lambda item: item[1])]


def _apart(numbers: Mapping[str, Array], scale: Mapping[str, float]) -> float:
    """The largest difference of a column, in units of its numbers; infinite where there are none."""
    gaps = [float(np.abs(model - printed).max()) / scale[key] for key, (model, printed) in numbers.items()]
    return max(gaps, default=np.inf) if np.isfinite(gaps).all() else np.inf


@np.errstate(all="ignore")
def _numbers(system: System, table: PrintedTable) -> dict[str, Array]:
    """Of every column (2, N) what validation's own witness says and what was printed."""
    columns = mapped(table, system)
    tree, states = system.opened(), printed_states(system, table, columns).states
    found: dict[str, Array] = {}
    if columns.canonical:
        q = dict(direct(tree, states).quantities)
        if "acceleration" in columns.canonical:
            right = q["gravity"] + q["applied"] - q["h"]
            q["acceleration"] = np.asarray(np.linalg.solve(q["M"], right[:, :, None])[:, :, 0], dtype=float)
        for quantity, entries in columns.canonical.items():
            for column, place in entries:
                found[column.heading.key] = np.stack([_entry(q[quantity], place), column.values])
    if columns.motions:
        for column, own, _ in _motions(columns, Kinematics(tree, states)):
            found[column.heading.key] = np.stack([own, column.values])
    return found


def _entry(quantity: Array, place: tuple[int, ...]) -> Array:
    """An entry (N,) of a quantity at N states."""
    return quantity[:, place[0]] if len(place) == 1 else quantity[:, place[0], place[1]]


def _sizes(system: System, table: PrintedTable) -> dict[str, float]:
    """Of every column the size of what it is made of."""
    columns = mapped(table, system)
    k = Kinematics(system.opened(), printed_states(system, table, columns).states)
    size = scales(k)
    made_of = {"M": size.mass, "acceleration": np.zeros((k.count, k.n)), **size.rows}
    found = {
        column.heading.key: float(np.max(_entry(made_of[quantity], place)))
        for quantity, entries in columns.canonical.items()
        for column, place in entries
    }
    return found | {column.heading.key: float(np.max(of)) for column, _, of in _motions(columns, k)}


def _motions(columns: Columns, k: Kinematics) -> Iterator[tuple[Column, Array, Array]]:
    """Columns of bodies' motion, the model's numbers (N,) and the size of what they are made of."""
    for quantity, entries in columns.motions.items():
        plain = quantity.removeprefix("centre_")
        for column, name, axis in entries:
            moved = k.centre(k.system.body(name)) if plain != quantity else k.frame(name)
            own, made_of = expected_motion(plain, moved, k)
            yield column, own[:, axis], made_of
