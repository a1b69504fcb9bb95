"""The tree of a table: bases, joints, axes by the paper's naming rule, directions d."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbconcord.model.limits import COUNT_DIGITS

from .axes import FIXED, Names, axis_index, body_axes
from .cells import Cell, Table
from .columns import joint_kind, joint_word


@dataclass(frozen=True)
class Direction:
    """A signed axis of a frame: which one (0, 1, 2), and +1 or -1."""

    letter: int
    sign: int


@dataclass(frozen=True)
class Row:
    """A body: its number, its base (0: the fixed frame), its joint, and the direction d.

    ``d`` is None where the cell is empty, and 0 where the mass centre of the augmented body is its pole.
    """

    number: int
    base: int
    kind: str
    axis: Direction
    names: Names
    d: Direction | None
    d_given: bool
    cells: dict[str, Cell]


def rows(table: Table) -> list[Row]:
    """The rows of a table as a tree; findings of all rows are collected in the table's findings."""
    made: list[Row] = []
    for number, cells in enumerate(table.rows, 1):
        if "i" in cells:
            _numbered(table, cells["i"], number)
        base = _base(table, cells, number)
        frame = made[base - 1].names if base else FIXED
        kind = joint_kind(cells["КП"].text)
        if kind is None:
            expected = ", ".join(joint_word(k, table.language) for k in ("rotation", "translation"))
            table.refuse(cells["КП"], "joint", expected=expected)
            kind = "rotation"
        axis = _axis(table, cells["q"], frame, base)
        if axis is None:  # the names that stand there are taken, so that one finding makes no others
            axis, names = Direction(0, 1), (cells["x"].text, cells["y"].text, cells["z"].text)
        else:
            names = body_axes(frame, kind, axis.letter, number)
        for key, name in zip("xyz", names, strict=True):
            _named(table, cells[key], name, kind)
        d, given = _direction(table, cells["d"], names, number)
        made.append(Row(number, base, kind, axis, names, d, given, cells))
    return made


def children(made: Sequence[Row]) -> dict[int, list[Row]]:
    """Bodies that a body carries, by its number: the paper's S_i."""
    found: dict[int, list[Row]] = {number: [] for number in range(len(made) + 1)}
    for row in made:
        found[row.base].append(row)
    return found


def _numbered(table: Table, cell: Cell, number: int) -> None:
    if cell.text and cell.text != str(number):
        table.refuse(cell, "row number", expected=number)


def _base(table: Table, cells: dict[str, Cell], number: int) -> int:
    """The base of a row: given, or the row before it."""
    cell = cells.get("i-1")
    if cell is None:
        return number - 1
    if not cell.text.isdecimal() or len(cell.text) > COUNT_DIGITS:
        table.refuse(cell, "base")
        return 0
    base = int(cell.text)
    if base >= number:
        table.refuse(cell, "base after" if base <= len(table.rows) else "base", body=number)
        return 0
    return base


def _axis(table: Table, cell: Cell, frame: Names, base: int) -> Direction | None:
    found = axis_index(cell.text, frame)
    if found is None:
        where = {
            "en": f"body {base}" if base else "the fixed frame",
            "ru": f"тела {base}" if base else "неподвижной СК",
        }[table.language]
        table.refuse(cell, "axis", frame=where, expected=", ".join(frame))
        return None
    return Direction(*found)


def _named(table: Table, cell: Cell, name: str, kind: str) -> None:
    if cell.text != name:
        reason = table.findings.text("turns" if kind == "rotation" else "keeps")
        table.refuse(cell, "axis name", expected=name, reason=reason)


def _direction(table: Table, cell: Cell, names: Names, number: int) -> tuple[Direction | None, bool]:
    if cell.text in ("0", "-0"):
        return None, True
    found = axis_index(cell.text, names)
    if found is not None:
        return Direction(*found), True
    if cell.text or not table.has("m_o", "c_x"):
        table.refuse(cell, "direction", body=number, expected=", ".join(names))
    return None, False
