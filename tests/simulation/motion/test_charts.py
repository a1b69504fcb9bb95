"""Bodies that turn freely go through the singular positions of their three angles.

What they are held against has no angles: Euler's equations J ω' + ω × J ω = m c × Rᵀ g about the fixed point, with R
itself integrated, and the constants of such motions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbconcord
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    Motion,
    Nonholonomic,
    Rod,
    System,
    Wrench,
)
from mbconcord.model.body import Armature
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import FormalismError, NumbersError, error
from mbconcord.model.expressions import number, symbol
from mbconcord.model.force import Point
from mbconcord.model.transformation import Constant, rotation, translation
from mbconcord.simulation.motion.charts import NEAR, Ball, balls, change_charts, rotation_about

MASS, WEIGHT = 2.0, np.array([0.0, 0.0, -9.81])
TENSOR = (1, 2, 2.5, 0.1, 0.2, -0.3)
NAMES = ("a", "b", "c")
AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


def body(
    axes: str = "zyx",
    centre: tuple[float, ...] = (0, 0, 0),
    free: bool = False,
    tensor: tuple[float, ...] = TENSOR,
    **more: object,
) -> System:
    """A body that turns about a point, or with three shifts before."""
    joint = [rotation(axis, name) for axis, name in zip(axes, NAMES, strict=True)]
    coordinates = [Coordinate(name) for name in NAMES]
    if free:
        joint = [translation(axis, axis) for axis in "xyz"] + joint
        coordinates = [Coordinate(axis) for axis in "xyz"] + coordinates
    inertia = Inertia(MASS, centre, tensor)
    return System("top", coordinates, bodies=[Body("top", None, tuple(joint), inertia)], **more)  # type: ignore[arg-type]


def about_origin(centre: tuple[float, ...]) -> np.ndarray:
    """J about the fixed point."""
    xx, yy, zz, xy, xz, yz = map(float, TENSOR)
    c = np.array(centre, dtype=float)
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return own + MASS * (c @ c * np.eye(3) - np.outer(c, c))


def matrix(axes: str, q: np.ndarray) -> np.ndarray:
    A, B, C = (rotation_about(AXES[axis], angle) for axis, angle in zip(axes, q, strict=True))
    return A @ B @ C


def spin(axes: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """ω in world axes."""
    a, b, c = (AXES[axis] for axis in axes)
    A = rotation_about(a, q[0])
    return np.asarray(a * v[0] + A @ b * v[1] + A @ rotation_about(b, q[1]) @ c * v[2])


def without_angles(axes: str, q: np.ndarray, v: np.ndarray, times: np.ndarray, centre: tuple[float, ...]) -> np.ndarray:
    """R at times (N, 3, 3)."""
    J, moment = about_origin(centre), MASS * np.array(centre, dtype=float)
    R = matrix(axes, q)

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        R, omega = y[:9].reshape(3, 3), y[9:]
        x, y_, z = omega
        turning = R @ np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]])
        torque = np.cross(moment, R.T @ WEIGHT) - np.cross(omega, J @ omega)
        return np.concatenate([turning.ravel(), np.linalg.solve(J, torque)])

    start = np.concatenate([R.ravel(), R.T @ spin(axes, q, v)])
    found = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12)
    return np.asarray(found.y[:9].T.reshape(-1, 3, 3))


FALLING = {"gravity": Gravity(9.81, (0, 0, -1))}
#: axes, centre of mass, positions, rates: towards the singular position, in it from the start, past it.
MOTIONS = {
    "along": ("zyx", (0, 0, 0), (0.0, 0.0, 0.0), (0.0, 3.0, 0.0)),
    "from": ("zyx", (0, 0, 0), (0.4, np.pi / 2, 0.4), (0.5, 2.0, 0.0)),
    "past": ("xyz", (0, 0, 0), (0.2, 0.3, -0.4), (2.0, 2.0, 1.0)),
    "tumbling": ("zxz", (0, 0, 0), (0.0, 0.1, 0.0), (0.3, 0.2, 2.0)),
    "sleeping top": ("zxz", (0, 0, 0.3), (0.0, 0.0, 0.0), (0.0, 0.4, 9.0)),
    "heavy top": ("zyx", (0.3, 0, 0), (0.0, -1.5, 0.0), (0.5, 0.1, 6.0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MOTIONS)
def test_freely_turning_bodies_pass_their_singular_positions(name: str) -> None:
    axes, centre, q, v = MOTIONS[name]
    start = {"q": dict(zip(NAMES, q, strict=True)), "v": dict(zip(NAMES, v, strict=True))}
    found = mbconcord.simulate(body(axes, centre, **FALLING), 2.0, **start, tolerance=1e-12, step_out=0.02)
    assert found.stopped is None and found.reached == 2.0
    (note,) = [d for d in found.diagnostics if "other angles" in d.message]
    assert note.place == "bodies/top/joint" and note.severity == "note"
    R = np.array([matrix(axes, each) for each in found.q])
    first = spin(axes, np.array(q), np.array(v))
    np.testing.assert_allclose(R, without_angles(axes, np.array(q), np.array(v), found.t, centre), atol=1e-8)
    energy = np.array([row.kinetic + row.potential for row in found.found])
    assert np.abs(energy - energy[0]).max() <= 1e-9
    J = about_origin(centre)
    momentum = np.array([
        r @ J @ r.T @ spin(axes, q, v) for r, q, v in zip(R, found.q, found.v, strict=True)
    ])  # fmt: skip
    expected = R[0] @ J @ R[0].T @ first
    kept = np.eye(3) if not any(centre) else WEIGHT[None] / 9.81
    assert np.abs((momentum - expected) @ kept.T).max() <= 1e-9
    assert np.abs(np.diff(found.q, axis=0)).max() < np.pi  # positions of the table do not jump by turns


@pytest.mark.slow
def test_every_method_and_formalism_passes() -> None:
    axes, centre, q, v = MOTIONS["heavy top"]
    start = {"q": dict(zip(NAMES, q, strict=True)), "v": dict(zip(NAMES, v, strict=True))}
    system = body(axes, centre, **FALLING)
    expected = without_angles(axes, np.array(q), np.array(v), np.array([0.0, 0.5]), centre)[-1]
    for more in ({"method": "radau"}, {"method": "lsoda"}, {"formalism": "newton_euler"}, {"formalism": "konoplev"}):
        found = mbconcord.simulate(system, 0.5, **start, **more, tolerance=1e-9)  # type: ignore[arg-type]
        np.testing.assert_allclose(matrix(axes, found.q[-1]), expected, atol=1e-6, err_msg=str(more))
        assert any("other angles" in d.message for d in found.diagnostics), more


@pytest.mark.slow
def test_accelerations_of_the_table_are_those_of_the_model_there() -> None:
    axes, centre, q, v = MOTIONS["past"]
    system = body(axes, centre, free=True, **FALLING)
    start = {"q": dict(zip(NAMES, q, strict=True)), "v": {**dict(zip(NAMES, v, strict=True)), "x": 1.0}}
    found = mbconcord.simulate(system, 1.5, **start, tolerance=1e-10, step_out=0.02)
    (ball,) = balls(system)
    own = [row for row in found.found if ball.sine(row.q[ball.places]) > 0.1]
    near = [row for row in own if ball.sine(row.q[ball.places]) < 0.5]
    assert near
    for row in own:
        states = {key: dict(zip(system.coordinate_names, x, strict=True)) for key, x in (("q", row.q), ("v", row.v))}
        expected = mbconcord.evaluate(system, **states, t=row.t)["acceleration"]
        np.testing.assert_allclose(row.a, np.ravel(expected), rtol=1e-8, atol=1e-8)


@pytest.mark.slow
def test_a_rod_and_a_run_that_goes_on() -> None:
    rod = Rod("rod", Point("top", (0.5, 0.2, 0)), Point(None, (1.5, 0, 1)), 1.4)
    system = body("zyx", (0.1, 0, 0), free=True, constraints=[rod], **FALLING)
    start = {"v": {"b": 4.0, "a": 0.5}}
    whole = mbconcord.simulate(system, 2.0, **start, tolerance=1e-11, step_out=0.1)
    assert any("other angles" in d.message for d in whole.diagnostics)
    assert max(row.gap for row in whole.found) < 1e-12 and max(abs(row.balance) for row in whole.found) < 1e-8
    half = mbconcord.simulate(system, 1.0, **start, tolerance=1e-11, step_out=0.1)
    rest = mbconcord.simulate(system, 2.0, tolerance=1e-11, step_out=0.1, resume=half)
    last = [matrix("zyx", run.q[-1][3:]) for run in (whole, rest)]
    np.testing.assert_allclose(*last, atol=1e-7)
    np.testing.assert_allclose(whole.q[-1][:3], rest.q[-1][:3], atol=1e-7)


def test_a_pendulum_about_the_middle_axis_swings_through_the_singular_position() -> None:
    """Released from the level it hangs where b is a right angle: ½ (2 + m l²) b'² = m g l sin b."""
    system, length = body(centre=(0.3, 0, 0), tensor=(1, 2, 2.5), **FALLING), 0.3
    found = mbconcord.simulate(system, 4.0, events=["b - 1.5"], stops=["b - 2.5"], tolerance=1e-12)
    assert any("other angles" in d.message for d in found.diagnostics)
    assert [row.event for row in found.found if row.event] == ["b - 1.5", "b - 2.5"] and found.stopped is not None
    assert [row.q[1] for row in found.found if row.event] == pytest.approx([1.5, 2.5], abs=1e-9)
    a, b, c = found.q.T
    rates, still = found.v[:, 1], np.zeros(len(b))
    np.testing.assert_allclose([a, c, found.v[:, 0], found.v[:, 2]], [still] * 4, atol=1e-9)
    inertia, pull = 2 + MASS * length**2, MASS * 9.81 * length
    np.testing.assert_allclose(inertia * rates**2 / 2, pull * np.sin(b), atol=1e-9)
    np.testing.assert_allclose(inertia * found.a[:, 1], pull * np.cos(b), atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
def test_whole_turns_within_a_long_step_are_counted(method: str) -> None:
    """A ball of equal moments spins about its last axis: nothing but that angle changes, at a constant rate."""
    ball = body(tensor=(1, 1, 1))
    found = mbconcord.simulate(ball, 1.0, q={"b": 1.47}, v={"c": 100.0}, events=["c - 50"], step_out=0.5, method=method)
    assert any("other angles" in d.message for d in found.diagnostics)
    assert [row.event for row in found.found if row.event] == ["c - 50"]
    np.testing.assert_allclose(found.q[:, 2], 100 * found.t, atol=1e-5)
    np.testing.assert_allclose(found.q[:, :2], [[0, 1.47]] * len(found.t), atol=1e-5)


#: Place -> a system that speaks there of one of the angles.
SPOKEN = {
    "constraints/kept": body(constraints=[Nonholonomic("kept", {"a": 1, "c": 2})]),
    "forces/motor": body(forces=[JointEffort("motor", "a", 5)]),
    "forces/drag": body(free=True, forces=[JointEffort("drag", "x", -symbol("c'"))]),
    "armatures/rotor": body(armatures=[Armature("rotor", 0.1, {"b": 1})]),
    "coordinates/a": replace(body(), coordinates=(Coordinate("a", drive=Effort(5)), *body().coordinates[1:])),
}


@pytest.mark.parametrize("place", SPOKEN)
def test_what_names_an_angle_ties_all_three(place: str) -> None:
    assert [ball.tied for ball in balls(SPOKEN[place])] == [(place,)]


def test_each_of_two_triples_of_a_joint_has_a_quarter_turn_of_its_own_before_it() -> None:
    names = "abcdef"
    joint = tuple(rotation(axis, name) for axis, name in zip("zyxxzx", names, strict=True))
    system = System("two", [Coordinate(n) for n in names], bodies=[replace(body().bodies[0], joint=joint)])
    (top,) = change_charts(system, balls(system)).bodies
    first, second = top.joint[:4], top.joint[4:]
    assert (first[1:], second[1:]) == (joint[:3], joint[3:])
    assert (first[0].axis, second[0].axis) == (joint[1].axis, joint[4].axis)


def test_where_the_model_speaks_of_the_angles_the_run_stops_and_says_why() -> None:
    brake = JointEffort("brake", "a", -2 * symbol("a'"))
    tied = body(tensor=(1, 2, 2.5), forces=[brake])
    for short in (0.0, 1e-6):  # where M is singular, and where six of its digits are left
        found = mbconcord.simulate(tied, (np.pi / 2 - short) / 3, v={"b": 3.0})
        assert found.stopped is not None and found.stopped.severity == "error"
        assert found.stopped.place == "bodies/top/joint" and "forces/brake" in found.stopped.message
        assert "armature" in (found.stopped.remedy or "")
        assert found.q[-1][1] < np.pi / 2 and np.isfinite(found.q).all() and np.isfinite(found.a).all()
    with pytest.raises(NumbersError, match="forces/brake"):
        mbconcord.simulate(tied, 5.0, q={"b": np.pi / 2})
    geared = body(forces=[brake], armatures=[Armature("rotor", 0.1, {"a": 1})])
    found = mbconcord.simulate(geared, 2.0, q={"b": np.pi / 2}, v={"b": 4.0}, tolerance=1e-11)
    assert found.stopped is None and max(abs(row.balance) for row in found.found) < 1e-8


class Plain(type(formalism("lagrange"))):  # type: ignore[misc]
    """Lagrange's equations of joints without constant turns."""

    def derive(self, system: System) -> Derivation:
        if any(isinstance(step.motion, Constant) for body in system.bodies for step in body.joint):
            raise FormalismError(error("plain", "a constant turn", "leave it out"))
        return super().derive(system)


def test_a_formalism_that_takes_no_other_angles_stops_there() -> None:
    axes, centre, q, v = MOTIONS["past"]
    start = {"q": dict(zip(NAMES, q, strict=True)), "v": dict(zip(NAMES, v, strict=True))}
    found = mbconcord.simulate(body(axes, centre), 2.0, **start, formalism=Plain())
    assert found.stopped is not None and found.stopped.severity == "error"
    assert "lagrange takes no other angles" in found.stopped.message and "a constant turn" in found.stopped.message
    assert 0.3 < found.reached < 0.6 and len(found.found) > 10


SPEAKING = {
    "forces/f": {"forces": [JointEffort("f", "a", number(1))]},
    "forces/w": {"forces": [Wrench("w", Point("top"), moment=(symbol("c'"), 0, 0))]},
    "constraints/row": {"constraints": [Holonomic("row", symbol("b") - symbol("t"))]},
    "armatures/rotor": {"armatures": [Armature("rotor", number(1), {"b": number(1)})]},
    "coordinates/a": {"coordinates": [Coordinate("a", drive=Effort(number(1))), *map(Coordinate, "bc")]},
    "coordinates/c": {"coordinates": [*map(Coordinate, "ab"), Coordinate("c", drive=Motion(number(0)))]},
}


@pytest.mark.parametrize("place", SPEAKING)
def test_what_speaks_of_an_angle_is_found(place: str) -> None:
    assert [ball.tied for ball in balls(replace(body(), **SPEAKING[place]))] == [(place,)]
    assert [ball.tied for ball in balls(body(**FALLING))] == [()]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "until"), [("sleeping top", 3.0), ("past", 7.0)])
