"""The printed list of tiers: each notation computes what the equations compute."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from laboratory.faults.models import everything
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.tiers.lists import TIERS
from mbconcord.model import State, System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import evaluate
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import environment, parameter_values
from mbconcord.reports.equations.languages import identifier
from mbconcord.reports.equations.listed import write_listing
from mbconcord.validation.judge.states import draw

from ...reference.konoplev import system, vector
from .test_konoplev_tiers import paper_mechanism

MODELS = {"R1": system(vector("R1")), "G1": system(vector("G1"))}


def drawn(name: str) -> tuple[System, State]:
    if name in MODELS:
        return MODELS[name], State(0.3)
    made = draw({"paper": paper_mechanism(), "everything": everything()}[name], 1, 3)
    return made.system, made.states[0]


def expected(model: System, state: State) -> dict[str, np.ndarray]:
    found = Konoplev().evaluate(model, [state]).quantities
    return {name: found[name][0] for name in ("M", "h", "gravity", "applied")}


def inputs(model: System, state: State) -> tuple[float, list[float], list[float], dict[str, float]]:
    known = environment(model, [state])[0]
    names = model.coordinate_names
    parameters = parameter_values(model, state.parameters)
    return state.t, [known[n] for n in names], [known[f"{n}'"] for n in names], parameters


def same(found: Any, theirs: np.ndarray) -> bool:
    found = np.asarray(found, dtype=float).reshape(theirs.shape)
    return bool(np.abs(found - theirs).max() <= 1e-12 * (1 + np.abs(theirs).max()))


def force(found: dict[str, np.ndarray]) -> np.ndarray:
    return found["gravity"] + found["applied"] - found["h"]


def plain(line: str) -> str:
    """A line with the names of tiers as identifiers."""
    return re.sub(r"[^\s*/()+-]+_\{[^{}]*\}(\^\{[^{}]*\})?", lambda m: identifier(TIERS.code(m[0])), line)


CASES = ("paper", "everything", "R1", "G1")


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_python(name):
    model, state = drawn(name)
    scope: dict[str, Any] = {}
    code = write_listing(Konoplev().listing(model), "python")
    exec(compile(code, "<tiers>", "exec"), scope)  # code of our own
    t, q, v, parameters = inputs(model, state)
    found = scope["quantities"](t, q, v, parameters=parameters)
    for quantity, value in expected(model, state).items():
        assert same(found[quantity], value), quantity


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("name", CASES)
def test_c(name, tmp_path):
    model, state = drawn(name)
    source, library = tmp_path / "tiers.c", tmp_path / "tiers.so"
    code = write_listing(Konoplev().listing(model), "c")
    source.write_text(code, encoding="utf-8")
    command = [
        "cc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Wno-unused-variable",
        "-Werror",
        "-O0",
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(library),
        "-lm",
    ]
    subprocess.run(command, check=True, capture_output=True)
    t, q, v, p = inputs(model, state)
    n = len(q)
    (prototype,) = re.findall(r"^void quantities\((.*)\)", code, re.MULTILINE)
    arrays = {name: np.zeros(n * n) for name in re.findall(r"(?<!const )double (\w+)\[\]", prototype)}
    pointers = [np.array(x, dtype=float) for x in (q, v, [p[x.name] for x in model.parameters])]
    call = ctypes.CDLL(str(library)).quantities
    as_pointer = [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (*pointers, *arrays.values())]
    call(ctypes.c_double(t), *as_pointer)
    for quantity, value in expected(model, state).items():
        assert same(arrays[quantity][: value.size], value), quantity


@pytest.mark.slow
@pytest.mark.parametrize("name", ("paper", "R1"))
def test_text_and_json_read_back(name):
    """Names in braces are renamed to identifiers, then every line is a formula of the grammar."""
    model, state = drawn(name)
    listing = Konoplev().listing(model)
    known = environment(model, [state])[0]
    known = {identifier(TIERS.code(key)) if "{" in key else key: value for key, value in known.items()}

    formulas = write_listing(listing, "text").partition("\n# equations\n")[0]
    lines = [line for line in formulas.splitlines() if line and not line.startswith("#")]
    found: dict[str, float] = {}
    for line in lines:
        left, _, right = line.partition(" = ")
        value = evaluate([parse_formula(plain(right))], known | found)[0]
        found[plain(left)] = value
    for i, a in enumerate(model.coordinate_names):
        assert found[f"h[{a}]"] == pytest.approx(expected(model, state)["h"][i], abs=1e-11)
    accelerations = np.linalg.solve(expected(model, state)["M"], force(expected(model, state)))
    known |= {f"{c}''": x for c, x in zip(model.coordinate_names, accelerations, strict=True)}
    tiers = {a.name: found[plain(a.name)] for a in listing.assignments}
    gaps = evaluate([each.residual for each in listing.balances], known | tiers)
    assert len(gaps) == len(accelerations) and np.abs(gaps).max() < 1e-10
    data = json.loads(json.dumps(write_listing(listing, "json")))
    assert [item["expression"] for tier in data["tiers"] for item in tier["items"]] == [
        line.partition(" = ")[2] for line in lines if "[" not in line
    ]


def test_json_says_what_a_name_belongs_to():
    data = write_listing(Konoplev().listing(paper_mechanism()), "json")
    first = data["tiers"][0]
    assert (first["object"], first["tier"]) == ("A", "I")
    assert {
        "name": "s_{3,3}^{2-5}", "body": 3, "component": 3, "row": "2-5", "expression": "-(p1 + rc3*cos(t6))",
    } in first["items"]  # fmt: skip
    assert data["quantities"]["M"][0][2] == "A_{3-6}^{1-2}"


def test_latex():
    text = write_listing(Konoplev().listing(paper_mechanism()), "latex")
    assert r"s_{3,3}^{2-5} &= -\left(p_{1} + \mathrm{rc}_{3} \, \cos t_{6}\right)" in text
    assert r"\dot{s}_{3,1}^{1-2} &= \dot{t}_{6} \, \cos t_{6}" in text
    assert r"V_{3,6}^{0,3} &= \dot{t}_{6}" in text
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}") == 11
    assert text.count(r"\ddot") == 5
    for left, right in ("{}", "()"):
        assert text.count(left) == text.count(right)


def test_identifiers():
    assert identifier(TIERS.code("s_{3,3}^{2-5}")) == "s_3_3__2_5"
    assert identifier("z1'") == "z1_dot"
    assert identifier(TIERS.code("ṡ_{3,1}^{1-2}")) == "ds_3_1__1_2"


@pytest.mark.slow
def test_code_needs_every_function():
    from dataclasses import replace

    model = everything()
    bare = replace(model, functions=tuple(replace(f, formula=None) for f in model.functions))
    with pytest.raises(MbconcordError, match="no formula for"):
        write_listing(Konoplev().listing(bare), "python")


def test_mathml_is_well_formed_and_has_every_name():
    listing = Konoplev().listing(paper_mechanism())
    found = ElementTree.fromstring(f"<div>{write_listing(listing, 'mathml')}</div>")
    lines = found.findall("math")
    assert len(lines) == len(listing.assignments) + len(listing.balances)
    dotted = sum("ṡ" in a.name for a in listing.assignments)
    assert dotted == sum(line[0].tag == "msubsup" and line[0][0].tag == "mover" for line in lines)
