"""Stages that are written: read back they are the same machine, with the numbers of the model."""

import json
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS, Fittings, Friction, Limit
from mbconcord.converters.usd.layer import find_prim_names, quote
from mbconcord.converters.usd.reader import read_facts
from mbconcord.converters.usd.writer import UsdModel
from mbconcord.fixtures import folder
from mbconcord.model import (
    Armature,
    Body,
    Coordinate,
    Effort,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    System,
    rotation,
    translation,
)
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.expressions import ONE, ZERO, number, rate, symbol
from mbconcord.model.transformation import vector
from mbconcord.records import replace
from tests.formats.usd.test_usd import EXPECTED, MOVING, ROUNDING, numbers, read

needs_openusd = pytest.mark.skipif(find_spec("pxr") is None, reason="usd-core, of the extra [usd], is not installed")
#: Models of which nothing that acts is lost.
WHOLE = (
    "urdf/arm.urdf", "urdf/rover.urdf", "mbsd/gimbal.mbsd", "mbsd/four_bar.mbsd", "mbsd/uvzg.mbsd",
    "robots/panda.mbsd", "overconstrained/bennett.mbs.json", "sdf/linkage.sdf", "konoplev/tree.mbsd",
)  # fmt: skip


def facts_of(system: System, fittings: Fittings = NO_FITTINGS) -> dict:
    """Return the facts that OpenUSD would say of the stage that is written."""
    model = UsdModel(system, ConstantReader(system, "a USD stage"), fittings)
    assert not model.numbers.missing
    prims = json.loads(json.dumps(model.layer.prims))
    return {"stage": 1, "metres": 1.0, "kilograms": 1.0, "up": "Z", "prims": prims}


@cache
def fixture(name: str) -> System:
    return registry.read(folder() / name, physics="ignore").system


def again(system: System) -> System:
    return read_facts(facts_of(system), "again.usda").system


def evaluated(system: System, names: list[str], quantity: str) -> np.ndarray:
    """A quantity at a state that depends on the order of the names alone, in this order."""
    system = system.open_loops()
    state = {n: 0.3 + 0.1 * i for i, n in enumerate(names)} | {f"{n}'": 0.7 - 0.2 * i for i, n in enumerate(names)}
    found = mbconcord.evaluate(system, state, quantities=[quantity], witness=False, physics="ignore")
    order = [list(system.coordinate_names).index(n) for n in names]
    made = np.asarray(found[quantity])
    return made[np.ix_(order, order)] if made.ndim == 2 else made[order]


@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied"])
@pytest.mark.parametrize("name", WHOLE)
def test_a_stage_that_is_written_is_the_same_machine(name: str, quantity: str) -> None:
    system = fixture(name)
    writing = registry.write(system, "usd", physics="ignore")
    assert [str(loss) for loss in writing.losses if loss.acts and loss.place.partition("/")[0] != "omissions"] == []
    names = [*system.coordinate_names]
    expected = evaluated(system, names, quantity)
    found = evaluated(again(system), [writing.coordinates.get(n, n) for n in names], quantity)
    assert np.abs(found - expected).max() <= ROUNDING * max(np.abs(expected).max(), 1e-3)


@pytest.mark.parametrize("quantity", ["M", "gravity", "applied"])
@pytest.mark.parametrize("name", [name for name in MOVING if name != "14_parallel"])
def test_a_vector_that_is_read_and_written_keeps_its_numbers(name: str, quantity: str) -> None:
    system = read(name).system
    row = EXPECTED[name]
    made = registry.write(system, "usd", physics="ignore")
    own = {**row, "coordinates": [made.coordinates.get(n, n) for n in row["coordinates"]]}
    expected = np.array(row[quantity])
    scale = np.abs(expected).max(initial=0.0) + np.abs(np.array(row["M"])).max() * (quantity != "M")
    assert np.abs(numbers(again(system), own, quantity) - expected).max() <= ROUNDING * scale


