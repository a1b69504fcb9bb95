"""Joints that are freed: they bear what another formalism says of the machine with these joints really free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laboratory.machines import small_state
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Coordinate, State, System, rotation, translation
from mbconcord.model.derivation import flatten
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import list_jointed_bodies
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.machines import elastic_tree
from mbconcord.validation.strategies.trees import random_system

from ..carried import carrying
from ..numbers import at, close, values


def really_free(system: System, name: str) -> System:
    """The machine with three slides and three turns behind the joint of a body."""
    steps = [(translation if i < 3 else rotation)("xyz"[i % 3], f"free{i}") for i in range(6)]
    bodies = (replace(b, joint=(*b.joint, *steps)) if b.name == name else b for b in system.bodies)
    free = (Coordinate(step.coordinate) for step in steps if step.coordinate)
    return replace(system, coordinates=(*system.coordinates, *free), bodies=tuple(bodies))


def require_reactions(system: System, state: State, by: str) -> None:
    """The last six of inverse dynamics, at rest of the six, are what the joint bears."""
    moved = replace(state, q=dict.fromkeys(system.coordinate_names, 0.0) | state.q)
    made = formalism("virtual_work").joint_forces(system)
    assert made is not None
    found = values(tuple(define(flatten(made), system.functions)), system, moved).reshape(-1, 6)
    size = 1 + np.abs(found).max()
    for name, six in zip(list_jointed_bodies(system), found, strict=True):
        needed = at(formalism(by), really_free(system, name), moved)["inverse_dynamics"][-6:]
        assert close(six, needed, 1e-12, size), name


@pytest.mark.parametrize("seed", range(3))
def test_of_random_trees(seed: int) -> None:
    drawn = draw(random_system(seed + 3, 4), 1, seed)
    require_reactions(drawn.system, drawn.states[0], "newton_euler")


@pytest.mark.parametrize("seed", range(2))
def test_with_flywheels_and_a_medium(seed: int) -> None:
    drawn = draw(carrying(seed, 2), 1, seed)
    require_reactions(drawn.system, drawn.states[0], "konoplev")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_of_elastic_trees(seed: int) -> None:
    system = elastic_tree(seed, 3)
    require_reactions(system, small_state(system, seed), "lagrange")
