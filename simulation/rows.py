"""Constraint rows of a system on the expression graph: f(q, t) = 0, D q' + γ = 0, D q'' + γ̃ = 0.

The functions f come from the poses of the bodies, everything else by differentiation. A cut joint keeps its own
coordinates: they are auxiliary unknowns in addition to the system's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    directional,
    jacobian,
    number,
    rate,
    sqrt,
    substitute,
    symbol,
)
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.functions import define
from mbconcord.model.system import System
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .poses import WorldPose, at_point, express_rolling, magnitude, poses, times, transpose

# Multipliers λ of Dᵀ λ = Q, and which of them the rows D (m, n) leave open: Dᵀ c = 0 may be added to λ.


Array = NDArray[np.float64]

#: A row of length 1 of which no more than this is independent of the others repeats them.
DEPENDENT = 1e-9
#: A row that is shorter than this part of the longest is rounding.
NOTHING = 1e-12
#: So large a part of a row in a combination that vanishes is no rounding.
PART = 1e-6


def unique(D: Array, Q: Array, dependent: float = DEPENDENT) -> Array:
    """Compute λ (m,) of Dᵀ λ = Q; NaN where it is not unique. The others do not depend on how those share the load."""
    lines, lengths = _by_length(D)
    left, sizes, right = np.linalg.svd(lines)
    rank = _rank(sizes, dependent)
    found = left[:, :rank] @ (right[:rank] @ Q / sizes[:rank]) / lengths
    return np.where(_open(left[:, rank:]), np.nan, found)


def left_open(D: Array) -> NDArray[np.bool_]:
    """Mark the rows (m,) with a non-unique λ."""
    left, sizes, _ = np.linalg.svd(_by_length(D)[0])
    return _open(left[:, _rank(sizes, DEPENDENT) :])


def _by_length(D: Array) -> tuple[Array, Array]:
    """Scale the rows to length 1, and return them with their lengths; pure rounding becomes zero, of length 1."""
    lengths = np.linalg.norm(D, axis=1)
    sound = lengths > NOTHING * lengths.max(initial=0.0)
    lengths = np.where(sound, lengths, 1.0)
    return np.where(sound[:, None], D, 0.0) / lengths[:, None], lengths


def _rank(sizes: Array, dependent: float) -> int:
    return int(np.count_nonzero(sizes > dependent * sizes.max(initial=0.0)))


def _open(vanishing: Array) -> NDArray[np.bool_]:
    return np.asarray(np.linalg.norm(vanishing, axis=1) > PART)


def find_formulas(system: System, names: Sequence[str]) -> NDArray[np.bool_]:
    """Mark those of the named rows (m,) that are formulas of the model's author, which may have any factor."""
    own = {c.name for c in system.constraints if isinstance(c, Holonomic | Nonholonomic)}
    return np.array([name in own for name in names], dtype=bool)


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    """One row of m, in k coordinates: the system's own, then the auxiliary ones of cut joints.

    Attributes
    ----------
    constraint : name of the constraint
    position : f(q, t); zero for a row of rates alone
    speed : D q' + γ
    D : the row of D, an entry for each coordinate
    rest : γ̃
    reach, flow : sums of the absolute values of the terms of position and of speed
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
    """The rows of a system, except those that hold at every state.

    Attributes
    ----------
    rows : the rows
    coordinates : names of the k coordinates
    own : number of those that are the system's; they come first
    angles : for each of them, True if it is an angle
    """

    rows: tuple[ConstraintRow, ...]
    coordinates: tuple[str, ...]
    own: int
    angles: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Function:
    """f(q, t), or D q' + γ if there is no f; the size of their terms, if the geometry gives it."""

    constraint: str
    position: Expression | None
    speed: Expression | None = None
    reach: Expression | None = None
    flow: Expression | None = None
    metric: bool = False


