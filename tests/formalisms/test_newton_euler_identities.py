"""Newton–Euler: the identities that tie its passes to each other, singular inertia, cost and form, faults."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.equations import Equations
from mbconcord.formalisms.newton_euler.mass import Mass, split
from mbconcord.formalisms.newton_euler.mass_matrix import unit_acceleration
from mbconcord.formalisms.newton_euler.scalars import Batch, Graph
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Gravity,
    Inertia,
    JointEffort,
    Parameter,
    Prescribed,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.derivation import flatten
from mbconcord.model.evaluation import batch, evaluate_derivation
from mbconcord.model.expressions import (
    HALF,
    TIME,
    ZERO,
    count_operations,
    evaluate,
    number,
    rate,
    substitute,
    symbol,
    time_derivative,
    to_text,
)  # fmt: skip
from mbconcord.model.numbers import define, environment
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.models import subjects
from mbconcord.validation.faults.tables.newton_euler import FAULTS
from mbconcord.validation.judge.states import draw
from mbconcord.validation.models.trees import random_system

NE = NewtonEuler()
EPS = 2e-13
ALL = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration")
SEEDS = range(10)


def derived(system, state):
    """Quantities at one state, by the derivation."""
    evaluation = evaluate_derivation(NE.derive(system), [state])
    return {name: value[0] for name, value in evaluation.quantities.items()}


def close(found, expected, tolerance=EPS, size=1.0):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    scale = max(size, float(np.abs(expected).max(initial=0)))
    return (
        bool(np.isfinite(found).all()) and float(np.abs(found - expected).max(initial=0)) <= tolerance * scale
    )


def drawn(seed, bodies=4):
    """A random system with every feature and three states."""
    found = draw(random_system(seed, bodies), 3, seed)
    return found.system, found.states


DOWN = Gravity(9.81, (0, -1, 0))

# --- identities on random systems ---


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_holds_the_other_quantities(seed):
    system, states = drawn(seed)
    names = system.coordinate_names
    units = [{}, *({name: 1.0} for name in names)]
    derivation = NE.derive(system)
    q = evaluate_derivation(derivation, states).quantities
    asked = [replace(s, a=unit) for unit in units for s in states]
    answers = evaluate_derivation(derivation, asked).quantities["inverse_dynamics"]
    without, *columns = np.split(answers, len(units))
    size = sum(float(np.abs(q[name]).max(initial=0)) for name in ("h", "gravity", "applied"))
    assert close(without, q["h"] - q["gravity"] - q["applied"], size=size)
    for i, column in enumerate(columns):
        assert close(column - without, q["M"][:, :, i], size=size)


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_inverts_inverse_dynamics(seed):
    system, states = drawn(seed)
    derivation = NE.derive(system)
    names = system.coordinate_names
    q = evaluate_derivation(derivation, states).quantities
    assert np.isfinite(q["acceleration"]).all()
    free = [replace(s, a=dict(zip(names, row))) for s, row in zip(states, q["acceleration"])]
    left = evaluate_derivation(derivation, free).quantities["inverse_dynamics"]
    size = float(np.abs(np.einsum("sij,sj->si", np.abs(q["M"]), np.abs(q["acceleration"]))).max())
    assert close(left, np.zeros_like(left), 1e-12, size)
    driven = replace(
        system,
        forces=(*system.forces, *(JointEffort(f"drive {n}", n, symbol(f"effort {n}")) for n in names)),
        parameters=(*system.parameters, *(Parameter(f"effort {n}") for n in names)),
    )
    wanted = [
        replace(s, parameters={**s.parameters, **{f"effort {n}": x for n, x in zip(names, row)}})
        for s, row in zip(states, q["inverse_dynamics"])
    ]
    found = evaluate_derivation(NE.derive(driven), wanted).quantities["acceleration"]
    given = np.array([[s.a[n] for n in names] for s in states])
    conditions = np.linalg.cond(q["M"]).max()
    assert close(found, given, 1e-15 * max(conditions, 1e3), float(np.abs(q["acceleration"]).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_direct_evaluation_is_the_evaluated_derivation(seed):
    system, states = drawn(seed)
    graph, direct = evaluate_derivation(NE.derive(system), states), NE.evaluate(system, states)
    assert set(graph.quantities) == set(direct.quantities) == set(ALL)
    for name in ALL:
        tolerance = 1e-9 if name == "acceleration" else 1e-12
        assert close(direct.quantities[name], graph.quantities[name], tolerance)


@pytest.mark.parametrize("seed", SEEDS)
def test_regrouping_changes_nothing(seed):
    system, states = drawn(seed)
    values = batch(environment(system, states))
    minimal, plain = (Equations(system, Batch(system, values, len(states))) for _ in range(2))
    numbers = iter(plain.scalars.of([x for link in plain.tree.links for x in link.scalars()]))
    plain.links = [link.filled(numbers) for link in plain.tree.links]
    assert close(minimal.mass_matrix.matrix, plain.mass_matrix.matrix, 1e-12)
    for name in ("h", "gravity", "applied", "inverse_dynamics"):
        assert close(np.array(getattr(minimal, name)), np.array(getattr(plain, name)), 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balance(seed):
    """d/dt (½ q'ᵀ M q') = q' · (gravity + applied) where no motion is prescribed."""
    system, states = drawn(seed)
    still = System(**{
        **{f: getattr(system, f) for f in ("name", "coordinates", "parameters", "functions")},
        **{f: getattr(system, f) for f in ("gravity", "forces")},
        "bodies": tuple(
            replace(b, joint=tuple(
                replace(e, motion=Constant(substitute([e.amount], {TIME: number("0.3")})[0]))
                if isinstance(e.motion, Prescribed) else e
                for e in b.joint
            )) for b in system.bodies
        ),
    })  # fmt: skip
    derivation = NE.derive(still)
    names = still.coordinate_names
    v = [rate(n) for n in names]
    energy = sum(
        (HALF * (x * m * y) for row, x in zip(derivation.quantities["M"], v) for m, y in zip(row, v)), ZERO
    )
    growth = define(time_derivative([energy], names), still.functions)
    q = evaluate_derivation(derivation, states).quantities
    for i, values in enumerate(environment(still, states)):
        values |= {f"{n}''": q["acceleration"][i, k] for k, n in enumerate(names)}
        speed = np.array([values[f"{n}'"] for n in names])
        power = speed @ (q["gravity"][i] + q["applied"][i])
        size = np.abs(speed) @ np.abs(q["M"][i]) @ np.abs(q["acceleration"][i])
        assert close(evaluate(growth, values)[0], power, 1e-12, float(size))


