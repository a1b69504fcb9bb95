"""A folder of Universal Mechanism on the command line: the model itself, its parameters of another day."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mbconcord.fixtures import folder

from .commands import Run, runner

UM = folder() / "um"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    shutil.copytree(UM / "four_bar", tmp_path / "bar")
    shutil.copytree(UM / "gripper", tmp_path / "grip")
    return runner(capsys, monkeypatch, tmp_path)


COMMANDS = {
    "info": ("info", "grip"),
    "check": ("check", "grip", "--states", "1", "--formalisms", "lagrange,newton_euler", "--claims", "none"),
    "derive": ("derive", "grip", "--formalism", "newton_euler", "--quantity", "gravity"),
    "evaluate": ("evaluate", "grip", "--formalism", "newton_euler"),
    "compare": ("compare", "grip", "grip", "--states", "1"),
    "convert": ("convert", "grip", "out.mbs.json", "--verify"),
    "states": ("convert", "grip", "out.xv"),
}


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_folder_is_a_model_for_every_command(words: tuple[str, ...], run: Run) -> None:
    """As its input.dat is."""
    found = run(*words)
    named = run(*(word.replace("grip", "grip/input.dat") for word in words))
    assert found == named
    assert found.code == 0


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "a folder; expected one that is a model, with one input.dat in it; found none"),
        ({"one.mbsd": "z i g"}, "found none (name a model file)"),
        ({"input.dat": "", "INPUT.DAT": ""}, "found x/INPUT.DAT, x/input.dat"),
    ],
)
def test_a_folder_that_is_no_model(files: dict[str, str], message: str, run: Run) -> None:
    Path("x").mkdir()
    for name, text in files.items():
        Path("x", name).write_text(text, encoding="utf-8")
    found = run("info", "x")
    assert (found.code, found.out) == (2, "")
    assert message in found.err


QUICK = ("--states", "1", "--formalisms", "lagrange,newton_euler")


@pytest.mark.slow
def test_a_project_accepts_what_a_folder_leaves_out(run: Run) -> None:
    shutil.copytree(UM / "suspension", "car")
    table = '[tool.mbconcord.accept-omissions]\n"car" = { contact = 1, bushing = 1 }\n'
    for name in ("car", "car/input.dat"):
        assert run("check", name, *QUICK).code == 3
    Path("pyproject.toml").write_text(table, encoding="utf-8")
    for name in ("car", "car/input.dat"):
        assert run("check", name, *QUICK).code == 0


OLD = "par\nl1 = 0.25\ngone = 1\nFL.p1 = 2\n"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "states"])
def test_names_of_an_older_file_of_parameters_are_ignored_with_one_remark(command: str, run: Run) -> None:
    Path("last.par").write_text(OLD, encoding="utf-8")
    found = run(*COMMANDS[command], "--set", "last.par")
    assert found.code == 0
    told = f"{found.out}{found.err}"
    assert told.count("last.par has 2 names that the model does not have: ignored: gone, FL_p1") == 1


def test_values_of_an_older_file_of_parameters_are_taken(run: Run) -> None:
    Path("last.par").write_text(OLD, encoding="utf-8")
    found = run(*COMMANDS["evaluate"], "--set", "last.par", "--json")
    assert found.json["parameters"]["l1"] == 0.25
    both = run("compare", "grip", "bar", "--set", "last.par", "--json")
    assert both.code == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("last.par", "par\ngone = 1\nold = 2\n", "the model has none of its 2 names: gone, old"),
        ("last.par", "par\n" + "".join(f"n{i} = 1\n" for i in range(57)), "n6, n7, …"),
        ("last.json", json.dumps({"l1": 1, "gone": 1}), "parameters/gone: error: the model has no such parameter"),
        ("last.txt", "l1 = 1\ngone = 1\n", "parameters/gone: error: the model has no such parameter"),
    ],
)
def test_names_that_are_refused(name: str, text: str, message: str, run: Run) -> None:
    """A file of parameters of another model; and a name in a file that the user wrote."""
    Path(name).write_text(text, encoding="utf-8")
    found = run("evaluate", "grip", "--formalism", "newton_euler", "--set", name)
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    assert found.err.count("error:") == 1


def test_info_shows_joints_and_laws(run: Run) -> None:
    shutil.copytree(UM / "suspension", "car")
    shown = run("info", "grip").out + run("info", "car").out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "phi rad pi/6 0 jBase0_Колонна (rv)" in lines
    assert "spring Bipolar frame - ground linear k = k, l0 = h, d = c" in lines
    assert "1 line end CR LF none" in lines
    facts = run("info", "grip", "--json").json
    joints = ["jBase0_Колонна (rv)", "jКолонна_Плечо (rv)", "jПлечо_Схват (tv)"]
    assert [c["joint"] for c in facts["coordinates"]] == joints
    assert [f["law"] for f in facts["forces"]] == ["kp*(goal - phi) - kd*phi'", "-kd*psi'", "-(kd*s' + pull)"]
    assert [c["joint"] for c in run("info", "one.mbsd", "--json").json["coordinates"]] == [None]
