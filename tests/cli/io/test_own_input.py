"""No command writes onto what it reads, by whatever name, and --verify that could not check writes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from ..commands import Run, runner
from ..test_omissions_cli import ALL, UM

SET = Path(str(files("mbconcord.fixtures"))) / "um_equations" / "double_pendulum"
QUICK = ("--formalisms", "lagrange,newton_euler", "--claims", "none", "--states", "1")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    Path("a").mkdir()
    Path("a/input.dat").write_text(UM, encoding="utf-8")
    Path("state.json").write_text('{"q": {"z1": 0.1}}', encoding="utf-8")
    Path("values.json").write_text('{"m": 4}', encoding="utf-8")
    Path("catalog.xml").write_text('[[model]]\nfile = "one.mbsd"\n', encoding="utf-8")
    shutil.copytree(SET, "set")
    assert call("convert", "one.mbsd", "model.mbs.json").code == 0
    return call


def link(name: str, target: str) -> str:
    Path(name).symlink_to(target)
    return name


def hard(name: str, target: str) -> str:
    Path(name).hardlink_to(target)
    return name


#: what is written onto -> arguments, made in the folder
OVER: dict[str, Callable[[], list[str]]] = {
    "its own name": lambda: ["convert", "one.mbsd", "one.mbsd"],
    "another spelling": lambda: ["convert", "one.mbsd", "a/../one.mbsd"],
    "an absolute path": lambda: ["convert", "one.mbsd", str(Path("one.mbsd").resolve())],
    "a symbolic link": lambda: ["convert", "one.mbsd", link("other.mbsd", "one.mbsd")],
    "a link as input": lambda: ["convert", link("other.mbsd", "one.mbsd"), "one.mbsd"],
    "a linked folder": lambda: ["convert", "a/input.dat", f"{link('b', 'a')}/input.dat"],
    "a hard link": lambda: ["convert", "one.mbsd", hard("other.mbsd", "one.mbsd")],
    "the parameters": lambda: ["convert", "one.mbsd", "values.json", "--to", "native", "--set", "values.json"],
    "the state": lambda: ["convert", "one.mbsd", "x.xv", "--state", hard("x.xv", "state.json")],
    "a report on the model": lambda: ["check", "model.mbs.json", "--report", "model.mbs.json"],
    "a report on the state": lambda: ["check", "one.mbsd", "--state", "state.json", "--report", "state.json"],
    "a report on one of several": lambda: ["check", "two.mbsd", "model.mbs.json", "--report", "./model.mbs.json"],
    "a report on a model of a folder": lambda: ["check", ".", "--report", "model.mbs.json"],
    "a report on the catalog": lambda: ["check", "one.mbsd", "--expect", "catalog.xml", "--report", "catalog.xml"],
    "a report on the equations": lambda: [
        "check", "two.mbsd", "--against", "um:set", "--report", hard("r.html", "set/C/EqPendulum.hpp")
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", OVER)
def test_what_is_read_is_not_written_over(run: Run, case: str) -> None:
    arguments = OVER[case]()
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    done = run(*arguments, *(() if arguments[0] != "check" else QUICK[:4] if "--state" in arguments else QUICK))
    remedy = "name another file" if arguments[0] == "check" else "name another file, or say --force"
    assert done.code == 2 and f"would be written over ({remedy})" in done.err
    assert before == {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def test_the_file_that_standard_input_is_is_not_written_over(
    monkeypatch: pytest.MonkeyPatch, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    from mbconcord.cli import main

    with Path("one.mbsd").open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["convert", "-", "one.mbsd", "--from", "mbsd"]) == 2
    assert "it is read as standard input" in capsys.readouterr().err


FORCED = [
    ["convert", "one.mbsd", "one.mbsd", "--force"],
    ["convert", "one.mbsd", "two.mbsd"],
    ["check", "one.mbsd", "--report", "model.mbs.json", *QUICK],
]


@pytest.mark.parametrize("arguments", FORCED)
def test_it_is_with_force_and_other_files_are(run: Run, arguments: list[str]) -> None:
    target = Path(arguments[2] if arguments[0] == "convert" else arguments[3])
    before = target.read_bytes()
    assert run(*arguments).code == 0
    assert target.read_bytes() != before


#: options -> exit code, whether it is written
UNCHECKED = {
    (): (3, False),
    ("--force",): (3, True),
    ("--accept-omissions", ALL): (0, True),
    ("--accept-omissions", "contact=1"): (3, False),
}


@pytest.mark.parametrize("options", UNCHECKED)
def test_what_could_not_be_checked_is_not_written(run: Run, options: tuple[str, ...]) -> None:
    code, written = UNCHECKED[options]
    done = run("convert", "a/input.dat", "out.mbs.json", "--verify", *options)
    assert (done.code, Path("out.mbs.json").exists()) == (code, written)
    words = "out.mbs.json: not written: the result could not be checked in full (--force writes it)"
    assert (words in done.err) == (not written)


@pytest.mark.slow
def test_what_differs_is_not_written_whatever_is_forced(run: Run) -> None:
    """A table of parameters has no column for a joint's torque."""
    Path("down.mbsd").write_text('z"(-2) i(L) $(m) [1,1,1] g9.81-z ; L=1, m=1\n', encoding="utf-8")
    done = run("convert", "down.mbsd", "out.tp.csv", "--verify", "--force", "--json")
    assert done.code == 1 and not Path("out.tp.csv").exists()
    assert (done.json["written"], done.json["verification"]["verdict"]) == (False, "disagrees")
