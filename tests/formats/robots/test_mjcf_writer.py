"""Writing MJCF: the same text again, the same machine, losses by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.api.compare import compare
from mbconcord.converters import registry
from mbconcord.converters.floats import FloatPose, compose_pose
from mbconcord.converters.poses import back
from mbconcord.converters.xml_text import parse
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import (
    Armature,
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    PointCoincidence,
    PointForce,
    Prescribed,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.expressions import TIME, number, rate, symbol
from mbconcord.validation.strategies.trees import random_system

from ..um.um_files import placed
from .mjcf_texts import numbers

FILES = sorted((folder() / "mjcf").glob("*.xml"))
OWN = Inertia(number(2), (0.1, 0, 0.2), (3, 4, 5, 0.1, 0.2, 0.3))


def machine(*joint, **parts) -> System:
    """A body on a joint, and one more on it."""
    names = [et.coordinate for et in joint if et.coordinate]
    given = {
        "coordinates": tuple(map(Coordinate, [*names, "q"])),
        "gravity": Gravity(number("9.81"), (0, 0, -1)),
        "bodies": (Body("a", None, joint, OWN), Body("b", "a", (rotation("z", "q"),), OWN)),
    }
    return System("m", **(given | parts))


def alike(first: System, second: System) -> bool:
    """Whether two machines have the same numbers at a state of coordinates of the same names."""
    random = np.random.default_rng(5)
    q, v, a = (
        dict(zip(first.coordinate_names, row, strict=True))
        for row in random.uniform(-1, 1, (3, len(first.coordinates)))
    )
    one, other = (
        formalisms.formalism("newton_euler").evaluate(system, [State(q=q, v=v, a=a)]).quantities
        for system in (first, second)
    )
    return all(np.allclose(one[k], other[k], rtol=1e-12, atol=1e-12) for k in ("M", "h", "gravity", "applied"))


def again(system: System) -> System:
    text = registry.write(system, "mjcf").text
    return registry.read_text(text, "-", "mjcf").system


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_that_was_read_is_written_as_it_stands(path):
    reading = registry.read(path)
    made = registry.write(reading.system, "mjcf", strict=False)
    assert made.text == path.read_text("utf-8")
    assert {loss.place.partition("/")[2] for loss in made.losses} <= {
        f"{c.name}/position" for c in reading.system.coordinates
    }
    assert registry.read_text(made.text, str(path), "mjcf").system == reading.system


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_that_is_written_anew_is_written_the_same_again(path):
    bare = replace(registry.read(path).system, metadata={}, omissions=())
    first = registry.write(bare, "mjcf").text
    second = registry.write(replace(registry.read_text(first, "-", "mjcf").system, metadata={}), "mjcf").text
    assert second == first


def test_a_changed_model_is_written_anew_and_says_so():
    system = registry.read(FILES[0]).system
    heavier = replace(system, gravity=Gravity(number("1.62"), (0, 0, -1)))
    made = registry.write(heavier, "mjcf")
    assert 'gravity="0 0 -1.62"' in made.text
    assert any(loss.place == "metadata/mjcf:text" for loss in made.losses)


@pytest.mark.parametrize("seed", range(12))
def test_any_joint_of_six_coordinates_is_one_body(seed):
    """Trees of general axes, with motions in time stood still: the poses of all bodies at three states."""
    bodies = tuple(replace(b, inertia=OWN, joint=tuple(map(_still, b.joint))) for b in random_system(seed, 3).bodies)
    names = [n for b in bodies for n in b.coordinates]
    system = System("still", tuple(map(Coordinate, names)), bodies=bodies)
    found = again(system)
    random = np.random.default_rng(seed)
    for _ in range(3):
        q = dict(zip(names, random.uniform(-2, 2, len(names)), strict=True))
        one, other = placed(system, q), placed(found, q)
        for body in bodies:
            np.testing.assert_allclose(other[body.name], one[body.name], atol=2e-14)


def _still(et):
    amount = number("0.3") if isinstance(et.motion, Prescribed) or et.coordinate is None else None
    return et if amount is None else (rotation if et.kind == "rotation" else translation)(et.axis, amount)


FREE = (*(translation(a, f"x_T{a.upper()}") for a in "xyz"), *(rotation(a, f"x_R{a.upper()}") for a in "zyx"))


def test_six_motions_are_a_free_joint_and_three_turns_a_ball():
    loose = machine(*shift((1, 2, 3)), *FREE)
    text = registry.write(loose, "mjcf").text
    assert '<freejoint name="x"/>' in text and alike(loose, again(loose))
    ball = machine(*shift((1, 2, 3)), *FREE[3:], *shift((0, 0, 1)))
    text = registry.write(ball, "mjcf").text
    assert 'type="ball" pos="0 0 -1"' in text and alike(ball, again(ball))
    held = replace(loose, forces=(JointEffort("x_TX_damping", "x_TX", LinearLaw(d=2)),))
    text = registry.write(held, "mjcf").text
    assert "freejoint" not in text and alike(held, again(held))


HELD = {
    "springs": {"forces": (JointEffort("q_spring", "q", LinearLaw(k=3, l0=number("0.2"))),
                           JointEffort("q_damping", "q", -2 * rate("q")))},
    "armatures": {"armatures": (Armature("q_armature", number("0.1"), {"q": number(1)}),
                                Armature("t_armature", number("0.2"), {"q": number(3), "j": number(-1)}))},
    "a motor": {"parameters": (Parameter("m_ctrl", 0),),
                "coordinates": (Coordinate("j"), Coordinate("q", drive=Effort(5 * symbol("m_ctrl"))))},
    "a servo": {"parameters": (Parameter("m_ctrl", 0),),
                "coordinates": (Coordinate("j"), Coordinate(
                    "q", drive=Effort(5 * (symbol("m_ctrl") - symbol("q")) - 2 * rate("q"))))},
    "a spring between points": {"forces": (Bipolar("s", Point("b", (1, 0, 0)), Point(None, (0, 2, 0)),
                                                   LinearLaw(k=3, l0=2, d=1)),)},
    "weight": {"forces": (PointForce("b_gravcomp", Point("b", OWN.centre), (0, 0, number("9.81"))),)},
    "points": {"constraints": (PointCoincidence("p", Point("b", (1, 2, 3)), Point(None, (1, 0, 0))),)},
    "frames": {"constraints": (FrameCoincidence("w", Frame("b", shift((1, 0, 0))), Frame("a")),)},
    "a polynomial": {"constraints": (Holonomic("p", symbol("q") - 2 * symbol("j") * symbol("j") - 1),)},
}  # fmt: skip


@pytest.mark.parametrize("case", HELD)
def test_what_is_held_comes_back(case):
    system = machine(rotation("y", "j"), **HELD[case])
    made = registry.write(system, "mjcf")
    assert made.losses == ()
    found = registry.read_text(made.text, "-", "mjcf").system
    for part in ("armatures", "parameters", "constraints"):
        assert len(getattr(found, part)) == len(getattr(system, part))
    if not system.constraints:
        assert alike(system, found)


LOST = {
    "a formula": ({"forces": (JointEffort("f", "q", symbol("q") * symbol("q")),)}, "forces/f"),
    "a constant force": ({"forces": (JointEffort("f", "q", number(2)),)}, "forces/f"),
    "another drive": ({"coordinates": (Coordinate("j"), Coordinate("q", drive=Effort(symbol("j"))))},
                      "coordinates/q/drive"),
    "a drive in time": ({"coordinates": (Coordinate("j"), Coordinate("q", drive=Effort(TIME)))},
                        "coordinates/q/drive"),
    "a cut slider": ({"constraints": (FrameCoincidence("c", Frame("b", (translation("z", "cut"),)), Frame(None)),)},
                     "constraints/c"),
    "a weld in time": ({"constraints": (FrameCoincidence("c", Frame("b", (rotation("z", Prescribed(TIME)),)),
                                                         Frame(None)),)}, "constraints/c/frames"),
    "a start": ({"coordinates": (Coordinate("j", number(1)), Coordinate("q"))}, "coordinates/j/position"),
    "an order": ({"coordinates": (Coordinate("q"), Coordinate("j"))}, "coordinates"),
    "a force": ({"forces": (PointForce("f", Point("b"), (0, 0, 1)),)}, "forces/f"),
    "a control": ({"coordinates": (Coordinate("j"), Coordinate("q", drive=Effort(symbol("m_ctrl") * 2))),
                   "parameters": (Parameter("m_ctrl", number(3)),)}, "parameters/m_ctrl"),
}  # fmt: skip


@pytest.mark.parametrize("case", LOST)
def test_what_is_lost_is_named(case):
    parts, place = LOST[case]
    losses = registry.write(machine(rotation("y", "j"), **parts), "mjcf").losses
    assert place in {loss.place for loss in losses}


ODD = ("a_", "a\x01", "a\x02", "a\x1f")  # XML can write the first alone


def named_alike():
    """A model whose names differ in characters alone that XML cannot write: bodies, joints, rows, forces, drives."""
    bodies = [Body(n, None, (*(translation(x, f"{n}_T{x.upper()}") for x in "xyz"),
                             *(rotation(x, f"{n}_R{x.upper()}") for x in "zyx")), OWN) for n in ODD]  # fmt: skip
    own = tuple(q for body in bodies for q in body.coordinates)
    drives = {f"{n}_TX": Effort(symbol(f"{n}_ctrl") * 2) for n in ODD}
    return System(
        "m", tuple(Coordinate(q, drive=drives.get(q)) for q in own), bodies=tuple(bodies),
        forces=tuple(Bipolar(n, Point(n), Point(None, (0, 0, k)), LinearLaw(k=k)) for k, n in enumerate(ODD, 1)),
        constraints=tuple(Holonomic(n, symbol(f"{n}_TY") - number(2) * symbol(f"{n}_TZ")) for n in ODD),
        armatures=tuple(Armature(n, 3, {f"{n}_TZ": 1, f"{n}_TY": k}) for k, n in enumerate(ODD, 1)),
        parameters=tuple(Parameter(f"{n}_ctrl", number(0)) for n in ODD),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rpy", "written"),
    [("0 0.3 0", 'axisangle="0 1 0 0.3"'), ("-1.25 0 0", 'axisangle="1 0 0 -1.25"'),
     ("0.1 0 0.3", 'euler="0.3 0 0.1"'), ("0.1 -0.2 0.3", 'euler="0.3 -0.2 0.1"'), ("0 0.2 1.5", 'euler="1.5 0.2 0"'),
     ("0.1 0.2 0.30000000000000000001", 'euler="0.30000000000000000001 0.2 0.1"'),
     ("0.1 0.2 0.300000000000000000000000000001", 'quat="'),
     ("0 0 1.5707963267948966", 'axisangle="0 0 1 1.5707963267948966"'), ("0 0 0", "")],
)  # fmt: skip
def test_turns_by_decimal_angles_are_read_back_as_they_were(rpy, written) -> None:
    """A quaternion of 0.3 rad is rounded, and would be no identical machine."""
    inertia = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1.5" ixy="0.1" ixz="0" iyz="0"/></inertial>'
    inertia = f'<inertial><origin xyz="0.3 0.2 0.1"/>{inertia}'
    text = f"""<robot name="r"><link name="a"/><link name="b">{inertia}</link><joint name="j" type="continuous">
    <parent link="a"/><child link="b"/><origin xyz="0.1 0 0.2" rpy="{rpy}"/><axis xyz="1 0 0"/></joint></robot>"""
    first = registry.read_text(text, "-", "urdf").system
    again = registry.write(first, "mjcf", strict=False).text
    poses = [word for word in ("axisangle", "euler", "quat") if f"{word}=" in again]
    assert ('eulerseq="zyx"' in again) is ("euler" in poses)
    assert written in again and poses == ([written.partition("=")[0]] if written else [])
    found = compare(first, registry.read_text(again, "-", "mjcf").system, states=2)
    assert found.proof is not None
    assert (found.proof.exact.kind == "identical") is (written != 'quat="')


@pytest.mark.parametrize(
    ("rpy", "products", "written"),
    [("0.1 0.2 0.3", 0, 'euler="0.3 0.2 0.1"'), ("0 1.57 0", 0, 'axisangle="0 1 0 1.57"'),
     ("0.1 0.2 0.3", 0.1, "fullinertia="), ("0 0 0", 0, "")],
)  # fmt: skip
def test_moments_about_axes_turned_by_decimal_angles_are_read_back_as_they_were(rpy, products, written) -> None:
    """MuJoCo takes them as ``diaginertia`` alone, and R J R' in the axes of the body is rounded."""
    text = f"""<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0.3 0.2 0.1" rpy="{rpy}"/>
    <mass value="1"/><inertia ixx="1" iyy="1.1" izz="1.5" ixy="{products}" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint></robot>"""
    first = registry.read_text(text, "-", "urdf").system
    again = registry.write(first, "mjcf", strict=False).text
    words = ("euler=", "axisangle=", "fullinertia=")
    assert written in again and [w for w in words if w in again] == [w for w in words if w in written]
    found = compare(first, registry.read_text(again, "-", "mjcf").system, states=2)
    assert found.proof is not None
    assert (found.proof.exact.kind == "identical") is (not products)
    heavy = replace(first, bodies=tuple(replace(b, inertia=Inertia(2, (0, 0, 0), (1, 2, 3))) for b in first.bodies))
    assert 'diaginertia="1 2 3"/>' in registry.write(heavy, "mjcf", strict=False).text


