"""Random open trees of rigid bodies and random forces on them, without accidental symmetry, with all features of trees.

Branched; joints of zero to six coordinates about general axes with constant and prescribed transformations between
them; full inertia tensors that are physical by construction; massless bodies and bodies without coordinates; every kind
of force; flywheels and added inertia on request. Every coordinate moves some body of full inertia and no joint uses a
direction twice, so M is regular at almost every state.

Forces are efforts, bipolar forces, point forces and wrenches, each of every kind of law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from mbconcord.model import (
    AddedInertia,
    Bipolar,
    Body,
    Bushing,
    Constant,
    Coordinate,
    Effort,
    ElementaryTransformation,
    Flywheel,
    Function,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    PointForce,
    Prescribed,
    System,
    Torsion,
    Wrench,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.body import Tensor, tensor
from mbconcord.model.expressions import TIME, Expression, as_expression, call, sin, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE, Force, Law, six, six_rows
from mbconcord.model.transformation import Frame, Vector, vector

from .choices import Choices, Seeded


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


def random_tensor(c: Choices) -> Tensor:
    """Draw the tensor tr(P) E - P of a sum P of r rᵀ, which is always physical."""
    p = _squares([c.point(), c.point(), c.point()])
    for i in range(3):
        p[i][i] += Fraction(i + 1, 100)
    whole = p[0][0] + p[1][1] + p[2][2]
    return tensor((whole - p[0][0], whole - p[1][1], whole - p[2][2], -p[0][1], -p[0][2], -p[1][2]))


def random_flywheels(c: Choices) -> Iterator[Flywheel]:
    """Draw one or two unbalanced, triaxial, tilted rotors with varying ψ' and ψ''."""
    for i in range(c.pick((1, 1, 2))):
        tilts = (rotation(c.direction(), Constant(as_expression(c.decimal(-2, 2)))) for _ in range(2))
        inertia = Inertia(as_expression(c.positive()), vector(c.point()), random_tensor(c))
        angle = c.decimal(-3, 3) * TIME + c.decimal(-1, 1) * sin(c.decimal(-3, 3) * TIME)
        yield Flywheel(f"wheel{i + 1}", (*shift(c.point()), *tilts), inertia, angle)


def random_added_inertia(c: Choices) -> AddedInertia:
    """Draw a full positive definite 6×6 matrix: a sum of r rᵀ, and something on the diagonal."""
    p = _squares([(*c.point(), *c.point()) for _ in range(6)])
    for i in range(6):
        p[i][i] += Fraction(i + 1, 10)
    return AddedInertia(tuple(tuple(map(as_expression, row)) for row in p))


