"""The support polygon of feet on a plane, and the distance of a plumb point inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbconcord.model.constraint import PointCoincidence
from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import symbol
from mbconcord.model.force import Point
from mbconcord.model.naming import Namer
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, replace

from .assembly import assemble_at
from .batch import RowsAtStates
from .levenberg_marquardt import solve, units_of
from .rows import constraint_rows

# Points of bodies brought to where they shall be: coordinates by assembly, and how far the bodies fall short.


#: A point has arrived when it is so near, m.
ARRIVED = 1e-9


@dataclass(frozen=True)
class Reached:
    """A state, and the distance of each point from its target (m)."""

    state: State
    gaps: tuple[float, ...]

    @property
    def short(self) -> tuple[int, ...]:
        """List the points that did not arrive, from 0."""
        return tuple(i for i, gap in enumerate(self.gaps) if not gap <= ARRIVED)


class Reach:
    """Search for states in which points of bodies of an open tree are at given places in the fixed frame."""

    def __init__(self, system: System, points: Sequence[Point]) -> None:
        namer = Namer(system.names)
        self.places = [tuple(namer.fresh(f"place{i}{axis}") for axis in "xyz") for i in range(len(points))]
        rows = tuple(
            PointCoincidence(f"place{i}", point, Point(None, vector(map(symbol, place))))
            for i, (point, place) in enumerate(zip(points, self.places, strict=True))
        )
        names = [Parameter(name) for place in self.places for name in place]
        self.system = replace(system, constraints=rows, parameters=(*system.parameters, *names))
        self._rows = constraint_rows(self.system)

    def reach_places(self, state: State, places: Sequence[Sequence[float]]) -> Reached:
        """Find the state nearest to the given one with every point at its place, or as near as possible."""
        names = [name for own in self.places for name in own]
        values = dict(zip(names, (float(x) for place in places for x in place), strict=True))
        asked = replace(state, v={}, a={}, parameters={**state.parameters, **values})
        at = RowsAtStates(self._rows, self.system, [asked])
        nearest = at.q.copy()
        near = solve(at, nearest, units_of(at, nearest))
        found = [self._measure(at, near, state)]
        if found[0].short:
            made = assemble_at(at, [asked])
            q = np.array([[made.states[0].q[name] for name in self.system.coordinate_names]])
            found.append(self._measure(at, q, state))
        return min(found, key=lambda one: max(one.gaps, default=0.0))

    def _measure(self, at: RowsAtStates, q: np.ndarray, state: State) -> Reached:
        with np.errstate(over="ignore"):  # a place beyond all floats is infinitely far
            gaps = np.linalg.norm(at.positions(q).f.reshape(-1, 3), axis=1)
        named: Mapping[str, float] = dict(zip(self.system.coordinate_names, map(float, q[0]), strict=True))
        return Reached(replace(state, q=named), tuple(map(float, gaps)))


Array = NDArray[np.float64]


def horizontal(gravity: ArrayLike) -> Array:
    """Return two unit vectors (2, 3) across the direction of gravity, along fixed axes if these are across it.

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
    """Compute the convex hull of the feet, counter-clockwise: (K, 2) of (N, 2), in the horizontal plane."""
    points = sorted({(float(x), float(y)) for x, y in np.asarray(feet, dtype=float)})
    if len(points) < 3:
        return np.array(points).reshape(-1, 2)
    half = [_chain(points), _chain(points[::-1])]
    return np.array(half[0][:-1] + half[1][:-1])


def _chain(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for p in points:
        while len(chain) > 1 and _measure_side(chain[-2], chain[-1], p) <= 0:
            chain.pop()
        chain.append(p)
    return chain


def _measure_side(a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def stability_margin(point: ArrayLike, feet: ArrayLike) -> float:
    """Compute the distance (m) of the plumb point from the nearest edge of the support polygon; negative outside.

    Two feet or fewer do not support: the margin is minus the distance from the segment or point.
    """
    p, polygon = np.asarray(point, dtype=float), support_polygon(feet)
    if not len(polygon):
        return -float("inf")
    ends = np.roll(polygon, -1, axis=0)
    distance = min(_distance(p, a, b) for a, b in zip(polygon, ends, strict=True))
    turns = [_measure_side(tuple(a), tuple(b), tuple(p)) for a, b in zip(polygon, ends, strict=True)]
    inside = len(polygon) > 2 and all(turn >= 0 for turn in turns)
    return distance if inside else -distance


def _distance(p: Array, a: Array, b: Array) -> float:
    """Return the distance from a point to a segment."""
    edge = b - a
    length = float(edge @ edge)
    at = 0.0 if length == 0 else min(1.0, max(0.0, float((p - a) @ edge) / length))
    return float(np.linalg.norm(p - a - at * edge))
