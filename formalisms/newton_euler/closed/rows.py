"""Rows of constraints: motion of the second side of a cut relative to the first, and the wrench that a row transmits.

A row is a wrench (f; m) that a unit multiplier exerts on the second side at a point, and its opposite on the first
(for coinciding points, of cut joints too, the signs are exchanged: all formalisms write r₁ - r₂).
The efforts of this wrench in the joints, carried inward along both paths to the carrier of the loop, are a column of
Dᵀ: no constraint is differentiated. The outward pass gives the wrench's power, D q' + γ = f·(v₂ - v₁) + m·(ω₂ - ω₁),
and with accelerations at q'' = 0 the rest γ̃ of its derivative. Identity: D is the gradient of D q' + γ by q'.

Rows in coordinates alone are formulas of the model: for them, D and γ̃ are found by differentiation.

A loop relative to its carrier: both paths out to the cut, with velocities and the accelerations at q'' = 0.

The carrier is the last link common to both paths. A constraint does not depend on links before it, so the outward pass
starts there, at rest, and the inward pass of a reaction ends there: action and reaction cancel in the carrier. All
vectors of an :class:`End` are in the carrier's axes, about its origin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mbconcord.model import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod, System
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, directional, gradient, rate, sqrt, symbol
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.mixed import drive_row
from mbconcord.model.transformation import AXES
from mbconcord.records import dataclass, field, replace

from .. import outward
from ..equations import Equations
from ..outward import Wrench
from ..tree import Link, Place
from ..vectors import (
    Matrix,
    Number,
    Vector,
    add_along_axis,
    apply,
    cross,
    dot,
    minus,
    plus,
    product,
    times,
    transpose,
    triple,
)
from .cut_joint import CutJoint, cut_joint, frame_names, parallel


@dataclass(frozen=True, slots=True)
class End:
    """A frame at the end of one of the two paths of a loop.

    ``axes`` columns are the frame's, ``r`` its origin (m); ``v``, ``a`` velocity and acceleration of the origin at
    q'' = 0 (m/s, m/s²); ``w``, ``dw`` angular velocity and acceleration (rad/s, rad/s²).
    """

    axes: Matrix
    r: Vector
    v: Vector
    a: Vector
    w: Vector
    dw: Vector

    def velocity_at(self, p: Vector) -> Vector:
        """Return the velocity v + ω × (p - r) of the frame's point at p."""
        return plus(self.v, cross(self.w, minus(p, self.r)))

    def compute_relative_motion(self, other: End) -> tuple[Vector, Vector]:
        """Compute velocity and acceleration of the origin of ``other`` relative to this frame.

        With d between the origins: v' - v - ω × d, and a' - a - ω̇ × d - ω × (ω × d) - 2 ω × (v' - v - ω × d).
        """
        d = minus(other.r, self.r)
        apart = minus(other.v, self.velocity_at(other.r))
        swung = plus(cross(self.dw, d), cross(self.w, plus(cross(self.w, d), times(apart, 2))))
        return apart, minus(minus(other.a, self.a), swung)


class Way:
    """The links from the carrier out to a body at one side of the cut."""

    def __init__(self, eq: Equations, chain: Sequence[int]) -> None:
        self.eq, self.chain = eq, chain
        still = eq.still
        self.links = [replace(eq.links[link], parent=i - 1) for i, link in enumerate(chain)]
        speeds = outward.angular_velocities(self.links, still)
        known = [eq.zero if x.coordinate is not None else x.acceleration for x in self.links]
        moving = outward.motions(self.links, speeds, known, outward.resting(still, still))
        self.motion = moving[-1] if moving else outward.resting(still, still)
        self.axes, self.origin = outward.base(eq.scalars)
        self.velocity, spin = still, still
        for link, w in zip(self.links, speeds, strict=True):
            self.axes, self.origin = outward.onward(link, (self.axes, self.origin))
            self.velocity = link.outward(plus(self.velocity, cross(spin, link.offset)))
            if not link.revolute:
                self.velocity = add_along_axis(self.velocity, link.axis, link.rate)
            spin = w

    def end(self, place: Place) -> End:
        """Compute the motion of a frame that is fixed to the last link."""
        r = triple(self.eq.scalars.to_scalars(place.shift))
        motion, axes = self.motion, self.axes
        if place.turn is not None:
            axes = product(axes, _matrix(self.eq.scalars.to_scalars([x for row in place.turn for x in row])))
        if not self.links:
            return End(axes, r, *(self.eq.still,) * 4)
        v, a = plus(self.velocity, cross(motion.w, r)), plus(motion.a, apply(motion.u, r))
        vectors = (v, a, motion.w, motion.dw)
        return End(axes, plus(self.origin, apply(self.axes, r)), *(apply(self.axes, x) for x in vectors))

    def wrench(self, at: Vector, force: Vector | None, moment: Vector | None) -> outward.Wrench:
        """Return the wrench of a force at a point and a moment, about the last link's origin and in its axes."""
        to_link, still = transpose(self.axes), self.eq.still
        turning = moment or still
        if force is not None:
            turning = plus(turning, cross(minus(at, self.origin), force))
        return apply(to_link, force) if force is not None else still, apply(to_link, turning)

    def transmit_wrench(self, own: outward.Wrench) -> Iterator[tuple[int, outward.Wrench]]:
        """Yield (link, wrench its joint transmits) along the path, due to the wrench ``own`` on the last link."""
        if not self.links:
            return
        wrenches = outward.transmit_wrenches(self.links, [None] * (len(self.links) - 1) + [own])
        for link, wrench in zip(self.chain, wrenches, strict=True):
            assert wrench is not None
            yield link, wrench


