"""Poses of bodies on the expression graph: products of the elementary transformations of their joints.

A pose is the matrix [[R, r], [0, 1]] of a frame in world axes. It also has the absolute sums of the terms of r and of
its rate: rounding errors are proportional to them.

Branches of laws between frames: angles that jump by a turn, bushings that are turned past a quarter turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import factorial
from typing import Final

import numpy as np

from mbconcord.model.contact import Contact, Rope, Stop, list_rigid, split_elements
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.elastic import ElasticModes, ElasticNode
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    apply,
    cos,
    directional,
    evaluate,
    evaluate_float,
    numpy_arithmetic,
    rate,
    sin,
    sqrt,
    substitute,
    symbol,
    time_derivative,
)
from mbconcord.model.expressions.calculus import Substitution
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, Point, Torsion, find_words, rolling_formulas
from mbconcord.model.functions import Definitions
from mbconcord.model.kinematics.quantities import put_in_rows
from mbconcord.model.numbers import environment
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Vector, unit_vector, vector
from mbconcord.model.turns import sum_of_turns
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
    sliding, turning : Σ |s'| of the shifts (m/s) and of the angles (rad/s) of these transformations
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
    """Return the frame at a point of a body; at a node of an elastic body, the frame of the section there."""
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


def express_words(system: System) -> dict[Expression, Expression]:
    """Map words in formulas of forces, as for positions of points, to expressions of q, q' and t."""
    of_body, found = poses(system), dict[Expression, Expression]()
    moving = {TIME: ONE} | {symbol(name): rate(name) for name in system.coordinate_names}
    places = find_words(system.coordinates, system.forces, system.points, system.constraints)
    for word, (point, axes) in places.items():
        pose = at_point(system, of_body, point)
        if word.kind == "w":  # R' Rᵀ is the cross product with w
            x, y, z = (vector(directional(row, moving)) for row in pose.R)
            spin = times((x, y, z), transpose(pose.R))
            seen = spin[2][1], spin[0][2], spin[1][0]
        else:
            seen = pose.r if word.kind == "r" else vector(directional(pose.r, moving))
        if axes is not None:
            columns = transpose(of_body[axes].R)
            seen = vector(sum((x * y for x, y in zip(c, seen, strict=True)), ZERO) for c in columns)
        found[symbol(str(word))] = word.express(seen)
    return found


def express_rolling(system: System) -> System:
    """Return the system with constraint rows of rolling bodies as formulas of q, q' and t; itself without such rows."""
    if not any(rolling_formulas(system.constraints)):
        return system
    return replace(system, constraints=put_in_rows(system, Substitution(express_words(system))))


def list_sides(system: System) -> Iterator[tuple[str, Expression]]:
    """Yield the name of each contact, rope and stop, and a formula of t, q and q' that is positive where it acts."""
    elements, *_ = split_elements(system)
    words = express_words(system) if elements else {}
    lengths = {force.element: force for force in system.forces if isinstance(force, Bipolar)} if elements else {}
    for element in elements:
        side = element.side()
        own = (
            dict(zip((LENGTH, LENGTH_RATE), measured(system, lengths[element]), strict=True))
            if element in lengths
            else words
        )
        if side is not None:
            yield element.name, substitute([side], own)[0]


@dataclass(frozen=True)
class RigidGap:
    """Gap of a rigid contact, rope or stop that stays at or above zero, and slips at it, formulas of t, q and q'.

    ``slips`` are along two directions of a plane, none without friction; ``e`` and ``mu`` are its restitution and
    coefficient of friction; ``within`` says what a negative gap is.
    """

    name: str
    gap: Expression
    slips: tuple[Expression, ...]
    e: Expression
    mu: Expression
    within: str


def list_gaps(system: System) -> Iterator[RigidGap]:
    """Yield the gaps of the rigid contacts, ropes and stops of a system."""
    elements = list_rigid(split_elements(system)[0])
    of_body = poses(system) if elements else {}
    for element in elements:
        e, name = element.normal.e, element.name
        if isinstance(element, Stop):
            for depth in element.depths():
                yield RigidGap(name, -depth, (), e, ZERO, "the coordinate is past its stop")
        elif isinstance(element, Rope):
            length, _ = measured(system, Bipolar(name, element.first, element.second, ZERO), of_body)
            within = "the rope is shorter than the distance of its ends"
            yield RigidGap(name, element.length - length, (), e, ZERO, within)
        else:
            centre, plane = (at_point(system, of_body, x) for x in (element.first, Point(element.second.body)))
            d = vector(y - x for x, y in zip(plane.r, centre.r, strict=True))
            d = times((d, ORIGIN, ORIGIN), plane.R)[0]
            height = sum((a * b for a, b in zip(element.second.normal, d, strict=True)), ZERO)
            gap = height - element.second.offset - element.first.radius
            rubs = element.friction
            slips = _list_slips(system, element, of_body, vector(d)) if rubs is not None else ()
            yield RigidGap(name, gap, slips, e, rubs.mu if rubs else ZERO, "it is inside the plane")


