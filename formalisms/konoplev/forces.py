"""Forces on the bodies as wrenches ``(f; μ)`` about the origins of their frames, in their axes; u along coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import symbols
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, JointEffort, PointForce, Torsion, Wrench
from mbconcord.model.system import System
from mbconcord.model.turns import follow_turns

from .arithmetic import Arithmetic
from .places import Places
from .vectors import NONE, Vector, absent, dot, minus, times


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
    from .mounts import compute_mount_wrenches  # not before: few models have bushings

    of, numbers = places.arithmetic.to_scalar, places.numbers
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield from bipolar(force, places)
        elif isinstance(force, (Bushing, Torsion)):
            yield from compute_mount_wrenches(follow_turns(system, force), places)
        elif isinstance(force, (PointForce, Wrench)) and force.point.body is not None:
            moment = tuple(map(of, force.moment)) if isinstance(force, Wrench) else NONE
            yield numbers[force.point.body], places.wrench(force.point, tuple(map(of, force.force)), moment)


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
