"""Forces: joint efforts, bipolar forces, point forces and wrenches.

In a formula, a coordinate's name is its value, the name with ``'`` its rate, ``t`` the time; in the law of a
bipolar force ``@`` is the distance of its points and ``@'`` its rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from .expressions import TIME, ZERO, Expression, as_expression, sin, substitute, symbol
from .transformation import Vector, vector

LENGTH = symbol("@")
LENGTH_RATE = symbol("@'")


@dataclass(frozen=True, slots=True)
class LinearLaw:
    """UM's structured ``linear`` law: f0 - k (x - l0) - d v + q sin(w t + a)."""

    f0: Expression = ZERO
    k: Expression = ZERO
    l0: Expression = ZERO
    d: Expression = ZERO
    q: Expression = ZERO
    w: Expression = ZERO
    a: Expression = ZERO

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, as_expression(getattr(self, field.name)))

    def of(self, x: Expression, v: Expression) -> Expression:
        """The force at the length or coordinate x (m, rad) and its rate v."""
        harmonic = self.q * sin(self.w * TIME + self.a) if self.q else ZERO
        return self.f0 - self.k * (x - self.l0) - self.d * v + harmonic


Law = Expression | LinearLaw


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a body: its position in the body's frame (m). Body ``None`` is the fixed frame."""

    body: str | None
    position: Vector = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector(self.position))


@dataclass(frozen=True, slots=True)
class JointEffort:
    """Force (N) or torque (N m) along a coordinate: its generalized force. ``effort`` in q, q', t."""

    name: str
    coordinate: str
    effort: Law

    def __post_init__(self) -> None:
        object.__setattr__(self, "effort", as_law(self.effort))

    def expression(self) -> Expression:
        """The generalized force as a formula of the coordinates, rates and time."""
        x = symbol(self.coordinate)
        v = symbol(self.coordinate + "'")
        if isinstance(self.effort, LinearLaw):
            return self.effort.of(x, v)
        return self.effort


@dataclass(frozen=True, slots=True)
class Bipolar:
    """Force along the line between two points; positive pushes them apart. ``law`` in @, @', t (N).

    ``mass`` (kg) is lumped half and half on the two end points: :meth:`System.lumped`.
    """

    name: str
    first: Point
    second: Point
    law: Law
    mass: Expression = ZERO

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", as_law(self.law))
        object.__setattr__(self, "mass", as_expression(self.mass))

    def force(self, length: Expression, rate: Expression) -> Expression:
        """The force at a given distance and rate of distance."""
        if isinstance(self.law, LinearLaw):
            return self.law.of(length, rate)
        return substitute([self.law], {LENGTH: length, LENGTH_RATE: rate})[0]


@dataclass(frozen=True, slots=True)
class PointForce:
    """A force applied at a point of a body; components in world axes (N), formulas of q, q', t."""

    name: str
    point: Point
    force: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", vector(self.force))


@dataclass(frozen=True, slots=True)
class Wrench:
    """A force at a point of a body in world axes (N), and a moment in body axes (N m)."""

    name: str
    point: Point
    force: Vector = (ZERO, ZERO, ZERO)
    moment: Vector = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", vector(self.force))
        object.__setattr__(self, "moment", vector(self.moment))


Force = JointEffort | Bipolar | PointForce | Wrench


def law_expressions(law: Law) -> Iterator[Expression]:
    """The expressions of a law."""
    if isinstance(law, LinearLaw):
        for field in fields(law):
            yield getattr(law, field.name)
    else:
        yield law


def as_law(value: Law | Mapping[str, Expression] | float) -> Law:
    """A law from itself, from a number, or from a mapping of the fields of :class:`LinearLaw`."""
    if isinstance(value, LinearLaw):
        return value
    if isinstance(value, Mapping):
        return LinearLaw(**value)
    return as_expression(value)
