"""Causes of converters to OpenUSD are named, each undone and compared: stages as they write them of small models."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS
from mbconcord.converters.floats import real
from mbconcord.converters.usd.reader import read_facts
from mbconcord.converters.usd.writer import UsdModel
from mbconcord.model import System
from mbconcord.validation.explain import Causes, why
from mbconcord.validation.explain.converted import find_converted

Prims = dict[str, dict[str, Any]]
INERTIAL = '<inertial><origin xyz="0.1 0 0"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04"/></inertial>'
WHOLE = INERTIAL.replace("/></inertial>", ' ixy="0" ixz="0" iyz="0"/></inertial>')
BOX = '<geom name="box{}" type="box" size="0.1 0.05 0.2" pos="0 0 0.2"/>'
UNDONE = "without these nothing, but for single precision, is left"


def link(name: str, content: str = WHOLE) -> str:
    return f'<link name="{name}">{content}</link>'


def joint(name: str, parent: str, child: str, origin: str = 'xyz="0 0 0.3"', kind: str = "continuous") -> str:
    axis = "" if kind == "fixed" else '<axis xyz="0 1 0"/>'
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}<origin {origin}/>{axis}</joint>'


def robot(*elements: str) -> str:
    return f'<robot name="r">{"".join(elements)}</robot>'


def arm(origin: str = 'xyz="0 0 0.3"', more: str = "") -> str:
    """Return two links on hinges."""
    return robot(link("base", ""), link("b"), link("c"), joint("j", "base", "b"), joint("k", "b", "c", origin), more)


def mjcf(first: str, second: str, more: str = "", compiler: str = "") -> str:
    """Return two bodies, one on the other."""
    inner = f'<body name="c" pos="0 0 0.3">{second}</body>'
    body = f'<body name="b" pos="0 0 0.3">{first}{inner}</body>'
    return f"<mujoco><compiler {compiler}/><worldbody>{body}</worldbody>{more}</mujoco>"


def hinge(name: str, axis: str = "0 1 0", more: str = "") -> str:
    return f'<joint name="{name}" axis="{axis}" {more}/>'


def read(text: str) -> System:
    return registry.read_text(text, "-", "urdf" if "<robot" in text else "mjcf", "ignore").system


def stage(system: System, change: Callable[[Prims], None] = lambda prims: None) -> System:
    """Return the model of a stage in singles, without the decimals that are ours."""
    prims = json.loads(json.dumps(UsdModel(system, ConstantReader(system, "a stage"), NO_FITTINGS).layer.prims))
    for prim in prims:
        prim["values"] = {key: value[:2] for key, value in prim.get("values", {}).items()}
    by_path = {prim["path"]: prim for prim in prims}
    change(by_path)
    facts = {"stage": 1, "metres": 1.0, "kilograms": 1.0, "up": "Z", "prims": list(by_path.values())}
    return read_facts(facts, "r.usda").system


def find(prims: Prims, name: str) -> dict[str, Any]:
    return next(prim for path, prim in prims.items() if path.endswith(f"/{name}"))


def put_shape(prims: Prims, name: str, at: tuple[float, ...] = (0, 0, 0), **said: Any) -> None:
    """Put a ball of 0.1 m into a body."""
    path = f"{find(prims, name)['path']}/ball"
    values = {"radius": ["double", 0.1], "xformOp:translate": ["double3", [*at]]}
    values |= {"xformOpOrder": ["token[]", ["xformOp:translate"]]}
    values |= {f"physics:{key}": ["float", x] for key, x in said.items()}
    prims[path] = {"path": path, "type": "Sphere", "apis": ["PhysicsCollisionAPI", "PhysicsMassAPI"], "values": values}


def forget(prims: Prims, name: str, *keys: str) -> None:
    for key in keys:
        del find(prims, name)["values"][key]


def say(text: str, converted: System) -> str:
    """Return the causes by which a stage is not the model of a text, of which nothing may be left."""
    found = why(read(text), converted)
    assert isinstance(found, Causes) and UNDONE in str(found), str(found)
    (cause,) = found.converted
    back = why(converted, read(text))
    assert back.converted == found.converted and UNDONE in str(back)
    assert found.brief == cause and found.to_json()["converted"] == [cause]
    return cause


TOOL = (link("base", ""), link("b"), joint("j", "base", "b"), joint("f", "b", "c", kind="fixed"))


def weigh(prims: Prims) -> None:
    prims[f"{find(prims, 'Bodies')['path']}/c"] = own = dict(find(prims, "b"), path="/r/Bodies/c")
    own["values"] = {k: v for k, v in own["values"].items() if k.startswith("xformOp")}
    own["apis"] = ["PhysicsRigidBodyAPI"]
    targets = {"physics:body0": ["/r/Bodies/b"], "physics:body1": ["/r/Bodies/c"]}
    place = {"physics:localPos0": ["point3f", [0.0, 0.0, 0.3]]}
    prims["/r/Joints/f"] = {"path": "/r/Joints/f", "type": "PhysicsFixedJoint", "targets": targets, "values": place}
    put_shape(prims, "Bodies/c")


@pytest.mark.parametrize(
    "inertial",
    ["", '<inertial><mass value="0"/></inertial>', '<inertial><origin xyz="0 0 0.1"/><mass value="0"/></inertial>'],
)
def test_a_link_without_mass_that_weighs_its_shape(inertial: str) -> None:
    zeros = inertial.replace("/></in", '/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></in')
    text = robot(*TOOL, link("c", zeros))
    said = "the mass of its collision shape at 1000 kg/m³, 4.18879 kg"
    assert say(text, stage(read(text), weigh)) == f"the converter gave c, which has no mass, {said}"


def test_a_body_of_shapes_without_mass_that_weighs_them() -> None:
    def change(prims: Prims) -> None:
        weigh(prims)
        put_shape(prims, "Bodies/c", (0.3, 0.1, 0.2))

    inner = '<geom type="sphere" size="0.1" mass="0" pos="0.3 0.1 0.2"/>'
    text = mjcf(ONE, inner).replace("<mujoco>", '<mujoco model="r">')
    said = "collision shapes of c that weigh nothing weigh 4.18879 kg in the stage, at 1000 kg/m³"
    assert say(text, stage(read(text), change)) == said


def test_a_mass_that_is_not_said() -> None:
    def change(prims: Prims) -> None:
        forget(prims, "c", *(key for key in find(prims, "c")["values"] if not key.startswith("xformOp")))
        put_shape(prims, "c", density=300)

    said = "the stage says no mass of c: it is that of its collision shapes, which is less"
    assert say(arm(), stage(read(arm()), change)) == said


def test_a_search_that_is_cut_short_says_so() -> None:
    def change(prims: Prims) -> None:
        forget(prims, "c", "physics:centerOfMass")
        put_shape(prims, "c", (0.3, 0, 0))

    found = why(read(arm()), stage(read(arm()), change), seconds=0)
    assert isinstance(found, Causes) and not found.converted
    cut = "what a converter changed was not searched to the end: stopped after 0 s (--why-seconds)"
    assert found.stopped == f"{cut}; the search was stopped after 0 s (--why-seconds)"
    assert "not searched to the end" in str(found)


def test_a_centre_that_is_not_said() -> None:
    def change(prims: Prims) -> None:
        forget(prims, "c", "physics:centerOfMass")
        put_shape(prims, "c", (0.3, 0, 0))

    said = "the stage says no centre of mass of c: it is that of its collision shapes, (0.3, 0, 0)"
    assert say(arm(), stage(read(arm()), change)) == said


def test_zero_moments_that_say_nothing() -> None:
    def change(prims: Prims) -> None:
        forget(prims, "c", "newton:inertia")
        put_shape(prims, "c")

    text = mjcf(hinge("j") + BOX.format(1), hinge("k") + '<inertial mass="2" pos="0 0 0.1" diaginertia="0 0 0"/>')
    said = "the stage says no moments of c, for zeros say nothing there: they are those of its collision shapes"
    assert say(text, stage(read(text), change)) == said


def test_a_shape_of_no_mass_that_weighs() -> None:
    def change(prims: Prims) -> None:
        own = find(prims, "c")["values"]
        mass = own["physics:mass"][1]
        for key in [key for key in own if key.startswith(("physics:", "newton:"))]:
            del own[key]
        put_shape(prims, "c", (0.3, 0, 0), mass=0.0)
        box = {"size": ["double", 1.0], "xformOp:scale": ["double3", [0.2, 0.1, 0.4]]}
        box |= {"xformOp:translate": ["double3", [0, 0, 0.2]], "physics:mass": ["float", mass]}
        box |= {"xformOpOrder": ["token[]", ["xformOp:translate", "xformOp:scale"]]}
        path = f"{find(prims, 'c')['path']}/box"
        prims[path] = {"path": path, "type": "Cube", "apis": ["PhysicsCollisionAPI", "PhysicsMassAPI"], "values": box}

    text = mjcf(hinge("j") + BOX.format(1), hinge("k") + BOX.format(2))
    said = "collision shapes of c that weigh nothing weigh 4.18879 kg in the stage, at 1000 kg/m³"
    assert say(text, stage(read(text), change)) == said


def test_a_link_of_no_mass_and_some_moments_that_weighs_its_shape() -> None:
    def change(prims: Prims) -> None:
        find(prims, "c")["values"]["physics:mass"] = ["float", 0.0]
        put_shape(prims, "c")

    none = '<inertial><mass value="0"/><inertia ixx="0.2" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.4"/></inertial>'
    text = robot(link("base", ""), link("b"), link("c", none), joint("j", "base", "b"), joint("k", "b", "c"))
    said = "the mass of its collision shape at 1000 kg/m³, 4.18879 kg"
    assert say(text, stage(read(text), change)) == f"the converter gave c, which has no mass, {said}"


@pytest.mark.parametrize(
    ("angle", "made"),
    [("0.0005", "0.000690534"), ("0.0002", "0"), ("0.0005", "0"), ("0.0872665", "0.08726593758531742")],
)
def test_a_small_turn_that_single_precision_changes(angle: str, made: str) -> None:
    text, taken = (arm(f'xyz="0 0 0.3" rpy="0 0 {x}"') for x in (angle, made))
    words = "the converter turns frames by angles (rad) that are arc cosines of singles"
    assert say(text, stage(read(taken))) == f"{words}: c by {float(made):.6g} for {angle}"


def test_a_small_turn_before_an_anchor_beside_the_frame() -> None:
    text, taken = (
        f"""<mujoco><compiler angle="radian"/><worldbody><body name="b">{hinge("j", "1 0 0")}{BOX.format(1)}
        <body name="c" pos="0 0 0.3" euler="0 0 {angle}">{hinge("k", "0 1 0", 'pos="0.4 0 0.2"')}{BOX.format(2)}</body>
        </body></worldbody></mujoco>"""
        for angle in ("0.0005", "0.000690534")
    )
    words = "the converter turns frames by angles (rad) that are arc cosines of singles"
    assert say(text, stage(read(taken))) == f"{words}: c by 0.000690534 for 0.0005"


@pytest.mark.slow
def test_a_turn_of_another_size_is_none_of_them() -> None:
    text, taken = (arm(f'xyz="0 0 0.3" rpy="0 0 {x}"') for x in ("0.0005", "0.0006"))
    assert not why(read(text), stage(read(taken))).converted


def test_what_is_lost_behind_a_merged_link() -> None:
    first = (link("base", ""), link("p", ""), link("c"), joint("j", "base", "p"), joint("f", "p", "c", kind="fixed"))
    whole = robot(*first, link("d"), joint("k", "c", "d"))
    merged = robot(link("base", ""), link("p", WHOLE.replace("0.1 0 0", "0.1 0 0.3")), joint("j", "base", "p"))
    said = "the converter lost what is behind c, which it merged: coordinates k, bodies d"
    assert say(whole, stage(read(merged))) == said


@pytest.mark.parametrize("more", ["", 'damping="0.5" armature="0.2" stiffness="4" springref="0.1"'])
@pytest.mark.parametrize("acting", [
    "", '<actuator><position name="p" joint="y" kp="3"/></actuator>',
    '<tendon><fixed name="t"><joint joint="x" coef="1"/><joint joint="y" coef="3"/></fixed></tendon>'
    '<actuator><motor name="m" tendon="t"/><motor name="n" joint="x"/></actuator>',
])  # fmt: skip
@pytest.mark.parametrize("elsewhere", [False, True])
def test_joints_that_hold_one_another(more: str, acting: str, elsewhere: bool) -> None:
    """What acts along the second joint, a loop in the stage, comes back with it."""
    slides = f'<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0" {more}/>'
    text = mjcf(slides + BOX.format(1), hinge("k") + BOX.format(2), acting)

    def change(prims: Prims) -> None:
        for prim in prims.values():
            prim.get("values", {}).pop("newton:jointsAddMobility", None)
        if elsewhere:
            find(prims, "k")["values"]["newton:jointsAddMobility"] = ["bool", True]

    said = "joints of one body hold one another, as newton:jointsAddMobility is missing: y"
    assert say(text, stage(read(text), change)) == said


def test_what_acts_along_a_ball_that_stays_a_loop_is_left() -> None:
    axes = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    slides = "".join(f'<joint name="{name}" type="slide" axis="{axis}"/>' for name, axis in axes.items())
    text = mjcf(slides + BOX.format(1), TWO)

    def change(prims: Prims) -> None:
        for prim in prims.values():
            prim.get("values", {}).pop("newton:jointsAddMobility", None)
        find(prims, "z")["type"] = "PhysicsSphericalJoint"
        find(prims, "z")["values"]["newton:damping"] = ["float", 0.5]

    assert not why(read(text), stage(read(text), change)).converted


ELLIPSOID = '<geom name="e" type="ellipsoid" size="0.1 0.2 0.3" pos="0.2 0 0"/>'
FREE = '<joint name="b" type="free" {}/>'
FRAME = '<frame pos="0.1 0 0.2" euler="0 0 30">{}</frame>'
OFF = '<joint name="k" pos="0 0 0.1" axis="1 0 0"/>'
GIVEN = '<inertial mass="3" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/>'
ROTOR = (
    '<transmission name="t"><joint name="j"/><actuator name="m"><drake:rotor_inertia value="{}"/>'
    '<drake:gear_ratio value="20"/></actuator></transmission>'
)
EQUATION = '<equality><joint name="held" joint1="k" polycoef="0.2 0 0 0 0"/></equality>'
ROUND = '<default><default class="round"><geom type="ellipsoid"/></default></default>'
DAMPED = '<default><joint damping="0.3"/></default>'
MOTOR = '<actuator><motor name="m" joint="j" {}/></actuator>'
IMAGE = '<geom name="image" size="0.1" contype="0" conaffinity="0"/>'
ONE, TWO = hinge("j") + BOX.format(1), hinge("k") + BOX.format(2)


@pytest.mark.parametrize(
    ("text", "taken", "said"),
    [
        (arm('xyz="0 0 0.3" quat_xyzw="0.1 0.2 0.3 0.9"'), arm(), "the converter does not read quat_xyzw: k"),
        (arm(more=ROTOR.format("0.001")), arm(), "the converter reads no rotors of transmissions: j"),
        (mjcf(ONE + ELLIPSOID, TWO), mjcf(ONE, TWO), "the converter leaves out ellipsoids with their mass: e"),
        (mjcf(ONE + IMAGE + ELLIPSOID, TWO + ELLIPSOID.replace('"e"', '"f"')),
         mjcf(ONE + IMAGE + ELLIPSOID, TWO), "the converter leaves out ellipsoids with their mass: f"),
        (mjcf(FREE.format('damping="0.3" armature="0.1"') + BOX.format(1), TWO),
         mjcf(FREE.format("") + BOX.format(1), TWO),
         "the converter drops damping and armature of free joints: b"),
        (mjcf(ONE + ELLIPSOID.replace('type="ellipsoid"', 'class="round"'), TWO, ROUND), mjcf(ONE, TWO),
         "the converter leaves out ellipsoids with their mass: e"),
        (mjcf(FREE.format("") + BOX.format(1), hinge("k", more='damping="0.3"') + BOX.format(2), DAMPED),
         mjcf(FREE.format("") + BOX.format(1), hinge("k", more='damping="0.3"') + BOX.format(2)),
         "the converter drops damping and armature of free joints: b"),
        (mjcf(ONE, FRAME.format(OFF) + BOX.format(2)), mjcf(ONE, OFF + BOX.format(2)),
         "the converter ignores the frame around a joint: k"),
        (mjcf(GIVEN + ONE, TWO, compiler='inertiafromgeom="true"'), mjcf(GIVEN + ONE, TWO),
         'the converter writes the <inertial> that inertiafromgeom="true" replaces: b'),
        (mjcf(ONE, TWO, EQUATION), mjcf(ONE, TWO), "the converter drops equations of one joint and of tendons: held"),
        (mjcf(ONE, TWO, MOTOR.format('armature="0.2"')), mjcf(ONE, TWO),
         "the converter drops armature and damping of actuators: m"),
        (mjcf(hinge("j", more='stiffness="2 0.3" damping="0.5 0 0.2"') + BOX.format(1), TWO),
         mjcf(hinge("j", more='stiffness="2" damping="0.5"') + BOX.format(1), TWO),
         "the converter takes the first number alone of stiffness and damping: j"),
        (mjcf('<freejoint name="b" align="true"/>' + BOX.format(1).replace("0 0 0.2", "0.1 0 0.2"), "").replace(
            '<body name="c" pos="0 0 0.3"></body>', ""),
         mjcf('<freejoint name="b"/>' + BOX.format(1).replace("0 0 0.2", "0.1 0 0.2"), "").replace(
            '<body name="c" pos="0 0 0.3"></body>', ""),
         "the converter does not align free joints with principal axes: b"),
    ],
)  # fmt: skip
def test_elements_that_are_not_read(text: str, taken: str, said: str) -> None:
    assert say(text, stage(read(taken))) == said


@pytest.mark.parametrize("upper", [100.0, 117.188733853924695])
def test_stops_that_ref_does_not_move(upper: float) -> None:
    def change(prims: Prims) -> None:
        ends = {"physics:lowerLimit": ["float", -60.0], "physics:upperLimit": ["float", upper]}
        find(prims, "j")["values"] |= ends | {"mjc:ref": ["double", 17.188733853924695]}

    ref = 'range="-60 100" ref="17.188733853924695"'
    text = mjcf(hinge("j", more=ref) + BOX.format(1), TWO)
    if upper == 100.0:
        converted = stage(read(mjcf(ONE, TWO)), change)
        assert say(text, converted) == "the converter does not move stops (rad, m) by ref: j by 0.3"
        assert "limits differ: j, lower -1.047197551197, upper" in str(mbconcord.compare(read(text), converted))
    else:
        assert not why(read(text), stage(read(mjcf(ONE, TWO)), change)).converted


@pytest.mark.slow
def test_a_cause_that_acts_beside_a_difference_of_another_kind_leaves_that() -> None:
    text = arm('xyz="0 0 0.3" quat_xyzw="0.1 0.2 0.3 0.9"')
    found = why(read(text), stage(read(arm().replace('<mass value="2"/>', '<mass value="2.5"/>', 1))))
    assert found.converted == ("the converter does not read quat_xyzw: k",)
    assert "of scale is left" in str(found)
    assert found.fields is not None
    (row,) = found.fields.rows
    assert [(x.place, x.field, x.a, x.b) for x in row.lines] == [("b", "mass", "2", "2.5")]
    back = why(stage(read(arm().replace('<mass value="2"/>', '<mass value="2.5"/>', 1))), read(text))
    assert back.fields is not None
    assert [(x.a, x.b) for x in back.fields.rows[0].lines] == [("2.5", "2")]


@pytest.mark.slow
def test_what_the_text_has_and_the_converter_keeps_is_no_cause() -> None:
    text = mjcf(ONE + ELLIPSOID, TWO)
    heavy = text.replace('pos="0 0 0.2"', 'pos="0 0 0.25"', 1)
    found = why(read(text), stage(read(heavy)))
    assert not found.converted and found.fields is not None and found.fields.rows


def test_what_is_no_cause_hides_no_small_one() -> None:
    """A stage that keeps the ellipsoid, and rounds a turn."""
    whole = mjcf(ONE + ELLIPSOID, TWO, compiler='angle="radian"')
    text, taken = (whole.replace('"c"', f'"c" euler="0 0 {x}"') for x in ("0.0872665", "0.08726593758531742"))
    model, converted = read(text), stage(read(taken))

    def measure(a: System, b: System) -> tuple[float, float]:
        """Return differences that add up as squares do."""
        masses = [real(s.body("b").inertia.mass) for s in (a, b)]
        turns = [real(next(x.amount for x in s.body("c").joint if x.kind == "rotation")) for s in (a, b)]
        apart = math.hypot(masses[0] - masses[1], turns[0] - turns[1])
        return apart, apart

    found = find_converted(model, converted, measure)
    words = "the converter turns frames by angles (rad) that are arc cosines of singles"
    assert found is not None and found.causes == (f"{words}: c by 0.0872659 for 0.0872665",)
    assert found.left < 1e-5  # of singles


def test_two_texts_have_no_converter_between_them() -> None:
    assert not why(read(arm('xyz="0 0 0.3" quat_xyzw="0.1 0.2 0.3 0.9"')), read(arm())).converted
