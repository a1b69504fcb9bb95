"""What a picture of a mechanism shows: points, links and joints in world axes at one pose.

The frames are followed along each joint's elementary transformations, independently of every formalism.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import Bipolar, Body, Bushing, JointEffort, Prescribed, Rod, State, System
from mbconcord.model.expressions import Expression, ExpressionError, evaluate
from mbconcord.model.force import Point
from mbconcord.model.numbers import define, environment

from .beam_geometry import Nodes, nodes

Array = NDArray[np.float64]

#: How far coordinates stand from zero when the initial pose shows nothing: rad, and parts of the extent.
DISPLAY_ANGLE, DISPLAY_SHIFT = 0.5, 0.6


@dataclass(frozen=True)
class Joint:
    """A coordinate or a prescribed motion: where it acts, along or about which axis, and its name."""

    label: str
    kind: str
    point: Array
    axis: Array
    prescribed: bool


@dataclass(frozen=True)
class Line:
    """A straight piece: part of a ``link``, a ``slide`` along a coordinate, an ``arm`` to a centre of mass, a
    ``rod`` or a ``bipolar`` element; of an elastic body as it is bent (``beam``), and at rest (``rest``)."""

    kind: str
    start: Array
    end: Array


@dataclass(frozen=True)
class Scene:
    """A mechanism at one pose; ``initial``: the model's own."""

    pose: dict[str, float]
    initial: bool
    lines: tuple[Line, ...]
    joints: tuple[Joint, ...]
    masses: tuple[tuple[str, Array], ...]
    ground: tuple[Array, ...]
    loads: tuple[tuple[str, Array], ...]
    gravity: Array

    @property
    def points(self) -> Array:
        """All points, (N, 3)."""
        found = [p for line in self.lines for p in (line.start, line.end)]
        found += [joint.point for joint in self.joints] + [p for _, p in self.masses] + list(self.ground)
        return np.array(found).reshape(-1, 3)

    @property
    def extent(self) -> float:
        """Largest side of the box around all points (m)."""
        points = self.points
        return float(np.max(np.ptp(points, axis=0), initial=0.0)) if len(points) else 0.0

    def plane(self) -> int | None:
        """Index of the world axis along which nothing extends or moves; None for a spatial mechanism."""
        points = self.points
        size = 1e-9 * (self.extent or 1.0)
        for axis in (2, 1, 0):
            flat = not len(points) or float(np.ptp(points[:, axis])) <= size
            motions = [
                abs(j.axis[axis]) < 1e-9 if j.kind == "translation" else abs(abs(j.axis[axis]) - 1) < 1e-9
                for j in self.joints
            ]
            if flat and all(motions) and abs(self.gravity[axis]) < 1e-9:
                return axis
        return None


def scene(system: System, parameters: Mapping[str, float] | None = None) -> Scene:
    """The mechanism at its initial pose, or, where that shows points on one line only, at a bent one.

    ``parameters`` are values of parameters that have none in the model.

    Raises
    ------
    NumbersError
        A parameter has no value.
    """
    values = environment(system, [State(parameters=parameters or {})])[0]
    initial = {name: float(values[name]) for name in system.coordinate_names}
    bent = _bent(system, values, initial)
    found = _scene(system, values, initial | bent, not bent)
    if not _degenerate(_scene(system, values, initial, True) if bent else found):
        return found
    rotations = {et.coordinate for body in system.bodies for et in body.joint if not et.is_translation}
    shift = DISPLAY_SHIFT * (found.extent or 1.0)
    modal = {name for body in system.bodies for name in body.modal}
    pose = {
        name: value or (0.0 if name in modal else DISPLAY_ANGLE if name in rotations else shift)
        for name, value in found.pose.items()
    }
    return _scene(system, values, pose, False)


def _bent(system: System, values: dict[str, Any], pose: Mapping[str, float]) -> dict[str, float]:
    """The first mode of every elastic body that is not bent at a pose, so far that it is seen."""
    tracer = _Tracer(system, values | dict(pose))
    found = {}
    for body in system.bodies:
        if body.modes and body.modal and not any(pose[name] for name in body.modal):
            own = nodes(body.modes, tracer.numbers)
            if own.names and own.drawn(0):
                found[body.modal[0]] = own.drawn(0)
    return found


def _degenerate(found: Scene) -> bool:
    points = found.points
    if not len(points) or not found.extent:
        return True
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(len(spread) < 2 or spread[1] < 1e-3 * spread[0])


