"""Explanations of why a table differs from the model: the one change, of table or model, that makes all agree.

Validation's own numbers select the changes that bring the table nearer to the model; a change is stated only if the
whole table agrees after it, by the same judgement as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, islice, pairwise
from math import pi
from typing import Final

import numpy as np

from mbconcord.converters.floats import exact
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.explain import Causes
from mbconcord.validation.explain.answer import Cause, CauseStep
from mbconcord.validation.explain.forces import force_changes, gravity_changes
from mbconcord.validation.explain.inertia import changes, together
from mbconcord.validation.explain.kinematics import list_joint_changes, read_turned_frames
from mbconcord.validation.explain.search import MOST

from ..judge.kinematics import TreeKinematics
from ..judge.motion import Array
from ..judge.scale import scales
from ..witnesses.direct.tree import direct, obstacles
from ..witnesses.printed.columns import Columns, map_columns
from ..witnesses.printed.headings import NUMBER
from ..witnesses.printed.reader import Column, PrintedCell, PrintedTable
from ..witnesses.printed.table import printed_states
from ..witnesses.um.numbers import expected_motion

#: By what a column is multiplied that has another sign or unit than its header says.
_SIGN: Final = ("has the other sign", -1.0)
_LENGTHS: Final = (("is 1000 times as large", 1000.0), ("is divided by 1000", 1e-3))
_ANGLES: Final = (("is in degrees, not in radians", 180 / pi), ("is in radians, not in degrees", pi / 180))
_RATES: Final = (("is in rpm, not in rad/s", 30 / pi), ("is in rad/s, not in rpm", pi / 30))

Made = tuple[str, PrintedTable]


def changed_columns(table: PrintedTable, columns: Columns, wrong: Sequence[str]) -> Iterator[Made]:
    """Yield statements about columns ("in degrees"), each with the table corrected accordingly.

    Candidates: each differing column, each column of the states, all columns of one name, all angles with rates.
    """
    keys = [*dict.fromkeys([*wrong, *columns.given])]
    by_key = {c.heading.key: c for c in table.columns}
    groups = [[key] for key in keys if key in by_key]
    alike: dict[tuple[str, str], list[str]] = {}
    for c in table.columns:
        rates = "'" * c.heading.name.count("'") if not c.heading.index else c.heading.name
        if c.heading.index or c.heading.key in columns.given:
            alike.setdefault((rates, c.heading.unit.text), []).append(c.heading.key)
        if c.heading.unit.dimension[:2] == NUMBER[:2] and c.heading.key != "t":
            alike.setdefault(("angles", ""), []).append(c.heading.key)
    for keys_ in (*groups, *(group for group in alike.values() if len(group) > 1)):
        chosen = [by_key[key] for key in keys_]
        for said, factor in _factors(chosen[0]):
            new = {c.heading.key: _times(c, factor) for c in chosen}
            yield f"{_name_columns(chosen)} {said}", _replace_columns(table, new)


def changed_cells(table: PrintedTable, columns: Columns, wrong: Sequence[str], row: int) -> Iterator[Made]:
    """Yield statements about a cell of a row, each with the table in which this cell is corrected.

    Candidates: cells of differing columns, in which each digit may be a misprint; then cells of the states.
    """
    by_key = {c.heading.key: c for c in table.columns}
    for key in dict.fromkeys([*wrong, *columns.given]):
        column = by_key[key]
        text = column.texts[row]
        for said, other in (*_find_misprints(text), *(_digits(text) if key in wrong else ())):
            values = column.values.copy()
            values[row] = float(exact(other)) * column.heading.unit.factor
            changed = _replace_columns(table, {key: replace(column, values=values)})
            yield f"column {column.heading.text}, is {other}, not {text} ({said})", changed


def _factors(column: Column) -> Iterator[tuple[str, float]]:
    """Yield divisors of a column's numbers: a column in degrees reads as radians."""
    length, mass, time = column.heading.unit.dimension
    written = [_SIGN]
    if not length and not mass:
        written += _ANGLES
        written += _RATES if time == -1 else ()
    else:
        written += _LENGTHS
    yield from ((said, 1 / factor) for said, factor in written)


