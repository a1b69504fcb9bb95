"""Cut joints: two frames coincide up to the motion of the cut joint, whose own coordinates are not used.

Each row is a direction in which the joint transmits a reaction: ``n = (f; m)`` at the origin and in the axes of
the joint's second side, reciprocal to the joint's own twists. ``n`` times the twist of the first side relative to the
second is zero.

A constraint row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mbconcord.model.constraint import Frame, FrameCoincidence
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import sqrt
from mbconcord.model.force import Point
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES, Constant, ElementaryTransformation, X, Y, Z
from mbconcord.model.transformation import Vector as Triple
from mbconcord.records import dataclass, field

from ..mechanism import pairs
from ..pair import matrices
from ..structure import Places
from ..vectors import (
    NONE,
    Matrix,
    Transfer,
    Vector,
    absent,
    add,
    cross,
    dot,
    from_column_axes,
    minus,
    mul,
    plus,
    product,
    sub,
    to_column_axes,
    transpose,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A row ``D q̇ + γ = 0`` (4.8), ``D q̈ + γ̃ = 0``.

    Attributes
    ----------
    constraint : str
        Name of the model's constraint.
    part : str
        Name of the row among those of the constraint; empty if it is the only one.
    D : mapping
        Elements of the row by coordinate; coordinates that are absent have zero.
    speed : scalar
        D q̇ + γ, which is zero where the rates obey the constraint.
    rest : scalar
        γ̃.
    violation : scalar or None
        f(q, t), which is zero where the constraint holds; None for a nonholonomic row.
    reactions : mapping
        Wrench R on each link, in its body's frame, for λ = 1, by link.
    drive : str
        Coordinate whose acceleration a drive imposes; empty for a constraint's row.
    sums : mapping
        For a row of a formula, the sum of absolute terms of each element of D, by coordinate; else empty.
    """

    constraint: str
    part: str
    D: Mapping[str, Any]
    speed: Any
    rest: Any
    violation: Any = None
    reactions: Mapping[int, Vector] = field(default_factory=dict)
    drive: str = ""
    sums: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Place of the constraint, or of the drive, in the model."""
        return f"coordinates/{self.drive}/drive" if self.drive else f"constraints/{self.constraint}"

    @property
    def name(self) -> str:
        """Name of the row: ``loop (x)``, or that of the constraint alone."""
        return f"{self.constraint} ({self.part})" if self.part else self.constraint


def cut_rows(constraint: FrameCoincidence, places: Places) -> Iterator[Row]:
    """Derive the constraint rows of a cut joint.

    Raises
    ------
    FormalismError
        The joint is no weld, no single rotation or translation, no rotation and translation along one axis, and no
        three rotations about one point; or a frame moves by a function of time.
    """
    before, own, after = split_cut_joint(constraint)
    first = _transfer(before, places)
    second = _transfer(constraint.second.transformations, places).then(_transfer(after, places).inverse())
    sides = _Side(constraint.first, first, places), _Side(constraint.second, second, places)
    for part, force, moment in reciprocal(constraint, own):
        yield _row(constraint, part, tuple(map(places.arithmetic.to_scalar, force + moment)), *sides)


def cut_joints_refused(system: System) -> Iterator[Obstacle]:
    """List an obstacle for each cut joint of a kind that has no rows here."""
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            try:
                list(reciprocal(constraint, split_cut_joint(constraint)[1]))
            except FormalismError as refusal:
                yield from (Obstacle(d.place, "cut_joints", d.message) for d in refusal.diagnostics)


def split_cut_joint(
    constraint: FrameCoincidence,
) -> tuple[Sequence[ElementaryTransformation], Sequence[ElementaryTransformation], Sequence[ElementaryTransformation]]:
    """Split the first frame's transformations into those before, in and after the cut joint's own motion."""
    sequence = constraint.first.transformations
    for et in (*sequence, *constraint.second.transformations):
        if not et.coordinate and not isinstance(et.motion, Constant):
            raise _refusal(constraint, "a frame of it moves by a function of time")
    free = [i for i, et in enumerate(sequence) if et.coordinate]
    if not free:
        return sequence, (), ()
    return sequence[: free[0]], sequence[free[0] : free[-1] + 1], sequence[free[-1] + 1 :]


def reciprocal(
    constraint: FrameCoincidence, own: Sequence[ElementaryTransformation]
) -> Iterator[tuple[str, Triple, Triple]]:
    """Yield (name, f, m) of the directions in which the joint transmits reactions."""
    none: Triple = (X[1], X[1], X[1])
    kinds = [et.kind for et in own]
    basis = list(zip("xyz", (X, Y, Z), strict=True))
    forces, moments = basis, basis
    if any(not et.coordinate for et in own):
        raise _refusal(constraint, "constant transformations stand between its coordinates")
    if kinds == ["rotation"] * 3 and _independent(own):
        moments = []
    elif len(own) == 1 or (sorted(kinds) == ["rotation", "translation"] and own[0].axis == own[1].axis):
        across = [(f"{i}", normal) for i, normal in enumerate(normals(own[0].axis), 1)]
        forces = across if "translation" in kinds else basis
        moments = across if "rotation" in kinds else basis
    elif own:
        raise _refusal(constraint, f"its own motion is {', '.join(kinds)}")
    for name, axis in forces:
        yield f"force {name}", axis, none
    for name, axis in moments:
        yield f"moment {name}", none, axis


def normals(axis: Triple) -> tuple[Triple, Triple]:
    """Return two unit vectors that form a right-handed basis with the axis."""
    for name in AXES.values():
        x, y, z = axis
        a, b, c = name
        side = (y * c - z * b, z * a - x * c, x * b - y * a)
        squared = sum((s * s for s in side), X[1])
        if squared:
            one: Triple = (side[0] / sqrt(squared), side[1] / sqrt(squared), side[2] / sqrt(squared))
            u, v, w = one
            return one, (y * w - z * v, z * u - x * w, x * v - y * u)
    raise FormalismError(error("axis", "an axis of zero length has no normals"))


class _Side:
    """Motion of the body on one side of the cut, in fixed axes; ``transfer`` leads from the body to its cut frame."""

    def __init__(self, frame: Frame, transfer: Transfer, places: Places) -> None:
        number = places.numbers[frame.body]
        self.body, self.places, self.transfer = frame.body, places, transfer
        self.base = places.frame(number)
        self.whole = self.base.then(transfer)
        twist, bias = places.twist(number), places.bias(number)
        origin = Point(frame.body)
        self.velocity, self.acceleration = places.velocity(origin), places.acceleration(origin)
        self.spin, self.spin_rate = (from_column_axes(self.base.c, twist[3:]), from_column_axes(self.base.c, bias[3:]))
        self.columns = places.columns(origin)
        self.turns = {
            d.coordinate: from_column_axes(self.base.c, row[3:])
            for d, row in places.rows[number].items()
            if d.coordinate
        }


def _row(constraint: FrameCoincidence, part: str, n: Vector, first: _Side, second: _Side) -> Row:
    """Build the row ``f · Δv + m · Δω``; Δ: first side minus second side, both at the origin of the second frame."""
    c = second.whole.c
    f, m = from_column_axes(c, n[:3]), from_column_axes(c, n[3:])
    arm1, arm2 = minus(second.whole.o, first.base.o), minus(second.whole.o, second.base.o)

    def component(linear: Vector, angular: Vector) -> object:
        return add(dot(f, linear), dot(m, angular))

    at1 = plus(first.velocity, cross(first.spin, arm1))
    at2 = plus(second.velocity, cross(second.spin, arm2))
    apart, turned = minus(at1, at2), minus(first.spin, second.spin)
    D = {}
    for name in {**first.columns, **second.columns}:
        turn1, turn2 = first.turns.get(name, NONE), second.turns.get(name, NONE)
        linear = minus(
            plus(first.columns.get(name, NONE), cross(turn1, arm1)),
            plus(second.columns.get(name, NONE), cross(turn2, arm2)),
        )
        D[name] = component(linear, minus(turn1, turn2))
    rate1 = plus(first.acceleration, cross(first.spin_rate, arm1), cross(first.spin, minus(at2, first.velocity)))
    rate2 = plus(second.acceleration, cross(second.spin_rate, arm2), cross(second.spin, cross(second.spin, arm2)))
    linear_rate = minus(minus(rate1, rate2), cross(second.spin, apart))
    angular_rate = minus(minus(first.spin_rate, second.spin_rate), cross(second.spin, turned))
    return Row(
        constraint.name,
        part,
        {name: x for name, x in D.items() if not absent(x)},
        component(apart, turned),
        component(linear_rate, angular_rate),
        add(dot(f, minus(first.whole.o, second.whole.o)), dot(m, _misalignment(first.whole.c, c))),
        dict(_reactions(f, m, second.whole.o, first, second)),
    )


def _misalignment(first: Matrix, second: Matrix) -> Vector:
    """Return axis × sine of the rotation from the second axes to the first."""
    r = product(transpose(second), first)
    twice = (sub(r[2][1], r[1][2]), sub(r[0][2], r[2][0]), sub(r[1][0], r[0][1]))
    return from_column_axes(second, tuple(mul(0.5, x) for x in twice))


def _reactions(f: Vector, m: Vector, at: Vector, first: _Side, second: _Side) -> Iterator[tuple[int, Vector]]:
    """Yield (link, wrench for λ = 1) for the bodies of both sides, each in the frame of its body."""
    for side, sign in ((first, 1), (second, -1)):
        if side.body is not None:
            force, moment = (x if sign > 0 else minus(NONE, x) for x in (f, m))
            about = plus(moment, cross(minus(at, side.base.o), force))
            yield (
                side.places.numbers[side.body],
                to_column_axes(force, side.base.c) + to_column_axes(about, side.base.c),
            )


def _transfer(joint: Sequence[ElementaryTransformation], places: Places) -> Transfer:
    """Return the transfer L of constant transformations in sequence."""
    result = Transfer(NONE)
    for pair in pairs(joint, split=False):
        result = result.then(matrices(pair, places.arithmetic.to_scalar).transfer)
    return result


def _independent(own: Sequence[ElementaryTransformation]) -> bool:
    """Return True if three successive rotations reach every direction: neighbours have different axes."""
    return own[0].axis != own[1].axis and own[1].axis != own[2].axis


def _refusal(constraint: FrameCoincidence, reason: str) -> FormalismError:
    return FormalismError(
        error(
            f"constraints/{constraint.name}",
            f"konoplev does not take this cut joint: {reason}",
            "cut another joint: a weld, one rotation or translation, a cylinder or a sphere",
        )
    )
