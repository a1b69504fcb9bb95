"""Limits and dry friction go with a model into other formats; what cannot act is no omission that acts."""

from __future__ import annotations

import math

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.fittings import NO_FITTINGS, Fittings, Friction, same_friction
from mbconcord.model.expressions import evaluate_float, number

INERTIA = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
URDF = f"""<robot name="arm"><link name="base"/>
  <link name="a"><inertial><mass value="2"/>{INERTIA}</inertial></link>
  <link name="b"><inertial><mass value="1"/>{INERTIA}</inertial></link>
  <link name="c"><inertial><mass value="1"/>{INERTIA}</inertial></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2.5" effort="30" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="j2" type="prismatic"><origin xyz="0.4 0 0"/><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.5" effort="40" velocity="1"/></joint>
  <joint name="j3" type="continuous"><origin xyz="0.4 0 0"/><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <dynamics friction="0.7"/></joint>
</robot>"""
MJCF = """<mujoco><default><joint damping="0.1" frictionloss="0.2"/></default><worldbody><body name="a">
  <joint name="j1" axis="0 0 1" range="-90 45" actuatorfrcrange="-30 30"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="b"><joint name="j2" type="slide" range="-0.1 0.2" frictionloss="0"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"/><joint name="j1" type="revolute"><parent>world</parent>
  <child>a</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1e16</upper><effort>-1</effort></limit>
  <dynamics><friction>0.4</friction></dynamics></axis></joint></model></sdf>"""
TEXTS = {"urdf": URDF, "mjcf": MJCF, "sdf": SDF}
PAIRS = [(a, b) for a in TEXTS for b in TEXTS if a != b]


def told(fittings: Fittings) -> tuple[dict[str, list[float | None]], dict[str, float]]:
    """Return limits and dry friction as numbers; of limits without ends nothing."""
    limits = {
        name: [x and evaluate_float(x, {}) for x in (f.lower, f.upper)]
        for name, f in fittings.limits.items()
        if f.stops
    }
    return limits, {name: evaluate_float(f.value, {}) for name, f in fittings.friction.items()}


def test_limits_and_friction_are_found_in_the_units_of_the_model() -> None:
    found = registry.fittings(registry.read_text(MJCF, "m.xml", "mjcf").system)
    values = {name: evaluate_float(limit.lower, {}) for name, limit in found.limits.items() if limit.lower is not None}
    assert values == {"j1": pytest.approx(-math.pi / 2), "j2": -0.1}
    assert {name: str(limit.effort) for name, limit in found.limits.items()} == {"j1": "30", "j2": "None"}
    assert {name: str(f.value) for name, f in found.friction.items()} == {"j1": "0.2"}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_limits_and_friction_are_kept_and_the_machine_is_the_same(source: str, target: str) -> None:
    model = mbconcord.read(text=TEXTS[source], format=source)
    made = mbconcord.convert(model, to=target, verify=True)
    again = registry.read_text(made.text, f"-.{target}", target).system
    before, after = (told(registry.fittings(system)) for system in (model.system, again))
    assert after[0] == {name: pytest.approx(ends) for name, ends in before[0].items()} and after[0]
    assert after[1] == before[1] and after[1]
    assert made.verification is not None and made.verification.stands
    coulomb = {"urdf": ["forces/j1_friction", "forces/j3_friction"], "sdf": ["forces/j1_friction"]}
    soft = [f"omissions/joint-friction/{name}/law" for name in before[1]]
    expected = coulomb.get(source, soft) if "mjcf" in (source, target) else []
    assert [loss.place for loss in made.acting] == expected
    assert not [loss for loss in made.losses if "limit" in loss.place and "speed" not in loss.what]


def test_what_mujoco_compiles_has_the_ranges_and_the_friction() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    made = mujoco.MjModel.from_xml_string(mbconcord.convert(mbconcord.read(text=URDF, format="urdf"), to="mjcf").text)
    assert made.jnt_range.tolist() == [[-1, 2.5], [0, 0.5], [0, 0]] and made.jnt_limited.tolist() == [1, 1, 0]
    assert made.dof_frictionloss.tolist() == [0.2, 0, 0.7]
    assert made.jnt_actfrcrange.tolist() == [[-30, 30], [-40, 40], [0, 0]]