def _find_misprints(text: str) -> Iterator[tuple[str, str]]:
    """Yield the possible meanings of a misprinted number."""
    yield "the sign", text[1:] if text.startswith("-") else "-" + text.removeprefix("+")
    for by in (1, -1):
        yield "the point", f"{Decimal(text).scaleb(by)}"
    mantissa, e, power = text.lower().partition("e")
    if e and int(power):
        yield "the sign of the power", f"{mantissa}e{-int(power)}"
    places = [m.start() for m in re.finditer(r"\d", mantissa)]
    for a, b in pairwise(places):
        if mantissa[a] != mantissa[b]:
            signs = list(mantissa)
            signs[a], signs[b] = signs[b], signs[a]
            yield "two digits exchanged", "".join(signs) + e + power


def _digits(text: str) -> Iterator[tuple[str, str]]:
    """Yield the number with one digit changed."""
    mantissa, e, power = text.lower().partition("e")
    for found in re.finditer(r"\d", mantissa):
        for digit in "0123456789":
            if digit != found[0]:
                yield "one digit", mantissa[: found.start()] + digit + mantissa[found.end() :] + e + power


def _times(column: Column, factor: float) -> Column:
    return replace(column, values=column.values * factor, room=column.room * abs(factor))


def _replace_columns(table: PrintedTable, new: dict[str, Column]) -> PrintedTable:
    return replace(table, columns=tuple(new.get(c.heading.key, c) for c in table.columns))


def _name_columns(columns: Sequence[Column]) -> str:
    first, *rest = (c.heading.text for c in columns)
    return f"column {first}" if not rest else f"each of the columns {', '.join([first, *rest])}"


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
class Correction:
    """A correction as a clause, with the corrected model or the corrected table."""

    cause: Cause
    table: PrintedTable


def why_not_printed(system: System, table: PrintedTable, wrong: Sequence[PrintedCell], agrees: Agrees) -> Causes:
    """Find the changes that make a table agree.

    Parameters
    ----------
    system, table
    wrong : the cells that their digits do not explain
    agrees : judges a change
    """
    names = ("the model", "the table")
    columns = map_columns(table, system)
    reason = _not_searched(system, columns)
    if reason:
        return Causes(reason=reason, names=names)
    misprinted = _misprints(system, table, wrong, agrees)
    if misprinted:
        return Causes(misprinted, names=names)
    rows = _spread_rows(table.count, wrong)
    made = chain(_of_columns(system, table, columns, wrong), _of_model(system, table))
    found = _agreeing(system, table, rows, made, agrees)
    if found:
        return Causes((found,), names=names)
    return Causes(located=f"{len({c.row for c in wrong})} of {table.count} rows differ", names=names)


def _not_searched(system: System, columns: Columns) -> str:
    if system.constraints and "acceleration" in columns.canonical:
        return "accelerations of models with constraints"
    if find_imposed_accelerations(system):
        return "accelerations that drives impose"
    if len(system.bodies) > BODIES:
        return f"{len(system.bodies)} bodies, of which every change would be tried (at most {BODIES})"
    unknown = obstacles(system)
    return str(unknown[0]) if unknown else ""


def _misprints(
    system: System, table: PrintedTable, wrong: Sequence[PrintedCell], agrees: Agrees
) -> tuple[CauseStep, ...]:
    """Find a misprint in each of a few differing rows; none if a row has no explanation."""
    differing = sorted({cell.row for cell in wrong})
    if len(differing) > MISPRINTS or 2 * len(differing) > table.count:
        return ()
    steps = []
    for row in differing:
        rest, at = table.remove_rows({*differing} - {row}), row - sum(other < row for other in differing)
        keys = [cell.column.heading.key for cell in wrong if cell.row == row]
        made = (
            Correction(Cause(table.file, f"row {row + 1}, {said}", system), changed)
            for said, changed in changed_cells(rest, map_columns(rest, system), keys, at)
        )
        found = _agreeing(system, rest, [at], made, agrees)
        if found is None:
            return ()
        steps.append(found)
    return tuple(steps)


def _of_columns(
    system: System, table: PrintedTable, columns: Columns, wrong: Sequence[PrintedCell]
) -> Iterator[Correction]:
    """Yield corrections of units and signs of columns."""
    for said, changed in changed_columns(table, columns, [cell.column.heading.key for cell in wrong]):
        yield Correction(Cause(table.file, said, system), changed)


