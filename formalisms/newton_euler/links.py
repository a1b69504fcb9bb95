"""Links: every elementary motion of a joint carries a link of its own.

A joint with k coordinates is a chain of k links, all but the last without inertia; a prescribed motion is a
link whose motion is known; bodies that no motion separates are one link with the inertia of all. The axis
of a link's motion is one of its own coordinate axes, so rotating a vector takes four multiplications.

Mass properties of a link in a frame, and the same in another frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mbconcord.records import dataclass, replace

from .vectors import (
    Matrix,
    Number,
    Symmetric,
    Vector,
    add_along_axis,
    add_symmetric,
    apply,
    congruent,
    plus,
    rotate,
    symmetric,
    times,
    transpose,
    turned_symmetric,
)


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass properties about the origin of a frame, in its axes.

    ``mass`` (kg), ``moment`` the first moment m c (kg m), ``tensor`` about the origin (kg m²).
    """

    mass: Number
    moment: Vector
    tensor: Symmetric

    def plus(self, other: Mass) -> Mass:
        """Return the sum of both mass properties, given about one origin in the same axes."""
        return Mass(self.mass + other.mass, plus(self.moment, other.moment), add_symmetric(self.tensor, other.tensor))

    def shift(self, p: Vector) -> Mass:
        """Return the mass properties about another origin, from which the old one is at p: the parallel-axis theorem.

        m c becomes m c + m p; J becomes J + 2 (p · m c) E - m c pᵀ - p (m c)ᵀ + m (p² E - p pᵀ).
        """
        a = self.moment
        b = plus(a, times(p, self.mass))
        x, y, z = (a[0] + b[0]) * p[0], (a[1] + b[1]) * p[1], (a[2] + b[2]) * p[2]
        steiner = (
            y + z, x + z, x + y,
            -(a[0] * p[1] + b[1] * p[0]), -(a[0] * p[2] + b[2] * p[0]), -(a[1] * p[2] + b[2] * p[1]),
        )  # fmt: skip
        return Mass(self.mass, b, add_symmetric(self.tensor, steiner))

    def change_axes(self, turn: Matrix | None) -> Mass:
        """Express mass properties in new axes; columns of ``turn`` are the old axes in the new (None: no change)."""
        return Mass(self.mass, apply(turn, self.moment), congruent(turn, self.tensor)) if turn else self

    def rotate(self, axis: int, sine: Number, cosine: Number) -> Mass:
        """Rotate the mass properties about an axis by the angle with the given sine and cosine."""
        return Mass(
            self.mass, rotate(self.moment, axis, sine, cosine), turned_symmetric(self.tensor, axis, sine, cosine)
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A link and the one motion that carries it, in expressions or in the numbers of another arithmetic.

    Attributes
    ----------
    parent : int
        Index of the carrying link, -1 for the fixed frame.
    turn, shift
        Orientation (None: that of the parent) and origin (m) of the joint in the parent link's frame.
    revolute : bool
    axis : 0, 1 or 2
        The joint's axis, the same in the joint's and in the link's frame.
    coordinate : int or None
        Index of the coordinate; None for a prescribed motion.
    amount, rate, acceleration
        The motion and its derivatives (m or rad, per s, per s²).
    sine, cosine
        Sine and cosine of the angle; 0 and 1 for a translation.
    mass : Mass
        Mass properties about the link's origin, in its axes.
    bears : bool
        False if the link has no inertia for any values of the parameters.
    """

    parent: int
    turn: Matrix | None
    shift: Vector
    revolute: bool
    axis: int
    coordinate: int | None
    amount: Number
    rate: Number
    acceleration: Number
    sine: Number
    cosine: Number
    mass: Mass
    bears: bool = False

    @property
    def offset(self) -> Vector:
        """Origin of the link's frame from the parent's, in the parent's axes."""
        if self.revolute:
            return self.shift
        if self.turn:
            return plus(self.shift, times(transpose(self.turn)[self.axis], self.amount))
        return add_along_axis(self.shift, self.axis, self.amount)

    def outward(self, v: Vector) -> Vector:
        """Transform a vector from the parent's axes to the link's."""
        if self.turn:
            v = apply(transpose(self.turn), v)
        return rotate(v, self.axis, -self.sine, self.cosine) if self.revolute else v

    def inward(self, v: Vector) -> Vector:
        """Transform a vector from the link's axes to the parent's."""
        if self.revolute:
            v = rotate(v, self.axis, self.sine, self.cosine)
        return apply(self.turn, v) if self.turn else v

    def transfer_mass(self, mass: Mass) -> Mass:
        """Express mass properties about the link's origin in the parent link's frame."""
        if self.revolute:
            mass = mass.rotate(self.axis, self.sine, self.cosine)
        return mass.change_axes(self.turn).shift(self.offset)

    def scalars(self) -> Iterator[Number]:
        """Yield every number of the link."""
        for row in self.turn or ():
            yield from row
        yield from self.shift
        yield from (self.amount, self.rate, self.acceleration, self.sine, self.cosine)
        yield from (self.mass.mass, *self.mass.moment, *self.mass.tensor)

    def with_scalars(self, numbers: Iterator[Any]) -> Link:
        """Replace the link's numbers, in the order of :meth:`scalars`."""
        take: Callable[[], Any] = numbers.__next__

        def triple() -> Vector:
            return take(), take(), take()

        return replace(
            self,
            turn=(triple(), triple(), triple()) if self.turn else None,
            shift=triple(),
            amount=take(),
            rate=take(),
            acceleration=take(),
            sine=take(),
            cosine=take(),
            mass=Mass(take(), triple(), symmetric([take() for _ in range(6)])),
        )