@needs_openusd
@pytest.mark.parametrize("name", ["urdf/arm.urdf", "mbsd/gimbal.mbsd", "overconstrained/bennett.mbs.json"])
def test_the_text_of_a_stage_is_composed_to_what_was_written(name: str) -> None:
    writing = registry.write(fixture(name), "usd", physics="ignore")
    found = mbconcord.read(text=writing.text, format="usd").system
    model = UsdModel(fixture(name), ConstantReader(fixture(name), ""), registry.fittings(fixture(name)))
    facts = {"stage": 1, "metres": 1.0, "kilograms": 1.0, "up": "Z", "prims": model.layer.prims}
    assert found == replace(read_facts(facts, "-").system, name=found.name)


# One body, by what it is made of.

INERTIA = Inertia(
    number("1.23456789012345"), vector(map(number, ("0.1", "1e-9", "0.333333333333333"))), (1, 1, 1, 0, 0, 0)
)
GRAVITY = Gravity(number("9.80665"), vector((0, 0, -1)))


def one(*joint: object, inertia: Inertia = INERTIA, **more: object) -> System:
    names = [et.coordinate for et in joint if et.coordinate]  # type: ignore[attr-defined]
    coordinates = tuple(Coordinate(n) for n in names)
    body = Body("b", None, joint, inertia)  # type: ignore[arg-type]
    return System("one", coordinates, gravity=GRAVITY, bodies=(body,), **more)  # type: ignore[arg-type]


HINGE = rotation("y", "q")


def test_numbers_of_more_digits_than_a_single_are_kept_beside_it() -> None:
    system = one(*translation_by("0.123456789012345"), HINGE)
    found = again(system)
    assert found.bodies[0].inertia == system.bodies[0].inertia
    assert found.bodies[0].joint == system.bodies[0].joint
    assert found.gravity == GRAVITY


def translation_by(x: str) -> tuple:
    from mbconcord.model import shift

    return shift(vector((number(x), ZERO, ZERO)))


def test_decimals_that_are_stale_are_not_read() -> None:
    facts = facts_of(one(HINGE))
    (body,) = (p for p in facts["prims"] if p["path"] == "/one/Bodies/b")
    assert body["values"]["physics:mass"][2] == "1.23456789012345"
    body["values"]["physics:mass"][2] = "1.5"
    reading = read_facts(facts, "one.usda")
    assert reading.system.bodies[0].inertia.mass == number("1.2345679")
    (said,) = (str(d) for d in reading.diagnostics)
    assert (
        "</one/Bodies/b.physics:mass>: its decimals '1.5' are stale: they do not round to its value, which is read"
        in said
    )


@pytest.mark.parametrize("steps", [
    (rotation("-z", "q"),),
    (rotation((1, 2, 3), "q"), rotation("x", number("0.3")), *translation_by("0.2")),
    (rotation("z", number("0.0001")), translation((0, -3, 4), "q")),
    (rotation("z", "a"), translation("x", "q"), *translation_by("0.1"), rotation("-y", "c")),
])  # fmt: skip
def test_axes_and_frames_of_joints(steps: tuple) -> None:
    system = one(*steps)
    names = [*system.coordinate_names]
    for quantity in ("M", "gravity"):
        expected = evaluated(system, names, quantity)
        assert np.abs(evaluated(again(system), names, quantity) - expected).max() <= 1e-14


def test_joints_that_act_behind_one_another_are_named_for_physx() -> None:
    writing = registry.write(one(rotation("z", "a"), rotation("x", "c")), "usd", physics="ignore")
    (loss,) = writing.losses
    assert (loss.place, loss.acts) == ("bodies/b/joint", False) and "that PhysX reads it: 2 joints" in loss.what


