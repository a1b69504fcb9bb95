"""Constraint rows of a system on the expression graph: f(q, t) = 0, D q' + γ = 0, D q'' + γ̃ = 0.

The functions f come from the poses of the bodies, everything else by differentiation. A cut joint is taken as it
stands: its own coordinates are unknowns beside the system's, auxiliary ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mbconcord.model.constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, directional, jacobian, rate, sqrt, symbol
from mbconcord.model.functions import define
from mbconcord.model.system import System
from mbconcord.model.transformation import Vector

from .poses import Pose, at_point, magnitude, poses, times, transposed


@dataclass(frozen=True, slots=True)
class Row:
    """One row of m, in k coordinates: the system's own, then the auxiliary ones of cut joints.

    Attributes
    ----------
    constraint : its name
    position : f(q, t); zero for a row of rates alone
    speed : D q' + γ
    D : by coordinate
    rest : γ̃
    reach, flow : sums of absolute values that position and speed are made of
    metric : whether f is a length (m)
    """

    constraint: str
    position: Expression
    speed: Expression
    D: tuple[Expression, ...]
    rest: Expression
    reach: Expression
    flow: Expression
    metric: bool = False


@dataclass(frozen=True, slots=True)
class ConstraintRows:
    """The rows of a system; those that hold whatever the state is are left out.

    Attributes
    ----------
    rows : tuple of Row
    coordinates : names of the k coordinates
    own : how many of them are the system's
    angles : which of them are angles
    """

    rows: tuple[Row, ...]
    coordinates: tuple[str, ...]
    own: int
    angles: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Function:
    """f(q, t), or D q' + γ where there is no f; what they are made of, where the geometry says it."""

    constraint: str
    position: Expression | None
    speed: Expression | None = None
    reach: Expression | None = None
    flow: Expression | None = None
    metric: bool = False


def constraint_rows(system: System) -> ConstraintRows:
    """The rows of a system whose functions all have formulas.

    D = ∂(D q' + γ)/∂q', which equals ∂f/∂q where there is an f; γ̃ = d(D q' + γ)/dt where q'' = 0.
    """
    cut = [c for c in system.constraints if isinstance(c, FrameCoincidence)]
    names = (*system.coordinate_names, *(name for c in cut for name in c.auxiliary))
    joints = (*(b.joint for b in system.bodies), *(c.first.transformations for c in cut))
    turning = {step.coordinate for joint in joints for step in joint if not step.is_translation}
    along = {TIME: ONE, **{symbol(name): rate(name) for name in names}}
    functions = tuple(_functions(system))
    positions = define([f.position or ZERO for f in functions], system.functions)
    given = define([f.speed or ZERO for f in functions], system.functions)
    speeds = [
        x if f.position is None else dx
        for f, x, dx in zip(functions, given, directional(positions, along), strict=True)
    ]
    D = jacobian(speeds, [rate(name) for name in names])
    rest = directional(speeds, along)
    sizes = [_sizes(f, dx, d, names) for f, dx, d in zip(functions, speeds, D, strict=True)]
    reaches, flows = (define([s[i] for s in sizes], system.functions) for i in (0, 1))
    rows = [
        Row(f.constraint, x, dx, tuple(d), ddx, reach, flow, f.metric)
        for f, x, dx, d, ddx, reach, flow in zip(
            functions, positions, speeds, D, rest, reaches, flows, strict=True
        )
        if not all(node is ZERO for node in (x, dx, *d))
    ]
    return ConstraintRows(
        tuple(rows), names, len(system.coordinates), tuple(name in turning for name in names)
    )


def _sizes(
    f: _Function, speed: Expression, D: Sequence[Expression], names: Sequence[str]
) -> tuple[Expression, Expression]:
    """Reach and flow: what the geometry says, or Σ |D_j| (1 + |q_j|) and Σ |D_j q'_j| + |D q' + γ|."""
    if f.reach is not None and f.flow is not None:
        return f.reach, f.flow
    reach = sum((magnitude(d) * (1 + magnitude(symbol(n))) for d, n in zip(D, names, strict=True)), ZERO)
    moving = sum((magnitude(d * rate(n)) for d, n in zip(D, names, strict=True)), magnitude(speed))
    return reach, moving


def _functions(system: System) -> Iterator[_Function]:
    of_body = poses(system)
    for c in system.constraints:
        if isinstance(c, Rod):
            a, b = (at_point(system, of_body, end) for end in (c.first, c.second))
            x, y, z = _difference(b.r, a.r)
            length = sqrt(x * x + y * y + z * z)
            reach, flow = _lengths(a, b)
            yield _Function(c.name, length - c.length, None, reach + magnitude(c.length), flow, True)
        elif isinstance(c, PointCoincidence):
            yield from _coincidence(c.name, *(at_point(system, of_body, end) for end in (c.first, c.second)))
        elif isinstance(c, FrameCoincidence):
            a, b = (of_body[end.body].along(end.transformations) for end in (c.first, c.second))
            yield from _coincidence(c.name, a, b)
            turning = a.turning + b.turning
            for angle in half_angles(times(transposed(b.R), a.R)):
                yield _Function(c.name, angle, None, ONE, turning)
        elif isinstance(c, Holonomic):
            yield _Function(c.name, c.expression)
        elif isinstance(c, Nonholonomic):
            terms = (z * rate(name) for name, z in c.coefficients.items())
            yield _Function(c.name, None, sum(terms, c.rest))


def _coincidence(name: str, a: Pose, b: Pose) -> Iterator[_Function]:
    """r_a - r_b in world axes."""
    reach, flow = _lengths(a, b)
    for f in _difference(a.r, b.r):
        yield _Function(name, f, None, reach, flow, True)


def _lengths(a: Pose, b: Pose) -> tuple[Expression, Expression]:
    """What a distance of two points is made of, and its rate: nothing turns about a centre farther than the reach."""
    reach = a.path + b.path
    return reach, a.sliding + b.sliding + (a.turning + b.turning) * reach


def half_angles(R: Sequence[Vector]) -> Vector:
    """2 sin(φ/2) n (3,) of a rotation by φ about n: (R - Rᵀ)^∨ / √(1 + tr R); zero for R = E alone."""
    scale = sqrt(1 + R[0][0] + R[1][1] + R[2][2])
    return (
        (R[2][1] - R[1][2]) / scale,
        (R[0][2] - R[2][0]) / scale,
        (R[1][0] - R[0][1]) / scale,
    )


def _difference(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
