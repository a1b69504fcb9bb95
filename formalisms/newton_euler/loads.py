"""Applied forces: efforts along the coordinates, and wrenches on the links in their own axes.

Point forces given in world axes, and bipolar forces between two links, need the poses of the links on which they act:
the world axes are rotated outward like any other vector. Forces in axes of their body need no pose.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model import Bipolar, Bushing, Effort, JointEffort, PointForce, System, Torsion, Wrench
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ZERO, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.model.turns import follow_turns
from mbconcord.records import dataclass

from . import outward
from .tree import Link, Tree, beyond
from .vectors import (
    Matrix,
    Number,
    Scalars,
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

#: Components of the second frame's x axis in the axes of a torsion's first frame.
ALONG, ACROSS = symbol("@x"), symbol("@y")


@dataclass(frozen=True, slots=True)
class Pose:
    """Pose of a link: world axes as rows in link axes, origin in world axes (m), its velocity in link axes (m/s)."""

    axes: Matrix
    origin: Vector
    velocity: Vector


@dataclass(frozen=True, slots=True)
class Loads:
    """Applied loads: ``efforts`` by coordinate (N, N m), ``wrenches`` by link.

    A wrench is about the link's origin in its axes, None if no load acts on the link.

    ``poses`` are by link, of those on which forces act and of links that carry them; -1 is the fixed frame.
    """

    efforts: list[Number]
    wrenches: list[outward.Wrench | None]
    poses: dict[int, Pose]


def loads(system: System, tree: Tree, links: Sequence[Link], velocities: Sequence[Vector], scalars: Scalars) -> Loads:
    """Collect all applied forces of the system, without weight."""
    poses = _poses(system, tree, links, velocities, scalars)
    result = Loads(efforts(system, scalars), [None] * len(links), poses)
    for force in system.forces:
        if isinstance(force, Bipolar):
            _bipolar(result, force, tree, velocities, scalars)
        elif isinstance(force, Bushing):
            _bushing(result, force, tree, velocities, scalars)
        elif isinstance(force, Torsion):
            _torsion(result, follow_turns(system, force), tree, velocities, scalars)
        elif isinstance(force, (PointForce, Wrench)):
            _wrench(result, force, tree, scalars)
    return result


def efforts(system: System, scalars: Scalars) -> list[Number]:
    """Sum the efforts of drives and joints along each coordinate."""
    found = [scalars.zero] * len(system.coordinates)
    index = {name: i for i, name in enumerate(system.coordinate_names)}
    acting = [(c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)]
    acting += [(f.coordinate, f.expression()) for f in system.forces if isinstance(f, JointEffort)]
    for (name, _), value in zip(acting, scalars.to_scalars([e for _, e in acting]), strict=True):
        found[index[name]] = found[index[name]] + value
    return found


def _find_loaded_links(system: System, tree: Tree, links: Sequence[Link]) -> set[int]:
    """Return the links whose poses are needed by forces on them, and the links that carry these."""
    found: set[int] = set()
    for force in system.forces:
        bodies: tuple[str | None, ...] = ()
        if isinstance(force, (Bipolar, Bushing, Torsion)):
            bodies = (force.first.body, force.second.body)
        elif isinstance(force, (PointForce, Wrench)) and not force.follows:
            bodies = (force.point.body,)
        for body in bodies:
            link = tree.places[body].link
            while link >= 0 and link not in found:
                found.add(link)
                link = links[link].parent
    return found


def _poses(
    system: System, tree: Tree, links: Sequence[Link], velocities: Sequence[Vector], scalars: Scalars
) -> dict[int, Pose]:
    touched = _find_loaded_links(system, tree, links)
    if not touched:
        return {}
    o = scalars.zero
    still = (o, o, o)
    result = {-1: Pose(*outward.base(scalars), still)}
    for i in sorted(touched):
        link = links[i]
        before = result[link.parent]
        w = velocities[link.parent] if link.parent >= 0 else still
        velocity = link.outward(plus(before.velocity, cross(w, link.offset)))
        if not link.revolute:
            velocity = add_along_axis(velocity, link.axis, link.rate)
        result[i] = Pose(*outward.onward(link, (before.axes, before.origin)), velocity)
    return result


def _in_link(tree: Tree, body: str | None, v: Vector, point: bool, scalars: Scalars) -> Vector:
    """Express a point or direction of a body's frame in its link's axes."""
    place = tree.places[body]
    x, y, z = scalars.to_scalars(place.point(v) if point else place.direction(v))
    return x, y, z


def _act(result: Loads, link: int, r: Vector, force: Vector, moment: Vector | None = None) -> None:
    """Add to the loads of a link a force at its point r, and a moment, all in link axes."""
    if link < 0:
        return
    turning = cross(r, force)
    if moment is not None:
        turning = plus(turning, moment)
    before = result.wrenches[link]
    if before is not None:
        force, turning = plus(before[0], force), plus(before[1], turning)
    result.wrenches[link] = force, turning


def _wrench(result: Loads, force: PointForce | Wrench, tree: Tree, scalars: Scalars) -> None:
    body = force.point.body
    link = tree.places[body].link
    if link < 0:
        return
    r = _in_link(tree, body, force.point.position, True, scalars)
    if force.follows:  # it needs no pose
        f = _in_link(tree, body, force.force, False, scalars)
    else:
        x, y, z = scalars.to_scalars(force.force)
        f = apply(transpose(result.poses[link].axes), (x, y, z))
    moment = _in_link(tree, body, force.moment, False, scalars) if isinstance(force, Wrench) else None
    _act(result, link, r, f, moment)


def _bipolar(result: Loads, force: Bipolar, tree: Tree, velocities: Sequence[Vector], scalars: Scalars) -> None:
    """Apply a force along the line between two points, positive when it pushes them apart."""
    if not result.poses:
        return
    ends = []
    for end in (force.first, force.second):
        link = tree.places[end.body].link
        pose = result.poses[link]
        r = _in_link(tree, end.body, end.position, True, scalars)
        velocity = plus(pose.velocity, cross(velocities[link], r)) if link >= 0 else pose.velocity
        position = plus(pose.origin, apply(pose.axes, r))
        ends.append((link, r, position, apply(pose.axes, velocity)))
    (first, r1, x1, v1), (second, r2, x2, v2) = ends
    line = minus(x2, x1)
    squared = dot(line, line)
    if squared is ZERO:
        place = f"forces/{force.name}"
        raise FormalismError(error(place, "its two points always coincide: there is no line along which to act"))
    length = squared**0.5
    direction = times(line, 1 / length)
    rate = dot(direction, minus(v2, v1))
    quotient = force.force_per_length(LENGTH, LENGTH_RATE)
    law = force.force(LENGTH, LENGTH_RATE) if quotient is None else quotient
    value = scalars.to_scalars([law], {LENGTH.data: length, LENGTH_RATE.data: rate})[0]
    push = times(direction if quotient is None else line, value)
    for link, r, sign in ((first, r1, -1), (second, r2, 1)):
        if link >= 0:
            f = apply(transpose(result.poses[link].axes), push)
            _act(result, link, r, times(f, sign))


@dataclass(frozen=True, slots=True)
class _End:
    """A frame of a bushing: its link, and its orientation, origin, velocity and angular velocity in world axes; r is
    the frame's origin in link axes."""

    link: int
    r: Vector
    axes: Matrix
    origin: Vector
    velocity: Vector
    spin: Vector


