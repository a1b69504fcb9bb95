"""Files of tables: CSV in UTF-8 or CP1251, and workbooks, which are read as the text they would be."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import Any

from mbconcord.model.diagnostics import Location, ReadError, error

from .columns import Language, heading
from .messages import Messages, said


def is_workbook(file: str) -> bool:
    """Whether a file is a workbook, by its name."""
    return file.lower().endswith(".xlsx")


def decode(data: bytes, file: str) -> str:
    """The text of a file's bytes.

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
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1251", errors="replace")


def encode(text: str, file: str) -> bytes:
    """The bytes of a file of that name that hold a table: UTF-8, or a workbook."""
    if not is_workbook(file):
        return text.encode("utf-8")
    import pandas

    table = pandas.read_csv(StringIO(text), sep=";", dtype=str, keep_default_na=False)
    for name in table.columns:
        if name not in ("q", "d"):
            numbers = pandas.to_numeric(table[name], errors="coerce")
            table[name] = table[name] if numbers.isna().any() else numbers
    stored = BytesIO()
    table.to_excel(stored, index=False, engine="openpyxl")
    return stored.getvalue()


def _sheet(data: bytes, file: str) -> str:
    """The first sheet as a text: cells separated by tabs, a line for each row."""
    import openpyxl

    try:
        shown = openpyxl.load_workbook(BytesIO(data), data_only=True).worksheets[0]
        written = openpyxl.load_workbook(BytesIO(data)).worksheets[0]
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
    return "".join("\t".join(row) + "\n" for row in rows)


def _language(header: list[str]) -> Language:
    return "en" if any(heading(cell).language == "en" for cell in header) else "ru"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return " ".join(str(value).split())
