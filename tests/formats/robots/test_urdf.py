"""URDF: what its elements mean in numbers, what is left out of the model, what is refused and where."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.converters.registry import Reading
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import (
    Armature,
    Body,
    Coordinate,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    Parameter,
    Prescribed,
    ReadError,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import TIME, evaluate, number, rate, symbol
from mbconcord.validation.compare import same_machine

from ..um.um_files import placed

VECTORS = Path(__file__).parents[4] / "shared" / "specs" / "vectors" / "robots"
MASS = '<inertial><mass value="2"/><inertia ixx="3" ixy="0" ixz="0" iyy="2" iyz="0" izz="4"/></inertial>'
ARM = (folder() / "urdf" / "arm.urdf").read_text("utf-8")


def read(text: str) -> Reading:
    return registry.read_text(text, "robot.urdf")


def robot(joint: str, kind: str = "revolute", more: str = "", link: str = MASS) -> str:
    """A robot of one joint, the joint's elements and what else stands in it given."""
    return (
        f'<robot name="r"><link name="world"/>\n<link name="a">{link}</link>\n<joint name="j" type="{kind}">'
        f'<parent link="world"/><child link="a"/>{joint}</joint>\n{more}</robot>'
    )


def numbers(system: System, state: State) -> dict[str, np.ndarray]:
    derivation = formalisms.formalism("newton_euler").derive(system.open_loops())
    found = evaluate_derivation(derivation, [state]).quantities
    return {name: value[0] for name, value in found.items()}


# --- meaning --------------------------------------------------------------------------------------------


def test_an_origin_turns_about_fixed_axes_roll_first():
    """Rz(yaw) Ry(pitch) Rx(roll), by hand: a quarter roll and then a quarter yaw take z to x."""
    half = 1.5707963267948966
    for turned in (f'rpy="{half} 0 {half}"', 'quat_xyzw="0.5 0.5 0.5 0.5"'):
        made = read(robot(f'<origin xyz="1 2 3" {turned}/>', "fixed")).system
        expected = [[0, 0, 1, 1], [1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]]
        np.testing.assert_allclose(placed(made, {})["a"], expected, atol=1e-15)


@pytest.mark.parametrize(
    ("axis", "towards"), [("", "x"), ('<axis xyz="0 0 -2"/>', "-z"), ('<axis xyz="0 3 0"/>', "y"), ("<axis/>", "x")]
)
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_an_axis_has_any_length_and_is_x_by_default(axis, towards, kind):
    found = read(robot(axis, kind))
    (body,) = found.system.bodies
    moved = translation if kind == "prismatic" else rotation
    assert body.joint == (moved(towards, "j"),)
    said = [d.message for d in found.diagnostics if "specify limits" not in d.message]
    assert ["without xyz" in message for message in said] == [True] * (axis == "<axis/>")


@pytest.mark.parametrize(
    ("axis", "along", "across"),
    [
        ("0 0 1", (1, 0, 0), (0, 1, 0)),
        ("1 0 0", (0, 0, -1), (0, 1, 0)),
        ("0 1 0", (1, 0, 0), (0, 0, -1)),
        ("0 0 -1", (1, 0, 0), (0, -1, 0)),
        ("0.6 0 0.8", (0.8, 0, -0.6), (0, 1, 0)),
    ],
)
def test_a_planar_joint_slides_in_the_plane_of_its_axis(axis, along, across):
    (body,) = read(robot(f'<axis xyz="{axis}"/>', "planar")).system.bodies
    first, second, turn = body.joint
    assert (first, second) == (
        translation(map(number, map(str, along)), "j_TX"),
        translation(map(number, map(str, across)), "j_TY"),
    )
    assert turn == rotation([number(x) for x in axis.split()], "j_RZ")


def test_a_tensor_is_turned_from_the_inertial_frame_into_the_links():
    """J = R J Rᵀ: a quarter turn about z exchanges xx and yy and turns the sign of xy."""
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="3" ixy="0.5" ixz="0" iyy="2" iyz="0" izz="4"/></inertial>'
    )
    (body,) = read(robot("", link=inertial)).system.bodies
    assert body.inertia.centre == (number(1), number(2), number(3))
    np.testing.assert_allclose(evaluate(body.inertia.tensor, {}), [2, 3, 4, -0.5, 0, 0], atol=1e-15)


