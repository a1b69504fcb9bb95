"""Generalized forces by virtual work: Q_i = F · ∂ρ_a/∂q_i + M · ∂ω/∂q'_i, the right-hand side of eq. (1)."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model import Bipolar, Bushing, JointEffort, Point, PointForce, System, Torsion, Wrench
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import TIME, ZERO, Expression, gradient, pullback, rate, sqrt, symbol, time_derivative
from mbconcord.model.transformation import Vector
from mbconcord.model.turns import follow_turns

from .elastic import node_at, place, resistance, section
from .kinematics import Frame, apply, dot, minus, plus, product, transpose
from .paths import separation

Named = tuple[str, Expression]


def applied_forces(system: System, frames: Mapping[str | None, Frame]) -> tuple[tuple[Expression, ...], list[Named]]:
    """Compute generalized forces except weight (N, N m), and lengths and forces of bipolar elements by name."""
    names = system.coordinate_names
    total = dict.fromkeys(names, ZERO)
    named: list[Named] = []
    for coordinate in system.coordinates:
        if isinstance(coordinate.drive, Effort):
            total[coordinate.name] += coordinate.drive.value
    for body in system.bodies:
        if body.modes:
            for name, share in zip(body.modal, resistance(body.modes), strict=True):
                total[name] += share
    for force in system.forces:
        if isinstance(force, JointEffort):
            total[force.coordinate] += force.expression()
            continue
        if isinstance(force, Bipolar):
            shares, more = bipolar(system, force)
            named += more
        elif isinstance(force, Bushing):
            shares = bushing(system, force, frames)
        elif isinstance(force, Torsion):
            shares = torsion(system, follow_turns(system, force), frames)
        else:
            shares = wrench(system, force, frames[force.point.body])
        for name, share in zip(names, shares, strict=True):
            total[name] += share
    return tuple(total.values()), named


def bipolar(system: System, force: Bipolar) -> tuple[list[Expression], list[Named]]:
    """Compute Q_i = F ∂l/∂q_i, and length, rate and force by name.

    A positive force pushes the ends apart, so its work is F dl.
    """
    names = system.coordinate_names
    d = separation(system, force.first, force.second)
    length = sqrt(dot(d, d))
    *slopes, drift = gradient(length, [*map(symbol, names), TIME])
    speed = sum((slope * rate(name) for slope, name in zip(slopes, names, strict=True)), drift)
    value = force.force(length, speed)
    named = [(f"l_{force.name}", length), (f"l_{force.name}'", speed), (f"F_{force.name}", value)]
    ratio = force.force_per_length(length, speed)
    if ratio is not None:  # F dl = F/l d(l²)/2, which has a value where l = 0
        return [ratio * slope / 2 for slope in gradient(dot(d, d), list(map(symbol, names)))], named
    return [value * slope for slope in slopes], named


def bushing(system: System, force: Bushing, frames: Mapping[str | None, Frame]) -> list[Expression]:
    """Compute Q_i = f · ∂x/∂q_i + m · ∂Ω/∂q'_i, with x = Aᵀ (r₂ - r) and Ω = Aᵀ A₂ w₂ - w in the first frame's axes.

    The work of a bushing is f · dx + m · Ω dt.
    """
    names = system.coordinate_names
    first, second = (frames[end.body].follow(end.transformations) for end in (force.first, force.second))
    back = transpose(first.A)
    turn = product(back, second.A)
    x = apply(back, minus(second.r, first.r))
    s = [(turn[k][j] - turn[j][k]) / 2 for j, k in ((1, 2), (2, 0), (0, 1))]
    spin = minus(apply(turn, second.w), first.w)
    w = force.wrench([*x, *s], [*time_derivative(x, names), *spin])
    work = pullback(x, w[:3], [symbol(name) for name in names])
    turned = pullback(spin, w[3:], [rate(name) for name in names])
    return [a + b for a, b in zip(work, turned, strict=True)]


def torsion(system: System, force: Torsion, frames: Mapping[str | None, Frame]) -> list[Expression]:
    """Compute Q_i = M ∂Ω_z/∂q'_i, with the second frame's angular velocity Ω relative to the first, in its axes."""
    first, second = (frames[end.body].follow(end.transformations) for end in (force.first, force.second))
    turn = product(transpose(first.A), second.A)
    turning = minus(apply(turn, second.w), first.w)
    moment = force.moment(turn[1][0], turn[0][0], turning[2])
    return pullback([turning[2]], [moment], [rate(name) for name in system.coordinate_names])


def wrench(system: System, force: PointForce | Wrench, frame: Frame) -> list[Expression]:
    """Compute Q_i = F · ∂ρ_a/∂q_i with F in world axes (A F, if it is in body axes), plus M · ∂ω/∂q'_i in body axes."""
    names = system.coordinate_names
    where = place(system, force.point)
    acting = apply(frame.A, force.force) if force.follows else force.force
    work = pullback(frame.point(where), acting, [symbol(name) for name in names])
    if isinstance(force, PointForce):
        return work
    turned = pullback(spin(system, force.point, frame), force.moment, [rate(name) for name in names])
    return [a + b for a, b in zip(work, turned, strict=True)]


def spin(system: System, point: Point, frame: Frame) -> Vector:
    """Return the angular velocity at a point in its body's axes; at a node of an elastic body, that of the section."""
    modes = system.body(point.body).modes if point.body is not None else None
    node = node_at(modes, point) if modes and any(point.position) else None
    if modes is None or node is None:
        return frame.w
    E, own = section(modes, node)
    return plus(frame.w, apply(E, own))
