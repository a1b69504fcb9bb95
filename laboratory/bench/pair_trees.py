"""Random trees with joints in Konoplev's order: translations, then rotations about x, y, z."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from mbconcord.model import Body, Coordinate, Gravity, Inertia, State, System, rotation, translation
from mbconcord.model.body import tensor
from mbconcord.model.expressions import TIME, as_expression, sin
from mbconcord.model.transformation import ElementaryTransformation, vector


def pair(constants: list[Any], free: Mapping[int, str]) -> list[ElementaryTransformation]:
    """Build a joint in Konoplev's order from its six constants and the names of its coordinates by α."""
    joint: list[ElementaryTransformation] = []
    for alpha, axis in enumerate("xyzxyz", 1):
        make = translation if alpha <= 3 else rotation
        if constants[alpha - 1]:
            joint.append(make(axis, constants[alpha - 1]))
        if alpha in free:
            joint.append(make(axis, free[alpha]))
    return joint


def random_pairs(seed: int, counts: tuple[int, ...] = (1, 2, 3, 6)) -> tuple[System, list[State]]:
    """Draw a tree of 2 to 5 bodies with joints of given numbers of coordinates in Konoplev's order, and its states."""
    dice = random.Random(seed)

    def number(low: float, high: float) -> float:
        return round(dice.uniform(low, high), 3)

    bodies: list[Body] = []
    names: list[str] = []
    for i in range(dice.randint(2, 5)):
        count = dice.choice(counts)
        slots = sorted(dice.sample(range(1, 7), count))
        free = {alpha: f"q{len(names) + k}" for k, alpha in enumerate(slots, 1)}
        names += free.values()
        constants: list[Any] = [number(-1, 1) if dice.random() < 0.7 else 0 for _ in range(6)]
        if dice.random() < 0.3:
            constants[dice.randrange(6)] = number(0.1, 0.5) * sin(2 * TIME)
        a, b, c = (number(0.2, 1) for _ in range(3))
        products = [number(-0.1, 0.1) for _ in range(3)] if dice.random() < 0.7 else [0.0, 0.0, 0.0]
        mass, centre = as_expression(number(0.5, 3)), vector(number(-0.4, 0.4) for _ in range(3))
        body = Inertia(mass, centre, tensor([a + b, b + c, a + c, *products]))
        parent = dice.choice([None, *(x.name for x in bodies)]) if i % 2 else (bodies[-1].name if bodies else None)
        bodies.append(Body(f"b{i}", parent, tuple(pair(constants, free)), body))
    dice.shuffle(names)
    g = Gravity(as_expression(9.81), vector((number(-1, 1), number(-1, 1), -1)))
    made = System(f"random {seed}", tuple(map(Coordinate, names)), gravity=g, bodies=tuple(bodies))
    states = [
        State(
            number(0, 2),
            {n: number(-1.2, 1.2) for n in names},
            {n: number(-2, 2) for n in names},
            {n: number(-2, 2) for n in names},
        )
        for _ in range(3)
    ]
    return made, states
