"""Masses, arms, centres and tensors of a table: numbers if it has them, else parameters without value.

With s_i = m_i d_i, the first moment of body i and of the masses it carries at their initial poles::

    s_i = m_oi c_i + Σ m_j R_j = m_i d_i d̄_i ,   m_i = m_oi + Σ m_j        (j: the bodies adjacent to i)

so a table without centres has c_i = (m_i d_i d̄_i - Σ m_j R_j) / m_oi, and in one with them d̄_i must match.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model import Inertia, Parameter
from mbconcord.model.body import Tensor, tensor
from mbconcord.model.expressions import ONE, ZERO, Expression, symbol
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass, field

from .cells import TpTable
from .columns import ARMS, CENTRES, MOMENTS, word
from .rows import TpRow, children, to_float

#: How far d and the masses may differ, relative to what s is made of: published centres have ten digits.
ROUNDING = 1e-9


@dataclass
class TpMasses:
    """Own and carried masses, arms, inertias and completed digits by number of the row; parameters by name."""

    own: dict[int, Expression] = field(default_factory=dict)
    whole: dict[int, Expression] = field(default_factory=dict)
    arms: dict[int, Vector] = field(default_factory=dict)
    inertias: dict[int, Inertia] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    completed: dict[int, float] = field(default_factory=dict)

    def free(self, name: str) -> Expression:
        """Return the symbol of a parameter without value."""
        self.parameters.setdefault(name, Parameter(name))
        return symbol(name)


def masses(table: TpTable, made: Sequence[TpRow]) -> TpMasses:
    """Read masses, arms and inertias of all rows; errors are added to the table's findings."""
    found = TpMasses()
    planar = _planar(made)
    _complete_groups(table, planar)
    for row in made:
        found.arms[row.number] = _arm(table, row, found)
    carried = children(made)
    for row in reversed(made):
        _masses(table, row, carried[row.number], found)
    for row in made:
        centre = _centre(table, row, carried[row.number], found)
        tensor = _tensor(table, row, found, planar)
        found.inertias[row.number] = Inertia(found.own[row.number], centre, tensor)
    return found


def _planar(made: Sequence[TpRow]) -> bool:
    """Return True if all links move in the plane xy: revolute axes z, prismatic ones in the plane."""
    return all((row.axis.letter == 2) == (row.kind == "rotation") for row in made)


def _complete_groups(table: TpTable, planar: bool) -> None:
    """Refuse groups of columns that are there only in part; a planar table needs fewer columns of a group."""
    needed = {ARMS: ARMS[:2], CENTRES: CENTRES[:2], MOMENTS: MOMENTS[2:3]} if planar else {}
    for group in (ARMS, CENTRES, MOMENTS):
        present = [key for key in group if key in table.keys]
        for key in needed.get(group, group[:3]):
            if present and key not in table.keys:
                table.findings.wrong("needs", 1, 1, column=present[0], needed=word(key, table.language))
    if table.has("c_x") and not table.has("m_o"):
        table.findings.wrong("needs", 1, 1, column="c_x", needed=word("m_o", table.language))


def _value(table: TpTable, row: TpRow, key: str) -> Expression:
    """Read the number of a cell; zero if the column is left out."""
    return table.number(row.cells[key]) if key in row.cells else ZERO


def _triple(table: TpTable, row: TpRow, group: tuple[str, ...]) -> Vector:
    x, y, z = (_value(table, row, key) for key in group)
    return x, y, z


def _arm(table: TpTable, row: TpRow, found: TpMasses) -> Vector:
    """Return R from the base's pole to the initial pole, in base axes; without columns of R zero for a root."""
    if table.has("R_x"):
        return _triple(table, row, ARMS)
    if not row.base:
        return ZERO, ZERO, ZERO
    x, y, z = (found.free(f"{key}{row.number}") for key in ARMS)
    return x, y, z


def _masses(table: TpTable, row: TpRow, adjacent: Sequence[TpRow], found: TpMasses) -> None:
    """Compute m_oi and m_i: each from its column, or one from the other."""
    carried = [found.whole[child.number] for child in adjacent]
    n = row.number
    if table.has("m_o"):
        found.own[n] = table.number(row.cells["m_o"])
    elif table.has("m_i"):
        found.own[n] = table.number(row.cells["m_i"]) - sum(carried, ZERO)
    else:
        found.own[n] = found.free(f"m_o{n}")
    found.whole[n] = sum(carried, found.own[n])
    if table.has("m_o", "m_i"):
        given = table.number(row.cells["m_i"])
        if abs(to_float(given - found.whole[n])) > ROUNDING * abs(to_float(found.whole[n])):
            table.refuse(row.cells["m_i"], "differs", true=_format_number(to_float(found.whole[n])))


