"""Assembly: states moved onto the constraints, q by f(q, t) = 0 and q' by D q' + γ = 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbconcord.model.state import State
from mbconcord.model.system import System

from .batch import Array, RowsAtStates
from .levenberg_marquardt import ACCEPTED, solve, units_of, weighted
from .rows import constraint_rows

#: Where auxiliary coordinates of cut joints begin, until the joint closes, and how many steps each of these gets.
STARTS = (0.0, 1.1, -1.9, 2.6, -0.7, 0.4)
STEPS_OF_A_START = 20
#: Singular values of J, as parts of the largest. Zero, for rates:
SINGULAR = 1e-9
#: Regular positions have none between these two: either it is rounding of dependent rows, or it counts.
DEPENDENT, REGULAR = 1e-12, 1e-4
#: Rates below this part of the largest one given are what rounding has left of zero.
REST = 2.0**-49


@dataclass(frozen=True)
class Assembly:
    """States moved onto the constraints.

    Attributes
    ----------
    states : of the system
    extended : the same with the auxiliary coordinates of cut joints
    gaps, rate_gaps (N,) : largest gap of a position or a rate, relative to what it is made of
    rank (N,) : of D
    regular (N,) : whether no singular value of D is in doubt; where one is, the position is singular or close to it
    rows : how many rows there are
    """

    states: Sequence[State]
    extended: tuple[State, ...]
    gaps: Array
    rate_gaps: Array
    rank: Array
    regular: Array
    rows: int

    @property
    def closed(self) -> Array:
        """Which states satisfy the constraints (N,)."""
        return np.asarray(np.fmax(self.gaps, self.rate_gaps) <= ACCEPTED)

    def only(self, numbers: Sequence[int]) -> Assembly:
        """The states of these numbers."""
        chosen = list(numbers)
        states, extended = (tuple(group[i] for i in chosen) for group in (self.states, self.extended))
        arrays = (x[chosen] for x in (self.gaps, self.rate_gaps, self.rank, self.regular))
        return Assembly(states, extended, *arrays, self.rows)


def assemble(system: System, states: Sequence[State], held: bool = False) -> Assembly:
    """Move every state to the nearest one found that satisfies the constraints.

    Cut joints first look for coordinates of their own that close them; where the states are ``held`` these alone
    move. A state that satisfies the constraints to rounding stays where it is.
    """
    at = RowsAtStates(constraint_rows(system), system, states)
    q = with_auxiliary(at, at.q)
    return completed(at, states, q if held else solve(at, q, units_of(at, q)), held)


def with_auxiliary(at: RowsAtStates, q: Array) -> Array:
    """The coordinates (N, k) with auxiliary ones that close the cut joints, or almost, the others held."""
    own = at.rows.own
    if own == at.k:
        return q
    best, gaps = q, np.full(at.count, np.inf)
    for start in STARTS:
        left = np.flatnonzero(gaps > ACCEPTED)
        if not left.size:
            break
        part, tried = at.only(left), q[left].copy()
        tried[:, own:] = start
        tried = solve(part, tried, units_of(part, tried), np.arange(at.k) >= own, STEPS_OF_A_START)
        found = part.positions(tried).gaps
        better = (found < gaps[left]) | np.isinf(gaps[left])
        best = best.copy()
        best[left[better]], gaps[left[better]] = tried[better], found[better]
    return best


def completed(at: RowsAtStates, states: Sequence[State], q: Array, held: bool = False) -> Assembly:
    """The assembly at coordinates q (N, k): rates are those of ``at`` with the smallest change that fits."""
    own = at.rows.own
    moving = np.arange(at.k) >= own if held else np.full(at.k, True)
    position = at.positions(q)
    v = at.v
    units = units_of(at, q)
    J = weighted(position, units, np.ones(at.k)).J
    _, rank, regular = pseudoinverse(J)
    least, _, _ = pseudoinverse(J * moving)
    for _ in range(2):
        gap = at.rates(q, v).speed / position.reach
        gap = np.where(np.isfinite(gap), gap, 0.0)
        v = v - units * np.einsum("skm,sm->sk", least, gap)
    size = np.abs(at.v / units).max(axis=1, initial=0.0)[:, None] * units
    v = np.where(moving & (np.abs(v) <= REST * size), 0.0, v)
    names = at.rows.coordinates
    return Assembly(
        _states(states, names[:own], q, v), _states(states, names, q, v),
        position.gaps, at.rates(q, v).gaps, rank, regular, at.m,
    )  # fmt: skip


def pseudoinverse(J: Array) -> tuple[Array, Array, Array]:
    """J⁺ (N, k, m), the rank (N,), and whether no singular value is in doubt (N,)."""
    left, sizes, right = np.linalg.svd(J, full_matrices=False)
    part = sizes / np.maximum(sizes.max(axis=1, initial=0.0), np.finfo(float).tiny)[:, None]
    kept = part > SINGULAR
    with np.errstate(all="ignore"):
        inverse = np.where(kept, 1 / sizes, 0.0)
    least = np.einsum("srk,sr,smr->skm", right, inverse, left, optimize=True)
    return least, kept.sum(axis=1), ((part < DEPENDENT) | (part > REGULAR)).all(axis=1)


def _states(states: Sequence[State], names: Sequence[str], q: Array, v: Array) -> tuple[State, ...]:
    """The states with these coordinates and rates."""
    return tuple(
        replace(s, q=_named(names, row), v=_named(names, rates))
        for s, row, rates in zip(states, q, v, strict=True)
    )


def _named(names: Sequence[str], row: Array) -> dict[str, float]:
    return {name: float(x) for name, x in zip(names, row, strict=False)}
