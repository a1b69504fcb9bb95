"""Printed texts of runs, linearised motions and equilibria, read back and compared with the numbers."""

from __future__ import annotations

import cmath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from math import isfinite, radians
from typing import Any, Final

import numpy as np

from mbconcord.model.system import System
from mbconcord.simulation.motion.trajectory import Trajectory

from ..judge.evidence import Comparison, Verdict

#: Claim of comparisons of printed numbers: one that is not checked is a note.
PRINTED: Final = "printed"
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


def read_run(system: System, run: Trajectory, text: str) -> Comparison:
    """Compare the text of a run with its rows: each printed time, the ends, the largest gaps and balance, units."""
    words = [f"{system.name}: {run.reached:.9g} s by {run.formalism}, {run.method}"]
    balance, gap, rate_gap = (
        max((abs(getattr(row, x)) for row in run.found), default=0.0) for x in ("balance", "gap", "rate_gap")
    )
    if gap or rate_gap:
        words.append(f"constraints closed to: positions {gap:.1e}, rates {rate_gap:.1e}")
    if run.found and balance == balance:
        size = max(abs(row.kinetic) + abs(row.potential) for row in run.found)
        words.append(f"balance to {balance:.1e} J of {size:.3g} J")
    shown, ends = dict(_tables(text)).get("t", []), (0, len(run.found) - 1)
    expected = {"t": [_closest(run, cells) for cells in shown] or [_row(run, 0)]} if run.found else {}
    for end, row in zip((0, -1), ends, strict=True) if expected else ():
        expected["t"][end] = _row(run, row)
    return _compare({"formalism": run.formalism}, text, [*words, *_units(system, text)], expected)


def read_columns(run: Trajectory, columns: Mapping[str, Sequence[Any]]) -> Comparison:
    """Compare the columns of the table of a run with its rows, number by number; those of forces have witnesses."""
    own: dict[str, list[Any]] = {"t": [row.t for row in run.found], "event": [row.event for row in run.found]}
    for j, name in enumerate(run.coordinates):
        for sign, order in (("", "q"), ("'", "v"), ("''", "a")):
            own[name + sign] = [getattr(row, order)[j] for row in run.found]
    for j, name in enumerate(run.rows):
        own[f"lambda[{name}]"] = [row.multipliers[j] for row in run.found]
    own |= {f"effort[{name}]": [*x] for name, x in run.actuated.items()}
    own |= {x: [getattr(row, x) for row in run.found] for x in ("kinetic", "potential", "work", "power", "balance")}
    own |= {"position error": [row.gap for row in run.found], "rate error": [row.rate_gap for row in run.found]}
    names = [*own, *run.forces, *run.quantities]
    wrong = [f"found no column {name!r}" for name in names if name not in columns]
    wrong += [f"found a column {name!r}, expected none" for name in columns if name not in names]
    for name in own.keys() & columns.keys():
        x, y = (list(map(str, side)) for side in (columns[name], own[name]))
        wrong += [f"column {name}: found {a}, expected {b}" for a, b in zip_longest(x, y) if a != b][:1]
    return _conclude(run.formalism, "columns of the table", wrong)


def _row(run: Trajectory, i: int) -> Cells:
    row = run.found[i]
    efforts = [x[i] for x in run.actuated.values()] or [row.multipliers[k] for k in run.efforts.values()]
    numbers = (row.t, *row.q.tolist(), *efforts, row.kinetic + row.potential)
    return [*((float(x), SIX) if isfinite(x) else f"{x:.6g}" for x in numbers), row.event]


def _closest(run: Trajectory, cells: Sequence[str]) -> Cells:
    """Return the row nearest to a printed time; of rows within its digits the one that most of the cells show."""
    off = np.abs(run.t - (_number(cells[0]) or 0.0))
    near = np.flatnonzero(off <= SIX * np.abs(run.t)).tolist() or [int(off.argmin())]
    return min((_row(run, i) for i in near), key=lambda row: sum(not _shows(*x) for x in zip_longest(cells, row)))


def _units(system: System, text: str) -> Iterator[str]:
    """Yield words that a line of units misses: m along, rad about an axis; m of elastic modes."""
    turned = {et.coordinate for body in system.bodies for et in body.joint if not et.is_translation}
    (line,) = [x for x in text.splitlines() if x.endswith("energy in J")] or [""]
    said = {name: unit for part in line.split("; ") for names, _, unit in [part.rpartition(" in ")]
            for name in names.split(", ")}  # fmt: skip
    for name in system.coordinate_names:
        unit = "rad" if name in turned else "m"
        if said.get(name) != unit:
            yield f"{name} in {unit}"


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
    return _conclude(form["formalism"], "printed text", wrong)


def _conclude(by: str, quantity: str, wrong: Sequence[str]) -> Comparison:
    verdict: Verdict = "disagrees" if wrong else "agrees"
    return Comparison(by, "", quantity, verdict, explanation="; ".join(wrong[:3]), claim=PRINTED)


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
    """Return whether the last of several cells has a number, or the first."""
    return len(cells) > 1 and (cells[-1] == OPEN or any(_number(cells[i]) is not None for i in (0, -1)))


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
