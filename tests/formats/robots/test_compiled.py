"""Springs and servos that MuJoCo's compiler tunes by the inertia at the reference: 1 / (J M⁻¹ Jᵀ)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.model import JointEffort, LinearLaw, System
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import evaluate_float

BALL = """<mujoco><worldbody><body name="ball"><joint name="j" axis="0 0 1" springdamper="0.2 1.5"/>
  <geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""
ARM = """<mujoco><compiler angle="radian"/><worldbody><body name="arm" euler="0.1 0.2 0.3" pos="1 2 3">
  <joint name="h" axis="0 1 0.2" pos="0.1 0 0" armature="0.05" range="0.5 1" {hinge}/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0.1" density="900"/>
  <body name="fore" pos="0.3 0 0.1" euler="0.3 0 0"><joint name="s" type="slide" axis="1 0 0"/>
    <geom type="box" size="0.1 0.02 0.02" mass="0.4"/></body></body>
  <body name="ball"><joint type="ball"/><geom size=".1"/>
    <body pos="0 0 .2"><joint name="b"/><geom size=".1"/></body></body>
  <body name="free"><freejoint/><geom size=".1"/></body></worldbody>
  <tendon><fixed name="t" armature="{tendon}"><joint joint="h" coef="2"/><joint joint="s" coef="3"/></fixed></tendon>
  <actuator>{servo}</actuator></mujoco>"""
SERVOS = {
    "hinge": '<position name="a" joint="h" kp="40" dampratio="1" gear="2"/>',
    "slide": '<position name="a" joint="s" kp="300" dampratio="0.7"/>',
    "backwards": '<position name="a" joint="h" kp="40" dampratio="1" gear="-2"/>',
    "tendon": '<position name="a" tendon="t" kp="40" dampratio="1" gear="2"/>',
    "on a ball": '<position name="a" joint="b" kp="40" dampratio="1"/>',
    "beside a rotor": '<position name="a" joint="h" kp="40" dampratio="1"/><motor joint="h" armature="0.2" gear="3"/>',
    "inherited": '<position name="a" joint="h" kp="40" dampratio="1" inheritrange="1"/>',
    "general": '<general name="a" joint="h" gainprm="40" biastype="affine" biasprm="0 -40 0.7"/>',
    "general of another stiffness": '<general name="a" joint="h" gainprm="40" biastype="affine" biasprm="0 -41 0.7"/>',
    "general with a bias": '<general name="a" joint="h" gainprm="40" biastype="affine" biasprm="3 -40 0.7"/>',
}
HINGES = {"": 'springdamper="0.2 1.5"', "over": 'springdamper="0.3 0.5" stiffness="3" damping="1" springref="0.4"'}


def arm(hinge: str = "", servo: str = "", tendon: str = "0") -> str:
    """Return the text of the arm."""
    return ARM.format(hinge=hinge, servo=servo, tendon=tendon)


def joint_law(system: System, coordinate: str) -> tuple[float, float]:
    """Return stiffness and damping of linear laws along a coordinate."""
    laws = [f.effort for f in system.forces if isinstance(f, JointEffort) and f.coordinate == coordinate]
    assert all(isinstance(law, LinearLaw) for law in laws)
    k, d = (sum(evaluate_float(getattr(law, key), {}) for law in laws) for key in "kd")
    return k, d


def damping(system: System, coordinate: str) -> float:
    """Return the damping of the drives of a coordinate."""
    drive = next(c.drive for c in system.coordinates if c.name == coordinate)
    assert isinstance(drive, Effort)
    rest = {c.name: 0.0 for c in system.coordinates} | {p.name: 0.0 for p in system.parameters}
    rest |= {f"{name}'": 0.0 for name in system.coordinate_names}
    at = [evaluate_float(drive.value, rest | {f"{coordinate}'": v}) for v in (0.0, 1.0)]
    return at[0] - at[1]


def test_spring_and_damper_of_a_time_constant() -> None:
    system = registry.read_text(BALL, "a.xml", "mjcf").system  # m = 2/5 · 2 · 0.1² = 0.008
    assert joint_law(system, "j") == pytest.approx((0.008 / (0.2 * 1.5) ** 2, 2 * 0.008 / 0.2), rel=1e-14)
    assert not [o for o in system.omissions if o.acts]