def test_angles_are_followed_through_whole_turns_where_few_rows_are_told(name: str, until: float) -> None:
    axes, centre, q, v = MOTIONS[name]
    start = {"q": dict(zip(NAMES, q, strict=True)), "v": dict(zip(NAMES, v, strict=True))}
    system = body(axes, centre, **FALLING)
    fine, coarse = (mbconcord.simulate(system, until, **start, step_out=d, tolerance=1e-10) for d in (0.02, until))
    assert np.abs(fine.q[-1]).max() > 2 * np.pi and np.abs(np.diff(fine.q, axis=0)).max() < np.pi
    np.testing.assert_allclose(coarse.q[-1], fine.q[-1], atol=1e-5)


def test_a_cut_joint_and_inertia_by_constraints_alone_go_on_in_other_angles() -> None:
    """A body that a hinge holds turns about it; a slider without mass follows its shift."""
    hinge = FrameCoincidence("hinge", Frame("top", (rotation("y", "turn"),)), Frame(None))
    slider = Body("slider", None, (translation("x", "s"),))
    made = body("zyx", (0.3, 0, 0), free=True, tensor=(1, 2, 2.5), constraints=[hinge], **FALLING)
    rows = (hinge, Holonomic("follows", symbol("s") - symbol("x")))
    system = replace(
        made, bodies=(*made.bodies, slider), coordinates=(*made.coordinates, Coordinate("s")), constraints=rows
    )
    found = mbconcord.simulate(system, 4.0, v={"b": 3.0}, step_out=0.05, tolerance=1e-11)
    assert found.stopped is None and any("other angles" in d.message for d in found.diagnostics)
    assert max(row.gap for row in found.found) < 1e-12
    b, rate = (x[:, found.coordinates.index("b")] for x in (found.q, found.v))
    inertia, pull = 2 + MASS * 0.3**2, MASS * 9.81 * 0.3
    np.testing.assert_allclose(inertia * (rate**2 - 9) / 2, pull * np.sin(b), atol=1e-8)


