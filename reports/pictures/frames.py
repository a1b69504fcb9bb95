"""Frames of a mechanism along its joints, in numbers, independently of every formalism: the basis of drawings.

Over F poses, vectors and matrices that change have shapes (F, 3) and (F, 3, 3), constant ones (3,) and (3, 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.converters.fittings import Shape
from mbconcord.model import Body, ElasticModes, System
from mbconcord.model.expressions import Expression, ExpressionError, evaluate
from mbconcord.model.expressions.arithmetic import numpy_arithmetic
from mbconcord.model.expressions.node import NUM
from mbconcord.model.force import Point
from mbconcord.model.functions import Definitions
from mbconcord.model.transformation import Constant, ElementaryTransformation, Frame
from mbconcord.records import dataclass

# Where elastic bodies go: nodes with their sections, and curves through them, undeformed and deformed.
#
# Between nodes no shape is known. The line from the origin, where the body is clamped, over its nodes is drawn with
# the slopes that the sections have there: cubics that a beam of constant section bends to between forces.


Array = NDArray[np.float64]
Numbers = Callable[[Sequence[Expression]], Array]

#: Pieces of a curve from one node to the next.
PIECES = 12
#: How far a mode is drawn, by the distance of the farthest node, or as an angle (rad) where nothing moves.
REACH, ANGLE = 0.15, 0.5


@dataclass(frozen=True)
class BeamNodes:
    """K nodes of an elastic body in body axes, nearest first: r0 (K, 3), Φ (K, 3, N + products), Ψ (K, 3, N)."""

    names: tuple[str, ...]
    modes: tuple[str, ...]
    position: Array
    moves: Array
    turns: Array
    products: tuple[tuple[int, int], ...] = ()

    def section(self, name: str, q: Array) -> tuple[Array, Array]:
        """Return rotation (3, 3) and position (3,) of a node's section in body axes; (F, …) if q is (F, N)."""
        k = self.names.index(name)
        w = np.stack([*np.moveaxis(q, -1, 0), *(q[..., a] * q[..., b] for a, b in self.products)], axis=-1)
        return exponential(q @ self.turns[k].T), self.position[k] + w @ self.moves[k].T

    def curve(self, q: Array) -> list[Array]:
        """Return points of the deformed line from the origin through the nodes, in body axes."""
        before, slope = np.zeros(3), self._direction_at(0)
        found = [before]
        for k, name in enumerate(self.names):
            turned, at = self.section(name, q)
            length = float(np.linalg.norm(self.position[k] - (self.position[k - 1] if k else 0.0)))
            tangent = turned @ self._direction_at(k)
            found += _cubic(before, at, slope * length, tangent * length)
            before, slope = at, tangent
        return found

    def shape(self, mode: int) -> tuple[str, Array, Array]:
        """Return the kind of a mode (``bending``, ``torsion``, ``stretching``), distances, and displacements there."""
        q = np.zeros(len(self.modes))
        q[mode] = 1.0
        along = self._direction_at(len(self.names) - 1)
        moved, turned = self.moves[:, :, mode], self.turns @ q
        axial = moved @ along
        across = moved - np.outer(axial, along)
        distance = np.concatenate([[0.0], np.linalg.norm(self.position, axis=1)])
        if np.abs(across).max() > 1e-9 * max(np.abs(moved).max(), 1e-300):
            way = across[int(np.argmax(np.linalg.norm(across, axis=1)))]
            way = way / np.linalg.norm(way)
            slopes = np.concatenate([[0.0], np.cross(turned, along) @ way])
            return "bending", *_interpolate(distance, np.concatenate([[0.0], across @ way]), slopes)
        values, what = (axial, "stretching") if np.abs(axial).max() > 0 else (turned @ along, "torsion")
        return what, distance, np.concatenate([[0.0], values])

    def find_visible_value(self, mode: int) -> float:
        """Return a value of a modal coordinate that makes the deformation visible."""
        reach = float(np.linalg.norm(self.position, axis=1).max())
        size = float(np.abs(self.moves[:, :, mode]).max())
        if size > 0:
            return REACH * reach / size
        turned = float(np.abs(self.turns[:, :, mode]).max())
        return ANGLE / turned if turned > 0 else 0.0

    def _direction_at(self, k: int) -> Array:
        """Return the direction of the undeformed line at node k."""
        step = self.position[k] - (self.position[k - 1] if k else 0.0)
        size = float(np.linalg.norm(step))
        return np.asarray(step / size) if size else np.array([1.0, 0.0, 0.0])


def nodes(modes: ElasticModes, numbers: Numbers) -> BeamNodes:
    """Collect the nodes of an elastic body that are not at its origin."""
    placed = [(node, numbers(node.position)) for node in modes.nodes]
    found = [(float(np.linalg.norm(at)), node, at) for node, at in placed if np.linalg.norm(at) > 0]
    found.sort(key=lambda item: item[0])
    n = len(modes.coordinates)
    return BeamNodes(
        tuple(node.name for _, node, _ in found),
        modes.coordinates,
        np.array([at for _, _, at in found]).reshape(-1, 3),
        np.array([[numbers(row) for row in node.translation] for _, node, _ in found]).reshape(
            -1, 3, n + len(modes.products)
        ),
        np.array([[numbers(row) for row in node.rotation] for _, node, _ in found]).reshape(-1, 3, n),
        tuple((modes.coordinates.index(a), modes.coordinates.index(b)) for a, b in modes.products),
    )


