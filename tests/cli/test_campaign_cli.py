"""`mbconcord campaign run FILE…` and `campaign report`: what is printed, refused, gone on with; exit codes, reports."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import main
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.many.campaign.folder import open_folder

QUICK = ("--states", "1", "--claims", "none", "--exact", "off", "--formalisms", "lagrange,newton_euler", "--jobs", "1")


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbconcord.validation.many.campaign.survey.warm_up", lambda: None)
    monkeypatch.chdir(tmp_path)
    Path("a.mbsd").write_text("z°30 i g")
    Path("b.mbsd").write_text("x k g")


def checked(*words: str) -> int:
    return main(["campaign", "run", *words, *QUICK])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--against", "pinocchio"], "campaign run --against is of one model: mbconcord check FILE --against"),
        (["--expect", "x.toml"], "campaign run --expect is of one model: mbconcord check FILE --expect"),
        (["--simulate", "1"], "campaign run --simulate is of one model: mbconcord check FILE --simulate"),
        (["--map"], "campaign run --map is of one model: mbconcord check FILE --map"),
        (["--report", "out.xml"], "no report of a campaign has this suffix (known: .html .md .json)"),
        (["--output", "a.mbsd"], "File exists"),
        (["--output", "."], "holds other files"),
        (["--cluster", "no-such://x"], "needs distributed, which is not installed (pip install 'mbconcord[cluster]')"),
    ],
)
def test_bad_input_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr("mbconcord.reports.extras.import_module",
                        lambda name: absent(name) if name == "distributed" else import_module(name))  # fmt: skip
    output = [] if "--output" in words else ["--output", "out"]
    assert checked("a.mbsd", *words, *output) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_it_goes_on_and_is_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked("a.mbsd", "--output", "out") == 0
    assert checked("a.mbsd", "b.mbsd", "--output", "out", "--report", "r.md") == 0
    told = capsys.readouterr().out
    assert "2 models in out, 1 of them known from before or refused" in told and "2 models: 2 agrees" in told
    assert (
        "| a.mbsd | agrees | 1 | 1 |" in Path("r.md").read_text()
        and "None: nothing disagrees" in Path("r.md").read_text()
    )
    assert main(["campaign", "report", "out", "--report", "r.html", "--json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert [(m["file"], m["verdict"], m["witnesses"]) for m in models] == [
        (file, "agrees", ["lagrange", "newton_euler"]) for file in ("a.mbsd", "b.mbsd")
    ]
    page = Path("r.html").read_text("utf-8")
    assert "Corpus: 2 models" in page and "Models and witnesses" in page and "b.mbsd" in page


@pytest.mark.slow
def test_what_is_wrong_is_the_exit_code(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("c.mbsd").write_text("z°30 i g [")
    assert checked("a.mbsd", "c.mbsd", "--output", "one") == 2
    assert "c.mbsd:1:" in capsys.readouterr().err

    def fails(*_: object, **asked: object) -> None:
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setattr("mbconcord.validation.many.campaign.survey.check", fails)
    assert checked("a.mbsd", "--output", "two") == 1
    assert "a.mbsd: ZeroDivisionError in" in capsys.readouterr().err
    assert main(["campaign", "report", "two", "--report", "r.html"]) == 1
    command = "mbconcord check a.mbsd --states 1 --seed 0 --formalisms lagrange,newton_euler --claims none --exact off"
    assert command in Path("r.html").read_text("utf-8")


def test_folders_that_hold_none_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["nowhere"], ["."], ["nowhere", "--report", "x.xml"]):
        assert main(["campaign", "report", *words]) == 2
        assert "error" in capsys.readouterr().err


@pytest.mark.slow
def test_full_disk_is_an_error_after_which_the_command_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the first write, at the second, and so on, until all of them have room."""
    left = [0]

    def fill(call: Any) -> Any:
        def write(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            return call(*given, **named)

        return write

    def begin(number: int) -> int:
        """Begin a campaign over random models; its files are those of every run."""
        try:
            open_folder(Path(f"random{number}"), "ci", None, 0).keep("found.mbsd", "z i")
        except MbconcordError as problem:
            sys.stderr.write(f"{problem}\n")
            return 2
        return 0

    for command in (lambda number: checked("a.mbsd", "--output", f"files{number}"), begin):
        codes = []
        while 0 not in codes:
            left[0] = room = len(codes)
            with monkeypatch.context() as full:
                full.setattr(os, "fsync", fill(os.fsync))
                full.setattr(Path, "mkdir", fill(Path.mkdir))
                codes.append(command(room))
            said = capsys.readouterr().err
            assert codes[-1] == 0 or ("No space left on device" in said and "(make room, and " in said), said
            assert "internal error" not in said and command(room) == 0, (room, said)
        assert len(codes) > 4 and set(codes) == {0, 2}, codes
