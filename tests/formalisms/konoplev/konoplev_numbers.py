"""What the tests of Konoplev's aggregates share: its roads, the two ways to its numbers, a model with everything."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    State,
    System,
    Wrench,
    rotation,
    translation,
)
from mbconcord.model.expressions import TIME, sin, symbol

ROADS: dict[str, dict[str, Any]] = {
    "native": {},
    "split": {"split": True},
    "body axes": {"axes": "body"},
    "principal axes": {"axes": "principal"},
}


def by_graph(formalism: Konoplev, model: System, states: list[State]) -> dict[str, np.ndarray]:
    return Formalism.evaluate(formalism, model, states).quantities


def at_once(formalism: Konoplev, model: System, states: list[State]) -> dict[str, np.ndarray]:
    return formalism.evaluate(model, states).quantities


def state_of(model: System, seed: int = 1) -> State:
    """A state with accelerations."""
    dice = random.Random(seed)
    names = model.coordinate_names
    return State(
        0.3,
        {n: dice.uniform(-1, 1) for n in names},
        {n: dice.uniform(-1, 1) for n in names},
        {n: dice.uniform(-1, 1) for n in names},
    )


def everything() -> tuple[System, list[State]]:
    """Prescribed motion, negative and general axes, and every kind of force."""
    bodies = (
        Body("a", None, (translation("-y", "q1"), rotation("x", sin(2 * TIME)), rotation("z", "q2")),
             Inertia(1.3, (0.1, 0.2, -0.3), (0.3, 0.4, 0.5, 0.02, -0.03, 0.04))),
        Body("b", "a", (translation("x", 0.4 + 0.2 * TIME * TIME), rotation((2, 3, 6), "q3"), rotation("-y", "q4")),
             Inertia(0.8, (-0.2, 0.1, 0.1), (0.2, 0.1, 0.25))),
    )  # fmt: skip
    forces = (
        Bipolar("spring", Point("a", (0.1, 0.2, 0.3)), Point("b", (0.3, -0.1, 0.2)), LinearLaw(k=10, l0=0.2, d=3)),
        PointForce("push", Point("b", (0.2, 0.1, -0.3)), (1, symbol("q1"), -2)),
        Wrench("twist", Point("a", (0.1, 0, 0.2)), (0, 1, 2), (0.3, symbol("q2'"), 0.1)),
        JointEffort("motor", "q4", -2 * symbol("q4'")),
    )
    names = ("q3", "q1", "q4", "q2")
    model = System("everything", tuple(map(Coordinate, names)), (), (), Gravity(9.81, (0.2, 0.3, -1)), bodies, forces)
    return model, [state_of(model, seed) for seed in (1, 2)]
