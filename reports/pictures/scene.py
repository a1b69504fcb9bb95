"""Scene of a mechanism: points, links and joints in world axes, at one pose or at F poses at once.

A point has shape (3,), or (F, 3) if it moves over the poses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, radians, sin
from typing import Any

import numpy as np

from mbconcord.converters.fittings import Shape
from mbconcord.converters.registry import fittings
from mbconcord.model import Bipolar, Body, Bushing, Mapped, Prescribed, Rod, State, System, Torsion
from mbconcord.model.constraint import FrameCoincidence, PointCoincidence
from mbconcord.model.contact import Disc, Rolling, split_elements
from mbconcord.model.expressions import ZERO, apply
from mbconcord.model.force import Point, PointForce, Wrench
from mbconcord.model.numbers import environment
from mbconcord.model.transformation import Constant, rotation, shift
from mbconcord.records import dataclass, replace

from .frames import Array, FrameTracker, Placed, nodes, rotate_vectors

# From where a mechanism is looked at: planar ones from the front, spatial ones with the vertical upwards.


AZIMUTH, ELEVATION = radians(-52), radians(18)


def axes(shown: Scene, plane: int | None) -> Array:
    """Return, as rows, the world's directions right, up and towards the viewer, at eye level."""
    if plane is not None:
        rows = {2: ((1, 0, 0), (0, 1, 0)), 1: ((1, 0, 0), (0, 0, 1)), 0: ((0, 1, 0), (0, 0, 1))}[plane]
        right, up = np.array(rows, dtype=float)
        return np.array([right, up, np.cross(right, up)])
    up = np.array([0.0, 0.0, 1.0])
    gravity = shown.gravity.reshape(-1, 3)[0]
    size = float(np.linalg.norm(gravity))
    if size and np.max(np.abs(gravity)) > 0.999 * size:
        up = np.abs(np.round(gravity / size))
    first = np.array([0.0, 1.0, 0.0]) if up[0] else np.array([1.0, 0.0, 0.0])
    second = np.cross(up, first)
    right = -sin(AZIMUTH) * first + cos(AZIMUTH) * second
    return np.array([right, up, np.cross(right, up)])


def basis(shown: Scene, plane: int | None) -> Array:
    """Return, as rows, the directions right and up in a picture; spatial mechanisms are seen from above."""
    right, up, toward = axes(shown, plane)
    if plane is not None:
        return np.array([right, up])
    return np.array([right, cos(ELEVATION) * up - sin(ELEVATION) * toward])


#: How far coordinates stand from zero when the initial pose shows nothing: rad, and parts of the extent.
DISPLAY_ANGLE, DISPLAY_SHIFT = 0.5, 0.6
#: Points of a closure that are not farther from one another are one.
CLOSED = 1e-6


@dataclass(frozen=True)
class SceneJoint:
    """A drawn joint: place, axis, and as label its coordinate, the formula of its map, or ``t`` of a prescribed motion.

    ``kind`` is that of its transformation, or ``closure`` for a loop closure, without label and with zero axis.
    """

    label: str
    kind: str
    point: Array
    axis: Array
    prescribed: bool


@dataclass(frozen=True)
class SceneLine:
    """A straight line: part of a ``link``, the ``base`` from the world's origin to a joint on the ground, a ``slide``
    along a coordinate, an ``arm`` to a centre of mass, a ``rod`` or a ``bipolar`` element, the ``gap`` of a loop that
    is not closed; part of an elastic body, deformed (``beam``) or undeformed (``rest``).

    ``body`` is the name of the body that the line is part of, None for an element and for parts of the ground.
    """

    kind: str
    start: Array
    end: Array
    body: str | None = None


@dataclass(frozen=True)
class Scene:
    """A mechanism at one pose or several; ``initial``: the pose is the model's own. ``frames`` belong to the bodies.

    ``outlines`` are curves (N, 3) of shapes, in the frame of the body that carries them; a curve of one point is a
    mark. ``undrawn`` names shapes of the model that have no outlines.
    """

    pose: dict[str, float]
    initial: bool
    lines: tuple[SceneLine, ...]
    joints: tuple[SceneJoint, ...]
    masses: tuple[tuple[str, Array], ...]
    ground: tuple[Array, ...]
    loads: tuple[tuple[str, Array], ...]
    gravity: Array
    frames: Mapping[str | None, Placed]
    outlines: tuple[tuple[str | None, tuple[Array, ...]], ...] = ()
    undrawn: tuple[str, ...] = ()

    @property
    def points(self) -> Array:
        """All points at all poses, (N, 3)."""
        found = [p for line in self.lines for p in (line.start, line.end)]
        found += [joint.point for joint in self.joints] + [p for _, p in self.masses] + list(self.ground)
        return np.concatenate([np.empty((0, 3)), *(p.reshape(-1, 3) for p in found)])

    @property
    def extent(self) -> float:
        """Largest side of the box around all points (m)."""
        points = self.points
        return float(np.max(np.ptp(points, axis=0), initial=0.0)) if len(points) else 0.0

    def plane(self) -> int | None:
        """Return the index of the world axis along which nothing extends or moves; None for a spatial mechanism."""
        points = self.points
        size = 1e-9 * (self.extent or 1.0)
        for axis in (2, 1, 0):
            flat = not len(points) or float(np.ptp(points[:, axis])) <= size
            motions = [
                np.max(np.abs(j.axis[..., axis])) < 1e-9
                if j.kind == "translation"
                else np.max(np.abs(np.abs(j.axis[..., axis]) - 1)) < 1e-9
                for j in self.joints
                if j.kind != "closure"
            ]
            if flat and all(motions) and abs(self.gravity[axis]) < 1e-9:
                return axis
        return None


