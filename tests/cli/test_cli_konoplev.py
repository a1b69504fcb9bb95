"""Konoplev on the command line: the printed tiers, the roads of joints, systems with constraints, the page."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.konoplev import count_chain_operations, counts
from mbconcord.formalisms.registry import formalism, names
from mbconcord.model.expressions import evaluate_float, symbols
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import define

from ..formalisms.konoplev.test_konoplev_print import plain
from ..reference.konoplev import vector

FIXTURES = folder("konoplev")
OPTIONS = ("--formalism", "konoplev")
TIERS = [FIXTURES / name for name in ("mechanism.mbsd", "tree.mbs.json", "gyrostat.mbs.json")] + [
    folder("mbsd") / name for name in ("springs.mbsd", "patu655_tree.mbsd")
]
QUANTITIES = ("M", "h", "gravity", "applied")


def witness(run: Any, file: Path) -> dict[str, Any]:
    """Numbers of another formalism at a drawn state."""
    found: dict[str, Any] = json.loads(run("evaluate", file, "--formalism", "lagrange", "--seed", 4, "--json")[0])
    return found


def assert_same(found: Any, expected: Any) -> None:
    a, b = (np.asarray(x, dtype=float) for x in (found, expected))
    assert np.abs(a.reshape(b.shape) - b).max() <= 1e-12 * (1 + np.abs(b).max())


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("file", TIERS, ids=lambda p: p.name)
def test_text_uses_earlier_names_only_and_gives_the_numbers_of_lagrange(run, file):
    data = witness(run, file)
    values = dict(data["parameters"]) | {"t": data["t"]}
    for i, name in enumerate(data["coordinates"]):
        values |= {name: data["q"][i], f"{name}'": data["v"][i]}
    functions, groups = read(file).system.functions, []
    text = run("derive", file, *OPTIONS)[0].replace("# not checked: equations\n", "")
    tiers = text.partition("\n")[2].split("\n\n# M\n", 1)
    for block in plain(tiers[0]).split("\n\n"):
        title, *lines = block.splitlines()
        groups.append(title.removeprefix("# ").split(":")[0].split(".")[0])
        known = dict(values)  # of earlier tiers: those of the same tier are no names for each other
        for label, formula in (line.split(" = ") for line in lines):
            node = parse_formula(formula)
            assert symbols([node]) <= set(known), label
            values[label] = evaluate_float(define([node], functions)[0], known)
    assert {"A-I", "A-III", "b-I"} <= set(groups)
    for line in plain(f"# M\n{tiers[1]}").splitlines():
        if line and not line.startswith("#"):
            label, formula = line.split(" = ")
            values[label] = evaluate_float(parse_formula(formula), values)
    order = data["coordinates"]
    assert_same([[values[f"M[{a}, {b}]"] for b in order] for a in order], data["M"])
    for quantity in QUANTITIES[1:]:
        assert_same([values[f"{quantity}[{a}]"] for a in order], data[quantity])


@pytest.mark.slow
@pytest.mark.parametrize("file", TIERS, ids=lambda p: p.name)
def test_python_runs_and_gives_the_numbers_of_lagrange(run, file):
    data, scope = witness(run, file), {"__name__": "derived"}
    code = run("derive", file, *OPTIONS, "--output", "python")[0]
    exec(compile(code, "tiers.py", "exec"), scope)
    found = scope["quantities"](
        data["t"], data["q"], data["v"], parameters={n: data["parameters"][n] for n in scope["PARAMETERS"]}
    )
    for quantity in QUANTITIES:
        assert_same(found[quantity], data[quantity])
    with pytest.raises(ValueError, match="unknown"):
        scope["quantities"](0, data["q"], data["v"], parameters={"no_such": 1})


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("file", TIERS, ids=lambda p: p.name)
def test_c_compiles_and_gives_the_numbers_of_lagrange(run, file, tmp_path):
    data = witness(run, file)
    source, library = tmp_path / "tiers.c", tmp_path / "tiers.so"
    code = run("derive", file, *OPTIONS, "--output", "c")[0]
    source.write_text(code, encoding="utf-8")
    subprocess.run(["cc", "-std=c99", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    (listed,) = (line for line in code.splitlines() if line.startswith("   p: "))
    order = [name for name in listed.removeprefix("   p: ").removesuffix(" */").split(", ") if name]
    n = len(data["q"])
    results = {name: (ctypes.c_double * (n * n if name == "M" else n))() for name in QUANTITIES}
    given = [data["q"], data["v"], [data["parameters"][name] for name in order]]
    arrays = [(ctypes.c_double * max(len(x), 1))(*x) for x in given]
    ctypes.CDLL(str(library)).quantities(ctypes.c_double(data["t"]), *arrays, *results.values())
    for quantity in QUANTITIES:
        assert_same(list(results[quantity]), data[quantity])


def test_latex_and_json_of_the_papers_mechanism(run):
    text = run("derive", TIERS[0], *OPTIONS, "--output", "latex", code=3)[0]  # which nobody reads back
    assert r"s_{3,3}^{2-5} &= -\left(" in text and text.count(r"\begin{align*}") == 11
    data = json.loads(run("derive", TIERS[0], *OPTIONS, "--output", "json")[0])
    assert [f"{t['object']}-{t['tier']}" for t in data["tiers"]] == [
        "A-I", "A-II", "A-III", "b-I", "b-II", "b-III", "b-IV", "b-V", "Q-I", "Q-II",
    ]  # fmt: skip
    assert data == json.loads(run("derive", TIERS[0], *OPTIONS, "--json")[0])


def test_asked_quantities_are_printed_alone(run):
    text = run("derive", TIERS[0], *OPTIONS, "--quantity", "M")[0]
    assert "M[s2, t6]" in text and "h[" not in text and "b_{" not in text
    assert "B~[s2, t5]" in run("derive", TIERS[0], *OPTIONS, "--quantity", "B~")[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("uvwxyz $(1) [1,2,3] g", "joint taken as one native pair"),
        ("zi > zi g", "joint split into 2 pairs with a fictitious body"),
        ("zxzi $(1) [1,2,3] g", "joint split into 3 pairs with 2 fictitious bodies"),
    ],
)
def test_info_and_report_say_which_road_a_joint_took(run, tmp_path, line, words):
    file, report = tmp_path / "model.mbsd", tmp_path / "report.html"
    file.write_text(line + "\n", encoding="utf-8")
    assert words in run("info", file)[0]
    by_name = {f["name"]: f["notes"] for f in json.loads(run("info", file, "--json")[0])["formalisms"]}
    assert list(by_name) == list(names())
    assert {name: bool(notes) for name, notes in by_name.items()} == {n: n == "konoplev" for n in names()}
    assert all(words in note for note in by_name["konoplev"])
    run("check", file, "--report", report, "--states", 1)
    assert words in report.read_text(encoding="utf-8")


def test_the_closed_four_bar_has_the_numbers_of_its_vector(run):
    expected = vector("F1")
    out, err = run("evaluate", FIXTURES / "four_bar.mbs.json", *OPTIONS, "--json")
    data = json.loads(out)
    assert np.abs(np.array(data["acceleration"]) - expected["qdd"]).max() < 1e-9
    about = data["constraints"]
    assert about["rows"] == ["pivot (x)", "pivot (y)", "pivot (z)"]
    assert (about["rank"], about["redundant"]) == (2, ["pivot (z)"])
    assert np.abs(np.array(data["lambda"][:2]) - expected["lam"]).max() < 1e-9 and data["lambda"][2] is None
    D, free = np.array(data["D"]), np.array(data["lambda"][:2])
    assert np.abs(D[:2].T @ free - data["reactions"]).max() < 1e-12
    balance = np.array(data["M"]) @ data["acceleration"] + data["h"]
    forces = np.array(data["gravity"]) + data["applied"] + data["reactions"]
    assert np.abs(balance - forces).max() < 1e-10
    assert "row pivot (z) is zero" in err and "rank is 2 of 3" in err and "violate" not in err
    text = run("evaluate", FIXTURES / "four_bar.mbs.json", *OPTIONS)[0]
    for words in ("rank 2; redundant: pivot (z)", repr(data["lambda"][0]), "reactions", "null", " in N "):
        assert words in text


@pytest.mark.parametrize(
    ("state", "found", "not_found"),
    [
        ({"q": {"q1": 0.75}}, "coordinates violate pivot (x)", "singular"),
        ({"v": {"q1": 1.4}}, "velocities violate pivot (y)", "coordinates violate"),
    ],
)
def test_inconsistent_states_name_their_rows(run, tmp_path, state, found, not_found):
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    err = run("evaluate", FIXTURES / "four_bar.mbs.json", *OPTIONS, "--state", file, "--json", code=2)[1]
    assert found in err and not_found not in err and "four_bar.mbs.json:" in err


@pytest.mark.parametrize("file", ["four_bar.mbsd", "patu655.mbsd"])
def test_constrained_fixtures_move_as_their_rows_demand(run, file):
    """D q'' + γ̃ = 0 where q' = 0: γ̃ is zero there, unless a prescribed motion moves the rows."""
    data = json.loads(run("evaluate", folder("mbsd") / file, *OPTIONS, "--json")[0])
    assert not any(data["v"])
    assert np.abs(np.array(data["D"]) @ data["acceleration"]).max() < 1e-10
    balance = np.array(data["M"]) @ data["acceleration"] + data["h"]
    forces = np.array(data["gravity"]) + data["applied"] + data["reactions"]
    assert np.abs(balance - forces).max() < 1e-9 * np.abs(forces).max()


