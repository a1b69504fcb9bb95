"""Poses of bodies on the expression graph: products of the elementary transformations of their joints.

A pose is the matrix [[R, r], [0, 1]] of a frame in world axes. It also has the absolute sums of the terms of r and of
its rate: rounding errors are proportional to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import factorial

from mbconcord.model.elastic import ElasticModes, ElasticNode
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    apply,
    cos,
    directional,
    rate,
    sin,
    sqrt,
    symbol,
    time_derivative,
)
from mbconcord.model.force import Bipolar, Point, Torsion
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Vector
from mbconcord.records import dataclass, replace

#: Rows of a 3×3 matrix.
Matrix = tuple[Vector, Vector, Vector]

#: Terms of the series of a turn.
TERMS = 16

UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
ORIGIN: Vector = (ZERO, ZERO, ZERO)


@dataclass(frozen=True, slots=True)
class WorldPose:
    """A frame in world axes.

    Attributes
    ----------
    R : columns are the frame's axes
    r : its origin (m)
    path : Σ |shift|, by component, along the transformations that lead to it (m)
    sliding, turning : Σ |s'| of their shifts (m/s) and of their angles (rad/s)
    """

    R: Matrix = UNIT
    r: Vector = ORIGIN
    path: Expression = ZERO
    sliding: Expression = ZERO
    turning: Expression = ZERO

    def shift(self, arm: Vector) -> WorldPose:
        """Return [[R, r + R arm], [0, 1]]: the frame with its origin at a point given in its axes."""
        R, r = self.R, self.r
        x, y, z = (r[i] + R[i][0] * arm[0] + R[i][1] * arm[1] + R[i][2] * arm[2] for i in range(3))
        return replace(self, r=(x, y, z), path=self.path + sum(map(magnitude, arm), ZERO))

    def rotate(self, axis: Vector, angle: Expression) -> WorldPose:
        """Return [[R (E + sin K + (1 - cos) K²), r], [0, 1]], K = axis ×."""
        return replace(self, R=times(self.R, turn(axis, angle)))

    def follow(self, steps: Iterable[ElementaryTransformation]) -> WorldPose:
        """Return the frame after transformations, each acting in the frame left by the one before it."""
        pose = self
        for step in steps:
            s, speed = step.amount, magnitude(amount_rate(step))
            if step.is_translation:
                x, y, z = step.axis
                pose = replace(pose.shift((x * s, y * s, z * s)), sliding=pose.sliding + speed)
            else:
                pose = replace(pose.rotate(step.axis, s), turning=pose.turning + speed)
        return pose


def poses(system: System) -> dict[str | None, WorldPose]:
    """Return the pose of every body's frame by name; None is the fixed frame."""
    found: dict[str | None, WorldPose] = {None: WorldPose()}
    for body in system.bodies:
        pose = found[body.parent]
        if body.parent_node is not None:
            modes = system.body(body.parent or "").modes
            nodes = modes.nodes if modes else ()
            pose = section(pose, modes, next(n for n in nodes if n.name == body.parent_node))
        found[body.name] = pose.follow(body.joint)
    return found


def at_point(system: System, of_body: Mapping[str | None, WorldPose], point: Point) -> WorldPose:
    """Return the frame at a point of a body; on an elastic one at its origin or at a node, that of the section."""
    pose = of_body[point.body]
    modes = system.body(point.body).modes if point.body is not None else None
    if modes is None or not any(point.position):
        return pose.shift(point.position)
    return section(pose, modes, next(n for n in modes.nodes if n.position == point.position))


def measured(
    system: System, force: Bipolar | Torsion, of_body: Mapping[str | None, WorldPose] | None = None
) -> tuple[Expression, Expression]:
    """Return @ and @' of a force: the distance of its points or its angle within a turn, and the rate."""
    of_body = of_body or poses(system)
    names = system.coordinate_names
    moving = {TIME: ONE} | {symbol(name): rate(name) for name in names}
    if isinstance(force, Bipolar):
        a, b = (at_point(system, of_body, point).r for point in (force.first, force.second))
        length = sqrt(sum(((y - x) ** 2 for x, y in zip(a, b, strict=True)), ZERO))
        return length, directional([length], moving)[0]
    first, second = (of_body[x.body].follow(x.transformations).R for x in (force.first, force.second))
    turned = times(transpose(first), second)
    along, across = turned[0], turned[1]
    rates = sum((x * y for x, y in zip(directional(across, moving), along, strict=True)), ZERO)
    return apply("atan2", across[0], along[0]), rates


