"""Origins of links slid along their axes: shorter offsets, the same functions, fewer operations."""

from __future__ import annotations

from itertools import chain

import pytest

from laboratory.bench.newton_euler import general
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler, equations
from mbconcord.formalisms.newton_euler.equations import Equations, slid
from mbconcord.formalisms.newton_euler.tree import tree_of
from mbconcord.formalisms.newton_euler.vectors import Graph
from mbconcord.model import System
from mbconcord.model.expressions import ZERO, count_operations
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.validation.strategies.trees import random_system

NE = NewtonEuler()


def robot(name: str) -> System:
    return read(folder("robots") / name).system


MODELS = {
    "6R": general,
    "UR5": lambda: robot("ur5.mbsd"),
    "Panda": lambda: robot("panda.mbsd"),
    **{f"random {seed}": lambda seed=seed: random_system(seed, 4) for seed in range(12)},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_functions_remain_the_same(name, monkeypatch):
    system = MODELS[name]()
    shorter = Equations(system, Graph())
    monkeypatch.setattr(equations, "slid", lambda tree: tree)
    longer = Equations(system, Graph())
    pairs = [
        *zip(shorter.inverse_dynamics, longer.inverse_dynamics, strict=True),
        *zip(shorter.applied, longer.applied, strict=True),
        *zip(chain(*shorter.positions), chain(*longer.positions), strict=True),
    ]
    assert {found.kind for found in compare(pairs)} == {IDENTICAL}


@pytest.mark.parametrize(("name", "mul", "add"), [("6R", 400, 340), ("UR5", 165, 120)])
def test_operations_of_inverse_dynamics(name, mul, add):
    counted = count_operations(NE.inverse_dynamics(MODELS[name]()))
    assert counted.mul <= mul
    assert counted.add <= add


def test_offsets_of_the_general_chain_have_two_components():
    """As in the table of Denavit and Hartenberg: a common normal and the distance of its feet."""
    before, after = (
        [[bool(x) for x in link.shift] for link in tree.links[1:]]
        for tree in (tree_of(general()), slid(tree_of(general())))
    )
    assert [sum(x) for x in before] == [3] * 5
    assert max(sum(x) for x in after) == 2


def test_parallel_axes_are_met_at_one_height():
    """UR5: what shoulder, elbow and wrist are beside each other is one offset, that of the wrist."""
    shifts = [link.shift for link in slid(tree_of(robot("ur5.mbsd"))).links]
    assert [[i for i, x in enumerate(r) if x is not ZERO] for r in shifts[1:]] == [[], [2], [2], [1], [2]]
    assert float(shifts[4][1].value) == pytest.approx(0.10915)