def test_links_between_revolute_joints_lose_three_parameters():
    for link in Equations(chain(4), Graph()).links:
        assert link.mass.mass is ZERO
        assert link.mass.moment[link.axis] is ZERO
        assert [x is ZERO for x in link.mass.tensor[:3]].count(True) == 1


def test_what_a_joint_does_not_feel():
    """Of the unfelt part a unit acceleration of the joint needs nothing; both parts are the whole."""
    whole = Mass(1.3, (0.2, -0.5, 0.7), (1.1, 1.2, 1.4, 0.1, -0.2, 0.3))
    for axis in range(3):
        for revolute in (True, False):
            felt, unfelt = split(whole, axis, revolute)
            together = felt.plus(unfelt)
            assert close([*together.moment, *together.tensor], [*whole.moment, *whole.tensor])
            assert felt.mass + unfelt.mass == whole.mass
            force, moment = unit_acceleration(unfelt, revolute, axis)
            assert not any((*force, *moment))
            force, moment = unit_acceleration(felt, revolute, axis)
            needed = unit_acceleration(whole, revolute, axis)
            assert close([*force, *moment], [*needed[0], *needed[1]])


# --- singular inertia, obstacles ---


def rod_and_lever(mass):
    """A lever of that mass that turns on the end of a heavy arm."""
    arm = Body("arm", None, (rotation("z", "a"), translation("x", Constant(1))), Inertia(2))
    lever = Body("lever", "arm", (rotation("y", "b"), translation("z", Constant(1))), Inertia(mass))
    return System(
        "lever", (Coordinate("a"), Coordinate("b")), (Parameter("m", 0),), gravity=DOWN, bodies=(arm, lever)
    )