def scene(system: System, parameters: Mapping[str, float] | None = None) -> Scene:
    """Build the scene of a model at its initial pose, or at a bent one if all points would lie on one line.

    ``parameters`` are values of parameters that have none in the model.

    Raises
    ------
    NumbersError
        A parameter has no value.
    """
    values = environment(system, [State(parameters=parameters or {})])[0]
    initial = {name: float(values[name]) for name in system.coordinate_names}
    bent = _bend_bodies(system, values, initial)
    found = scene_at(system, values, initial | bent, not bent)
    if not _degenerate(scene_at(system, values, initial, True) if bent else found):
        return found
    rotations = system.angles
    shift = DISPLAY_SHIFT * (found.extent or 1.0)
    modal = {name for body in system.bodies for name in body.modal}
    pose = {
        name: value or (0.0 if name in modal else DISPLAY_ANGLE if name in rotations else shift)
        for name, value in found.pose.items()
    }
    return scene_at(system, values, pose, False)


def _bend_bodies(system: System, values: dict[str, Any], pose: Mapping[str, float]) -> dict[str, float]:
    """Return visible values of the first modal coordinate of each elastic body that is undeformed at a pose."""
    frames = FrameTracker(system, values | dict(pose))
    found = {}
    for body in system.bodies:
        if body.modes and body.modal and not any(pose[name] for name in body.modal):
            own = nodes(body.modes, frames.numbers)
            if own.names and own.find_visible_value(0):
                found[body.modal[0]] = own.find_visible_value(0)
    return found


def _degenerate(found: Scene) -> bool:
    points = found.points
    if not len(points) or not found.extent:
        return True
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(len(spread) < 2 or spread[1] < 1e-3 * spread[0])


def scene_at(system: System, values: Mapping[str, Any], pose: dict[str, float], initial: bool) -> Scene:
    """Build the scene at these values of symbols, numbers or arrays (F,); values in ``pose`` replace them."""
    drawn = _Drawn(system, FrameTracker(system, {**values, **pose}))
    for body in system.bodies:
        drawn.body(body)
    for element in (*system.forces, *system.constraints):
        drawn.element(element)
    return drawn.scene(pose, initial)


def _list_rolling(system: System) -> Iterator[Shape]:
    """Yield the discs, spheres and ellipsoids of rolling bodies as shapes that are drawn."""
    for e in split_elements(system)[0]:
        if isinstance(e, Rolling):
            disc = e.shape if isinstance(e.shape, Disc) else None
            pose = shift(e.at)
            if disc is not None and not (disc.axis[0] is disc.axis[1] is ZERO):  # turns z to its axis
                turn = (-disc.axis[1], disc.axis[0], ZERO)
                pose = (*pose, rotation(turn, Constant(apply("acos", disc.axis[2]))))
            size = (disc.radius + disc.tube, 2 * disc.tube) if disc else e.shape.axes  # type: ignore[union-attr]
            kind = "cylinder" if disc else "sphere" if len(size) == 1 else "ellipsoid"
            yield Shape(f"contacts/{e.name}", e.body, kind, size, pose, True, (0, 0))


