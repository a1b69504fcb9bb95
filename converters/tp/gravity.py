"""The row of gravity, above the header: a row of this project's own, for the paper has no place for it.

``g;9.81;-y`` names a signed axis of the fixed frame, ``g;9.81;2;-3;6`` three numbers of any length; both say where
things fall. Without the row gravity is the paper's, 9.81 m/s² along -y; ``g;0`` is none, and an empty magnitude is
the parameter ``g`` without value, as what a table without numbers leaves open.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Final

from mbconcord.model import Gravity
from mbconcord.model.expressions import ONE, ZERO, Expression, evaluate_float, number, sqrt, symbol, symbols
from mbconcord.model.transformation import AXES, Vector

from .axes import FIXED, axis_index, signed
from .cells import Table
from .columns import GRAVITY

STANDARD: Final = Gravity(number("9.81"), (ZERO, -ONE, ZERO))
#: A direction is written in whole numbers up to this one, which a cell of a workbook holds exactly.
LARGEST: Final = 10**15


def gravity(table: Table) -> Gravity | None:
    """The gravity of a table, None where there is none; findings go to the table's."""
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
    direction = _axis(table, cells[2].text) if shape == 3 else tuple(map(table.number, cells[2:]))
    if not any(direction):
        table.refuse(cells[2], "gravity direction")
        return None
    x, y, z = direction
    return Gravity(value, (x, y, z)) if value else None


def gravity_row(found: Gravity | None, value: Expression, digits: Callable[[Expression], str]) -> str:
    """The row of a model's gravity, whose magnitude is ``value``; empty for the paper's own.

    Identity: the row, read, is the same direction, exactly where whole numbers show it, else to 17 digits.
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
        shown = [signed(along[0], 1 if _float(direction[along[0]]) > 0 else -1, FIXED)]
    else:
        shown = [digits(x) for x in _plain(direction)]
    return ";".join((GRAVITY, magnitude, *shown)) + "\n"


def _axis(table: Table, text: str) -> tuple[Expression, ...]:
    found = axis_index(text, FIXED)
    return tuple(found[1] * x for x in AXES[FIXED[found[0]]]) if found else ()


def _plain(direction: Vector) -> tuple[Expression, ...]:
    """A direction as numbers to write: the largest is ±1, or all are whole numbers where these are short.

    A unit vector has roots (1/√2); the squares of its ratios have none.
    """
    largest = max(direction, key=lambda x: abs(_float(x)))
    ratios = [sqrt(x * x / (largest * largest)) for x in direction]
    shown = tuple(-r if _float(x) < 0 else r for x, r in zip(direction, ratios, strict=True))
    if not all(x.op == "num" for x in shown):
        return shown
    common = number(lcm(*(x.value.denominator for x in shown)))
    return tuple(common * x for x in shown) if common.value <= LARGEST else shown


def _float(value: Expression) -> float:
    return float(evaluate_float(value, {}))