def test_names_that_xml_writes_alike_stay_different():
    """Names apart in control characters alone stay apart, as they are written and as they are read."""
    system = named_alike()
    made = registry.write(system, "mjcf")
    of = {"freejoint": "joint", "spatial": "tendon", "fixed": "tendon"}
    for part in parse(made.text, "-").root.children:
        names = [(of.get(e.tag, e.tag), e.attributes["name"]) for e in part.walk() if "name" in e.attributes]
        assert len({*names}) == len(names), names
    found = registry.read_text(made.text, "-", "mjcf").system
    assert [len(x) for x in (found.bodies, found.coordinates, found.forces, found.constraints, found.armatures)] == [
        4,
        24,
        4,
        4,
        4,
    ]
    written = dict(zip(system.coordinate_names, found.coordinate_names, strict=True))
    at = {q: 0.1 * k for k, q in enumerate(system.coordinate_names)}
    ours = numbers(system, State(q=at, v=at))
    theirs = numbers(found, State(q={written[q]: x for q, x in at.items()}, v={written[q]: x for q, x in at.items()}))
    for quantity in ("M", "applied"):
        np.testing.assert_allclose(ours[quantity], theirs[quantity], rtol=1e-12, atol=1e-12)
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    assert mujoco.MjModel.from_xml_string(made.text).nv == 24


