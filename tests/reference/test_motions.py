"""Reference problems: known motions are found, what is wrong is missed; what the command line says of it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from laboratory.command import main
from laboratory.reference import __main__ as command
from laboratory.reference.measure import FILE, ReferenceProblem, problems
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import ReadError

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")

from laboratory.bench import four_links
from laboratory.reference.measure import follow, half_unit, judge

PROBLEMS = {problem.name: problem for problem in problems(folder() / "reference")}
#: What takes more than a second; `make test` also runs the command of docs/simulation.md that measures all problems.
LONG = {"A02 forty four-bars", "slider-crank", "slider-crank with an elastic rod"}
#: A pendulum of 1 m for a second: exact, by elliptic functions.
SHORT = """
[[problem]]
name = "pendulum"
file = "pendulum.mbsd"
source = "exact"
until = 1
tolerances = [1e-9]
values = [{ name = "position", t = 1, formulas = ["x", "y"], numbers = ["0.986291751", "-0.165010853"], limit = 1e-7 }]
conserved = [{ name = "energy", limit = 1e-7 }]
"""
MODEL = "u(x)°-1 v(y) $1 #bob ; g9.81-y \\ #bob :(1, 0) < #0\n"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow, pytest.mark.rest] if name in LONG else []) for name in PROBLEMS],
)
def test_every_limit_is_met(name: str) -> None:
    problem = PROBLEMS[name]
    found = list(judge(problem, follow(problem, problem.tolerances[-1])))
    assert len(found) == len(problem.values) + len(problem.conserved) > 0
    assert [(row.what, row.error) for row in found if row.met is not True] == []


def test_the_known_ones_are_there() -> None:
    words = ("A01", "A02 two", "A02 forty", "A03", "slider-crank", "elastic rod", "heavy top")
    assert all(any(word in name for name in PROBLEMS) for word in words)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["A01 simple pendulum", "heavy top"])
def test_a_wrong_number_is_missed(name: str) -> None:
    """A last-but-one digit of what is known, or a factor of what is conserved."""
    problem = PROBLEMS[name]
    values = tuple(replace(v, numbers=(str(float(v.numbers[0]) + 2e-9), *v.numbers[1:])) for v in problem.values)
    lighter = tuple(
        replace(c, formula=c.formula + parsed("0.01 c' sin(a)")) if c.formula else c for c in problem.conserved
    )
    wrong = replace(problem, values=values, conserved=lighter)
    found = list(judge(wrong, follow(wrong, problem.tolerances[-1])))
    assert all(row.met is False for row in found if row.what != "energy")


def parsed(text: str) -> object:
    from mbconcord.model.expressions.formula import parse_formula

    return parse_formula(text)


def test_a_run_that_ends_early_meets_nothing() -> None:
    problem = PROBLEMS["A01 simple pendulum"]
    found = follow(problem, 1e-12)
    early = replace(found, found=found.found[:3])
    rows = list(judge(problem, early))
    assert [row.met for row in rows] == [True, False, False] and rows[-1].error == float("inf")


def test_limits_are_of_the_finest_tolerance() -> None:
    problem = PROBLEMS["A03 Andrews' squeezer"]
    assert all(row.met is None and row.limit is None for row in judge(problem, follow(problem, 1e-6)))


@pytest.mark.parametrize(("text", "half"), [("4.07", 0.005), ("121.886278", 5e-7), ("-1.25e-3", 5e-6), ("12", 0.5)])
def test_half_a_unit(text: str, half: float) -> None:
    assert half_unit(text) == pytest.approx(half, rel=1e-12)


@pytest.fixture
def short(tmp_path: Path) -> Path:
    (tmp_path / "pendulum.mbsd").write_text(MODEL, encoding="utf-8")
    (tmp_path / FILE).write_text(SHORT, encoding="utf-8")
    return tmp_path


def test_the_command_tells_and_reports(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, data = short / "out.html", short / "out.json"
    assert main(command, [str(short), "--report", str(page)]) == 0
    said = capsys.readouterr().out
    assert "position at 1 s" in said and "2 of 2 limits met" in said
    assert "<h1>Reference problems</h1>" in page.read_text(encoding="utf-8")
    assert main(command, [str(short), "--json", "--formalisms", "konoplev", "--report", str(data)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["met"] is True and {row["formalism"] for row in printed["rows"]} == {"konoplev"}
    assert json.loads(data.read_text(encoding="utf-8"))["met"] is True


def test_a_missed_limit_is_code_one(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (short / FILE).write_text(SHORT.replace("0.986291751", "0.986292751"), encoding="utf-8")
    assert main(command, [str(short), "-q"]) == 1
    said = capsys.readouterr().out
    assert "NOT MET" in said and "1 of 1" not in said and "energy" not in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it has no problems"),
        ("[[problem]", "not TOML"),
        ('[[problem]]\nname = "a"', "has no file, source, tolerances, until"),
        (SHORT.replace("pendulum.mbsd", "none.mbsd"), "none.mbsd"),
        (SHORT.replace('["x", "y"]', '["x"]'), "has 1 formulas for 2 numbers"),
        (SHORT.replace('"0.986291751"', '"one"'), "problem pendulum: ValueError"),
        (SHORT.replace("t = 1,", "t = 3,"), "its times are not within the run"),
        (SHORT.replace("tolerances = [1e-9]", "tolerances = []"), "or it has no tolerances"),
        (SHORT.split("values")[0], "says nothing of the motion"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(short: Path, text: str, words: str) -> None:
    (short / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(ReadError) as refused:
        problems(short)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "nowhere"),
        ((".", "--report", "out.md"), "no report of reference problems has this suffix"),
        ((".", "--formalism", "lagrnge"), "did you mean"),
    ],
)
def test_bad_usage_is_code_two(
    short: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(short)
    assert main(command, list(arguments)) == 2
    assert words in capsys.readouterr().err


def test_problems_have_sources() -> None:
    problem: ReferenceProblem
    for problem in PROBLEMS.values():
        assert problem.source and problem.tolerances == tuple(sorted(problem.tolerances, reverse=True))


@pytest.mark.slow
def test_the_four_links_move_as_by_another_implementation() -> None:
    given = tomllib.loads((folder() / "elastic" / "motion.toml").read_text("utf-8"))["time"]
    found = four_links.simulate_variant("as assumed", 1e-9, 0.05)
    assert [row.t for row in found.found] == pytest.approx([0, 0.05, 0.1, 0.15])
    for place, known in enumerate(given, 1):
        assert four_links.difference(found, place, known) < 1e-7
        wrong = {**known, "moment": known["moment"] + 1e-5}
        assert four_links.difference(found, place, wrong) > 1e-6


@pytest.mark.slow
def test_frozen_inertia_loses_energy_and_the_full_one_does_not() -> None:
    full, frozen = (four_links.energy_change(form)[0] for form in ("full", "frozen"))
    assert full < 1e-9 and frozen > 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["link 2 rigid", "stiffened", "inertia of the undeformed link", "rotary inertia"])
def test_variants_of_the_four_links_too(variant: str) -> None:
    known = tomllib.loads((folder() / "elastic" / "motion.toml").read_text("utf-8"))["variants"][variant]
    assert four_links.difference(four_links.simulate_variant(variant, 1e-9, 0.15), -1, known) < 1e-6
