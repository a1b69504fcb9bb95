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


ICF = """icf
with integr;
  tout    =  5.000E-0001;
  step    =  1.000E-0001;
  h       =  1.000E-0003;
  error   =  1.000E-0007;
  method  = park;
with end;
"""
SIMULATED = {
    "all of it": (
        "", ICF, (0.5, 6, "lsoda", 1e-7), "until 0.5 s, step_out 0.1 s, tolerance 1e-07, method park, here lsoda",
    ),
    "what is not given": (
        "--until 0.2 --method radau --tolerance 1e-5", ICF, (0.2, 3, "radau", 1e-5), "last.icf says: step_out 0.1 s (",
    ),
    "all given": (
        "--until 0.1 --step-out 0.05 --method radau --tolerance 1e-6", "damaged", (0.1, 3, "radau", 1e-6), "",
    ),
    "another method": ("", ICF.replace("park", "abm"), (0.5, 6, "dop853", 1e-7), "abm, here dop853, as it is none"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "text", "expected", "note"), SIMULATED.values(), ids=SIMULATED)
def test_simulate_takes_the_settings_of_a_folder_and_says_so(
    options: str, text: str, expected: tuple[object, ...], note: str, run: Run
) -> None:
    """Rows are at the ends of steps and at the start."""
    pytest.importorskip("scipy", reason="the extra [sim] is not installed")
    Path("grip", "last.icf").write_text(text, encoding="utf-8")
    found = run("simulate", "grip", *options.split(), "--json")
    assert found.code == 0
    facts = found.json
    assert (facts["reached"], facts["rows"], facts["method"], facts["tolerance"]) == expected
    assert (note in found.err, "last.icf" in found.err) == (True, bool(note))
    named = run("simulate", "grip/input.dat", "--until", "0.1", "--step-out", "0.1", "--json").json
    assert (named["method"], named["tolerance"]) == ("dop853", 1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ICF.replace("5.000E-0001", "soon"), "last.icf:3:14: error: integr/tout: found 'soon'"),
        (ICF.replace("1.000E-0001", "0"), "last.icf:4:14: error: integr/step: found 0 (expected more than 0)"),
        ("icff", "last.icf:1:1: error: found 'icff', expected 'with block;'"),
    ],
)
def test_damaged_settings_are_refused_where_they_are_used(text: str, message: str, run: Run) -> None:
    Path("grip", "last.icf").write_text(text, encoding="utf-8")
    found = run("simulate", "grip")
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    shown = run("info", "grip")
    assert (shown.code, "simulate takes" in shown.out) == (0, False)
    assert message.replace("error", "warning") in shown.err


def test_info_shows_the_settings_of_a_folder(run: Run) -> None:
    Path("grip", "last.icf").write_text(ICF, encoding="utf-8")
    lines = [" ".join(line.split()) for line in run("info", "grip").out.splitlines()]
    assert "tout 5.000E-0001 until 0.5" in lines
    assert "h 1.000E-0003 -" in lines
    assert "method park method lsoda" in lines
    facts = run("info", "grip", "--json").json["run"]
    assert (facts["settings"]["method"], facts["method"], facts["tolerance"]) == ("park", "lsoda", 1e-7)