def exponential(angle: Array) -> Array:
    """Compute Exp(θ) (…, 3, 3) of θ (…, 3): E + sin θ/θ θ̂ + ½ (sin θ/2)²/(θ/2)² θ̂²."""
    x, y, z = np.moveaxis(angle, -1, 0)
    o = np.zeros_like(x)
    k = np.stack([np.stack(row, axis=-1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], axis=-2)
    size = np.linalg.norm(angle, axis=-1)[..., None, None]
    return np.asarray(np.eye(3) + np.sinc(size / np.pi) * k + np.sinc(size / (2 * np.pi)) ** 2 / 2 * (k @ k))


def _cubic(a: Array, b: Array, start: Array, end: Array) -> list[Array]:
    """Return points of the cubic from a to b with slopes ``start`` and ``end`` over a parameter 0 … 1, except a."""
    return [
        (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * start
        + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * end
        for s in np.arange(1, PIECES + 1) / PIECES
    ]  # fmt: skip


def _interpolate(x: Array, y: Array, slopes: Array) -> tuple[Array, Array]:
    """Return x and y of points on the cubics through (x, y) with slopes dy/dx."""
    points = [np.array([[x[0], y[0]]])]
    for k in range(len(x) - 1):
        length = x[k + 1] - x[k]
        ends = (np.array([x[i], y[i]]) for i in (k, k + 1))
        tangents = (np.array([length, slopes[i] * length]) for i in (k, k + 1))
        points.append(np.array(_cubic(*ends, *tangents)))
    whole = np.concatenate(points)
    return whole[:, 0], whole[:, 1]


#: A frame in world axes: its rotation, and its origin (m).
Placed = tuple[Array, Array]


class FrameTracker:
    """Calculator of poses of frames along the tree; a value that is not known, as of an undefined function, is zero.

    Parameters
    ----------
    system
    values : symbol -> number, or an array (F,) over the poses
    """

    def __init__(self, system: System, values: Mapping[str, Any]) -> None:
        self.system, self.values = system, values
        self._arithmetic = numpy_arithmetic()
        self._definitions = Definitions(system.functions)
        self._soft: dict[str, tuple[BeamNodes, Array]] = {}
        self.of: dict[str | None, Placed] = {None: (np.eye(3), np.zeros(3))}

    def numbers(self, values: Sequence[Expression]) -> Array:
        """Evaluate expressions to an array (n,), or (F, n) if one changes over the poses."""
        found = [self._number(value) for value in self._definitions.apply(values)]
        if all(not x.ndim for x in found):
            return np.array(found, dtype=float)
        return np.stack(np.broadcast_arrays(*found), axis=-1)

    def _number(self, value: Expression) -> Array:
        if value.op == NUM:  # most axes and shifts: once for all poses that are drawn
            return _constant(value)
        try:
            with np.errstate(all="ignore"):
                (found,) = evaluate([value], self.values, self._arithmetic)
        except ExpressionError:
            found = 0.0
        return np.asarray(np.nan_to_num(np.asarray(found, dtype=float), nan=0.0, posinf=0.0, neginf=0.0))

    def follow(self, start: Placed, steps: Sequence[ElementaryTransformation]) -> Placed:
        """Return the frame that these transformations reach from a start frame."""
        rotation, at = start
        for step in steps:
            axis, amount = rotate_vectors(rotation, self.numbers(step.axis)), self.amount(step)
            if step.is_translation:
                at = at + amount[..., None] * axis
            else:
                rotation = turn(axis, amount) @ rotation
        return rotation, at

    def amount(self, step: ElementaryTransformation) -> Array:
        """Return the shift (m) or angle (rad) of a transformation."""
        return np.asarray(self.numbers([step.amount])[..., 0])

    def point(self, point: Point) -> Array:
        """Return the world position of a body's point; on an elastic body this is its origin or a node."""
        body = self.system.body(point.body) if point.body is not None else None
        if body is not None and body.modes and any(point.position):
            own = next(node for node in body.modes.nodes if node.position == point.position)
            return self.section(body.name, own.name)[1]
        rotation, origin = self.of[point.body]
        return np.asarray(origin + rotate_vectors(rotation, self.numbers(point.position)))

    def end(self, frame: Frame) -> Placed:
        """Return the pose of a frame of a closure or a bushing."""
        return self.follow(self.of[frame.body], frame.transformations)

    def seat(self, frame: Frame) -> Placed:
        """Return the pose of a frame on its body before the first of its moving transformations."""
        fixed = [*frame.transformations]
        moving = [i for i, step in enumerate(fixed) if not isinstance(step.motion, Constant)]
        return self.follow(self.of[frame.body], fixed[: moving[0]] if moving else fixed)

    def outline(self, shape: Shape, extent: float) -> tuple[Array, ...]:
        """Return curves of a shape in its body's frame; empty for a mesh, or if size or pose changes over the poses.

        An infinite plane is drawn twice as large as the mechanism, whose size is ``extent``.
        """
        size = self.numbers(shape.size)
        rotation, at = self.follow((np.eye(3), np.zeros(3)), shape.pose)
        curves = _list_curves(shape, size, extent) if max(size.ndim, at.ndim, rotation.ndim - 1) < 2 else []
        return tuple(at + curve @ rotation.T for curve in curves)

    def carrier(self, body: Body) -> Placed:
        """Return the frame from which a body's joint starts: its parent's, or that of an elastic parent's section."""
        if body.parent is None or body.parent_node is None:
            return self.of[body.parent]
        return self.section(body.parent, body.parent_node)

    def section(self, body: str, node: str) -> Placed:
        """Return the pose of the section at a node of an elastic body."""
        rotation, origin = self.of[body]
        own, q = self.soft(body)
        if node not in own.names:  # at the origin
            return rotation, origin
        turned, at = own.section(node, q)
        return rotation @ turned, np.asarray(origin + rotate_vectors(rotation, at))

    def soft(self, body: str) -> tuple[BeamNodes, Array]:
        """Return the nodes of an elastic body and the values of its modal coordinates (N,) or (F, N)."""
        if body not in self._soft:
            modes = self.system.body(body).modes
            assert modes is not None
            of = np.broadcast_arrays(*(np.asarray(self.values[name], dtype=float) for name in modes.coordinates))
            self._soft[body] = nodes(modes, self.numbers), np.stack(of, axis=-1)
        return self._soft[body]

    def beam(self, body: Body) -> Iterator[tuple[str, Array, Array]]:
        """Yield pieces (kind, start, end) of an elastic body: undeformed (``rest``), deformed (``beam``)."""
        rotation, origin = self.of[body.name]
        own, q = self.soft(body.name)
        for kind, values in (("rest", np.zeros(q.shape[-1])), ("beam", q)) if own.names else ():
            for start, end in pairwise(origin + rotate_vectors(rotation, at) for at in own.curve(values)):
                yield kind, start, end


@lru_cache(maxsize=4096)
def _constant(value: Expression) -> Array:
    """Return a literal number as a read-only array."""
    try:
        found = np.float64(value.data)
    except OverflowError:
        found = np.float64(0)
    array = np.asarray(found)
    array.flags.writeable = False
    return array


def rotate_vectors(rotation: Array, vector: Array) -> Array:
    """Return the product R v of a rotation and a vector at each pose."""
    return np.asarray((rotation @ vector[..., None])[..., 0])


def turn(axis: Array, angle: Array | float) -> Array:
    """Return the rotation matrix about a unit vector (Rodrigues), active and right-handed."""
    x, y, z = np.moveaxis(np.asarray(axis, dtype=float), -1, 0)
    o = np.zeros_like(x)
    rows = ((o, -z, y), (z, o, -x), (-y, x, o))
    k = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2) if x.ndim else np.array(rows)
    s, c = (np.asarray(of(angle))[..., None, None] for of in (np.sin, np.cos))
    return np.asarray(np.eye(3) + s * k + (1 - c) * (k @ k))


def _list_curves(shape: Shape, size: Array, extent: float) -> list[Array]:
    """Return curves (N, 3) of a shape in its own frame."""
    turns = np.linspace(0, 2 * np.pi, 25)
    ring = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    x, y, z = np.eye(3)
    match shape.kind, size.tolist():
        case "point", []:
            return [np.zeros((1, 3))]
        case (("sphere" | "ellipsoid"), [a, *others]):
            return [np.roll(ring, k, axis=1) * ([a, *others] if others else a) for k in range(3)]
        case (("cylinder" | "capsule" | "cone"), [r, *others]):
            top, length = (r, *others) if len(others) == 1 else others
            low, high = -length / 2 * z, length / 2 * z
            sides = [np.array([low + r * way, high + top * way]) for way in (x, y, -x, -y)]
            caps = (
                [
                    [r * half[:, [0, 2, 1]] * sign + end, r * half[:, [2, 0, 1]] * sign + end]
                    for sign, end in ((1, high), (-1, low))
                    for half in [ring[:13]]
                ]
                if shape.kind == "capsule"
                else []
            )
            return [r * ring + low, top * ring + high, *sides, *(cap for pair in caps for cap in pair)]
        case "plane", [a, b]:
            half = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, -1, 0]]) / 2
            return [half * [a or 2 * extent, b or 2 * extent, 0]]
        case "box", [_, _, _]:
            corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * size / 2
            return [corners[[0, 1, 3, 2, 0, 4, 5, 7, 6, 4]], *(corners[[i, i + 4]] for i in (1, 2, 3))]
        case "polyhedron", _:
            corners = size.reshape(-1, 3)
            return [corners[list(edge)] for edge in shape.edges]
    return []
