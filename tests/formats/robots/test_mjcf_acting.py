"""MJCF: springs, actuators, tendons, equalities and classes in numbers."""

from __future__ import annotations

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.floats import HERE, compose_pose
from mbconcord.model import Armature, Holonomic, PointCoincidence, ReadError, State, System, shift
from mbconcord.model.expressions import ZERO, evaluate, number, rate, substitute, symbol
from mbconcord.records import replace
from mbconcord.validation.witnesses.second.machine import At
from mbconcord.validation.witnesses.second.machine import machine as second_reading
from mbconcord.validation.witnesses.second.robots.tags import inverse, matrix

from .mjcf_texts import MASS, TWO, body, numbers, read, world

LAWS = {
    'stiffness="3" springref="0.1"': -3 * (0.4 - 0.1),
    'stiffness="3 2 1" springref="0.1"': -(3 * 0.3 + 2 * 0.09 + 0.027),
    'damping="2"': -2 * -1.5,
    'damping="2 1 3"': -(2 * -1.5 + -1.5 * 1.5 + 3 * -(1.5**3)),
    'stiffness="0" damping="0"': 0.0,
}


@pytest.mark.parametrize(("said", "expected"), LAWS.items(), ids=LAWS)
def test_springs_and_damping_by_hand(said, expected):
    """At q = 0.4, q' = -1.5."""
    system = read(body(f'<joint name="j" type="slide" {said}/>')).system
    assert numbers(system, State(q={"j": 0.4}, v={"j": -1.5}))["applied"][0] == pytest.approx(expected)


DRIVES = {
    '<motor joint="j" gear="3"/>': 3 * 2,
    '<position joint="j" kp="5" kv="2"/>': 5 * (2 - 0.4) + 2 * 1.5,
    '<velocity joint="j" kv="4"/>': 4 * (2 + 1.5),
    '<general joint="j" gainprm="3" biastype="affine" biasprm="1 2 4" gear="2"/>':
        2 * (3 * 2 + 1 + 2 * 0.8 - 4 * 3),
    '<general joint="j" gainprm="3" biasprm="1 2 4"/>': 6,
    '<general joint="j" gaintype="affine" gainprm="1 2 3"/>': (1 + 0.8 - 4.5) * 2,
    '<damper joint="j" kv="4"/>': 4 * 1.5 * 2,
}  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), DRIVES.items(), ids=DRIVES)
def test_actuators_by_hand(said, expected):
    """At q = 0.4, q' = -1.5, the control 2."""
    system = read(body('<joint name="j" type="slide"/>', after=f"<actuator>{said}</actuator>")).system
    (control,) = system.parameters
    assert (control.name, control.value) == ("actuator0_ctrl", ZERO)
    state = State(q={"j": 0.4}, v={"j": -1.5}, parameters={"actuator0_ctrl": 2.0})
    assert numbers(system, state)["applied"][0] == pytest.approx(expected)


@pytest.mark.parametrize("said", ["pos", "vel", "pressure"])
def test_name_of_a_control_changes_nothing(said):
    """MuJoCo 4 writes it into what it saves: gain and bias are the law, 3 ctrl + 1 - 2 q - q'/2."""
    drive = f'<actuator><general joint="j" input="{said}" gainprm="3" biastype="affine" biasprm="1 -2 -.5"/></actuator>'
    found = read(body('<joint name="j" type="slide"/>', after=drive))
    state = State(q={"j": 0.3}, v={"j": 0.7}, parameters={"actuator0_ctrl": 0.4})
    assert numbers(found.system, state)["applied"][0] == pytest.approx(1.25)  # MuJoCo's number, too
    assert not [o for o in found.system.omissions if o.kind == "attribute"]


def test_actuators_of_a_class_go_on_from_its_law():
    classes = '<default><default class="c"><position kp="7" kv="3"/></default></default>'
    for said, expected in (("<position", 7 * 2), ("<motor", 2), ("<general", 7 * 2)):
        drive = f'<actuator>{said} joint="j" class="c"/></actuator>'
        system = read(body('<joint name="j" type="slide"/>', before=classes, after=drive)).system
        state = State(q={"j": 0.0}, parameters={"actuator0_ctrl": 2.0})
        assert numbers(system, state)["applied"][0] == pytest.approx(expected)


