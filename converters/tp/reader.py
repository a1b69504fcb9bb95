"""Conversion of a table's text to the model.

A body's frame has its origin at the pole O_i. The shift R leads from the base's pole, in base axes, to the pole's
initial position, then the joint moves the body along or about its axis; so all frames are parallel where all q are
zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mbconcord.converters.format import Reading
from mbconcord.model import Body, Coordinate, ModelError, Omission, ReadError, System
from mbconcord.model.diagnostics import Location
from mbconcord.model.expressions import ZERO, Expression, number, symbol
from mbconcord.model.transformation import ElementaryTransformation, Variable, rotation, shift, translation

from .cells import TpTable, cells, noncollinear
from .columns import GRAVITY, word
from .masses import TpMasses, masses
from .rows import TpRow, gravity, rows

#: What a model says of a table whose headers are English.
ENGLISH = Omission("table/headers", "language", "English", "none")


def read(text: str, file: str) -> Reading:
    """Read the model of a table: bodies ``body1``, ``body2``, …, coordinates ``q1``, ``q2``, ….

    A table without masses is a model whose masses, arms, distances d and moments of inertia are parameters
    without value: equations can be derived, numbers cannot be computed before they have values.

    Raises
    ------
    ReadError
        Every finding with file, line and column; the message has row and column of the table.
    """
    table = cells(text, file)
    made = rows(table)
    table.findings.stop()
    found = masses(table, made)
    coordinates = [_coordinate(table, row) for row in made]
    weight = gravity(table)
    if weight is not None and weight.value is symbol(GRAVITY):
        found.free(GRAVITY)
    table.findings.stop()
    table.findings.locations |= _locations(table, made)
    try:
        system = System(
            _name(file),
            tuple(coordinates),
            tuple(sorted(found.parameters.values(), key=lambda p: _natural(p.name))),
            (),
            weight,
            tuple(Body(f"body{r.number}", _parent(r), _joint(r, found), found.inertias[r.number]) for r in made),
            omissions=() if table.language == "ru" else (ENGLISH,),
        )
    except ModelError as problem:
        raise ReadError(map(table.findings.locate, problem.diagnostics)) from None
    _remarks(table, made, found)
    return Reading(system, table.findings.remarks(), table.findings.locations)


def _name(file: str) -> str:
    name = Path(file).name
    for suffix in (".tp.csv", ".tp.xlsx"):
        name = name.removesuffix(suffix)
    return "tp" if file in ("-", "") else name


def _natural(name: str) -> tuple[str, int]:
    """Return the sort key: by the letters, then by the number."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)


def _parent(row: TpRow) -> str | None:
    return f"body{row.base}" if row.base else None


def _joint(row: TpRow, found: TpMasses) -> tuple[ElementaryTransformation, ...]:
    make = rotation if row.kind == "rotation" else translation
    axis = [ZERO, ZERO, ZERO]
    axis[row.axis.letter] = number(row.axis.sign)
    return (*shift(found.arms[row.number]), make(axis, Variable(f"q{row.number}")))


def _coordinate(table: TpTable, row: TpRow) -> Coordinate:
    cell = row.cells.get("q0")
    position: Expression = table.number(cell) if cell is not None and cell.text else ZERO
    if cell is not None and row.kind == "translation" and position.constant and position.value < 0:
        other = row.cells["q"].text
        turned = other.removeprefix("-") if other.startswith("-") else f"-{other}"
        values: dict[str, object] = {
            "row": cell.row,
            "column": word("q0", table.language),
            "found": cell.text,
            "axis": turned,
        }
        table.findings.say("warning", "negative q", cell.line, cell.column, f"coordinates/q{row.number}", **values)
    return Coordinate(f"q{row.number}", position)


def _locations(table: TpTable, made: Sequence[TpRow]) -> dict[str, Location]:
    """Locate the places of the model in the file."""
    file = table.findings.file
    found = {}
    if table.gravity:
        found["gravity"] = Location(file, table.gravity[0].line, table.gravity[0].column)
    for row in made:
        body, n = f"bodies/body{row.number}", row.number
        at = {key: Location(file, cell.line, cell.column) for key, cell in row.cells.items()}
        found[body] = at["КП"]
        found[f"{body}/joint"] = found[f"coordinates/q{n}"] = at["q"]
        for place, key in (("mass", "m_o"), ("centre", "c_x"), ("tensor", "I_xx")):
            found[f"{body}/inertia/{place}"] = at.get(key, at["d"])
        found[f"{body}/inertia"] = at.get("m_o", at["d"])
    return found


def _remarks(table: TpTable, made: Sequence[TpRow], found: TpMasses) -> None:
    """Note what the table implies: НКО, gravity, digits completed by d, parameters without value."""
    first = table.rows[0]["q"]
    findings = table.findings
    findings.say("note", "frames", first.line, first.column, names=", ".join(noncollinear([r.names for r in made])))
    if not table.gravity:
        findings.say("note", "gravity", first.line, first.column, "gravity")
    if found.completed:
        bodies = ", ".join(map(str, sorted(found.completed)))
        change = f"{max(found.completed.values()):.1e}"
        findings.say("note", "completed", first.line, first.column, bodies=bodies, change=change)
    if found.parameters:
        names = ", ".join(sorted(found.parameters, key=_natural))
        findings.say("note", "no values", first.line, first.column, "parameters", names=names)