class _Drawn:
    """Collector of lines to draw, body by body, then attached elements."""

    def __init__(self, system: System, frames: FrameTracker) -> None:
        self.system, self.frames = system, frames
        self.lines: list[SceneLine] = []
        self.joints: list[SceneJoint] = []
        self.masses: list[tuple[str, Array]] = []
        self.loads: list[tuple[str, Array]] = []
        self.ground: dict[bytes, Array] = {}
        self.fastened: set[tuple[str, bytes]] = set()

    def scene(self, pose: dict[str, float], initial: bool) -> Scene:
        """Return the scene from the collected lines, with outlines of shapes."""
        found = Scene(
            pose, initial, tuple(self.lines), tuple(self.joints), tuple(self.masses), tuple(self.ground.values()),
            tuple(self.loads), self.frames.numbers(self.system.gravity_vector), self.frames.of,
        )  # fmt: skip
        beside = fittings(self.system, seen=True)
        outlines, undrawn = [], [*beside.undrawn]
        every = (*beside.shapes, *_list_rolling(self.system))
        once = {(None if s.kind == "plane" else i, s.body, s.pose, s.size): s for i, s in enumerate(every)}
        for shape in once.values():
            if shape.seen and shape.body in self.frames.of:
                curves = self.frames.outline(shape, found.extent or 1.0)
                if curves:
                    outlines.append((shape.body, curves))
                else:
                    undrawn.append(f"{shape.kind} of {shape.body or 'the base'}")
        return replace(found, outlines=tuple(outlines), undrawn=tuple(dict.fromkeys(undrawn)))

    def body(self, body: Body) -> None:
        """Draw a body: its joint, and lines to its centre of mass or through its nodes."""
        frames = self.frames
        rotation, at = frames.carrier(body)
        seat, owner = at, body.parent
        for step in body.joint:
            start = at
            axis = rotate_vectors(rotation, frames.numbers(step.axis))
            of_map = str(step.amount) if isinstance(step.motion, Mapped) else ""
            moving = step.coordinate or of_map or ("t" if isinstance(step.motion, Prescribed) else "")
            rotation, at = frames.follow((rotation, at), [step])
            if moving:
                self._straight("link", seat, start, owner)
                self.joints.append(SceneJoint(moving, step.kind, start, axis, isinstance(step.motion, Prescribed)))
                self._straight("slide", start, at, body.name)
                seat, owner = at, body.name
        if owner is None:  # nothing moves: it stands on the ground
            self._stand(at)
        self._straight("link", seat, at, owner)
        frames.of[body.name] = rotation, at
        bent = list(frames.beam(body)) if body.modal else []
        self.lines += [SceneLine(kind, start, end, body.name) for kind, start, end in bent]
        if body.inertia.mass and not bent:
            centre = at + rotate_vectors(rotation, frames.numbers(body.inertia.centre))
            self.masses.append((body.name, centre))
            self._straight("arm", at, centre, body.name)

    def element(self, element: Any) -> None:
        """Draw a force or a constraint, and the links that connect it to its bodies."""
        frames = self.frames
        if isinstance(element, (Bipolar, Rod, PointCoincidence)):
            first, second = (self._fasten(point) for point in (element.first, element.second))
            if isinstance(element, PointCoincidence):
                self._closure("gap", first, second)
            else:
                kind = "rod" if isinstance(element, Rod) else "bipolar"
                self.lines.append(SceneLine(kind, first, second))
        elif isinstance(element, (FrameCoincidence, Bushing, Torsion)):
            first, second = (frames.seat(element.first)[1], frames.end(element.second)[1])
            for frame, at in ((element.first, first), (element.second, second)):
                self._hold(frame.body, at)
            if isinstance(element, FrameCoincidence):
                slides = any(step.is_translation for step in element.first.transformations if step.coordinate)
                self._closure("slide" if slides else "gap", first, second)
            else:
                self._straight("bipolar", first, second, None)
        elif isinstance(element, (PointForce, Wrench)):
            self.loads.append((element.name, self._fasten(element.point)))

    def _closure(self, kind: str, first: Array, second: Array) -> None:
        """Draw a loop closure: a mark, and a line (``slide`` or ``gap``) if its two points are apart."""
        if np.max(np.abs(second - first)) > CLOSED * (1.0 + np.max(np.abs(second))):
            self._straight(kind, first, second, None)
        self.joints.append(SceneJoint("", "closure", second, np.zeros(3), False))

    def _fasten(self, point: Point) -> Array:
        at = self.frames.point(point)
        self._hold(point.body, at)
        return at

    def _hold(self, name: str | None, at: Array) -> None:
        """Draw a link from a body's frame to an attached point; for the ground, mark the point as a support."""
        if name is None:
            self._stand(at)
        elif not self.system.body(name).modal and (name, at.tobytes()) not in self.fastened:
            self.fastened.add((name, at.tobytes()))
            self._straight("link", self.frames.of[name][1], at, name)

    def _stand(self, at: Array) -> None:
        self.ground.setdefault(at.tobytes(), at)

    def _straight(self, kind: str, start: Array, end: Array, body: str | None) -> None:
        """Draw a line unless its length is zero; a link of the ground becomes a base, with a support at its end."""
        if kind == "link" and body is None:
            kind = "base"
            self._stand(end)
        if np.any(start != end):
            self.lines.append(SceneLine(kind, start, end, body))