@pytest.mark.parametrize("rest", ["", " \\ #a :(2) {3,0} < #0"], ids=["open", "closed"])
def test_a_singular_angle_is_named(run, tmp_path, rest):
    file, state = tmp_path / "gimbal.mbsd", tmp_path / "state.json"
    file.write_text(f"xyz $(1) [1,2,3] #a ; g-y{rest}\n", encoding="utf-8")
    state.write_text('{"q": {"y1": 1.5707963267948966}}', encoding="utf-8")
    err = run("evaluate", file, *OPTIONS, "--state", state, code=2)[1]
    assert "coordinate y1" in err and "singular" in err and "joint" in err


def test_formalisms_without_constraints_refuse_them(run):
    for name in names():
        takes = not formalism(name).constraint_obstacles(read(FIXTURES / "four_bar.mbs.json").system)
        run("evaluate", FIXTURES / "four_bar.mbs.json", "--formalism", name, "--json", code=0 if takes else 2)


@pytest.mark.slow
def test_the_table_of_operations_is_what_is_counted():
    page = Path(__file__).parents[1] / "laboratory" / "operations.md"
    if not page.exists():
        pytest.skip("the pages are not part of an installed package")
    table = counts(count_chain_operations)
    rows = [table.headers, ["---"] * len(table.headers), *table.rows]
    written = "\n".join(f"| {' | '.join(row)} |" for row in rows).replace(" --- ", "---")
    assert written in page.read_text(encoding="utf-8")
