"""A welded robot against a free one: the welded root is freed, and the head says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from .commands import Run, runner

INERTIAL = """<inertial><origin xyz="{}"/><mass value="{}"/>
<inertia ixx="{}" iyy="{}" izz="{}" ixy="{}" ixz="0" iyz="0"/></inertial>"""
TORSO = INERTIAL.format("0.01 0 0.1", 8, 0.1, 0.09, 0.05, 0.001)
LEG = INERTIAL.format("0 0 -0.2", 2, 0.03, 0.03, 0.004, 0)
JOINT = """<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>
<origin xyz="{}" rpy="{}"/><axis xyz="0 1 0"/></joint>"""
HIP = JOINT.format("hip", "continuous", "torso", "leg", "0 0.1 -0.05", "0 0 0.2") + f'<link name="leg">{LEG}</link>'
BIPED = f'<link name="torso">{TORSO}</link>{HIP}</robot>'
URDF = f'<robot name="biped">{BIPED}'
#: The torso 0.05 m above the root, whose frame is the base of the model.
FOOTPRINT = '<robot name="biped"><link name="footprint"/>'
TWO = f"{FOOTPRINT}{JOINT.format('one', 'continuous', 'footprint', 'torso', '0 0 0', '0 0 0')}{BIPED}"
MJCF = """<mujoco model="biped"><compiler angle="radian"/><worldbody><body name="torso" pos="0 0 0.9">{root}
<inertial pos="0.01 0 0.1" mass="{mass}" fullinertia="0.1 0.09 0.05 0.001 0 0"/>
<body name="leg" pos="0 0.1 -0.05" euler="0 0 0.2"><joint name="hip" axis="0 1 0"/>
<inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.004"/></body></body></worldbody></mujoco>"""
FREE = MJCF.format(root='<freejoint name="root"/>', mass="8")


def footprint(rpy: str) -> str:
    return f"{FOOTPRINT}{JOINT.format('base', 'fixed', 'footprint', 'torso', '0 0 0.05', rpy)}{BIPED}"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    for name, text in {
        "robot.urdf": URDF, "robot.xml": FREE, "fixed.xml": MJCF.format(root="", mass="8"),
        "heavy.xml": MJCF.format(root='<freejoint name="root"/>', mass="9"), "footprint.urdf": footprint("0 0 0"),
        "turned.urdf": footprint("0 0 0.3"), "two.urdf": TWO,
    }.items():  # fmt: skip
        Path(name).write_text(text, encoding="utf-8")
    return call


@pytest.mark.slow
@pytest.mark.parametrize("fixed", ["robot.urdf", "fixed.xml"])
def test_the_welded_root_is_freed_in_both_orders(run: Run, fixed: str) -> None:
    for pair, which, other in (((fixed, "robot.xml"), "A", "B"), (("robot.xml", fixed), "B", "A")):
        done = run("compare", *pair, "--states", "3")
        said = f"the same machine ({which}'s root is welded, {other}'s moves freely: {which}'s was freed)"
        assert (done.code, done.out.splitlines()[0]) == (0, said)
    assert run("compare", fixed, "robot.xml", "--states", "3", "--json").json["freed"].startswith("A's root is welded")


@pytest.mark.slow
def test_what_differs_beside_is_found_and_named(run: Run) -> None:
    done = run("compare", "robot.urdf", "heavy.xml", "--states", "3", "--why", "-q")
    head, *rest = done.out.splitlines()
    assert (done.code, head) == (1, "not the same machine (A's root is welded, B's moves freely: A's was freed)")
    assert any(line.split()[:4] == ["torso", "mass", "8", "9"] for line in rest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "turned"), [("footprint.urdf", ""), ("turned.urdf", ", turned by 0.3 rad about (0, 0, -1)")]
)
def test_an_offset_of_the_base_frame_is_named(run: Run, file: str, turned: str) -> None:
    done = run("compare", file, "robot.xml", "--states", "3", "-q")
    head = "not the same machine (A's root is welded, B's moves freely: A's was freed; "
    assert (done.code, done.out.strip()) == (
        1,
        f"{head}its base frame, by torso, is (0, 0, -0.05) m off{turned}, and that is all)",
    )
    back = run("compare", "robot.xml", file, "--states", "3", "-q")
    assert back.code == 1 and back.out.strip().endswith(f"(0, 0, -0.05) m off{turned}, and that is all)")


def test_other_numbers_of_coordinates_are_not_freed(run: Run) -> None:
    done = run("compare", "two.urdf", "robot.xml", "--states", "2")
    assert done.code == 1 and "A has 2 coordinates, B has 7" in done.out and "freed" not in done.out


def test_free_base_is_of_the_files_that_it_can_be_of(run: Run) -> None:
    done = run("compare", "robot.urdf", "robot.xml", "--states", "2", "--free-base")
    assert (
        "note: robot.xml is in mjcf, which says itself what moves freely: the option is of the other file" in done.err
    )
    assert done.out.startswith("the same machine")
    assert run("compare", "robot.xml", "fixed.xml", "--free-base").code == 2
