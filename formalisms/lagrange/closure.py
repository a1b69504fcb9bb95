"""Constraints as functions f(q, t) = 0 of the coordinates, and as rows Z q' + γ = 0 of the rates.

D q' + γ is df/dt, and D q'' + γ̃ the time derivative of that: all derivatives are taken on the graph.

Cut joints: conditions on the coordinates for two frames to coincide up to the joint's own motion.

The first frame is A·E(p), with E the joint's own transformations and p its auxiliary coordinates; at the cut
A·E(p) = B. The functions of A and B that hold for every p are the constraint functions: p is eliminated.

* Translations in some directions keep the components of r_B - r_A at right angles to these directions at zero.
* A joint without rotation keeps the axes of A and B parallel. One rotation, about n, keeps n of A and B parallel.
  Two, about n1 and then n2, keep the angle between n1 in A and n2 in B. Three impose no condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mbconcord.model import (
    ElementaryTransformation,
    FrameCoincidence,
    Holonomic,
    Nonholonomic,
    PointCoincidence,
    Rod,
    System,
)
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    directional,
    evaluate_float,
    jacobian,
    rate,
    sqrt,
    symbol,
)
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.transformation import AXES, Constant, Prescribed, Variable, Vector, X, Y, Z
from mbconcord.records import dataclass

from .elastic import place
from .kinematics import Frame, apply, cross, dot, times
from .paths import frames, separation

Condition = tuple[str, Expression, Expression]
Steps = Sequence[ElementaryTransformation]

#: Directions closer to parallel than this are parallel: constant rotations and decimals round.
ROUNDING = 1e-9


def obstacle(constraint: FrameCoincidence) -> Iterator[Obstacle]:
    """Yield the reason why a cut joint's auxiliary coordinates cannot be eliminated, if there is one."""
    _, own, _ = split_cut_joint(constraint)
    slides, turns = _axes(own)
    kinds = [step.kind for step in own]
    if any(not step.coordinate for step in own):
        reason = "a constant transformation stands between its coordinates"
    elif kinds not in (sorted(kinds), sorted(kinds, reverse=True)):
        reason = "its rotations do not stand together"
    elif _dependent(slides):
        reason = "two of its translations have one direction"
    elif len(turns) > 3 or any(parallel(a, b) for a, b in pairwise(turns)):
        reason = "two of its rotations have one axis"
    else:
        return
    place = f"constraints/{constraint.name}"
    yield Obstacle(place, "cut_joints", f"lagrange does not eliminate this cut joint: {reason}")


def conditions(constraint: FrameCoincidence, of_body: Mapping[str | None, Frame]) -> Iterator[Condition]:
    """Yield (part, f, facing) of each condition f = 0 of a cut joint; facing > 0 if the frames are not opposite."""
    before, own, after = split_cut_joint(constraint)
    A = of_body[constraint.first.body].follow(before)
    B = of_body[constraint.second.body].follow((*constraint.second.transformations, *map(inverse, after[::-1])))
    slides, turns = _axes(own)
    sliding_in = A if own and own[0].is_translation else B
    apart = (A.r[0] - B.r[0], A.r[1] - B.r[1], A.r[2] - B.r[2])
    if slides:
        for i, side in enumerate(across(slides), 1):
            yield f"across {i}", dot(apply(sliding_in.A, side), apart), ONE
    else:
        for part, f in zip("xyz", apart, strict=True):
            yield part, f, ONE
    yield from _alignment(turns, A, B)


def _alignment(turns: Sequence[Vector], A: Frame, B: Frame) -> Iterator[Condition]:
    """Yield conditions on the axes of A and B if B is rotated from A about these axes in sequence."""
    if not turns:
        for part, u, w in (("x", Y, Z), ("y", Z, X), ("z", X, Y)):
            yield f"angle {part}", *_perpendicular(u, w, A, B)
    elif len(turns) == 1:
        for i, side in enumerate(across(turns), 1):
            yield f"angle {i}", *_perpendicular(turns[0], side, A, B)
    elif len(turns) == 2:
        yield "angle", dot(apply(A.A, turns[0]), apply(B.A, turns[1])) - dot(*turns), ONE


def _perpendicular(u: Vector, w: Vector, A: Frame, B: Frame) -> tuple[Expression, Expression]:
    """Return u_A · w_B, zero when u of A is perpendicular to w of B, and u_A · u_B, negative when u is opposite."""
    ahead = apply(A.A, u)
    return dot(ahead, apply(B.A, w)), dot(ahead, apply(B.A, u))


def split_cut_joint(constraint: FrameCoincidence) -> tuple[Steps, Steps, Steps]:
    """Split the first frame's transformations: those before its first coordinate, up to its last one, and after it."""
    steps = constraint.first.transformations
    own = [i for i, step in enumerate(steps) if step.coordinate]
    if not own:
        return steps, (), ()
    return steps[: own[0]], steps[own[0] : own[-1] + 1], steps[own[-1] + 1 :]


def inverse(step: ElementaryTransformation) -> ElementaryTransformation:
    """Invert a transformation that has no coordinate."""
    assert not isinstance(step.motion, Variable)
    motion = type(step.motion)(-step.motion.value)
    assert isinstance(motion, (Constant, Prescribed))
    return ElementaryTransformation(step.kind, step.axis, motion)