def ways(eq: Equations, first: Place, second: Place) -> tuple[Way, Way, int]:
    """Return both paths of the loop closed by two frames, and its carrier; -1 is the fixed frame."""
    one, other = (_path(eq.links, place.link) for place in (first, second))
    common = 0
    while common < min(len(one), len(other)) and one[common] == other[common]:
        common += 1
    return Way(eq, one[common:]), Way(eq, other[common:]), one[common - 1] if common else -1


def _path(links: Sequence[Link], link: int) -> list[int]:
    """List the links from the fixed frame out to one, inclusive."""
    found: list[int] = []
    while link >= 0:
        found.append(link)
        link = links[link].parent
    return found[::-1]


def _matrix(x: Sequence[Number]) -> Matrix:
    return triple(x[:3]), triple(x[3:6]), triple(x[6:])


@dataclass(frozen=True, slots=True)
class Row:
    """A constraint row.

    Attributes
    ----------
    constraint, part : name of the model's constraint, and name of the row in it (empty if it is the only one)
    D : entries by coordinate; absent ones are zero
    speed, rest : D q' + γ, and γ̃
    gap : f(q, t), zero where the constraint holds; None for a constraint on rates alone
    facing : negative if the frames of a cut joint have the opposite orientation; None: the row has no orientation
    borne : wrench of a unit multiplier in each joint of the loop, by link, in the link's axes about its origin
    reaction : force, moment of a unit multiplier on the second body, in its axes about the cut; None: no second body
    drive : coordinate whose acceleration a drive imposes
    made : for a formula of the model, sum of absolute terms of each entry of D; None for other rows
    """

    constraint: str
    part: str
    D: dict[int, Number]
    speed: Number
    rest: Number
    gap: Number | None = None
    facing: Number | None = None
    borne: dict[int, Wrench] = field(default_factory=dict)
    reaction: Wrench | None = None
    drive: str = ""
    made: dict[int, Number] | None = None

    @property
    def place(self) -> str:
        """Place of the constraint or drive in the model."""
        return f"coordinates/{self.drive}/drive" if self.drive else f"constraints/{self.constraint}"

    @property
    def name(self) -> str:
        """Name of the row: ``loop (force x)``, or that of the constraint alone."""
        return f"{self.constraint} ({self.part})" if self.part else self.constraint


def rows_of(eq: Equations, system: System) -> tuple[Row, ...]:
    """Derive the constraint rows; ``eq`` are the equations of the open tree with the frames of cut joints."""
    return tuple(_rows(eq, system))


def _rows(eq: Equations, system: System) -> Iterator[Row]:
    for constraint in system.constraints:
        if isinstance(constraint, Rod):
            yield _rod(eq, constraint)
        elif isinstance(constraint, PointCoincidence):
            yield from _points(eq, constraint)
        elif isinstance(constraint, FrameCoincidence):
            yield from _cut_joint(eq, constraint)
        elif isinstance(constraint, Holonomic):
            yield _formula(eq, system, constraint.name, constraint.expression)
        elif isinstance(constraint, Nonholonomic):
            terms = (z * rate(name) for name, z in constraint.coefficients.items())
            yield _formula(eq, system, constraint.name, None, sum(terms, constraint.rest))
    for i, c in enumerate(system.coordinate_names):
        if i in eq.imposed_accelerations:
            yield Row(drive_row(c), "", {i: eq.zero + 1}, eq.zero, -eq.imposed_accelerations[i], drive=c)


