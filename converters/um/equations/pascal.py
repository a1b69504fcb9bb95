"""Pascal-like prints of Universal Mechanism: ``_bodyposition[1] := -_k1*_s1;``.

Golomazdin & Dmitrochenko 2022, figs. 9 and 12, have them.

Arrays count from 1; ``_s2`` and ``_c2`` are sine and cosine of coordinate number 2, other names are identifiers with
an underscore before them. A print does not say which body it is of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lark import Token

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.equations import UNNAMED, GeneratedEquations, GeneratedMotion, coordinate_symbol
from mbconcord.model.expressions import ZERO, Expression, cos, sin, symbol

from .syntax import parse
from .values import digits, place, value

TITLE = "Universal Mechanism, printed formulas"
VECTORS = {
    "_bodyposition": "position", "_bodyvelocity": "velocity", "_angularvelocity": "angular_velocity",
    "_bodyacceleration": "acceleration", "_angularacceleration": "angular_acceleration",
}  # fmt: skip
_TRIGONOMETRIC = re.compile(r"_([sc])([1-9]\d{0,3})")
_COORDINATE = re.compile(r"(_x|_v|_ap)\[([1-9]\d{0,3})\]")
_ORDERS = {"_x": 0, "_v": 1, "_ap": 2}


def read_print(text: str, file: str) -> GeneratedEquations:
    """The equations of a print.

    Raises
    ------
    ReadError
        A statement that the grammar does not have, an unknown array, an index out of range, a row twice.
    """
    cells: dict[str, dict[int, Expression]] = {}
    names: dict[str, None] = {}

    def operand(token: Token) -> Expression:
        return _operand(token, names, file)

    for statement in parse(text, file, "pascal").children:
        target, right = statement.children
        array, index = _target(target, file)
        rows = cells.setdefault(array, {})
        if index in rows:
            message = f"{array}[{index}] is written twice; expected the formulas of one body"
            raise ReadError(error("", message, "put each body into a file of its own", place(target, file)))
        found = value(right, operand, file)
        assert found is not None
        rows[index] = found
    if not cells:
        raise ReadError(error("", "no formulas; expected _bodyposition[1] := …;", "", Location(file, 1, 1)))
    note = Diagnostic(
        "note",
        "um/files",
        "a print: it does not say which body it is of, nor how many coordinates there are",
    )
    return GeneratedEquations(
        "um", TITLE, file, None, tuple(names), bodies={UNNAMED: _motion(cells, file)}, diagnostics=(note,),
        digits=digits([text]),
    )  # fmt: skip


def _motion(cells: Mapping[str, Mapping[int, Expression]], file: str) -> GeneratedMotion:
    values: dict[str, Any] = {}
    for array, rows in cells.items():
        absent = [str(i) for i in (1, 2, 3) if i not in rows]
        if absent:
            message = f"{array}: row {', '.join(absent)} is missing; expected rows 1, 2 and 3"
            raise ReadError(error("", message, location=Location(file, 1, 1)))
        values[VECTORS[array]] = tuple(rows.get(i, ZERO) for i in (1, 2, 3))
    return GeneratedMotion(**values)


def _target(token: Token, file: str) -> tuple[str, int]:
    found = re.fullmatch(r"(\w+)\s*\[\s*(\d{1,4})\s*\]", token)
    if not found or found[1] not in VECTORS:
        known = ", ".join(VECTORS)
        raise ReadError(
            error("", f"found {token[:40]!s}, expected one of {known} with an index", "", place(token, file))
        )
    if found[2] not in ("1", "2", "3"):
        raise ReadError(error("", f"found the index {found[2]}, expected 1, 2 or 3", "", place(token, file)))
    return found[1], int(found[2])


def _operand(token: Token, names: dict[str, None], file: str) -> Expression:
    text = re.sub(r"^_\s+_", "_", str(token))
    text = re.sub(r"\s+", "", text)
    trigonometric = _TRIGONOMETRIC.fullmatch(text)
    if trigonometric:
        angle = coordinate_symbol(int(trigonometric[2]) - 1)
        return sin(angle) if trigonometric[1] == "s" else cos(angle)
    coordinate = _COORDINATE.fullmatch(text)
    if coordinate:
        return coordinate_symbol(int(coordinate[2]) - 1, _ORDERS[coordinate[1]])
    name = text.removeprefix("_")
    if not name.isidentifier():
        expected = "a name, _s1, _c1, …, _x[1], _v[1] or _ap[1]"
        raise ReadError(error("", f"found {text[:40]!s}, expected {expected}", "", place(token, file)))
    names[name] = None
    return symbol(name)