def test_damping_is_a_force_and_a_mimic_a_row():
    system = read(
        robot(
            '<dynamics damping="0.5"/>',
            more=f'<link name="b">{MASS}</link><joint name="k" type="prismatic"><parent link="a"/><child link="b"/>'
            '<mimic joint="j" multiplier="-2" offset="0.3"/></joint>',
        )
    ).system
    (force,) = system.forces
    assert (force.name, force.coordinate) == ("j_damping", "j")
    assert force.expression() is -(number("0.5") * rate("j"))
    (row,) = system.constraints
    assert row == Holonomic("k_mimic", symbol("k") + 2 * symbol("j") - number("0.3"))
    assert read(robot('<dynamics damping="0.5"/>', "planar")).system.forces[2].coordinate == "j_RZ"


def test_coordinates_stand_in_the_order_of_the_joints_and_bodies_behind_their_parents():
    system = read(
        '<robot name="r"><link name="c"/><link name="b"/><link name="a"/>'
        '<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    ).system
    assert system.coordinate_names == ("k", "j")
    assert [(b.name, b.parent) for b in system.bodies] == [("a", None), ("b", "a"), ("c", "b")]


@pytest.mark.skipif(not VECTORS.is_dir(), reason="vectors of robots are not part of the project: none lie beside")
@pytest.mark.parametrize(
    "name",
    ["01_inertial_rpy", "02_fixed_links", "03_planar_axis", "04_mimic", "05_defaults_damping", "16_general_joint",
     "17_rotor", "22_massless_inertia"],
)  # fmt: skip
def test_vectors(name):
    """Numbers of other programs, to the digits that they are stored with."""
    expected = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    system = registry.read(VECTORS / f"{name}.urdf").system
    names = expected["coordinates"]
    assert list(system.coordinate_names) == names
    q, v = (dict(zip(names, expected["state"][key], strict=True)) for key in "qv")
    found = numbers(system, State(q=q, v=v))
    for quantity in ("M", "h", "gravity"):
        size = max(np.abs(expected[q]).max() for q in ("M", quantity))
        np.testing.assert_allclose(found[quantity], expected[quantity], atol=5e-14 * size, rtol=0, err_msg=quantity)
    poses = placed(system, q)
    for link, pose in expected["poses"].items():
        np.testing.assert_allclose(poses[link][:3, :3], pose["R"], atol=5e-15)
        np.testing.assert_allclose(poses[link][:3, 3], pose["p"], atol=5e-15)
    if "passive" in expected:  # without Coulomb's friction, -0.3 N along s, which moves at 0.5 m/s: see its notes
        rubbed = {"s": -0.3}
        forces = [f + rubbed.get(q, 0) for q, f in zip(names, expected["passive"], strict=True)]
        np.testing.assert_allclose(found["applied"], forces, atol=1e-14)


# --- what is left out -----------------------------------------------------------------------------------


def left_out(text: str) -> dict[str, str]:
    """Kinds of what is left out with the effects on the motion."""
    return {omission.kind: omission.effect for omission in read(text).system.omissions}


@pytest.mark.parametrize(
    ("text", "kind", "effect"),
    [
        (robot('<limit lower="-1" upper="1" effort="3" velocity="2"/>'), "joint-limit", "none"),
        (robot('<calibration rising="0"/>'), "calibration", "none"),
        (robot("", link="<visual><geometry/></visual>" + MASS), "image", "none"),
        (robot("", link="<collision><geometry/></collision>" + MASS), "collision-shape", "none"),
        (robot('<dynamics friction="0.2"/>'), "stiction", "none"),
        (robot('<dynamics friction="0.2"/>', "planar"), "joint-friction", "forces"),
        (robot('<dynamics damping="0.2"/>', "floating"), "joint-damping", "forces"),
        (robot("", more='<material name="m"/>'), "material", "none"),
        (robot("", more='<transmission name="t"><joint name="j"/></transmission>'), "transmission", "none"),
        (robot("", more='<transmission name="t"><drake:rotor_inertia value="0.1"/></transmission>'),
         "rotor", "inertia"),
        (robot("", more='<gazebo reference="a"><kp>1</kp></gazebo>'), "extension", "none"),
        (robot("", more="<gazebo><turnGravityOff>true</turnGravityOff></gazebo>"), "extension", "unknown"),
        (robot("", more='<gazebo><plugin name="p" filename="thruster.so"/></gazebo>'), "extension", "unknown"),
        (robot("", more='<gazebo><sensor name="s"><plugin name="p"/></sensor></gazebo>'), "extension", "none"),
        (robot("", more="<gazebo><never_heard_of/></gazebo>"), "extension", "unknown"),
        (robot("", more='<mujoco><option gravity="0 0 -1"/></mujoco>'), "extension", "unknown"),
        (robot("", more='<mujoco><compiler settotalmass="5"/></mujoco>'), "extension", "inertia"),
        (robot("", more='<mujoco><compiler meshdir="m" never_heard_of="5"/></mujoco>'), "extension", "unknown"),
        (robot("", more='<mujoco><compiler meshdir="m" discardvisual="true"/></mujoco>'), "extension", "none"),
        (robot("<!-- said -->"), "comment", "none"),
        (robot("<damping>3</damping>"), "block", "unknown"),
        (robot('<dynamics damping="1" stiffness="3"/>'), "attribute", "unknown"),
        (robot("", link=MASS + MASS), "block", "unknown"),
    ],
)  # fmt: skip
def test_what_is_left_out(text, kind, effect):
    assert left_out(text) == {kind: effect}


ROTOR = '<drake:rotor_inertia value="0.002"/><drake:gear_ratio value="-50"/>'


def geared(rotor: str = ROTOR, joint: str = "j", beside: str = "") -> str:
    """A transmission with the rotor of a joint."""
    return (
        f'<transmission name="t"><joint name="{joint}"/><actuator name="m"><mechanicalReduction>1'
        f"</mechanicalReduction>{rotor}</actuator>{beside}</transmission>"
    )


def test_a_rotor_behind_gears_is_inertia_along_its_joint():
    """By Drake's rule n² J; a second one has a number, and without a ratio n is 1."""
    more = geared() + geared('<drake:rotor_inertia value="3"/>').replace('name="t"', 'name="u"')
    system = read(robot("", more=more)).system
    assert system.armatures == (
        Armature("j_rotor", number("0.002"), {"j": number(-50)}),
        Armature("j_rotor2", number(3), {"j": number(1)}),
    )
    assert "drake" not in str(system.omissions)
    bare = registry.write(replace(system, metadata={}, omissions=()), "urdf")
    assert ElementTree.fromstring(bare.text).get("name") == system.name  # every prefix is declared
    assert read(bare.text).system.armatures == system.armatures and not bare.losses
    heavier = replace(system, armatures=(replace(system.armatures[0], inertia=number(7)),))
    made = registry.write(heavier, "urdf")
    assert read(made.text).system.armatures == heavier.armatures and not made.losses
    assert "mechanicalReduction" in made.text and made.text.count("drake:rotor_inertia") == 1


@pytest.mark.parametrize(
    ("more", "kind", "joint"),
    [
        (geared(joint="k"), "rotor", "revolute"),
        (geared(beside='<joint name="j"/>'), "rotor", "revolute"),
        (geared(), "rotor", "floating"),
        (geared('<drake:rotor_inertia value="0.0"/>'), "transmission", "revolute"),
    ],
)
def test_a_rotor_that_turns_with_no_joint_of_one_coordinate_is_left_out(more, kind, joint):
    text = robot("", joint, more=more)
    assert left_out(text) == {kind: "inertia" if kind == "rotor" else "none"}
    assert read(text).system.armatures == ()


def test_a_tendon_is_lost_in_a_urdf():
    system = read(robot("", "planar")).system
    tendon = Armature("tendon", number(1), {"j_TX": number(1), "j_TY": number(-1)})
    (loss,) = registry.write(replace(system, metadata={}, armatures=(tendon,)), "urdf").losses
    assert (loss.place, loss.what) == ("armatures/tendon", "the inertia along j_TX, j_TY alone")


def test_what_limits_nothing_and_no_friction_are_not_left_out():
    assert (
        left_out(robot('<dynamics friction="0.0"/><limit lower="-1e9" upper="1e9" effort="1e9" velocity="1e9"/>')) == {}
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (robot("<damping>3</damping>"), ("<damping> in <joint> is not known", "<dynamics>")),
        (robot('<dynamics stiffness="3"/>'), ("attribute stiffness of <dynamics>", "known: damping, friction")),
        (robot("", link=MASS + MASS), ("<inertial> stands twice", "the first is read")),
        (robot("", link=""), ("'j' moves nothing with mass", "it has no <inertial>", "fix the joint")),
        (robot("", link=re.sub('"[234]"', '"0.0"', MASS)),
         ("'j' moves nothing with mass", "its mass and inertia are zero")),
        (robot('<origin rpy="0 0 90"/>'), ("more than two turns", "in radians")),
    ],
)  # fmt: skip
def test_what_is_warned_about(text, said):
    (found,) = (d for d in read(text).diagnostics if "specify limits" not in d.message)
    assert found.severity == "warning" and found.location is not None
    assert [words for words in said if words not in str(found)] == []