def _list_slips(
    system: System, element: Contact, of_body: Mapping[str | None, WorldPose], d: Vector
) -> tuple[Expression, ...]:
    """Return the velocity of the body's point of contact along two directions of the plane, seen from its body."""
    moving = {TIME: ONE} | {symbol(name): rate(name) for name in system.coordinate_names}
    n, plane = element.second.normal, of_body[element.second.body]
    u = directional(d, moving)
    if element.first.radius is not ZERO:  # the point of contact is -r n from the centre
        R = times(transpose(plane.R), of_body[element.first.body].R)
        x, y, z = (vector(directional(row, moving)) for row in R)
        spin = times((x, y, z), transpose(R))
        arm = vector(-element.first.radius * a for a in n)
        u = [a + sum((w * b for w, b in zip(row, arm, strict=True)), ZERO) for a, row in zip(u, spin, strict=True)]
    sizes = [abs(evaluate_float(a, {})) if a.constant else 1.0 for a in n]
    least = UNIT[sizes.index(min(sizes))]
    first = unit_vector(_cross(n, least))
    return tuple(sum((a * b for a, b in zip(t, u, strict=True)), ZERO) for t in (first, _cross(n, first)))


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


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


JUMPS: Final = "the angle @ jumps by a whole turn, as joints do not keep its axis, and the moment with it"
KEEP: Final = "end the run before, or let joints turn about its axis alone"
FALLS: Final = "it is turned past a quarter turn, where its moment falls again (it is that of the sine)"
SMALL: Final = "a bushing is for small turns; a torsion about a joint's axis is linear in its turns"
UNREACHED: Final = "no state turns it past a quarter turn: what it does there is not compared"


@dataclass(frozen=True)
class Branch:
    """A limit of a force's law, beyond which it is on another branch.

    Attributes
    ----------
    place : place of the force in the model
    crossed : formula of t and q that changes its sign where the law jumps or turns back, while ``beside`` is negative
    far : formula that is negative past a quarter turn
    words, remedy : what the law does there, and what to do
    """

    place: str
    crossed: Expression
    beside: Expression
    far: Expression
    words: str
    remedy: str


def branches(system: System) -> Iterator[Branch]:
    """Yield the branches of torsions whose axes joints do not keep, and of bushings that are stiff against turns."""
    of_body = poses(system)
    for force in system.forces:
        jumps = isinstance(force, Torsion) and sum_of_turns(system, force) is None
        if not jumps and not (isinstance(force, Bushing) and any(x for row in force.stiffness for x in row[3:])):
            continue
        assert isinstance(force, Bushing | Torsion)
        first, second = (of_body[end.body].follow(end.transformations).R for end in (force.first, force.second))
        T, place = times(transpose(first), second), f"forces/{force.name}"
        if jumps:
            yield Branch(place, T[1][0], T[0][0], T[0][0], JUMPS, KEEP)
        else:
            twice = T[0][0] + T[1][1] + T[2][2] - ONE  # 2 cos φ
            yield Branch(place, twice, -ONE, twice, FALLS, SMALL)


def _far(system: System, found: Sequence[Branch], states: Sequence[State]) -> list[bool]:
    """Return for each branch True if its force is past a quarter turn at one of the states."""
    formulas = Definitions(system.functions).apply(branch.far for branch in found)
    if not formulas:
        return []
    seen = [evaluate(formulas, at, numpy_arithmetic()) for at in environment(system, states)]
    return [any(x < 0 for x in column) for column in np.array(seen, dtype=float).T] if seen else []


def describe_far(system: System, states: Sequence[State]) -> Iterator[Diagnostic]:
    """Warn of bushings that are past a quarter turn at one of the states."""
    found = [branch for branch in branches(system) if branch.words is FALLS]
    for branch, far in zip(found, _far(system, found, states), strict=False):
        if far:
            yield Diagnostic("warning", branch.place, branch.words, branch.remedy)


def describe_unreached(system: System, states: Sequence[State]) -> Iterator[Diagnostic]:
    """Note laws that no state takes past a quarter turn."""
    found = list(branches(system))
    for branch, far in zip(found, _far(system, found, states), strict=False):
        if not far:
            yield Diagnostic("note", branch.place, UNREACHED, "give states that do, or simulate to there")
