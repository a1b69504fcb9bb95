"""Printed texts of linearised motions and equilibria, read back and compared with the numbers."""

from __future__ import annotations

import cmath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from math import radians
from typing import Any, Final

from ...judge.evidence import Comparison
from .judged import PRINTED

#: Relative error of a number that is printed with so many digits.
FOUR, SIX, NINE, TWELVE = 1e-3, 1e-5, 1e-8, 1e-11
#: Word for a multiplier that the rows leave open.
OPEN: Final = "not determined"
#: A cell, and what must stand in it: a word; or a number, and the relative error that its digits allow.
Cells = list[Any]


def read_linear(form: Mapping[str, Any], text: str) -> Comparison:
    """Compare the text of a linearised motion with its JSON: every mode and matrix is there, with the same numbers."""
    modes = [_mode(number, mode) for number, mode in enumerate(form["modes"], 1)]
    expected = {"mode": modes} if modes else {}
    words = [form["stability"], f"linear by {form['formalism']} at t = {form['state']['t']:g} s", *form["positions"]]
    words += ["in equilibrium"] * form["equilibrium"]
    if (many := f"matrices of {len(form['rates'])} rows") not in text:
        expected |= dict(_matrices(form))
    elif len(form["rates"]) < 2:
        words.append(f"no {many}")
    return _compare(form, text, words, expected)


def read_equilibrium(form: Mapping[str, Any], text: str) -> Comparison:
    """Compare the text of an equilibrium with its JSON."""
    rows = [[name, (q, TWELVE), (form["moved"][name], SIX)] for name, q in form["state"]["q"].items()]
    loads = [[row, OPEN if x is None or x != x else (x, NINE)] for row, x in form["multipliers"].items()]
    words = [f"{form['stability']} equilibrium by {form['formalism']}, t = {form['state']['t']:g} s"]
    words.append(f"after {form['steps']} steps")
    return _compare(form, text, words, {"coordinate": rows} | ({"row": loads} if loads else {}))


def _mode(number: int, mode: Mapping[str, Any]) -> Cells:
    s, ratio = complex(*mode["eigenvalue"]), mode["damping ratio"]
    damping = "-" if ratio is None or ratio != ratio else (ratio, SIX)
    shape = ((complex(*x), FOUR) for x in mode["shape"])
    return [str(number), mode["kind"], (mode["rad/s"], NINE), (mode["Hz"], NINE), damping, (s, SIX), *shape]


def _matrices(form: Mapping[str, Any]) -> Iterator[tuple[str, list[Cells]]]:
    """Yield M, and the nonzero parts of C, K and B, row by row."""
    for name in ("M", "damping", "gyroscopic", "stiffness", "circulatory", "B"):
        matrix = form["matrices"][name]
        if any(map(len, matrix)) and (name == "M" or any(map(any, matrix))):
            rows = zip(form["rates"], matrix, strict=True)
            yield name, [[rate, *((x, NINE) for x in row)] for rate, row in rows]


def _compare(
    form: Mapping[str, Any], text: str, words: Sequence[str], expected: Mapping[str, list[Cells]]
) -> Comparison:
    found = dict(_tables(text))
    wrong = [f"found no {word!r}" for word in words if word not in text]
    wrong += [f"found a table {name!r}, expected none" for name in found if name not in expected]
    for name, rows in expected.items():
        shown = found.get(name, [])
        if len(shown) != len(rows):
            wrong.append(f"{name}: found {len(shown)} rows, expected {len(rows)}")
        for cells, own in zip(shown, rows, strict=False):
            wrong += [
                f"{name}: found {cell!r}, expected {value if isinstance(value, str | None) else value[0]}"
                for cell, value in zip_longest(cells, own)
                if not _shows(cell, value)
            ]
    return Comparison(
        form["formalism"], "", "printed text", "disagrees" if wrong else "agrees",
        explanation="; ".join(wrong[:3]), claim=PRINTED,
    )  # fmt: skip


def _tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the heading of the first column and the rows of each table, recognized by a line of dashes below it."""
    lines = text.splitlines()
    for i, line in enumerate(lines[1:], 1):
        if line.startswith("-") and set(line) <= {"-", " "}:
            starts = [column.start() for column in re.finditer("-+", line)]
            ends = [*starts[1:], None]
            columns = [slice(*ends) for ends in zip(starts, ends, strict=True)]
            rows = ([below[column].strip() for column in columns] for below in lines[i + 1 :])
            yield lines[i - 1][columns[0]].strip(), list(takewhile(_is_row, rows))


def _is_row(cells: Sequence[str]) -> bool:
    """Return whether the last of several cells has a number."""
    return len(cells) > 1 and (cells[-1] == OPEN or _number(cells[-1]) is not None)


def _shows(cell: str | None, value: Any) -> bool:
    if cell is None or value is None or isinstance(value, str):
        return bool(cell == value)
    number, (exact, part) = _number(cell), value
    return number is not None and bool(abs(number - exact) <= part * abs(exact))


def _number(cell: str) -> complex | None:
    """Parse the number of a cell: ``2``, ``-1 ± 2i``, ``0.5∠-30°``."""
    try:
        if "±" in cell:
            real, imaginary = cell.removesuffix("i").split("±")
            return complex(float(real), float(imaginary))
        if "∠" in cell:
            size, angle = cell.removesuffix("°").split("∠")
            return cmath.rect(float(size), radians(float(angle)))
        return complex(float(cell))
    except ValueError:
        return None
