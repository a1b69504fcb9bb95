"""Random planar linkages: forests of revolute joints about parallel axes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

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
)  # fmt: skip
from mbconcord.model.expressions import TIME, ZERO, Expression, as_expression, sin, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Force
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import Vector, vector

#: Directions of the axes.
NORMALS = ((0, 0, 1), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 2, 2), (0, 0, -1), (2, -3, 6))


def planar_system(seed: int, links: int, loads: bool = True, spatial: bool = False) -> System:
    """Build a forest of revolute joints about parallel axes, of either sense, at different heights.

    It has welded bodies, constant rotations about the normal before and after the joints, full tensors, gravity of any
    direction, masses with and without numbers, and every kind of load. With ``spatial``, axes of any direction.
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
        x, y, z = dice.choice(NORMALS) if spatial else normal
        axis = sense * x, sense * y, sense * z
        joint = [*shift(point(dice)), rotation(axis, f"q{i + 1}")]
        if dice.random() < 0.5:
            joint.insert(0, rotation(normal, decimal(dice)))
        if dice.random() < 0.3:
            joint += [translation((1, 2, -2), decimal(dice)), rotation(axis, decimal(dice))]
        massless = dice.random() < 0.1 and i + 1 < links
        own = Inertia(as_expression(0)) if massless else inertia(dice, parameters)
        bodies.append(Body(f"b{i + 1}", parent, tuple(joint), own))
        if massless or dice.random() < 0.2:
            place = (*shift(point(dice)), rotation((1, -1, 3), decimal(dice)))
            bodies.append(Body(f"w{i + 1}", f"b{i + 1}", place, inertia(dice, parameters)))
    coordinates = [
        Coordinate(f"q{i + 1}", drive=Effort(sin(TIME) - symbol(f"q{i + 1}'")) if dice.random() < 0.2 else None)
        for i in range(links)
    ]
    if dice.random() < 0.3:
        coordinates.reverse()
    down = vector(dice.choice((-3, 1, 2)) for _ in range(3))
    gravity = Gravity(as_expression(Fraction("9.81")), down)
    forces = random_loads(dice, bodies, links) if loads else ()
    return System("planar", tuple(coordinates), tuple(parameters), (), gravity, tuple(bodies), tuple(forces))


def decimal(dice: Random, size: float = 2.0) -> Expression:
    """Draw a number of two decimals."""
    return as_expression(Fraction(round(dice.uniform(-size, size) * 100), 100))


def point(dice: Random) -> Vector:
    """Draw three of them."""
    return decimal(dice), decimal(dice), decimal(dice)


def inertia(dice: Random, parameters: list[Parameter]) -> Inertia:
    """Draw a body without symmetry; its mass is sometimes a parameter, with or without a value."""
    mass = as_expression(Fraction(dice.randint(20, 300), 100))
    if dice.random() < 0.2:
        name = f"m{len(parameters) + 1}"
        parameters.append(Parameter(name, None if dice.random() < 0.5 else mass))
        mass = symbol(name)
    arms = [point(dice) for _ in range(3)]
    p = [[sum((r[i] * r[k] for r in arms), ZERO) for k in range(3)] for i in range(3)]
    whole = p[0][0] + p[1][1] + p[2][2]
    moments = (whole - p[0][0], whole - p[1][1], whole - p[2][2], -p[0][1], -p[0][2], -p[1][2])
    return Inertia(mass, point(dice), tensor(moments))


def random_loads(dice: Random, bodies: Sequence[Body], links: int) -> list[Force]:
    """Draw up to three loads of any kind."""
    loads: list[Force] = []
    for i in range(dice.randint(0, 3)):
        name, body = f"load{i}", dice.choice(bodies).name
        at = Point(body, point(dice))
        force = (decimal(dice, 5), sin(TIME), decimal(dice) * symbol("q1'"))
        other = Point(dice.choice([None, *(b.name for b in bodies if b.name != body)]), point(dice))
        length = as_expression(Fraction(1, 2))
        made: tuple[Force, ...] = (
            JointEffort(name, f"q{dice.randint(1, links)}", sin(symbol("q1")) - symbol("q1'")),
            PointForce(name, at, force),
            Wrench(name, at, force, (decimal(dice), decimal(dice), symbol("q1'"))),
            Bipolar(name, at, other, 3 - 2 * LENGTH - LENGTH_RATE, length),
        )
        loads.append(dice.choice(made))
    return loads
