"""Known differences of other programs are applied to a text, with the effect of each, and named."""

from __future__ import annotations

import pytest

from mbconcord.validation.witnesses.peers import known
from mbconcord.validation.witnesses.peers.known import known_causes

from .programs import ROVER, Fake, known_of, needs

BODY = (
    '<inertial><origin xyz="0.1 0 0"/><mass value="{}"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" '
    'izz="0.02"/></inertial>'
)
GEARED = (
    '<robot name="geared" xmlns:drake="http://drake.mit.edu"><link name="base"/>'
    f'<link name="a">{BODY.format(2)}</link><link name="b">{BODY.format(1)}</link><link name="foot">FOOT</link>'
    '<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-1" '
    'upper="1" effort="9" velocity="9"/></joint><joint name="j2" type="revolute"><parent link="a"/><child link="b"/>'
    '<origin xyz="0.3 0 0" rpy="1.2 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="9"/>'
    '</joint><joint name="f" type="fixed"><parent link="b"/><child link="foot"/><origin xyz="0.02 0 -0.4"/></joint>'
    '<transmission name="t1"><joint name="j1"/><actuator name="m1"><drake:rotor_inertia value="0.0001"/>'
    '<drake:gear_ratio value="160"/></actuator></transmission><transmission name="t2"><joint name="j2"/>'
    '<actuator name="m2"><drake:rotor_inertia value="0.0002"/><drake:gear_ratio value="100"/></actuator>'
    "</transmission></robot>"
)
SHAPES = "".join(
    f'<collision><origin xyz="{xyz}" rpy="{rpy}"/><geometry><{shape}/></geometry></collision>'
    for xyz, rpy, shape in (
        ("0.03 0 -0.02", "0 0 0", 'box size="0.2 0.08 0.04"'),
        ("0 0.1 0", "0.3 0.2 0.1", 'cylinder radius="0.03" length="0.2"'),
        ("0 0 -0.1", "0 0 0", 'sphere radius="0.05"'),
    )
)


@pytest.mark.parametrize("name", ["pinocchio", "mujoco"])
def test_rotors_that_are_not_read_are_named_and_no_body(tmp_path, name):
    needs(name)
    path = tmp_path / "m.urdf"
    path.write_text(GEARED.replace("FOOT", ""), "utf-8")
    (said,) = known_of(path, name)
    assert "reads no rotors of transmissions (j1, j2): alone it changes M by" in said


def test_several_known_differences_are_named_each_with_its_effect(tmp_path, monkeypatch):
    """Shapes of a link without inertial, weighed by hand in a file that says so: the same; and with one not known."""
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(GEARED.replace("FOOT", SHAPES), "utf-8")
    rotors, shapes = known_of(path, "mujoco")
    assert "reads no rotors" in rotors and "changes M by" in rotors and "gravity" not in rotors
    assert "collision shapes of links without inertial, at 1000 kg/m³ (foot): alone it changes M by" in shapes
    assert "gravity by" in shapes
    left = tuple(fault for fault in known.KNOWN if "weighs" not in fault.what)
    monkeypatch.setattr(known, "KNOWN", left)
    (only,) = known_of(path, "mujoco", "why: no cause of the catalogue; the inertia of one body")
    assert "reads no rotors" in only


def test_what_is_known_and_does_not_act_is_not_named(tmp_path, monkeypatch):
    """A foot of no shape: nothing is weighed; a difference that its numbers do not show is not told."""
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(GEARED.replace("FOOT", ""), "utf-8")
    never = known.KnownFault("mujoco", known.EVER, lambda root: ["a"], "MuJoCo drops a", known.drop("inertial"))
    monkeypatch.setattr(known, "KNOWN", (*known.KNOWN, never))
    (said,) = known_of(path, "mujoco")
    assert "reads no rotors" in said


IMPOSSIBLE = GEARED.replace("FOOT", "").replace('ixx="0.01"', 'ixx="0.1"', 1)
IMPOSSIBLE = IMPOSSIBLE[: IMPOSSIBLE.index('<joint name="f"')] + IMPOSSIBLE[IMPOSSIBLE.index("<transmission") :]
IMPOSSIBLE = IMPOSSIBLE.replace('<link name="foot"></link>', "<mujoco><compiler MORE/></mujoco>")