def test_springs_dampers_rotors_and_stops_stand_in_the_joint() -> None:
    law = LinearLaw(k=number("12.34567890123"), d=number("0.3"), l0=number("0.7"))
    system = one(HINGE, forces=(JointEffort("s", "q", law),), armatures=(Armature("r", number("0.1"), {"q": ONE}),))
    limits = Limit("joint-limit/q", number("-0.5"), number("1.23456789012"), number(40), number(2))
    facts = facts_of(system, Fittings({"q": limits}, {"q": Friction("stiction/q", number("0.2"))}))
    (joint,) = (p for p in facts["prims"] if p["type"] == "PhysicsRevoluteJoint")
    assert joint["values"]["newton:friction"] == ["float", np.float32(0.2)]
    assert joint["values"]["drive:angular:physics:maxForce"] == ["float", 40.0]
    found = read_facts(facts, "one.usda").system
    values = {symbol("q"): number("0.1"), rate("q"): number("0.5")} | {
        symbol(p.name): p.value for p in found.parameters
    }
    from mbconcord.model.expressions import substitute

    total = substitute([sum((f.expression() for f in found.forces), ZERO)], values)[0]
    assert total == number("12.34567890123") * number("0.6") - number("0.15")
    assert found.armatures[0].inertia == number("0.1")
    (stop,) = (o for o in found.omissions if o.kind == "joint-limit")
    assert len(stop.gaps) == 2


MASSLESS = Inertia(ZERO)


ACTING = """<mujoco model="r"><option gravity="0 0 0"/><worldbody><body name="b" pos="0 0 0.3">
<joint name="j" axis="0 1 0"/><inertial pos="0.1 0 0" mass="2" diaginertia="0.02 0.03 0.04"/><body name="c">
<joint name="k" type="slide" axis="1 0 0"/><inertial pos="0 0 0.1" mass="1" diaginertia="0.02 0.03 0.04"/></body>
</body></worldbody><actuator><motor name="m 1" joint="j" gear="3"/><position name="p" joint="k" kp="20" kv="0.3"/>
<general name="g" joint="j" gainprm="0.7" biastype="affine" biasprm="1 -2 -0.1"/></actuator></mujoco>"""


def test_drives_with_controls_are_actuators() -> None:
    """Read again, its forces with controls are written as before, and as actuators of MJCF."""
    system = registry.read_text(ACTING, "-", "mjcf", "ignore").system
    writing = registry.write(system, "usd", physics="ignore")
    assert [loss for loss in writing.losses if loss.acts or "metadata" not in loss.place] == []
    state = {"j": 0.3, "k": 0.4, "j'": 0.7, "k'": -0.2, "m 1_ctrl": 0.5, "p_ctrl": -1.1, "g_ctrl": 2.0}
    stage = again(system)
    mjcf = registry.read_text(registry.write(stage, "mjcf", physics="ignore").text, "-", "mjcf", "ignore").system
    for own in (system, stage, again(stage), mjcf):
        found = mbconcord.evaluate(own, state, quantities=["applied"], witness=False, physics="ignore")["applied"]
        expected = [3 * 0.5 + 0.7 * 2 + 1 - 2 * 0.3 - 0.1 * 0.7, 20 * (-1.1 - 0.4) + 0.3 * 0.2]
        assert np.allclose(np.asarray(found), expected, rtol=1e-14)


def test_a_drive_that_no_actuator_holds_is_a_loss() -> None:
    """MuJoCo takes b₂ > 0 beside b₁ = -gain for a damping ratio; controls have no values in a stage."""
    q, v, u = symbol("j"), rate("j"), symbol("u_ctrl")
    for law, at in (
        (5 * u - 5 * q + v, "coordinates/j/drive"),
        (u * q, "coordinates/j/drive"),
        (u, "parameters/u_ctrl"),
    ):
        own = replace(one(rotation("z", "j")), parameters=(Parameter("u_ctrl", number(2), "given"),))
        own = replace(own, coordinates=(replace(own.coordinates[0], drive=Effort(law)),))
        found = [loss for loss in registry.write(own, "usd", physics="ignore").losses if loss.acts]
        assert [loss.place for loss in found] == [at], found


@pytest.mark.parametrize(("inertia", "what", "acts"), [
    (MASSLESS, "that it has no mass", True),
    (Inertia(number(2)), "that its tensor is zero for every program", False),
    (Inertia(number(2), tensor=(number("1e-6"),) * 3 + (ZERO,) * 3), "that every program reads its tensor", False),
])  # fmt: skip
def test_what_programs_read_otherwise_is_a_loss(inertia: Inertia, what: str, acts: bool) -> None:
    writing = registry.write(one(HINGE, inertia=inertia), "usd", physics="ignore")
    assert (what, acts) in [(loss.what, loss.acts) for loss in writing.losses if loss.place == "bodies/b/inertia"]


