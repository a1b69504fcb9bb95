"""Conversion of a text to the cells of a table: separator, header, rows, each cell with its location."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO
from typing import Final

from mbconcord.converters.floats import number_hint
from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions import Expression, ExpressionError, number
from mbconcord.model.limits import LINE_CHARACTERS, too_many
from mbconcord.records import dataclass

from .columns import GRAVITY, KNOWN, REQUIRED, Language, Messages, TpHeading, heading, is_gravity, plain, word

# Names of the axes: the paper's rule, which leaves the vectors that are not collinear (НКО).
#
# At the start all frames are parallel to the fixed one. A prismatic body has the axes of its base; a revolute
# body shares the axis it turns about, and its other two are named after it: ``x_3``, ``y_3``.


Names = tuple[str, str, str]
FIXED: Final[Names] = ("x", "y", "z")


def body_axes(base: Names, kind: str, letter: int, number: int) -> Names:
    """Name a body's axes from those of its base; ``letter`` is the axis of the base that the joint uses."""
    if kind == "translation":
        return base
    x, y, z = (base[i] if i == letter else f"{FIXED[i]}_{number}" for i in range(3))
    return x, y, z


def axis_index(name: str, names: Names) -> tuple[int, int] | None:
    """Return index and sign of the axis with a signed name such as ``-y``; None if there is no such axis."""
    bare = name.removeprefix("-").strip()
    return (names.index(bare), -1 if name.startswith("-") else 1) if bare in names else None


def noncollinear(frames: Sequence[Names]) -> tuple[str, ...]:
    """List noncollinear axes (НКО): names of the fixed frame that occur, in order x, y, z; then new names by row."""
    used = {name for names in frames for name in names}
    order = dict.fromkeys(name for name in FIXED if name in used)
    for names in frames:
        order.update(dict.fromkeys(names))
    return tuple(order)


def sign_name(letter: int, sign: int, names: Names) -> str:
    """Return the signed name of an axis."""
    return ("-" if sign < 0 else "") + names[letter]


SEPARATORS = (";", "\t", ",")


@dataclass(frozen=True)
class TpCell:
    """A cell's text, its row (counted from 1 below the header, or ``g``), and its line and column in the file."""

    key: str
    text: str
    row: int | str
    line: int
    column: int


@dataclass(frozen=True)
class TpTable:
    """Rows of cells by the keys of their columns, the cells of the row of gravity, and the findings so far."""

    rows: tuple[dict[str, TpCell], ...]
    keys: tuple[str, ...]
    separator: str
    findings: Messages
    gravity: tuple[TpCell, ...] = ()

    @property
    def language(self) -> Language:
        """Language of the header."""
        return self.findings.language

    def has(self, *keys: str) -> bool:
        """Return True if all these columns are present."""
        return all(key in self.keys for key in keys)

    def refuse(self, cell: TpCell, key: str, **values: object) -> None:
        """Record an error about a cell."""
        named: dict[str, object] = {"row": cell.row, "column": word(cell.key, self.language)}
        self.findings.wrong(key, cell.line, cell.column, **{**named, "found": cell.text, **values})

    def number(self, cell: TpCell) -> Expression:
        """Parse the number in a cell exactly; record a finding and return zero if there is none."""
        text = cell.text
        if "," in text and "." not in text and self.separator != ",":
            text = text.replace(",", ".")
        try:
            if not text:
                raise ExpressionError("empty")
            return number(text)
        except ExpressionError:
            if not cell.text:
                expected = {"en": "a number", "ru": "число"}[self.language]
                self.refuse(cell, "empty", expected=expected)
            else:
                comma = self.findings.text("decimal comma") if "," in cell.text else "0.25"
                remedy = number_hint(cell.text) if not re.fullmatch("[-+0-9.,]+", cell.text) else comma
                remedy = remedy or comma
                self.refuse(cell, "number", remedy=remedy)
            return number(0)