@dataclass(frozen=True)
class Cut:
    """A loop that is cut between the frames ``one`` and ``other`` at the ends of its two paths.

    ``body`` is the frame of the body at the second side, ``at`` the point about which reactions are given; ``carrier``
    the link in whose axes all vectors are, -1 for the fixed frame.
    """

    eq: Equations
    first: Way
    second: Way
    one: End
    other: End
    body: End
    at: Vector
    carrier: int

    def row(
        self, constraint: str, part: str, force: Vector | None, moment: Vector | None, speed: Number, rest: Number,
        points: tuple[Vector, Vector] | None = None, gap: Number = None, facing: Number = None,
    ) -> Row:  # fmt: skip
        """Build the row of a wrench on the second side and its opposite on the first, at ``points`` (both ``at``)."""
        here, there = points or (self.at, self.at)
        back = tuple(times(x, -1) if x is not None else None for x in (force, moment))
        borne = dict(self.first.transmit_wrench(self.first.wrench(here, *back)))
        borne |= self.second.transmit_wrench(self.second.wrench(there, force, moment))
        D = {}
        for i, (f, n) in borne.items():
            link = self.eq.links[i]
            if link.coordinate is not None:
                D[link.coordinate] = (n if link.revolute else f)[link.axis]
        to_body, turning = transpose(self.body.axes), moment or self.eq.still
        if force is not None:
            turning = plus(turning, cross(minus(there, self.at), force))
        own = apply(to_body, force or self.eq.still), apply(to_body, turning)
        return Row(constraint, part, D, speed, rest, gap, facing, borne, own)


def _cut(eq: Equations, places: tuple[Place, Place], body: str | None, at: Place) -> Cut:
    first, second, carrier = ways(eq, *places)
    own = eq.tree.places[body]
    ends = first.end(places[0]), second.end(places[1]), second.end(own)
    return Cut(eq, first, second, *ends, second.end(at).r, carrier)


def _cut_at_points(eq: Equations, constraint: Rod | PointCoincidence) -> Cut:
    places = []
    for end in (constraint.first, constraint.second):
        place = eq.tree.places[end.body]
        places.append(Place(place.link, place.turn, place.point(end.position)))
    return _cut(eq, (places[0], places[1]), constraint.second.body, places[1])


def _rod(eq: Equations, rod: Rod) -> Row:
    """Derive the row e·(r₂ - r₁) = l, e along the rod; λ > 0 pushes the ends apart, γ̃ has (|Δv|² - (e·Δv)²)/l."""
    cut = _cut_at_points(eq, rod)
    one, other = cut.one, cut.other
    apart = minus(other.r, one.r)
    squared = dot(apart, apart)
    if squared is ZERO:
        raise FormalismError(
            error(f"constraints/{rod.name}", "its two points always coincide: a rod has no line there")
        )
    length = squared**0.5
    e, moving = times(apart, 1 / length), minus(other.v, one.v)
    speed = dot(e, moving)
    rest = dot(e, minus(other.a, one.a)) + (dot(moving, moving) - speed * speed) / length
    gap = length - eq.scalars.to_scalars([rod.length])[0]
    return cut.row(rod.name, "", e, None, speed, rest, (one.r, other.r), gap)


def _units(eq: Equations) -> tuple[Vector, Vector, Vector]:
    o = eq.zero
    return (o + 1, o, o), (o, o + 1, o), (o, o, o + 1)


def _points(eq: Equations, points: PointCoincidence) -> Iterator[Row]:
    """Yield the rows r₁ - r₂ = 0 along the carrier's axes (the world's for the fixed frame); λ acts on the first."""
    cut = _cut_at_points(eq, points)
    whose = "" if cut.carrier < 0 else "carrier "
    yield from _together(cut, points.name, whose, -1)


def _together(cut: Cut, name: str, part: str, sign: int = 1) -> Iterator[Row]:
    """Yield the rows r₂ - r₁ = 0, times a sign, along the axes of the carrier."""
    one, other = cut.one, cut.other
    gap, moving, rest = (times(minus(b, a), sign) for a, b in ((one.r, other.r), (one.v, other.v), (one.a, other.a)))
    for i, e in enumerate(_units(cut.eq)):
        on_second = times(e, sign)
        yield cut.row(name, f"{part}{'xyz'[i]}", on_second, None, moving[i], rest[i], (one.r, other.r), gap[i])


def _cut_joint(eq: Equations, constraint: FrameCoincidence) -> Iterator[Row]:
    joint = cut_joint(constraint)
    a, b, at = (eq.tree.places[name] for name in frame_names(constraint))
    cut = _cut(eq, (a, b), constraint.second.body, at)
    if joint.slides:
        yield from _sliding(cut, constraint.name, joint)
    else:
        yield from _together(cut, constraint.name, "force ", -1)
    yield from _turning(cut, constraint.name, joint)


