"""Models whose links are looped over, and their numbers: link by link, and by the equations derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import formalism
from mbconcord.kernels.links.function import LinkFunction
from mbconcord.model import State, System
from mbconcord.model.features import STEPS_OF_LINKS, features
from mbconcord.model.force import JointEffort
from mbconcord.model.numbers import bind_states
from mbconcord.validation.judge.states import DrawnModel, draw
from mbconcord.validation.strategies.trees import random_system

Array = NDArray[np.float64]
FORMALISMS = ("newton_euler", "telegin")


def taken(system: System) -> bool:
    """Whether it has nothing that steps of links refuse."""
    return {feature for feature, _ in features(system)} <= STEPS_OF_LINKS


def without_other_forces(system: System) -> System:
    """The system with the forces along its coordinates alone."""
    return replace(system, forces=tuple(f for f in system.forces if isinstance(f, JointEffort)))


def random_tree(seed: int, bodies: int, states: int = 3) -> DrawnModel:
    """A random tree that steps of links take, at states."""
    return draw(without_other_forces(random_system(seed, bodies)), states, seed)


def derived(drawn: DrawnModel) -> Array:
    """Inverse dynamics (n, C) by the equations that Newton and Euler derive."""
    found = formalism("newton_euler").evaluate(drawn.system, drawn.states)
    return np.asarray(found.quantities["inverse_dynamics"])


def looped(drawn: DrawnModel, name: str, backend: str, by: Formalism | None = None, **options: object) -> Array:
    """The same link by link, by a formalism or that of a name."""
    system = drawn.system
    function = LinkFunction(system, (by or formalism(name)).recursion(system), backend, **options)
    q, v, a = arrays(system, drawn.states)
    t = np.array([state.t for state in drawn.states])
    known = bind_states(system, drawn.states).values
    return function(q, v, a, t, {p.name: known[p.name] for p in system.parameters})


def arrays(system: System, states: Sequence[State]) -> tuple[Array, Array, Array]:
    """Positions, rates and accelerations (n, C)."""
    names = system.coordinate_names
    q, v, a = (
        np.array([[group[name] for name in names] for group in groups]).reshape(len(states), len(names))
        for groups in ([s.q for s in states], [s.v for s in states], [s.a for s in states])
    )
    return q, v, a


def distance(found: Array, expected: Array) -> float:
    """Largest difference, in parts of the largest number of its state."""
    scale = np.abs(expected).max(axis=1, keepdims=True, initial=0.0)
    return float((np.abs(found - expected) / np.where(scale > 0, scale, 1.0)).max(initial=0.0))


def at_random(system: System) -> State:
    """A state of a system, the same each time."""
    names = system.coordinate_names
    rows = np.random.default_rng(0).uniform(-1, 1, (3, len(names))).tolist()
    return State(0.0, *(dict(zip(names, row, strict=True)) for row in rows))
