"""MJCF: what its elements mean in numbers, what is left out of the model, what is refused and where."""

from __future__ import annotations

import json
from math import pi
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.converters.floats import HERE, compose_pose
from mbconcord.converters.registry import Reading
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import Armature, Holonomic, PointCoincidence, ReadError, State, System, rotation, shift
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import ZERO, evaluate, evaluate_float, number, rate, substitute, symbol
from mbconcord.validation.witnesses.peers.peer import free, in_model
from mbconcord.validation.witnesses.second.machine import At
from mbconcord.validation.witnesses.second.reading import machine as second_reading
from mbconcord.validation.witnesses.second.robots.tags import inverse, matrix

from ..um.um_files import placed

VECTORS = Path(__file__).parents[4] / "shared" / "specs" / "vectors" / "robots"
NAMES = [p.stem for p in sorted(VECTORS.glob("*.xml"))]
MASS = '<inertial pos="0.1 0.2 0.05" mass="2" diaginertia="0.05 0.04 0.03"/>'


def read(text: str, file: str = "model.xml") -> Reading:
    return registry.read_text(text, file)


def world(inside: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="m">{before}<worldbody>{inside}</worldbody>{after}</mujoco>'


def body(joint: str = "", more: str = MASS, pose: str = "", before: str = "", after: str = "") -> str:
    """A body of the world with what is given in it."""
    return world(f'<body name="a" {pose}>{joint}{more}</body>', before, after)


def numbers(system: System, state: State) -> dict[str, np.ndarray]:
    derivation = formalisms.formalism("newton_euler").derive(system.open_loops())
    found = evaluate_derivation(derivation, [state]).quantities
    return {name: value[0] for name, value in found.items()}


# --- vectors --------------------------------------------------------------------------------------------


def seen(system: System, expected: dict) -> tuple[State, dict[str, np.ndarray]]:
    """The state of a vector in the model's coordinates, and its numbers brought there."""
    q, v = (np.array(expected["state"][key], dtype=float) for key in "qv")
    names = system.coordinate_names
    given = {k: np.array(expected[k], dtype=float) for k in ("M", "h", "gravity", "passive") if k in expected}
    if len(q) == len(v):
        return State(q=dict(zip(names, q, strict=True)), v=dict(zip(names, v, strict=True))), given
    at = placed(system, dict.fromkeys(names, 0.0))[system.bodies[0].name]
    fixed = at[:3, :3] if len(v) == 6 else np.eye(3)
    w, x, y, z = q[-4:]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    T = fixed.T @ R
    angles = [np.arctan2(T[1, 0], T[0, 0]), -np.arcsin(T[2, 0]), np.arctan2(T[2, 1], T[2, 2])]
    there = fixed.T @ (q[:3] - at[:3, 3]) if len(v) == 6 else np.zeros(3)
    own = np.concatenate([there, angles])
    start = free(own, np.zeros(6), moving=False, fixed=fixed)
    rates = np.linalg.solve(start.G, v if len(v) == 6 else np.concatenate([np.zeros(3), v]))
    block = free(own, rates, moving=False, fixed=fixed)
    k = slice(6 - len(v), 6)
    zero = np.zeros(len(v))
    made = in_model(block.G[k, k], block.rest[k], given["M"], given["h"], given["gravity"], given.get("passive", zero))
    state = State(q=dict(zip(names, own[k], strict=True)), v=dict(zip(names, rates[k], strict=True)))
    return state, {key: made["applied" if key == "passive" else key] for key in given}


@pytest.mark.skipif(not NAMES, reason="vectors of robots are not part of the project: none lie beside")
@pytest.mark.parametrize("name", NAMES)
def test_vectors(name):
    """Numbers of MuJoCo and others, to the digits that they are stored with."""
    expected = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    system = registry.read(VECTORS / f"{name}.xml").system
    joints = [n.removesuffix("_TX").removesuffix("_RZ") for n in system.coordinate_names]
    assert list(dict.fromkeys(n.rpartition("_T")[0] or n.rpartition("_R")[0] or n for n in joints))
    state, wanted = seen(system, expected)
    found = numbers(system, state)
    found["passive"] = found["applied"]
    for quantity, values in wanted.items():
        size = max(1.0, np.abs(wanted["M"]).max(), np.abs(values).max())
        np.testing.assert_allclose(found[quantity], values, atol=1e-12 * size, rtol=0, err_msg=quantity)
    poses = placed(system, state.q)
    for link, pose in expected["poses"].items():
        if link in poses:
            np.testing.assert_allclose(poses[link][:3, :3], pose["R"], atol=2e-14)
            np.testing.assert_allclose(poses[link][:3, 3], pose["p"], atol=2e-14)
    if "constraint_residual" in expected:
        closed = formalisms.formalism("lagrange").constrained_motion(system, [state])
        theirs, ours = np.atleast_2d(expected["D"]), closed.D[0]
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-9)


