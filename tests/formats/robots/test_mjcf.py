"""MJCF: what bodies, joints and shapes mean in numbers."""

from __future__ import annotations

import json
from math import pi

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import State, rotation, shift
from mbconcord.model.expressions import evaluate_float, number
from mbconcord.validation.witnesses.peers.peer import free

from ..um.um_files import placed
from .mjcf_texts import MASS, NAMES, TWO, VECTORS, body, numbers, read, seen, world


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