def _axes(own: Steps) -> tuple[list[Vector], list[Vector]]:
    """Return the directions of the translations, and the axes of the rotations."""
    return [s.axis for s in own if s.is_translation], [s.axis for s in own if not s.is_translation]


def across(directions: Sequence[Vector]) -> tuple[Vector, ...]:
    """Return unit vectors perpendicular to independent directions and to each other."""
    if len(directions) > 2:
        return ()
    if len(directions) == 2:
        return (unit(cross(*directions)),)
    (n,) = directions
    side = unit(cross(n, next(e for e in AXES.values() if not parallel(n, e))))
    return side, cross(n, side)


def unit(v: Vector) -> Vector:
    """Return v / |v|."""
    return times(1 / sqrt(dot(v, v)), v)


def parallel(a: Vector, b: Vector) -> bool:
    """Return True if two numeric directions are parallel."""
    return all(vanishes(x) for x in cross(a, b))


def vanishes(x: Expression) -> bool:
    """Return True if a number is zero up to rounding."""
    return abs(evaluate_float(x, {})) < ROUNDING


def _dependent(slides: Sequence[Vector]) -> bool:
    if len(slides) == 2:
        return parallel(*slides)
    return len(slides) > 3 or (len(slides) == 3 and vanishes(dot(cross(slides[0], slides[1]), slides[2])))


@dataclass(frozen=True, slots=True)
class Row:
    """A constraint row.

    Attributes
    ----------
    constraint, part : name of the model's constraint, and name of the row in it (empty if it is the only one)
    place : place of the constraint or drive in the model
    speed : D q' + γ
    position : f(q, t); None for a nonholonomic row
    facing : positive where the frames of a cut joint have the intended orientation, negative where the opposite one
    drive : coordinate whose acceleration a drive imposes, q'' - a = 0: such a row has neither f nor a speed
    formula : True if the row is a formula of the model, which may have any scale
    """

    constraint: str
    part: str
    speed: Expression
    position: Expression | None = None
    facing: Expression = ONE
    drive: str = ""
    formula: bool = False

    @property
    def place(self) -> str:
        """Place of the constraint or drive in the model."""
        return f"coordinates/{self.drive}/drive" if self.drive else f"constraints/{self.constraint}"

    @property
    def name(self) -> str:
        """Name of the row: ``loop (x)``, or that of the constraint alone."""
        return f"{self.constraint} ({self.part})" if self.part else self.constraint


@dataclass(frozen=True, slots=True)
class Closure:
    """All rows with their derivatives: ``D`` by row and coordinate, ``rest`` γ̃ by row."""

    rows: tuple[Row, ...]
    D: tuple[tuple[Expression, ...], ...]
    rest: tuple[Expression, ...]


def closure(system: System) -> Closure:
    """Derive the constraint rows of a system: D = ∂(speed)/∂q', γ̃ = d(speed)/dt at q'' = 0.

    Identity: where speed = df/dt, D = ∂f/∂q. A drive that imposes an acceleration a is a row q'' - a = 0.
    """
    rows = tuple(_rows(system))
    speeds = [row.speed for row in rows]
    names = system.coordinate_names
    drives = find_imposed_accelerations(system)
    return Closure(
        (*rows, *(Row(drive_row(name), "", ZERO, drive=name) for name in drives)),
        (
            *map(tuple, jacobian(speeds, [rate(name) for name in names])),
            *(tuple(ONE if name == driven else ZERO for name in names) for driven in drives),
        ),
        (*directional(speeds, flow(system)), *(-a for a in drives.values())),
    )


def flow(system: System) -> dict[Expression, Expression]:
    """Map each symbol to its time derivative at q'' = 0."""
    return {TIME: ONE, **{symbol(name): rate(name) for name in system.coordinate_names}}


def _rows(system: System) -> Iterator[Row]:
    of_body = frames(system.bodies)
    along = flow(system)
    for constraint in system.constraints:
        if isinstance(constraint, Nonholonomic):
            terms = (z * rate(name) for name, z in constraint.coefficients.items())
            yield Row(constraint.name, "", sum(terms, constraint.rest), formula=True)
            continue
        for part, f, facing in _functions(system, of_body, constraint):
            own = isinstance(constraint, Holonomic)
            yield Row(constraint.name, part, directional([f], along)[0], f, facing, formula=own)


def _functions(
    system: System,
    of_body: Mapping[str | None, Frame],
    constraint: Rod | PointCoincidence | FrameCoincidence | Holonomic,
) -> Iterator[tuple[str, Expression, Expression]]:
    """Yield (part, f, facing) of each condition f = 0 of a holonomic constraint."""
    if isinstance(constraint, Holonomic):
        yield "", constraint.expression, ONE
    elif isinstance(constraint, Rod):
        apart = separation(system, constraint.first, constraint.second)
        yield "", sqrt(dot(apart, apart)) - constraint.length, ONE
    elif isinstance(constraint, PointCoincidence):
        ends = (of_body[end.body].point(place(system, end)) for end in (constraint.first, constraint.second))
        for part, f in zip("xyz", difference(*ends), strict=True):
            yield part, f, ONE
    else:
        yield from conditions(constraint, of_body)


def difference(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
