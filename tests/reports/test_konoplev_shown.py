"""What users see of Konoplev beside his equations: roads, loads of tiers, counts, subsystems, an impossible medium."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.konoplev import Konoplev, chain, count_chain_operations, counts, in_words, revolute_chain
from mbconcord.formalisms.registry import formalism
from mbconcord.model import State
from mbconcord.reports import render, text
from mbconcord.reports.part import appendices, collect_sections
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Evidence

MECHANISM = folder("konoplev") / "mechanism.mbsd"
TREE = folder("konoplev") / "tree.mbs.json"
ROADS = {
    "uvwxyz $(1) [1,2,3] g": "bodies/body1: joint taken as one native pair",
    "zi > zi g": "bodies body1, body2: joint split into 2 pairs with a fictitious body",
}


def evidence(line: str, *names: str) -> Evidence:
    return check(read_text(f"{line}\n", "model.mbsd").system, "model.mbsd", names or None, states=1)


# --- roads ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("line", ROADS)
def test_every_report_says_which_road_a_joint_took(line: str) -> None:
    found, words = evidence(line), ROADS[line]
    assert f"how it is taken:\n    konoplev: {words}" in text.one_file(found, detail=1)
    assert f"* how it is taken: konoplev: {words}" in render([found], "r.md")
    assert words in render([found], "r.html")


@pytest.mark.slow
def test_without_konoplev_nothing_is_said_of_him() -> None:
    found = evidence("zi > zi g", "lagrange", "newton_euler")
    for page in (text.one_file(found), render([found], "r.md"), render([found], "r.html")):
        assert "taken" not in page and "konoplev" not in page
    assert collect_sections(found) == [] and not any(said for _, said in appendices(found))


# --- item 4: tiers ----------------------------------------------------------------------------------

#: Tiers of the paper's mechanism, counted by hand: items, operations of each by itself, longest chain in an item.
#: As A_{2-5}^{2-5} is a sum of three products and z_{2,5}^{2-5}: 6 operations, 4 of them one after the other.
LOADS = {"A-II": (9, 6, 1), "A-III": (4, 13, 4), "b-I": (8, 7, 2), "b-III": (3, 10, 3)}


def test_derive_prints_the_load_of_every_tier(run: Any) -> None:
    out = run("derive", MECHANISM, "--formalism", "konoplev")[0]
    _, table = out.split("# work of the tiers\n")
    rows = {
        cells[1]: cells[2:] for cells in map(str.split, table.splitlines()) if len(cells) == 6 and "--" not in cells[1]
    }
    for tier, (items, operations, path) in LOADS.items():
        assert rows[tier] == [str(items), str(operations), str(path), f"{operations / path:.3g}"]
    assert list(rows)[-1] == "all"
    for column in range(3):
        assert int(rows["all"][column]) == sum(int(r[column]) for tier, r in rows.items() if tier != "all")


def test_json_has_the_load_beside_the_items(run: Any) -> None:
    data = json.loads(run("derive", MECHANISM, "--formalism", "konoplev", "--json")[0])
    found = {f"{t['object']}-{t['tier']}": t for t in data["tiers"]}
    for tier, (items, operations, path) in LOADS.items():
        assert len(found[tier]["items"]) == items
        assert found[tier]["work"] == {
            "operations": operations, "critical_path": path, "average_parallelism": operations / path,
        }  # fmt: skip
    assert data["work"]["operations"] == sum(t["work"]["operations"] for t in data["tiers"])


@pytest.mark.slow
def test_reports_show_the_load_of_every_tier() -> None:
    found = check(read(MECHANISM).system, "mechanism.mbsd", ["lagrange", "konoplev"], states=1)
    lines, page = render([found], "r.md"), render([found], "r.html")
    cells = re.findall(r"<td>([^<\n]*)", page)
    for tier, (items, operations, path) in LOADS.items():
        row = [tier, str(items), str(operations), str(path), f"{operations / path:.3g}"]
        assert f"| {' | '.join(row)} |" in lines
        assert any(cells[i : i + 5] == row for i in range(len(cells)))
    assert "independent tasks" in lines and "independent tasks" in page


# --- item 5: counts ---------------------------------------------------------------------------------


def test_a_chain_of_revolute_joints_stands_beside_the_papers_count() -> None:
    six = Konoplev().derive(chain(6, "parallel"))
    words = in_words(six)
    assert "N_M = 1652 and N_A = 1191 for a chain of m = 6" in words
    found = re.search(r"need (\d+) multiplications and (\d+) additions", words)
    assert found and int(found[1]) <= 1381 and int(found[2]) <= 983
    assert "which this model is not" in in_words(Konoplev().derive(read(MECHANISM).system))


@pytest.mark.parametrize(
    ("line", "m"),
    [
        ("zi > xi > yi g", 3),
        ("zi g", 1),
        ("zi > ui g", None),  # a slide
        ("zi > zxi g", None),  # two turns in one joint
        ("zi #a > zi \\ #a xi g", None),  # a tree
        ("zi > z i(0.1*t) g", None),  # a prescribed shift
    ],
)
def test_what_the_papers_formulas_count(line: str, m: int | None) -> None:
    assert revolute_chain(read_text(f"{line}\n", "model.mbsd").system) == m


@pytest.mark.slow
def test_reports_have_the_table_of_chains_once() -> None:
    found = [evidence(line) for line in ROADS]
    lines, page = render(found, "r.md"), render(found, "r.html")
    for row in counts(count_chain_operations).rows:
        assert lines.count(f"| {' | '.join(row)} |") == 1
        assert page.count("".join(f"<td>{cell}" for cell in row)) == 1
    assert "N_M = 120 and N_A = 77 for a chain of m = 2" in lines


# --- item 7: subsystems -----------------------------------------------------------------------------


def equations(run: Any, *options: object) -> tuple[dict[str, Any], str]:
    """Numbers of the Python that ``derive --subsystems`` prints, at a state with accelerations; and standard error."""
    code, err = run("derive", *options, "--formalism", "konoplev", "--output", "python")
    scope: dict[str, Any] = {"__name__": "derived"}
    exec(compile(code, "subsystems.py", "exec"), scope)
    n = len(scope["Q0"])
    q, v, a = (np.sin(k + np.arange(n)) for k in (1, 2, 3))
    return scope["quantities"](0.3, q, v, a), err


@pytest.mark.parametrize("groups", ["s2,t5/t6", "s2/t5/t6", "s2,t5,t6", "branches", "t6 / t5, s2"])
def test_own_and_interaction_are_the_force(run: Any, groups: str) -> None:
    numbers = folder("konoplev") / "mechanism.mbs.json"
    found, _ = equations(run, numbers, "--subsystems", groups)
    system = read(numbers).system
    q, v, a = (dict(zip(system.coordinate_names, np.sin(k + np.arange(3)), strict=True)) for k in (1, 2, 3))
    expected = formalism("lagrange").evaluate(system, [State(0.3, q, v, a)]).quantities
    left = np.array(found["own"]) + found["interaction"] - found["force"]
    assert np.abs(left - expected["inverse_dynamics"][0]).max() < 1e-12
    if groups.count("/") == 0:
        assert not np.any(found["interaction"])
    else:
        assert np.abs(found["interaction"]).max() > 1e-2


@pytest.mark.slow
def test_branches_interact_through_what_carries_them(run: Any) -> None:
    out, err = run("derive", TREE, "--formalism", "konoplev", "--subsystems", "branches", "--quantity", "interaction")
    assert "subsystems/body2: note: A and B of it and body3 are zero" in err
    assert "body1 and" not in err and "q4_6" in err
    data = json.loads(run("derive", TREE, "--formalism", "konoplev", "--subsystems", "branches", "--json")[0])
    assert set(data["quantities"]) == {"own", "interaction", "force"} and "interaction[q3_5]" in out
    text = run("derive", MECHANISM, "--formalism", "konoplev", "--subsystems", "s2/t5,t6", "--closed-form")[0]
    assert "own[s2] = s2''*(m2 + m3)\n" in text


@pytest.mark.parametrize(
    ("name", "groups", "words"),
    [
        ("konoplev", "s2,t5", "divide s2, t5, t6 between them"),
        ("konoplev", "s2,t5/t6,s2", "subsystems: error: the groups hold s2, s2, t5, t6; expected"),
        ("konoplev", "", "every coordinate once"),
        ("konoplev", "s2,t5,t7/t6", "t7"),
        ("lagrange", "s2/t5,t6", "lagrange does not divide its equations (use --formalism konoplev)"),
    ],
)
def test_groups_that_are_no_division_are_refused(run: Any, name: str, groups: str, words: str) -> None:
    assert words in run("derive", MECHANISM, "--formalism", name, "--subsystems", groups, code=2)[1]


# --- an impossible medium ---------------------------------------------------------------------------


def ball(tmp_path: Path, **entries: Any) -> Path:
    """A ball of 2 kg that slides along x and y in a medium whose Λ has these entries, ``a11`` for row 1, column 1."""
    rows = [[entries.get(f"a{i}{k}", 0) for k in range(1, 7)] for i in range(1, 7)]
    joint = [{"translation": x, "coordinate": x} for x in "xy"]
    body = {
        "name": "ball", "parent": None, "joint": joint,
        "inertia": {"mass": 2, "tensor": [0.1, 0.1, 0.1, 0, 0, 0]}, "added_inertia": {"rows": rows},
    }  # fmt: skip
    parameters = [{"name": "k"}] if any(isinstance(x, str) for x in entries.values()) else []
    data = {
        "format": "mbconcord", "version": 1, "name": "ball", "parameters": parameters,
        "coordinates": [{"name": x} for x in "xy"], "bodies": [body],
    }  # fmt: skip
    file = tmp_path / "ball.mbs.json"
    file.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"a11": -2}, "the smallest eigenvalue of Λ is -2"),  # A_11 = 2 - 2 = 0
        ({"a11": -3}, "the smallest eigenvalue of Λ is -3"),  # A_11 < 0
        ({"a33": -1}, "the smallest eigenvalue of Λ is -1"),  # A(q) is not touched, the energy of the fluid is
        ({"a11": "-2*k"}, "the smallest eigenvalue of Λ is -"),  # k is drawn
        ({"a12": 1}, "not symmetric: elements (2,1) and (1,2) differ"),
    ],
)
def test_a_medium_that_is_impossible_is_refused(run: Any, tmp_path: Path, entries: Any, words: str) -> None:
    file = ball(tmp_path, **entries)
    out, err = run("check", file, code=2)
    assert words in err and "bodies/ball/added_inertia" in err and "ball.mbs.json:" in err
    assert "1 file: 1 refused" in out and "agrees" not in out
    if "k" not in str(entries):
        for name in ("konoplev", "lagrange"):
            assert words in run("evaluate", file, "--formalism", name, code=2)[1]


def test_a_medium_that_leaves_a_singular_is_named_by_the_formalism(tmp_path: Path) -> None:
    """Asked past the check of the model, Konoplev says which body's Λ it is; nothing is computed along x."""
    found = Konoplev().evaluate(read(ball(tmp_path, a11=0)).system, [State()])
    assert not found.diagnostics
    system = read(ball(tmp_path, a11=-2), physics="ignore").system
    found = Konoplev().evaluate(system, [State()])
    places = {d.place: d.message for d in found.diagnostics if d.severity == "error"}
    assert "is not positive definite" in places["bodies/ball/added_inertia"]
    assert np.isnan(found.quantities["acceleration"]).all()
