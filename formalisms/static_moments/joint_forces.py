"""Forces in joints from static moments: the load of each joint from the masses, the weights and the forces beyond it.

The first moment of what joint k carries about the fixed origin is m_k r_k + m̄_k, with r_k the pole O_k, so that

    F_k = (m_k r_k + m̄_k)'' - m_k g - Σ F ,

F the loads on the bodies that joint k carries. A body of the link, with axes e_i in the fixed frame and second moments
P_ij = ∫ ρ_i ρ_j dm about its centre c, has about c the inertial moment Σ P_ij e_i × e_j'', without angular velocity:

    N_k = Σ_own [ (c - r_k) × m (c'' - g) + Σ P_ij e_i × e_j'' ] + Σ_j [ N_j + (r_j - r_k) × F_j ] - Σ loads .

At rest F_k = -m_k g and N_k = -m̄_k × g: the statics of section 1 in all directions, not only along the joint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mbconcord.model import Body, System
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import HALF, Expression, sqrt, time_derivative
from mbconcord.model.force import Bipolar, Point, PointForce, Wrench
from mbconcord.model.joint_forces import list_jointed_bodies
from mbconcord.records import dataclass

from .links import Frames, Link, Seat, children, frames, poles, seat_bodies
from .moments import moments
from .vectors import NONE, UNIT, Columns, Triple, cross, dot, from_frame, minus, plus, times, to_frame
from .writeout import static_moments

# Loads on the links other than weight: forces at points and moments, in fixed axes.
#
# Drives and joint efforts are excluded: they act inside the joints.


@dataclass(frozen=True)
class Load:
    """A force (N) at a point (m, from the origin of the fixed frame) of a link, and a moment (N m), in fixed axes."""

    link: int
    at: Triple
    force: Triple
    moment: Triple = NONE


@dataclass(frozen=True)
class Places:
    """Poses of the bodies' frames in fixed axes, from their seats on the links and the links' axes and poles."""

    seats: Mapping[str | None, Seat]
    axes: Mapping[int, Columns]
    poles: Mapping[int, Triple]

    def frame(self, body: str | None) -> Columns:
        """Return the axes of a body's frame."""
        seat = self.seats[body]
        first, second, third = (from_frame(self.axes[seat.link], column) for column in seat.axes)
        return first, second, third

    def origin(self, body: str | None) -> Triple:
        """Return the origin of a body's frame."""
        seat = self.seats[body]
        return plus(self.poles[seat.link], from_frame(self.axes[seat.link], seat.origin))

    def point(self, point: Point) -> Triple:
        """Return the position of a body's point."""
        return plus(self.origin(point.body), from_frame(self.frame(point.body), point.position))


def loads(system: System, places: Places) -> Iterator[Load]:
    """Yield every force at a point, wrench and bipolar element, except those on the fixed frame."""
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield from _bipolar(system, force, places)
        elif isinstance(force, (PointForce, Wrench)):
            link, frame = places.seats[force.point.body].link, places.frame(force.point.body)
            turning = from_frame(frame, force.moment) if isinstance(force, Wrench) else NONE
            if link:
                push = from_frame(frame, force.force) if force.follows else force.force
                yield Load(link, places.point(force.point), push, turning)


def _bipolar(system: System, force: Bipolar, places: Places) -> Iterator[Load]:
    """Yield the two forces of a bipolar element along the line of its points; a positive one pushes them apart."""
    first, second = places.point(force.first), places.point(force.second)
    apart = minus(second, first)
    length = sqrt(dot(apart, apart))
    if not length:
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    (growth,) = time_derivative([length], system.coordinate_names)
    part = force.force_per_length(length, growth)
    push = times(force.force(length, growth) / length if part is None else part, apart)
    for end, at, own in ((force.first, first, minus(NONE, push)), (force.second, second, push)):
        if places.seats[end.body].link:
            yield Load(places.seats[end.body].link, at, own)


@dataclass(frozen=True)
class Mass:
    """A body of a link in fixed axes: mass, centre from the origin of the fixed frame, second moments, and its axes."""

    link: int
    mass: Expression
    centre: Triple
    second: Columns
    axes: Columns


