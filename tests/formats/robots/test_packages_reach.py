"""Folders of packages that the user names reach the second reading and the programs that read the file themselves."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from mbconcord.cli import main

INERTIA = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
LEG = f"""<sdf version="1.9"><model name="leg"><link name="a"><inertial><mass>1</mass>{INERTIA}</inertial></link>
  <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
  </model></sdf>"""
SDF = '<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity><include><uri>{}</uri></include></world></sdf>'
MJCF = """<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
  <geom type="mesh" mesh="m" density="1000"/></body></worldbody></mujoco>"""
POINTS, FACES = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
FILES = {
    "model": ("robot.sdf", SDF.format("model://leg")),
    "file of a package": ("robot.sdf", SDF.format("package://leg/model.sdf")),
    "mesh": ("robot.xml", MJCF.format("package://leg/meshes/m.obj")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a package, away from that of the robots."""
    own = tmp_path / "packages" / "leg"
    (own / "meshes").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    (own / "model.sdf").write_text(LEG)
    vertices = [f"v {POINTS[i]} {POINTS[i + 1]} {POINTS[i + 2]}" for i in range(0, 12, 3)]
    faces = [f"f {FACES[i] + 1} {FACES[i + 1] + 1} {FACES[i + 2] + 1}" for i in range(0, 12, 3)]
    (own / "meshes" / "m.obj").write_text("\n".join([*vertices, *faces]) + "\n")
    (own / "meshes" / "m.msh").write_bytes(struct.pack("<4i12f12i", 4, 0, 0, 4, *POINTS, *FACES))
    return tmp_path


def run(folder: Path, case: str, *more: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Check a file; return the exit code and what is printed."""
    name, text = FILES[case]
    if case == "mesh":
        try:
            import trimesh  # noqa: F401
        except ImportError:
            text = text.replace("m.obj", "m.msh")
    (folder / "here" / name).write_text(text)
    quick = (
        "--formalisms",
        "lagrange,newton_euler",
        "--states",
        "2",
        "--read",
        "package-path=" + str(folder / "packages"),
    )
    code = main(["check", str(folder / "here" / name), *quick, *more])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("case", FILES)
def test_second_reading_finds_what_is_in_a_package(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(folder, case, capsys=capsys)
    assert code == 0 and "second reading" in said and "one reader only" not in said


def test_mujoco_finds_a_mesh_in_a_package(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("trimesh", reason="trimesh, of the extra [mesh], is not installed")
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    code, said = run(folder, "mesh", "--against", "mujoco", capsys=capsys)
    assert code == 0 and "mujoco: note: version" in said and "not checked" not in said


def test_drake_finds_a_model_in_a_package(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pydrake", reason="pydrake is not installed")
    code, said = run(folder, "file of a package", "--against", "drake", capsys=capsys)
    assert code == 0 and "drake: note: version" in said and "not checked" not in said
