"""Printed texts of commands and their JSON, read back and compared with the numbers that were judged."""

from __future__ import annotations

import cmath
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile, zip_longest
from math import isclose, isfinite, radians
from statistics import mean, quantiles
from typing import Any, Final
from xml.etree import ElementTree

import numpy as np

from mbconcord.model.evaluation import Array
from mbconcord.model.system import System
from mbconcord.simulation.motion.trajectory import LOST, NOTHING, Trajectory

from ..judge.evidence import Comparison, Verdict

#: Claim of comparisons of printed numbers: one that is not checked is a note.
PRINTED: Final = "printed"
#: Relative error of a number printed with that many digits; an angle printed beside four may be off by 0.05°.
FOUR, SIX, NINE, TWELVE = 1.01e-3, 1e-5, 1e-8, 1e-11
#: Printed words for a multiplier that the constraint rows do not determine, and for a missing number.
OPEN, NULL = "not determined", "null"
#: Points of a picture by which a line may be off; coordinates of many motions that have panels, at most.
DRAWN, MOST = 0.05, 24
#: What is printed of each coordinate of many motions at their end.
ENDS: Final = ("least", "mean", "largest")
#: Keys of JSON whose numbers are not quantities of the model: those of comparisons and of left-out parts.
BESIDE: Final = {"witnesses", "comparisons", "left_out", "omissions", "where_reached", "passed_at"}
#: Expected cells of a row, each a word; a number printed with all its digits; or a pair of a number and the relative
#: error that its digits allow.
Cells = Sequence[Any]
#: Shares of energy are printed only if coordinates and bodies together are no more than this.
SHARED: Final = 8
#: Headings and rows.
PrintedRows = Sequence[Cells]


def read_tables(by: str, text: str, expected: Sequence[PrintedRows], words: Sequence[str] = ()) -> Comparison:
    """Compare the tables of a text with the expected headings, rows and cells, in order; and look for ``words`` in it.

    In a table without a first heading, each column is read as a table of its own.
    """
    found = list(_tables(text))
    wrong = [f"found no {word!r}" for word in words if word not in text]
    for shown, rows in zip_longest(found, expected, fillvalue=()):
        name = next(filter(None, (shown or rows)[0]), "")
        if len(shown) != len(rows):
            wrong.append(f"{name}: found a table of {len(shown)} lines, expected {len(rows)}")
        for cells, own in zip(shown, rows, strict=False):
            wrong += [
                f"{name}: found {cell!r}, expected {value[0] if isinstance(value, tuple) else value}"
                for cell, value in zip_longest(cells, own)
                if not _shows(cell, value)
            ]
    return conclude(by, "printed text", wrong)


def read_words(by: str, text: str, words: Iterable[str]) -> Comparison:
    """Compare a text with words that it must contain."""
    return conclude(by, "printed text", [f"found no {word[:99]!r}" for word in words if word not in text])


def read_json(by: str, text: str, expected: Mapping[str, Any]) -> Comparison:
    """Compare a JSON text with the expected values at their keys; a number at any other key is an error."""
    found, own = dict(_leaves(json.loads(text))), dict(_leaves(expected))
    wrong = [f"{x}: found {found.get(x, 'nothing')}, expected {own[x]}" for x in own if found.get(x, x) != own[x]]
    wrong += [f"{x}: found {y}, expected nothing" for x, y in found.items() if isinstance(y, float) and x not in own]
    return conclude(by, "printed JSON", wrong)


def read_head(by: str, asked: Mapping[str, Any], told: Mapping[str, Any]) -> Comparison:
    """Compare the settings in a table's head with those that the user chose; ``:form`` of a formalism is ignored."""
    asked = {**asked, "formalism": (asked["formalism"] or "").partition(":")[0] or None}
    wrong = [
        f"{name} is {told[name]}, asked for {x}" for name, x in asked.items()
        if x is not None and not (isclose(told[name], x) if isinstance(x, float) else told[name] == x)
    ]  # fmt: skip
    return conclude(by, "head", wrong)