@pytest.mark.parametrize("mass", [0, symbol("m"), symbol("m") - symbol("m") * 1])
@pytest.mark.parametrize("how", ["derived", "direct"])
def test_a_coordinate_without_inertia_is_named(mass, how):
    system = rod_and_lever(mass)
    state = State(q={"a": 0.3, "b": 0.4}, v={"a": 1.0, "b": 2.0})
    evaluation = (
        NE.evaluate(system, [state]) if how == "direct" else evaluate_derivation(NE.derive(system), [state])
    )
    assert np.isnan(evaluation.quantities["acceleration"]).all()
    (finding,) = evaluation.diagnostics
    assert finding.place == "coordinates/b"
    for name in ("M", "h", "gravity", "applied", "inverse_dynamics"):
        assert np.isfinite(evaluation.quantities[name]).all()
    assert close(evaluation.quantities["M"][0], [[2, 0], [0, 0]])


def test_only_states_without_inertia_are_without_acceleration():
    """A point mass on two arms cannot be moved along them where they are stretched."""
    joint = (
        rotation("z", "a"),
        translation("x", Constant(1)),
        rotation("z", "b"),
        translation("x", Constant(1)),
    )
    system = System(
        "two arms", (Coordinate("a"), Coordinate("b")), bodies=(Body("tip", None, joint, Inertia(1)),)
    )
    states = [State(q={"a": 0.2, "b": b}, v={"a": 1}) for b in (0.0, 0.5)]
    for evaluation in (NE.evaluate(system, states), evaluate_derivation(NE.derive(system), states)):
        assert np.isnan(evaluation.quantities["acceleration"][0]).all()
        assert np.isfinite(evaluation.quantities["acceleration"][1]).all()
        assert len(evaluation.diagnostics) == 1


