"""Macros of ROS: never expanded unasked; by the program xacro, within limits of time, memory and output."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters import xacro as expansion
from mbconcord.model import ReadError

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ROBOT = f"""<robot name="r"><link name="world"/><link name="a">{INERTIAL}</link>
<joint name="q" type="continuous"><parent link="world"/><child link="a"/></joint></robot>"""
MACROS = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="{include}"/><link name="world"/><xacro:arm mass="${{1 + 1}}"/></robot>"""
ARM = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="arm" params="mass"><link name="a">
<inertial><mass value="${mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="q" type="continuous"><parent link="world"/><child link="a"/></joint></xacro:macro></robot>"""

posix = pytest.mark.skipif(os.name != "posix", reason="a program of one script file is of POSIX alone")


@pytest.fixture
def robot(tmp_path, monkeypatch):
    """A file of macros, and no program xacro."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(MACROS.format(include="macros.xacro"), encoding="utf-8")
    (tmp_path / "macros.xacro").write_text(ARM, encoding="utf-8")
    return file


def installed(folder: Path, code: str) -> None:
    """A program xacro that runs this."""
    program = folder / "bin" / "xacro"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport os, sys, time\n{code}\n", encoding="utf-8")
    program.chmod(0o755)


COMMANDS = (
    "check {file}", "info {file}", "compare {file} {file}", "convert {file} out.urdf",
    "derive {file} --formalism lagrange", "evaluate {file} --formalism lagrange", "simulate {file} --until 1",
    "equilibrium {file}", "linearize {file}", "baseline save {file}",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_runs_macros_unasked(robot, command, capsys, monkeypatch):
    monkeypatch.chdir(robot.parent)
    monkeypatch.setattr(expansion, "_program", lambda file: pytest.fail("it is run"))
    assert main(command.format(file=robot.name).split()) == 2
    said = capsys.readouterr().err
    assert "arm.urdf.xacro: error: macros (xacro) are not expanded unasked" in said
    assert "allow it: --allow xacro" in said


@posix
@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith(("baseline", "simulate", "check"))])
def test_every_command_reads_what_xacro_prints(robot, command, capsys, monkeypatch):
    monkeypatch.chdir(robot.parent)
    installed(robot.parent, f"print({ROBOT!r}) if sys.argv[1:] == [{str(robot)!r}] else sys.exit(7)")
    words = [*command.format(file=robot.name).split(), "--allow", "xacro"]
    code = main(words)
    assert code in (0, 3) and "error" not in capsys.readouterr().err


@posix
def test_what_xacro_prints_is_the_model(robot):
    installed(robot.parent, f"print({ROBOT!r})")
    found = mbconcord.read(robot, allow_xacro=True)
    assert found.system == mbconcord.read(text=ROBOT + "\n", format="urdf").system
    assert found.format == "urdf" and found.text == ROBOT + "\n"
    assert "places are those of the text that it prints" in found.diagnostics[0].message


@posix
def test_values_of_arguments_are_given_to_xacro(robot, capsys):
    installed(robot.parent, f"print({ROBOT!r}.replace('\"q\"', sys.argv[2][6:] + '\"'))")
    found = mbconcord.read(robot, allow_xacro=True, xacro_arguments={"name": '"elbow'})
    assert found.system.coordinate_names == ("elbow",)
    words = ["info", str(robot), "--allow", "xacro"]
    assert main([*words, "--read", 'xacro:name="wrist', "--read", "xacro:more="]) == 0
    assert "wrist" in capsys.readouterr().out


@posix
@pytest.mark.parametrize("text", ["name", "--output", "/etc/passwd", "=elbow", "a b=c", ""])
def test_what_is_no_argument_of_macros_is_refused(robot, text, capsys):
    installed(robot.parent, "sys.exit(7)")
    assert main(["info", str(robot), "--allow", "xacro", f"--read=xacro:{text}"]) == 2
    said = capsys.readouterr().err
    with pytest.raises(ReadError, match="expected NAME:=VALUE"):
        mbconcord.read(robot, allow_xacro=True, xacro_arguments={f"{text} ": ""})
    assert f"argument --read: found {f'xacro:{text}'!r}, expected xacro:NAME=VALUE" in said


def test_values_for_a_file_without_macros_are_not_taken_silently(tmp_path, capsys):
    (tmp_path / "arm.urdf").write_text(ROBOT, "utf-8")
    assert main(["info", str(tmp_path / "arm.urdf"), "--read", "xacro:name=elbow"]) == 0
    assert "--read xacro: warning: " in (said := capsys.readouterr().err) and "is no file of macros" in said


@posix
def test_findings_stand_in_the_text_that_it_prints(robot):
    installed(robot.parent, f"print({ROBOT.replace('child link=', 'child lnk=')!r})")
    with pytest.raises(ReadError, match=r"arm\.urdf \(expanded\):2:.*error"):
        mbconcord.read(robot, allow_xacro=True)


FAILURES = {
    "fails": ("print('no macro arm', file=sys.stderr); sys.exit(2)", "xacro fails: no macro arm"),
    "fails silently": ("sys.exit(9)", "xacro fails: exit code 9"),
    "no package": ("print('PackageNotFoundError: x', file=sys.stderr); sys.exit(1)", "--read package-path="),
    "starts what takes its time": ("os.fork(); time.sleep(60); open('ended', 'w')", "xacro took more than 1 s"),
    "computes": ("while True: pass", "xacro "),
    "takes memory": ("x = bytearray(10**9)", "no model takes so much"),
    "prints without end": ("while True: print('x' * 10**6)", "xacro made more than 3,000,000 bytes"),
    "prints no XML": ("print('hello')", "arm.urdf (expanded):1:1"),
    "prints nothing": ("", "is empty"),
}
#: These last until they are stopped; all others end by themselves, on a busy machine late.
ENDLESS = ("starts what takes its time", "computes")


@pytest.mark.slow
@posix
@pytest.mark.parametrize("case", FAILURES)
def test_xacro_is_stopped_and_its_failures_are_told(robot, case, monkeypatch):
    code, said = FAILURES[case]
    installed(robot.parent, code)
    seconds = 1 if case in ENDLESS else 600
    for name, most in (("XACRO_SECONDS", seconds), ("XACRO_MEMORY", 500_000_000), ("XACRO_BYTES", 3_000_000)):
        monkeypatch.setattr(expansion, name, most)
    with pytest.raises(mbconcord.MbconcordError) as caught:
        mbconcord.read(robot, allow_xacro=True)
    assert said in str(caught.value) and not (robot.parent / "ended").exists(), "it waited for what was to be stopped"


@posix
def test_what_xacro_has_started_ends_with_it(robot, tmp_path, monkeypatch):
    mark = tmp_path / "mark"
    installed(tmp_path, f"if not os.fork():\n    time.sleep(0.5)\n    open({str(mark)!r}, 'w')")
    with pytest.raises(mbconcord.MbconcordError):
        mbconcord.read(robot, allow_xacro=True)
    time.sleep(0.7)
    assert not mark.exists()


def test_without_xacro_it_is_said_how_to_install_it(robot, monkeypatch):
    monkeypatch.setattr(expansion, "find_spec", lambda name: None)
    with pytest.raises(ReadError, match=r"xacro is not installed \(pip install 'mbconcord\[xacro\]'\)"):
        mbconcord.read(robot, allow_xacro=True)


# --- xacro itself ---------------------------------------------------------------------------------------


@pytest.fixture
def xacro() -> None:
    """Skip where it is not installed."""
    pytest.importorskip("xacro", reason="an example needs xacro, of the extra [xacro]")


def test_xacro_expands_macros(robot, xacro):
    assert (
        mbconcord.read(robot, allow_xacro=True).system.bodies == mbconcord.read(text=ROBOT, format="urdf").system.bodies
    )


def test_arguments_of_macros_have_the_values_that_are_given(robot, xacro):
    text = robot.read_text("utf-8").replace("<link", '<xacro:arg name="kg" default="1"/><link', 1)
    robot.write_text(text.replace("${1 + 1}", "$(arg kg)"), encoding="utf-8")
    made = mbconcord.read(robot, allow_xacro=True, xacro_arguments={"kg": "2"}).system
    assert made.bodies == mbconcord.read(text=ROBOT, format="urdf").system.bodies
    assert str(mbconcord.read(robot, allow_xacro=True).system.body("a").inertia.mass) == "1"


@pytest.mark.parametrize("named", ["robots", "robots/arms"])
def test_packages_are_found_in_the_folders_that_are_named(robot, xacro, named, capsys):
    package = robot.parent / "robots" / "arms"
    package.mkdir(parents=True)
    (robot.parent / "macros.xacro").rename(package / "macros.xacro")
    robot.write_text(MACROS.format(include="$(find arms)/macros.xacro"), encoding="utf-8")
    words = ["info", str(robot), "--allow", "xacro"]
    assert main(words) == 2
    assert "--read package-path=FOLDER" in capsys.readouterr().err
    assert main([*words, "--read", "package-path=" + str(robot.parent / named)]) == 0


def test_an_include_that_is_not_there_is_told_by_xacro(robot, xacro):
    (robot.parent / "macros.xacro").unlink()
    with pytest.raises(ReadError, match=r"xacro fails: .*macros\.xacro"):
        mbconcord.read(robot, allow_xacro=True)
