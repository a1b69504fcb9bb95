"""A URDF whose root moves freely: a floating joint in the text, which every program reads alike."""

from __future__ import annotations

import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model import MbconcordError

INERTIAL = """<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""
ROBOT = f"""<robot name="r">
<link name="a">{INERTIAL}</link>
<link name="b">{INERTIAL}</link>
<joint name="{{joint}}" type="continuous"><parent link="a"/><child link="b"/></joint>
</robot>"""
FLOATING = '<link name="world"/><joint name="floating_base" type="floating">{}</joint>'
ENDS = '<parent link="world"/><child link="a"/>'
BASE = tuple(f"floating_base_{end}" for end in ("TX", "TY", "TZ", "RZ", "RY", "RX"))


@pytest.fixture
def robot(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(ROBOT.format(joint="q"), encoding="utf-8")
    return file


def test_the_root_is_carried_by_a_floating_joint(robot):
    expected = ROBOT.format(joint="q").replace('<robot name="r">', '<robot name="r">' + FLOATING.format(ENDS))
    free = registry.read(robot, free_base=True)
    assert free.system.bodies == registry.read_text(expected, format="urdf").system.bodies
    assert free.system.coordinate_names == (*BASE, "q")
    assert registry.read(robot).system.coordinate_names == ("q",)


def test_places_in_the_text_stay(robot):
    robot.write_text(ROBOT.format(joint="q").replace('type="continuous"', 'type="continuos"'), "utf-8")
    with pytest.raises(MbconcordError, match=r"robot\.urdf:6:1: error"):
        registry.read(robot, free_base=True)


def test_a_joint_of_that_name_gives_way(robot):
    robot.write_text(ROBOT.format(joint="floating_base"), "utf-8")
    names = registry.read(robot, free_base=True).system.coordinate_names
    assert names[0] == "floating_base_2_TX" and names[-1] == "floating_base"


def test_a_conversion_keeps_it(robot, tmp_path):
    out = tmp_path / "robot.xml"
    assert main(["convert", str(robot), str(out), "--to", "mjcf", "--read", "free-base", "--verify", "-q"]) == 0
    assert len(registry.read(out, "mjcf").system.coordinates) == 7


def test_robot_without_joints_that_move_says_how_its_root_moves(tmp_path, capsys):
    """The URDF of a drone, whose root every simulator of drones frees, has nothing to check while it is welded."""
    file = tmp_path / "drone.urdf"
    file.write_text(f'<robot name="d"><link name="a">{INERTIAL}</link></robot>', "utf-8")
    assert main(["check", str(file), "--formalisms", "newton_euler,lagrange", "--states", "2"]) == 3
    assert "no joint moves (--read free-base lets the root move" in "".join(capsys.readouterr())
    assert (
        main(["check", str(file), "--formalisms", "newton_euler,lagrange", "--states", "2", "--read", "free-base"]) == 0
    )
    assert "no joint moves" not in "".join(capsys.readouterr())


DECLARED = '<robot name="r"><link name="world"/>'
UNDECLARED = ROBOT.format(joint="q").replace('<robot name="r">', DECLARED + FLOATING.partition("/>")[2].format(ENDS))


def test_world_that_no_element_declares_is_the_fixed_frame(robot):
    """Drake alone knows it; a joint that is fixed on it is freed."""
    expected = registry.read_text(UNDECLARED, format="urdf").system
    robot.write_text(UNDECLARED.replace('<link name="world"/>', ""), "utf-8")
    for found in (registry.read(robot).system, _loosen(robot)):
        assert (found.bodies, found.coordinates, found.forces) == (
            expected.bodies,
            expected.coordinates,
            expected.forces,
        )


def _loosen(robot):
    robot.write_text(robot.read_text("utf-8").replace('"floating"', '"fixed"'), "utf-8")
    return registry.read(robot, free_base=True).system


@pytest.mark.parametrize("name", ["pinocchio", "mujoco", "pydrake"])
def test_programs_read_the_same(robot, name):
    pytest.importorskip(name, reason=f"{name} is not installed: the extra peers")
    program = "drake" if name == "pydrake" else name
    reading = registry.read(robot, free_base=True)
    file = robot.with_name("free.urdf")
    file.write_text(reading.text, "utf-8")
    found = mbconcord.check(file, formalisms=["newton_euler"], states=2, claims=(), against=program, exact="off")
    said = {c.quantity: c.verdict for c in found.comparisons if c.claim == program}
    assert len(said) >= 6 and set(said.values()) == {"agrees"}


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (ROBOT.format(joint="q").replace('"a"', '"world"'), "robot.urdf", "is the fixed frame"),
        ((folder() / "mbsd" / "zig.mbsd").read_text("utf-8"), "zig.mbsd", "says itself what moves freely"),
    ],
)
def test_what_has_no_welded_root_is_refused(text, name, said, tmp_path, capsys):
    (tmp_path / name).write_text(text, "utf-8")
    assert main(["info", str(tmp_path / name), "--read", "free-base"]) == 2
    assert said in capsys.readouterr().err