def test_a_body_without_mass_is_folded_into_the_joint_that_it_carries() -> None:
    bodies = (
        Body("between", None, (rotation("z", "a"),), MASSLESS),
        Body("b", "between", (rotation("x", "c"),), INERTIA),
    )
    system = replace(one(rotation("z", "a"), rotation("x", "c")), bodies=bodies)
    writing = registry.write(system, "usd", physics="ignore")
    assert not any(loss.acts for loss in writing.losses)
    assert "bodies/between" in [loss.place for loss in writing.losses]
    assert [b.name for b in again(system).bodies] == ["b"]


def test_names_of_prims_are_letters_and_the_true_ones_are_shown() -> None:
    assert find_prim_names(["a b", "a_b", "1", ""]) == {"a b": "a_b", "a_b": "a_b_", "1": "_1", "": "_"}
    assert quote('a"\\\n\x01é') == '"a\\"\\\\\\n\\x01é"'
    system = one(rotation("y", "q"))
    system = replace(system, bodies=(replace(system.bodies[0], name='arm "1"'),))
    assert [b.name for b in again(system).bodies] == ['arm "1"']


def test_initial_values_are_where_the_stage_stands() -> None:
    system = replace(one(HINGE), coordinates=(Coordinate("q", number("0.3"), number("0.2")),))
    assert again(system).coordinates[0].position == number("0.3")
    writing = registry.write(system, "usd", physics="ignore")
    assert [loss.place for loss in writing.losses] == ["coordinates/q/velocity"]


def test_a_stage_needs_numbers() -> None:
    from mbconcord.model import Parameter
    from mbconcord.model.diagnostics import WriteError

    inertia = Inertia(symbol("m"), tensor=(1, 1, 1, 0, 0, 0))
    system = one(HINGE, inertia=inertia, parameters=(Parameter("m"),))
    with pytest.raises(WriteError, match=r"parameters/m: error: has no value .a USD stage has numbers alone"):
        registry.write(system, "usd", physics="ignore")


@pytest.mark.parametrize("suffix", ["usdc", "usdz"])
def test_stages_that_are_no_text_are_not_written(suffix: str) -> None:
    from mbconcord.model.diagnostics import WriteError

    with pytest.raises(WriteError, match=rf"a\.{suffix} is not text.*name it a\.usda"):
        registry.encode(registry.write(one(HINGE), "usd"), f"a.{suffix}", "usd")
    assert registry.encode(registry.write(one(HINGE), "usd"), "a.usd", "usd").startswith(b"#usda 1.0")


def test_limits_and_friction_compare_by_value_with_those_of_a_urdf() -> None:
    text = """<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="w"/><child link="a"/><axis xyz="0 0 1"/><dynamics friction="0.2"/>
      <limit lower="-0.5" upper="1.1" effort="40" velocity="2.5"/></joint></robot>"""
    urdf = mbconcord.read(text=text, format="urdf")
    facts = facts_of(urdf.system, registry.fittings(urdf.system))
    found = mbconcord.compare(urdf, mbconcord.read(text=json.dumps(facts), format="usd"))
    assert (found.verdict, found.limits) == ("agrees", ())
    assert (found.alike, found.softened, found.headline) == (("j",), (), "the same machine")

    (joint,) = (p for p in facts["prims"] if p["type"] == "PhysicsRevoluteJoint")
    joint["values"]["physics:upperLimit"] = ["float", 60.0]
    joint["values"]["drive:angular:physics:maxForce"] = ["float", 30.0]
    found = mbconcord.compare(urdf, mbconcord.read(text=json.dumps(facts), format="usd"))
    assert "upper 1.1, effort 40 in A, upper 1.047197551197, effort 30 in B" in str(found)


