"""Random constraints on a tree, made to hold at a state of it: rods, points, cut joints, rows of formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from mbconcord.model import (
    ElementaryTransformation,
    Frame,
    FrameCoincidence,
    Holonomic,
    Nonholonomic,
    Point,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.body import Body
from mbconcord.model.constraint import Constraint
from mbconcord.model.expressions import TIME, ZERO, Expression, as_expression, sin, symbol
from mbconcord.model.transformation import Vector, vector
from mbconcord.simulation.assembly import assemble
from mbconcord.simulation.rows import constraint_rows

from ..judge.kinematics import Kinematics
from ..judge.motion import Array
from .choices import Choices, Seeded

#: What a cut joint leaves free: kinds of its own transformations.
JOINTS = ("r", "r", "", "t", "rt", "tr", "rrr")
KINDS = ("point", "rod", "cut", "holonomic", "nonholonomic")
ROWS = {"point": 3, "rod": 1, "holonomic": 1, "nonholonomic": 1}


def random_constraints(
    seed: int, system: System, state: State, most: int = 3, kinds: Sequence[str] = KINDS
) -> System:
    """The system with up to ``most`` constraints that hold at the state, rates apart; sometimes one twice.

    ``kinds`` are of :data:`KINDS`. ``system`` has a formula for every function, ``state`` a value for every
    parameter. There are never more rows than coordinates. What cannot hold together while time runs is left out, and
    so is a constraint after which none of its coordinates moves.
    """
    return constrained(Choices(Seeded(seed)), system, state, most, kinds)


def constrained(
    choices: Choices, system: System, state: State, most: int = 3, kinds: Sequence[str] = KINDS
) -> System:
    """The same of constraints that are made of choices."""
    kept: tuple[Constraint, ...] = ()
    for constraint in _Builder(choices, system, state, kinds).constraints(most):
        made = replace(system, constraints=(*kept, constraint))
        found = assemble(made, [state])
        held = [found.states[0].v[name] for name in _held(system, constraint)]
        if found.closed.all() and (any(held) or not held):
            kept = made.constraints
    return replace(system, constraints=kept)


def _held(system: System, constraint: Constraint) -> set[str]:
    """Coordinates of the system that the rows of a constraint depend on."""
    rows = constraint_rows(replace(system, constraints=(constraint,)))
    found = {name for row in rows.rows for name, d in zip(rows.coordinates, row.D, strict=True) if d}
    return found & set(system.coordinate_names)


class _Builder:
    def __init__(self, choices: Choices, system: System, state: State, kinds: Sequence[str]) -> None:
        self.c, self.system, self.state, self.kinds = choices, system, state, kinds
        self.k = Kinematics(system, [state])

    def constraints(self, most: int) -> Iterator[Constraint]:
        left, made = len(self.system.coordinates), 0
        stiff = any(not b.modes for b in self.system.bodies)
        for i in range(1, 4 * most):
            if made == most:
                return
            kind = self.c.pick(self.kinds)
            if kind == "cut" and not stiff:
                continue  # frames stand on rigid bodies
            joint = self.c.pick(JOINTS) if kind == "cut" else ""
            rows = ROWS.get(kind, 6 - len(joint))
            if rows > left:
                continue
            one = self._constraint(kind, f"k{i}", joint)
            yield one
            if kind != "cut" and self.c.once_in(6):
                yield replace(one, name=f"k{i}again")
            left, made = left - rows, made + 1

    def _constraint(self, kind: str, name: str, joint: str) -> Constraint:
        if kind == "cut":
            return self._cut(name, joint)
        if kind == "holonomic":
            f = self._formula()
            return Holonomic(name, f - _number(self.k.scalars([f])[0][0]))
        if kind == "nonholonomic":
            coefficients = {q: self._formula() for q in self.system.coordinate_names if self.c.once_in(2)}
            first = self.system.coordinate_names[0]
            return Nonholonomic(
                name, coefficients or {first: as_expression(1)}, sin(TIME) * self.c.decimal(-1, 1)
            )
        first, second = self._bodies()
        at = Point(first, self._place(first))
        if kind == "rod":
            end = Point(second, vector(self.c.point()))
            apart = self.k.point(end).position - self.k.point(at).position
            mass = as_expression(self.c.positive()) if self.c.once_in(3) else ZERO
            return Rod(name, at, end, _number(float(np.linalg.norm(apart))), mass)
        frame = self.k.frame(second)
        arm = frame.rotation[0].T @ (self.k.point(at).position[0] - frame.position[0])
        return PointCoincidence(name, at, Point(second, vector(map(_number, arm))))

    def _bodies(self, rigid: bool = False) -> tuple[str, str | None]:
        """A body, rigid where that is asked for and there is one, and another rigid one or the fixed frame."""
        stiff = [b.name for b in self.system.bodies if not b.modes]
        names = (stiff if rigid else []) or [b.name for b in self.system.bodies]
        first = names[-1] if self.c.once_in(2) else self.c.pick(names)
        return first, self.c.pick([None, *(name for name in stiff if name != first)])

    def _place(self, name: str) -> Vector:
        """Somewhere on a body; of an elastic one a node."""
        modes = self.system.body(name).modes
        return self.c.pick(modes.nodes).position if modes else vector(self.c.point())

    def _formula(self) -> Expression:
        names = self.system.coordinate_names
        one, other = symbol(self.c.pick(names)), symbol(self.c.pick(names))
        return self.c.decimal(-2, 2) * sin(one) + self.c.decimal(-1, 1) * other * sin(TIME) + other

    def _cut(self, name: str, joint: str) -> FrameCoincidence:
        c, (first, second) = self.c, self._bodies(rigid=True)
        along = c.direction()
        across = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
        own = []
        for i, kind in enumerate(joint):
            axis = across[i] if joint == "rrr" else along
            own.append((translation if kind == "t" else rotation)(axis, f"{name}p{i}"))
        before, after = ((*shift(c.point()), rotation(c.direction(), c.decimal(-2, 2))) for _ in range(2))
        values = [c.decimal(-1, 1) for _ in own]
        reached = (*before, *(_fixed(et, x) for et, x in zip(own, values, strict=True)), *after)
        r, place = self._relative(first, reached, second)
        return FrameCoincidence(
            name, Frame(first, (*before, *own, *after)), Frame(second, tuple(_pose(r, place)))
        )

    def _relative(
        self, first: str, steps: tuple[ElementaryTransformation, ...], second: str | None
    ) -> tuple[Array, Array]:
        """Rotation and origin of a frame on the first body, seen from the second."""
        moved = replace(self.system, bodies=(*self.system.bodies, Body("reached", first, steps)))
        k = Kinematics(moved, [self.state])
        here, there = k.frame("reached"), k.frame(second)
        turned = there.rotation[0].T
        return turned @ here.rotation[0], turned @ (here.position[0] - there.position[0])


def _fixed(et: ElementaryTransformation, value: Fraction) -> ElementaryTransformation:
    return (translation if et.is_translation else rotation)(et.axis, value)


def _pose(r: Array, place: Array) -> Iterator[ElementaryTransformation]:
    """Constant transformations: a shift, then turns about z, y, x."""
    yield from shift(map(_number, place))
    yaw, pitch, roll = np.arctan2(r[1, 0], r[0, 0]), -np.arcsin(r[2, 0]), np.arctan2(r[2, 1], r[2, 2])
    for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)):
        yield rotation(axis, _number(float(angle)))


def _number(value: float) -> Expression:
    return as_expression(Fraction(float(value)))
