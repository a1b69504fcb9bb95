"""Sections of elastic bodies at their nodes: frames that bending and torsion carry.

A node is at ρ = r0 + Φ q in the body's axes, its section rotated by Exp(θ), θ = Ψ q. The possible displacements of the
section gain a column for each mode, Φ_k of the node and J(θ) Ψ_k of the rotation; accelerations at q'' = 0 gain
2 ω × Φ q' (origin) and ω × J θ' + d/dt(J) θ' (rotation).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import factorial

from mbconcord.model import Body, ElasticNode, Point, System
from mbconcord.model.elastic import Matrix
from mbconcord.model.expressions import ONE, ZERO, Expression, as_expression, rate, symbol

from .kinematics import NONE, Kinematics, Triple, cross, dot, plus, rotate_axes, times, to_world
from .weights import weights

#: Terms of the series of a turn by the square of its angle: exact in floats up to 5 rad.
TERMS = 17


def section(frame: Kinematics, body: Body, node: ElasticNode) -> Kinematics:
    """Compute the frame of a node's section from the frame of its body."""
    assert body.modes is not None
    names = body.modes.coordinates
    q, v, own = [symbol(name) for name in names], [rate(name) for name in names], weights(body.modes)
    columns = [to_world(frame.A, plus(*_weight_columns(node.translation, slopes))) for slopes in own.slopes]
    moved = frame.shift_to(to_world(frame.A, plus(node.position, *_weight_columns(node.translation, own.q))))
    slide = to_world(frame.A, plus(*_weight_columns(node.translation, own.v)))
    pulled = to_world(frame.A, plus(*_weight_columns(node.translation, own.bias)))
    moved = replace(
        moved,
        v=plus(moved.v, slide),
        w=plus(moved.w, times(as_expression(2), cross(frame.omega, slide)), pulled),
        D={**moved.D, **dict(zip(names, columns, strict=True))},
        B={**moved.B, **dict.fromkeys(names, NONE)},
    )
    return _rotate_section(moved, names, node, q, v)


def _rotate_section(
    frame: Kinematics, names: Sequence[str], node: ElasticNode, q: Sequence[Expression], v: Sequence[Expression]
) -> Kinematics:
    """Return the frame rotated by Exp(θ) about its origin, with the angular motion and columns of B that this adds."""
    theta, dtheta = plus(*_weight_columns(node.rotation, q)), plus(*_weight_columns(node.rotation, v))
    used = [k for k in range(3) if any(node.rotation[k])]
    columns = [_column(node.rotation, k) for k in range(len(names))]
    if len(used) <= 1:
        axis = tuple(ONE if k in used else ZERO for k in range(3))
        A = rotate_axes(frame.A, (axis[0], axis[1], axis[2]), sum(theta, ZERO)) if used else frame.A
        swept, growth = columns, NONE
    else:
        x = dot(theta, theta)
        c, b, a = (_series(x, n) for n in (1, 2, 3))
        A_columns = [_rodrigues(theta, c, b, e) for e in ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))]
        rows = zip(*(to_world(frame.A, column) for column in A_columns), strict=True)
        A = tuple(tuple(row) for row in rows)  # type: ignore[assignment]
        swept = [_rodrigues(theta, b, a, column) for column in columns]
        growth = _growth(theta, dtheta, x, a)
    spin = to_world(frame.A, plus(*(times(rate_, own) for rate_, own in zip(v, swept, strict=True))))
    return replace(
        frame,
        A=A,
        omega=plus(frame.omega, spin),
        epsilon=plus(frame.epsilon, cross(frame.omega, spin), to_world(frame.A, growth)),
        B={**frame.B, **{n: to_world(frame.A, own) for n, own in zip(names, swept, strict=True)}},
    )


def _rodrigues(theta: Triple, first: Expression, second: Expression, a: Triple) -> Triple:
    """Compute a + first θ × a + second θ × (θ × a)."""
    once = cross(theta, a)
    return plus(a, times(first, once), times(second, cross(theta, once)))


def _growth(theta: Triple, dtheta: Triple, x: Expression, a: Expression) -> Triple:
    """Compute d/dt(J) θ' with J = E + b θ̂ + a θ̂², b and a series in x = θ·θ, x' = 2 θ·θ'."""
    once, dx = cross(theta, dtheta), 2 * dot(theta, dtheta)
    db, da = (dx * _slope(x, n) for n in (2, 3))
    return plus(times(db, once), times(da, cross(theta, once)), times(a, cross(dtheta, once)))


def _series(x: Expression, n: int) -> Expression:
    """Sum Σ (-x)^k/(2k + n)!: sin θ/θ, (1 - cos θ)/θ², (θ - sin θ)/θ³ for n = 1, 2, 3."""
    return _horner(x, [Fraction((-1) ** k, factorial(2 * k + n)) for k in range(TERMS)])


def _slope(x: Expression, n: int) -> Expression:
    """Return the derivative of :func:`_series` by x."""
    return _horner(x, [Fraction((-1) ** k * k, factorial(2 * k + n)) for k in range(1, TERMS)])


def _horner(x: Expression, coefficients: Sequence[Fraction]) -> Expression:
    value: Expression = ZERO
    for c in reversed(coefficients):
        value = as_expression(c) + x * value
    return value


def _column(rows: Matrix, k: int) -> Triple:
    return rows[0][k], rows[1][k], rows[2][k]


def _weight_columns(rows: Matrix, values: Sequence[Expression]) -> list[Triple]:
    """Return the N columns of a 3×N matrix, each multiplied by its value."""
    return [times(value, _column(rows, k)) for k, value in enumerate(values)]


def kinematics(system: System) -> dict[str | None, Kinematics]:
    """Compute the motion of every body's frame, from the fixed frame (None) outwards."""
    frames: dict[str | None, Kinematics] = {None: Kinematics()}
    for body in system.bodies:
        frame = carrier(system, body, frames)
        for et in body.joint:
            frame = frame.apply_transformation(et)
        frames[body.name] = frame
    return frames


def carrier(system: System, body: Body, frames: Mapping[str | None, Kinematics]) -> Kinematics:
    """Return the frame that carries a body: that of its parent, or of a section at a node of the parent."""
    frame = frames[body.parent]
    if body.parent_node is None:
        return frame
    parent = system.body(body.parent or "")
    assert parent.modes is not None
    return section(frame, parent, next(n for n in parent.modes.nodes if n.name == body.parent_node))


def node_at(system: System, point: Point) -> ElasticNode | None:
    """Return the node of an elastic body at a point; None if the body is rigid, or at the origin, or without node."""
    body = system.body(point.body) if point.body is not None else None
    if body is None or body.modes is None or not any(point.position):
        return None
    return next((n for n in body.modes.nodes if n.position == point.position), None)