def test_servo_of_a_damping_ratio() -> None:
    servo = '<position name="a" joint="j" kp="40" dampratio="1" gear="2"/>'
    text = BALL.replace("</mujoco>", f"<actuator>{servo}</actuator></mujoco>")
    system = registry.read_text(text, "a.xml", "mjcf").system  # the moment is 2: m = 0.008 / 4
    assert damping(system, "j") == pytest.approx(4 * 2 * math.sqrt(40 * 0.008 / 4), rel=1e-14)


@pytest.mark.parametrize("tendon", ["0", "0.1"])
@pytest.mark.parametrize("hinge", HINGES)
@pytest.mark.parametrize("servo", SERVOS)
def test_both_readers_and_mujoco_tune_alike(servo: str, hinge: str, tendon: str) -> None:
    text = arm(HINGES[hinge], SERVOS[servo], tendon)
    reading = registry.read_text(text, "a.xml", "mjcf")
    assert [o.kind for o in reading.system.omissions if o.acts] == (["saturation"] if servo == "inherited" else [])
    found = mbconcord.check(
        reading, formalisms=["newton_euler", "lagrange"], states=2, claims=["second_reading"], exact="off"
    )
    rows = {c.quantity: c.verdict for c in found.comparisons if c.quantity.startswith("text")}
    assert "text: applied" in rows and set(rows.values()) <= {"agrees", "agrees, zero"}
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    made = mujoco.MjModel.from_xml_string(text)
    at = made.joint("h").dofadr[0]
    d = np.atleast_2d(made.dof_damping.T).T[at][0]
    assert joint_law(reading.system, "h") == pytest.approx((float(made.joint("h").stiffness[0]), float(d)), rel=1e-9)
    coordinate, moment = made.joint(made.actuator_trnid[0, 0]).name, made.actuator_gear[0, 0]
    if servo == "tendon":
        coordinate, moment = "h", 2 * moment
    kv = -made.actuator_biasprm[0, 2] * moment**2
    assert damping(reading.system, coordinate) == pytest.approx(float(kv), rel=1e-9)


def test_what_is_written_anew_has_the_numbers() -> None:
    model = mbconcord.read(text=arm(HINGES[""], SERVOS["hinge"]), format="mjcf")
    bare = mbconcord.convert(replace(model.system, metadata={}), to="mjcf")
    again = registry.read_text(bare.text, "-.xml", "mjcf").system
    assert joint_law(again, "h") == pytest.approx(joint_law(model.system, "h"), rel=1e-14)
    assert damping(again, "h") == pytest.approx(damping(model.system, "h"), rel=1e-14)


def test_a_mass_that_is_not_known_leaves_them_out() -> None:
    text = BALL.replace('type="sphere" size="0.1" mass="2"', 'type="mesh" mesh="m"')
    text = text.replace("<worldbody>", '<asset><mesh name="m" file="none.stl"/></asset><worldbody>')
    kinds = {o.kind for o in registry.read_text(text, "a.xml", "mjcf").system.omissions if o.acts}
    assert kinds == {"joint-spring", "computed-inertia"}


def test_an_armature_along_no_coordinate_leaves_the_inertia_at_the_reference_unknown(tmp_path) -> None:
    """A straight tendon between sites has an armature that the model leaves out, MuJoCo's constants do not."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = arm('springdamper="0.2 1.5"', SERVOS["hinge"])
    assert text.count("</worldbody>") == text.count("<worldbody>") == 1
    site, end = '<site name="wall" pos="0 0 2"/>', '<site name="tip" pos="0.1 0.2 0.3"/>'
    text = text.replace("<worldbody>", f"<worldbody>{site}").replace("</body>", f"{end}</body>", 1)
    rope = '<tendon><spatial name="rope" armature="0.3"><site site="wall"/><site site="tip"/></spatial></tendon>'
    (tmp_path / "rope.xml").write_text(text.replace("</worldbody>", f"</worldbody>{rope}"), encoding="utf-8")
    found = mbconcord.check(
        tmp_path / "rope.xml", against="mujoco", formalisms=["newton_euler", "lagrange"], states=2, exact="off"
    )
    assert not [c for c in found.comparisons if c.verdict == "disagrees"]
    kinds = {o.kind for o in found.system.omissions if o.acts}
    assert kinds == {"tendon", "joint-spring", "actuator"}
