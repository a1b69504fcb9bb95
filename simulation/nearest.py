"""Given states and the nearest ones on the constraints: their distance, and the mechanism's rank."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass

from .assembly import Assembly, assemble_at, find_singular, generic_ranks
from .batch import Array, RowsAtStates
from .levenberg_marquardt import ACCEPTED, units_of
from .rows import constraint_rows


@dataclass(frozen=True)
class Nearest:
    """N given states.

    Attributes
    ----------
    at : their rows
    given : the states as they are, with auxiliary coordinates that close cut joints as far as they can be closed
    moved : the nearest states found on the constraints
    """

    at: RowsAtStates
    given: Assembly
    moved: Assembly

    @cached_property
    def ranks(self) -> Array:
        """Rank (N, 2) of the constraints, and of these with drives: the mechanism's, and no printed state's."""
        return generic_ranks(self.at, _values(self.at, self.moved.extended))

    @cached_property
    def singular(self) -> Array:
        """True where a given state (N,) is on the constraints and admits more motions than those beside it."""
        q = _values(self.at, self.given.extended)
        return self.given.is_closed & find_singular(self.at, q, self.given.regular)

    @property
    def gaps(self) -> Array:
        """Largest gap (N,) of a position or a rate, as a part of what it is made of."""
        return np.asarray(np.fmax(self.given.gaps, self.given.rate_gaps))

    @property
    def shifts(self) -> Array:
        """Changes (N, n) of the positions on the way, in units: radians, and parts of the mechanism's reach."""
        own = self.at.rows.own
        before, after = (_values(self.at, made.extended) for made in (self.given, self.moved))
        return np.asarray(((after - before) / units_of(self.at, before))[:, :own])

    def say_gap(self, s: int) -> tuple[str, str]:
        """Return the constraint that state number s is farthest off, and by how much, in the units of its rows."""
        part = self.at.only(np.array([s]))
        q, v = (_values(part, self.given.extended[s : s + 1], order) for order in "qv")
        positions, rates = part.positions(q), part.rates(q, v)
        places, speeds = _parts(positions.f[0], positions.reach[0]), _parts(rates.speed[0], rates.flow[0])
        i, j = int(np.argmax(places)), int(np.argmax(speeds))
        name = self.at.rows.rows[i if places[i] >= speeds[j] else j].constraint
        said = []
        if places[i] > ACCEPTED:
            said.append(f"by {abs(positions.f[0, i]):.2g}{self._unit(i)}")
        if speeds[j] > ACCEPTED:
            said.append(f"in its rates by {abs(rates.speed[0, j]):.2g}{self._unit(j)}/s")
        return name, " and ".join(said)

    def _unit(self, i: int) -> str:
        row = self.at.rows.rows[i]
        turned = {c.name for c in self.at.system.constraints if isinstance(c, FrameCoincidence)}
        return " m" if row.metric else " rad" if row.constraint in turned else " "


def find_nearest(system: System, states: Sequence[State]) -> Nearest:
    """Find the states on the constraints that are next to states of a system."""
    at = RowsAtStates(constraint_rows(system), system, states)
    return Nearest(at, assemble_at(at, states, held=True), assemble_at(at, states))


def _values(at: RowsAtStates, states: Sequence[State], order: str = "q") -> Array:
    """Return coordinates or rates (N, k) of states with auxiliary coordinates."""
    return np.array([[getattr(s, order)[name] for name in at.rows.coordinates] for s in states])


def _parts(gaps: Array, sizes: Array) -> Array:
    """Return gaps (m,) relative to their scales; infinite if one is undefined."""
    with np.errstate(all="ignore"):
        found = np.where(gaps == 0, 0.0, np.abs(gaps) / sizes)
    return np.where(np.isfinite(found), found, np.inf)