PUSHED = (
    f'<body name="a" pos="1 2 3" euler="10 20 30"><joint name="j" axis="0 1 0.3"/>{MASS}<body pos=".3 .2 .1">'
    f'<joint name="k" axis="1 0 0"/>{MASS}<frame pos=".1 0 0" euler="4 5 6">'
    '<site name="s" pos=".1 .2 .3" euler="30 40 50"/></frame></body>'
    '<site name="r" pos=".2 -.1 .3" euler="7 8 9"/></body><site name="g" pos="0 0 1" euler="3 2 1"/>'
)
PUSHES = (
    '<motor site="s" gear="1 2 3 4 5 6"/>', '<motor site="s" gear="0 2"/>', '<motor site="s"/>',
    '<position site="s" kp="3" gear="1 2 3 4 5 6"/>', '<velocity site="s" kv="3" gear="0 0 0 1 2 3"/>',
    '<general site="s" gaintype="affine" gainprm="2 3 4" biastype="affine" biasprm="3 4 5" gear="0 0 0 4 5 6"/>',
    '<motor site="g"/>', '<motor site="s" refsite="s"/>', '<motor site="g" refsite="g"/>',
    *(f'<{law} site="s" refsite="{ref}" gear="{gear}"/>' for ref in "gr" for law, gear in (
        ("motor", "1 2 3 4 5 6"), ('position kp="3" kv="2"', "1 2 3"), ('velocity kv="3"', "1 2 3 4 5 6"),
        ('general gaintype="affine" gainprm="2 3 4" biastype="affine" biasprm="3 4 5"', "3 -1 2"),
    )),
    '<velocity kv="3" site="r" refsite="s" gear="0 0 0 1 2 3"/>', '<motor site="g" refsite="s" gear="0 0 0 4 5 6"/>',
)  # fmt: skip


def test_a_site_is_pushed_along_its_axes():
    """A hinge about z with a site at (2, 0, 0) turned by 30° about z: the force 5 along its y has the arm 2 cos 30°."""
    site = f'{MASS}<site name="s" pos="2 0 0" euler="0 0 30"/>'
    system = read(body("<joint/>", site, after='<actuator><motor site="s" gear="0 1 0 0 0 .1"/></actuator>')).system
    state = State(q={system.coordinate_names[0]: 0.7}, parameters={"actuator0_ctrl": 5.0})
    assert numbers(system, state)["applied"][0] == pytest.approx(5 * 2 * np.cos(np.pi / 6) + 0.5)


@pytest.mark.parametrize("said", PUSHES)
def test_a_site_is_pushed_as_by_mujoco(said):
    mujoco = pytest.importorskip("mujoco", reason="compares with MuJoCo, which is not installed")
    text = world(PUSHED, after=f"<actuator>{said}</actuator>")
    model = mujoco.MjModel.from_xml_string(text)
    data, q, v = mujoco.MjData(model), [0.3, -0.4], [0.5, 0.8]
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, 1.3
    mujoco.mj_forward(model, data)
    found = read(text).system
    rates = dict(zip("jk", v, strict=True))
    state = State(q=dict(zip("jk", q, strict=True)), v=rates, parameters={"actuator0_ctrl": 1.3})
    assert not [o for o in found.omissions if o.acts]
    rounding = 1e-14 * (1 + np.abs(data.qfrc_actuator).max())  # joints that carry both sites: terms that cancel
    assert numbers(found, state)["applied"] == pytest.approx(data.qfrc_actuator, rel=1e-12, abs=rounding)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ('<motor site="r" refsite="s"/>', "does not carry"),
        ('<position site="s" refsite="r" gear="0 0 0 1"/>', "follows the turn"),
        ('<position site="s" refsite="r" dampratio="1"/>', "follows the speed"),
        ('<velocity site="s" kv="3" gear="0 2"/>', "follows the speed"),
        ('<position site="s" kp="3" dampratio="1" gear="0 0 0 1"/>', "follows the speed"),
        ('<motor site="s" damping="2"/>', "damping"),
    ],
)
def test_a_push_that_is_left_out_says_why(said, reason):
    (left,) = (o for o in read(world(PUSHED, after=f"<actuator>{said}</actuator>")).system.omissions if o.acts)
    assert left.place == "actuator/actuator0" and reason in left.what


