"""Constraint rows at a batch of N states at once, in NumPy, each with its own time and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.constraint import Holonomic
from mbconcord.model.contact import Disc, Rolling
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import ZERO, topological
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.expressions.code import compile_numpy
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass

from .rows import DEPENDENT, ConstraintRows

Array = NDArray[Any]

#: Multiplications of a matrix that take as long as one operation on an array.
FLOPS = 500
#: Positions that a search evaluates at least: of any rows, and beside these where cut joints are to be closed.
LEAST, LEAST_OF_CUTS = 10, 12


@dataclass(frozen=True)
class Positions:
    """f(q, t) (N, m), D (N, m, k), and the size of f's terms (N, m)."""

    f: Array
    D: Array
    reach: Array

    @property
    def gaps(self) -> Array:
        """Largest |f| of the rows, relative to the size of its terms (N,)."""
        return largest(self.f, self.reach)


@dataclass(frozen=True)
class Rates:
    """D q' + γ (N, m), and the size of its terms (N, m)."""

    speed: Array
    flow: Array

    @property
    def gaps(self) -> Array:
        """Largest |D q' + γ| of the rows, relative to the size of its terms (N,)."""
        return largest(self.speed, self.flow)


class RowsAtStates:
    """The m rows of a system at the times and parameters of N states; q and q' are arguments of each call.

    Attributes
    ----------
    system : the system that the rows belong to
    count, m, k : numbers of states, of rows, and of coordinates with the auxiliary ones
    q, v (N, k) : coordinates and rates of the states; auxiliary ones are zero
    bound (k,) : True for coordinates on which any row depends

    ``most`` limits the operations of all calls together; a call beyond it raises :class:`.NumbersError`.
    """

    def __init__(self, rows: ConstraintRows, system: System, states: Sequence[State], most: int | None = None) -> None:
        self.rows, self.system = rows, system
        self._left = None if most is None else [most]
        self.m, self.k = len(rows.rows), len(rows.coordinates)
        names, of = rows.coordinates, rows.rows
        fixed = self._stand_at(states)
        entries = [(i, j) for i, row in enumerate(of) for j, d in enumerate(row.D) if d is not ZERO]
        self._at = tuple(np.array(entries, dtype=int).reshape(-1, 2).T)
        self.bound = np.isin(np.arange(self.k), self._at[1])
        D = [of[i].D[j] for i, j in entries]
        self._inputs, inputs = fixed, [*fixed, *names]
        wanted = [*(r.position for r in of), *(r.reach for r in of), *D]
        self._steps = 0 if most is None else sum(1 for _ in topological(wanted))
        if most is not None:  # what cannot end in time is not compiled
            self._require(most - self._cost(self.count) * (LEAST + LEAST_OF_CUTS * (self.k > rows.own)))
        self._positions = compile_numpy(wanted, inputs)
        inputs = [*inputs, *(f"{name}'" for name in names)]
        self._rates = compile_numpy([*(r.speed for r in of), *(r.flow for r in of)], inputs)

    def _stand_at(self, states: Sequence[State]) -> list[str]:
        """Store times, parameters, q and v of these states; return the names of the numbers that calls do not give."""
        self.count, names = len(states), self.system.coordinate_names
        values = bind_states(self.system, states).values or _without_states(self.system)
        moving = {name + dot for name in names for dot in ("", "'", "''")}
        fixed = [name for name in values if name not in moving]
        self._fixed = np.array([values[name] for name in fixed]).reshape(len(fixed), self.count)
        zero = np.zeros(self.count)
        self.q, self.v = (
            np.array([values.get(name + dot, zero) for name in self.rows.coordinates]).reshape(self.k, self.count).T
            for dot in ("", "'")
        )
        return fixed

    def with_states(self, states: Sequence[State]) -> RowsAtStates:
        """Return the same rows at other states of the system."""
        other = copy(self)
        other._stand_at(states)
        return other

    def only(self, which: Array) -> RowsAtStates:
        """Return the same rows at the states with these numbers."""
        part = copy(self)
        part.count, part._fixed = len(which), self._fixed[:, which]
        part.q, part.v = self.q[which], self.v[which]
        return part

    def positions(self, q: Array, which: Array | None = None) -> Positions:
        """Compute f, D and reach at coordinates (N, k), or (len(which), k) of the states with these numbers."""
        fixed = self._fixed if which is None else self._fixed[:, which]
        self._spend(len(q))
        with np.errstate(all="ignore"):
            found = self._positions(np.concatenate([fixed, q.T])).T
        f, reach, entries = np.split(found, [self.m, 2 * self.m], axis=1)
        D = np.zeros((len(q), self.m, self.k))
        D[:, self._at[0], self._at[1]] = entries
        return Positions(f, D, np.where(reach > 0, reach, 1.0))

    def require_leaning(self, q: Array) -> None:
        """Refuse positions (N, k) at which a disc lies on its plane: its rows have no slopes there."""
        discs = {c.name: c.element for c in self.system.constraints if isinstance(c, Holonomic) and _is_disc(c.element)}
        places = [i for i, row in enumerate(self.rows.rows) if row.constraint in discs]
        lying = ~np.isfinite(self.positions(q).D[:, places]).all(axis=(0, 2)) if places else ()
        for i in np.flatnonzero(lying)[:1]:
            name = discs[self.rows.rows[places[i]].constraint].name
            message = "the disc lies on its plane, where it has no single place of contact and cannot roll"
            raise NumbersError(error(f"contacts/{name}", message, "give a state in which it leans less"))

    def _spend(self, states: int) -> None:
        """Subtract the cost of positions at so many states, and of a step from them, from the operations left."""
        if self._left is not None:
            self._left[0] -= self._cost(states)
            self._require(self._left[0])

    def _cost(self, states: int) -> int:
        return self._steps + states * self.m**2 * (self.m + self.k) // FLOPS

    def _require(self, left: int) -> None:
        """Refuse to go on if no operations are left of those that the search may take."""
        if left < 0:
            message = f"the search for states of {self.m:,} rows in {self.k:,} coordinates takes too long"
            remedy = "give a state near it: mbconcord assemble FILE --state FILE"
            raise NumbersError(error("constraints", message, remedy))

    def rates(self, q: Array, v: Array) -> Rates:
        """Compute D q' + γ and flow at coordinates and rates (N, k)."""
        with np.errstate(all="ignore"):
            found = self._rates(np.concatenate([self._fixed, q.T, v.T])).T
        return Rates(found[:, : self.m], found[:, self.m :])

    def contradictions(self, q: Array, v: Array) -> Array:
        """Compute |D q'' + γ̃| (N, m) of the best accelerations at coordinates and rates (N, k), relative to its terms.

        It is rounding unless rows that depend on each other, or motions prescribed in time, demand different ones.
        """
        D, rests = self.positions(q).D, [row.rest for row in self.rows.rows]
        lengths = np.linalg.norm(D, axis=2, keepdims=True)
        rows = D / np.where(lengths > 0, lengths, 1.0)
        left = np.zeros((len(q), self.m))
        known = np.isfinite(rows).all(axis=(1, 2))
        dependent = [s for s in np.flatnonzero(known) if np.linalg.matrix_rank(rows[s], DEPENDENT) < self.m]
        if not dependent:
            return left
        inputs = [*self._inputs, *self.rows.coordinates, *(f"{name}'" for name in self.rows.coordinates)]
        with np.errstate(all="ignore"):
            made = compile_numpy([*rests, *map(made_of, rests)], inputs)(np.concatenate([self._fixed, q.T, v.T])).T
        for s in dependent:
            rest, size = made[s, : self.m], made[s, self.m :]
            if np.isfinite(rest).all():
                best = -np.linalg.pinv(rows[s], rcond=DEPENDENT) @ (rest / np.where(lengths > 0, lengths, 1.0)[s, :, 0])
                scale = np.abs(D[s]) @ np.abs(best) + size
                left[s] = np.abs(D[s] @ best + rest) / np.where(scale > 0, scale, 1.0)
        return left


def _without_states(system: System) -> dict[str, Array]:
    """Return empty arrays (0,) for the time and the parameters, for a batch of no states."""
    return {name: np.zeros(0) for name in ("t", *(p.name for p in system.parameters))}


def largest(values: Array, sizes: Array) -> Array:
    """Return the largest |value| / size (N,); infinite if it is undefined."""
    with np.errstate(all="ignore"):
        found = np.where(values == 0, 0.0, np.abs(values) / sizes)
    return np.asarray(np.where(np.isfinite(found), found, np.inf).max(axis=1, initial=0.0))


def _is_disc(element: object) -> bool:
    return isinstance(element, Rolling) and isinstance(element.shape, Disc)
