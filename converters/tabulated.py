"""Tables of measured numbers: rows of a model's text, and columns of CSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from fractions import Fraction
from io import StringIO
from typing import Any

from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import Expression, ExpressionError, as_expression, number, symbol
from mbconcord.model.expressions.interpolant import FEWER_ROWS, Interpolant, RowError
from mbconcord.model.limits import TABLE_ROWS, count


def read_table(
    x: Sequence[Expression], y: Sequence[Expression], method: str = "linear", beyond: str = "refuse"
) -> Interpolant:
    """Return a table of two columns of numbers; an :class:`ExpressionError` names the row of a value that is none."""
    for row, pair in enumerate(zip(x, y, strict=False), 1):
        for value in pair:
            if value.op != "num":
                raise RowError(row, f"{value} is not a number")
    return Interpolant([z.value for z in x], [z.value for z in y], method, beyond)


def as_number(value: Any) -> Expression:
    """Return a number as an expression; another value, NaN too, as a symbol, which :func:`read_table` refuses."""
    try:
        return as_expression(value)
    except ExpressionError:
        return symbol(str(value))


class LineError(ExpressionError):
    """Error in a line of a CSV text; lines count from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line, self.message = line, message


def _split(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line of a CSV text; cells have no spaces around them."""
    lines = csv.reader(StringIO(text, None), delimiter=";" if ";" in text.partition("\n")[0] else ",")
    try:
        for cells in lines:
            yield lines.line_num, [cell.strip() for cell in cells]
    except csv.Error as problem:
        raise LineError(lines.line_num, str(problem)) from None


def name_columns(text: str) -> list[str]:
    """List the names in the first line of a CSV text."""
    return next(_split(text), (1, []))[1]


def read_columns(text: str, x: str | None, y: str, method: str = "linear", beyond: str = "refuse") -> Interpolant:
    """Read two columns of a CSV text, which begins with their names, as a table.

    Parameters
    ----------
    text : CSV text, separated by commas, or by semicolons if the first line has some
    x : name of the column of arguments; None: the first
    y : name of the column of values

    Raises
    ------
    LineError
        A column is missing, a cell is no number or has no name, or arguments do not increase.
    """
    lines = _split(text)
    _, names = next(lines, (1, []))
    places = []
    for wanted in (names[0] if x is None and names else x or "", y):
        if names.count(wanted) != 1:
            remedy = among(wanted, names)
            said = f"{names.count(wanted)} columns are" if wanted in names else "there is no column"
            raise LineError(1, f"{said} {wanted!r} ({remedy})")
        places.append(names.index(wanted))
    rows: list[tuple[int, list[Fraction]]] = []
    for line, cells in lines:
        if not any(cells):
            continue
        if any(cells[len(names) :]):  # a comma for a point, too
            raise LineError(line, f"{len(cells)} cells under {count(len(names), 'name')}: every column has one")
        values = []
        for place in places:
            cell = cells[place] if place < len(cells) else ""
            try:
                values.append(number(cell).value)
            except ExpressionError:
                message = f"{cell[:40]!r} in the column {names[place]!r} is not a number"
                raise LineError(line, message) from None
        rows.append((line, values))
        if len(rows) > TABLE_ROWS:  # the others are not read
            raise LineError(line, FEWER_ROWS)
    try:
        return Interpolant([row[0] for _, row in rows], [row[1] for _, row in rows], method, beyond)
    except RowError as problem:
        raise LineError(rows[problem.row - 1][0], problem.message) from None
    except ExpressionError as problem:
        raise LineError(1, str(problem)) from None