def read_linear(form: Mapping[str, Any], text: str) -> Comparison:
    """Compare the text of a linearised motion with its JSON: both have the same modes, matrices and numbers."""
    modes = [_mode(number, mode) for number, mode in enumerate(form["modes"], 1)]
    heads = ("mode", "kind", "rad/s", "Hz", "damping", "1/s", "e-fold s", *form["coordinates"])
    shown = form["kind"] not in ("neither", "periodic")
    expected: list[PrintedRows] = [[heads, *modes]] if modes and shown else []
    if expected and form["bodies"] and len(form["coordinates"]) + len(form["bodies"]) <= SHARED:
        lines = ([x for of in ("coordinates", "bodies") for x in mode[f"shares of {of}"]] for mode in form["modes"])
        shares = [(str(k), *("-" if x != x else (x, FOUR) for x in line)) for k, line in enumerate(lines, 1)]
        expected.append([("share of energy", *form["coordinates"], *form["bodies"]), *shares])
    words = [f"{form['system']}: linear by {form['formalism']} at t = {form['state']['t']:g} s"]
    words += [form["stability"], *form["positions"]]
    words += ["in equilibrium"] * (form["kind"] == "equilibrium")
    if neutral := form.get("neutral"):
        words += [*neutral["symmetry"], *neutral["along"], f"; {neutral['family']} famil"]
        words += [f"in steady motion ({form['generator']})"] * (form["kind"] == "steady")
    if form["kind"] == "periodic":
        words.append(f"in periodic motion ({form['periodic']['period']:.9g} s)")
        rows = [((x, NINE), (y, NINE), (abs(complex(x, y)), NINE)) for x, y in form["periodic"]["multipliers"]]
        expected.append([("multiplier", "imaginary", "size"), *rows])
    if not shown:
        return read_tables(form["formalism"], text, expected, words)
    if (many := f"matrices of {len(form['rates'])} rows") not in text:
        expected += _matrices(form)
    elif len(form["rates"]) < 2:
        words.append(f"no {many}")
    if space := form.get("outputs"):
        heads = ("output", *form["states"], *form["inputs"])
        expected.append([heads, *((y, *((x, NINE) for x in (*row["C"], *row["D"]))) for y, row in space.items())])
    return read_tables(form["formalism"], text, expected, words)


#: Stability of an equilibrium that is no verdict -> its first words on the screen.
UNDECIDED: Final = {"undecided": "stable in the linear equations alone", "not judged": "its stability not judged"}


def read_equilibrium(form: Mapping[str, Any], text: str) -> Comparison:
    """Compare the text of an equilibrium with its JSON."""
    rows = [(name, (q, TWELVE), (form["moved"][name], SIX)) for name, q in form["state"]["q"].items()]
    loads = [(row, OPEN if x is None or x != x else (x, NINE)) for row, x in form["multipliers"].items()]
    words, by = [], f"by {form['formalism']}, t = {form['state']['t']:g} s"
    if said := UNDECIDED.get(form["stability"]):
        words += [f"{form['system']}: equilibrium, {said}", by]
    else:
        words.append(f"{form['system']}: {form['stability']} equilibrium {by}")
    words.append(f"after {form['steps']:,} step{'s' * (form['steps'] != 1)}")
    expected: list[PrintedRows] = [[("coordinate", "position", "moved by"), *rows]]
    return read_tables(form["formalism"], text, expected + ([[("row", "lambda"), *loads]] if loads else []), words)


def read_steady(form: Mapping[str, Any], text: str) -> Comparison:
    """Compare the text of a steady motion with its JSON."""
    rows = [(name, (q, TWELVE), (form["state"]["v"][name], TWELVE)) for name, q in form["state"]["q"].items()]
    words = [f"{form['system']}: steady motion by {form['formalism']}, t = {form['state']['t']:g} s"]
    words += [form["generator"], f"after {form['steps']:,} step{'s' * (form['steps'] != 1)}"]
    return read_tables(form["formalism"], text, [[("coordinate", "position", "rate"), *rows]], words)


def read_locus(form: Mapping[str, Any], text: str) -> Comparison:
    """Compare the text of a sweep of eigenvalues with its JSON: each row's rightmost eigenvalue, and the crossings."""
    rows: list[tuple[Any, ...]] = []
    for row in form["rows"]:
        zeros = row["family"] or 0
        own = sorted((complex(*x) for x in row["eigenvalues"]), key=lambda s: (s.real, abs(s.imag)), reverse=True)
        for _ in range(zeros):
            own.remove(0j)
        first = own[0] if own else 0j
        counts = (str(row["growing"]), str(row["family"]), (first.real, NINE), (abs(first.imag), NINE))
        rows.append(((row["value"], NINE), *(["-"] * 4 if row["problem"] else counts)))
    expected: list[PrintedRows] = [[(form["name"], "growing", "families", "largest 1/s", "its rad/s"), *rows]]
    crossed = [
        (x["kind"], (x["value"], TWELVE), (x["eigenvalue"][1], NINE), f"{x['change']:+d}" if x["change"] else "0")
        for x in form["crossings"]
    ]
    expected += [[("crossing", form["name"], "rad/s", "growing"), *crossed]] if crossed else []
    words = [f"{form['system']}: eigenvalues over {form['name']} by {form['formalism']}"]
    return read_tables(form["formalism"], text, expected, [*words, *([] if crossed else ["no crossing was found"])])


