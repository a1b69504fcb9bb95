"""`mbconcord campaign run --random`: options that are refused, what is printed, exit codes, and a run that goes on."""

from __future__ import annotations

import json
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import main
from mbconcord.reports import extras
from mbconcord.validation.check import check
from mbconcord.validation.many.campaign import campaign, subject
from mbconcord.validation.strategies.machines import Features


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Plain trees of one body, checked by two formalisms at one state."""

    def one(system: Any, **asked: Any) -> Any:
        return check(system, states=1, formalisms=["lagrange", "newton_euler"], claims=(), exact="off")

    monkeypatch.setattr(campaign, "warm_up", lambda: None)
    monkeypatch.setattr(subject, "MIX", (Features(),))
    monkeypatch.setattr(subject, "SIZES", (1,))
    monkeypatch.setattr(subject, "check", one)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--for", "0"], "--for: error: found '0', expected a time above zero"),
        (["--for=-3m"], "expected a time above zero"),
        (["--for", "soon"], "expected a time above zero"),
        (["--profile", "weekly"], "weekly"),
        (["--count", "0"], "expected a whole number from 1"),
        (["--report", "no/such/folder.html"], "there is no folder"),
        (["--output", "file/out"], "Not a directory"),
    ],
)
def test_bad_input_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    assert main(["campaign", "run", "--random", *words]) == 2
    found = capsys.readouterr()
    assert said in found.err and "Traceback" not in found.err and not found.out


def test_without_hypothesis_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "hypothesis" else util.find_spec(name))
    assert main(["campaign", "run", "--random", "--count", "1"]) == 2
    assert "needs hypothesis, which is not installed (pip install hypothesis)" in capsys.readouterr().err


@pytest.mark.slow
def test_it_goes_on_reports_and_keeps_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campaign", "run", "--random", "--count", "1", "--output", "out", "--jobs", "1"]) == 0
    assert "profile ci, seed 0, in out: a new campaign" in capsys.readouterr().out
    assert main(["campaign", "run", "--random", "--count", "2", "--output", "out", "--report", "r.html", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["models"] == 2 and told["findings"] == [] and told["seed"] == 0
    assert "2 random models" in Path("r.html").read_text("utf-8")
    assert len(Path("out/rows.jsonl").read_bytes().splitlines()) == 2
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.read_parquet("out/table.parquet")
    assert set(table["formalism"]) == {"lagrange", "newton_euler"} and table["disagrees"].sum() == 0
    assert main(["campaign", "run", "--random", "--count", "2", "--output", "out", "--profile", "nightly"]) == 2
    assert "holds a campaign with profile ci" in capsys.readouterr().err


@pytest.mark.slow
def test_findings_are_exit_code_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(system: Any, **asked: Any) -> Any:
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setattr(subject, "check", fails)
    monkeypatch.setattr(campaign, "MOST_SHRUNK", 0)
    assert main(["campaign", "run", "--random", "--count", "1", "--output", "out", "--jobs", "1"]) == 1
    said = capsys.readouterr()
    assert "findings: 1" in said.out and "mbconcord check out/findings/0.mbs.json" in said.err
    assert Path("out/findings/0.mbs.json").exists()
