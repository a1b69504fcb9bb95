"""Files of tables: CSV in UTF-8 or CP1251, and workbooks, which are read as the equivalent text."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import Any
from zipfile import ZipFile

from mbconcord.converters import spelling
from mbconcord.converters.format import Decoded
from mbconcord.model import Omission
from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.limits import (
    SHEET_COLUMNS,
    SHEET_ROWS,
    WORKBOOK_BYTES,
    WORKBOOK_CELLS,
    WORKBOOK_ELEMENTS,
    WORKBOOK_STYLES,
    too_many,
)

from .columns import Language, Messages, format_message, heading, is_gravity

#: Cells, rows and texts in the parts of a workbook, and what is none of them nor within one.
_CELLS = re.compile(rb"<(?:\w+:)?(?:c|row|si)[\s/>]")
_STYLES = re.compile(rb"<(?![/?!]|(?:\w+:)?(?:c|row|si|v|t|is|f)[\s/>])")


def is_workbook(file: str) -> bool:
    """Return True if a file's name is that of a workbook."""
    return file.lower().endswith(".xlsx")


def decode(data: bytes, file: str) -> Decoded:
    """Decode a file to text; content of a workbook other than the table is left out.

    Raises
    ------
    ReadError
        It is not a workbook although its name says so; merged cells in the header; a formula without a value.
    """
    if is_workbook(file) or data.startswith(b"PK\x03\x04"):
        return _sheet(data, file)
    spelling.require_text(data, file, "a table: CSV in UTF-8, or .xlsx")
    if b"\0" in data:
        raise ReadError(error("", "a binary file; expected a table", "save it as CSV", Location(file, 1, 1)))
    try:
        text, page = data.decode("utf-8-sig"), "utf-8-sig" if data.startswith(BOM_UTF8) else spelling.UTF8
    except UnicodeDecodeError:
        text, page = data.decode("cp1251", errors="replace"), "cp1251"
    return Decoded(text, spelling.of_encoding(page))


def encode(text: str, file: str) -> bytes | None:
    """Encode a table as a workbook; None if the file's name is not that of a workbook."""
    if not is_workbook(file):
        return None
    import pandas

    head, _, body = text.partition("\n")
    above = head.split(";") if is_gravity(head.partition(";")[0]) else []
    table = pandas.read_csv(StringIO(body if above else text), sep=";", dtype=str, keep_default_na=False)
    for name in table.columns:
        if name not in ("q", "d"):
            numbers = pandas.to_numeric(table[name], errors="coerce")
            table[name] = table[name] if numbers.isna().any() else numbers
    stored = BytesIO()
    with pandas.ExcelWriter(stored, engine="openpyxl") as book:
        table.to_excel(book, index=False, startrow=1 if above else 0)
        for column, text in enumerate(above, 1):
            (sheet,) = book.sheets.values()
            sheet.cell(1, column, pandas.to_numeric(text) if column == 2 and text else text)
    return stored.getvalue()


def _sheet(data: bytes, file: str) -> Decoded:
    """Convert the first sheet to text: cells separated by tabs, a line for each row."""
    _require_small(data, file)
    book = _workbook(data, file)
    for sheet in book.worksheets:
        _require_near(sheet, file)
    written = book.worksheets[0]
    formulas = [cell for row in written.iter_rows() for cell in row if cell.data_type == "f"]
    shown = _workbook(data, file, data_only=True).worksheets[0] if formulas else written
    rows = [[_text(value) for value in row] for row in shown.iter_rows(values_only=True)]
    while rows and not any(rows[-1]):
        rows.pop()
    header = 2 if rows[1:] and is_gravity(rows[0][0]) else 1
    findings = Messages(file, _language([*rows, []][header - 1]))
    for area in written.merged_cells.ranges:
        if area.min_row <= header:
            findings.wrong("merged", area.min_row, area.min_col, cells=area.coord)
    for i, row in enumerate(shown.iter_rows(values_only=True), 1):
        for j, value in enumerate(row, 1):
            if isinstance(value, str) and value.startswith("#"):
                findings.wrong("formula", i, j, cell=shown.cell(i, j).coordinate, found=value)
    for cell in formulas:
        if shown[cell.coordinate].value is None:
            findings.wrong("uncomputed", cell.row, cell.column, cell=cell.coordinate, found=cell.value)
    findings.stop()
    return Decoded("".join("\t".join(row) + "\n" for row in rows), tuple(_beside(book)))


