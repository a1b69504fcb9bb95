"""From where a mechanism is looked at: planar ones from the front, spatial ones with the vertical upwards."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np

from .frames import Array
from .scene import Scene

AZIMUTH, ELEVATION = radians(-52), radians(18)


def axes(shown: Scene, plane: int | None) -> Array:
    """Rows: the world's directions to the right, upwards, and towards who looks, from a level eye."""
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
    """Rows: the directions to the right and upwards in a picture; spatial mechanisms are seen from above."""
    right, up, toward = axes(shown, plane)
    if plane is not None:
        return np.array([right, up])
    return np.array([right, cos(ELEVATION) * up - sin(ELEVATION) * toward])
