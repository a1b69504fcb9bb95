"""Newton–Euler: operations, time, stages and names of its derivation."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.equations import Equations
from mbconcord.formalisms.newton_euler.vectors import Batch, Graph
from mbconcord.model import Body, Constant, Coordinate, Gravity, Inertia, State, System, rotation, translation
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import ZERO, count_operations, number, to_text
from mbconcord.model.numbers import bind_states
from mbconcord.validation.strategies.trees import random_system

from ...work import count_calls

NE = NewtonEuler()
SEEDS = range(10)


def test_links_between_revolute_joints_lose_three_parameters():
    for link in Equations(chain(4), Graph()).links:
        assert link.mass.mass is ZERO
        assert link.mass.moment[link.axis] is ZERO
        assert [x is ZERO for x in link.mass.tensor[:3]].count(True) == 1


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
    return System("chain", tuple(Coordinate(f"q{i}") for i in range(n)), gravity=gravity, bodies=tuple(bodies))


def test_inverse_dynamics_of_the_6r_arm_divides_by_nothing():
    system = read(folder("robots") / "ur5.mbsd").system
    assert count_operations(NE.inverse_dynamics(system)).div == 0
    assert NE.inverse_dynamics(system) == NE.derive(system).quantities["inverse_dynamics"]


@pytest.mark.slow
def test_operations_grow_linearly():
    def operations(n):
        eq = Equations(chain(n), Graph())
        return [count_operations(x).total for x in (eq.inverse_dynamics, eq.forward.accelerations)]

    a, b, c = (operations(n) for n in (9, 18, 27))
    assert [y - x for x, y in zip(a, b)] == [y - x for x, y in zip(b, c)]


@pytest.mark.slow
def test_work_for_a_long_chain_is_linear_and_exact():
    def run(n):
        system = chain(n)
        dice = Random(5)
        names = system.coordinate_names
        state = State(q={x: dice.uniform(-3, 3) for x in names}, v={x: dice.uniform(-1, 1) / n for x in names})
        values = bind_states(system, [state]).values
        errors = []

        def solve():
            found = Equations(system, Batch(system, values, 1)).forward.accelerations
            more = values | {f"{x}''": a for x, a in zip(names, found)}
            again = Equations(system, Batch(system, more, 1))
            errors.append(np.abs(again.inverse_dynamics).max() / np.abs(again.gravity).max())

        return solve, errors

    small, large = (count_calls(run(n)[0]) for n in (100, 400))
    assert large <= 4 * 1.1 * small
    solve, errors = run(2000)
    solve()
    assert errors[0] <= 1e-9


@pytest.mark.slow
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


@pytest.mark.slow
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