def read_run_json(run: Trajectory, text: str) -> Comparison:
    """Compare the JSON of a run with its rows: the columns of the table, the end, the largest gaps and balance."""
    largest = {"position_error": "gap", "rate_error": "rate_gap", "balance": "balance"}
    numbers = {name: max((abs(getattr(row, x)) for row in run.found), default=0.0) for name, x in largest.items()}
    own = {name: getattr(run, name) for name in ("tolerance", "reached", "evaluations", "seconds")}
    return read_json(run.formalism, text, {**own, **numbers, "rows": len(run.found), "columns": list_columns(run)})


def read_run(system: System, run: Trajectory, text: str) -> Comparison:
    """Compare the text of a run with its rows: each printed time, the ends, the largest gaps and balance, units."""
    how = f", tolerance {run.tolerance:g}" if run.tolerance else ""
    words = [f"{system.name}: {run.reached:.9g} s by {run.formalism}, {run.method}{how}; {run.evaluations:,} eval"]
    balance, gap, rate_gap = (
        max((abs(getattr(row, x)) for row in run.found), default=0.0) for x in ("balance", "gap", "rate_gap")
    )
    if gap or rate_gap:
        words.append(f"constraints closed to: positions {gap:.1e}, rates {rate_gap:.1e}")
    if run.found and balance == balance:
        size = max(abs(row.kinetic) + abs(row.potential) for row in run.found)
        words.append(f"balance to {balance:.1e} J of {size:.3g} J")
    if any(row.loads for row in run.found):
        room = NOTHING * max(abs(row.kinetic) + abs(row.potential) for row in run.found)
        lost = run.found[-1].lost
        words.append(f"{LOST}: {lost:.6g} J" if abs(lost) > room else f"{LOST}: 0 J, to {room:.0e} J")
    heads = ("t", *run.coordinates, *(f"effort {name}" for name in run.actuated or run.efforts), "energy", "event")
    (_, *shown), *_ = [*_tables(text), [()]]
    rows = [_closest(run, cells) for cells in shown] or [_row(run, 0)] if run.found else []
    for end in (0, -1) if rows else ():
        rows[end] = _row(run, end)
    return read_tables(run.formalism, text, [[heads, *rows]], [*words, _write_units(system)])


def read_columns(run: Trajectory, columns: Mapping[str, Sequence[Any]]) -> Comparison:
    """Compare the columns of the table of a run with its rows, number by number; other witnesses judge forces."""
    own = list_columns(run)
    wrong = [f"found no column {name!r}" for name in own if name not in columns]
    wrong += [f"found a column {name!r}, expected none" for name in columns if name not in own]
    for name in own.keys() & columns.keys():
        x, y = (list(map(str, side)) for side in (columns[name], own[name]))
        wrong += [f"column {name}: found {a}, expected {b}" for a, b in zip_longest(x, y) if a != b][:1]
    return conclude(run.formalism, "columns of the table", wrong)


