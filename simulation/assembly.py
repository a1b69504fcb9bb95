"""Assembly: states moved onto the constraints, q by f(q, t) = 0 and q' by D q' + γ = 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from mbconcord.model.state import State
from mbconcord.model.system import System

from .batch import Array, RowsAtStates
from .levenberg_marquardt import ACCEPTED, solve, units_of, weighted
from .rows import constraint_rows

#: Where auxiliary coordinates of cut joints begin, until the joint closes, and how many steps each of these gets.
STARTS = (0.0, 1.1, -1.9, 2.6, -0.7, 0.4)
STEPS_OF_A_START = 20
#: Singular values of J are judged as parts of the largest, or of this where rounding is all there is.
LARGE = 1e-3
#: Zero, for rates:
SINGULAR = 1e-9
#: Regular positions have none between these two: either it is rounding of dependent rows, or it counts.
DEPENDENT, REGULAR = 1e-12, 1e-4
#: How far a position is looked around for others, where rows depend on each other (rad, or reaches).
ASIDE = 0.05
#: How often a state that is stuck is kicked, and how far.
KICKS, KICK = 12, 0.5
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
    regular (N,) : whether the position is; a folded or singular one, or one close to it, is not
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
        gaps, rate_gaps, rank, regular = (
            x[chosen] for x in (self.gaps, self.rate_gaps, self.rank, self.regular)
        )
        return Assembly(states, extended, gaps, rate_gaps, rank, regular, self.rows)


def assemble(system: System, states: Sequence[State], held: bool = False) -> Assembly:
    """Move every state to the nearest one found that satisfies the constraints.

    Cut joints first look for coordinates of their own that close them; where the states are ``held`` these alone
    move. A state that satisfies the constraints to rounding stays where it is; one that gets stuck is kicked.
    """
    return assembled(RowsAtStates(constraint_rows(system), system, states), states, held)


def assembled(at: RowsAtStates, states: Sequence[State], held: bool = False) -> Assembly:
    """:func:`assemble`, with the rows of the system at these states."""
    q = with_auxiliary(at, at.q)
    if held:
        return completed(at, states, q, held)
    random, q = Random(0), solve(at, q, units_of(at, q))
    for _ in range(KICKS):
        stuck = np.flatnonzero(at.positions(q).gaps > ACCEPTED)
        if not stuck.size:
            break
        part = at.only(stuck)
        tried = kicked(part, q[stuck], random)
        q[stuck] = solve(part, tried, units_of(part, tried))
    return completed(at, states, q)


def kicked(at: RowsAtStates, q: Array, random: Random, size: float = KICK) -> Array:
    """Coordinates (N, k) moved by normal numbers, of this size in their units, where any row depends on them."""
    return q + size * units_of(at, q) * noise(random, len(q), at.k) * at.bound


def noise(random: Random, count: int, k: int) -> Array:
    """Normal numbers (count, k)."""
    return np.array([random.gauss(0.0, 1.0) for _ in range(count * k)]).reshape(count, k)


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


def completed(
    at: RowsAtStates, states: Sequence[State], q: Array, held: bool = False, moving: Array | None = None
) -> Assembly:
    """The assembly at coordinates q (N, k): rates are those of ``at`` with the smallest change that fits.

    Of those (k,) that are ``moving``; where the states are ``held`` that of the auxiliary coordinates.
    """
    own = at.rows.own
    if moving is None:
        moving = np.arange(at.k) >= own if held else np.full(at.k, True)
    position = at.positions(q)
    v = at.v
    units = units_of(at, q)
    least = pseudoinverse(weighted(position, units, moving).J)
    for _ in range(2):
        gap = at.rates(q, v).speed / position.reach
        gap = np.where(np.isfinite(gap), gap, 0.0)
        v = v - moving * units * np.einsum("skm,sm->sk", least, gap)
    size = np.abs(at.v / units).max(axis=1, initial=0.0)[:, None] * units
    v = np.where(moving & (np.abs(v) <= REST * size), 0.0, v)
    names = at.rows.coordinates
    return Assembly(
        _states(states, names[:own], q, v), _states(states, names, q, v),
        position.gaps, at.rates(q, v).gaps, *regularity(at, q), at.m,
    )  # fmt: skip


def pseudoinverse(J: Array) -> Array:
    """J⁺ (N, k, m), small singular values taken for zero."""
    left, sizes, right = np.linalg.svd(J, full_matrices=False)
    kept = _parts(sizes) > SINGULAR
    with np.errstate(all="ignore"):
        inverse = np.where(kept, 1 / sizes, 0.0)
    return np.asarray(np.einsum("srk,sr,smr->skm", right, inverse, left, optimize=True))


def regularity(at: RowsAtStates, q: Array) -> tuple[Array, Array]:
    """Rank of D (N,), and whether the position is regular (N,).

    It is where no singular value is in doubt, and where rows that depend on each other do so at the positions
    around that satisfy the constraints as well.
    """
    rank, clear = _spectrum(at, q)
    dependent = np.flatnonzero(clear & (rank < at.m))
    if dependent.size:
        part = at.only(dependent)
        aside = kicked(part, q[dependent], Random(0), ASIDE)
        around, clear_around = _spectrum(part, solve(part, aside, units_of(part, aside)))
        clear[dependent] = clear_around & (around == rank[dependent])
    return rank, clear


def _spectrum(at: RowsAtStates, q: Array) -> tuple[Array, Array]:
    """Rank of D (N,), and whether no singular value is in doubt (N,)."""
    J = weighted(at.positions(q), units_of(at, q), np.ones(at.k)).J
    part = _parts(np.linalg.svd(J, compute_uv=False))
    clear = ((part < DEPENDENT) | (part > REGULAR)).all(axis=1)
    return (part > SINGULAR).sum(axis=1), np.asarray(clear)


def _parts(sizes: Array) -> Array:
    """Singular values (N, r) as parts of the largest."""
    return np.asarray(sizes / np.maximum(sizes.max(axis=1, initial=0.0), LARGE)[:, None])


def _states(states: Sequence[State], names: Sequence[str], q: Array, v: Array) -> tuple[State, ...]:
    """The states with these coordinates and rates."""
    return tuple(
        replace(s, q=_named(names, row), v=_named(names, rates))
        for s, row, rates in zip(states, q, v, strict=True)
    )


def _named(names: Sequence[str], row: Array) -> dict[str, float]:
    return {name: float(x) for name, x in zip(names, row, strict=False)}