def _squares(arms: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Return Σ r rᵀ."""
    size = range(len(arms[0]))
    return [[sum((r[i] * r[k] for r in arms), Fraction(0)) for k in size] for i in size]


#: (translations, rotations) of a joint; the simplest first, the frequent ones repeated.
JOINTS = (
    *[(0, 1)] * 6, *[(1, 0)] * 4, *[(0, 2)] * 2, *[(1, 1)] * 2,
    (0, 3), (2, 1), (3, 0), (1, 2), (3, 3), (0, 0), (0, 0),
)  # fmt: skip

Axis = tuple[int, int, int]


def random_system(seed: int, bodies: int, *, flywheels: bool = False, added_inertia: bool = False) -> System:
    """Build the model of a seed: the same on every platform.

    ``flywheels`` and ``added_inertia``: the last body has them, others with inertia at random.
    """
    return build(Choices(Seeded(seed)), bodies, flywheels=flywheels, added_inertia=added_inertia)


def build(choices: Choices, bodies: int, *, flywheels: bool = False, added_inertia: bool = False) -> System:
    """Build a model of that many bodies from choices; see :func:`random_system`."""
    return _OpenTreeBuilder(choices, bodies, flywheels, added_inertia).system()


class _OpenTreeBuilder:
    def __init__(self, choices: Choices, bodies: int, flywheels: bool, added_inertia: bool) -> None:
        self.c = choices
        self.flywheels, self.added_inertia = flywheels, added_inertia
        self.parents: list[int | None] = [None]
        for i in range(1, bodies):
            self.parents.append(self.c.integer(0, i - 1) if not self.c.once_in(6) else None)
            if self.c.once_in(2):  # chains are as frequent as bushes
                self.parents[i] = i - 1
        self.parameters: list[Parameter] = []
        self.functions: list[Function] = []
        self.coordinates: list[Coordinate] = []
        #: Axes of translations and of rotations since the last body with inertia.
        self.used: list[tuple[list[Axis], list[Axis]]] = []

    def system(self) -> System:
        made = [self._body(i) for i in range(len(self.parents))]
        if not self.coordinates:
            made[-1] = self._with_coordinate(made[-1])
        gravity = None
        if not self.c.once_in(5):
            value = as_expression(self.c.pick((Fraction("9.81"), Fraction("1.62"))))
            gravity = Gravity(value, vector(self.c.direction()))
        forces: list[Force] = random_forces(self.c, made, self.functions)
        coordinates = self.coordinates[::-1] if self.c.once_in(4) else self.coordinates
        return System(
            "random", tuple(coordinates), tuple(self.parameters), tuple(self.functions), gravity, tuple(made),
            tuple(forces),
        )  # fmt: skip

    def _body(self, i: int) -> Body:
        c, parent = self.c, self.parents[i]
        leaf = i not in self.parents
        massless = not leaf and c.once_in(6)
        before = self.used[parent] if parent is not None else ([], [])
        counts = c.pick(JOINTS)
        shifts, turns = (self._independent(n, axes) for n, axes in zip(counts, before, strict=True))
        joint = tuple(self._joint(shifts, turns))
        self.used.append((before[0] + shifts, before[1] + turns) if massless else ([], []))
        inertia = Inertia(as_expression(0)) if massless else self._inertia()
        last = i == len(self.parents) - 1

        def carries(feature: bool) -> bool:
            return feature and not massless and (last or c.once_in(2))

        medium = random_added_inertia(c) if carries(self.added_inertia) else None
        wheels = tuple(random_flywheels(c)) if carries(self.flywheels) else ()
        place = None if parent is None else f"b{parent + 1}"
        return Body(f"b{i + 1}", place, joint, inertia, medium, wheels)

    def _with_coordinate(self, body: Body) -> Body:
        joint = (*body.joint, *self._joint([], [(0, 0, 1)]))
        return replace(body, joint=joint)

    def _joint(self, shifts: list[Axis], turns: list[Axis]) -> Iterator[ElementaryTransformation]:
        """Yield coordinates along and about these axes in any order, with other transformations around them."""
        c = self.c
        axes = {"translation": list(shifts), "rotation": list(turns)}
        yield from self._other()
        while any(axes.values()):
            kinds = [kind for kind in ("rotation", "translation") if axes[kind]]
            kind = c.pick(kinds)
            make = translation if kind == "translation" else rotation
            yield make(axes[kind].pop(), self._coordinate())
            if c.once_in(2):
                yield from self._other()

    def _independent(self, count: int, before: list[Axis]) -> list[Axis]:
        """Draw up to ``count`` directions, linearly independent of each other and of others."""
        found: list[Axis] = []
        for _ in range(min(count, 3 - len(before))):
            candidates = (self.c.direction(), (1, 0, 0), (0, 1, 0), (0, 0, 1))
            found.append(next(axis for axis in candidates if not _dependent([*before, *found, axis])))
        return found

    def _coordinate(self) -> str:
        c, name = self.c, f"q{len(self.coordinates) + 1}"
        drive = None
        if c.once_in(6):
            q, v = symbol(name), symbol(name + "'")
            drive = Effort(c.decimal(-3, 3) * q - c.positive() * v + c.decimal(-3, 3) * sin(TIME))
        position = c.decimal(-2, 2) if c.once_in(3) else 0
        velocity = c.decimal(-2, 2) if c.once_in(3) else 0
        self.coordinates.append(Coordinate(name, as_expression(position), as_expression(velocity), drive))
        return name

    def _other(self) -> Iterator[ElementaryTransformation]:
        """Yield some constant and prescribed transformations, or none."""
        c = self.c
        for _ in range(c.pick((1, 2, 0, 1))):
            make = c.pick((translation, rotation))
            amount = self._to_number(c.decimal(-2, 2))
            motion = Prescribed(self._of_time()) if c.once_in(6) else Constant(amount)
            yield make(c.direction(), motion)

    def _to_number(self, value: Fraction) -> Expression:
        """Return a number, or a parameter with that value."""
        if not self.c.once_in(6):
            return as_expression(value)
        name = f"p{len(self.parameters) + 1}"
        self.parameters.append(Parameter(name, as_expression(value)))
        return symbol(name)

    def _of_time(self) -> Expression:
        c = self.c
        if c.once_in(3):
            name = f"f{len(self.functions) + 1}"
            formula = None if c.once_in(2) else c.decimal(-1, 1) * sin(c.positive() * TIME) + c.decimal(-1, 1)
            self.functions.append(Function(name, ("t",), formula))
            return call(name, [TIME])
        shape = c.pick((TIME, TIME * TIME, sin(c.decimal(-3, 3) * TIME)))
        return c.decimal(-1, 1) * shape + c.decimal(-1, 1)

    def _inertia(self) -> Inertia:
        """Draw mass, centre and tensor; the order of the choices is part of a seed's meaning."""
        c = self.c
        mass = self._to_number(c.positive())
        if c.once_in(8):  # its value is drawn by the check
            name = f"p{len(self.parameters) + 1}"
            self.parameters.append(Parameter(name))
            mass = symbol(name)
        moments = random_tensor(c)
        return Inertia(mass, vector(c.point()), moments)


def _dependent(axes: list[Axis]) -> bool:
    if len(axes) < 2:
        return False
    (a, b, d), (e, f, g) = axes[0], axes[1]
    cross = (b * g - d * f, d * e - a * g, a * f - b * e)
    if len(axes) == 2:
        return not any(cross)
    return sum(x * y for x, y in zip(cross, axes[2], strict=True)) == 0