def _sliding(cut: Cut, name: str, joint: CutJoint) -> Iterator[Row]:
    """Yield rows s·(r₂ - r₁) = 0 for directions s at right angles to the slides, fixed to the side that guides them.

    The motion of the other side's origin is taken relative to that side; the force acts at this origin.
    """
    on, seen = (cut.one, cut.other) if joint.slides_first else (cut.other, cut.one)
    sign = 1 if joint.slides_first else -1
    seen_from_it = (*on.compute_relative_motion(seen), minus(seen.r, on.r))
    for i, direction in enumerate(across(joint.slides), 1):
        s = _direction(cut.eq, on, direction)
        speed, rest, gap = (dot(s, x) * sign for x in seen_from_it)
        yield cut.row(name, f"force {i}", s, None, speed, rest, (seen.r, seen.r), gap)


def _turning(cut: Cut, name: str, joint: CutJoint) -> Iterator[Row]:
    """Yield rows k·(ω₂ - ω₁) = 0 for every direction k about which the joint does not rotate.

    Without rotation, k are the carrier's three axes. With one, about n, k are perpendicular to n, fixed to the second
    side. With two, k = n₂ × n₁, where n₁ is fixed to the first side and n₂ to the second. With three there are no rows.
    """
    one, other = cut.one, cut.other
    turning, changing = minus(other.w, one.w), minus(other.dw, one.dw)
    if not joint.turns:
        twist, alike = _measure_misalignment(one, other)
        for i, k in enumerate(_units(cut.eq)):
            yield cut.row(name, f"moment {'xyz'[i]}", None, k, turning[i], changing[i], None, twist[i], alike[i])
    elif len(joint.turns) == 1:
        (n,) = joint.turns
        ahead, behind = _direction(cut.eq, one, n), _direction(cut.eq, other, n)
        tilt, carried = cross(ahead, behind), cross(other.w, turning)
        for i, side in enumerate(across(joint.turns), 1):
            k = _direction(cut.eq, other, side)
            rest = dot(k, minus(changing, carried))
            yield cut.row(name, f"moment {i}", None, k, dot(k, turning), rest, None, dot(k, tilt), dot(ahead, behind))
    elif len(joint.turns) == 2:
        n, m = (_direction(cut.eq, end, x) for end, x in zip((one, other), joint.turns, strict=True))
        k = cross(m, n)
        swept = plus(cross(cross(other.w, m), n), cross(m, cross(one.w, n)))
        between = cut.eq.scalars.to_scalars([dot(*joint.turns)])[0]
        rest = dot(k, changing) + dot(swept, turning)
        yield cut.row(name, "moment", None, k, dot(k, turning), rest, None, dot(n, m) - between)


def _measure_misalignment(one: End, other: End) -> tuple[Vector, Vector]:
    """Return axis × sine of the rotation from the first axes to the second, and cosines between like axes of both."""
    pairs = list(zip(transpose(one.axes), transpose(other.axes), strict=True))
    x, y, z = (cross(a, b) for a, b in pairs)
    alike = triple([dot(a, b) for a, b in pairs])
    return triple([t / 2 for t in plus(plus(x, y), z)]), alike


def across(directions: tuple[Vector, ...]) -> tuple[Vector, ...]:
    """Return unit vectors at right angles to up to three independent directions and to each other."""
    if len(directions) > 2:
        return ()
    if len(directions) == 2:
        return (_unit(cross(*directions)),)
    (n,) = directions
    side = _unit(cross(n, next(e for e in AXES.values() if not parallel(n, e))))
    return side, cross(n, side)


def _unit(v: Vector) -> Vector:
    return times(v, ONE / sqrt(dot(v, v)))


def _direction(eq: Equations, end: End, v: Vector) -> Vector:
    """Express a direction of an end's frame in the carrier's axes."""
    return apply(end.axes, triple(eq.scalars.to_scalars(v)))


def _formula(eq: Equations, system: System, name: str, f: Expression | None, speed: Expression | None = None) -> Row:
    """Derive the row of the model's own formula f(q, t) = 0 or speed(q, q', t) = 0 by differentiation."""
    names = system.coordinate_names
    along = {TIME: ONE, **{symbol(q): rate(q) for q in names}}
    if speed is None:
        assert f is not None
        (speed,) = directional([f], along)
    slopes = gradient(speed, [rate(q) for q in names])
    (rest,) = directional([speed], along)
    D = {i: x for i, x in enumerate(slopes) if x is not ZERO}
    wanted = [speed, rest, f if f is not None else ZERO, *D.values(), *map(made_of, D.values())]
    numbers = eq.scalars.to_scalars(wanted)
    own, made = numbers[3 : 3 + len(D)], numbers[3 + len(D) :]
    gap = numbers[2] if f is not None else None
    entries, sizes = (dict(zip(D, x, strict=True)) for x in (own, made))
    return Row(name, "", entries, numbers[0], numbers[1], gap, made=sizes)
