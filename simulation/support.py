"""The support polygon of feet on a plane, and how far a plumb point is inside of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def horizontal(gravity: ArrayLike) -> Array:
    """Two unit vectors (2, 3) across the direction of gravity, fixed axes where these are across it already.

    Raises
    ------
    ValueError
        There is no gravity.
    """
    g = np.asarray(gravity, dtype=float)
    size = float(np.linalg.norm(g))
    if not size > 0:
        raise ValueError("no gravity: no direction is down")
    down = g / size
    order = np.argsort(np.abs(down), kind="stable")[:2]  # the fixed axes that are most across
    first, second = (np.eye(3)[i] for i in sorted(order))
    first = first - (first @ down) * down
    first /= np.linalg.norm(first)
    second = second - (second @ down) * down - (second @ first) * first
    return np.array([first, second / np.linalg.norm(second)])


def support_polygon(feet: ArrayLike) -> Array:
    """The convex hull of the feet, counter-clockwise: (K, 2) of (N, 2), in the horizontal plane."""
    points = sorted({(float(x), float(y)) for x, y in np.asarray(feet, dtype=float)})
    if len(points) < 3:
        return np.array(points).reshape(-1, 2)
    half = [_chain(points), _chain(points[::-1])]
    return np.array(half[0][:-1] + half[1][:-1])


def _chain(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for p in points:
        while len(chain) > 1 and _left(chain[-2], chain[-1], p) <= 0:
            chain.pop()
        chain.append(p)
    return chain


def _left(a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def stability_margin(point: ArrayLike, feet: ArrayLike) -> float:
    """Distance (m) of the plumb point from the nearest edge of the support polygon; negative outside.

    Two feet or fewer support nothing: the margin is minus the distance from the segment or point.
    """
    p, polygon = np.asarray(point, dtype=float), support_polygon(feet)
    if not len(polygon):
        return -float("inf")
    ends = np.roll(polygon, -1, axis=0)
    distance = min(_distance(p, a, b) for a, b in zip(polygon, ends, strict=True))
    turns = [_left(tuple(a), tuple(b), tuple(p)) for a, b in zip(polygon, ends, strict=True)]
    inside = len(polygon) > 2 and all(turn >= 0 for turn in turns)
    return distance if inside else -distance


def _distance(p: Array, a: Array, b: Array) -> float:
    """From a point to a segment."""
    edge = b - a
    length = float(edge @ edge)
    at = 0.0 if length == 0 else min(1.0, max(0.0, float((p - a) @ edge) / length))
    return float(np.linalg.norm(p - a - at * edge))
