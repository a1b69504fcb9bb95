"""Assembly: states moved onto the constraints, so that f(q, t) = 0 and D q' + γ = 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .batch import Array, RowsAtStates
from .levenberg_marquardt import ACCEPTED, solve, units_of, weight_rows
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
#: Rows leave more than this part of what accelerations are made of where they contradict each other: not nine digits.
CONTRADICTS = 1e-8
#: How far a position is looked around for others, where rows depend on each other (rad, or reaches).
ASIDE = 0.05
#: The same where it shall stay on its branch: next to a change point others, of another rank, are near.
BESIDE = 1e-4
#: How often a state that is stuck is kicked, and how far.
KICKS, KICK = 12, 0.5
#: Rates below this part of the largest one given are what rounding has left of zero.
REST = 2.0**-49


@dataclass(frozen=True)
class Assembly:
    """States moved onto the constraints.

    Attributes
    ----------
    states : states in the coordinates of the system
    extended : the same states with the auxiliary coordinates of cut joints
    gaps, rate_gaps (N,) : largest gap of a position or a rate, relative to the size of its terms
    rank (N,) : rank of D
    regular (N,) : True if the position is neither folded nor singular, nor close to such a position
    rows : number of constraint rows
    """

    states: Sequence[State]
    extended: tuple[State, ...]
    gaps: Array
    rate_gaps: Array
    rank: Array
    regular: Array
    rows: int

    @property
    def is_closed(self) -> Array:
        """Mark the states that satisfy the constraints (N,)."""
        return np.asarray(np.fmax(self.gaps, self.rate_gaps) <= ACCEPTED)

    def only(self, numbers: Sequence[int]) -> Assembly:
        """Select the states with these numbers."""
        chosen = list(numbers)
        states, extended = (tuple(group[i] for i in chosen) for group in (self.states, self.extended))
        gaps, rate_gaps, rank, regular = (x[chosen] for x in (self.gaps, self.rate_gaps, self.rank, self.regular))
        return Assembly(states, extended, gaps, rate_gaps, rank, regular, self.rows)

    def with_those_of(self, other: Assembly) -> Assembly:
        """Return these states, then those of another assembly of the same system."""
        gaps, rate_gaps, rank, regular = (
            np.concatenate([getattr(each, name) for each in (self, other)])
            for name in ("gaps", "rate_gaps", "rank", "regular")
        )
        states, extended = (*self.states, *other.states), self.extended + other.extended
        return Assembly(states, extended, gaps, rate_gaps, rank, regular, self.rows)


def assemble(system: System, states: Sequence[State], held: bool = False) -> Assembly:
    """Move every state to the nearest one found that satisfies the constraints.

    Auxiliary coordinates of cut joints are searched first for values that close them; if ``held`` only these move. A
    state that satisfies the constraints to rounding is unchanged; one that gets stuck is perturbed.
    """
    return assemble_at(RowsAtStates(constraint_rows(system), system, states), states, held)


def assemble_at(at: RowsAtStates, states: Sequence[State], held: bool = False) -> Assembly:
    """Assemble states as :func:`assemble` does, with rows of the system that are already at these states."""
    q = with_auxiliary(at, at.q)
    if held:
        return complete(at, states, q, held)
    random, q = Random(0), solve(at, q, units_of(at, q))
    for _ in range(KICKS):
        stuck = np.flatnonzero(at.positions(q).gaps > ACCEPTED)
        if not stuck.size:
            break
        part = at.only(stuck)
        tried = kick(part, q[stuck], random)
        q[stuck] = solve(part, tried, units_of(part, tried))
    return complete(at, states, q)


def kick(at: RowsAtStates, q: Array, random: Random, size: float = KICK) -> Array:
    """Perturb those coordinates (N, k) on which rows depend, by normal random numbers of this size in their units."""
    return q + size * units_of(at, q) * noise(random, len(q), at.k) * at.bound


def noise(random: Random, count: int, k: int) -> Array:
    """Draw normal numbers (count, k)."""
    return np.array([random.gauss(0.0, 1.0) for _ in range(count * k)]).reshape(count, k)


def with_auxiliary(at: RowsAtStates, q: Array) -> Array:
    """Return coordinates (N, k) whose auxiliary ones close the cut joints, or nearly so; the others stay as in q."""
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


def complete(
    at: RowsAtStates, states: Sequence[State], q: Array, held: bool = False, moving: Array | None = None
) -> Assembly:
    """Return the assembly at coordinates q (N, k): the rates of ``at`` change as little as the constraints allow.

    Only rates of coordinates marked in ``moving`` (k,) change; if the states are ``held``, only those of the auxiliary
    coordinates.
    """
    own = at.rows.own
    if moving is None:
        moving = np.arange(at.k) >= own if held else np.full(at.k, True)
    position = at.positions(q)
    v = at.v
    units = units_of(at, q)
    auxiliary = np.arange(at.k) >= own  # nobody gave these: they follow first, as positions' do, then all change
    for part in (moving & auxiliary, moving, moving) if auxiliary.any() else (moving, moving):
        least = pseudoinverse(weight_rows(position, units, part).J)
        gap = at.rates(q, v).speed / position.reach
        gap = np.where(np.isfinite(gap), gap, 0.0)
        v = v - part * units * np.einsum("skm,sm->sk", least, gap)
    size = np.abs(at.v / units).max(axis=1, initial=0.0)[:, None] * units
    v = np.where(moving & (np.abs(v) <= REST * size), 0.0, v)
    names = at.rows.coordinates
    return Assembly(
        _states(states, names[:own], q, v), _states(states, names, q, v),
        position.gaps, at.rates(q, v).gaps, *regularity(at, q), at.m,
    )  # fmt: skip


def pseudoinverse(J: Array) -> Array:
    """Compute J⁺ (N, k, m), treating small singular values as zero."""
    left, sizes, right = np.linalg.svd(J, full_matrices=False)
    kept = _parts(sizes) > SINGULAR
    with np.errstate(all="ignore"):
        inverse = np.where(kept, 1 / sizes, 0.0)
    return np.asarray(np.einsum("srk,sr,smr->skm", right, inverse, left, optimize=True))


def regularity(at: RowsAtStates, q: Array) -> tuple[Array, Array]:
    """Compute the rank of D (N,), and whether the position is regular (N,).

    A position is regular if no singular value is in doubt and rows that depend on each other do so around it
    as well, where the constraints hold.
    """
    rank, clear = _spectrum(at, q)
    dependent = np.flatnonzero(clear & (rank < at.m))
    if dependent.size:
        part = at.only(dependent)
        aside = kick(part, q[dependent], Random(0), ASIDE)
        around, clear_around = _spectrum(part, solve(part, aside, units_of(part, aside)))
        clear[dependent] = clear_around & (around == rank[dependent])
    return rank, clear


def generic_ranks(at: RowsAtStates, q: Array) -> Array:
    """Return the largest rank (N, 2) of constraints, and of these with drives, at closed positions around q (N, k).

    If q closes, even if it is singular, this is the rank of the mechanism. If q does not close it is unknown: a number
    that is too large is returned. Columns of auxiliary coordinates are projected out.
    """
    found = np.zeros((len(q), 2), dtype=int)
    random, known = Random(0), np.zeros(len(q), dtype=bool)
    for size in (0.0, *[BESIDE] * 3):
        aside = kick(at, q, random, size)
        near = solve(at, aside, units_of(at, aside)) if size else q
        closed = at.positions(near).gaps <= ACCEPTED
        known |= closed & (size > 0)
        found = np.where(closed[:, None], np.fmax(found, _own_ranks(at, near)), found)
    known &= at.positions(q).gaps <= ACCEPTED
    return np.where(known[:, None], found, at.m + at.k)


def find_singular(at: RowsAtStates, q: Array, regular: Array) -> Array:
    """Mark the closed positions (N,) that admit more motions than positions beside them; ``regular`` ones do not."""
    found, doubted = np.zeros(len(q), dtype=bool), np.flatnonzero(~regular)
    if doubted.size:
        part, there = at.only(doubted), q[doubted]
        beside = generic_ranks(part, there)[:, 0]
        found[doubted] = (_own_ranks(part, there)[:, 0] < beside) & (beside <= at.m)
    return found


def _own_ranks(at: RowsAtStates, q: Array) -> Array:
    """Compute the rank (N, 2) of the rows in the system's own coordinates, without and with drives."""
    J = weight_rows(at.positions(q), units_of(at, q), np.ones(at.k)).J
    driven = np.eye(at.k)[[at.rows.coordinates.index(name) for name in find_imposed_accelerations(at.system)]]
    whole = np.concatenate([J, np.broadcast_to(driven, (len(q), *driven.shape))], axis=1)
    ranks = [
        (_parts(np.linalg.svd(x, compute_uv=False)) > SINGULAR).sum(axis=1) for x in (J, whole, J[:, :, at.rows.own :])
    ]
    return np.stack([ranks[0] - ranks[2], ranks[1] - ranks[2]], axis=1)