@pytest.mark.parametrize("said", ['balanceinertia="true"', 'balanceinertia="true" boundmass="1.5" boundinertia="0.03"'])
def test_an_extension_is_named_first_and_applied(tmp_path, said):
    """<mujoco> acts on masses and tensors; the rotors stand beside it."""
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(IMPOSSIBLE.replace("MORE", said), "utf-8")
    extension, rotors = known_of(path, "mujoco")
    assert "MuJoCo obeys <mujoco> in a URDF (balanceinertia" in extension and "changes M by" in extension
    assert "reads no rotors" in rotors


def test_what_an_extension_does_and_is_not_applied_is_named_first_and_no_body(tmp_path):
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(IMPOSSIBLE.replace("MORE", 'balanceinertia="true" inertiafromgeom="true"'), "utf-8")
    assert known_of(path, "mujoco", "why: not searched: what is known of it (MuJoCo obeys <mujoco>") == []


def test_elements_of_drake_are_named_but_for_those_that_do_not_act():
    made = Fake()
    made.name, made.version = "drake", "1.51.1"  # type: ignore[misc]
    bushing = "<drake:linear_bushing_rpy><drake:bushing_frameA/></drake:linear_bushing_rpy>"
    assert known_causes(made, f"<robot>{bushing}</robot>").startswith("Drake obeys elements of its own (drake:linear_b")
    surface = "<drake:proximity_properties><drake:mu_static/></drake:proximity_properties>"
    assert known_causes(made, f"<robot><link><collision>{surface}</collision></link></robot>") == ""


def test_known_differences_of_planar_joints_are_applied():
    needs("pinocchio")
    axis, damping = sorted(known_of(ROVER, "pinocchio"), reverse=True)
    assert "whatever its axis (deck): alone it changes M by" in axis and "damping of a planar joint (deck)" in damping


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mujoco", "MuJoCo makes of dry friction a soft constraint of its solver (j2)"),
        ("pinocchio", "Pinocchio applies no dry friction (j2)"),
        ("drake", "Drake does not read the dry friction of joints (j2)"),
    ],
)
def test_dry_friction_that_no_program_applies_is_named(tmp_path, name, said):
    """A friction of zero is none."""
    needs(name)
    still = GEARED[: GEARED.index("<transmission")].replace("FOOT", "") + "</robot>"
    rough = still.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><dynamics friction="0.0"/>', 1)
    place = rough.index("<limit", rough.index('name="j2"'))
    path = tmp_path / "m.urdf"
    path.write_text(f'{rough[:place]}<dynamics friction="0.3"/>{rough[place:]}', "utf-8")
    (found,) = known_of(path, name)
    assert f"{said}: alone it changes applied by" in found and "changes M" not in found


@pytest.mark.parametrize("sprung", ["axis", "axis2"])
def test_a_spring_along_a_universal_joint_that_drake_does_not_apply_is_named(tmp_path, sprung):
    """A stiffness of zero is none."""
    needs("drake")
    tensor = "".join(f"<{x}>{y}</{x}>" for x, y in zip(known.SIX, ("0.1", "0", "0", "0.2", "0", "0.15"), strict=True))
    body = f"<inertial><mass>2</mass><inertia>{tensor}</inertia></inertial>"
    axes = "".join(
        f"<{axis}><xyz>{xyz}</xyz><dynamics><spring_stiffness>{5 * (axis == sprung)}</spring_stiffness></dynamics>"
        f"</{axis}>"
        for axis, xyz in (("axis", "1 0 0"), ("axis2", "0 1 0"))
    )
    path = tmp_path / "m.sdf"
    path.write_text(
        f'<sdf version="1.8"><model name="m"><link name="b"><pose>0.3 0 0 0 0 0</pose>{body}</link><joint name="u" '
        f'type="universal"><parent>world</parent><child>b</child>{axes}</joint></model></sdf>',
        "utf-8",
    )
    (said,) = known_of(path, "drake")
    assert "Drake applies no springs along universal joints (u): alone it changes applied by" in said
    still = Fake()
    still.name, still.version = "drake", "1.51.1"  # type: ignore[misc]
    assert not known_causes(still, path.read_text("utf-8").replace(">5<", ">0<"))
