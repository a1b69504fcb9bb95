"""Newton–Euler: the identities that tie its passes to each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.equations import Equations, split_mass, unit_acceleration
from mbconcord.formalisms.newton_euler.tree import Mass
from mbconcord.formalisms.newton_euler.vectors import Batch
from mbconcord.model import Constant, Gravity, JointEffort, Parameter, Prescribed, System
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import (
    HALF,
    TIME,
    ZERO,
    evaluate,
    number,
    rate,
    substitute,
    symbol,
    time_derivative,
)  # fmt: skip
from mbconcord.model.numbers import bind_states, define, environment
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from ..numbers import close

NE = NewtonEuler()
ALL = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration")
SEEDS = range(10)


def drawn(seed, bodies=4):
    """A random system with every feature and three states."""
    found = draw(random_system(seed, bodies), 3, seed)
    return found.system, found.states


DOWN = Gravity(9.81, (0, -1, 0))


@pytest.mark.slow
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


@pytest.mark.slow
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
    for found in (graph, direct):
        M = found.quantities["M"]
        assert np.array_equal(M, np.swapaxes(M, 1, 2))
    for name in ALL:
        tolerance = 1e-9 if name == "acceleration" else 1e-12
        assert close(direct.quantities[name], graph.quantities[name], tolerance)


@pytest.mark.parametrize("seed", SEEDS)
def test_regrouping_changes_nothing(seed):
    system, states = drawn(seed)
    values = bind_states(system, states).values
    minimal, plain = (Equations(system, Batch(system, values, len(states))) for _ in range(2))
    numbers = iter(plain.scalars.to_scalars([x for link in plain.tree.links for x in link.scalars()]))
    plain.links = [link.with_scalars(numbers) for link in plain.tree.links]
    assert close(minimal.mass_matrix.matrix, plain.mass_matrix.matrix, 1e-12)
    for name in ("h", "gravity", "applied", "inverse_dynamics"):
        assert close(np.array(getattr(minimal, name)), np.array(getattr(plain, name)), 1e-12)


@pytest.mark.slow
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
    energy = sum((HALF * (x * m * y) for row, x in zip(derivation.quantities["M"], v) for m, y in zip(row, v)), ZERO)
    growth = define(time_derivative([energy], names), still.functions)
    q = evaluate_derivation(derivation, states).quantities
    for i, values in enumerate(environment(still, states)):
        values |= {f"{n}''": q["acceleration"][i, k] for k, n in enumerate(names)}
        speed = np.array([values[f"{n}'"] for n in names])
        power = speed @ (q["gravity"][i] + q["applied"][i])
        size = np.abs(speed) @ np.abs(q["M"][i]) @ np.abs(q["acceleration"][i])
        assert close(evaluate(growth, values)[0], power, 1e-12, float(size))


def test_what_a_joint_does_not_feel():
    """Of the unfelt part a unit acceleration of the joint needs nothing; both parts are the whole."""
    whole = Mass(1.3, (0.2, -0.5, 0.7), (1.1, 1.2, 1.4, 0.1, -0.2, 0.3))
    for axis in range(3):
        for revolute in (True, False):
            felt, unfelt = split_mass(whole, axis, revolute)
            together = felt.plus(unfelt)
            assert close([*together.moment, *together.tensor], [*whole.moment, *whole.tensor])
            assert felt.mass + unfelt.mass == whole.mass
            force, moment = unit_acceleration(unfelt, revolute, axis)
            assert not any((*force, *moment))
            force, moment = unit_acceleration(felt, revolute, axis)
            needed = unit_acceleration(whole, revolute, axis)
            assert close([*force, *moment], [*needed[0], *needed[1]])
