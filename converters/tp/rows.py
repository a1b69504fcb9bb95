"""The tree of a table: bases, joints, axes by the paper's naming rule, directions d."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lcm
from typing import Final

from mbconcord.model import Gravity
from mbconcord.model.expressions import ONE, ZERO, Expression, evaluate_float, number, sqrt, symbol, symbols
from mbconcord.model.limits import COUNT_DIGITS
from mbconcord.model.transformation import AXES, Vector
from mbconcord.records import dataclass

from .cells import FIXED, Names, TpCell, TpTable, axis_index, body_axes, sign_name
from .columns import GRAVITY, joint_kind, joint_word

# The row of gravity, above the header: a row of this project's own, for the paper has no place for it.
#
# ``g;9.81;-y`` names a signed axis of the fixed frame, ``g;9.81;2;-3;6`` three numbers of any length; both say where
# things fall. Without the row gravity is the paper's, 9.81 m/s² along -y; ``g;0`` is none, and an empty magnitude is
# the parameter ``g`` without value, as what a table without numbers leaves open.


STANDARD: Final = Gravity(number("9.81"), (ZERO, -ONE, ZERO))
#: A direction is written in whole numbers up to this one, which a cell of a workbook holds exactly.
LARGEST: Final = 10**15


def gravity(table: TpTable) -> Gravity | None:
    """Read the gravity of a table, None for zero gravity; errors are added to the table's findings."""
    cells = list(table.gravity)
    if not cells:
        return STANDARD
    while not cells[-1].text:
        cells.pop()
    shape = len(cells)
    if shape not in (2, 3, 5):
        table.refuse(cells[0], "gravity row", found=shape)
        return None
    value = table.number(cells[1]) if cells[1].text else symbol(GRAVITY)
    if value.constant and value.value < 0:
        table.refuse(cells[1], "negative gravity")
    if shape == 2:
        if value:
            table.refuse(cells[0], "gravity row", found=shape)
        return None
    direction = _weight_direction(cells[2].text) if shape == 3 else tuple(map(table.number, cells[2:]))
    if not any(direction):
        table.refuse(cells[2], "gravity direction")
        return None
    x, y, z = direction
    return Gravity(value, (x, y, z)) if value else None


def gravity_row(found: Gravity | None, value: Expression, digits: Callable[[Expression], str]) -> str:
    """Write the row of a model's gravity of magnitude ``value``; empty for the paper's default.

    Identity: reading the row gives the same direction, exactly if integers express it, else to 17 digits.
    """
    if found is None or value is ZERO:
        return f"{GRAVITY};0\n"
    direction = found.direction
    magnitude = "" if symbols([value]) else digits(value)
    if magnitude.startswith("-"):
        magnitude, direction = magnitude[1:], (-direction[0], -direction[1], -direction[2])
    if (magnitude, direction) == ("9.81", STANDARD.direction):
        return ""
    along = [i for i in range(3) if direction[i]]
    if len(along) == 1:
        shown = [sign_name(along[0], 1 if to_float(direction[along[0]]) > 0 else -1, FIXED)]
    else:
        shown = [digits(x) for x in _plain(direction)]
    return ";".join((GRAVITY, magnitude, *shown)) + "\n"


def _weight_direction(text: str) -> tuple[Expression, ...]:
    found = axis_index(text, FIXED)
    return tuple(found[1] * x for x in AXES[FIXED[found[0]]]) if found else ()


def _plain(direction: Vector) -> tuple[Expression, ...]:
    """Scale a direction for writing: to a largest component of ±1, or to integers if these are short.

    A unit vector has roots (1/√2); the squares of its ratios have none.
    """
    largest = max(direction, key=lambda x: abs(to_float(x)))
    ratios = [sqrt(x * x / (largest * largest)) for x in direction]
    shown = tuple(-r if to_float(x) < 0 else r for x, r in zip(direction, ratios, strict=True))
    if not all(x.op == "num" for x in shown):
        return shown
    common = number(lcm(*(x.value.denominator for x in shown)))
    return tuple(common * x for x in shown) if common.value <= LARGEST else shown


def to_float(value: Expression) -> float:
    """Evaluate a constant expression."""
    return float(evaluate_float(value, {}))


@dataclass(frozen=True)
class TpDirection:
    """A signed axis of a frame: its number (0, 1, 2), and +1 or -1."""

    letter: int
    sign: int


@dataclass(frozen=True)
class TpRow:
    """A body: its number, its base (0: the fixed frame), its joint, and the direction d.

    ``d`` is None if the cell is empty, or 0 (the mass centre of the augmented body is its pole), ``d_given`` then True.
    """

    number: int
    base: int
    kind: str
    axis: TpDirection
    names: Names
    d: TpDirection | None
    d_given: bool
    cells: dict[str, TpCell]


def rows(table: TpTable) -> list[TpRow]:
    """Read the rows of a table as a tree; findings of all rows are collected in the table's findings."""
    made: list[TpRow] = []
    for row, cells in enumerate(table.rows, 1):
        if "i" in cells:
            _check_row_number(table, cells["i"], row)
        base = _base(table, cells, row)
        frame = made[base - 1].names if base else FIXED
        kind = joint_kind(cells["КП"].text)
        if kind is None:
            expected = ", ".join(joint_word(k, table.language) for k in ("rotation", "translation"))
            table.refuse(cells["КП"], "joint", expected=expected)
            kind = "rotation"
        axis = _axis(table, cells["q"], frame, base)
        if axis is None:  # the names that stand there are taken, so that one finding makes no others
            axis, names = TpDirection(0, 1), (cells["x"].text, cells["y"].text, cells["z"].text)
        else:
            names = body_axes(frame, kind, axis.letter, row)
        for key, name in zip("xyz", names, strict=True):
            _check_axis_name(table, cells[key], name, kind)
        d, given = _direction(table, cells["d"], names, row)
        made.append(TpRow(row, base, kind, axis, names, d, given, cells))
    return made


def children(made: Sequence[TpRow]) -> dict[int, list[TpRow]]:
    """Return the bodies that each body carries, by its number: the paper's S_i."""
    found: dict[int, list[TpRow]] = {number: [] for number in range(len(made) + 1)}
    for row in made:
        found[row.base].append(row)
    return found


def _check_row_number(table: TpTable, cell: TpCell, number: int) -> None:
    if cell.text and cell.text != str(number):
        table.refuse(cell, "row number", expected=number)


def _base(table: TpTable, cells: dict[str, TpCell], number: int) -> int:
    """Return the base of a row: given, or the row before it."""
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


def _axis(table: TpTable, cell: TpCell, frame: Names, base: int) -> TpDirection | None:
    found = axis_index(cell.text, frame)
    if found is None:
        where = {
            "en": f"body {base}" if base else "the fixed frame",
            "ru": f"тела {base}" if base else "неподвижной СК",
        }[table.language]
        table.refuse(cell, "axis", frame=where, expected=", ".join(frame))
        return None
    return TpDirection(*found)


def _check_axis_name(table: TpTable, cell: TpCell, name: str, kind: str) -> None:
    if cell.text != name:
        reason = table.findings.text("turns" if kind == "rotation" else "keeps")
        table.refuse(cell, "axis name", expected=name, reason=reason)


def _direction(table: TpTable, cell: TpCell, names: Names, number: int) -> tuple[TpDirection | None, bool]:
    if cell.text in ("0", "-0"):
        return None, True
    found = axis_index(cell.text, names)
    if found is not None:
        return TpDirection(*found), True
    if cell.text or not table.has("m_o", "c_x"):
        table.refuse(cell, "direction", body=number, expected=", ".join(names))
    return None, False
