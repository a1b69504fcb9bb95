"""Points of bodies brought to where they shall be: coordinates by assembly, and how far the bodies fall short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbconcord.model.constraint import PointCoincidence
from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import symbol
from mbconcord.model.force import Point
from mbconcord.model.naming import Namer
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import vector

from .assembly import assembled
from .batch import RowsAtStates
from .levenberg_marquardt import solve, units_of
from .rows import constraint_rows

#: A point has arrived when it is so near, m.
ARRIVED = 1e-9


@dataclass(frozen=True)
class Reached:
    """A state, and how far each point is from its place there (m)."""

    state: State
    gaps: tuple[float, ...]

    @property
    def short(self) -> tuple[int, ...]:
        """Which points did not arrive, from 0."""
        return tuple(i for i, gap in enumerate(self.gaps) if not gap <= ARRIVED)


class Reach:
    """Points of bodies of an open tree that are brought to places in the fixed frame."""

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

    def reached(self, state: State, places: Sequence[Sequence[float]]) -> Reached:
        """The state nearest to the given one in which every point is at its place, or as near as it was found."""
        names = [name for own in self.places for name in own]
        values = dict(zip(names, (float(x) for place in places for x in place), strict=True))
        asked = replace(state, v={}, a={}, parameters={**state.parameters, **values})
        at = RowsAtStates(self._rows, self.system, [asked])
        nearest = at.q.copy()
        near = solve(at, nearest, units_of(at, nearest))
        found = [self._found(at, near, state)]
        if found[0].short:
            made = assembled(at, [asked])
            q = np.array([[made.states[0].q[name] for name in self.system.coordinate_names]])
            found.append(self._found(at, q, state))
        return min(found, key=lambda one: max(one.gaps, default=0.0))

    def _found(self, at: RowsAtStates, q: np.ndarray, state: State) -> Reached:
        with np.errstate(over="ignore"):  # a place beyond all floats is infinitely far
            gaps = np.linalg.norm(at.positions(q).f.reshape(-1, 3), axis=1)
        named: Mapping[str, float] = dict(zip(self.system.coordinate_names, map(float, q[0]), strict=True))
        return Reached(replace(state, q=named), tuple(map(float, gaps)))