def _format_number(value: float) -> str:
    return f"{value:.6g}"


def _centre(table: TpTable, row: TpRow, adjacent: Sequence[TpRow], found: TpMasses) -> Vector:
    """Return the centre c_i: from its columns, with digits completed by d; without columns from d."""
    carried = [ZERO, ZERO, ZERO]
    for child in adjacent:
        m = found.whole[child.number]
        carried = [s + m * r for s, r in zip(carried, found.arms[child.number], strict=True)]
    own = found.own[row.number]
    if not table.has("c_x"):
        moment = [ZERO, ZERO, ZERO]
        if row.d is not None:
            distance = _distance(table, row, found)
            moment[row.d.letter] = row.d.sign * (found.whole[row.number] * distance)
        if own is ZERO:
            return ZERO, ZERO, ZERO
        x, y, z = ((s - r) / own for s, r in zip(moment, carried, strict=True))
        return x, y, z
    centre = _triple(table, row, CENTRES)
    if not row.d_given or not all(x.constant for x in (*carried, own)):
        return centre
    return _consistent(table, row, found, centre, carried)


def _distance(table: TpTable, row: TpRow, found: TpMasses) -> Expression:
    """Return d_i: its column, or a parameter without value."""
    if table.has("d_i"):
        return table.number(row.cells["d_i"])
    return found.free(f"d_{row.number}")


def _consistent(table: TpTable, row: TpRow, found: TpMasses, centre: Vector, carried: Sequence[Expression]) -> Vector:
    """Correct the centre so that s_i is exactly parallel to d̄_i, within the rounding of the printed digits.

    A centre printed with a dozen digits cannot make s_i exactly parallel to d̄_i; d̄_i determines the missing digits.
    """
    own, whole = found.own[row.number], found.whole[row.number]
    s = [own * c + r for c, r in zip(centre, carried, strict=True)]
    numbers = [to_float(x) for x in s]
    size = sum(abs(to_float(own * c)) + abs(to_float(r)) for c, r in zip(centre, carried, strict=True))
    slack = ROUNDING * size
    along = row.d
    across = [i for i in range(3) if along is None or i != along.letter]
    ahead = 0.0 if along is None else along.sign * numbers[along.letter]
    if any(abs(numbers[i]) > slack for i in across) or ahead < -slack:
        _refuse_direction(table, row, numbers, to_float(whole), slack)
        return centre
    if table.has("d_i"):
        given = to_float(table.number(row.cells["d_i"]))
        if abs(given * to_float(whole) - ahead) > slack:
            table.refuse(row.cells["d_i"], "differs", true=_format_number(ahead / to_float(whole)))
    exact = list(centre)
    for i in across:
        if s[i] is not ZERO and own is not ZERO:
            exact[i] = -carried[i] / own
            change = abs(to_float(exact[i] - centre[i]))
            found.completed[row.number] = max(found.completed.get(row.number, 0.0), change)
    x, y, z = exact
    return x, y, z


def _refuse_direction(table: TpTable, row: TpRow, s: Sequence[float], mass: float, slack: float) -> None:
    length = sum(x * x for x in s) ** 0.5
    main = [i for i in range(3) if abs(s[i]) > slack]
    if len(main) == 1:
        true = ("-" if s[main[0]] < 0 else "") + row.names[main[0]]
        remedy = table.findings.text("write d", d=true)
    elif not main:
        true, remedy = "0", table.findings.text("write d", d="0")
    else:
        true = " ".join(
            f"{'-' if s[i] < 0 else '+'} {abs(s[i]) / length:.6g}*{row.names[i]}" for i in main
        ).removeprefix("+ ")
        remedy = table.findings.text("leave d")
    distance = _format_number(length / mass) if mass else "inf"
    table.refuse(row.cells["d"], "inconsistent d", distance=distance, true=true, remedy=remedy)


def _tensor(table: TpTable, row: TpRow, found: TpMasses, planar: bool) -> Tensor:
    if not table.has("I_zz"):
        return tensor(found.free(f"{key}{row.number}") for key in MOMENTS)
    values = [_value(table, row, key) for key in MOMENTS]
    if planar and values[2] and not values[0] and not values[1]:
        values[0] = values[1] = values[2] * (ONE / 2)
        if not any(d.message == table.findings.text("lamina") for d in table.findings.remarks()):
            table.findings.say("note", "lamina", row.cells["I_zz"].line, row.cells["I_zz"].column)
    return tensor(values)