# --- what is refused ------------------------------------------------------------------------------------

LAUGHS = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><robot name="r">&b;</robot>'
TWO = '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n{}</robot>'
JOINT = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>\n'
REFUSED = {
    "no XML": ("<robot name='r'><link", (1, 17), ("no well-formed XML", "unclosed token")),
    "wrong end": ("<robot>\n <link>\n</robot>", (3, 3), ("mismatched tag", "in <link>")),
    "twice the same": ('<robot name="a" name="b"/>', (1, 17), ("duplicate attribute",)),
    "document type": (LAUGHS, (1, 13), ("document type", "remove <!DOCTYPE")),
    "entity": ("<robot>&lol;</robot>", (1, 8), ("undefined entity", "write out")),
    "external": ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>', (1, 40), ("document type",)),
    "code page": ('<?xml version="1.0" encoding="latin-1"?><robot name="é"/>', (1, 1), ("latin-1", "UTF-8")),
    "deep": ("<a>" * 201 + "</a>" * 201, (1, 601), ("201 elements within one another", "at most 200")),
    "another root": ("<sdf><link/></sdf>", (1, 1), ("<sdf>", "expected <robot>")),
    "macro": ('<robot name="r"><xacro:include filename="a"/></robot>', (1, 17), ("macros", "xacro robot")),
    "macro in a number": (robot('<origin xyz="${x} 0 0"/>'), (3, 72), ("the macro", "xacro robot")),
    "macro in a link": (robot("", link="<xacro:shape/>" + MASS), (2, 16), ("found <xacro:shape>", "xacro robot")),
    "no links": ('<robot name="r"/>', (1, 1), ("without links",)),
    "no name": ('<robot name="r"><link/></robot>', (1, 17), ("<link> with no name",)),
    "same link": (TWO.format('<link name="a"/>'), (4, 1), ("'a' stands twice", "line 2")),
    "same joint": (TWO.format(JOINT.format("j", "a", "b") * 2), (5, 1), ("joint 'j' stands twice", "line 4")),
    "unknown parent": (TWO.format(JOINT.format("j", "c", "b")), (4, 30), ("no link 'c'", "known: a, b")),
    "no child": (robot("").replace('<child link="a"/>', ""), (3, 1), ("'j' has no element <child>",)),
    "unknown type": (robot("", "revolut"), (3, 1), ("'revolut'", "did you mean 'revolute'?")),
    "two parents": (TWO.format(JOINT.format("j", "a", "b") + JOINT.format("k", "a", "b")), (5, 1),
                    ("'b' has two parents", "no closed loops")),
    "two roots": (TWO.format(""), (3, 1), ("2 links hang on no joint: a, b", "fixed or floating")),
    "circle": (TWO.format(JOINT.format("j", "a", "b") + JOINT.format("k", "b", "a")), (5, 1),
               ("carry one another in a circle: b, a",)),
    "zero axis": (robot('<axis xyz="0 0.0 0"/>'), (3, 72), ("'j' is zero", "no direction")),
    "two numbers": (robot('<axis xyz="1 0"/>'), (3, 72), ("xyz of <axis>", "found '1 0'", "3 numbers")),
    "unit": (robot('<origin xyz="10cm 0 0"/>'), (3, 72), ("'10cm'", "write 0.1")),
    "comma": (robot('<origin xyz="0,1 0 0"/>'), (3, 72), ("'0,1'", "write 0.1")),
    "nan": (robot('<origin xyz="nan 0 0"/>'), (3, 72), ("'nan' is not a finite number",)),
    "negative mass": (robot("", link=MASS.replace('mass value="2"', 'mass value="-2"')), (2, 26),
                      ("the mass of 'a' is -2 kg", "not negative")),
    "no mass": (robot("", link="<inertial><inertia/></inertial>"), (2, 16), ("has no <mass>",)),
    "no tensor": (robot("", link='<inertial><mass value="1"/></inertial>'), (2, 16), ("has no <inertia>",)),
    "no moment": (robot("", link=MASS.replace('izz="4"', "")), (2, 43), ("<inertia> without izz",)),
    "unknown leader": (robot('<mimic joint="k"/>'), (3, 72), ("no joint 'k'", "known: j")),
    "own leader": (robot('<mimic joint="j"/>'), (3, 72), ("mimics itself",)),
    "planar leader": (robot("", "planar", '<link name="b"/><joint name="k" type="continuous"><parent link="a"/>'
                            '<child link="b"/><mimic joint="j"/></joint>'), (4, 86),
                      ("'k' mimics 'j', and 'j' is planar",)),
    "two turns": (robot('<origin rpy="0 0 1" quat_xyzw="0 0 0 1"/>'), (3, 72), ("rpy and quat_xyzw",)),
    "no turn": (robot('<origin quat_xyzw="0 0 0 0"/>'), (3, 72), ("quat_xyzw is zero",)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    text, (line, column), words = REFUSED[name]
    with pytest.raises(ReadError) as caught:
        read(text)
    first = next(d for d in caught.value.diagnostics if d.location)
    assert (first.location.line, first.location.column) == (line, column), str(first)
    assert [w for w in words if w not in str(first)] == []


@pytest.mark.slow
def test_many_elements_are_refused_soon():
    with pytest.raises(ReadError, match="elements; expected at most"):
        read("<robot>" + "<a/>" * 200_001 + "</robot>")


# --- writing --------------------------------------------------------------------------------------------


def test_a_urdf_comes_back_as_it_stands():
    writing = registry.write(read(ARM).system, "urdf", strict=True)
    assert writing.text == ARM and writing.losses == ()


def test_what_lies_beside_stays_where_the_dynamics_change():
    """Another mass: written anew, with shapes, limits, transmissions and comments, and nothing lost."""
    system = read(ARM).system
    heavier = replace(system.bodies[1], inertia=replace(system.bodies[1].inertia, mass=number(3)))
    changed = replace(system, bodies=(system.bodies[0], heavier, *system.bodies[2:]))
    writing = registry.write(changed, "urdf")
    again = read(writing.text).system
    assert writing.losses == ()
    assert sorted((o.kind, o.what) for o in again.omissions) == sorted((o.kind, o.what) for o in system.omissions)
    assert [b.joint for b in again.bodies] == [b.joint for b in system.bodies]
    assert 'xmlns:drake="http://drake.mit.edu"' in writing.text
    assert '<joint name="bracket" type="fixed">' in writing.text
    assert same_machine(changed, again, 2).verdict == "agrees"
    assert registry.write(again, "urdf").text == writing.text


def test_a_link_that_is_gone_takes_its_shapes_along():
    """Though another link has a shape that is the same."""
    shape = "<visual><geometry/></visual>"
    text = ARM.replace('<link name="tool"/>', f'<link name="tool">{shape}</link>')
    system = read(text.replace('<link name="camera">', f'<link name="camera">{shape}')).system
    writing = registry.write(replace(system, bodies=system.bodies[:-1]), "urdf")
    assert [loss.place for loss in writing.losses] == ["omissions/image/tool"]


BODY = Body("a", None, (rotation("z", "q"),), Inertia(number(2), (0, 0, 0), (1, 1, 1)))
DOWN = Gravity(number("9.81"), (0, 0, -1))


def model(**parts) -> System:
    return System(**({"name": "m", "coordinates": (Coordinate("q"),), "gravity": DOWN, "bodies": (BODY,)} | parts))


def losses(system: System) -> dict[str, str]:
    return {loss.place: f"{loss.what}: {loss.reason}" for loss in registry.write(system, "urdf").losses}


def test_a_plain_model_loses_nothing():
    assert losses(model()) == {}


LOSSES = [
    ({"gravity": None}, "gravity", "the absence of gravity"),
    ({"gravity": Gravity(number("1.62"), (0, 0, -1))}, "gravity", "the size 1.62 m/s²"),
    ({"gravity": Gravity(number("9.81"), (0, -1, 0))}, "gravity", "the fixed frame is turned"),
    ({"coordinates": (Coordinate("q", number("0.3")),)}, "coordinates/q/position", "no state"),
    ({"parameters": (Parameter("m1", number(2)),)}, "parameters/m1", "numbers are written"),
    ({"parameters": (Parameter("m1"),)}, "parameters/m1", "nothing in the URDF uses it"),
    ({"forces": (JointEffort("s", "q", -symbol("q")),)}, "forces/s", "-d q' and dry friction -F sign(q') alone"),
    ({"forces": (JointEffort("d", "q", -rate("q")),)}, "forces/d", "read as 'q_damping'"),
    ({"bodies": (replace(BODY, joint=(translation("x", Prescribed(TIME)), *BODY.joint)),)}, "bodies/a/joint",
     "as at t = 0"),
    ({"constraints": (Holonomic("c", symbol("q") - TIME),)}, "constraints/c", "mimics alone"),
    ({"bodies": (replace(BODY, name="world"),)}, "bodies/world", "written as world_"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "place", "words"), LOSSES)
def test_losses(parts, place, words):
    found = losses(model(**parts))
    assert [*found] == [place] and words in found[place]


@pytest.mark.parametrize(
    ("parts", "place"),
    [
        ({"bodies": (replace(BODY, inertia=Inertia(number(-1))),)}, "bodies/a/inertia"),
        ({"bodies": (replace(BODY, inertia=Inertia(symbol("m1"))),), "parameters": (Parameter("m1"),)},
         "parameters/m1"),
        ({"bodies": (replace(BODY, inertia=Inertia(symbol("m1") ** -1)),),
          "parameters": (Parameter("m1", number(0)),)}, "bodies/a/inertia"),
    ],
)  # fmt: skip
def test_what_is_not_written(parts, place):
    with pytest.raises(WriteError) as caught:
        registry.write(model(**parts), "urdf", physics="ignore")
    assert [d.place for d in caught.value.diagnostics] == [place]


@pytest.mark.parametrize(
    "turns",
    [
        ("z", 0.3, "y", -0.7, "x", 1.1),
        ("x", 1.1, "y", 0.4, "z", -2.0),
        ("y", 1.5707963267948966, "x", 0.5, "z", 0.25),
        ("x", 0.1, "y", -1.5707963267948966, "z", 3.0),
        ("y", 1.5707963, "x", 2.0, "z", -1.0),
        ("z", 3.141592653589793, "y", 3.0, "x", -3.0),
    ],
)
def test_turns_in_any_order_are_written_as_roll_pitch_and_yaw(turns):
    """Also where pitch is a quarter turn: the frames are the same to the last digits."""
    joint = (*shift((1, 2, 3)), *(rotation(a, number(repr(x))) for a, x in zip(turns[::2], turns[1::2], strict=True)))
    before = model(bodies=(replace(BODY, joint=(*joint, *BODY.joint, translation("y", number("0.5")))),))
    after = read(registry.write(before, "urdf").text).system
    q = {"q": 0.7}
    np.testing.assert_allclose(placed(before, q)["a"], placed(after, q)["a"], atol=4e-16 * 4, rtol=0)


def test_a_row_of_two_coordinates_is_a_mimic_whatever_its_factors():
    bodies = (BODY, Body("b", "a", (translation("x", "p"),), BODY.inertia))
    row = Holonomic("c", 4 * symbol("q") - symbol("p") / 2 + 3)
    system = model(bodies=bodies, coordinates=(Coordinate("q"), Coordinate("p")), constraints=(row,))
    text = registry.write(system, "urdf").text
    assert '<mimic joint="q" multiplier="8" offset="6"/>' in text
    assert same_machine(system, read(text).system, 2).verdict == "agrees"


def test_joints_that_float_or_slide_in_a_plane_are_written_whole():
    text = (folder() / "urdf" / "rover.urdf").read_text("utf-8")
    system = replace(read(text).system, name="other")
    written = registry.write(system, "urdf").text
    assert 'type="floating"' in written and 'type="planar"' in written and '<axis xyz="0 0.6 0.8"/>' in written
    assert read(written).system.bodies == system.bodies


def test_what_is_kept_may_be_no_urdf():
    for kept in (3, ["<robot"], ["no", 4], []):
        assert "metadata/urdf:text" in losses(model(metadata={"urdf:text": kept}))
