"""Products (11) along the tree: frames of the bodies, and relative frames of two bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbconcord.model import Body, Point, System
from mbconcord.model.expressions import ONE, TIME, directional, jacobian, rate, symbol
from mbconcord.model.kinematics import PointMotion
from mbconcord.model.transformation import Vector, vector

from .elastic import at_node, carrier, place, section
from .elastic import position as displaced
from .kinematics import Frame, apply, cross, plus, rotation_matrix, times


def frames(bodies: Sequence[Body]) -> dict[str | None, Frame]:
    """Compute the frame of every body by name, and the fixed frame under None: eq. (11) along each path.

    The velocities equal those from differentiating the whole matrices, Aᵀ dr/dt and Aᵀ dA/dt.
    """
    found: dict[str | None, Frame] = {None: Frame()}
    for body in bodies:
        frame = found[body.parent]
        if body.parent_node is None:
            found[body.name] = frame.follow(body.joint)
        else:
            section = at_node(replace(frame, shifts=()), *carrier(bodies, body))
            after = section.follow(body.joint)
            found[body.name] = replace(after, shifts=(*section.shifts, *after.shifts))
    return found


def point_motions(system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
    """Derive the motion of points; J is ∂r/∂q above ∂(A w)/∂q', accelerations at q'' = 0 are time derivatives."""
    of_body, names = frames(system.bodies), system.coordinate_names
    q, v = [symbol(name) for name in names], [rate(name) for name in names]
    flow = {TIME: ONE, **dict(zip(q, v, strict=True))}
    found = []
    for point in points:
        frame = of_body[point.body]
        r, w = frame.point(point.position), apply(frame.A, frame.w)
        speed = apply(frame.A, plus(frame.u, cross(frame.w, point.position)))
        J = (*map(tuple, jacobian(r, q)), *map(tuple, jacobian(w, v)))
        a0, e0 = vector(directional(directional(r, flow), flow)), vector(directional(w, flow))
        found.append(PointMotion(frame.A, r, speed, w, J, a0, e0))
    return tuple(found)


def seen_from(bodies: Sequence[Body], chain: Sequence[Body], position: Vector) -> Vector:
    """Express a point of the last body of ``chain`` in the frame that carries the first body, by (11)."""
    for body in reversed(chain):
        for step in reversed(body.joint):
            if step.is_translation:
                position = plus(position, times(step.amount, step.axis))
            else:
                position = apply(rotation_matrix(step.axis, step.amount), position)
        if body.parent_node is not None:
            node = carrier(bodies, body)
            position = plus(displaced(*node), apply(section(*node)[0], position))
    return position


def separation(system: System, first: Point, second: Point) -> Vector:
    """Return the vector from the first point to the second, in the axes of the last frame that carries both (m)."""
    left, right = system.path(first.body), system.path(second.body)
    common = 0
    while common < min(len(left), len(right)) and left[common] is right[common]:
        common += 1
    start, end = (
        seen_from(system.bodies, chain[common:], place(system, point))
        for chain, point in ((left, first), (right, second))
    )
    return end[0] - start[0], end[1] - start[1], end[2] - start[2]