def test_words_of_converters_mean_the_same_as_those_of_the_robots_that_they_read() -> None:
    inner = """<inertial><mass value="1"/><origin xyz="0.1 0 0"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    text = f"""<robot name="r"><link name="w"/><link name="a">{inner}</link><joint name="j" type="revolute">
      <parent link="w"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-0.5" upper="1.1" effort="40" velocity="2.5"/>
      <dynamics friction="0.2"/></joint></robot>"""
    mjcf = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><inertial pos="0.1 0 0" mass="1"
      diaginertia="0.1 0.1 0.1"/><joint name="j" axis="0 0 1" range="-0.5 1.1" frictionloss="0.2"
      actuatorfrcrange="-40 40"/></body></worldbody></mujoco>"""
    urdf = mbconcord.read(text=text, format="urdf")
    facts = facts_of(urdf.system, registry.fittings(urdf.system))
    (joint,) = (p for p in facts["prims"] if p["type"] == "PhysicsRevoluteJoint")
    values = joint["values"]
    del values["drive:angular:physics:maxForce"]

    def compare(other: Any, **said: float) -> Any:
        values.update({key.replace("__", ":"): ["float", x] for key, x in said.items()})
        return mbconcord.compare(other, mbconcord.read(text=json.dumps(facts), format="usd"))

    found = compare(urdf, urdf__limit__effort=40.0)
    assert (found.headline, found.limits) == ("the same machine", ())
    assert "effort 40 in A, effort 41 in B" in str(compare(urdf, urdf__limit__effort=41.0))
    del values["urdf:limit:effort"]
    ends = {"mjc__actuatorfrcrange__min": -40.0, "mjc__actuatorfrcrange__max": 40.0}
    found = compare(mbconcord.read(text=mjcf, format="mjcf"), **ends, mjc__frictionloss=0.2)
    assert (found.headline, found.limits, found.alike) == ("the same machine", (), ("j",))
    assert "effort" in str(compare(urdf, mjc__actuatorfrcrange__min=-39.0))
    assert compare(urdf, mjc__frictionloss=0.3).verdict == "not checked"
    values["urdf:mimic:joint"] = ["string", "k"]
    system = mbconcord.read(text=json.dumps(facts), format="usd").system
    assert [o.effect for o in system.omissions if o.kind == "closure"] == ["geometry"]
    joint["type"] = "PhysicsFixedJoint"  # which neither follows nor damps
    values["newton:damping"] = ["float", 0.1]
    leader = {**joint, "path": "/r/leader", "type": "PhysicsRevoluteJoint", "values": {}}
    leader["targets"] = {"physics:body1": ["/r/other"]}
    other = {"path": "/r/other", "apis": ["PhysicsRigidBodyAPI"]}
    joint["apis"] = [*joint.get("apis", ()), "NewtonMimicAPI"]
    joint["targets"]["newton:mimicJoint"] = ["/r/leader"]
    facts["prims"] += [leader, other]
    system = mbconcord.read(text=json.dumps(facts), format="usd", physics="ignore").system
    acting = [o.kind for o in system.omissions if o.acts]
    assert "closure" not in acting and "joint-damping" not in acting


def test_limits_and_friction_of_a_stage_are_those_of_its_robot_to_single_precision() -> None:
    numbers = '<limit lower="-1.670796326794897" upper="1.670796326794897" effort="0.123456789" velocity="1"/>'
    text = f"""<robot name="r"><link name="w"/><link name="a"><inertial><mass value="0.333333333"/>
      <origin xyz="0.1 0 0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="w"/><child link="a"/><axis xyz="0 0 1"/>{numbers}
      <dynamics friction="0.123456789"/></joint></robot>"""
    urdf = mbconcord.read(text=text, format="urdf")
    facts = facts_of(urdf.system, registry.fittings(urdf.system))
    for prim in facts["prims"]:
        prim["values"] = {key: value[:2] for key, value in prim.get("values", {}).items()}  # no decimals
    found = mbconcord.compare(urdf, mbconcord.read(text=json.dumps(facts), format="usd"))
    assert (found.headline, found.limits, found.alike) == ("the same machine to single precision", (), ("j",))
    said = str(found.why())
    assert "dry friction" not in said and "within single precision" in said


def test_a_number_beyond_single_precision_is_refused_with_its_place() -> None:
    system = registry.read_text("z(a) i1 $(1e40) g", "-", "mbsd").system
    with pytest.raises(WriteError, match=r"3\.4e38") as refused:
        registry.format_named("usd").write(system)
    assert refused.value.diagnostics[0].place == "bodies/body1/inertia"
