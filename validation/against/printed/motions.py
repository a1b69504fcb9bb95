"""Motion of bodies and values of forces at printed states: formulas with bounds, scales by validation's kinematics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mbconcord.model.expressions import Expression, sqrt, time_derivative
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.force import Bipolar, JointEffort, Point
from mbconcord.model.functions import Definitions
from mbconcord.model.system import System

from ...judge.kinematics import Kinematics
from ...judge.motion import Array
from ...judge.solutions import Bounded
from ...judge.uncertainty import Inputs
from ..body_formulas import Vector, body_formula, frame
from ..numbers import AXES, expected_motion
from .columns import Columns
from .reader import Column


@dataclass(frozen=True)
class Shown:
    """A quantity that is no canonical one: its columns, the model's numbers (N, K) with bounds, and their scale."""

    quantity: str
    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    model: Bounded
    scale: Array


def shown(system: System, columns: Columns, given: Inputs, k: Kinematics) -> Iterator[Shown]:
    """Motion of bodies and values of forces that a table shows."""
    for quantity, entries in columns.motions.items():
        centred = quantity.startswith("centre_")
        plain = quantity.removeprefix("centre_")
        labels = [f"{body} {AXES[axis]}" for _, body, axis in entries]
        formulas = [
            body_formula(system, plain, AXES[axis], frame(system, body, centred)) for _, body, axis in entries
        ]
        sizes = []
        for _, name, axis in entries:
            moved = k.centre(system.body(name)) if centred else k.frame(name)
            sizes.append(np.broadcast_to(_size(plain, moved, k, axis), (k.count,)))
        found = _bounded(system, [x for x in formulas if x is not None], given)
        yield Shown(
            f"body_{quantity}", tuple(c for c, *_ in entries), tuple(labels), found, np.stack(sizes, axis=1)
        )
    if columns.forces:
        made = [_force(system, name) for name in columns.forces]
        found = _bounded(system, made, given)
        size = np.fmax(
            np.abs(found.values), np.stack([np.abs(c.values) for c in columns.forces.values()], axis=1)
        )
        yield Shown("force", tuple(columns.forces.values()), tuple(columns.forces), found, size)


def _size(quantity: str, moved: object, k: Kinematics, axis: int) -> Array:
    """What a component is made of (N,)."""
    return np.asarray(expected_motion(quantity, moved, k)[1])  # type: ignore[arg-type]


def _bounded(system: System, formulas: Sequence[Expression], given: Inputs) -> Bounded:
    values, bounds = given.run(levels(program(Definitions(system.functions).of(formulas))))
    return Bounded(*(np.broadcast_to(x.T, (given.count, len(formulas))) for x in (values, bounds)))


def _force(system: System, name: str) -> Expression:
    """The value of a force along a coordinate or between two points, by its law."""
    force = next(f for f in system.forces if f.name == name)
    if isinstance(force, JointEffort):
        return force.expression()
    assert isinstance(force, Bipolar)
    apart = [b - a for a, b in zip(_place(system, force.first), _place(system, force.second), strict=True)]
    length = sqrt(sum((x * x for x in apart[1:]), apart[0] * apart[0]))
    return force.force(length, time_derivative([length], system.coordinate_names)[0])


def _place(system: System, point: Point) -> Vector:
    """A point in world axes."""
    at = frame(system, point.body, False)
    return tuple(
        origin
        + sum((r * x for r, x in zip(row[1:], point.position[1:], strict=True)), row[0] * point.position[0])
        for origin, row in zip(at.position, at.rotation, strict=True)
    )