def _end(
    result: Loads, body: str | None, steps: Sequence[ElementaryTransformation], tree: Tree,
    velocities: Sequence[Vector], scalars: Scalars,
) -> _End:  # fmt: skip
    place = beyond(tree.places[body], steps)
    link, pose = place.link, result.poses[place.link]
    r = triple(scalars.to_scalars(place.shift))
    axes = pose.axes
    if place.turn is not None:
        numbers = scalars.to_scalars([x for row in place.turn for x in row])
        axes = product(axes, (triple(numbers[:3]), triple(numbers[3:6]), triple(numbers[6:])))
    origin = plus(pose.origin, apply(pose.axes, r))
    if link < 0:
        still = times(r, scalars.zero)
        return _End(link, r, axes, origin, still, still)
    w = velocities[link]
    velocity = plus(pose.velocity, cross(w, r))
    return _End(link, r, axes, origin, apply(pose.axes, velocity), apply(pose.axes, w))


def _bushing(result: Loads, force: Bushing, tree: Tree, velocities: Sequence[Vector], scalars: Scalars) -> None:
    """Apply f and m, from the frames' relative motion, to the second frame, -f and -m - d × f to the first."""
    if not result.poses:
        return
    first, second = (
        _end(result, end.body, end.transformations, tree, velocities, scalars) for end in (force.first, force.second)
    )
    d = minus(second.origin, first.origin)
    to_first = transpose(first.axes)
    moving = minus(minus(second.velocity, first.velocity), cross(first.spin, d))
    rates = [*apply(to_first, moving), *apply(to_first, minus(second.spin, first.spin))]
    turning = [
        sum((e[i] for e in map(cross, transpose(first.axes), transpose(second.axes))), scalars.zero) for i in range(3)
    ]
    turns = apply(to_first, triple([x / 2 for x in turning]))
    w = _linear(force, [*apply(to_first, d), *turns], rates, scalars)
    f, m = apply(first.axes, triple(w[:3])), apply(first.axes, triple(w[3:]))
    for end, push, moment in ((second, f, m), (first, times(f, -1), times(plus(m, cross(d, f)), -1))):
        if end.link >= 0:
            to_link = transpose(result.poses[end.link].axes)
            _act(result, end.link, end.r, apply(to_link, push), apply(to_link, moment))


def _torsion(result: Loads, force: Torsion, tree: Tree, velocities: Sequence[Vector], scalars: Scalars) -> None:
    """Apply M n to the second link, the opposite to the first, n the z axis of the first frame."""
    if not result.poses:
        return
    first, second = (
        _end(result, end.body, end.transformations, tree, velocities, scalars) for end in (force.first, force.second)
    )
    x, y, n = transpose(first.axes)
    e = transpose(second.axes)[0]
    law = force.moment(ACROSS, ALONG, LENGTH_RATE)
    seen = {ACROSS.data: dot(y, e), ALONG.data: dot(x, e), LENGTH_RATE.data: dot(n, minus(second.spin, first.spin))}
    twist = times(n, scalars.to_scalars([law], seen)[0])
    for end, moment in ((second, twist), (first, times(twist, -1))):
        if end.link >= 0:
            own = apply(transpose(result.poses[end.link].axes), moment)
            _act(result, end.link, end.r, times(own, scalars.zero), own)


def _linear(force: Bushing, u: Sequence[Number], rates: Sequence[Number], scalars: Scalars) -> list[Number]:
    """Compute preload - K u - D u', without the zeros of K and D."""
    total = list(scalars.to_scalars(force.preload))
    for matrix, values in ((force.stiffness, u), (force.damping, rates)):
        places = [(i, j) for i in range(6) for j in range(6) if matrix[i][j]]
        for (i, j), k in zip(places, scalars.to_scalars([matrix[i][j] for i, j in places]), strict=True):
            total[i] = total[i] - k * values[j]
    return total
