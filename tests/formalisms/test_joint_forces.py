"""Forces in joints: by hand, against inverse dynamics, and by all who have them on random trees."""

from __future__ import annotations

from itertools import combinations
from math import cos, sin

import numpy as np
import pytest

from mbconcord.api.joint_forces import AXES, joint_forces
from mbconcord.converters.registry import read_text
from mbconcord.formalisms.newton_euler.equations import Equations
from mbconcord.formalisms.newton_euler.vectors import Graph
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import Effort, JointEffort, State, System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import evaluate_float
from mbconcord.model.joint_forces import JOINT_FORCES, list_bodies
from mbconcord.model.numbers import bind_states
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.sums.joint_forces import BODIES, compare_joint_forces

WITNESSES = ("newton_euler", "virtual_work", "static_moments", "telegin")
M, L, G, J, Q, V, A = 3.0, 2.0, 9.81, 14.7, 0.4, 1.3, -0.6  # J about the joint
#: A pendulum in the plane xy: its joint at the fixed origin, its centre at L on the body's x axis.
PENDULUM = f"z $({M})[0,0,{J}]{{{L},0}} g{G}-y"


def six(system: System, state: State, name: str) -> np.ndarray:
    found = joint_forces(system, bind_states(system, [state]), formalism(name))
    return found.by[name][0]