def _beside(book: Any) -> Iterator[Omission]:
    """Yield a workbook's content other than the values of its first sheet: comments, formulas, other sheets."""
    first, *others = book.worksheets
    for cell in (cell for row in first.iter_rows() for cell in row):
        if cell.comment is not None:
            text = " ".join(cell.comment.text.split())
            yield Omission(f"comment/{cell.coordinate}", "comment", text, "none")
        if cell.data_type == "f":
            yield Omission(f"formula/{cell.coordinate}", "formula", str(cell.value), "none")
    for sheet in others:
        if any(cell.value is not None for row in sheet.iter_rows() for cell in row):
            yield Omission(f"sheet/{sheet.title}", "sheet", f"{sheet.title}, {sheet.dimensions}", "none")


def _workbook(data: bytes, file: str, data_only: bool = False) -> Any:
    """Load a workbook with at least one sheet."""
    import openpyxl

    try:
        book = openpyxl.load_workbook(BytesIO(data), data_only=data_only)
        book.worksheets[0]
        return book
    except Exception as problem:  # openpyxl raises whatever its parts raise
        raise _unreadable(problem, file) from None


def _unreadable(problem: Exception, file: str) -> ReadError:
    message, remedy = format_message("en", "unreadable", found=problem)
    return ReadError(error("", message, remedy, Location(file, 1, 1)))


def _require_small(data: bytes, file: str) -> None:
    """Refuse a workbook whose inflated parts have too many bytes or elements, before the elements are read.

    No more is inflated than the sizes stated in the archive. A style element costs a hundred times a cell, and real
    workbooks have few: they are counted separately.
    """
    try:
        archive = ZipFile(BytesIO(data))
        inflated = sum(part.file_size for part in archive.infolist())
        _refuse_many(inflated, "bytes when inflated", WORKBOOK_BYTES, file)
        parts = [archive.read(part) for part in archive.infolist()]
    except ReadError:
        raise
    except Exception as problem:  # whatever an archive that is none raises
        raise _unreadable(problem, file) from None
    elements = sum(part.count(b"<") - part.count(b"</") for part in parts)
    _refuse_many(elements, "elements", WORKBOOK_ELEMENTS, file)
    for pattern, things, most in ((_CELLS, "cells", WORKBOOK_CELLS), (_STYLES, "styles and the like", WORKBOOK_STYLES)):
        _refuse_many(sum(len(pattern.findall(part)) for part in parts), things, most, file)


def _refuse_many(count: int, things: str, most: int, file: str) -> None:
    if count > most:
        found = f"a workbook of {too_many(count, things, most)}"
        raise ReadError(error("", found, "save the table alone, or as CSV", Location(file, 1, 1)))


def _require_near(sheet: Any, file: str) -> None:
    """Refuse a sheet that reaches far out, before the empty cells up to there are looked at."""
    rows, columns = int(sheet.max_row), int(sheet.max_column)
    if rows > SHEET_ROWS or columns > SHEET_COLUMNS:
        what = too_many(rows, "rows", SHEET_ROWS) if rows > SHEET_ROWS else None
        found = what or too_many(columns, "columns", SHEET_COLUMNS)
        remedy = "delete what stands far from the table"
        raise ReadError(error("", f"a sheet of {found}", remedy, Location(file, rows, columns)))


def _language(header: list[str]) -> Language:
    return "en" if any(heading(cell).language == "en" for cell in header) else "ru"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return " ".join(str(value).split())
