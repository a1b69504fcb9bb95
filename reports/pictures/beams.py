"""Where elastic bodies go: nodes with their sections, and curves through them, undeformed and deformed.

Between nodes no shape is known. The line from the origin, where the body is clamped, over its nodes is drawn with
the slopes that the sections have there: cubics that a beam of constant section bends to between forces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import ElasticModes
from mbconcord.model.expressions import Expression

Array = NDArray[np.float64]
Numbers = Callable[[Sequence[Expression]], Array]

#: Pieces of a curve from one node to the next.
PIECES = 12
#: How far a mode is drawn, by the distance of the farthest node, or as an angle (rad) where nothing moves.
REACH, ANGLE = 0.15, 0.5


@dataclass(frozen=True)
class Nodes:
    """Nodes in numbers, body axes, nearest to the origin first: r0 (K, 3), Φ (K, 3, N + products), Ψ (K, 3, N)."""

    names: tuple[str, ...]
    modes: tuple[str, ...]
    position: Array
    moves: Array
    turns: Array
    products: tuple[tuple[int, int], ...] = ()

    def section(self, name: str, q: Array) -> tuple[Array, Array]:
        """Rotation (3, 3) and place (3,) of a node's section in body axes; (F, …) where q is (F, N)."""
        k = self.names.index(name)
        w = np.stack([*np.moveaxis(q, -1, 0), *(q[..., a] * q[..., b] for a, b in self.products)], axis=-1)
        return exponential(q @ self.turns[k].T), self.position[k] + w @ self.moves[k].T

    def curve(self, q: Array) -> list[Array]:
        """Points of the line from the origin over the nodes, in body axes."""
        before, slope = np.zeros(3), self._along(0)
        found = [before]
        for k, name in enumerate(self.names):
            turned, at = self.section(name, q)
            length = float(np.linalg.norm(self.position[k] - (self.position[k - 1] if k else 0.0)))
            tangent = turned @ self._along(k)
            found += _cubic(before, at, slope * length, tangent * length)
            before, slope = at, tangent
        return found

    def shape(self, mode: int) -> tuple[str, Array, Array]:
        """What a mode does, and that over the distance from the origin: ``bending``, ``torsion``, ``stretching``."""
        q = np.zeros(len(self.modes))
        q[mode] = 1.0
        along = self._along(len(self.names) - 1)
        moved, turned = self.moves[:, :, mode], self.turns @ q
        axial = moved @ along
        across = moved - np.outer(axial, along)
        distance = np.concatenate([[0.0], np.linalg.norm(self.position, axis=1)])
        if np.abs(across).max() > 1e-9 * max(np.abs(moved).max(), 1e-300):
            way = across[int(np.argmax(np.linalg.norm(across, axis=1)))]
            way = way / np.linalg.norm(way)
            slopes = np.concatenate([[0.0], np.cross(turned, along) @ way])
            return "bending", *_interpolated(distance, np.concatenate([[0.0], across @ way]), slopes)
        values, what = (axial, "stretching") if np.abs(axial).max() > 0 else (turned @ along, "torsion")
        return what, distance, np.concatenate([[0.0], values])

    def drawn(self, mode: int) -> float:
        """A value of a modal coordinate at which the deformation is seen."""
        reach = float(np.linalg.norm(self.position, axis=1).max())
        size = float(np.abs(self.moves[:, :, mode]).max())
        if size > 0:
            return REACH * reach / size
        turned = float(np.abs(self.turns[:, :, mode]).max())
        return ANGLE / turned if turned > 0 else 0.0

    def _along(self, k: int) -> Array:
        """Direction of the undeformed line where it reaches node k."""
        step = self.position[k] - (self.position[k - 1] if k else 0.0)
        size = float(np.linalg.norm(step))
        return np.asarray(step / size) if size else np.array([1.0, 0.0, 0.0])


def nodes(modes: ElasticModes, numbers: Numbers) -> Nodes:
    """The nodes of an elastic body that are not at its origin."""
    placed = [(node, numbers(node.position)) for node in modes.nodes]
    found = [(float(np.linalg.norm(at)), node, at) for node, at in placed if np.linalg.norm(at) > 0]
    found.sort(key=lambda item: item[0])
    n = len(modes.coordinates)
    return Nodes(
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
    """Exp(θ) (…, 3, 3) of θ (…, 3): E + sin θ/θ θ̂ + ½ (sin θ/2)²/(θ/2)² θ̂²."""
    x, y, z = np.moveaxis(angle, -1, 0)
    o = np.zeros_like(x)
    k = np.stack([np.stack(row, axis=-1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], axis=-2)
    size = np.linalg.norm(angle, axis=-1)[..., None, None]
    return np.asarray(np.eye(3) + np.sinc(size / np.pi) * k + np.sinc(size / (2 * np.pi)) ** 2 / 2 * (k @ k))


def _cubic(a: Array, b: Array, start: Array, end: Array) -> list[Array]:
    """Points of the cubic from a to b with these slopes over 0 … 1, without a."""
    return [
        (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * start
        + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * end
        for s in np.arange(1, PIECES + 1) / PIECES
    ]  # fmt: skip


def _interpolated(x: Array, y: Array, slopes: Array) -> tuple[Array, Array]:
    """Points of the cubics through (x, y) with these slopes dy/dx."""
    points = [np.array([[x[0], y[0]]])]
    for k in range(len(x) - 1):
        length = x[k + 1] - x[k]
        ends = (np.array([x[i], y[i]]) for i in (k, k + 1))
        tangents = (np.array([length, slopes[i] * length]) for i in (k, k + 1))
        points.append(np.array(_cubic(*ends, *tangents)))
    whole = np.concatenate(points)
    return whole[:, 0], whole[:, 1]
