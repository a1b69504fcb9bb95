"""Random forces on a tree: efforts, bipolar forces, point forces and wrenches, each of every kind of law."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model import (
    Bipolar,
    Body,
    Bushing,
    Function,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    Torsion,
    Wrench,
    rotation,
    shift,
)
from mbconcord.model.expressions import TIME, Expression, as_expression, call, sin, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Force, Law, six, six_rows
from mbconcord.model.transformation import Frame, Vector, vector

from .choices import Choices


def random_forces(c: Choices, bodies: Sequence[Body], functions: list[Function]) -> list[Force]:
    """Draw up to one force per body, at most four; functions they need are appended."""
    forces: list[Force] = []
    names = [name for body in bodies for name in body.coordinates]
    for i in range(c.integer(0, min(len(bodies), 4))):
        kind = c.pick(("effort", "bipolar", "point", "wrench"))
        name, body = f"force{i + 1}", c.pick(bodies).name
        if kind == "effort":
            coordinate = c.pick(names)
            forces.append(JointEffort(name, coordinate, _effort(c, coordinate)))
        elif kind == "bipolar":
            others = [None, *(b.name for b in bodies if b.name != body)]
            ends = Point(body, vector(c.point())), Point(c.pick(others), vector(c.point()))
            mass = as_expression(c.positive() if c.once_in(3) else 0)
            forces.append(Bipolar(name, *ends, _line_law(c, functions), mass))
        else:
            point, force = Point(body, vector(c.point())), _components(c, names)
            forces.append(
                PointForce(name, point, force) if kind == "point" else Wrench(name, point, force, _components(c, names))
            )
    return forces


def random_bushing(c: Choices, bodies: Sequence[Body], name: str) -> Bushing:
    """Draw a spring and damper between frames; rows are not symmetric, and most of their entries are nonzero."""
    first, second = _frames(c, bodies)
    stiffness, damping = (
        [[as_expression(c.decimal(-3, 3) if not c.once_in(3) else 0) for _ in range(6)] for _ in range(6)]
        for _ in range(2)
    )
    preload = [as_expression(c.decimal(-3, 3)) for _ in range(6)]
    return Bushing(name, first, second, six_rows(stiffness), six_rows(damping), six(preload))


def random_torsion(c: Choices, bodies: Sequence[Body], functions: list[Function], name: str) -> Torsion:
    """Draw a moment about an axis between frames, and append the functions that it needs."""
    first, second = (
        Frame(end.body, (*end.transformations, rotation(c.direction(), as_expression(c.decimal(-3, 3)))))
        for end in _frames(c, bodies)
    )
    return Torsion(name, first, second, _line_law(c, functions))


def _frames(c: Choices, bodies: Sequence[Body]) -> list[Frame]:
    """Pick frames, shifted and turned, of two bodies or of one and the fixed frame."""
    body = c.pick(bodies).name
    others = [None, *(b.name for b in bodies if b.name != body)]
    ends = [body, c.pick(others)]
    if c.once_in(2):
        ends.reverse()
    return [
        Frame(end, (*shift(vector(c.point())), rotation(c.pick(("x", "y", "z")), as_expression(c.decimal(-3, 3)))))
        for end in ends
    ]


def _effort(c: Choices, coordinate: str) -> Law:
    if c.once_in(3):
        return _linear(c)
    q, v = symbol(coordinate), symbol(coordinate + "'")
    return c.decimal(-3, 3) * sin(q) - c.positive() * v + c.decimal(-3, 3) * sin(c.decimal(-3, 3) * TIME)


def _line_law(c: Choices, functions: list[Function]) -> Law:
    kind = c.pick(("formula", "linear", "function"))
    if kind == "linear":
        return _linear(c)
    if kind == "formula":
        return c.decimal(-3, 3) - c.positive() * LENGTH - c.decimal(-3, 3) * LENGTH_RATE + sin(TIME)
    name = f"f{len(functions) + 1}"
    functions.append(Function(name, ("t", "@", "@'")))
    return call(name, [TIME, LENGTH, LENGTH_RATE])


def _linear(c: Choices) -> LinearLaw:
    f0, k, l0, d, q, w, a = (as_expression(c.decimal(-3, 3)) for _ in range(7))
    return LinearLaw(f0, k, l0, d, q, w, a)


def _components(c: Choices, names: Sequence[str]) -> Vector:
    def component() -> Expression:
        kind = c.pick(("constant", "time", "rate"))
        size = as_expression(c.decimal(-5, 5))
        if kind == "constant":
            return size
        return size * sin(TIME) if kind == "time" else size * symbol(c.pick(names) + "'")

    return component(), component(), component()