def test_a_parameter_without_value_cannot_be_written():
    with pytest.raises(WriteError, match="an MJCF has numbers alone: set it"):
        registry.write(
            machine(translation((1, 1, 0), 1), *shift((symbol("L"), 0, 0)), parameters=(Parameter("L"),)), "mjcf"
        )


def test_a_body_called_world_is_renamed():
    system = System("m", (Coordinate("q"),), bodies=(Body("world", None, (rotation("z", "q"),), OWN),))
    made = registry.write(system, "mjcf")
    assert 'body name="world_"' in made.text
    assert [loss.place for loss in made.losses] == ["bodies/world"]


@pytest.mark.slow
@pytest.mark.parametrize(("bodies", "kept"), [(197, True), (198, False), (3000, False)])
def test_a_chain_is_as_deep_as_it_can_be_read(bodies, kept):
    """A body stands within that which carries it."""
    chain = registry.read_text(f"(z >)^{bodies - 1} z", "-", "mbsd").system
    if kept:
        assert len(registry.read_text(registry.write(chain, "mjcf").text, "-", "mjcf").system.bodies) == bodies
    else:
        with pytest.raises(WriteError, match=r"bodies/body198: .*198 bodies within one another"):
            registry.write(chain, "mjcf")


# Cut joints as points that coincide.

