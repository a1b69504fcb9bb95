"""Random planar linkages, and the linkages of the published vectors, as systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from mbconcord.fixtures import folder
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Effort,
    Gravity,
    Inertia,
    JointEffort,
    Parameter,
    Point,
    PointForce,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import TIME, as_expression, sin, symbol

VECTORS = json.loads((folder("telegin") / "vectors.json").read_text("utf-8"))
TREE = VECTORS["branched_tree"]
NORMALS = ((0, 0, 1), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 2, 2), (0, 0, -1), (2, -3, 6))


def planar_system(seed: int, links: int, loads: bool = True, spatial: bool = False) -> System:
    """A forest of revolute joints about parallel axes, of either sense, at different heights.

    Bodies welded on, constant turns about the normal before and after the joints, full tensors, gravity of
    any direction, masses with and without numbers, and every kind of load. With ``spatial`` axes of any
    direction.
    """
    dice = Random(f"planar {seed}")
    normal = dice.choice(NORMALS)
    bodies: list[Body] = []
    parameters: list[Parameter] = []
    for i in range(links):
        parent = f"b{dice.randint(1, i)}" if i and dice.random() < 0.85 else None
        if i and dice.random() < 0.4:
            parent = f"b{i}"
        sense = dice.choice((1, -1))
        axis = tuple(sense * c for c in (dice.choice(NORMALS) if spatial else normal))
        joint = [*shift(point(dice)), rotation(axis, f"q{i + 1}")]
        if dice.random() < 0.5:
            joint.insert(0, rotation(normal, decimal(dice)))
        if dice.random() < 0.3:
            joint += [translation((1, 2, -2), decimal(dice)), rotation(axis, decimal(dice))]
        massless = dice.random() < 0.1 and i + 1 < links
        bodies.append(
            Body(f"b{i + 1}", parent, tuple(joint), inertia(dice, parameters) if not massless else Inertia(0))
        )
        if massless or dice.random() < 0.2:
            place = (*shift(point(dice)), rotation((1, -1, 3), decimal(dice)))
            bodies.append(Body(f"w{i + 1}", f"b{i + 1}", place, inertia(dice, parameters)))
    coordinates = [
        Coordinate(
            f"q{i + 1}", drive=Effort(sin(TIME) - symbol(f"q{i + 1}'")) if dice.random() < 0.2 else None
        )
        for i in range(links)
    ]
    if dice.random() < 0.3:
        coordinates.reverse()
    gravity = Gravity(Fraction("9.81"), tuple(dice.choice((-3, 1, 2)) for _ in range(3)))
    forces = random_loads(dice, bodies, links) if loads else ()
    return System("planar", tuple(coordinates), tuple(parameters), (), gravity, tuple(bodies), tuple(forces))


def decimal(dice: Random, size: float = 2.0) -> Fraction:
    return Fraction(round(dice.uniform(-size, size) * 100), 100)


def point(dice: Random) -> tuple[Fraction, Fraction, Fraction]:
    return decimal(dice), decimal(dice), decimal(dice)


def inertia(dice: Random, parameters: list[Parameter]) -> Inertia:
    mass: Any = Fraction(dice.randint(20, 300), 100)
    if dice.random() < 0.2:
        name = f"m{len(parameters) + 1}"
        parameters.append(Parameter(name, None if dice.random() < 0.5 else mass))
        mass = symbol(name)
    arms = [point(dice) for _ in range(3)]
    p = [[sum((r[i] * r[k] for r in arms), Fraction(0)) for k in range(3)] for i in range(3)]
    whole = p[0][0] + p[1][1] + p[2][2]
    tensor = (whole - p[0][0], whole - p[1][1], whole - p[2][2], -p[0][1], -p[0][2], -p[1][2])
    return Inertia(mass, point(dice), tensor)


def random_loads(dice: Random, bodies: Sequence[Body], links: int) -> list[Any]:
    loads: list[Any] = []
    for i in range(dice.randint(0, 3)):
        name, body = f"load{i}", dice.choice(bodies).name
        at = Point(body, point(dice))
        force = (as_expression(decimal(dice, 5)), sin(TIME), decimal(dice) * symbol("q1'"))
        other = Point(dice.choice([None, *(b.name for b in bodies if b.name != body)]), point(dice))
        made = (
            JointEffort(name, f"q{dice.randint(1, links)}", sin(symbol("q1")) - symbol("q1'")),
            PointForce(name, at, force),
            Wrench(name, at, force, (decimal(dice), decimal(dice), symbol("q1'"))),
            Bipolar(name, at, other, 3 - 2 * symbol("@") - symbol("@'"), Fraction(1, 2)),
        )
        loads.append(dice.choice(made))
    return loads


def exact(value: Any) -> Any:
    return Fraction(repr(float(value)))


def vector(values: Any, size: int = 3) -> tuple[Any, ...]:
    return (*map(exact, values), *[Fraction(0)] * (size - len(values)))


def branched(forces: tuple[Any, ...] = ()) -> System:
    """The published branched linkage of five links."""
    bodies = tuple(
        Body(
            f"b{k}",
            f"b{base}" if base else None,
            (*shift(vector(TREE["R_local"][k - 1])), rotation("z", f"q{k}")),
            Inertia(
                exact(TREE["m_own"][k - 1]), vector(TREE["c_own"][k - 1]), (0, 0, exact(TREE["I_own"][k - 1]))
            ),
        )
        for k, base in enumerate(TREE["base"], 1)
    )
    g = TREE["g"]
    size = float(np.hypot(*g))
    gravity = Gravity(size, (exact(g[0]), exact(g[1]), 0))
    return System(
        "branched", tuple(Coordinate(f"q{k}") for k in range(1, 6)), (), (), gravity, bodies, forces
    )
