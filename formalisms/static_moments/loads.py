"""What is applied to the links besides weight: forces at points and moments, in fixed axes.

Drives and joint efforts are not among them: they act inside the joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mbconcord.model import System
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import sqrt, time_derivative
from mbconcord.model.force import Bipolar, Point, PointForce, Wrench

from .links import Seat
from .vectors import NONE, Columns, Triple, combined, dot, minus, plus, times


@dataclass(frozen=True)
class Load:
    """A force (N) at a point (m, from the origin of the fixed frame) of a link, and a moment (N m), in fixed axes."""

    link: int
    at: Triple
    force: Triple
    moment: Triple = NONE


@dataclass(frozen=True)
class Places:
    """Where the frames of the bodies are: their seats on the links, with the links' axes and poles in fixed axes."""

    seats: Mapping[str | None, Seat]
    axes: Mapping[int, Columns]
    poles: Mapping[int, Triple]

    def frame(self, body: str | None) -> Columns:
        """The axes of a body's frame."""
        seat = self.seats[body]
        first, second, third = (combined(self.axes[seat.link], column) for column in seat.axes)
        return first, second, third

    def origin(self, body: str | None) -> Triple:
        """The origin of a body's frame."""
        seat = self.seats[body]
        return plus(self.poles[seat.link], combined(self.axes[seat.link], seat.origin))

    def point(self, point: Point) -> Triple:
        """A point of a body."""
        return plus(self.origin(point.body), combined(self.frame(point.body), point.position))


def loads(system: System, places: Places) -> Iterator[Load]:
    """Every force at a point, wrench and bipolar element; what acts on the fixed frame is left out."""
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield from _bipolar(system, force, places)
        elif isinstance(force, (PointForce, Wrench)):
            link = places.seats[force.point.body].link
            turning = (
                combined(places.frame(force.point.body), force.moment) if isinstance(force, Wrench) else NONE
            )
            if link:
                yield Load(link, places.point(force.point), force.force, turning)


def _bipolar(system: System, force: Bipolar, places: Places) -> Iterator[Load]:
    """The two forces along the line of the points; a positive one pushes them apart."""
    first, second = places.point(force.first), places.point(force.second)
    apart = minus(second, first)
    length = sqrt(dot(apart, apart))
    if not length:
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    (growth,) = time_derivative([length], system.coordinate_names)
    push = times(force.force(length, growth) / length, apart)
    for end, at, own in ((force.first, first, minus(NONE, push)), (force.second, second, push)):
        if places.seats[end.body].link:
            yield Load(places.seats[end.body].link, at, own)