def section(pose: WorldPose, modes: ElasticModes | None, node: ElasticNode) -> WorldPose:
    """Return the frame of a section at a node: shifted by r0 + Φ q, rotated by Exp(Ψ q)."""
    names = modes.coordinates if modes else ()
    q, v = [symbol(n) for n in names], [magnitude(rate(n)) for n in names]
    pairs = modes.products if modes else ()
    w = [*q, *(symbol(a) * symbol(b) for a, b in pairs)]
    speeds = [magnitude(rate(a) * symbol(b)) + magnitude(symbol(a) * rate(b)) for a, b in pairs]
    moved = tuple(x + y for x, y in zip(node.position, _multiply(node.translation, w), strict=True))
    shifted = pose.shift((moved[0], moved[1], moved[2]))
    sliding = sum(_multiply(_sizes(node.translation), [*v, *speeds]), ZERO)
    turning = sum(_multiply(_sizes(node.rotation), v), ZERO)
    return replace(
        shifted,
        R=times(shifted.R, exponential(_multiply(node.rotation, q))),
        sliding=shifted.sliding + sliding,
        turning=shifted.turning + turning,
    )


def exponential(angle: Vector) -> Matrix:
    """Compute Exp(θ) = E + sin θ/θ θ̂ + (1 - cos θ)/θ² θ̂², coefficients as series of θ²; exact to 5 rad in floats."""
    x, y, z = angle
    square = x * x + y * y + z * z
    s, c = (_series(square, n) for n in (1, 2))
    d = ONE - c * square
    return (
        (d + c * x * x, c * x * y - s * z, c * x * z + s * y),
        (c * x * y + s * z, d + c * y * y, c * y * z - s * x),
        (c * x * z - s * y, c * y * z + s * x, d + c * z * z),
    )


def _series(x: Expression, first: int) -> Expression:
    """Return Σ (-x)^k/(2k + first)!."""
    value: Expression = ONE
    for k in range(TERMS, 0, -1):
        value = ONE - x * value / ((2 * k + first) * (2 * k + first - 1))
    return value / factorial(first)


def _multiply(rows: Sequence[Sequence[Expression]], values: Sequence[Expression]) -> Vector:
    """Multiply a 3×N matrix by N values."""
    x, y, z = (sum((m * v for m, v in zip(row, values, strict=True)), ZERO) for row in rows)
    return x, y, z


def _sizes(rows: Sequence[Sequence[Expression]]) -> list[list[Expression]]:
    return [[magnitude(x) for x in row] for row in rows]


def turn(axis: Vector, angle: Expression) -> Matrix:
    """Return the matrix of rotation about a unit vector u: cos E + sin K + (1 - cos) u uᵀ, K = u ×."""
    (x, y, z), s, c = axis, sin(angle), cos(angle)
    d = ONE - c
    return (
        (x * x + (ONE - x * x) * c, d * x * y - s * z, d * x * z + s * y),
        (d * y * x + s * z, y * y + (ONE - y * y) * c, d * y * z - s * x),
        (d * z * x - s * y, d * z * y + s * x, z * z + (ONE - z * z) * c),
    )


def times(a: Matrix, b: Matrix) -> Matrix:
    """Return A B."""

    def row(r: Vector) -> Vector:
        x, y, z = (r[0] * b[0][k] + r[1] * b[1][k] + r[2] * b[2][k] for k in range(3))
        return x, y, z

    return row(a[0]), row(a[1]), row(a[2])


def transpose(a: Matrix) -> Matrix:
    """Return Aᵀ."""
    x, y, z = zip(*a, strict=True)
    return x, y, z


def amount_rate(step: ElementaryTransformation) -> Expression:
    """Return the rate of a shift (m/s) or an angle (rad/s)."""
    if step.coordinate:
        return rate(step.coordinate)
    return time_derivative([step.amount], step.moving)[0]


def magnitude(x: Expression) -> Expression:
    """Return |x|."""
    return apply("abs", x)