def joint_forces(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Derive the force (N) and moment (N m) in the joint of each moving body, at its origin and in its axes: k×6."""
    whole = system.lump_masses()
    made, seats = seat_bodies(whole)
    placed = frames(made)
    places = Places(seats, placed.axes, poles(made, placed))
    acting = [*loads(whole, places)]
    forces = _forces(whole, made, placed, places, acting)
    about = _moments(whole, made, places, acting, forces)
    found = []
    for name in list_jointed_bodies(system):
        link, axes = seats[name].link, places.frame(name)
        arm = minus(places.origin(name), places.poles[link])
        turning = minus(about[link], cross(arm, forces[link]))
        found.append((*to_frame(axes, forces[link]), *to_frame(axes, turning)))
    return tuple(found)


def _forces(
    system: System, made: Sequence[Link], placed: Frames, places: Places, acting: Sequence[Load]
) -> dict[int, Triple]:
    """Compute F_k of every link, in fixed axes."""
    parts = moments(made)
    moment, firsts = static_moments(parts, placed), []
    for part in parts:
        about_pole = moment[part.link.number]
        firsts.append(plus(times(part.mass, places.poles[part.link.number]), about_pole))
    carried = children(made)
    pushes: dict[int, Triple] = {}
    for link in reversed(made):
        own = [pushes[j.number] for j in carried[link.number]]
        own += [load.force for load in acting if load.link == link.number]
        pushes[link.number] = _sum(own)
    fall = system.gravity_vector
    return {
        part.link.number: minus(minus(growth, times(part.mass, fall)), pushes[part.link.number])
        for part, growth in zip(parts, _twice(system, firsts), strict=True)
    }


def _moments(
    system: System, made: Sequence[Link], places: Places, acting: Sequence[Load], forces: dict[int, Triple]
) -> dict[int, Triple]:
    """Compute N_k of every link about its pole, in fixed axes."""
    masses = [_mass(body, places) for body in system.bodies if not body.inertia.is_zero]
    own: dict[int, list[Triple]] = {link.number: [] for link in made}
    for mass, centre, *axes in _differentiate_bodies(system, [m for m in masses if m.link]):
        needed = times(mass.mass, minus(centre, system.gravity_vector))
        own[mass.link].append(cross(minus(mass.centre, places.poles[mass.link]), needed))
        own[mass.link] += [cross(from_frame(mass.axes, row), axis) for row, axis in zip(mass.second, axes, strict=True)]
    for load in acting:
        arm = minus(load.at, places.poles[load.link])
        own[load.link].append(minus(NONE, plus(cross(arm, load.force), load.moment)))
    carried = children(made)
    found: dict[int, Triple] = {}
    for link in reversed(made):
        total = _sum(own[link.number])
        for j in carried[link.number]:
            arm = minus(places.poles[j.number], places.poles[link.number])
            total = plus(total, plus(found[j.number], cross(arm, forces[j.number])))
        found[link.number] = total
    return found


def _mass(body: Body, places: Places) -> Mass:
    """Compute the mass properties of a body in fixed axes. P = ½ tr(I) E - I."""
    rows, axes = body.inertia.matrix(), places.frame(body.name)
    half = HALF * (rows[0][0] + rows[1][1] + rows[2][2])
    first, second, third = (minus(times(half, e), row) for e, row in zip(UNIT, rows, strict=True))
    centre = plus(places.origin(body.name), from_frame(axes, body.inertia.centre))
    return Mass(places.seats[body.name].link, body.inertia.mass, centre, (first, second, third), axes)


def _differentiate_bodies(system: System, masses: Sequence[Mass]) -> list[tuple[Mass, Triple, Triple, Triple, Triple]]:
    """List the bodies, each with c'' of its centre and e_1'', e_2'', e_3'' of its axes."""
    vectors = iter(_twice(system, [v for mass in masses for v in (mass.centre, *mass.axes)]))
    return [(mass, next(vectors), next(vectors), next(vectors), next(vectors)) for mass in masses]


def _twice(system: System, vectors: Sequence[Triple]) -> list[Triple]:
    """Differentiate vectors twice with respect to time."""
    names = system.coordinate_names
    rates = time_derivative([x for v in vectors for x in v], names)
    found = iter(time_derivative(rates, names))
    return [(next(found), next(found), next(found)) for _ in vectors]


def _sum(vectors: Sequence[Triple]) -> Triple:
    total = NONE
    for v in vectors:
        total = plus(total, v)
    return total