def cells(text: str, file: str) -> TpTable:
    """Split a table into cells.

    Raises
    ------
    ReadError
        Separators are mixed, a required column is missing, a header is unknown, or a row is shorter or longer
        than the header.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    while lines and not lines[-1].strip(";,\t "):
        lines.pop()
    for i, line in enumerate(lines, 1):
        if len(line) > LINE_CHARACTERS:
            found = f"a line of {too_many(len(line), 'characters', LINE_CHARACTERS)}"
            raise ReadError(error("", found, "no row is so long", Location(file, i, 1)))
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    above = first if lines and is_gravity(re.split("[;,\t]", lines[first])[0]) else None
    if above is not None:
        first = next((i for i, line in enumerate(lines[above + 1 :], above + 1) if line.strip()), above)
    header = lines[first] if lines else ""
    separator = next((s for s in SEPARATORS if s in header), ";")
    names = _split_line(header, separator)
    headings = [heading(name) for name in names]
    english = sum(h.language == "en" for h in headings) > sum(h.language == "ru" for h in headings)
    findings = Messages(file, "en" if english else "ru")
    below = list(enumerate(lines[first + 1 :], first + 2))
    _separators([(first + 1, header), *_number_line(lines, above), *below], separator, findings)
    if not findings.errors:
        _header(names, headings, _columns(header, separator, names), first + 1, findings)
    findings.stop()
    keys = [h.key or "" for h in headings]
    rows = [
        row for i, line in below if line.strip() and (row := _row(line, i, separator, keys, i - first - 1, findings))
    ]
    if not rows and not findings.errors:
        findings.wrong("no rows", first + 1, 1)
    findings.stop()
    weight = [_cells(line, i, separator, GRAVITY) for i, line in _number_line(lines, above)]
    return TpTable(tuple(rows), tuple(key for key in keys if key), separator, findings, *weight)


def _number_line(lines: Sequence[str], index: int | None) -> list[tuple[int, str]]:
    """Return a line with its number; an empty list for None."""
    return [] if index is None else [(index + 1, lines[index])]


def _cells(line: str, number: int, separator: str, row: str) -> tuple[TpCell, ...]:
    """Split a row that has no named columns, as that of gravity, into numbered cells."""
    parts = _split_line(line, separator)
    starts = _columns(line, separator, parts)
    return tuple(
        TpCell(str(i), plain(part), row, number, at) for i, (part, at) in enumerate(zip(parts, starts, strict=True), 1)
    )


def _split_line(line: str, separator: str) -> list[str]:
    return next(csv.reader(StringIO(line), delimiter=separator), [])


def _columns(line: str, separator: str, parts: Sequence[str]) -> list[int]:
    """Return the column in which each cell begins, counted from 1."""
    starts, at = [], 0
    for part in parts:
        starts.append(at + 1)
        quoted = line[at : at + 1] == '"'
        at += len(part) + part.count('"') + 2 + 1 if quoted else len(part) + 1
    return starts


def _separators(lines: Sequence[tuple[int, str]], separator: str, findings: Messages) -> None:
    """Refuse separators other than the table's; in rows a comma only if the table's is missing (it may be decimal)."""
    for i, (at, line) in enumerate(lines):
        others = [s for s in SEPARATORS if s != separator and s in line]
        if i and separator != ",":  # a comma may be a decimal comma
            others = [s for s in others if s != "," or (line.strip() and separator not in line)]
        for other in others[:1]:
            findings.wrong("mixed separators", at, line.index(other) + 1, found=other, separator=separator)


def _header(names: list[str], headings: list[TpHeading], columns: list[int], line: int, findings: Messages) -> None:
    language = findings.language
    seen: dict[str, int] = {}
    for i, (name, found) in enumerate(zip(names, headings, strict=True)):
        if found.key is None and (name.strip() or i < len(names) - 1):
            expected = ", ".join(word(key, language) for key in KNOWN)
            findings.wrong("unknown column", line, columns[i], found=repr(name), expected=expected)
        elif found.key is not None and found.key in seen:
            findings.wrong("second column", line, columns[i], column=word(found.key, language), first=seen[found.key])
        elif found.key is not None:
            seen[found.key] = i + 1
    for key in REQUIRED:
        if key not in seen:
            present = ", ".join(name.strip() for name in names)
            findings.wrong("missing column", line, 1, column=word(key, language), found=present)


def _row(
    line: str, number: int, separator: str, keys: list[str], row: int, findings: Messages
) -> dict[str, TpCell] | None:
    parts = _split_line(line, separator)
    while len(parts) > len(keys) and not parts[-1].strip():
        parts.pop()
    if len(parts) != len(keys):
        findings.wrong("width", number, 1, row=row, found=len(parts), expected=len(keys))
        return None
    starts = _columns(line, separator, parts)
    made = {}
    for key, part, at in zip(keys, parts, starts, strict=True):
        if key:
            made[key] = TpCell(key, plain(part), row, number, at)
    return made