HELD_UP = (
    '<body gravcomp="1"><joint name="j" axis="0 1 0" actuatorgravcomp="ONE"/>'
    f'{MASS}<body gravcomp=".5" pos=".3 0 0"><joint name="k" axis="0 1 0" actuatorgravcomp="OTHER"/>{MASS}</body>'
    "</body>"
)
MOTOR = '<actuator><motor joint="j"/></actuator>'
NEVER = [
    ('<flag spring="disable" damper="disable"/>', MOTOR, "false"), ('<flag actuation="disable"/>', MOTOR, "true"),
    ("", "", "true"), ("", "<actuator/>", "true"), ('<flag gravity="disable"/>', MOTOR, "false"),
]  # fmt: skip
HOLDS_UP = [
    ('<flag spring="disable"/>', MOTOR, "false"), ('<flag actuation="disable"/>', MOTOR, "false"),
    ("", MOTOR, "true"), ("", "", "false"), ('<flag damper="disable"/>', "", "false"),
]  # fmt: skip


@pytest.mark.parametrize(("flag", "after", "said"), [*NEVER, *HOLDS_UP])
def test_a_weight_is_held_up_where_mujoco_holds_it_up(flag, after, said):
    inside = HELD_UP.replace("ONE", said).replace("OTHER", said)
    text = world(inside, f"<option>{flag}</option>", after)
    system = read(text).system
    ours = numbers(system, State(q={"j": 0.3, "k": -0.4}))["applied"]
    assert (abs(ours).max() == 0) == ((flag, after, said) in NEVER)
    mujoco = pytest.importorskip("mujoco", reason="compares with MuJoCo, which is not installed")
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError as problem:
        pytest.skip(f"MuJoCo {mujoco.__version__} does not know a flag: {problem!s:.80}")
    data = mujoco.MjData(model)
    data.qpos[:] = 0.3, -0.4
    mujoco.mj_forward(model, data)
    assert ours == pytest.approx(data.qfrc_passive + data.qfrc_actuator, rel=1e-12)


def test_a_weight_that_is_held_up_in_part_is_refused():
    with pytest.raises(ReadError, match="along some of its joints alone"):
        read(world(HELD_UP.replace("ONE", "true").replace("OTHER", "false")))


def test_a_tendon_acts_along_its_coefficients():
    """Length 2 x - y = 0.3 at x = 0.4, y = 0.5; springs rest at lengths 0.5 to 0.7, where one alone is 0.1 beyond."""
    tendon = '<tendon><fixed name="t" {}><joint joint="x" coef="2"/><joint joint="y" coef="-1"/></fixed></tendon>'
    state = State(q={"x": 0.4, "y": 0.5}, v={"x": 1.0, "y": 1.0})
    for said, pull in (
        ('stiffness="10" springlength="0.1"', -10 * 0.2),
        ('stiffness="10" springlength="0.5 0.7"', 10 * 0.2),
        ('stiffness="10" springlength="0.1 0.7"', 0.0),
        ('stiffness="10" springlength="0 0.1"', -10 * 0.2),
        ('damping="3"', -3.0),
        ('stiffness="10"', -10 * 0.3),
    ):
        found = numbers(read(world(TWO, after=tendon.format(said))).system, state)["applied"]
        np.testing.assert_allclose(found, [2 * pull, -pull], atol=1e-15)
    system = read(world(TWO, after=tendon.format('armature="0.2"'))).system
    assert system.armatures == (Armature("t_armature", number("0.2"), {"x": number(2), "y": number(-1)}),)


def test_equalities_are_constraints():
    """A polynomial in deviations from the references; a point that lies where the file shows the bodies; a weld."""
    held = (
        '<equality><joint name="p" joint1="y" joint2="x" polycoef="1 2 3"/>'
        '<connect name="c" body1="a" body2="b" anchor="0 0 3"/><weld name="w" body1="b"/>'
        '<joint joint1="x" active="false"/></equality>'
    )
    reading = read(world(TWO, after=held))
    row, point, frame = reading.system.constraints
    x, y = symbol("x"), symbol("y") - number("0.5")
    assert isinstance(row, Holonomic)
    gap = substitute([row.expression - (y - 1 - 2 * x - 3 * x * x)], {})[0]
    assert evaluate([gap], {"x": 0.7, "y": 1.3})[0] == pytest.approx(0, abs=1e-15)
    assert [str(v) for v in (*point.first.position, *point.second.position)] == ["0", "0", "3", "0", "0", "2"]
    assert (frame.first.body, frame.second.body) == ("b", None)
    assert frame.first.transformations == shift((0, 0, -1))
    assert any("hold exactly" in d.message for d in reading.diagnostics)