def test_massless_bodies_between_coordinates_are_no_obstacle():
    """A point mass carried by three massless slides in a turned frame falls freely."""
    slides = [
        Body(
            f"b{i}",
            f"b{i - 1}" if i else None,
            (rotation("xyz"[i], Constant(0.4)), translation("xyz"[i], f"u{i}")),
        )
        for i in range(3)
    ]
    slides[2] = replace(slides[2], inertia=Inertia(3))
    system = System("free", tuple(Coordinate(f"u{i}") for i in range(3)), gravity=DOWN, bodies=tuple(slides))
    found = derived(system, State())
    axes, turn = [], np.eye(3)
    c, s = math.cos(0.4), math.sin(0.4)
    steps = (
        [[1, 0, 0], [0, c, -s], [0, s, c]],
        [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    )  # fmt: skip
    for i, step in enumerate(steps):
        turn = turn @ np.array(step)
        axes.append(turn[:, i])
    assert close(np.array(axes).T @ found["acceleration"], [0, -9.81, 0])


# --- cost and form of the derivation ---


def chain(n):
    """A chain about x, y, z in turn with full tensors."""
    tensor = [number(x) for x in ("0.3", "0.4", "0.5", "0.01", "0.02", "0.03")]
    bodies = [
        Body(
            f"b{i}", f"b{i - 1}" if i else None,
            (translation("x", Constant(number("0.5"))), rotation("xyz"[i % 3], f"q{i}")),
            Inertia(number("1.5"), (number("0.1"), number("0.2"), number("0.25")), tensor),
        )
        for i in range(n)
    ]  # fmt: skip
    gravity = Gravity(number("9.81"), (0, 0, -1))
    return System(
        "chain", tuple(Coordinate(f"q{i}") for i in range(n)), gravity=gravity, bodies=tuple(bodies)
    )


def test_operations_of_inverse_dynamics_of_the_6r_arm():
    system = read(folder("robots") / "ur5.mbsd").system
    numbers = {symbol(p.name): p.value for p in system.parameters if p.value is not None}
    counted = count_operations(substitute(NE.inverse_dynamics(system), numbers))
    assert counted.mul <= 235
    assert counted.add <= 170
    assert counted.div == 0
    assert NE.inverse_dynamics(system) == NE.derive(system).quantities["inverse_dynamics"]


def test_operations_grow_linearly():
    def operations(n):
        eq = Equations(chain(n), Graph())
        return [count_operations(x).total for x in (eq.inverse_dynamics, eq.forward.accelerations)]

    a, b, c = (operations(n) for n in (9, 18, 27))
    assert [y - x for x, y in zip(a, b)] == [y - x for x, y in zip(b, c)]


def test_a_chain_of_2000_bodies_takes_linear_time():
    def run(n):
        system = chain(n)
        dice = Random(5)
        names = system.coordinate_names
        state = State(
            q={x: dice.uniform(-3, 3) for x in names}, v={x: dice.uniform(-1, 1) / n for x in names}
        )
        values = batch(environment(system, [state]))
        start = time.process_time()
        eq = Equations(system, Batch(system, values, 1))
        found = eq.forward.accelerations
        values |= {f"{x}''": a for x, a in zip(names, found)}
        again = Equations(system, Batch(system, values, 1))
        left = again.inverse_dynamics
        return time.process_time() - start, np.abs(left).max() / np.abs(again.gravity).max()

    run(100)
    small, _ = run(500)
    large, error = run(2000)
    assert large <= 4 * 2 * small
    assert error <= 1e-9


def test_stages_name_intermediates_once_and_keep_lines_short():
    def longest(n):
        derivation = NE.derive(chain(n))
        found = derivation.assignments
        assert len({a.name for a in found}) == len(found) == len({a.expression for a in found})
        names = {a.expression: a.name for a in found}
        outputs = [x for x in flatten(tuple(derivation.quantities.values())) if x not in names]
        return max(len(to_text(x, names)) for x in [*names, *outputs])

    assert [stage.name for stage in NE.derive(chain(3)).stages] == [
        "outward pass", "inward pass", "velocity terms", "weight", "mass matrix", "articulated bodies",
    ]  # fmt: skip
    assert longest(9) <= longest(6) * 1.1


@pytest.mark.parametrize("seed", SEEDS)
def test_stages_use_only_what_stands_before(seed):
    derivation = NE.derive(random_system(seed, 5))
    names = {a.expression for a in derivation.assignments}
    before = set()
    for assignment in derivation.assignments:
        waiting, seen = [*assignment.expression.args], set()
        while waiting:
            node = waiting.pop()
            if node in seen or node in before:
                continue
            assert node not in names
            seen.add(node)
            waiting.extend(node.args)
        before.add(assignment.expression)


def test_names_make_way_for_the_models_names():
    system = chain(2)
    coordinates = (Coordinate("q0"), Coordinate("w2_x"))
    bodies = (system.bodies[0], replace(system.bodies[1], joint=(rotation("y", "w2_x"),)))
    names = [a.name for a in NE.derive(replace(system, coordinates=coordinates, bodies=bodies)).assignments]
    assert "w2_x" not in names
    assert "w2_x_" in names


# --- faults ---


@cache
def honest(i):
    return evaluate_derivation(NE.derive(subjects()[i].system), subjects()[i].states).quantities


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.title)
def test_every_fault_changes_some_quantity(fault):
    """So a fault that nothing catches is a gap in the claims, not in the fault."""
    with injected(fault) as faulty:
        for i, subject in enumerate(subjects()):
            if NE.obstacles(subject.system):
                continue
            found = evaluate_derivation(faulty.derive(subject.system), subject.states).quantities
            if any(not close(found[name], honest(i)[name], 1e-9) for name in ALL):
                return
    pytest.fail("it changes nothing")