def test_range_without_width_is_a_loss_in_mjcf() -> None:
    text = URDF.replace('lower="0" upper="0.5"', 'lower="0.1" upper="0.1"')
    made = mbconcord.convert(mbconcord.read(text=text, format="urdf"), to="mjcf")
    (loss,) = [loss for loss in made.losses if loss.place == "omissions/joint-limit/j2"]
    assert loss.what == "the range 0.1 0.1" and "range=" in made.text and 'range="0.1' not in made.text


def test_friction_is_held_as_the_same_only_where_it_is_equal() -> None:
    def of(**values: str) -> Fittings:
        return Fittings(friction={k: Friction(f"joint-friction/{k}", number(v)) for k, v in values.items()})

    a = of(j="0.2", k="0.3")
    assert same_friction(a, of(j="0.2", k="0.31"), {}) == {"j": ("joint-friction/j", "joint-friction/j")}
    assert same_friction(a, of(x="0.2"), {"j": "x"}) == {"j": ("joint-friction/j", "joint-friction/x")}
    assert same_friction(a, NO_FITTINGS, {}) == {}


PLUGIN = '<gazebo><plugin name="p" filename="{}"><joint>j1</joint></plugin></gazebo>'
IDLE = {
    "friction of a fixed joint": ('type="continuous"', 'type="fixed"'),
    "dont_collapse": ('name="j3"', 'name="j3" dont_collapse="true"'),
    "no spring": ("<dynamics", '<dynamics spring_stiffness="0" spring_reference="0.3"'),
    "constants of nobody": ("<dynamics", '<dynamics D="1" K="7000" mu_coulomb="0" mu_viscous="16"'),
    "origin of a link": ('<link name="base"/>', '<link name="base"><origin xyz="0 0 1"/></link>'),
    "gravity of a link": ('<link name="base"/>', '<link name="base"><gravity>1</gravity></link>'),
    "surface of a link": ('<link name="base"/>', '<link name="base"><surface/></link>'),
    "ros2_control": ("</robot>", '<ros2_control name="c" type="system"><joint name="j1"/></ros2_control></robot>'),
    "frame": ("</robot>", '<frame name="f" link="a" xyz="0 0 1" rpy="0 0 0"/></robot>'),
    "filter": ("</robot>", '<drake:collision_filter_group name="g"/></robot>'),
    "control": ("</robot>", PLUGIN.format("libgazebo_ros_control.so") + "</robot>"),
    "sensor": ("</robot>", '<gazebo reference="a"><sensor:camera name="s"><link/></sensor:camera></gazebo></robot>'),
}  # fmt: skip
ACTING = {
    "spring": ("<dynamics", '<dynamics spring_stiffness="2"'),
    "stiffness": ("<dynamics", '<dynamics stiffness="2"'),
    "unknown attribute": ("<dynamics", '<dynamics elasticity="0"'),
    "no gravity": ('<link name="base"/>', '<link name="base"><gravity>0</gravity></link>'),
    "bushing": ("</robot>", "<drake:linear_bushing_rpy/></robot>"),
    "mimic": ("</robot>", PLUGIN.format("libroboticsgroup_gazebo_mimic_joint_plugin.so") + "</robot>"),
    "damping": ("</robot>", '<gazebo reference="a"><dampingFactor>0.1</dampingFactor></gazebo></robot>'),
}
SMOOTH = URDF.replace('friction="0.2"', "").replace('<dynamics friction="0.7"/>', '<dynamics damping="0"/>')


@pytest.mark.parametrize("case", IDLE)
def test_what_cannot_act_is_no_omission_that_acts(case: str) -> None:
    text = URDF.replace('friction="0.2"', "") if case.startswith("friction") else SMOOTH
    assert IDLE[case][0] in text
    reading = registry.read_text(text.replace(*IDLE[case]), "a.urdf")
    assert [str(o.what) for o in reading.system.omissions if o.acts] == []
    assert not [d for d in reading.diagnostics if "left out" in d.message]


@pytest.mark.parametrize("case", ACTING)
def test_what_may_act_is_an_omission_that_acts(case: str) -> None:
    assert ACTING[case][0] in SMOOTH
    reading = registry.read_text(SMOOTH.replace(*ACTING[case]), "a.urdf")
    assert [o for o in reading.system.omissions if o.acts]


def test_second_reading_agrees_that_a_fixed_joint_rubs_nothing() -> None:
    text = URDF.replace('friction="0.2"', "").replace('type="continuous"', 'type="fixed"')
    model = mbconcord.read(text=text, format="urdf")
    assert mbconcord.check(model, states=2, formalisms=["lagrange", "newton_euler"]).stands
