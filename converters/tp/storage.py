"""Files of tables: CSV in UTF-8 or CP1251, and workbooks, which are read as the text they would be."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import Any

from mbconcord.converters import spelling
from mbconcord.converters.format import Decoded
from mbconcord.model import Omission
from mbconcord.model.diagnostics import Location, ReadError, error

from .columns import Language, heading
from .messages import Messages, said


def is_workbook(file: str) -> bool:
    """Whether a file is a workbook, by its name."""
    return file.lower().endswith(".xlsx")


def decode(data: bytes, file: str) -> Decoded:
    """The text of a file's bytes; of a workbook, what is not the table is left out.

    Raises
    ------
    ReadError
        Not a workbook where the name says so; merged cells in the header; a formula without a value.
    """
    if is_workbook(file) or data.startswith(b"PK\x03\x04"):
        return _sheet(data, file)
    if b"\0" in data:
        raise ReadError(error("", "a binary file; expected a table", "save it as CSV", Location(file, 1, 1)))
    try:
        text, page = data.decode("utf-8-sig"), "utf-8-sig" if data.startswith(BOM_UTF8) else spelling.UTF8
    except UnicodeDecodeError:
        text, page = data.decode("cp1251", errors="replace"), "cp1251"
    return Decoded(text, spelling.of_encoding(page))


def encode(text: str, file: str) -> bytes | None:
    """The bytes of a workbook of that name that holds a table; None: the file is the text."""
    if not is_workbook(file):
        return None
    import pandas

    table = pandas.read_csv(StringIO(text), sep=";", dtype=str, keep_default_na=False)
    for name in table.columns:
        if name not in ("q", "d"):
            numbers = pandas.to_numeric(table[name], errors="coerce")
            table[name] = table[name] if numbers.isna().any() else numbers
    stored = BytesIO()
    table.to_excel(stored, index=False, engine="openpyxl")
    return stored.getvalue()


def _sheet(data: bytes, file: str) -> Decoded:
    """The first sheet as a text: cells separated by tabs, a line for each row."""
    import openpyxl

    try:
        shown = openpyxl.load_workbook(BytesIO(data), data_only=True).worksheets[0]
        book = openpyxl.load_workbook(BytesIO(data))
        written = book.worksheets[0]
    except Exception as problem:  # openpyxl raises whatever its parts raise
        message, remedy = said("en", "unreadable", found=problem)
        raise ReadError(error("", message, remedy, Location(file, 1, 1))) from None
    rows = [[_text(cell.value) for cell in row] for row in shown.iter_rows()]
    while rows and not any(rows[-1]):
        rows.pop()
    findings = Messages(file, _language(rows[0] if rows else []))
    for area in written.merged_cells.ranges:
        if area.min_row == 1:
            findings.wrong("merged", 1, area.min_col, cells=area.coord)
    for cell in (cell for row in written.iter_rows() for cell in row):
        value = shown[cell.coordinate].value
        if isinstance(value, str) and value.startswith("#"):
            findings.wrong("formula", cell.row, cell.column, cell=cell.coordinate, found=value)
        elif cell.data_type == "f" and value is None:
            findings.wrong("uncomputed", cell.row, cell.column, cell=cell.coordinate, found=cell.value)
    findings.stop()
    return Decoded("".join("\t".join(row) + "\n" for row in rows), tuple(_beside(book)))


def _beside(book: Any) -> Iterator[Omission]:
    """What a workbook holds beside the values of its first sheet: comments and formulas there, other sheets."""
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


def _language(header: list[str]) -> Language:
    return "en" if any(heading(cell).language == "en" for cell in header) else "ru"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return " ".join(str(value).split())
