"""Konoplev's aggregates: operations compared with the paper's N_M and N_A, time to derive, agreement."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mbconcord.formalisms.konoplev import FAMILIES, Konoplev, chain, count_as_printed, count_chain_operations
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Gravity, Inertia, State, System, rotation, translation
from mbconcord.model.body import tensor
from mbconcord.model.expressions import TIME, as_expression, sin
from mbconcord.model.transformation import ElementaryTransformation, vector
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import scales

from .row import BenchmarkRow, seconds


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
    sizes = (1.2, 2, 2)  # of q, v, a
    return made, [State(number(0, 2), *({n: number(-x, x) for n in names} for x in sizes)) for _ in range(3)]


#: Counts of an independent zero-aware implementation of the same formulas.
PARALLEL = {1: (12, 3), 2: (101, 51), 3: (277, 167), 4: (545, 357), 5: (911, 627), 6: (1381, 983), 7: (1961, 1431),
            8: (2657, 1977)}  # fmt: skip
ROTATED = {1: (45, 19), 2: (190, 104), 3: (443, 272), 4: (810, 529)}
#: Counts that the paper states.
PAPER = {m: count_as_printed(m) for m in range(1, 9)}
#: (multiplications, additions) of A and b that a chain may need, by family and m.
LIMITS = {"parallel": PARALLEL, "decimals": PARALLEL, "rotated": PAPER | ROTATED, "full": PAPER,
          "straight": {6: (392, 368)}}  # fmt: skip
#: Trees of his pairs on which he is compared with the others.
TREES = 1000


def disagreement(trees: int) -> float:
    """Measure the largest scaled difference from other formalisms, on random trees of Konoplev's pairs."""
    worst = 0.0
    for seed in range(trees):
        model, states = random_pairs(seed)
        ours = Konoplev(split=bool(seed % 2)).evaluate(model, states).quantities
        sizes = scales(TreeKinematics(model, states))
        for name in ("lagrange", "newton_euler", "virtual_work"):
            theirs = formalism(name).evaluate(model, states).quantities
            for quantity in ("M", "h", "gravity", "inverse_dynamics"):
                size = sizes.mass if quantity == "M" else sizes.rows[quantity]
                difference = np.abs(ours[quantity] - theirs[quantity])
                worst = max(worst, float((difference / np.where(size > 0, size, 1)).max(initial=0)))
    return worst


def rows() -> Iterator[BenchmarkRow]:
    """Compare counts for m = 1…8 with the paper's, parallelism, the time to derive, and agreement with the others."""
    for m in range(1, 9):
        paper = count_as_printed(m)
        for kind, family in FAMILIES.items():
            found = count_chain_operations(m, kind)
            limits = LIMITS[kind].get(m, (None, None))
            title = f"konoplev: A and b of {m} revolute joints, {family.title}"
            yield BenchmarkRow(f"{title}: multiplications", found.mul, "", limits[0], note=f"paper {paper[0]}")
            yield BenchmarkRow(f"{title}: additions", found.add, "", limits[1], note=f"paper {paper[1]}")
        found = count_chain_operations(m, "parallel")
        note = f"critical path {found.critical_path}"
        yield BenchmarkRow(f"konoplev: average parallelism of {m} revolute joints", found.parallelism, "", note=note)
    for m, limit in ((6, 0.2), (30, 10.0)):
        model = chain(m, "parallel")
        wall = seconds(lambda model=model: Konoplev().derive(model), 3)  # type: ignore[misc]
        yield BenchmarkRow(f"konoplev: derive {m} revolute joints", wall, "s", limit)
    title = f"konoplev: disagreement on {TREES} trees of joints of 1, 2, 3 and 6 coordinates"
    yield BenchmarkRow(title, disagreement(TREES), "of scale", 1e-12)