BEFORE = (*shift((1, -2, 0.5)), rotation((1, 2, 2), 0.7))
AFTER = (rotation("y", -0.4), *shift((0, 0.3, 1)))
ENDING = (rotation((2, 0, 1), 1.1), *shift((0.2, 0, -1)))
#: What moves in a cut joint, how many pairs of points it is, and how many of their rows are independent.
CUTS = {
    "a hinge": ((rotation((3, 0, 4), "cut"),), 2, 5),
    "a ball by x y z": ((rotation("x", "c1"), rotation("y", "c2"), rotation("z", "c3")), 1, 3),
    "a ball by z x z": ((rotation("z", "c1"), rotation("x", "c2"), rotation("z", "c3")), 1, 3),
}  # fmt: skip
#: Those that no points hold exactly.
NO_POINTS = {
    "a universal joint": (rotation("x", "c1"), rotation("y", "c2")),
    "a slider": (translation("x", "c1"),),
    "a cylinder": (rotation("x", "c1"), translation("x", "c2")),
    "turns that reach no whole ball": (rotation("z", "c1"), rotation((1, 0, 1), "c2"), rotation("z", "c3")),
    "turns about three points": (rotation("z", "c1"), *shift((1, 0, 0)), rotation("y", "c2"), rotation("x", "c3")),
}  # fmt: skip


