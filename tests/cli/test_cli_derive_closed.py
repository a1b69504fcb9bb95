"""``mbconcord derive`` of models with constraints: what is printed in every notation gives the motion of the check."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mbconcord.cli import main
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import State, System
from mbconcord.model.derivation import Derivation
from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.model.expressions import evaluate_float, substitute, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import define, environment
from mbconcord.reports.equations import render
from mbconcord.validation.judge.closed.closed_states import closed_states

from ..formalisms.konoplev.test_konoplev_print import same
from .commands import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


FILES = {
    "crane": "mbsd/patu655.mbsd",
    "four-bar": "mbsd/four_bar.mbsd",
    "Konoplev's four-bar": "konoplev/four_bar.mbs.json",
    "nonholonomic": "native/chaplygin_sleigh.mbs.json",
    "turntable": "native/ball_on_turntable.mbs.json",
}
#: Which formalisms take which model.
TAKEN = [
    *((name, by) for name in FILES for by in ("lagrange", "newton_euler", "konoplev")),
    ("crane", "virtual_work"),
    ("four-bar", "telegin"),
    ("Konoplev's four-bar", "telegin"),
]
#: A formula's M[z1, z2]: the label of an element.
TIER = re.compile(r"[^\s*/()+=-]+_\{[^{}]*\}(\^\{[^{}]*\})?")
LABEL = re.compile(r"[^\s*+()=-]+\[[^][]*\]")


@cache
def moved(name: str) -> tuple[System, State]:
    """A model at a drawn state that satisfies its constraints."""
    found = closed_states(read(folder() / FILES[name]).system, 1, 4)
    assert found.assembly is not None
    return found.system, found.assembly.states[0]


@cache
def motion(name: str, by: str) -> ConstrainedMotion:
    """What ``check`` compares."""
    system, state = moved(name)
    found = formalism(by).constrained_motion(system, [state])
    assert found is not None
    return found


@cache
def made(name: str, by: str) -> Derivation:
    """The equations of a model."""
    return formalism(by).derive_whole(moved(name)[0])


def derived(name: str, by: str, output: str) -> Any:
    """What ``derive --quantity`` prints of everything."""
    return render(made(name, by), ["M", "h", "gravity", "applied", "D", "gamma_tilde", "equations"], output)


@cache
def listing(name: str, by: str) -> Derivation:
    """The equations as the paper prints them."""
    return formalism(by).listing(moved(name)[0])


def listed(name: str, by: str, output: str) -> Any:
    """What ``derive`` prints."""
    return render(listing(name, by), [], output)


def agrees(found: Any, expected: Any) -> bool:
    """Accelerations to 1e-12 of the largest."""
    return same(found, np.asarray(expected))


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", [derived, listed])
@pytest.mark.parametrize(("name", "by"), TAKEN)
def test_derived_text_is_the_motion_of_the_check(name: str, by: str, how: Any) -> None:
    """Formulas evaluated line by line; the printed equations hold at the accelerations and multipliers of the check."""
    system, state = moved(name)
    values: dict[str, Any] = dict(environment(system, [state])[0])
    found = motion(name, by)
    printed = how(name, by, "text")
    for coordinate, acceleration in zip(system.coordinate_names, found.acceleration[0], strict=True):
        values[f"{coordinate}''"] = acceleration
    values |= unknowns(printed, found, values)
    formulas, equations = printed.split("\n# equations\n")
    for left, right in sides(formulas):
        (whole,) = define([parse_formula(right)], system.functions)
        values[left] = evaluate_float(whole, values)
    gaps = []
    for pair in sides(equations):
        left, right = (evaluate_float(parse_formula(side), values) for side in pair)
        terms = (abs(evaluate_float(parse_formula(t), values)) for t in re.split(r" [-+] ", pair[0]))
        gaps.append((abs(left - right), max(terms)))
    assert len(gaps) == len(system.coordinates) + len(found.rows)
    assert all(gap <= 1e-11 * max(1.0, size) for gap, size in gaps), gaps
    names = system.coordinate_names
    D = [[values[plain_name(f"D[{i}, {c}]")] for c in names] for i in range(1, len(found.rows) + 1)]
    assert agrees(D, found.D[0])


def unknowns(printed: str, found: ConstrainedMotion, values: dict[str, Any]) -> dict[str, float]:
    """Values of what the legend of the equations names: multipliers by their rows, and sums of accelerations."""
    legend = dict(re.findall(r"# (\S+): (?:multiplier|reaction F_r) of (.*?)(?:, on the first .*)?\n", printed))
    listed = re.search("# multipliers: (.*)", printed)
    legend |= dict(part.split(" of ") for part in listed[1].split(", ")) if listed else {}
    multipliers = dict(zip(found.rows, np.nan_to_num(found.multipliers[0]), strict=True))  # of a zero row: any
    assert sorted(legend.values()) == sorted(multipliers)
    sums = re.findall(r"# (\S+): angular acceleration of .*: (.*)\n", printed)
    return {plain_name(name) if "{" in name else name: multipliers[row] for name, row in legend.items()} | {
        name: evaluate_float(parse_formula(formula), values) for name, formula in sums
    }


def sides(printed: str) -> Iterator[tuple[str, str]]:
    """The sides of every line that is no comment, labels and names of tiers as names that formulas have."""
    for line in printed.replace("γ̃", "gamma_tilde").splitlines():
        if line and not line.startswith("#"):
            plain = LABEL.sub(lambda m: plain_name(m[0]), TIER.sub(lambda m: plain_name(m[0]), line))
            left, right = plain.split(" = ")
            yield left, right


def plain_name(label: str) -> str:
    """A label as a name that a formula may have."""
    return "x_" + "_".join(f"{ord(c):x}" if not c.isalnum() else c for c in label)


@pytest.mark.parametrize("how", [derived, listed])
@pytest.mark.parametrize(("name", "by"), TAKEN)
def test_derived_python_solves_for_the_motion_of_the_check(name: str, by: str, how: Any) -> None:
    system, state = moved(name)
    module: dict[str, Any] = {"__name__": "derived"}
    exec(compile(how(name, by, "python"), "derived.py", "exec"), module)
    values = environment(system, [state])[0]
    q, v = ([float(values[c + mark]) for c in system.coordinate_names] for mark in ("", "'"))
    acceleration, multipliers = module["motion"](float(values["t"]), q, v, dict(state.parameters))
    found = motion(name, by)
    assert agrees(acceleration, found.acceleration[0])
    rest = module["residuals"](float(values["t"]), q, v, acceleration, multipliers, dict(state.parameters))
    forces = np.abs(found.tree.quantities["M"][0]) @ np.abs(acceleration)
    assert np.abs(rest).max() <= 1e-11 * max(1.0, forces.max())
    moved_away = module["residuals"](0.0, q, v, acceleration + 1.0, multipliers, dict(state.parameters))
    assert np.abs(moved_away).max() > 1e-3


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler on this machine")
@pytest.mark.parametrize(("name", "by"), [("crane", "lagrange"), ("four-bar", "telegin")])
def test_derived_c_has_residuals_that_vanish_in_the_motion_of_the_check(name: str, by: str, tmp_path: Path) -> None:
    system, state = moved(name)
    code = derived(name, by, "c")
    source, library = tmp_path / "derived.c", tmp_path / "derived.so"
    source.write_text(code, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    values, found = environment(system, [state])[0], motion(name, by)
    names = system.coordinate_names
    inputs = [values["t"], *(values[c] for c in names), *(values[f"{c}'"] for c in names)]
    independent = [p.name for p in system.parameters if p.value is None or p.value.constant]
    inputs += [*found.acceleration[0], *(values[p] for p in independent)]
    numbers = (ctypes.c_double * len(inputs))(*inputs)
    multipliers = (ctypes.c_double * len(found.rows))(*found.multipliers[0])
    rest = (ctypes.c_double * (len(names) + len(found.rows)))()
    ctypes.CDLL(str(library)).residuals(numbers, multipliers, rest)
    forces = np.abs(found.tree.quantities["M"][0]) @ np.abs(found.acceleration[0])
    assert np.abs(list(rest)).max() <= 1e-11 * max(1.0, forces.max())
    multipliers[0] += 1.0
    ctypes.CDLL(str(library)).residuals(numbers, multipliers, rest)
    assert np.abs(list(rest)).max() > 1e-3


@pytest.mark.parametrize(("name", "by"), TAKEN)
def test_json_reads_back_to_the_graphs_of_the_derivation(name: str, by: str) -> None:
    """With the names put back, every formula is the node that was printed."""
    system, _ = moved(name)
    derivation = made(name, by)
    data = render(derivation, [], "json")
    known: dict[Any, Any] = {}

    def whole(formula: str) -> Any:
        safe = TIER.sub(lambda m: plain_name(m[0]), formula)
        return substitute([parse_formula(safe)], known)[0]

    for stage in data["stages"]:
        for line in stage["assignments"]:
            label = line["name"]
            known[symbol(plain_name(label) if "{" in label else label)] = whole(line["expression"])
    for key in ("D", "γ̃"):
        rows, printed = derivation.native[key], data["quantities"][key]
        flat = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
        texts = [x for row in printed for x in (row if isinstance(row, list) else [row])]
        assert [whole(text) is x for text, x in zip(texts, flat, strict=True)] == [True] * len(flat)
    assert list(data["multipliers"].values()) == list(derivation.rows)
    assert [line["name"] for line in data["equations"]] == [*system.coordinate_names, *derivation.rows]


@pytest.mark.parametrize("output", ["latex", "mathml"])
def test_typeset_equations_have_every_term(output: str) -> None:
    """As many terms as the text has, in well-formed elements."""
    counted = derived("crane", "lagrange", "text").split("# equations")[1].count("''")
    found = derived("crane", "lagrange", output)
    last = found.split("equations")[-1]
    assert last.count({"latex": r"\ddot", "mathml": "<mo>¨</mo>"}[output]) == counted > 20
    assert last.count({"latex": r"\lambda", "mathml": "<mi>λ</mi>"}[output]) == 5
    if output == "mathml":
        assert len(ElementTree.fromstring(f"<div>{found}</div>").findall("math")) > 50
    else:
        assert found.count(r"\begin{align*}") == found.count(r"\end{align*}")


@pytest.mark.slow
@pytest.mark.parametrize("output", ["text", "latex", "mathml", "python", "c", "json"])
def test_derive_takes_the_crane_in_every_notation(run: Run, output: str) -> None:
    done = run("derive", str(folder() / FILES["crane"]), "--formalism", "lagrange", "--output", output)
    assert done.code == 0 and ("residuals" if output in ("python", "c") else "equations") in done.out


def test_an_unconstrained_model_has_its_equations_on_request(run: Run) -> None:
    done = run("derive", "two.mbsd", "--formalism", "lagrange", "--quantity", "equations")
    first = next(line for line in done.out.splitlines() if not line.startswith("#"))
    assert first == "M[z1, z1]*z1'' + M[z1, z2]*z2'' + h[z1] = gravity[z1]"
    assert "lambda" not in done.out.partition("\n")[2]
    code = run("derive", "two.mbsd", "--formalism", "lagrange", "--quantity", "equations", "--output", "python").out
    module: dict[str, Any] = {"__name__": "derived"}
    exec(compile(code, "derived.py", "exec"), module)
    a = module["motion"](0.0, [0.3, 0.4], [1.0, -2.0])
    assert np.abs(module["residuals"](0.0, [0.3, 0.4], [1.0, -2.0], a)).max() < 1e-12
    assert np.abs(module["residuals"](0.0, [0.3, 0.4], [1.0, -2.0], a + 1)).max() > 0.1


REFUSED = {
    "flexible": "inextensible rods between two points (--formalism lagrange or newton_euler or virtual_work",
    "telegin": "only coinciding points and cut joints close a planar linkage",
    "static_moments": "static_moments does not take inextensible rods",
}


@pytest.mark.parametrize("by", REFUSED)
def test_who_takes_no_rods_says_so_and_who_does(by: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", str(folder() / FILES["crane"]), "--formalism", by]) == 2
    said = capsys.readouterr()
    assert REFUSED[by] in said.err and "patu655.mbsd:6" in said.err and not said.out
