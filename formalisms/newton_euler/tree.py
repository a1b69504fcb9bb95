"""Conversion of a system to its tree of links: joints split into single motions, welded bodies merged.

Constant rotations: about a unit vector, and the rotation that carries a coordinate axis into a joint's axis.

Links: every elementary motion of a joint carries a link of its own.

A joint with k coordinates is a chain of k links, all but the last without inertia; a prescribed motion is a
link whose motion is known; bodies that no motion separates are one link with the inertia of all. The axis
of a link's motion is one of its own coordinate axes, so rotating a vector takes four multiplications.

Mass properties of a link in a frame, and the same in another frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mbconcord.model import Bipolar, Body, ElementaryTransformation, System
from mbconcord.model.expressions import HALF, ONE, TIME, ZERO, Expression, cos, derivative, evaluate, rate, sin
from mbconcord.records import dataclass, replace

from .vectors import (
    NEXT,
    Matrix,
    Number,
    Symmetric,
    Vector,
    add_along_axis,
    add_symmetric,
    apply,
    congruent,
    plus,
    product,
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


UNITS: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def rotation_about(n: Vector, sine: Expression, cosine: Expression) -> Matrix:
    """Return the rotation about a unit vector: cos E + (1 - cos) n nᵀ + sin [n]×. Columns: new axes in old."""
    x, y, z = n
    rest = ONE - cosine
    return (
        (cosine + rest * (x * x), rest * (x * y) - sine * z, rest * (x * z) + sine * y),
        (rest * (x * y) + sine * z, cosine + rest * (y * y), rest * (y * z) - sine * x),
        (rest * (x * z) - sine * y, rest * (y * z) + sine * x, cosine + rest * (z * z)),
    )


def alignment(n: Vector) -> tuple[int, Matrix]:
    """Return the coordinate axis e nearest to the unit vector n, and a constant rotation that carries e into n.

    The shortest such rotation is E + [v]× + [v]²/(1 + c), v = e × n, c = e · n. Where n points against the
    axis, half a turn about the next axis comes first and the shortest rotation leads to -n.
    """
    sizes = [float(value) for value in evaluate(n, {})]
    axis = max(range(3), key=lambda i: abs(sizes[i]))
    i, k = NEXT[axis]
    backwards = sizes[axis] < 0
    c, a, b = (-n[axis], -n[i], -n[k]) if backwards else (n[axis], n[i], n[k])
    m = [list(row) for row in UNITS]
    if a or b:
        share = ONE / (ONE + c)
        m[axis][axis], m[axis][i], m[axis][k] = c, -a, -b
        m[i][axis], m[i][i], m[i][k] = a, ONE - a * a * share, -(a * b * share)
        m[k][axis], m[k][i], m[k][k] = b, -(a * b * share), ONE - b * b * share
    shortest: Matrix = tuple((row[0], row[1], row[2]) for row in m)  # type: ignore[assignment]
    return axis, product(shortest, rotation_about(UNITS[i], ZERO, -ONE)) if backwards else shortest


def compose(first: Matrix | None, second: Matrix) -> Matrix | None:
    """Multiply rotations, where None is the identity."""
    turn = product(first, second) if first else second
    return None if turn == UNITS else turn


NULL: Vector = (ZERO, ZERO, ZERO)
NO_TENSOR = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)


@dataclass(frozen=True, slots=True)
class Place:
    """A frame fixed to a link (-1: the fixed frame): its orientation in link axes (None: parallel) and its origin."""

    link: int = -1
    turn: Matrix | None = None
    shift: Vector = NULL

    def direction(self, v: Vector) -> Vector:
        """Express a vector of this frame in the link's axes."""
        return apply(self.turn, v) if self.turn else v

    def point(self, r: Vector) -> Vector:
        """Express a point of this frame in the link's frame."""
        return plus(self.shift, self.direction(r))


@dataclass(frozen=True, slots=True)
class Tree:
    """Links in an order in which every subtree is contiguous after its root, and the place of each body's frame."""

    links: tuple[Link, ...]
    places: dict[str | None, Place]


def tree_of(system: System) -> Tree:
    """Build the tree of links of a system. Half of a bipolar element's mass is placed on each of its end points."""
    links: list[Link] = []
    places: dict[str | None, Place] = {None: Place()}
    index = {name: i for i, name in enumerate(system.coordinate_names)}
    for body in _subtrees_together(system.bodies):
        place = places[body.parent]
        for et in body.joint:
            place = _append_motion(place, et, links, index) if _moves(et) else _apply_constant(place, et)
        places[body.name] = place
        if not body.inertia.is_zero:
            own = body.inertia
            mass = Mass(own.mass, times(own.centre, own.mass), own.tensor_about_origin())
            _load(links, place, mass.change_axes(place.turn).shift(place.shift))
    for force in system.forces:
        if isinstance(force, Bipolar) and force.mass:
            for end in (force.first, force.second):
                place = places[end.body]
                point = Mass(force.mass * HALF, NULL, NO_TENSOR).shift(place.point(end.position))
                _load(links, place, point)
    return Tree(tuple(links), places)


def beyond(place: Place, steps: Sequence[ElementaryTransformation]) -> Place:
    """Return the place of the frame that constant transformations reach from a frame."""
    for et in steps:
        place = _apply_constant(place, et)
    return place


def _subtrees_together(bodies: Sequence[Body]) -> Iterator[Body]:
    """Order the bodies so that every subtree is contiguous."""
    children: dict[str | None, list[Body]] = {}
    for body in reversed(bodies):
        children.setdefault(body.parent, []).append(body)
    waiting = children.get(None, [])
    while waiting:
        body = waiting.pop()
        yield body
        waiting.extend(children.get(body.name, ()))


def _load(links: list[Link], place: Place, mass: Mass) -> None:
    if place.link >= 0:
        link = links[place.link]
        links[place.link] = replace(link, mass=link.mass.plus(mass), bears=True)


def _moves(et: ElementaryTransformation) -> bool:
    return et.coordinate is not None or bool(derivative(et.amount, TIME))


def _apply_constant(place: Place, et: ElementaryTransformation) -> Place:
    if et.is_translation:
        return replace(place, shift=place.point(times(et.axis, et.amount)))
    turn = rotation_about(et.axis, sin(et.amount), cos(et.amount))
    return replace(place, turn=compose(place.turn, turn))


def _append_motion(place: Place, et: ElementaryTransformation, links: list[Link], index: dict[str, int]) -> Place:
    """Append the link that a moving transformation carries to ``links``; return the frame after the motion."""
    axis, aligned = alignment(et.axis)
    amount, name = et.amount, et.coordinate
    speed = rate(name) if name else derivative(amount, TIME)
    acceleration = rate(name, 2) if name else derivative(speed, TIME)
    sine, cosine = (ZERO, ONE) if et.is_translation else (sin(amount), cos(amount))
    link = Link(
        parent=place.link,
        turn=compose(place.turn, aligned),
        shift=place.shift,
        revolute=not et.is_translation,
        axis=axis,
        coordinate=index[name] if name else None,
        amount=amount,
        rate=speed,
        acceleration=acceleration,
        sine=sine,
        cosine=cosine,
        mass=Mass(ZERO, NULL, NO_TENSOR),
    )
    links.append(link)
    return Place(len(links) - 1, None if aligned == UNITS else transpose(aligned))
