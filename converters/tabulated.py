"""Tables of measured numbers: rows of a model's text, and columns of CSV files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from fractions import Fraction
from io import StringIO
from typing import Any

from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import Expression, ExpressionError, as_expression, symbol
from mbconcord.model.expressions.interpolant import Interpolant, RowError


def read_table(
    x: Sequence[Expression], y: Sequence[Expression], method: str = "linear", beyond: str = "refuse"
) -> Interpolant:
    """Make a table of columns of numbers; :class:`ExpressionError` names the row of what is none."""
    for row, pair in enumerate(zip(x, y, strict=False), 1):
        for value in pair:
            if value.op != "num":
                raise RowError(row, f"{value} is not a number")
    return Interpolant([z.value for z in x], [z.value for z in y], method, beyond)


def as_number(value: Any) -> Expression:
    """Convert a number to an expression; what is none, NaN too, to a symbol that :func:`read_table` names."""
    try:
        return as_expression(value)
    except ExpressionError:
        return symbol(str(value))


class LineError(ExpressionError):
    """A wrong line of a CSV text, which counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line, self.message = line, message


def read_columns(text: str, x: str | None, y: str, method: str = "linear", beyond: str = "refuse") -> Interpolant:
    """Read two columns of a CSV text, which begins with their names, as a table.

    Parameters
    ----------
    text : with commas, or semicolons where the first line has them
    x : name of the column of arguments; None: the first
    y : name of the column of values

    Raises
    ------
    LineError
        A column that is not there, a cell that is no number, arguments that do not increase.
    """
    head = text.partition("\n")[0]
    lines = csv.reader(StringIO(text), delimiter=";" if ";" in head else ",")
    names = [name.strip() for name in next(lines, [])]
    places = []
    for wanted in (names[0] if x is None and names else x or "", y):
        if names.count(wanted) != 1:
            remedy = among(wanted, names)
            said = f"{names.count(wanted)} columns are" if wanted in names else "there is no column"
            raise LineError(1, f"{said} {wanted!r} ({remedy})")
        places.append(names.index(wanted))
    rows: list[tuple[int, list[Fraction]]] = []
    for cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        values = []
        for place in places:
            cell = cells[place].strip() if place < len(cells) else ""
            try:
                values.append(Fraction(cell))
            except (ValueError, ZeroDivisionError):
                message = f"{cell!r} in the column {names[place]!r} is not a number"
                raise LineError(lines.line_num, message) from None
        rows.append((lines.line_num, values))
    try:
        return Interpolant([row[0] for _, row in rows], [row[1] for _, row in rows], method, beyond)
    except RowError as problem:
        raise LineError(rows[problem.row - 1][0], problem.message) from None
    except ExpressionError as problem:
        raise LineError(1, str(problem)) from None
