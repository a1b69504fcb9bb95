"""Exit 1 means that something disagrees and nothing else: streams that fail, errors that nobody thought of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import BAD_INPUT, INTERNAL_ERROR, formats, main
from mbconcord.cli.io.streams import SHOWN

from .commands import Run, runner

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="redirections of a POSIX shell")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device /dev/full")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


#: command and redirection -> exit code, what standard error has
STREAMS = {
    "formats > /dev/full": (2, "error: standard output: No space left on device"),
    "--help > /dev/full": (2, "error: standard output: No space left on device"),
    "info absent.mbsd 2> /dev/full": (2, ""),
    "formats >&-": (2, "error: standard output: it is closed"),
    "info absent.mbsd 2>&-": (2, ""),
    "info - <&-": (2, "error: standard input is closed"),
    "formats | head -0": (2, ""),
    "convert - out.mbs.json --from mbsd < one.mbsd >&-": (0, ""),
}


@pytest.mark.slow
@POSIX
@FULL
@pytest.mark.parametrize("line", STREAMS)
def test_a_stream_that_fails_is_no_disagreement(line: str, tmp_path: Path) -> None:
    (tmp_path / "one.mbsd").write_text("z(z1) i(L) $(m) g9.81-y ; L=2, m=3\n", encoding="utf-8")
    command = f"{sys.executable} -m mbconcord {line}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    code, said = STREAMS[line]
    assert done.returncode == code, done.stderr
    assert said in done.stderr and "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 1


@POSIX
@pytest.mark.parametrize("command", ["check", "info", "derive", "evaluate", "simulate", "baseline check", "convert"])
def test_a_current_folder_that_was_removed_is_said(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command, with a model that is there: it works, or says in one line what is missing."""
    (tmp_path / "one.mbsd").write_text("z(z1) i(L) $(m) g9.81-y ; L=2, m=3\n", encoding="utf-8")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    beside = {"convert": ["out.urdf"], "simulate": ["--until", "0.1"]}.get(command, [])
    code = main([*command.split(), str(tmp_path / "one.mbsd"), *beside])
    said = capsys.readouterr().err
    assert code in (0, 2) and "internal error" not in said and (code == 0 or "error: " in said), said
    if command == "check":
        assert (code, said) == (2, "error: the current folder does not exist any more (change into another one)\n")


@pytest.mark.parametrize(
    "problem", [KeyError("x"), ValueError("a\x1b[31m\nb"), OSError(5, "strange"), AssertionError()]
)
def test_an_unforeseen_error_is_told_with_how_to_report_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def failing(arguments: Any) -> int:
        raise problem

    monkeypatch.setattr(formats, "run", failing)
    done = run("formats")
    assert done.code == INTERNAL_ERROR == 70 and not done.out
    first, second = done.err.splitlines()
    assert first.startswith(f"internal error: {type(problem).__name__}: ") and "test_exits.py, line" in first
    assert "please report it" in second and "MBCONCORD_DEBUG=1" in second and "\x1b" not in done.err
    for value in ("0", ""):
        monkeypatch.setenv("MBCONCORD_DEBUG", value)
        assert run("formats").err == done.err
    monkeypatch.setenv("MBCONCORD_DEBUG", "1")
    assert "Traceback" in run("formats").err


def test_no_memory_left_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(arguments: Any) -> int:
        raise MemoryError

    monkeypatch.setattr(formats, "run", failing)
    done = run("formats")
    assert done.code == BAD_INPUT and "more memory than there is" in done.err


def test_control_characters_of_names_are_shown_and_not_obeyed(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    names = {chr(code): shown for code, shown in SHOWN.items()}
    assert names["\x1b"] == "\\x1b" and names["\x9b"] == "\\x9b" and names["\u202e"] == "\\u202e"
    assert not set("\t\n é中") & names.keys()
    done = run("info", "evil\x1b]0;owned\x07\u202e.mbsd")
    assert "evil\\x1b]0;owned\\x07\\u202e.mbsd" in done.err and not set(done.err) & names.keys()


def test_a_text_that_is_piped_is_exact_and_one_on_a_terminal_is_shown(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "esc.mbs.json").write_text(
        '{"format": "mbconcord", "version": 1, "name": "a\x9bb"}\n', encoding="utf-8"
    )
    assert "a\x9bb" in run("convert", "esc.mbs.json", "-", "--to", "native").out
    monkeypatch.setattr("mbconcord.cli.io.streams.Shown.isatty", lambda self: True)
    assert "a\\x9bb" in run("convert", "esc.mbs.json", "-", "--to", "native").out


def test_streams_are_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    main(["formats"])
    assert (sys.stdout, sys.stderr) == before
    assert os.fstat(1)


def test_a_picture_that_disagrees_with_its_model_is_a_disagreement(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("--states", "1", "--claims", "none", "--report", "r.html")
    assert run("check", "one.mbsd", *given).code == 0
    monkeypatch.setattr("mbconcord.reports.pictures.picture.check_picture", lambda *_: "joints are drawn elsewhere")
    done = run("check", "one.mbsd", *given)
    assert done.code == 1 and "picture: error: joints are drawn elsewhere" in done.err
    assert run("check", "one.mbsd", "absent.mbsd", *given, "--jobs", "1").code == 2
