"""A loop relative to its carrier: both paths out to the cut, with velocities and the accelerations at q'' = 0.

The carrier is the last link common to both paths. A constraint does not depend on links before it, so the outward pass
starts there, at rest, and the inward pass of a reaction ends there: action and reaction cancel in the carrier. All
vectors of an :class:`End` are in the carrier's axes, about its origin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mbconcord.records import dataclass, replace

from .. import outward
from ..equations import Equations
from ..links import Link
from ..tree import Place
from ..vectors import (
    Matrix,
    Number,
    Vector,
    add_along_axis,
    apply,
    cross,
    minus,
    plus,
    product,
    times,
    transpose,
    triple,
)


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
