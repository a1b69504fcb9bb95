"""What an animation draws, as points over its frames: those that stand still once, those that move in every frame."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mbconcord.model import System

from ..pictures.frames import Array, Frames, carried
from ..pictures.scene import Scene
from ..pictures.view import axes

#: Length of the axis of a joint, as a part of the mechanism's size.
AXIS = 0.06
#: A mechanism that goes farther than so many times its size is followed.
FAR = 3.0
#: Boxes with two half-axes longer than this part of the mechanism's size would hide it: they are shown on request.
LARGE = 0.2
#: What a frame goes into at least: a mechanism without extent is drawn this large (m).
LEAST = 1e-6


class Tracks:
    """Points over F frames; each has a number: 0, 1, … of those that move, -1, -2, … of those that stand still."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.moving: list[Array] = []
        self.fixed: list[list[float]] = []
        self._numbers: dict[bytes, int] = {}

    def add(self, point: Array) -> int:
        """The number of a point (3,) or (F, 3); the same for the same point."""
        if point.ndim > 1 and not np.ptp(point, axis=0).any():
            point = point[0]
        if (found := self._numbers.get(point.tobytes())) is None:
            if point.ndim > 1:
                self.moving.append(point)
                found = len(self.moving) - 1
            else:
                self.fixed.append([float(f"{x:.7g}") for x in point])
                found = -len(self.fixed)
            self._numbers[point.tobytes()] = found
        return found

    def packed(self) -> str:
        """Coordinates of the points that move, frame by frame."""
        points = np.array(self.moving).reshape(-1, self.frames, 3)
        return floats(points.transpose(1, 0, 2))


def floats(values: Array) -> str:
    """Little-endian numbers of four bytes, in base64."""
    return b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def drawing(system: System, values: Mapping[str, Any], shown: Scene, frames: int) -> dict[str, Any]:
    """What the script draws of a scene over its frames, as JSON."""
    tracks = Tracks(frames)
    plane = shown.plane()
    names = [body.name for body in system.bodies]
    size, travel, centre = _extent(shown, frames)
    solids = list(_solids(system, values, shown))
    number = {name: i for i, name in enumerate(names)} | {None: -1}

    def tip(joint: Any) -> int | None:
        if joint.kind == "closure" or (plane is not None and joint.kind == "rotation"):
            return None
        return tracks.add(joint.point + AXIS * size * joint.axis)

    found = {
        "bodies": names,
        "lines": [
            [line.kind, tracks.add(line.start), tracks.add(line.end), number[line.body]]
            for line in shown.lines
        ],
        "joints": [
            [j.kind, tracks.add(j.point), tip(j), j.label, int(j.prescribed)] for j in shown.joints
        ],
        "masses": [[tracks.add(point), number[name]] for name, point in shown.masses],
        "ground": [tracks.add(point) for point in shown.ground],
        "loads": [[tracks.add(point), name] for name, point in shown.loads],
        "traces": [[tracks.add(point), label] for label, point in _followed(shown)],
        "solids": [[number[name], *(tracks.add(p) for p in points)] for name, points in solids],
    }  # fmt: skip
    gravity = shown.gravity.reshape(-1, 3)[0]
    return found | {
        "points": tracks.packed(), "moving": len(tracks.moving), "fixed": tracks.fixed,
        "centre": floats(centre), "size": size, "follow": bool(travel > FAR * size),
        "axes": axes(shown, plane).tolist(), "flat": plane is not None,
        "boxes": all(np.linalg.norm(p[2] - p[0], axis=-1).max() <= LARGE * size for _, p in solids),
        "gravity": gravity.tolist() if gravity.any() else None,
    }  # fmt: skip


def _followed(shown: Scene) -> Iterator[tuple[str, Array]]:
    """Points that a trace can be drawn of: mass centres, and tips of elastic bodies."""
    yield from shown.masses
    tips = {line.body: line.end for line in shown.lines if line.kind == "beam"}
    yield from ((f"tip of {name}", point) for name, point in tips.items())


def _extent(shown: Scene, frames: int) -> tuple[float, float, Array]:
    """Size of the mechanism itself, how far its middle goes (m), and where that is (F, 3)."""
    parts = [
        p for line in shown.lines if line.kind in ("link", "beam", "arm") for p in (line.start, line.end)
    ]
    parts += [point for _, point in shown.masses]
    parts = parts or [joint.point for joint in shown.joints] or [np.zeros(3)]
    over = np.array([np.broadcast_to(p, (frames, 3)) for p in parts])
    centre = over.mean(axis=0)
    size = 2 * float(np.linalg.norm(over - centre, axis=2).max())
    return max(size, LEAST), float(np.linalg.norm(np.ptp(centre, axis=0))), centre


def _solids(system: System, values: Mapping[str, Any], shown: Scene) -> Iterator[tuple[str, list[Array]]]:
    """Homogeneous boxes of the mass and the moments of inertia of bodies: (body, [centre, ends of half-axes]).

    Half a side along principal axis i is √(3/(2m) (J_j + J_k - J_i)); an ellipsoid's half-axis is √(5/3) times that.
    The longest stands last.
    """
    numbers = Frames(system, values).numbers
    centres = dict(shown.masses)
    for body in system.bodies:
        mass = numbers([body.inertia.mass]).reshape(-1)[0]
        if body.modal or body.name not in centres or not mass > 0:
            continue
        tensor = np.array([numbers(row).reshape(-1, 3)[0] for row in body.inertia.matrix()])
        moments, directions = np.linalg.eigh(tensor)
        halves = np.sqrt(np.maximum(moments.sum() - 2 * moments, 0) * 1.5 / mass)
        if halves.any():
            rotation, centre = shown.frames[body.name][0], centres[body.name]
            ends = (centre + carried(rotation, halves[i] * directions[:, i]) for i in np.argsort(halves))
            yield body.name, [centre, *ends]