@pytest.mark.slow
def test_every_rotation_has_a_chart_that_is_regular_there() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        frame = np.linalg.qr(random.normal(size=(3, 3)))[0]
        a, b = frame[:, 0], frame[:, 1]
        axes = np.array([a, b, rotation_about(b, random.uniform(-3, 3)) @ a])
        ball = Ball("top", 0, NAMES, np.arange(3), axes, ())
        q, v, accelerations = random.uniform(-4, 4, 3), *random.normal(size=(2, 3))
        near = q + 0.1 * random.normal(size=3)
        np.testing.assert_allclose(ball.matrix(ball.angles(ball.matrix(q), near)), ball.matrix(q), atol=1e-13)
        there = ball.change_chart(q, v, accelerations, ball.quarter.T, np.zeros(3))
        assert ball.sine(q) ** 2 + ball.sine(there[0]) ** 2 >= 1 - 1e-12
        if ball.sine(q) > NEAR:
            back = ball.change_chart(*there, ball.quarter, near)
            for one, other in zip(back, (q, v, accelerations), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_only_three_turns_whose_middle_axis_is_normal_to_both_others_turn_freely() -> None:
    found = {axes: len(balls(body(axes))) for axes in ("zyx", "zxz", "xyx", "zzx", "xyy")}
    assert found == {"zyx": 1, "zxz": 1, "xyx": 1, "zzx": 0, "xyy": 0}
    four = [rotation(axis, name) for axis, name in zip("zyzy", "abcd", strict=True)]
    system = System("four", [Coordinate(n) for n in "abcd"], bodies=[replace(body().bodies[0], joint=tuple(four))])
    assert [ball.names for ball in balls(system)] == [("a", "b", "c")]  # an angle belongs to one triple