WELDED = world(
    '<body name="a" pos="0 0 1"><joint name="u" axis="0 1 0"/>' + MASS + '</body><body name="b" pos="1.5 0 1">'
    '<joint name="x" type="slide" axis="1 0 0"/><joint name="r" axis="0 1 0"/>' + MASS + "</body>",
    after='<equality><weld name="w" body1="a" body2="b" WAY/></equality>',
)
SIXTY = [[0.5, 0, 3**0.5 / 2], [0, 1, 0], [-(3**0.5) / 2, 0, 0.5]]


@pytest.mark.parametrize(
    ("way", "place", "turn"),
    [  # where body 2 is in body 1, by hand: relpose tells where the anchor's point of body 2 lies
        ("", [1.5, 0, 0], np.eye(3)),
        ('anchor="-1 0 0"', [1.5, 0, 0], np.eye(3)),
        ('relpose="0.5 0 0.2 1 0 0 0"', [0.5, 0, 0.2], np.eye(3)),
        ('anchor="-1 0 0" relpose="1.5 0 0 1 0 0 0"', [2.5, 0, 0], np.eye(3)),
        ('anchor="-1 0 0" relpose="1.5 0 0 0 0 0 0"', [1.5, 0, 0], np.eye(3)),
        (f'anchor="-1 0 0" relpose="1.5 0 0 {3**0.5} 0 1 0"', [2, 0, -(3**0.5) / 2], SIXTY),
        (f'anchor="0 2 1" relpose="1 2 3 {3**0.5} 0 1 0"', [1 - 3**0.5 / 2, 0, 2.5], SIXTY),
    ],
)
def test_a_weld_puts_the_anchor_of_body_2_on_the_place_of_relpose(way, place, turn):
    text = WELDED.replace("WAY", way)
    (weld,) = read(text).system.constraints
    (again,) = second_reading(text, "mjcf", At(dict.fromkeys("uxr", 0.0), dict.fromkeys("uxr", 0.0), 0.0)).closures
    assert (weld.first.body, weld.second.body, again.first[0], again.second[0]) == ("a", "b", "a", "b")
    wanted = np.c_[turn, place]
    held = compose_pose(weld.first.transformations), compose_pose(weld.second.transformations)
    pose = held[0].then(HERE.seen_from(held[1]))
    np.testing.assert_allclose(np.c_[pose.R, pose.p], wanted, atol=1e-15)
    np.testing.assert_allclose((matrix(again.first[1]) @ inverse(matrix(again.second[1])))[:3], wanted, atol=1e-15)


def test_weight_that_is_compensated_is_a_force_at_the_centre_of_mass():
    system = read(body('<joint name="j" type="slide"/>', pose='gravcomp="0.25"')).system
    found = numbers(system, State(q={"j": 0.0}))
    assert (found["gravity"][0], found["applied"][0]) == pytest.approx((-19.62, 0.25 * 19.62))
    off = '<option><flag gravity="disable"/></option>'
    assert read(body('<joint type="slide"/>', pose='gravcomp="1"', before=off)).system.gravity is None


def drive(options: str, actuators: str) -> tuple[System, float]:
    """A model of one slide at q = 2, q' = 3, its control at 5; its applied force."""
    text = body('<joint name="j" type="slide"/>', before=options, after=f"<actuator>{actuators}</actuator>")
    system = read(text).system
    given = dict.fromkeys((p.name for p in system.parameters), 5.0)
    return system, float(numbers(system, State(q={"j": 2.0}, v={"j": 3.0}, parameters=given))["applied"][0])


def test_actuators_damp_even_when_they_are_off():
    """-gear² d q', which the flag of dampers takes away and no other; forces of a disabled group."""
    damped = '<position joint="j" kp="7" gear="3" damping="0.5" group="2"/>'
    assert drive("", damped)[1] == 3 * (7 * 5 - 7 * 3 * 2) - 9 * 0.5 * 3
    system, force = drive('<option actuatorgroupdisable="0 2"/>', damped)
    assert force == -9 * 0.5 * 3 and system.parameters == ()
    assert drive('<option><flag actuation="disable"/></option>', damped)[1] == -9 * 0.5 * 3
    assert drive('<option actuatorgroupdisable="2"><flag damper="disable"/></option>', damped)[1] == 0
    assert drive('<option actuatorgroupdisable="1"/>', damped)[1] == drive("", damped)[1]