class _Tracer:
    """Follows frames through the tree; a value that has no number (an undefined function) counts as zero."""

    def __init__(self, system: System, values: dict[str, Any]) -> None:
        self.system, self.values = system, values
        self.frames: dict[str | None, tuple[Array, Array]] = {None: (np.eye(3), np.zeros(3))}

    def numbers(self, values: Sequence[Expression]) -> Array:
        result = []
        for value in define(values, self.system.functions):
            try:
                result.append(float(evaluate([value], self.values)[0]))
            except ExpressionError:
                result.append(0.0)
        return np.array(result)

    def point(self, point: Point) -> Array:
        body = self.system.body(point.body) if point.body is not None else None
        if body is not None and body.modes and any(point.position):
            own = next(node for node in body.modes.nodes if node.position == point.position)
            return self.section(body.name, own.name)[1]
        rotation, origin = self.frames[point.body]
        at: Array = origin + rotation @ self.numbers(point.position)
        return at

    def carrier(self, body: Body) -> tuple[Array, Array]:
        """The frame that carries a body: its parent's, or that of a section."""
        if body.parent is None or body.parent_node is None:
            return self.frames[body.parent]
        return self.section(body.parent, body.parent_node)

    def section(self, body: str, node: str) -> tuple[Array, Array]:
        """The frame of a section of an elastic body."""
        rotation, origin = self.frames[body]
        own, q = self.soft(body)
        if node not in own.names:  # at the origin
            return rotation, origin
        turned, at = own.section(node, q)
        return rotation @ turned, origin + rotation @ at

    def soft(self, body: str) -> tuple[Nodes, Array]:
        """Nodes and modal coordinates of an elastic body."""
        modes = self.system.body(body).modes
        assert modes is not None
        return nodes(modes, self.numbers), np.array([float(self.values[name]) for name in modes.coordinates])

    def beam(self, body: Body) -> Iterator[Line]:
        """The line of an elastic body over its nodes, at rest and bent."""
        rotation, origin = self.frames[body.name]
        own, q = self.soft(body.name)
        for kind, values in (("rest", 0 * q), ("beam", q)) if own.names else ():
            curve = origin + own.curve(values) @ rotation.T
            for start, end in pairwise(curve):
                yield Line(kind, start, end)


def _scene(system: System, values: dict[str, Any], pose: dict[str, float], initial: bool) -> Scene:
    tracer = _Tracer(system, values | pose)
    lines: list[Line] = []
    joints: list[Joint] = []
    masses: list[tuple[str, Array]] = []
    ground: list[Array] = []
    for body in system.bodies:
        rotation, at = tracer.carrier(body)
        if body.parent is None:
            ground.append(at)
        joint_start = at
        for et in body.joint:
            axis = rotation @ tracer.numbers(et.axis)
            amount = float(tracer.numbers([et.amount])[0])
            moving = et.coordinate or ("t" if isinstance(et.motion, Prescribed) else "")
            if moving:
                lines += _straight("link", joint_start, at)
                joints.append(Joint(moving, et.kind, at, axis, et.coordinate is None))
            if et.is_translation:
                start, at = at, at + amount * axis
                if moving:
                    lines += _straight("slide", start, at)
            else:
                rotation = turn(axis, amount) @ rotation
            if moving:
                joint_start = at
        lines += _straight("link", joint_start, at)
        tracer.frames[body.name] = rotation, at
        bent = list(tracer.beam(body)) if body.modal else []
        lines += bent
        if body.inertia.mass and not bent:
            centre = at + rotation @ tracer.numbers(body.inertia.centre)
            masses.append((body.name, centre))
            lines += _straight("arm", at, centre)
    lines += _elements(system, tracer)
    gravity = tracer.numbers(system.gravity_vector)
    return Scene(
        pose,
        initial,
        tuple(lines),
        tuple(joints),
        tuple(masses),
        _distinct(ground),
        _loads(system, tracer),
        gravity,
    )


def _straight(kind: str, start: Array, end: Array) -> list[Line]:
    """The line, unless it has no length."""
    return [Line(kind, start, end)] if np.any(start != end) else []


def _elements(system: System, tracer: _Tracer) -> Iterator[Line]:
    for element in (*system.forces, *system.constraints):
        if isinstance(element, (Bipolar, Rod)):
            kind = "rod" if isinstance(element, Rod) else "bipolar"
            yield Line(kind, tracer.point(element.first), tracer.point(element.second))


def _loads(system: System, tracer: _Tracer) -> tuple[tuple[str, Array], ...]:
    return tuple(
        (force.name, tracer.point(force.point))
        for force in system.forces
        if not isinstance(force, (Bipolar, Bushing, JointEffort))
    )


def _distinct(points: Sequence[Array]) -> tuple[Array, ...]:
    kept: dict[tuple[float, ...], Array] = {tuple(p): p for p in points}
    return tuple(kept.values())


def turn(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit vector (Rodrigues), active and right-handed."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix: Array = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
    return matrix