def read_many(
    by: str, motions: Mapping[str, Array], ends: Mapping[str, Sequence[float]], columns: Mapping[str, Sequence[float]],
) -> Comparison:  # fmt: skip
    """Compare quartiles in three rows, and numbers at the end, of many motions (k, n) with exact ones by sorting."""
    wrong = []
    for name, values in motions.items():
        for row in (0, len(values) // 2, -1):
            if x := sorted(Fraction(y) for y in values[row].tolist() if isfinite(y)):
                own = [x[0], *quantiles(x if len(x) > 1 else 2 * x, n=4, method="inclusive"), x[-1]]
                found = [columns[f"{name} {label}"][row] for label in ("min", "25 %", "median", "75 %", "max")]
                if row == -1:
                    own, found = [*own, x[0], mean(x), x[-1]], [*found, *ends[name]]
                wrong += [
                    f"{name} in row {row}: found {y}, expected {float(z)}" for y, z in zip(found, own, strict=True)
                    if not isclose(y, z, rel_tol=1e-9, abs_tol=1e-12 * max(-x[0], x[-1]))
                ]  # fmt: skip
    return conclude(by, "columns of the table", wrong)


def read_draw(
    told: Mapping[str, Any], text: str, asked: Mapping[str, Any], about: Mapping[str, float], begun: Mapping[str, Array]
) -> Comparison:
    """Compare the head of many motions with the texts of their options, and their starts with those of its seed.

    ``told`` and ``text`` are the head in JSON and as printed; ``asked`` are the options by name, and the model's name;
    ``begun`` are the starts (n,) of what was drawn, ``about`` its values before.
    """
    given, spread, n = told["given"], dict[str, float](), len(next(iter(begun.values())))
    for part in asked["spread"].split(","):
        name, _, size = (x.strip() for x in part.replace("±", "").partition("="))
        of = abs(about[name]) / 100 if size.endswith("%") else 1.0
        spread[name] = float(Fraction(size.removesuffix("%").strip())) * of
    own = {"system": asked["system"], "formalism": asked["formalism"], "count": asked["ensemble"], "motions": n}
    own |= {x: float(Fraction(asked[x])) for x in ("until", "step")} | {f"spread of {x}": y for x, y in spread.items()}
    facts = {**told, **given, **{f"spread of {x}": y for x, y in given["spread"].items()}, "motions": told["count"]}
    wrong = [read.explanation] if (read := read_head(told["formalism"], own, facts)).explanation else []
    dice = np.random.Generator(np.random.PCG64(told["seed"]))
    for name, width in spread.items():
        drawn = about[name] + width * dice.uniform(-1, 1, n)
        off = np.abs(drawn - begun[name]) > NINE * np.maximum(1.0, np.abs(drawn))
        wrong += [f"{name} begins elsewhere than seed {told['seed']} draws"] if off.any() else []
    words = [f"{own['system']}: {n:,} motion{'s' * (n != 1)} to {own['until']:.9g} s by {told['formalism']}, steps of "]
    words += [f"steps of {own['step']:.9g} s, {told['backend']}", *["; no witness"] * asked["no_witness"]]
    words.append(f"drawn evenly by seed {told['seed']}: {', '.join(f'{x} ±{y:.6g}' for x, y in spread.items())}")
    return conclude(told["formalism"], "head", wrong + [f"found no {x!r}" for x in words if x not in text])


def read_fan(by: str, svg: str, system: System, t: Array, motions: Mapping[str, Array]) -> Comparison:
    """Compare the bands and lines of a picture, read by the numbers at its axes, with quartiles of motions (k, n)."""
    modal, shown, wrong = {x for body in system.bodies for x in body.modal}, list[str](), list[str]()
    for panel in (x for x in ElementTree.fromstring(svg).iter() if x.get("id", "").startswith("axes_")):
        labels = [_text(x).rpartition(", ") for x in panel.iter() if x.tag.endswith("}text")]
        name, _, unit = next((x for x in labels if x[0] in motions), ("", "", ""))
        scales = [_read_scale(panel, kind) for kind in "xy"]
        shown.append(name)
        if not name or not all(scales):
            wrong.append(f"found no numbers at the axes of {name or 'a panel'}")
            continue
        of, per = name.removesuffix("'"), "/s" * name.endswith("'")
        own = f"{'rad' if of in system.angles else 'm'}{per}" if of in {*system.kinds, *modal} else f"-{per}"
        wrong += [f"found {name} in {unit}, expected {own}"] if unit != own else []
        parts = [[_find_part(row, k / 4) for row in np.sort(motions[name], axis=1)] for k in range(5)]
        low, first, median, third, high = ([(x, y) for x, y in zip(t, part, strict=True) if y == y] for part in parts)
        for what, expected in (("all", low + high[::-1]), ("middle", first + third[::-1]), ("median", median)):
            expected = expected[: -1 if what != "median" and expected and expected[0] == expected[-1] else None]
            groups = (x for x in panel.iter() if re.fullmatch(rf"fan-\d+-{what}", x.get("id", "")))
            drawn = re.findall(r"[ML] (\S+) (\S+)", "".join(x.get("d", "") for group in groups for x in group.iter()))
            off = [
                abs(at + value * size - float(x)) for point, places in zip(expected, drawn, strict=False)
                for value, x, (at, size) in zip(point, places, filter(None, scales), strict=True)
            ]  # fmt: skip
            if len(drawn) != len(expected) or not max(off, default=0.0) <= DRAWN:
                wrong.append(f"{what} of {name}: found another line than that of its numbers")
    names = {name.removesuffix("'") for name in shown}
    if sorted(shown) != sorted(x + dot for x in names for dot in ("", "'")) or len(names) != min(
        MOST, len(motions) // 2
    ):
        wrong.insert(0, f"found panels of {', '.join(shown)}, expected a position and a rate of each coordinate")
    return conclude(by, "picture of quartiles", wrong)


def _find_part(row: Array, part: float) -> float:
    """Return the value below which a part of sorted numbers is; NaN are last, and do not count."""
    i, rest = divmod(part * (int(np.isfinite(row).sum()) - 1), 1)
    return float(row[int(i)] + (rest * (row[int(i) + 1] - row[int(i)]) if rest else 0.0)) if i >= 0 else np.nan


def _text(of: ElementTree.Element) -> str:
    return (of.text or "").replace("\u2212", "-")


def _read_scale(panel: ElementTree.Element, kind: str) -> tuple[float, float] | None:
    """Return place of zero and length of one along an axis of a picture by its marks; None if these are not even."""
    ticks, marks = [x for x in panel.iter() if x.get("id", "").startswith(f"{kind}tick_")], list[tuple[float, float]]()
    for tick in ticks:
        parts = {x.tag.rpartition("}")[2]: x for x in tick.iter()}
        marks.append((float(_text(parts["text"])), float(parts["use"].get(kind, "nan"))))
    axis = next((x for x in panel if ticks and ticks[0] in x), panel)
    powers = [float(_text(x)) for x in axis.iter() if re.fullmatch(r"1e-?\d+", _text(x))]
    marks = [(value * (powers or [1.0])[0], place) for value, place in marks]
    if len(marks) < 2 or marks[0][0] == marks[-1][0]:
        return None
    size = (marks[-1][1] - marks[0][1]) / (marks[-1][0] - marks[0][0])
    at = marks[0][1] - size * marks[0][0]
    return (at, size) if all(abs(at + size * value - place) <= DRAWN for value, place in marks) else None


def list_columns(run: Trajectory) -> dict[str, list[Any]]:
    """Return the expected columns of the table of a run by name, from the run's rows."""
    own: dict[str, list[Any]] = {"t": [row.t for row in run.found], "event": [row.event for row in run.found]}
    for j, name in enumerate(run.coordinates):
        for sign, order in (("", "q"), ("'", "v"), ("''", "a")):
            own[name + sign] = [getattr(row, order)[j] for row in run.found]
    for j, name in enumerate(run.rows):
        own[f"lambda[{name}]"] = [row.multipliers[j] for row in run.found]
    own |= {f"effort[{name}]": [*x] for name, x in run.actuated.items()}
    for j, name in enumerate(run.normal_forces):
        own[f"normal_force({name})"] = [row.normal_forces[j] if row.normal_forces else np.nan for row in run.found]
    own |= {x: [getattr(row, x) for row in run.found] for x in ("kinetic", "potential", "work", "power", "balance")}
    own |= {"position error": [row.gap for row in run.found], "rate error": [row.rate_gap for row in run.found]}
    own |= {LOST: [row.lost for row in run.found]} if any(row.loads for row in run.found) else {}
    return own | {name: x.tolist() for name, x in (*run.forces.items(), *run.quantities.items())}


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield paths and scalars of JSON; NaN and infinity become None, and an array without numbers a single None."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in BESIDE or isinstance(inner, float):
                yield from _leaves(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        found = [pair for i, x in enumerate(value) for pair in _leaves(x, f"{path}[{i}]")]
        empty = bool(found) and all(x is None for _, x in found)
        yield from [(path, None)] if empty else found
    elif isinstance(value, float | int) and not isinstance(value, bool):
        yield path, float(value) if isfinite(value) else None
    else:
        yield path, value


def _row(run: Trajectory, i: int) -> Cells:
    row = run.found[i]
    efforts = [x[i] for x in run.actuated.values()] or [row.multipliers[k] for k in run.efforts.values()]
    numbers = (row.t, *row.q.tolist(), *efforts, row.kinetic + row.potential)
    return [*((float(x), SIX) if isfinite(x) else f"{x:.6g}" for x in numbers), row.event]


def _closest(run: Trajectory, cells: Sequence[str]) -> Cells:
    """Return the row nearest to a printed time; if its digits fit several rows, the one that most cells match."""
    off = np.abs(run.t - (_number(cells[0]) or 0.0))
    near = np.flatnonzero(off <= SIX * np.abs(run.t)).tolist() or [int(off.argmin())]
    return min((_row(run, i) for i in near), key=lambda row: sum(not _shows(*x) for x in zip_longest(cells, row)))


def _write_units(system: System) -> str:
    """Return the start of the line of units: rad for angles, m for shifts and for amplitudes of elastic modes."""
    turned = system.angles
    names: dict[str, list[str]] = {}
    for name in system.coordinate_names:
        names.setdefault("rad" if name in turned else "m", []).append(name)
    return "\n" + "; ".join([*(f"{', '.join(own)} in {unit}" for unit, own in names.items()), "t in s"])


def _mode(number: int, mode: Mapping[str, Any]) -> Cells:
    s, ratio = complex(*mode["eigenvalue"]), mode["damping ratio"]
    damping = "-" if ratio is None or ratio != ratio else (ratio, SIX)
    shape, time = ((complex(*x), FOUR) for x in mode["shape"]), mode["e-folding time"]
    taken = "-" if time is None or time != time else (time, SIX)
    return [str(number), mode["kind"], (mode["rad/s"], NINE), (mode["Hz"], NINE), damping, (s, SIX), taken, *shape]


def _matrices(form: Mapping[str, Any]) -> Iterator[PrintedRows]:
    """Yield the expected tables of M, of nonzero parts of C and K, of B, and of A_rel, as in the JSON."""
    for name in ("M", "damping", "gyroscopic", "stiffness", "circulatory", "B"):
        matrix = form["matrices"][name]
        if any(map(len, matrix)) and (name == "M" or any(map(any, matrix))):
            rows = zip(form["rates"], matrix, strict=True)
            of = {"B": form["inputs"], "M": form["rates"], "damping": form["rates"], "gyroscopic": form["rates"]}
            heads = (name, *of.get(name, form["positions"]))
            yield [heads, *([rate, *((x, NINE) for x in row)] for rate, row in rows)]
    if "A_rel" in form["matrices"]:
        rows = zip(form["states"], form["matrices"]["A_rel"], strict=True)
        yield [("A_rel", *form["states"]), *([name, *((x, NINE) for x in row)] for name, row in rows)]


def conclude(by: str, quantity: str, wrong: Sequence[str]) -> Comparison:
    """Return the comparison of a printed text, which disagrees if there are errors (``wrong``); it names three."""
    verdict: Verdict = "disagrees" if wrong else "agrees"
    return Comparison(by, "", quantity, verdict, explanation="; ".join(wrong[:3]), claim=PRINTED)


def _tables(text: str) -> Iterator[list[list[str]]]:
    """Yield the headings and rows of each table, recognized by the line of dashes below its headings."""
    lines = text.splitlines()
    for i, line in enumerate(lines[1:], 1):
        if "-" in line and set(line) <= {"-", " "}:
            starts = [*([0] if line[0] == " " else []), *(column.start() for column in re.finditer("-+", line))]
            columns = [slice(*ends) for ends in zip(starts, [*starts[1:], None], strict=True)]
            padded = (x.ljust(starts[-1]) for x in (lines[i - 1], *lines[i + 1 :]))
            heads, *below = [[x[column] for column in columns] for x in padded]
            shown = [[cell.strip() for cell in cells] for cells in (heads, *takewhile(_is_row, below))]
            if shown[0][0]:
                yield shown
            else:
                yield from ([[row[0], row[k]] for row in shown] for k in range(1, len(columns)))


def _is_row(cells: Sequence[str]) -> bool:
    """Return True if cells end with two blanks or are empty, and one holds a number, ``null`` or ``not determined``."""
    apart = all(not cell.strip() or cell.endswith("  ") for cell in cells[:-1])
    return apart and any(x.strip() in (OPEN, NULL) or _number(x) is not None for x in cells)


def _shows(cell: str | None, value: Any) -> bool:
    if isinstance(value, float | int):
        value = NULL if value != value else (value, 0.0)
    if cell is None or value is None:
        return False
    if isinstance(value, str):  # of a name the blanks around it do not show, and the ends of its lines as signs
        return cell == "\\n".join(value.splitlines()).strip()
    number, (exact, part) = _number(cell), value
    return number is not None and (number == exact or bool(abs(number - exact) <= part * abs(exact)))


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
