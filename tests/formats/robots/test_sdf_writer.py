"""Writing SDF: the same text again, the same machine, losses by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model import (
    Armature,
    Body,
    Coordinate,
    Effort,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    Prescribed,
    rotation,
    shift,
    translation,
)
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.expressions import PI_NODE, TIME, number, rate, symbol
from mbconcord.validation.strategies.trees import random_system

from ..um.um_files import placed
from .test_mjcf_writer import OWN, _still, alike, machine

FILES = sorted((folder() / "sdf").glob("*.sdf"))
X, Y, Z = "xyz"


def again(system):
    return registry.read_text(registry.write(system, "sdf").text, "-", "sdf").system


def lost(system) -> set[str]:
    return {loss.place for loss in registry.write(system, "sdf").losses}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_that_was_read_is_written_as_it_stands(path):
    reading = registry.read(path)
    made = registry.write(reading.system, "sdf", strict=True)
    assert made.text == path.read_text("utf-8")
    assert registry.read_text(made.text, str(path), "sdf").system == reading.system


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_that_is_written_anew_is_the_same_machine_and_written_the_same_again(path):
    bare = replace(registry.read(path).system, metadata={}, omissions=())
    made = registry.write(bare, "sdf")
    found = registry.read_text(made.text, "-", "sdf").system
    assert registry.write(replace(found, metadata={}), "sdf").text == made.text
    names = [made.coordinates.get(n, n) for n in bare.coordinate_names]
    assert list(found.coordinate_names) == names
    assert len(found.constraints) == len(bare.constraints)
    if names == list(bare.coordinate_names):
        assert alike(bare.open_loops(), found.open_loops())


def test_a_changed_model_keeps_what_lies_beside():
    system = registry.read(folder() / "sdf" / "arm.sdf").system
    heavier = tuple(replace(b, inertia=OWN) if b.name == "hand" else b for b in system.bodies)
    made = registry.write(replace(system, bodies=heavier), "sdf")
    assert all(word in made.text for word in ('<visual name="tube">', "<upper>2.8</upper>", '<collision name="foot">'))
    assert "<!-- Its inertia is given in axes of its own. -->" in made.text
    assert {loss.place for loss in made.losses} == set()


def test_a_changed_model_loses_what_stood_in_frames_that_are_no_more():
    text = (folder() / "sdf" / "arm.sdf").read_text("utf-8")
    text = text.replace(
        "<pose>0 0 0.15 0 0 0</pose>\n        <geometry><box>",
        '<pose relative_to="shoulder_seat"/>\n        <geometry><box>',
    )
    system = replace(registry.read_text(text, "-", "sdf").system, gravity=None)
    made = registry.write(system, "sdf")
    assert "<visual" not in made.text
    assert {loss.place for loss in made.losses} == {"omissions/image/tube"}


@pytest.mark.parametrize(
    ("gravity", "said"),
    [
        (Gravity(number("9.81"), (0, 0, -1)), '<sdf version="1.11">\n  <model name="m">'),
        (Gravity(number("1.62"), (1, 0, 0)), '<world name="m">\n    <gravity>1.62 0 0</gravity>'),
        (None, '<world name="m">\n    <gravity>0 0 0</gravity>'),
    ],
)
def test_gravity_stands_in_a_world_but_that_which_a_model_alone_has(gravity, said):
    system = machine(rotation(Y, "p"), gravity=gravity)
    assert said in registry.write(system, "sdf").text
    assert again(system).gravity == gravity


@pytest.mark.parametrize("seed", range(8))
def test_joints_of_general_axes_are_joints_of_one(seed):
    """Trees of general axes, with motions in time stood still: the poses of all bodies at three states."""
    still = tuple(
        replace(b, inertia=OWN, joint=tuple(_still(et) for et in b.joint)) for b in random_system(seed, 3).bodies
    )
    names = [n for b in still for n in b.coordinates]
    system = replace(machine(), coordinates=tuple(map(Coordinate, names)), bodies=still)
    made = registry.write(system, "sdf")
    found = registry.read_text(made.text, "-", "sdf").system
    random = np.random.default_rng(seed)
    for _ in range(3):
        q = dict(zip(names, random.uniform(-2, 2, len(names)), strict=True))
        one, other = placed(system, q), placed(found, {made.coordinates.get(n, n): x for n, x in q.items()})
        for body in system.bodies:
            np.testing.assert_allclose(other[body.name], one[body.name], atol=2e-14)


JOINTS = {
    "ball": ((rotation(Z, "j_RZ"), rotation(Y, "j_RY"), rotation(X, "j_RX")), '<joint name="j" type="ball">'),
    "universal": ((rotation((1, 2, 2), "j_0"), rotation(Y, "j_1")), '<joint name="j" type="universal">'),
    "free": (
        (
            *shift((1, 2, 3)),
            *(translation(a, f"a_T{a.upper()}") for a in "xyz"),
            *(rotation(a, f"a_R{a.upper()}") for a in "zyx"),
        ),
        '<link name="a">\n      <pose>1 2 3 0 0 0</pose>',
    ),
    "prismatic": ((translation((0.6, 0, 0.8), "j"),), '<joint name="j" type="prismatic">'),
    "fixed": ((), '<joint name="a_fixed" type="fixed">'),
}


@pytest.mark.parametrize(("joint", "said"), JOINTS.values(), ids=JOINTS)
def test_joints_of_several_coordinates(joint, said):
    system = machine(*joint)
    made = registry.write(system, "sdf")
    assert said in made.text
    assert not made.losses
    assert alike(system, again(system))
    assert again(system).coordinate_names == system.coordinate_names


def test_coordinates_of_which_something_is_said_alone_are_joints_of_their_own():
    system = machine(*JOINTS["ball"][0], forces=(JointEffort("f", "j_RY", LinearLaw(d=number(2))),))
    text = registry.write(system, "sdf").text
    assert "ball" not in text
    assert text.count("<mass>0</mass>") == 2
    assert alike(system, again(system))


@pytest.mark.slow
def test_a_screw_is_one_joint():
    row = Holonomic("thread", symbol("j_slide") - number("0.05") * symbol("j") / (2 * PI_NODE))
    system = machine(rotation(Z, "j"), translation(Z, "j_slide"), constraints=(row,))
    made = registry.write(system, "sdf")
    assert "<screw_thread_pitch>0.05</screw_thread_pitch>" in made.text
    assert [loss.place for loss in made.losses] == ["constraints/thread"]
    assert "it is read as 'j_screw'" in str(made.losses[0])
    assert again(system).constraints[0].expression is row.expression


HELD = {
    "spring": ({"forces": (JointEffort("q_spring", "q", LinearLaw(k=number(3), l0=number("0.2"))),)}, set()),
    "damping": ({"forces": (JointEffort("q_damping", "q", LinearLaw(d=number(3))),)}, set()),
    "a law": ({"forces": (JointEffort("f", "q", -(rate("q") * rate("q"))),)}, {"forces/f"}),
    "mimic": ({"constraints": (Holonomic("q_mimic", symbol("q") - 2 * symbol("p") - 1),)}, set()),
    "a row": ({"constraints": (Holonomic("r", symbol("q") * symbol("p")),)}, {"constraints/r"}),
    "a rotor": ({"armatures": (Armature("q_rotor", number(2), {"q": number(3)}),)}, set()),
    "a belt": ({"armatures": (Armature("x", number(2), {"q": number(3), "p": number(1)}),)}, {"armatures/x"}),
    "a second rotor": (
        {"armatures": tuple(Armature(n, number(2), {"q": number(3)}) for n in ("q_rotor", "x"))}, {"armatures/x"}
    ),
    "no weight": ({"forces": (PointForce("a_gravity", Point("a", OWN.centre), (0, 0, number("19.62"))),)}, set()),
    "half of the weight": (
        {"forces": (PointForce("a_gravity", Point("a", OWN.centre), (0, 0, number("9.81"))),)}, {"forces/a_gravity"}
    ),
    "a drive": (
        {"coordinates": (Coordinate("p"), Coordinate("q", drive=Effort(symbol("q"))))}, {"coordinates/q/drive"}
    ),
    "a position": ({"coordinates": (Coordinate("p", number(1)), Coordinate("q"))}, {"coordinates/p/position"}),
    "a closed loop": (
        {"constraints": (FrameCoincidence("c", Frame("b", (rotation(Z, "c"),)), Frame(None)),)}, set()
    ),
    "a weld": (
        {"constraints": (FrameCoincidence("c", *(Frame(body, shift((1, 0, 0))) for body in ("b", None))),)}, set()
    ),
    "a loop that is open at zero": (
        {"constraints": (FrameCoincidence("c", Frame("b", shift((1, 0, 0))), Frame(None)),)}, {"constraints/c"}
    ),
    "a motion in time": (
        {"bodies": (
            Body("a", None, (rotation(Y, "p"), rotation(X, Prescribed(TIME))), OWN),
            Body("b", "a", (rotation(Z, "q"),), OWN),
        )},
        {"bodies/a/joint"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "losses"), HELD.values(), ids=HELD)
def test_what_is_held_comes_back_and_what_is_not_is_a_loss(parts, losses):
    system = machine(rotation(Y, "p"), **parts)
    assert lost(system) == losses
    if not losses:
        found = again(system)
        assert alike(system.open_loops(), found.open_loops())
        assert [c.name for c in found.constraints] == [c.name for c in system.constraints]
        assert [f.name for f in found.forces] == [f.name for f in system.forces]


def test_names_that_sdf_reads_otherwise():
    bodies = (Body("world", None, (rotation(Y, "x::y"),), OWN), Body("q", "world", (rotation(Z, "q"),), OWN))
    system = replace(machine(), coordinates=(Coordinate("x::y"), Coordinate("q")), bodies=bodies)
    made = registry.write(system, "sdf")
    found = registry.read_text(made.text, "-", "sdf").system
    assert made.coordinates == {"x::y": "x__y"}
    assert [b.name for b in found.bodies] == ["world_", "q_"]
    assert {"bodies/world", "bodies/q"} <= {loss.place for loss in made.losses}


def test_free_links_come_first():
    """Where they do not in the model, the order is lost, and said to be."""
    bodies = (Body("b", None, (rotation(Z, "q"),), OWN), Body("a", None, JOINTS["free"][0], OWN))
    names = ["q", *bodies[1].coordinates]
    system = replace(machine(), coordinates=tuple(map(Coordinate, names)), bodies=bodies)
    assert lost(system) == {"coordinates"}
    assert again(system).coordinate_names == (*names[1:], "q")


def test_a_negative_mass_is_refused():
    with pytest.raises(WriteError, match="-2 kg"):
        registry.write(
            machine(
                bodies=(Body("b", None, (rotation(Z, "q"),), replace(OWN, mass=number(-2))),),
                coordinates=(Coordinate("q"),),
            ),
            "sdf",
            physics="ignore",
        )
