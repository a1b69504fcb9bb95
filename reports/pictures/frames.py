"""Frames of a mechanism followed along its joints, in numbers, independently of every formalism: what is drawn.

At one pose or at F poses at once: what does not move over them has shape (3,) or (3, 3), what does (F, 3), (F, 3, 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import Body, System
from mbconcord.model.expressions import Expression, ExpressionError, evaluate
from mbconcord.model.expressions.arithmetic import numpy_arithmetic
from mbconcord.model.force import Point
from mbconcord.model.functions import Definitions
from mbconcord.model.transformation import Constant, ElementaryTransformation, Frame

from .beams import Nodes, nodes

Array = NDArray[np.float64]
#: A frame in world axes: its rotation, and its origin (m).
Placed = tuple[Array, Array]


class Frames:
    """Follows frames through the tree; a value that has no number (an undefined function) counts as zero.

    Parameters
    ----------
    system
    values : symbol -> number, or an array (F,) over the poses
    """

    def __init__(self, system: System, values: Mapping[str, Any]) -> None:
        self.system, self.values = system, values
        self._arithmetic = numpy_arithmetic()
        self._definitions = Definitions(system.functions)
        self._soft: dict[str, tuple[Nodes, Array]] = {}
        self.of: dict[str | None, Placed] = {None: (np.eye(3), np.zeros(3))}

    def numbers(self, values: Sequence[Expression]) -> Array:
        """Values (n,), or (F, n) where they change over the poses."""
        found = [self._number(value) for value in self._definitions.of(values)]
        return np.stack(np.broadcast_arrays(*found), axis=-1) if found else np.zeros(0)

    def _number(self, value: Expression) -> Array:
        try:
            with np.errstate(all="ignore"):
                (found,) = evaluate([value], self.values, self._arithmetic)
        except ExpressionError:
            found = 0.0
        return np.asarray(np.nan_to_num(np.asarray(found, dtype=float), nan=0.0, posinf=0.0, neginf=0.0))

    def along(self, start: Placed, steps: Sequence[ElementaryTransformation]) -> Placed:
        """The frame that transformations lead to."""
        rotation, at = start
        for step in steps:
            axis, amount = carried(rotation, self.numbers(step.axis)), self.amount(step)
            if step.is_translation:
                at = at + amount[..., None] * axis
            else:
                rotation = turn(axis, amount) @ rotation
        return rotation, at

    def amount(self, step: ElementaryTransformation) -> Array:
        """Its shift (m) or angle (rad)."""
        return np.asarray(self.numbers([step.amount])[..., 0])

    def point(self, point: Point) -> Array:
        """A point of a body; of an elastic one its origin or a node."""
        body = self.system.body(point.body) if point.body is not None else None
        if body is not None and body.modes and any(point.position):
            own = next(node for node in body.modes.nodes if node.position == point.position)
            return self.section(body.name, own.name)[1]
        rotation, origin = self.of[point.body]
        return np.asarray(origin + carried(rotation, self.numbers(point.position)))

    def end(self, frame: Frame) -> Placed:
        """Where a frame of a closure or a bushing is."""
        return self.along(self.of[frame.body], frame.transformations)

    def seat(self, frame: Frame) -> Placed:
        """Where a frame stands on its body: before what moves in it."""
        fixed = [*frame.transformations]
        moving = [i for i, step in enumerate(fixed) if not isinstance(step.motion, Constant)]
        return self.along(self.of[frame.body], fixed[: moving[0]] if moving else fixed)

    def carrier(self, body: Body) -> Placed:
        """The frame that carries a body: its parent's, or that of a section."""
        if body.parent is None or body.parent_node is None:
            return self.of[body.parent]
        return self.section(body.parent, body.parent_node)

    def section(self, body: str, node: str) -> Placed:
        """The frame of a section of an elastic body."""
        rotation, origin = self.of[body]
        own, q = self.soft(body)
        if node not in own.names:  # at the origin
            return rotation, origin
        turned, at = own.section(node, q)
        return rotation @ turned, np.asarray(origin + carried(rotation, at))

    def soft(self, body: str) -> tuple[Nodes, Array]:
        """Nodes and modal coordinates of an elastic body."""
        if body not in self._soft:
            modes = self.system.body(body).modes
            assert modes is not None
            of = np.broadcast_arrays(
                *(np.asarray(self.values[name], dtype=float) for name in modes.coordinates)
            )
            self._soft[body] = nodes(modes, self.numbers), np.stack(of, axis=-1)
        return self._soft[body]

    def beam(self, body: Body) -> Iterator[tuple[str, Array, Array]]:
        """The line of an elastic body over its nodes: (``rest`` or ``beam``, start, end) of each piece."""
        rotation, origin = self.of[body.name]
        own, q = self.soft(body.name)
        for kind, values in (("rest", np.zeros(q.shape[-1])), ("beam", q)) if own.names else ():
            for start, end in pairwise(origin + carried(rotation, at) for at in own.curve(values)):
                yield kind, start, end


def carried(rotation: Array, vector: Array) -> Array:
    """R v, at each pose."""
    return np.asarray((rotation @ vector[..., None])[..., 0])


def turn(axis: Array, angle: Array | float) -> Array:
    """Rotation matrix about a unit vector (Rodrigues), active and right-handed."""
    x, y, z = np.moveaxis(np.asarray(axis, dtype=float), -1, 0)
    o = np.zeros_like(x)
    k = np.stack([np.stack(row, axis=-1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], axis=-2)
    s, c = (np.asarray(of(angle))[..., None, None] for of in (np.sin, np.cos))
    return np.asarray(np.eye(3) + s * k + (1 - c) * (k @ k))
