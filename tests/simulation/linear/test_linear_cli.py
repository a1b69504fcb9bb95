"""equilibrium and linearize on the command line: output, files, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mbconcord.api.linearize import StateSpace, list_able

from ...cli.commands import Run, runner

run = pytest.fixture(runner)
PENDULUM = "z(a)°20 -j1 $1 [0,0,0] > z(b) -j1 $1 [0,0,0] g9.81-y"
SUPPORT = "n(t^2) i1 > z(a)°10 -j1 $1 [0,0,0] g9.81-y"
FALLS = "u(x) v(y) $1 g9.81-y"


@pytest.fixture(autouse=True)
def models(run: Run) -> None:
    for name, text in (("pendulum", PENDULUM), ("support", SUPPORT), ("falls", FALLS)):
        Path(f"{name}.mbsd").write_text(text, encoding="utf-8")


def test_an_equilibrium_is_found_and_linearised(run: Run) -> None:
    done = run("equilibrium", "pendulum.mbsd", "--output", "rest.json")
    assert done.code == 0 and "stable equilibrium by lagrange" in done.out, done.err
    assert "agrees: lagrange, equilibrium, newton_euler" in done.out and "written: rest.json" in done.out
    Path("fed.mbsd").write_text("u(x)\"(3*y'+2*x+3*x^2) v(y)\"(-3*x'+2*y) $1", encoding="utf-8")
    fed = run("equilibrium", "fed.mbsd")  # held by rates alone, 1 rad/s beside 2: it leaves
    assert "equilibrium, stable in the linear equations alone: forces of higher order decide" in fed.out
    assert fed.code == 0 and "agrees: lagrange" in fed.out
    near = run("linearize", "pendulum.mbsd", "--at", "rest.json", "--inputs", "a", "--output", "out.npz")
    assert near.code == 0 and "in equilibrium, stable" in near.out and not near.err
    assert "oscillates  2.3971994  0.381526134  0" in near.out and "agrees: lagrange" in near.out
    assert Path("out.npz").stat().st_size > 1000
    found = run("linearize", "pendulum.mbsd", "--at", "equilibrium", "--json").json
    assert found["equilibrium"] and found["stable"] and found["written"] is None
    assert found["modes"][1]["rad/s"] == pytest.approx(5.787351298)
    assert found["verdict"] == "agrees" and {p["claim"] for p in found["pairs"]} == {"linear", "printed"}


def test_rounding_beside_an_oscillation_is_printed_as_zero(run: Run) -> None:
    Path("bob.mbsd").write_text("k0 n(0.3*t) x(a) y(b) -k(2) $1 #bob g9.81-z", encoding="utf-8")
    done = run("linearize", "bob.mbsd")  # (9.81/2)^(1/2) ± 0.3 rad/s
    assert done.code == 0 and "304737703  0        0 ± 1.91472i" in done.out and "-0\n" not in done.out, done.out


@pytest.mark.parametrize(("text", "words"), [
    ("u(x) $1", "stable but for modes at frequency zero"), ("u(x)\"(-4*x+x'^3) $1", "forces of higher order decide"),
])  # fmt: skip
def test_stability_that_is_not_decided_ends_with_code_3_and_the_reason(run: Run, text: str, words: str) -> None:
    Path("open.mbsd").write_text(text, encoding="utf-8")
    done = run("linearize", "open.mbsd")
    assert done.code == 3 and words in done.out and run("linearize", "open.mbsd", "--json").json["stable"] is None


def test_outputs_are_printed_and_read_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("linearize", "pendulum.mbsd", "--at", "equilibrium", "--inputs", "a", "--quantity")
    done = run(*words, "b,velocity(body2).x", "--quantity", "a''")
    assert done.code == 0 and "agrees: lagrange" in done.out, done.err
    rows = done.out.rpartition("y = C x + D u:")[2].splitlines()
    assert [row.split() for row in (rows[1], *rows[3:6])] == [
        ["output", "a", "b", "a'", "b'", "a"], ["b", "0", "1", "0", "0", "0"],
        ["velocity(body2).x", "0", "0", "2", "1", "0"], ["a''", "-9.81", "9.81", "0", "0", "1"],
    ]  # fmt: skip
    found = run(*words, "b", "--json").json
    assert found["outputs"] == {"b": {"C": [0, 1, 0, 0], "D": [0]}} and "not_checked" not in found
    assert run(*words, "b", "--output", "out.npz").code == 0
    with np.load("out.npz") as arrays:
        assert arrays["outputs"].tolist() == ["b"] and arrays["output C"].tolist() == [[0, 1, 0, 0]]
    assert "y = C x" not in run(*words, "").out
    wrong = run(*words, "velocity(lower)")
    assert wrong.code == 2 and "there is no body or point 'lower'" in wrong.err
    honest = StateSpace.to_json
    monkeypatch.setattr(StateSpace, "to_json", lambda self: {y: {**x, "D": [1.0]} for y, x in honest(self).items()})
    assert run(*words, "b").code == 1


def test_outputs_of_one_formalism_have_no_witness(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbconcord.api.linearize.list_able", lambda tree: list_able(tree)[:1])
    done = run("linearize", "pendulum.mbsd", "--at", "equilibrium", "--quantity", "b")
    assert done.code == 3 and "only lagrange has motions of points" in done.out


def test_a_state_that_is_none_is_told(run: Run) -> None:
    done = run("linearize", "pendulum.mbsd", "--no-witness")
    assert done.code == 3 and "not an equilibrium or steady motion: frozen-time eigenvalues" in done.out
    assert "agrees" not in done.out
    assert "the acceleration of" in done.err and "begin at the state of mbconcord equilibrium FILE" in done.err
    assert not run("linearize", "pendulum.mbsd", "--no-witness", "-q").err


def test_modes_are_written_to_be_animated(run: Run) -> None:
    done = run("linearize", "pendulum.mbsd", "--at", "equilibrium", "--mode", "2", "--output", "m.csv", "-q")
    lines = Path("m.csv").read_text(encoding="utf-8").splitlines()
    assert done.code == 0 and lines[0] == "t,a,b" and len(lines) == 50
    assert float(lines[1].split(",")[2]) == pytest.approx(0.1)


def test_what_falls_is_code_two_with_the_nearest_position(run: Run) -> None:
    done = run("equilibrium", "falls.mbsd")
    assert done.code == 2 and "a force of -9.81 is left along y" in done.err
    assert done.out.startswith("nearest position: {")
    assert run("equilibrium", "falls.mbsd", "--json").json["equilibrium"] is False
    held = run("equilibrium", "falls.mbsd", "--hold", "y")
    assert held.code == 0 and "hold of y  9.81" in held.out and "indifferent equilibrium" in held.out
    assert "no force draws back along x" in held.err


def test_a_time_is_asked_for(run: Run) -> None:
    for command in ("equilibrium", "linearize"):
        done = run(command, "support.mbsd")
        assert done.code == 2 and "--time 0" in done.err
    assert run("equilibrium", "support.mbsd", "--time", "0.5").code == 0
    moving = run("linearize", "support.mbsd", "--time", "0.5")
    assert moving.code == 3 and "frozen-time eigenvalues say nothing about stability" in moving.out
    Path("late.json").write_text('{"t": 0.5}', encoding="utf-8")
    late = run("linearize", "support.mbsd", "--at", "late.json")
    assert late.code == 3 and "t = 0.5 s alone" in late.err


def test_disagreement_is_code_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbconcord.validation.claims.linear.exact.LINEAR_DIGITS", -1.0)
    monkeypatch.setattr("mbconcord.validation.claims.linear.by_formalisms.AT_REST", -1.0)
    assert run("linearize", "pendulum.mbsd").code == 1
    assert run("equilibrium", "pendulum.mbsd").code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("linearize", "--at", "none.json"), "No such file"),
        (("linearize", "--at", "unknown.json"), "unknown.json:1:8: error: state/q/c: no such coordinate"),
        (("linearize", "--time", "soon"), "--time"),
        (("linearize", "--time", "nan"), "--time"),
        (("linearize", "--inputs", "c"), "no coordinate, no force and no parameter 'c'"),
        (("linearize", "--hold", "c"), "no such coordinate 'c'"),
        (("linearize", "--independent", "a"), "2 coordinates are independent"),
        (("linearize", "--mode", "2"), "found no --output"),
        (("linearize", "--mode", "9", "--output", "m.csv"), "there is no mode 9"),
        (("linearize", "--mode", "1", "--output", "m.json"), "nothing is written with the suffix '.json'"),
        (("linearize", "--mode", "0", "--output", "m.csv"), "expected a whole number from 1"),
        (("linearize", "--output", "m.txt"), "nothing is written with the suffix '.txt'"),
        (("linearize", "--output", "nowhere/m.csv"), "there is no folder"),
        (("linearize", "--formalism", "static_moments"), "does not deliver M"),
        (("equilibrium", "--output", "m.npz"), "nothing is written with the suffix '.npz'"),
        (("equilibrium", "--formalism", "lagrnge"), "did you mean 'lagrange'"),
        (("equilibrium", "--output", "pendulum.json"), "pendulum.json"),
    ],
)
def test_bad_usage_is_code_two(run: Run, arguments: tuple[str, ...], words: str) -> None:
    Path("unknown.json").write_text('{"q": {"c": 1}}', encoding="utf-8")
    Path("pendulum.json").write_text("{}", encoding="utf-8")
    command, *options = arguments
    more = ("--state", "pendulum.json") if "pendulum.json" in options else ()
    done = run(command, "pendulum.mbsd", *options, *more)
    assert done.code == 2 and words in done.err, done.err


def test_the_state_of_a_file_is_the_start(run: Run) -> None:
    Path("up.json").write_text(json.dumps({"q": {"a": 3.1, "b": 0.0}}), encoding="utf-8")
    found = run("equilibrium", "pendulum.mbsd", "--state", "up.json", "--json")
    assert found.code == 0 and found.json["stability"] == "unstable"
    assert found.json["state"]["q"]["a"] == pytest.approx(3.14159265)