def _spectrum(at: RowsAtStates, q: Array) -> tuple[Array, Array]:
    """Compute the rank of D (N,), and whether no singular value is in doubt (N,)."""
    J = weight_rows(at.positions(q), units_of(at, q), np.ones(at.k)).J
    part = _parts(np.linalg.svd(J, compute_uv=False))
    clear = ((part < DEPENDENT) | (part > REGULAR)).all(axis=1)
    return (part > SINGULAR).sum(axis=1), np.asarray(clear)


def _parts(sizes: Array) -> Array:
    """Return singular values (N, r) relative to the largest."""
    return np.asarray(sizes / np.maximum(sizes.max(axis=1, initial=0.0), LARGE)[:, None])


def _states(states: Sequence[State], names: Sequence[str], q: Array, v: Array) -> tuple[State, ...]:
    """Return the states with these coordinates and rates."""
    return tuple(
        replace(s, q=_name_values(names, row), v=_name_values(names, rates))
        for s, row, rates in zip(states, q, v, strict=True)
    )


def _name_values(names: Sequence[str], row: Array) -> dict[str, float]:
    return {name: float(x) for name, x in zip(names, row, strict=False)}


def report_contradictions(at: RowsAtStates, extended: Sequence[State]) -> Iterator[Diagnostic]:
    """Report the row, the worst of all states, whose condition on accelerations contradicts those of other rows."""
    if not at.m or not extended:
        return
    q, v = (np.array([[getattr(x, order)[name] for name in at.rows.coordinates] for x in extended]) for order in "qv")
    left = at.contradictions(q, v)
    s, i = np.unravel_index(int(np.argmax(left)), left.shape)
    if left[s, i] > CONTRADICTS:
        message = f"no accelerations satisfy all rows: the best leave {left[s, i]:.2g} of what this one is made of"
        remedy = "let motions that formulas of t prescribe fit the constraints, leave one out, or choose other rates"
        yield error(f"constraints/{at.rows.rows[i].constraint}", message, remedy)