# --- meaning --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compiler", "said", "R"),
    [
        ("", 'euler="90 0 90"', [[0, -1, 0], [0, 0, -1], [1, 0, 0]]),
        ('eulerseq="XYZ"', 'euler="90 0 90"', [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ('eulerseq="zyx" angle="radian"', f'euler="{pi / 2} 0 {pi / 2}"', [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ("", 'axisangle="0 0 2 90"', [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("", 'quat="2 0 0 2"', [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("", 'xyaxes="0 3 0 -1 5 0"', [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("", 'zaxis="3 0 0"', [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
        ("", 'zaxis="0 0 -1"', [[1, 0, 0], [0, -1, 0], [0, 0, -1]]),
    ],
)
def test_orientations_by_hand(compiler, said, R):
    system = read(body(pose=f'pos="1 2 3" {said}', before=f"<compiler {compiler}/>")).system
    np.testing.assert_allclose(placed(system, {})["a"][:3], np.c_[R, [1, 2, 3]], atol=1e-15)


SHAPES = {  # mass per density, moments per mass: by hand
    'type="sphere" size="0.5"': (pi / 6, [0.1, 0.1, 0.1]),
    'size="0.5"': (pi / 6, [0.1, 0.1, 0.1]),
    'type="box" size="1 2 3"': (48, [13 / 3, 10 / 3, 5 / 3]),
    'type="ellipsoid" size="1 2 3"': (8 * pi, [13 / 5, 10 / 5, 1]),
    'type="cylinder" size="2 3"': (24 * pi, [4, 4, 2]),
    'type="capsule" size="1 3"': (
        22 / 3 * pi,
        [(6 * (3 + 36) / 12 + 4 / 3 * (0.4 + 9 / 4 + 9)) / (22 / 3)] * 2 + [(3 + 8 / 15) / (22 / 3)],
    ),
    'type="sphere" size="2" shellinertia="true"': (16 * pi, [8 / 3] * 3),
    'type="box" size="1 1 1" shellinertia="true"': (24, [10 / 9 + 0] * 3),
}


@pytest.mark.parametrize(("said", "expected"), SHAPES.items(), ids=SHAPES)
def test_inertia_of_shapes_by_hand(said, expected):
    """Density 2: mass, and moments in the order of the axes; of the cube's shell 2/3 (2 a)² (5/12) each."""
    mass, moments = expected
    system = read(body("<joint/>", f'<geom {said} pos="1 0 0" density="2"/>')).system
    own = system.bodies[0].inertia
    assert float(own.mass.value) == pytest.approx(2 * mass, rel=1e-15)
    assert [float(x.value) for x in own.centre] == [1, 0, 0]
    wanted = np.multiply(moments, 2 * mass)
    if "box" in said and "shell" in said:
        wanted = np.full(3, 2 * mass * 10 / 9)
    np.testing.assert_allclose([float(x.value) for x in own.tensor[:3]], wanted, rtol=1e-14)


def test_a_shape_between_two_points_lies_along_them():
    """A rod from (1, 0, 0) to (1, 0, 4) of the radius 0.5, mass 3."""
    system = read(body("<joint/>", '<geom type="cylinder" fromto="1 0 0 1 0 4" size="0.5" mass="3"/>')).system
    own = system.bodies[0].inertia
    assert [float(x.value) for x in (own.mass, *own.centre)] == [3, 1, 0, 2]
    across = 3 * (3 * 0.25 + 16) / 12
    np.testing.assert_allclose([float(x.value) for x in own.tensor], [across, across, 0.375, 0, 0, 0], atol=1e-15)


TETRAHEDRON = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"'


@pytest.mark.parametrize("rule", ["", 'inertia="exact"'])
def test_a_mesh_that_stands_in_the_file_has_the_inertia_of_its_volume(rule):
    """The tetrahedron of the corners: volume 1/6, centre 1/4, Jxx about it 2 (1/60 - 1/96) of its density."""
    asset = f'<asset><mesh name="t" {TETRAHEDRON} {rule}/></asset>'
    system = read(
        body("<joint/>", '<geom type="mesh" mesh="t" density="60"/>', before=asset.replace("/>", "/>", 1))
    ).system
    own = system.bodies[0].inertia
    assert float(own.mass.value) == pytest.approx(10)
    assert [float(x.value) for x in own.centre] == pytest.approx([0.25] * 3)
    assert float(own.tensor[0].value) == pytest.approx(60 * 2 * (1 / 60 - 1 / 96))
    assert float(own.tensor[3].value) == pytest.approx(-60 * (1 / 120 - 1 / 96))


def test_a_coordinate_is_the_number_that_mujoco_has():
    """Where the file shows the body, a hinge with a reference is at it; the axis is z where none is given."""
    system = read(body('<joint name="j" ref="30" pos="0 1 0"/>')).system
    (own,) = system.coordinates
    assert evaluate_float(own.position, {}) == pytest.approx(pi / 6)
    np.testing.assert_allclose(placed(system, {"j": pi / 6})["a"], np.eye(4), atol=1e-15)
    turned = placed(system, {"j": pi / 6 + pi / 2})["a"]
    np.testing.assert_allclose(turned[:3], [[0, -1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 0]], atol=1e-15)


def test_joints_of_a_body_act_in_their_order():
    joints = '<joint name="s" type="slide" axis="1 0 0"/><joint name="h"/>'
    (found,) = read(body(joints)).system.bodies
    assert [et.coordinate for et in found.joint] == ["s", "h"]


def test_free_and_ball_joints_have_angles_from_the_pose_of_the_file():
    (loose,) = read(body('<freejoint name="f"/>', pose='pos="1 0 0" quat="1 0 0 1"')).system.bodies
    assert loose.coordinates == ("f_TX", "f_TY", "f_TZ", "f_RZ", "f_RY", "f_RX")
    assert [str(et.axis[2]) for et in loose.joint[-3:]] == ["1", "0", "0"]
    (ball,) = read(body('<joint name="b" type="ball" pos="0 0 2"/>')).system.bodies
    turns = tuple(rotation(axis, f"b_R{axis.upper()}") for axis in "zyx")
    assert ball.joint == (*shift((0, 0, 2)), *turns, *shift((0, 0, -2)))


def test_a_ball_turns_about_the_axes_of_its_body_whatever_frame_it_stands_in():
    # MuJoCo keeps its quaternion in the axes of the body: a frame moves its point alone, here to 1 + 2 along y.
    joint = '<frame pos="0 1 0" euler="0 0 90"><joint name="b" type="ball" pos="2 0 0"/></frame>'
    q = {"b_RZ": 0.3, "b_RY": -0.7, "b_RX": 1.1}
    found, other = (
        placed(read(body(text)).system, q)["a"] for text in (joint, '<joint name="b" type="ball" pos="0 3 0"/>')
    )
    assert np.abs(found - other).max() < 1e-14


@pytest.mark.parametrize("shape", ["", '<geom size="1" group="4"/>', '<geom size="1" mass="0"/>'])
def test_what_is_said_of_a_mass_counts_where_no_shape_stands_for_it(shape):
    before = '<compiler inertiafromgeom="true" inertiagrouprange="0 3"/>'
    (found,) = read(body("<joint/>", MASS + shape, before=before)).system.bodies
    assert found.inertia == read(body("<joint/>")).system.bodies[0].inertia
    (shaped,) = read(body("<joint/>", MASS + '<geom size="1" mass="5"/>', before=before)).system.bodies
    assert shaped.inertia.mass == number(5)


@pytest.mark.parametrize(("kind", "count"), [("ball", 3), ("free", 6)])
def test_damping_of_what_turns_everywhere_has_the_power_of_its_velocities(kind, count):
    """-d |u|² with the velocities u of MuJoCo: those of the chart that programs are asked in."""
    system = read(body(f'<joint name="x" type="{kind}" damping="0.7"/>')).system
    random = np.random.default_rng(1)
    q, v = random.uniform(-1, 1, 6), random.uniform(-1, 1, 6)
    k = slice(6 - count, 6)
    u = (free(q, v, moving=False).G @ v)[k]
    names = system.coordinate_names
    values = dict(zip(names, q[k], strict=True)) | {f"{n}'": x for n, x in zip(names, v[k], strict=True)}
    power = sum(evaluate_float(f.expression(), values) * values[f"{f.coordinate}'"] for f in system.forces)
    assert power == pytest.approx(-0.7 * u @ u)


@pytest.mark.parametrize(("words", "effect"), [('armature="0.7"', "inertia"), ('stiffness="10 1"', "forces")])
def test_a_rope_that_is_not_held_says_what_it_does(words: str, effect: str) -> None:
    rope = f'<tendon><spatial name="rope" {words}><site site="a"/><site site="s"/></spatial></tendon>'
    sites = '<site name="a" pos="0 0 1"/>' + TWO.replace("</body>", '<site name="s" pos="1 0 0"/></body>', 1)
    (omission,) = (o for o in read(world(sites, after=rope)).system.omissions if o.acts)
    assert (omission.place, omission.effect) == ("tendon/rope", effect)


def test_an_armature_of_a_free_body_is_a_tensor_and_along_its_shifts():
    """In the velocities of MuJoCo a E is added to M: Gᵀ a G in the model's."""
    plain, heavy = (read(body(f'<joint name="x" type="free" armature="{a}"/>')).system for a in ("0", "0.5"))
    random = np.random.default_rng(2)
    q, v = random.uniform(-1, 1, 6), random.uniform(-1, 1, 6)
    names = plain.coordinate_names
    state = State(q=dict(zip(names, q, strict=True)), v=dict(zip(names, v, strict=True)))
    block = free(q, v, moving=False)
    one, other = numbers(heavy, state), numbers(plain, state)
    np.testing.assert_allclose(one["M"] - other["M"], 0.5 * block.G.T @ block.G, atol=1e-14)
    np.testing.assert_allclose(one["h"] - other["h"], block.G.T @ (0.5 * block.rest), atol=1e-14)
    np.testing.assert_allclose(one["gravity"], other["gravity"], atol=1e-15)


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


def test_actuators_of_a_class_go_on_from_its_law():
    classes = '<default><default class="c"><position kp="7" kv="3"/></default></default>'
    for said, expected in (("<position", 7 * 2), ("<motor", 2), ("<general", 7 * 2)):
        drive = f'<actuator>{said} joint="j" class="c"/></actuator>'
        system = read(body('<joint name="j" type="slide"/>', before=classes, after=drive)).system
        state = State(q={"j": 0.0}, parameters={"actuator0_ctrl": 2.0})
        assert numbers(system, state)["applied"][0] == pytest.approx(expected)


TWO = (
    f'<body name="a"><joint name="x" type="slide"/>{MASS}</body>'
    f'<body name="b" pos="0 0 1"><joint name="y" type="slide" ref="0.5"/>{MASS}<site name="s" pos="1 0 0"/></body>'
)


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
    pushed = {o.place: o.effect for o in drive("", '<motor name="m" joint="j" forcerange="1 2"/>')[0].omissions}
    assert pushed == {"saturation/m": "forces"}
    pushed = {o.place: o.effect for o in drive("", '<motor name="m" joint="j" forcerange="-1 2"/>')[0].omissions}
    assert pushed == {"saturation/m": "none"}


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
    part = f'<mujocoinclude><body name="b"><joint/>{MASS}</body></mujocoinclude>'
    (tmp_path / "parts" / "b.xml").write_text(part)
    (tmp_path / "m.xml").write_text(body("<joint/>").replace(MASS, MASS + '<include file="parts/b.xml"/>'))
    system = registry.read(tmp_path / "m.xml").system
    assert [(b.name, b.parent) for b in system.bodies] == [("a", None), ("b", "a")]
    assert "mjcf:text" not in system.metadata


# --- what is left out -----------------------------------------------------------------------------------


LEFT_OUT = {
    "frictionloss": (body('<joint frictionloss="0.2"/>'), "joint-friction", "forces"),
    "stops": (body('<joint limited="true" range="0 1"/>'), "joint-limit", "none"),
    "a shape": (body("<joint/>", MASS + '<geom size="1"/>'), "collision-shape", "none"),
    "a fluid": (body("<joint/>", before='<option density="1"/>'), "medium", "forces"),
    "a muscle": (body('<joint name="j"/>', after='<actuator><muscle joint="j"/></actuator>'), "actuator", "forces"),
    "states": (body('<joint name="j"/>', after='<actuator><general joint="j" dyntype="integrator"/></actuator>'),
               "actuator", "forces"),
    "a site's drive": (body("<joint/>", MASS + '<site name="s"/>', after='<actuator><motor site="s"/></actuator>'),
                       "actuator", "forces"),
    "a spring of a ball": (body('<joint type="ball" stiffness="1"/>'), "joint-spring", "forces"),
    "a spring by its time": (body('<joint type="ball" springdamper="1 1"/>'), "joint-spring", "forces"),
    "a mesh": (body("<joint/>", MASS.replace("inertial", "x")[:0] + '<geom type="mesh" mesh="m"/><inertial pos="0 0 0" '
               'mass="1" diaginertia="1 1 1"/>', before='<asset><mesh name="m" file="no.stl"/></asset>'),
               "collision-shape", "none"),
    "a sensor": (body("<joint/>", after='<sensor><clock name="c"/></sensor>'), "sensor", "none"),
    "a key": (body("<joint/>", after='<keyframe><key name="k"/></keyframe>'), "state", "none"),
    "a camera": (body("<joint/>", MASS + '<camera name="c"/>'), "image", "none"),
    "a contact": (body("<joint/>", after='<contact><exclude body1="a" body2="a"/></contact>'), "contact", "none"),
    "an extension": (body("<joint/>", after='<extension><plugin plugin="p"/></extension>'), "extension", "unknown"),
    "an attribute": (body('<joint armatur="1"/>'), "attribute", "unknown"),
    "a block": (body("<joint/>", MASS + "<wheel/>"), "block", "unknown"),
    "a rope": (body("<joint/>", MASS + '<site name="s"/><site name="w" pos="0 0 3"/>',
                    after='<tendon><spatial range="0 1"><site site="s"/><site site="w"/></spatial></tendon>'),
               "joint-limit", "forces"),
    "a comment": (body("<joint/><!-- said -->"), "comment", "none"),
    **{f"{drive}, {limits}": (body(f'<joint name="j" {joint}/>',
                                         after=f'<actuator><{drive} joint="j" {limits}/></actuator>'),
                      "saturation", effect)
       for drive, joint, limits, effect in (
           ("position", "", 'forcerange="-1 1"', "forces"), ("motor", "", 'forcerange="-1 1"', "none"),
           ("position", "", 'ctrlrange="-1 1"', "none"), ("position", "", 'ctrlrange="1 2"', "forces"),
           ("position", 'actuatorfrcrange="-1 1"', "", "forces"), ("motor", 'actuatorfrcrange="-1 1"', "", "none"),
       )},
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_is_left_out(case):
    text, kind, effect = LEFT_OUT[case]
    found = {o.kind: o.effect for o in read(text).system.omissions}
    assert found.pop(kind) == effect
    assert set(found) <= {"material", "site", "collision-shape"}


def test_a_mesh_whose_inertia_is_not_known_stands_in_the_verdict():
    before = '<asset><mesh name="m" file="no.stl"/></asset>'
    reading = read(body("<joint/>", '<geom type="mesh" mesh="m"/>', before=before))
    (left,) = [o for o in reading.system.omissions if o.kind == "computed-inertia"]
    assert left.effect == "inertia" and "no.stl" in left.what


# --- what is refused ------------------------------------------------------------------------------------


REFUSED = {
    "no joint axis": (body('<joint name="j" axis="0 0 0"/>'), "'j' is zero"),
    "a size": (body("<joint/>", '<geom type="box" size="1"/>'), "found 1 numbers, expected 3"),
    "no size": (body("<joint/>", "<geom/>"), "found 0 numbers, expected 1"),
    "a negative size": (body("<joint/>", '<geom size="-1"/>'), "is not positive"),
    "a negative mass": (body("<joint/>", '<geom size="1" mass="-1"/>'), "negative mass"),
    "ends that coincide": (body("<joint/>", '<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>'), "coincide"),
    "words": (body('<joint axis="a b c"/>'), "'a' is not a finite number"),
    "too few": (body('<joint axis="1 0"/>'), "expected 3 numbers"),
    "too many": (body('<joint damping="1 2 3 4"/>'), "expected 1 to 3"),
    "an unknown class": (body('<joint class="x"/>'), "there is no class 'x'"),
    "an unknown type": (body('<joint type="hing"/>'), "hinge"),
    "two orientations": (body("<joint/>", pose='euler="0 0 0" quat="1 0 0 0"'), "turned by one of them"),
    "a zero quaternion": (body("<joint/>", pose='quat="0 0 0 0"'), "no direction"),
    "flat axes": (body("<joint/>", pose='xyaxes="1 0 0 2 0 0"'), "no direction"),
    "twice the same name": (world(2 * f'<body name="a"><joint/>{MASS}</body>'), "'a' stands twice, first in line 1"),
    "a body called world": (world('<body name="world"/>'), "that is the fixed frame"),
    "a joint of the world": (world('<joint name="j"/>'), "a joint of the world"),
    "a free joint within": (world(f'<body><joint/>{MASS}<body><freejoint/>{MASS}</body></body>'), "free joint"),
    "behind a ball": (body('<joint type="ball"/><joint/>'), "behind a ball"),
    "a full tensor turned": (body("<joint/>", '<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" '
                             'euler="1 0 0"/>'), "fullinertia and an orientation"),
    "no pos": (body("<joint/>", '<inertial mass="1" diaginertia="1 1 1"/>'), "has no pos"),
    "an unknown joint": (body("<joint/>", after='<actuator><motor joint="k"/></actuator>'), "no joint 'k'"),
    "an unknown body": (body("<joint/>", after='<equality><weld body1="k"/></equality>'), "no body 'k'"),
    "global coordinates": (body("<joint/>", before='<compiler coordinate="global"/>'), "global coordinates"),
    "bodies by rules": (world('<composite type="cable"/>'), "rules of MuJoCo's own"),
    "an include from outside": (body('<include file="../x.xml"/>'), "outside the folder"),
    "an include without file": (body("<include/>"), "without file"),
    "no such include": (body('<include file="none.xml"/>'), "No such file"),
    "no bodies": ("<mujoco/>", "without <worldbody>"),
    "another root": ("<robot/>", "expected <mujoco>"),
    "an order of angles": (body("<joint/>", before='<compiler eulerseq="xyw"/>'), "three of x, y, z"),
    "groups between whole ones": (body(before='<compiler inertiagrouprange="0.5 3"/>'),
                                  "inertiagrouprange of <compiler>: found '0.5 3', expected whole numbers"),
    "groups with an exponent": (body(before='<compiler inertiagrouprange="0 3e0"/>'), "expected whole numbers"),
    "one group": (body(before='<compiler inertiagrouprange="3"/>'), "expected 2 numbers"),
    "a group of no number": (body("<joint/>", '<geom size="0.3" group="x"/>'), "found 'x', expected whole numbers"),
    "half a group": (body("<joint/>", '<geom size="0.3" group="1.5"/>'), "found '1.5', expected whole"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    text, said = REFUSED[case]
    with pytest.raises(ReadError) as caught:
        registry.read_text(text, "model.xml", "mjcf")
    assert all(d.location is not None for d in caught.value.diagnostics)
    assert said in str(caught.value)


def test_from_standard_input_nothing_is_included():
    with pytest.raises(ReadError, match="included from standard input"):
        registry.read_text(body('<include file="x.xml"/>'), "-", "mjcf")


def test_a_file_of_a_robot_called_xml_is_read_as_what_it_is(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text((folder() / "urdf" / "arm.urdf").read_text("utf-8"))
    assert registry.read(path).format == "urdf"
