"""Gaits: tables of foot positions or coordinates of a walking machine, and its supporting legs.

Columns, in any order, separated by ``;``, tabs or ``,``: ``t`` (s); ``support``, the numbers of the supporting legs,
separated by blanks (without the column all legs support); coordinates by their names (m, rad); ``foot2.x``,
``foot2.y``, ``foot2.z``, the place of foot 2 in the hull's axes from its origin (m), from which coordinates of the leg
are computed. Other coordinates come from the model's initial state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mbconcord.converters.floats import NumeralError, exact
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, among, error
from mbconcord.model.limits import count
from mbconcord.model.notation.listing import Leg
from mbconcord.records import dataclass

#: Pattern of headings of columns with the places of feet.
FOOT = re.compile(r"foot(\d+)\.([xyz])")


@dataclass(frozen=True)
class GaitRow:
    """Row of a gait: its line in the file, time, coordinates by name, places of feet by leg number, supporting legs."""

    line: int
    t: float | None
    q: Mapping[str, float]
    feet: Mapping[int, tuple[float, float, float]]
    standing: tuple[int, ...]


@dataclass(frozen=True)
class GaitCell:
    """Text of a cell, and the location where it begins in the file."""

    text: str
    at: Location


@dataclass(frozen=True)
class Gait:
    """A gait as read from a table: its rows, and for each row the cells by heading."""

    rows: tuple[GaitRow, ...]
    cells: tuple[Mapping[str, GaitCell], ...]

    def locate(self, row: GaitRow, heading: str) -> Location:
        """Return the location of a value in a row; the beginning of the row if it has no such heading."""
        own = self.cells[self.rows.index(row)]
        return own[heading].at if heading in own else next(iter(own.values())).at


def read_gait(text: str, file: str, coordinates: Sequence[str], legs: Sequence[Leg]) -> Gait:
    """Read the gait of a machine with these coordinates and legs.

    Raises
    ------
    ReadError
        Unknown or missing columns, a repeated leg, cells that are not numbers, no rows; the error has all findings.
    """
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) < 2:
        found, remedy = (
            "no rows" if lines else "empty",
            "headings such as t;support;q1;q2, then a row for each position",
        )
        raise ReadError(error(str(file), found, remedy))
    apart = next((c for c in ";\t," if c in lines[0][1]), ",")
    head, *rows = (_cells(line, apart, file, i) for i, line in lines)
    findings = [*_headings(head, coordinates, legs)]
    if findings:
        raise ReadError(findings)
    made, cells = [], []
    for own in rows:
        if len(own) != len(head):
            message = f"{count(len(own), 'cell')}, and {count(len(head), 'column')}"
            findings.append(error("", message, "one cell for each heading", own[0].at))
            continue
        cells.append({heading.text: cell for heading, cell in zip(head, own, strict=True)})
        made.append(_row(cells[-1], len(legs), findings))
    if findings:
        raise ReadError(findings)
    return Gait(tuple(made), tuple(cells))


def _cells(line: str, apart: str, file: str, number: int) -> list[GaitCell]:
    """Split a line into cells, without surrounding blanks but with their locations."""
    found, column = [], 1
    for piece in line.split(apart):
        blank = len(piece) - len(piece.lstrip())
        found.append(GaitCell(piece.strip(), Location(file, number, column + blank)))
        column += len(piece) + len(apart)
    return found


def _headings(head: Sequence[GaitCell], coordinates: Sequence[str], legs: Sequence[Leg]) -> Iterator[Diagnostic]:
    """Yield errors about unknown, repeated, missing or contradictory columns."""
    feet = [f"foot{i}.{axis}" for i in range(1, len(legs) + 1) for axis in "xyz"]
    known, places = ("t", "support", *coordinates, *feet), dict[str, Location]()
    for cell in head:
        if cell.text not in known:
            yield error("", f"there is no column {cell.text!r}", among(cell.text, known), cell.at)
        elif cell.text in places:
            yield error("", f"the column {cell.text!r} comes twice", "leave one out", cell.at)
        places[cell.text] = cell.at
    for number, leg in enumerate(legs, 1):
        told = [name for name in feet[3 * number - 3 : 3 * number] if name in places]
        if told and len(told) < 3:
            lacking = ", ".join(name for name in feet[3 * number - 3 : 3 * number] if name not in told)
            yield error("", f"the place of foot {number} is not whole", f"give {lacking}, too", places[told[0]])
        for name in leg.coordinates:
            if told and name in places:
                message = f"leg {number} is told by its foot and by {name}"
                yield error("", message, "give one of them", places[name])


def _row(cells: Mapping[str, GaitCell], legs: int, findings: list[Diagnostic]) -> GaitRow:
    """Read one row from its cells; add errors to ``findings``."""
    numbers: dict[str, float] = {}
    standing = tuple(range(1, legs + 1))
    for name, cell in cells.items():
        if name == "support":
            standing = _standing(cell, legs, findings)
            continue
        try:
            numbers[name] = float(exact(cell.text))
        except NumeralError as problem:
            findings.append(error(name, str(problem), problem.remedy or "m, rad, s", cell.at))
    feet = {
        i: (numbers[f"foot{i}.x"], numbers[f"foot{i}.y"], numbers[f"foot{i}.z"])
        for i in range(1, legs + 1)
        if all(f"foot{i}.{axis}" in numbers for axis in "xyz")
    }
    q = {name: x for name, x in numbers.items() if name != "t" and not FOOT.fullmatch(name)}
    line = next(iter(cells.values())).at.line
    return GaitRow(line, numbers.get("t"), q, feet, standing)


def _standing(cell: GaitCell, legs: int, findings: list[Diagnostic]) -> tuple[int, ...]:
    """Parse the numbers of supporting legs, such as ``1 2 4``; add errors to ``findings``."""
    known = [str(i) for i in range(1, legs + 1)]
    found = cell.text.split()
    wrong = [word for word in found if word not in known or found.count(word) > 1]
    if wrong:
        message, remedy = (f"support: {wrong[0]!r} is no leg, or comes twice", f"of {' '.join(known)}, apart by blanks")
        findings.append(error("", message, remedy, cell.at))
        return ()
    return tuple(sorted(map(int, found)))
