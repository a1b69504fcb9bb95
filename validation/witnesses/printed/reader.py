"""Reader of a table's text: columns of numbers in SI units, with rounding errors of the printed digits."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from io import StringIO
from typing import Final

import numpy as np

from mbconcord.converters.floats import NumeralError, exact
from mbconcord.converters.registry import contents
from mbconcord.converters.spelling import require_text
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.limits import CHECKED_STATES, LINE_CHARACTERS, count, too_many
from mbconcord.records import dataclass, replace

from ...judge.motion import Array
from .headings import HeadingError, PrintedHeading, heading, room

SEPARATORS: Final = ("\t", ";", ",")
COMMENT: Final = "#"
#: Rounding of a decimal number that became a float and was multiplied by a unit: 4 ulp.
_ROUNDING: Final = 4 * 2.0**-52
_DECIMAL: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")
_EXAMPLE: Final = "z1 [rad]; z1' [rad/s]; z1'' [rad/s^2]"


@dataclass(frozen=True)
class Column:
    """A column: numbers in SI units (N,), their rounding errors (``room``), texts, and its heading's location."""

    heading: PrintedHeading
    values: Array
    room: Array
    texts: tuple[str, ...]
    at: Location


@dataclass(frozen=True)
class PrintedTable:
    """A table of numbers; ``lines`` has the number of the line of every row in the file."""

    file: str
    columns: tuple[Column, ...]
    lines: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.lines)

    def remove_rows(self, rows: Collection[int]) -> PrintedTable:
        """Return the table without some rows, which are counted from 0."""
        kept = [i for i in range(self.count) if i not in rows]
        columns = tuple(
            replace(c, values=c.values[kept], room=c.room[kept], texts=tuple(c.texts[i] for i in kept))
            for c in self.columns
        )
        return replace(self, columns=columns, lines=tuple(self.lines[i] for i in kept))


@dataclass(frozen=True)
class PrintedCell:
    """A number of a table: its column and its row, counted from 0."""

    column: Column
    row: int


def read_table(file: str) -> PrintedTable:
    """Read a table: CSV with ``;``, tabs or commas, in UTF-8 or CP1251; lines that begin with # are comments.

    Raises
    ------
    ReadError
        Every header and every cell that cannot be read, with line and column.
    """
    data = contents(file)
    require_text(data, file, "a table of numbers as CSV")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1251", errors="replace")
    return parse_table(text, file)


def parse_table(text: str, file: str) -> PrintedTable:
    """Parse the table in a text; see :func:`read_table`."""
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(i, line) for i, line in lines if not line.lstrip().startswith(COMMENT)]
    if not lines:
        raise ReadError(error("", "the table is empty", f"a header, as in {_EXAMPLE}", Location(file, 1, 1)))
    for i, line in lines:
        if len(line) > LINE_CHARACTERS:
            found = f"a line of {too_many(len(line), 'characters', LINE_CHARACTERS)}"
            raise ReadError(error("", found, "no row is so long", Location(file, i, 1)))
    (top, header), *rows = lines
    if not rows:
        remedy = "a row for every state"
        raise ReadError(error("", "the table has a header and no rows", remedy, Location(file, top, 1)))
    if len(rows) > CHECKED_STATES:
        found = f"a table of {too_many(len(rows), 'rows', CHECKED_STATES)}"
        raise ReadError(error("", found, "keep every tenth row", Location(file, rows[CHECKED_STATES][0], 1)))
    separator = next((s for s in SEPARATORS if s in header), ";")
    findings: list[Diagnostic] = []
    headings = _headings(header, separator, Location(file, top, 1), findings)
    cells = [_row(line, separator, len(headings), Location(file, i, 1), findings) for i, line in rows]
    if findings:
        raise ReadError(findings)
    columns = []
    for k, ((head, at), texts) in enumerate(zip(headings, zip(*cells, strict=True), strict=True), 1):
        numbers = [_decimal(t, separator) for t in texts]
        for (i, line), text in zip(rows, numbers, strict=True):
            findings += _unreadable(text, head, Location(file, i, _begins(line, separator, k)))
        if not findings:
            columns.append(_column(head, numbers, at))
    if findings:
        raise ReadError(findings)
    return PrintedTable(file, tuple(columns), tuple(i for i, _ in rows))


def _split_cells(line: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader(StringIO(line), delimiter=separator), [])]


def _begins(line: str, separator: str, number: int) -> int:
    """Return the position in a line, from 1, at which a cell begins; separators in quotation marks do not count."""
    quoted, at = False, 1
    for i, sign in enumerate(line, 1):
        quoted ^= sign == '"'
        if sign == separator and not quoted:
            number -= 1
            at = i + 1 if number > 0 else at
    return at


def _headings(
    header: str, separator: str, at: Location, findings: list[Diagnostic]
) -> list[tuple[PrintedHeading, Location]]:
    """Return parsed headings with their locations; raise if one is wrong or repeated."""
    found: list[tuple[PrintedHeading, Location]] = []
    seen: dict[str, int] = {}
    for i, cell in enumerate(_split_cells(header, separator), 1):
        place = Location(at.file, at.line, _begins(header, separator, i))
        try:
            made = heading(cell)
        except HeadingError as problem:
            findings.append(error("", f"column {i}: {problem}", problem.remedy, place))
            continue
        if made.key in seen:
            message = f"column {i}: {made.key} stands in column {seen[made.key]} too"
            findings.append(error("", message, "keep one", place))
        seen.setdefault(made.key, i)
        found.append((made, place))
    if findings:
        raise ReadError(findings)
    return found


def _row(line: str, separator: str, width: int, at: Location, findings: list[Diagnostic]) -> Sequence[str]:
    cells = _split_cells(line, separator)
    if len(cells) != width:
        findings.append(error("", f"found {count(len(cells), 'cell')}, expected {width}", "one for each column", at))
    return cells


def _decimal(text: str, separator: str) -> str:
    """Return a number with a decimal point and ``e``; it may have a decimal comma, or Fortran's ``d``."""
    if separator != "," and "." not in text:
        text = text.replace(",", ".", 1)
    return re.sub("[dD]", "e", text.replace("\N{MINUS SIGN}", "-"))


def _unreadable(text: str, column: PrintedHeading, at: Location) -> list[Diagnostic]:
    remedy = "a decimal number in the unit of the column"
    if not text:
        return [error("", f"{column.key}: the cell is empty", remedy, at)]
    try:
        exact(text)
    except NumeralError as problem:
        return [error("", f"{column.key}: {problem}", problem.remedy or remedy, at)]
    return [] if _DECIMAL.fullmatch(text.lower()) else [error("", f"{column.key}: found {text!r}", remedy, at)]


def _column(found: PrintedHeading, texts: Sequence[str], at: Location) -> Column:
    factor = found.unit.factor
    values = np.array([float(exact(t)) for t in texts]) * factor
    half = room(texts, found.digits) * factor + _ROUNDING * np.abs(values)
    return Column(found, values, half, tuple(texts), at)
