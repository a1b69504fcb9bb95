"""Trees with features that random ones lack: flywheels in a fluid, ball joints, shared axes, drives, rotors, springs.

Random planar linkages: forests of revolute joints about parallel axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Flywheel,
    Gravity,
    Inertia,
    JointEffort,
    Parameter,
    Point,
    PointForce,
    Prescribed,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.body import tensor
from mbconcord.model.coordinate import Motion
from mbconcord.model.expressions import TIME, ZERO, Expression, as_expression, cos, number, rate, sin, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Force
from mbconcord.model.transformation import Vector, vector

from .choices import Choices, Seeded
from .trees import random_bushing, random_system, random_torsion

#: Rotors that one defect each makes unsteady: coordinates of the centre, then the tensor.
DEFECTS = {
    "asymmetric": ((0, 0, 1), (3, 4, 5, 0, 0, 0)),
    "skewed": ((0, 0, 1), (3, 3, 5, 0, 1, 0)),
    "unbalanced": ((0, 2, 1), (3, 3, 5, 0, 0, 0)),
}


def gyrostats() -> System:
    """Build a free hull in a fluid with two flywheels, a fin in the fluid on it, and a gyrostat in the air on the fin.

    The flywheels are unbalanced and of three different moments, mounted off the axes, and change their speed; three
    small ones have one defect each. Λ is full. The fin also moves by a prescribed law.
    """
    free = (
        *(translation(axis, name) for axis, name in zip("xyz", ("x", "y", "z"), strict=True)),
        *(rotation(axis, name) for axis, name in zip("xyz", ("roll", "pitch", "yaw"), strict=True)),
    )
    fin = (*shift(_numbers("0.8", "-0.3", "0.2")), rotation((1, 2, 2), Prescribed(sin(2 * TIME))), rotation("y", "fin"))
    mast = (*shift(_numbers("-0.2", "0.5", "0.4")), rotation("x", "tilt"), translation("z", "reach"))
    bodies = (
        Body("hull", None, free, _inertia(1), _fluid(1), (
            _wheel("main", 2, 7 * TIME + cos(3 * TIME)), _wheel("side", 3, 2 * TIME * TIME - TIME),
        )),
        Body("fin", "hull", fin, _inertia(2), _fluid(2)),
        Body("mast", "fin", mast, _inertia(3), None, (
            _wheel("top", 4, sin(TIME) - 3 * TIME * TIME), *map(_rotor, DEFECTS, DEFECTS.values()),
        )),
    )  # fmt: skip
    names = ("x", "y", "z", "roll", "pitch", "yaw", "fin", "tilt", "reach")
    gravity = Gravity(as_expression(9.81), vector((1, -2, -6)))
    return System("gyrostats in a fluid", tuple(map(Coordinate, names)), gravity=gravity, bodies=bodies)


def _inertia(i: int) -> Inertia:
    """Return a different physical inertia for every body: each moment is less than the sum of the other two."""
    moments = [Fraction(i + k, 10) + 1 for k in range(3)]
    products = [Fraction(i, 20), Fraction(-1, 5 + i), Fraction(1, 10 + i)]
    return Inertia(as_expression(Fraction(3, i)), vector(_numbers(f"0.{i}", "-0.3", f"0.{9 - i}")),
                   tensor((*moments, *products)))  # fmt: skip


def _wheel(name: str, i: int, angle: Expression) -> Flywheel:
    tilts = (
        rotation((1, -2, 2), Constant(as_expression(Fraction(i, 5)))),
        rotation("x", Constant(as_expression(Fraction(-7, 10)))),
    )
    return Flywheel(name, (*shift(_numbers("0.3", f"-0.{i}", "0.25")), *tilts), _inertia(i), angle)


def _rotor(name: str, defect: tuple[tuple[int, ...], tuple[int, ...]]) -> Flywheel:
    centre, moments = (tuple(Fraction(x, 10) for x in numbers) for numbers in defect)
    inertia = Inertia(as_expression(Fraction(1, 2)), vector(centre), tensor(moments))
    return Flywheel(name, (rotation("y", Constant(as_expression(Fraction(2, 5)))),), inertia, 5 * TIME)


def _fluid(i: int) -> AddedInertia:
    """Return a full, diagonally dominant and so positive definite matrix."""
    rows = [[Fraction((3 * a * b + a + b + i) % 7 - 3, 8) for b in range(6)] for a in range(6)]
    for a in range(6):
        rows[a][a] = Fraction(5 + a, 2) + i
    return AddedInertia(tuple(tuple(map(as_expression, row)) for row in rows))


def _numbers(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


def ball_joints() -> System:
    """Build joints of three angles about x, y, z, alone and after shifts; bodies with aligned principal axes.

    The tree ends with joints of one angle before or after two that are constant.
    """
    turns = [tuple(rotation(axis, f"{axis}{i}") for axis in "xyz") for i in (1, 2)]
    bodies = (
        Body("hip", None, (translation("x", "s1"), translation("z", "s2"), *turns[0]),
             _inertia_of(3, (0.2, -0.1, 0.3), (0.5, 0.7, 0.9))),
        Body("thigh", "hip", (*shift((0.4, -0.3, 0.2)), *turns[1]), _inertia_of(2, (-0.1, 0.3, 0.2), (0.3, 0.2, 0.4))),
        Body("foot", "thigh", (translation("y", "s3"), rotation("x", 0.4), rotation("y", "knee"),
                               rotation("y", Prescribed(sin(2 * TIME))), rotation("y", 0.3)),
             _inertia_of(1, (0.1, 0.2, -0.4), (0.1, 0.2, 0.15, 0.02, -0.01, 0.03))),
        Body("toe", "foot", (translation((0, 0, -1), Prescribed(TIME * TIME)), rotation("x", "bend")),
             _inertia_of(1, (0.2, 0.1, -0.1), (0.1, 0.2, 0.15, 0, 0, 0.03))),
        Body("claw", "toe", (*shift((0.3, 0.1, -0.2)), rotation("x", 0.5), rotation("y", -0.7), rotation("z", "grip")),
             _inertia_of(1, (0.1, -0.2, 0.1), (0.2, 0.1, 0.25, 0.01, 0.02, -0.03))),
        Body("nail", "claw", (*shift((0.1, 0.2, 0.1)), rotation("x", "turn"), rotation("y", 0.6), rotation("z", -0.4)),
             _inertia_of(1, (-0.1, 0.1, 0.2), (0.1, 0.15, 0.2, 0, 0.01, 0.02))),
        Body("ring", "toe", (rotation("y", 0.3),), _inertia_of(0, (0, 0, 0), (0.1, 0.2, 0.15))),
    )  # fmt: skip
    names = ("s1", "s2", "x1", "y1", "z1", "x2", "y2", "z2", "s3", "knee", "bend", "grip", "turn")
    gravity = Gravity(as_expression(9.81), vector((1, -2, -6)))
    return System("ball joints", tuple(map(Coordinate, names)), gravity=gravity, bodies=bodies)


def _inertia_of(mass: int, centre: tuple[float, ...], moments: tuple[float, ...]) -> Inertia:
    return Inertia(as_expression(mass), vector(centre), tensor(moments))


def driven(system: System, accelerations: Mapping[str, Expression]) -> System:
    """Return the system with accelerations imposed by drives; ``accelerations``: coordinate -> formula."""
    coordinates = (
        replace(c, drive=Motion(accelerations[c.name])) if c.name in accelerations else c for c in system.coordinates
    )
    return replace(system, coordinates=tuple(coordinates))


def imposed_by(c: Choices, system: System, every: bool = False) -> System:
    """Impose accelerations made of choices."""
    formulas: dict[str, Expression] = {}
    for name in system.coordinate_names:
        constant, wave, damping, growth = (c.decimal(-5, 5), c.decimal(-2, 2), c.decimal(-1, 1), c.decimal(-3, 3))
        a = constant + wave * sin(symbol(name)) - damping * rate(name) + growth * TIME
        if every or c.once_in(2):
            formulas[name] = a
    return driven(system, formulas)


#: Seed and number of bodies of the tree.
TREE = (11, 5)


def build_geared() -> System:
    """Build rotors geared to one joint (two rotors on one), to two joints with a tendon, to three; drive one joint."""
    tree = random_system(*TREE)
    first, second, *_, last = tree.coordinate_names
    armatures = (
        Armature("motor", number("0.02"), {last: number(7)}),
        Armature("second motor", number("0.3"), {last: as_expression(-2)}),
        Armature("driven motor", number("0.05"), {second: number(3)}),
        Armature("tendon", number("0.4"), {first: number("1.5"), last: as_expression(-3)}),
        Armature("differential", number("0.7"), {second: number(2), last: number("0.5"), first: number(1)}),
    )
    return driven(replace(tree, armatures=armatures), {second: as_expression(2) - symbol(f"{last}'")})


def sprung_system(seed: int, bodies: int) -> System:
    """Add two bushings and a moment about an axis to the random tree of a seed: the same on every platform."""
    system, choices = random_system(seed, bodies), Choices(Seeded(seed))
    functions = list(system.functions)
    more: list[Force] = [
        *(random_bushing(choices, system.bodies, name) for name in ("bushing1", "bushing2")),
        random_torsion(choices, system.bodies, functions, "torsion1"),
    ]
    return replace(system, functions=tuple(functions), forces=(*system.forces, *more))


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
    """Draw a point: three numbers of two decimals."""
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