def constraint_rows(system: System) -> ConstraintRows:
    """Derive the constraint rows of a system whose functions all have formulas.

    D = ∂(D q' + γ)/∂q', which equals ∂f/∂q where there is an f; γ̃ = d(D q' + γ)/dt where q'' = 0.
    """
    system = express_rolling(system)
    cut = [c for c in system.constraints if isinstance(c, FrameCoincidence)]
    names = (*system.coordinate_names, *(name for c in cut for name in c.auxiliary))
    turning = {s.coordinate for c in cut for s in c.first.transformations if not s.is_translation} | system.angles
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
        ConstraintRow(f.constraint, x, dx, tuple(d), ddx, reach, flow, f.metric)
        for f, x, dx, d, ddx, reach, flow in zip(functions, positions, speeds, D, rest, reaches, flows, strict=True)
        if not all(node is ZERO for node in (x, dx, *d))
    ]
    return ConstraintRows(tuple(rows), names, len(system.coordinates), tuple(name in turning for name in names))


def _sizes(
    f: _Function, speed: Expression, D: Sequence[Expression], names: Sequence[str]
) -> tuple[Expression, Expression]:
    """Return reach and flow: by the geometry, or Σ |D_j| (1 + |q_j|) and the size of the terms of D q' + γ.

    An entry of D may be rounding of zero, so |D_j q'_j| is no scale for the rounding of the speed.
    """
    if f.reach is not None and f.flow is not None:
        return f.reach, f.flow
    reach = sum((magnitude(d) * (1 + magnitude(symbol(n))) for d, n in zip(D, names, strict=True)), ZERO)
    return reach, made_of(speed)


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
            a, b = (of_body[end.body].follow(end.transformations) for end in (c.first, c.second))
            yield from _coincidence(c.name, a, b)
            turning = a.turning + b.turning
            for angle in half_angles(times(transpose(b.R), a.R)):
                yield _Function(c.name, angle, None, ONE, turning)
        elif isinstance(c, Holonomic):
            yield _Function(c.name, c.expression)
        elif isinstance(c, Nonholonomic):
            terms = (z * rate(name) for name, z in c.coefficients.items())
            yield _Function(c.name, None, sum(terms, c.rest))


def _coincidence(name: str, a: WorldPose, b: WorldPose) -> Iterator[_Function]:
    """Yield the functions of a coincidence: the components of r_a - r_b in world axes."""
    reach, flow = _lengths(a, b)
    for f in _difference(a.r, b.r):
        yield _Function(name, f, None, reach, flow, True)


def _lengths(a: WorldPose, b: WorldPose) -> tuple[Expression, Expression]:
    """Return bounds of the terms of the distance of two points and of its rate: radii of turns are within the reach."""
    reach = a.path + b.path
    return reach, a.sliding + b.sliding + (a.turning + b.turning) * reach


def half_angles(R: Sequence[Vector]) -> Vector:
    """Return 2 sin(φ/2) n (3,) of a rotation by φ about n: (R - Rᵀ)^∨ / √(1 + tr R); zero only for R = E."""
    scale = sqrt(1 + R[0][0] + R[1][1] + R[2][2])
    return ((R[2][1] - R[1][2]) / scale, (R[0][2] - R[2][0]) / scale, (R[1][0] - R[0][1]) / scale)


def _difference(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


# Models with every formula changed in the same way.


#: Directions are made of numbers, and are normalised: they stay.
DIRECTIONS: Final = frozenset({"axis", "direction", "pole", "normal"})
#: Fields of a system with formulas of its own.
PARTS: Final = ("coordinates", "bodies", "forces", "constraints", "gravity")


def rewritten(value: Any, change: Callable[[Expression], Expression]) -> Any:
    """Change every expression in a part of a system; return it unchanged if nothing changes."""
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple):
        return tuple(rewritten(x, change) for x in value)
    if isinstance(value, Mapping):
        return {key: rewritten(x, change) for key, x in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        own = {name: x for name, x in own.items() if name not in DIRECTIONS or not isinstance(x, tuple)}
        new = {name: rewritten(x, change) for name, x in own.items()}
        same = all(new[name] is x for name, x in own.items())
        return value if same else replace(value, **new)
    return value


def standing_still(system: System, t: float) -> System:
    """Freeze the system at a time: prescribed motions stop, and time-dependent forces keep their values."""
    at = {TIME: number(Fraction(t))}
    parts = {name: rewritten(getattr(system, name), lambda x: substitute([x], at)[0]) for name in PARTS}
    return replace(system, **parts)