@pytest.mark.parametrize("name", WITNESSES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Centre of the mass in the origin of the body's frame, L from the joint: F = m (a - g) in the body's axes.
        (
            f"z i({L}) $({M}) g{G}-y",
            (
                M * (-L * V**2 + G * sin(Q)), M * (L * A + G * cos(Q)), 0, 0, 0, 0,
            ),
        ),
        # The joint's axis in the origin: the moment is what drives it.
        (
            PENDULUM,
            (
                M * (-L * V**2 + G * sin(Q)), M * (L * A + G * cos(Q)), 0,
                0, 0, J * A + M * L * G * cos(Q),
            ),
        ),
        # A slider along y under its own weight, its centre beside the line of the joint.
        (f"v $({M}){{{L},0}} g{G}-y", (0, M * (A + G), 0, 0, 0, L * M * (A + G))),
    ],
    ids=["mass at the origin", "pendulum", "slider"],
)  # fmt: skip
def test_by_hand(name: str, text: str, expected: tuple[float, ...]) -> None:
    system = read_text(text, format="mbsd", physics="ignore").system
    (q,) = system.coordinate_names
    found = six(system, State(0, {q: Q}, {q: V}, {q: A}), name)
    np.testing.assert_allclose(found, [expected], rtol=1e-14, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_all_who_have_them_agree_on_random_trees(seed: int) -> None:
    """Prescribed motions, joints of several coordinates, welded bodies, and every kind of load."""
    drawn = draw(random_system(seed, 1 + seed % 6), 2, seed)
    found = compare_joint_forces(TreeKinematics(drawn.system, drawn.states), [formalism(name) for name in BUILT_IN])
    assert {*found.values} == {*BUILT_IN}
    assert {(c.a, c.b) for c in found.comparisons} == {*combinations((*BUILT_IN, BODIES), 2)}
    assert [c for c in found.comparisons if c.verdict != "agrees"] == []


def along_last_axes(system: System, six: np.ndarray) -> dict[str, float]:
    """The component along each coordinate that moves a body's frame last: its axis goes through the origin."""
    found = {}
    for body, row in zip(system.bodies, six, strict=True):
        last = body.joint[-1] if body.joint else None
        if last and last.coordinate:
            axis = [evaluate_float(x, {}) for x in last.axis]
            found[last.coordinate] = float(np.dot(row[:3] if last.is_translation else row[3:], axis))
    return found


@pytest.mark.slow
def test_along_the_joint_they_are_inverse_dynamics_with_the_efforts() -> None:
    """Another formalism's equations say what the drives have to do: the efforts of the model and what is missing."""
    compared = 0
    for seed in range(8):
        drawn = draw(random_system(seed, 4), 1, seed)
        system, at = drawn.system, bind_states(drawn.system, drawn.states)
        (numbers,) = formalism("konoplev").evaluate(system, at).quantities["inverse_dynamics"]
        needed = dict(zip(system.coordinate_names, numbers, strict=True))
        k = TreeKinematics(system, at)
        efforts = [(c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)]
        efforts += [(f.coordinate, f.expression()) for f in system.forces if isinstance(f, JointEffort)]
        for (coordinate, _), (value,) in zip(efforts, k.scalars(x for _, x in efforts), strict=True):
            needed[coordinate] += value
        for borne in joint_forces(system, at, formalism("newton_euler")).by.values():
            size = np.abs(borne).max() + max(map(abs, needed.values()))
            for coordinate, value in along_last_axes(system, borne[0]).items():
                assert value == pytest.approx(needed[coordinate], abs=1e-11 * size)
                compared += 1
    assert compared > 20


def test_at_rest_they_are_weights() -> None:
    """F = -m g and N = -m̄ × g, m̄ the static moment about the pole, here the body's origin."""
    system = read_text(
        "n i(0.4) y j(-0.7) $(2){0.1,0.2,0.3} > z $(3){0.5,-0.1} g9.81", format="mbsd", physics="ignore"
    ).system
    names = system.coordinate_names
    state = State(0, dict(zip(names, (0.3, -0.8, 1.1), strict=False)), a=dict.fromkeys(names, 0.0))
    k = TreeKinematics(system, [state])
    found = joint_forces(system, bind_states(system, [state]), formalism("static_moments"), "fixed").by[
        "static_moments"
    ][0]
    g = k.vectors(system.gravity_vector)[0]
    for i, name in enumerate(list_bodies(system)):
        frame, mass, first = k.frame(name), 0.0, np.zeros(3)
        for body in system.bodies[i:]:
            m = evaluate_float(body.inertia.mass, {})
            mass += m
            first += m * (k.centre(body).position[0] - frame.position[0])
        np.testing.assert_allclose(found[i], [*(-mass * g), *(-np.cross(first, g))], atol=1e-12)


@pytest.mark.slow
def test_axes_are_those_that_are_named() -> None:
    """Lengths stay; the body's components turned by its pose are those in fixed axes; the first carrier is fixed."""
    drawn = draw(random_system(4, 4), 1, 4)
    at, by = bind_states(drawn.system, drawn.states), formalism("newton_euler")
    found = {axes: joint_forces(drawn.system, at, by, axes) for axes in AXES}
    k = TreeKinematics(drawn.system, at)
    lengths = {axes: np.linalg.norm(x.by[by.name].reshape(-1, 3), axis=1) for axes, x in found.items()}
    for i, (body, carrier) in enumerate(zip(found["body"].bodies, found["body"].carriers, strict=True)):
        own, fixed, other = (found[axes].by[by.name][0, i].reshape(2, 3) for axes in ("body", "fixed", "carrier"))
        np.testing.assert_allclose(own @ k.frame(body).rotation[0].T, fixed, rtol=1e-12)
        turned = k.frame(None if carrier == "fixed" else carrier).rotation[0]
        np.testing.assert_allclose(other @ turned.T, fixed, rtol=1e-12)
    for axes in AXES:
        np.testing.assert_allclose(lengths[axes], lengths["body"], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("static_moments", "zi#a ; g-y \\ #a :(2) {3,0} < #0", "does not take inextensible rods"),
        ("newton_euler", "zi#a ; g-y \\ #a :(2) {5,0} < #0", "does not satisfy the constraints"),
    ],
)
def test_refusals(name: str, text: str, message: str) -> None:
    system = read_text(text, format="mbsd", physics="ignore").system
    with pytest.raises(MbconcordError, match=message):
        joint_forces(system, bind_states(system, [State()]), formalism(name))


@pytest.mark.parametrize("name", ["newton_euler", "virtual_work", "static_moments", "telegin:spatial"])
def test_the_derivation_delivers_them_natively(name: str) -> None:
    system = read_text(PENDULUM, format="mbsd", physics="ignore").system
    made, by = formalism(name).derive(system), formalism(name)
    assert made.native[JOINT_FORCES] == by.joint_forces(system)


def test_regrouping_would_change_them() -> None:
    """The minimal inertial parameters serve the equations of motion alone."""
    system = read_text(PENDULUM, format="mbsd", physics="ignore").system
    own, regrouped = (Equations(system, Graph(), regroup=on).joint_wrenches[0] for on in (False, True))
    assert own and regrouped and own[0] != regrouped[0]
