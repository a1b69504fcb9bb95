"""``--simulate`` and ``simulate=``: what is printed, refused, repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mbconcord as mb
from mbconcord.reports import extras

from ....cli.commands import Run, runner
from .test_motions import PENDULUM

run = pytest.fixture(runner)


@pytest.fixture(autouse=True)
def models(run: Run) -> None:
    Path("a.mbsd").write_text(PENDULUM, encoding="utf-8")
    Path("b.mbsd").write_text(PENDULUM.replace("$1", "$1.00001"), encoding="utf-8")


@pytest.mark.slow
def test_check_says_up_to_when(run: Run) -> None:
    words = ("--formalisms", "lagrange,newton_euler", "--simulate", "0.1", "--states", "2", "--claims", "none")
    done = run("check", "a.mbsd", *words, "-v")
    assert done.code == 0 and done.out.startswith("a.mbsd: agrees, in motion to 0.1 s  (2 states")
    for line in ("motion: positions", "energy balance", "motion there and back"):
        assert line in done.out
    assert "motion: note: from 2 starts to 0.1 s: each of at most" in done.out
    assert "motion: note: momentum not checked: joints to the ground" in done.out
    assert "reproduce: " in done.out and "--simulate 0.1" in done.out.partition("reproduce: ")[2]
    found = run("check", "a.mbsd", *words, "--json").json
    assert found["simulated"]["reached"] == 0.1 and found["headline"] == "agrees, in motion to 0.1 s"
    assert {p["claim"] for p in found["pairs"]} >= {"motion", "energy", "reversibility"}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["md", "html", "json", "xml"])
def test_every_report_says_it(run: Run, suffix: str) -> None:
    words = ("--formalisms", "lagrange,newton_euler", "--simulate", "0.05", "--states", "1", "--claims", "none")
    done = run("check", "a.mbsd", *words, "--report", f"out.{suffix}")
    text = Path(f"out.{suffix}").read_text(encoding="utf-8")
    assert done.code == 0 and "energy balance" in text
    assert suffix == "xml" or ("in motion to 0.05 s" in text and "from 2 starts" in text)


@pytest.mark.slow
def test_compare_tells_machines_apart_by_their_motion(run: Run) -> None:
    done = run("compare", "a.mbsd", "b.mbsd", "--simulate", "0.1", "--states", "1", "--json")
    motions = [p for p in done.json["pairs"] if p["claim"] == "motion"]
    assert done.code == 1 and {p["verdict"] for p in motions} >= {"disagrees"}
    assert done.json["simulated"]["reached"] == 0.1
    same = run("compare", "a.mbsd", "a.mbsd", "--simulate", "0.1", "--states", "1")
    assert same.code == 0 and same.out.startswith("the same machine, in motion to 0.1 s")


@pytest.mark.parametrize("seconds", ["-1", "0", "nan", "soon"])
def test_no_time_to_move_in_is_refused(run: Run, seconds: str) -> None:
    for words in (("check", "a.mbsd"), ("compare", "a.mbsd", "b.mbsd")):
        done = run(*words, f"--simulate={seconds}")
        assert done.code == 2 and "simulate: error: " in done.err


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(extras, "import_module", missing)
    model = mb.read(text=PENDULUM, format="mbsd")
    for call in (lambda: mb.check(model, simulate=1.0), lambda: mb.compare(model, model, simulate=1.0)):
        with pytest.raises(mb.MbconcordError, match=r"simulation needs scipy.*pip install 'mbconcord\[sim\]'"):
            call()


def test_numbers_of_another_program_do_not_move() -> None:
    model = mb.read(text=PENDULUM, format="mbsd")
    Path("t.csv").write_text('t [s],a [rad],b [rad],"M[a, a] [kg m^2]"\n0,0,0,1\n', encoding="utf-8")
    with pytest.raises(mb.MbconcordError, match="beside equations or numbers of another program"):
        mb.check(model, against="table:t.csv", simulate=1.0)