def test_what_an_actuator_does_and_the_model_does_not_acts():
    for said in ('<motor joint="j" damping="0.5 0.2"/>', '<motor joint="j" body="a"/>'):
        (left,) = drive("", said)[0].omissions
        assert (left.kind, left.effect) == ("actuator", "forces")
    pushed = {o.place: o.effect for o in drive("", '<motor name="m" joint="j" forcerange="-1 2"/>')[0].omissions}
    assert pushed == {"saturation/m": "none"}


@pytest.mark.parametrize(
    ("actuator", "force"),
    [
        ('<position joint="j" kp="7" gear="3" forcerange="-3 20"/>', 3 * -3.0),
        ('<position joint="j" kp="7" gear="3" forcerange="-30 -20"/>', 3 * -20.0),
        ('<position joint="j" kp="7" gear="3" forcerange="-8 20"/>', 3 * -7.0),
        ('<position joint="j" kp="7" gear="3" forcerange="-3 20" forcelimited="false"/>', 3 * -7.0),
        ('<position joint="j" kp="7" gear="3" forcerange="-3 20" damping="0.5"/>', 3 * -3.0 - 9 * 0.5 * 3),
        ('<motor joint="j" gear="2" forcerange="1 2"/>', 2 * 2.0),
        ('<general joint="j" biastype="affine" biasprm="9 0 0" forcerange="0 12"/>', 12.0),
    ],
)
def test_a_limit_of_force_that_acts_is_its_law(actuator: str, force: float) -> None:
    """Held between its ends before the gear; read again by the second reading, with the damping beside."""
    system, found = drive("", actuator)
    assert found == force
    assert not [o for o in system.omissions if o.kind == "saturation"]


def test_a_clipped_servo_is_read_alike_by_the_second_reading(tmp_path):
    joint = '<joint name="j" type="slide"/>'
    servo = '<actuator><position joint="j" kp="100" forcerange="-3 5"/></actuator>'
    (tmp_path / "a.xml").write_text(body(joint, after=servo), encoding="utf-8")
    found = mbconcord.check(tmp_path / "a.xml")
    assert found.verdict == "agrees"
    assert "second reading" in {c.b for c in found.comparisons}


def test_a_weld_without_torquescale_holds_points():
    text = WELDED.replace("WAY", 'anchor="-1 0 0.5" relpose="1.5 0 0.2 1 0 0 0" torquescale="0"')
    (held,) = read(text).system.constraints
    assert isinstance(held, PointCoincidence) and (held.first.body, held.second.body) == ("a", "b")
    assert [str(x) for x in (*held.first.position, *held.second.position)] == ["1.5", "0", "0.2", "-1", "0", "0.5"]


def test_classes_are_those_around_an_element():
    """Its own attribute, its class, the nearest childclass, main; a class has what the one around it has."""
    before = (
        '<default><joint damping="1"/><default class="A"><joint damping="2" axis="1 0 0"/>'
        '<default class="B"><joint armature="3"/></default></default></default>'
    )
    inside = (
        f'<body name="p"><joint name="j1"/>{MASS}<body name="q" childclass="B"><joint name="j2"/>{MASS}'
        f'<frame childclass="A"><body name="r"><joint name="j3" damping="5"/>{MASS}</body></frame></body></body>'
    )
    system = read(world(inside, before)).system
    damping = {f.coordinate: f.expression() for f in system.forces}
    assert damping == {f"j{i}": -(number(d) * rate(f"j{i}")) for i, d in ((1, 1), (2, 2), (3, 5))}
    assert [a.name for a in system.armatures] == ["j2_armature"]


def test_files_in_the_folder_are_included(tmp_path):
    (tmp_path / "parts").mkdir()
    part = f'<!-- of b\n--><mujocoinclude><body name="b"><joint/>{MASS}</body></mujocoinclude>'
    (tmp_path / "parts" / "b.xml").write_text(part)
    (tmp_path / "m.xml").write_text(body("<joint/>").replace(MASS, MASS + '<include file="parts/b.xml"/>'))
    system = registry.read(tmp_path / "m.xml").system
    assert [(b.name, b.parent) for b in system.bodies] == [("a", None), ("b", "a")]
    text = registry.write(system, "mjcf").text
    assert "include" not in text and text == "\n".join(system.metadata["mjcf:text"])
    assert replace(read(text).system, name=system.name) == system