def cut_from_the_ground(joint) -> System:
    """A body that floats but for a cut joint to the ground."""
    cut = FrameCoincidence("cut", Frame(None, (*BEFORE, *joint, *AFTER)), Frame("b", ENDING))
    names = tuple(Coordinate(et.coordinate) for et in FREE)
    return System("m", names, bodies=(Body("b", None, FREE, OWN),), constraints=(cut,))


@pytest.mark.parametrize("case", CUTS)
def test_a_cut_hinge_and_a_cut_ball_are_points(case):
    """MuJoCo holds no equality of the file broken at any pose that the cut joint allows, and any other where it is."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: its word is not heard")
    joint, points, rank = CUTS[case]
    made = registry.write(cut_from_the_ground(joint), "mjcf")
    assert not [loss for loss in made.losses if loss.acts] and made.text.count("<connect ") == points
    model = mujoco.MjModel.from_xml_string(made.text)
    data = mujoco.MjData(model)
    random = np.random.default_rng(3)

    def gap(pose: FloatPose) -> float:
        data.qpos[:3] = pose.p
        mujoco.mju_mat2Quat(data.qpos[3:], pose.R.ravel())
        mujoco.mj_forward(model, data)
        return float(np.abs(data.efc_pos).max())

    for _ in range(5):
        moved = [rotation(et.axis, Constant(float(x))) for et, x in zip(joint, random.uniform(-3, 3, 3))]
        allowed = compose_pose((*BEFORE, *moved, *AFTER)).then(compose_pose(back(ENDING)))
        assert gap(allowed) < 1e-12
        jacobian = np.zeros((3 * points, model.nv))
        for row, along in zip(jacobian, np.eye(data.nefc), strict=True):
            mujoco.mj_mulJacTVec(model, data, row, along)
        assert np.linalg.matrix_rank(jacobian, 1e-9) == rank
        broken = allowed.then(compose_pose((rotation("x", 0.3), *shift((0.1, 0, 0)))))
        assert gap(broken) > 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("case", CUTS)
def test_points_of_a_cut_joint_read_as_the_same_machine(case):
    system = cut_from_the_ground(CUTS[case][0])
    found = registry.read_text(registry.write(system, "mjcf").text, "-", "mjcf").system
    assert [type(c) for c in found.constraints] == [PointCoincidence] * CUTS[case][1]
    assert compare(system, found, states=2).verdict == "agrees"


@pytest.mark.parametrize("case", NO_POINTS)
def test_a_cut_joint_that_no_points_hold_is_lost(case):
    made = registry.write(cut_from_the_ground(NO_POINTS[case]), "mjcf")
    assert "<connect" not in made.text
    assert [loss.place for loss in made.losses if loss.acts] == ["constraints/cut"]


def test_the_second_point_of_a_hinge_has_a_name_of_its_own():
    hinge = FrameCoincidence("c", Frame("b", (rotation("z", "cut"),)), Frame(None))
    taken = PointCoincidence("c_axis", Point("a"), Point(None))
    text = registry.write(machine(rotation("y", "j"), constraints=(hinge, taken)), "mjcf").text
    assert [c.name for c in registry.read_text(text, "-", "mjcf").system.constraints] == ["c", "c_axis_", "c_axis"]