def _of_model(system: System, table: PrintedTable) -> Iterator[Correction]:
    """Yield all single changes of the model."""
    turns = read_turned_frames(system)
    single = ((words, ((b.name, new),)) for b in system.bodies for words, new in changes(system, b, turns))
    for cause in (Cause(*made) for made in gravity_changes(system)):
        yield Correction(cause, table)
    for cause in list_joint_changes(system, system.bodies):
        yield Correction(cause, table)
    for words, inertias in (*single, *together(system)):
        new = dict(inertias)
        bodies = tuple(replace(b, inertia=new.get(b.name, b.inertia)) for b in system.bodies)
        place = ", ".join(f"bodies/{name}/inertia" for name in new)
        yield Correction(Cause(place, words, replace(system, bodies=bodies)), table)
    for cause in (Cause(*made) for made in force_changes(system)):
        yield Correction(cause, table)


def _spread_rows(count: int, wrong: Sequence[PrintedCell]) -> list[int]:
    """Select rows that differ and rows over the whole table."""
    differing = sorted({cell.row for cell in wrong})
    return sorted({x[i * (len(x) - 1) // (ROWS - 1)] for x in (differing, range(count)) for i in range(ROWS)})


def _agreeing(
    system: System, table: PrintedTable, rows: Sequence[int], made: Iterable[Correction], agrees: Agrees
) -> CauseStep | None:
    """Return the corrections after which the whole table agrees; None if there are none."""
    found = [c.cause for c in _nearest(system, table, rows, made) if agrees(c.cause.system, c.table)]
    return CauseStep(tuple(found[:MOST])) if found else None


def _nearest(system: System, table: PrintedTable, rows: Sequence[int], made: Iterable[Correction]) -> list[Correction]:
    """Return the changes that bring the table closest, in the order of the catalogue."""
    others = {*range(table.count)} - {*rows}
    few = table.remove_rows(others)
    own, sizes = compute_numbers(system, few), _sizes(system, few)
    scale = {key: max(sizes[key], np.abs(x).max()) or 1.0 for key, x in own.items()}
    before = _apart(own, scale)
    left: list[tuple[float, int, Correction]] = []
    for i, change in enumerate(made):
        try:
            rest = _apart(compute_numbers(change.cause.system, change.table.remove_rows(others)), scale)
        except (MbconcordError, ValueError, ArithmeticError, np.linalg.LinAlgError):
            continue  # the changed model has no numbers
        if rest <= NEARER * before:
            left.append((rest, i, change))
    best = islice(sorted(left, key=lambda item: item[:2]), JUDGED)
    return [change for _, _, change in sorted(best, key=lambda item: item[1])]


def _apart(numbers: Mapping[str, Array], scale: Mapping[str, float]) -> float:
    """Return the largest difference of a column relative to its numbers; infinite without numbers."""
    gaps = [float(np.abs(model - printed).max()) / scale[key] for key, (model, printed) in numbers.items()]
    return max(gaps, default=np.inf) if np.isfinite(gaps).all() else np.inf


@np.errstate(all="ignore")
def compute_numbers(system: System, table: PrintedTable) -> dict[str, Array]:
    """Return for each column (2, N) the numbers of validation's own witness and the printed ones."""
    columns = map_columns(table, system)
    tree, states = system.open_loops(), printed_states(system, table, columns).states
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
        for column, own, _ in _motions(columns, TreeKinematics(tree, states)):
            found[column.heading.key] = np.stack([own, column.values])
    return found


def _entry(quantity: Array, place: tuple[int, ...]) -> Array:
    """Return an entry (N,) of a quantity at N states."""
    return quantity[:, place[0]] if len(place) == 1 else quantity[:, place[0], place[1]]


def _sizes(system: System, table: PrintedTable) -> dict[str, float]:
    """Compute the scale of every column."""
    columns = map_columns(table, system)
    k = TreeKinematics(system.open_loops(), printed_states(system, table, columns).states)
    size = scales(k)
    made_of = {"M": size.mass, "acceleration": np.zeros((k.count, k.n)), **size.rows}
    found = {
        column.heading.key: float(np.max(_entry(made_of[quantity], place)))
        for quantity, entries in columns.canonical.items()
        for column, place in entries
    }
    return found | {column.heading.key: float(np.max(of)) for column, _, of in _motions(columns, k)}


def _motions(columns: Columns, k: TreeKinematics) -> Iterator[tuple[Column, Array, Array]]:
    """Yield the columns of bodies' motions, each with the model's numbers (N,) and the size of their terms."""
    for quantity, entries in columns.motions.items():
        plain = quantity.removeprefix("centre_")
        for column, name, axis in entries:
            moved = k.centre(k.system.body(name)) if plain != quantity else k.frame(name)
            own, made_of = expected_motion(plain, moved, k)
            yield column, own[:, axis], made_of
