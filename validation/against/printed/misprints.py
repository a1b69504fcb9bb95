"""What is written otherwise in tables by mistake: columns in another unit or of another sign, cells with a misprint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from math import pi
from typing import Final

from mbconcord.converters.decimals import exact

from .columns import Columns
from .reader import Column, PrintedTable
from .units import NUMBER

#: By what a column is multiplied that has another sign or unit than its header says.
_SIGN: Final = ("has the other sign", -1.0)
_LENGTHS: Final = (("is 1000 times as large", 1000.0), ("is divided by 1000", 1e-3))
_ANGLES: Final = (("is in degrees, not in radians", 180 / pi), ("is in radians, not in degrees", pi / 180))
_RATES: Final = (("is in rpm, not in rad/s", 30 / pi), ("is in rad/s, not in rpm", pi / 30))

Made = tuple[str, PrintedTable]


def changed_columns(table: PrintedTable, columns: Columns, wrong: Sequence[str]) -> Iterator[Made]:
    """Clauses about columns and the table as it would be read were they written as they are meant.

    Columns that differ, those of the states, all of one name together, and all angles with their rates.
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
            yield f"{_named(chosen)} {said}", _with(table, new)


def changed_cells(table: PrintedTable, columns: Columns, wrong: Sequence[str], row: int) -> Iterator[Made]:
    """Clauses about a cell of a row, and the table with what may be meant there.

    Columns that differ, each digit of which may be another; then those of the states.
    """
    by_key = {c.heading.key: c for c in table.columns}
    for key in dict.fromkeys([*wrong, *columns.given]):
        column = by_key[key]
        text = column.texts[row]
        for said, other in (*_misprints(text), *(_digits(text) if key in wrong else ())):
            values = column.values.copy()
            values[row] = float(exact(other)) * column.heading.unit.factor
            changed = _with(table, {key: replace(column, values=values)})
            yield f"column {column.heading.text}, is {other}, not {text} ({said})", changed


def _factors(column: Column) -> Iterator[tuple[str, float]]:
    """By what the numbers are to be divided: a column that is in degrees is read as so many radians."""
    length, mass, time = column.heading.unit.dimension
    written = [_SIGN]
    if not length and not mass:
        written += _ANGLES
        written += _RATES if time == -1 else ()
    else:
        written += _LENGTHS
    yield from ((said, 1 / factor) for said, factor in written)


def _misprints(text: str) -> Iterator[tuple[str, str]]:
    """What may be meant by the text of a number."""
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
    """The number with one other digit."""
    mantissa, e, power = text.lower().partition("e")
    for found in re.finditer(r"\d", mantissa):
        for digit in "0123456789":
            if digit != found[0]:
                yield "one digit", mantissa[: found.start()] + digit + mantissa[found.end() :] + e + power


def _times(column: Column, factor: float) -> Column:
    return replace(column, values=column.values * factor, room=column.room * abs(factor))


def _with(table: PrintedTable, new: dict[str, Column]) -> PrintedTable:
    return replace(table, columns=tuple(new.get(c.heading.key, c) for c in table.columns))


def _named(columns: Sequence[Column]) -> str:
    first, *rest = (c.heading.text for c in columns)
    return f"column {first}" if not rest else f"each of the columns {', '.join([first, *rest])}"
