"""Loads on the bodies at their points, and efforts along coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ONE, Expression, sqrt
from mbconcord.model.force import Bipolar, Bushing, JointEffort, Point, PointForce, Torsion, Wrench
from mbconcord.model.system import System
from mbconcord.model.turns import follow_turns

from .kinematics import NONE, Kinematics, Triple, cross, dot, minus, plus, times, to_body, to_world
from .sections import node_at, section

HALF = ONE / 2
Load = tuple[str | None, Triple, Triple, Triple]
Frames = Mapping[str | None, Kinematics]


def forces(system: System, frames: Frames) -> tuple[list[Load], list[tuple[str, Expression]]]:
    """Return the loads on the bodies, and (coordinate, effort) of efforts, which are generalized forces already.

    A load: a body, an arm from its origin and a force (world axes), and a moment (body axes). Loads at nodes of elastic
    bodies are not included: see :func:`at_nodes`.
    """
    loads: list[Load] = []
    efforts = [(c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)]
    for force in system.forces:
        if isinstance(force, JointEffort):
            efforts.append((force.coordinate, force.expression()))
        elif isinstance(force, Bipolar):
            ends = bipolar(force, *(place(system, p, frames) for p in (force.first, force.second)))
            for point, pushed in zip((force.first, force.second), ends, strict=True):
                if node_at(system, point) is None:
                    loads.append((point.body, arm(point, frames), pushed, NONE))
        elif isinstance(force, Bushing):
            loads += bushing(force, frames)
        elif isinstance(force, Torsion):
            loads += torsion(follow_turns(system, force), frames)
        elif node_at(system, force.point) is None:
            moment = force.moment if isinstance(force, Wrench) else NONE
            loads.append((force.point.body, arm(force.point, frames), push(force, frames), moment))
    return loads, efforts


def at_nodes(system: System, frames: Frames) -> Iterator[tuple[str, Kinematics, Load]]:
    """Yield (body, section's frame, load) for each force at a node; the load's moment is in the section's axes."""
    for force in system.forces:
        if isinstance(force, (Bushing, JointEffort, Torsion)):
            continue
        if isinstance(force, Bipolar):
            points = (force.first, force.second)
            pushes = bipolar(force, *(place(system, p, frames) for p in points))
            acting = [(p, pushed, NONE) for p, pushed in zip(points, pushes, strict=True)]
        else:
            acting = [(force.point, push(force, frames), force.moment if isinstance(force, Wrench) else NONE)]
        for point, pushed, moment in acting:
            if node_at(system, point) is not None:
                frame = place(system, point, frames)
                twist = to_body(frame.A, to_world(frames[point.body].A, moment))
                yield point.body or "", frame, (None, NONE, pushed, twist)


def push(force: PointForce | Wrench, frames: Frames) -> Triple:
    """Return the force in world axes."""
    return to_world(frames[force.point.body].A, force.force) if force.follows else force.force


def place(system: System, point: Point, frames: Frames) -> Kinematics:
    """Return the frame at a point: parallel to that of its body, or of the section at a node of an elastic body."""
    node = node_at(system, point)
    if node is None:
        return frames[point.body].shift_to(arm(point, frames))
    return section(frames[point.body], system.body(point.body or ""), node)


def arm(point: Point, frames: Frames) -> Triple:
    """Return the vector from the origin of the point's body to the point, in world axes."""
    return to_world(frames[point.body].A, point.position)


def bipolar(force: Bipolar, first: Kinematics, second: Kinematics) -> tuple[Triple, Triple]:
    """Return the two forces of a bipolar element between frames at its points: a positive one pushes them apart."""
    apart = minus(second.r, first.r)
    length = sqrt(dot(apart, apart))
    if not length:
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    along = times(1 / length, apart)
    growth = dot(along, minus(second.v, first.v))
    stretch = force.force_per_length(length, growth)  # it needs no direction
    pull = times(force.force(length, growth), along) if stretch is None else times(stretch, apart)
    return minus(NONE, pull), pull


def ends(force: Bushing | Torsion, frames: Mapping[str | None, Kinematics]) -> list[Kinematics]:
    """Return the two frames, on the first and on the second body, between which an element acts."""
    found = []
    for end in (force.first, force.second):
        frame = frames[end.body]
        for et in end.transformations:
            frame = frame.apply_transformation(et)
        found.append(frame)
    return found


def torsion(force: Torsion, frames: Mapping[str | None, Kinematics]) -> list[Load]:
    """Return the moments on both bodies about the z axis of the first frame."""
    here, there = ends(force, frames)
    x, y, n = zip(*here.A, strict=True)
    e, _, _ = zip(*there.A, strict=True)
    M = force.moment(dot(y, e), dot(x, e), dot(n, minus(there.omega, here.omega)))
    twist = times(M, n)
    return [
        (end.body, NONE, NONE, to_body(frames[end.body].A, moment))
        for end, moment in ((force.second, twist), (force.first, minus(NONE, twist)))
    ]


def bushing(force: Bushing, frames: Mapping[str | None, Kinematics]) -> list[Load]:
    """Return the loads on both bodies; that on the first body also acts at the origin of the second frame."""
    here, there = ends(force, frames)
    d = minus(there.r, here.r)
    drift = minus(minus(there.v, here.v), cross(here.omega, d))
    columns = tuple(zip(*there.A, strict=True))
    seen = [to_body(here.A, (x, y, z)) for x, y, z in columns]
    s = [(seen[j][k] - seen[k][j]) * HALF for j, k in ((1, 2), (2, 0), (0, 1))]
    rates = (*to_body(here.A, drift), *to_body(here.A, minus(there.omega, here.omega)))
    w = force.wrench((*to_body(here.A, d), *s), rates)
    f, m = to_world(here.A, (w[0], w[1], w[2])), to_world(here.A, (w[3], w[4], w[5]))
    against = plus(m, cross(d, f))
    loads = []
    for end, frame, pushed, moment in (
        (force.second, there, f, m), (force.first, here, minus(NONE, f), minus(NONE, against)),
    ):  # fmt: skip
        body = frames[end.body]
        loads.append((end.body, minus(frame.r, body.r), pushed, to_body(body.A, moment)))
    return loads
