"""Forces on bodies as wrenches ``(f; μ)`` in the frames of the bodies, and efforts u along coordinates.

Springs, dampers and moments between two frames follow from the motion of the second frame relative to the first.

In L = L₁⁻¹ L₂ (1.1), from the first frame to the second, o is the displacement and c the rotation. The relative twist
is that of the second frame in the axes of the first, minus that of the first at o. A wrench X on the second frame, at o
and in the axes of the first, acts as -L(o) X on the first; the L of each mounting transfers its wrench to the link.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import symbol, symbols
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, JointEffort, PointForce, Torsion, Wrench
from mbconcord.model.system import System
from mbconcord.model.transformation import Frame
from mbconcord.model.turns import follow_turns
from mbconcord.records import dataclass

from .mechanism import pairs
from .pair import matrices
from .structure import Places
from .vectors import (
    NONE,
    Arithmetic,
    Transfer,
    Vector,
    absent,
    dot,
    from_column_axes,
    minus,
    mul,
    sub,
    times,
    to_column_axes,
)

#: Components of the second frame's first axis in the axes of the first.
ALONG, ACROSS = symbol("@x"), symbol("@y")


def compute_mount_wrenches(force: Bushing | Torsion, places: Places) -> Iterator[tuple[int, Vector]]:
    """Yield (link, wrench) on each of the two bodies for a force between frames mounted on them."""
    seen = _Seen(_Mount(force.first, places), _Mount(force.second, places))
    own = _linear(force, seen, places) if isinstance(force, Bushing) else _moment(force, seen, places)
    relative = seen.relative
    back = Transfer(relative.o).wrench(own)
    for mount, at_mount in (
        (seen.second, to_column_axes(own[:3], relative.c) + to_column_axes(own[3:], relative.c)),
        (seen.first, minus(NONE + NONE, back)),
    ):
        if mount.body is not None:
            yield mount.number, mount.transfer.wrench(at_mount)


class _Mount:
    """A frame on a body: its transfer from the link's frame, and from the fixed frame."""

    def __init__(self, end: Frame, places: Places) -> None:
        self.body, self.number = end.body, places.numbers[end.body]
        transfer = Transfer(NONE)
        for pair in pairs(end.transformations, split=False):
            transfer = transfer.then(matrices(pair, places.arithmetic.to_scalar).transfer)
        self.transfer = transfer
        self.whole = places.frame(self.number).then(transfer)
        self.twist = transfer.twist(places.twist(self.number))


@dataclass(frozen=True)
class _Seen:
    """Position and motion of the second mount relative to the first."""

    first: _Mount
    second: _Mount

    @cached_property
    def relative(self) -> Transfer:
        """Transfer L from the first mount's frame to the second's."""
        return self.first.whole.inverse().then(self.second.whole)

    @cached_property
    def twist(self) -> Vector:
        """Twist of the second relative to the first, at its origin and in the axes of the first."""
        o, c = self.relative.o, self.relative.c
        carried = Transfer(o).twist(self.first.twist)
        own = from_column_axes(c, self.second.twist[:3]) + from_column_axes(c, self.second.twist[3:])
        return minus(own, carried)


def _linear(force: Bushing, seen: _Seen, places: Places) -> Vector:
    """Compute preload - K u - D u', without the zeros of K and D."""
    of, c = places.arithmetic.to_scalar, seen.relative.c
    turn = (sub(c[2][1], c[1][2]), sub(c[0][2], c[2][0]), sub(c[1][0], c[0][1]))
    u = _name_scalars(places, f"u_{{{force.name}", seen.relative.o + tuple(mul(0.5, x) for x in turn))
    v = _name_scalars(places, f"v_{{{force.name}", seen.twist)
    total = [of(p) for p in force.preload]
    for rows, values in ((force.stiffness, u), (force.damping, v)):
        for i, row in enumerate(rows):
            for k, value in zip(row, values, strict=True):
                if k and not absent(value):
                    total[i] = sub(total[i], mul(of(k), value))
    return _name_scalars(places, f"X_{{{force.name}", tuple(total))


def _moment(force: Torsion, seen: _Seen, places: Places) -> Vector:
    """Return M about the third axis of the first frame."""
    c = seen.relative.c
    along_axis, across, rate = _name_scalars(places, f"e_{{{force.name}", (c[0][0], c[1][0], seen.twist[5]))
    given = {ALONG: along_axis, ACROSS: across, LENGTH_RATE: rate}
    (moment,) = _name_scalars(
        places, f"X_{{{force.name}", (places.arithmetic.evaluate_with(force.moment(ACROSS, ALONG, LENGTH_RATE), given),)
    )
    return (*NONE, 0, 0, moment)


def _name_scalars(places: Places, stem: str, values: Vector) -> Vector:
    """Return the scalars for further use: themselves, or their names when a list of tiers is written."""
    return tuple(x if absent(x) else places.name_scalar(f"{stem},{i}}}", x) for i, x in enumerate(values, 1))


def efforts(system: System, arithmetic: Arithmetic) -> Iterator[tuple[str, Any]]:
    """Yield u: generalized forces along coordinates, (2.3)."""
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            yield c.name, arithmetic.to_scalar(c.drive.value)
    for force in system.forces:
        if isinstance(force, JointEffort):
            yield force.coordinate, arithmetic.to_scalar(force.expression())


def loads(system: System, places: Places) -> Iterator[tuple[int, Vector]]:
    """Yield (link, wrench) of every force on a body."""

    of, numbers = places.arithmetic.to_scalar, places.numbers
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield from bipolar(force, places)
        elif isinstance(force, (Bushing, Torsion)):
            yield from compute_mount_wrenches(follow_turns(system, force), places)
        elif isinstance(force, (PointForce, Wrench)) and force.point.body is not None:
            moment = tuple(map(of, force.moment)) if isinstance(force, Wrench) else NONE
            push = tuple(map(of, force.force))
            yield numbers[force.point.body], places.wrench(force.point, push, moment, force.follows)


def bipolar(force: Bipolar, places: Places) -> Iterator[tuple[int, Vector]]:
    """Yield the two forces of a bipolar element; a positive one pushes its points apart."""
    line = minus(places.position(force.second), places.position(force.first))
    apart = tuple(places.name_scalar(f"r_{{{force.name},{i}}}", x) for i, x in enumerate(line, 1))
    squared = dot(apart, apart)
    if absent(squared):
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    length = places.name_scalar(f"l_{{{force.name}}}", places.arithmetic.sqrt(squared))
    given = {LENGTH: length}
    stretched = force.force_per_length(LENGTH, LENGTH_RATE)
    law, name = (force.force(LENGTH, LENGTH_RATE), "f") if stretched is None else (stretched, "k")
    if stretched is None or LENGTH_RATE.data in symbols([law]):
        apart_rate = minus(places.velocity(force.second), places.velocity(force.first))
        given[LENGTH_RATE] = places.name_scalar(f"v_{{{force.name}}}", dot(apart, apart_rate) / length)
    value = places.name_scalar(f"{name}_{{{force.name}}}", places.arithmetic.evaluate_with(law, given))
    push = times(value / length if stretched is None else value, apart)
    for point, acting in ((force.first, minus(NONE, push)), (force.second, push)):
        if point.body is not None:
            yield places.numbers[point.body], places.wrench(point, acting)
