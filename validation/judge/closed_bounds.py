"""Motion with constraints, with bounds: M q'' + h = gravity + applied + Dᵀ λ, D q'' = -γ̃ as one linear system.

    [M  -Dᵀ] [q'']   [F ]
    [D   0 ] [λ  ] = [-γ̃]

of rows that are independent. No threshold says which are: a set of rows is independent where the solution has a
bound. What is left out must depend on it to within the bounds, D and γ̃ alike; a row that is neither provably
independent nor a combination of the others to rounding leaves the motion without a bound. Rows that are the same
to rounding are taken for the same: floats cannot tell more.

The states have to satisfy the constraints to rounding: a gap of 1e-12 makes more difference than the bounds hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions.bounds import FACTOR, U

from .bounds import force
from .solutions import Array, Bounded, powers, scaled_solution

#: A row that is this small, scaled to one, after the rows before it are taken off is surely not provably independent.
GONE = U


@dataclass(frozen=True)
class BoundedMotion:
    """Motion with constraints at N states of n coordinates.

    Attributes
    ----------
    acceleration : (N, n)
    reactions : (N, n)
        Dᵀ λ.
    rank : (N,)
        Number of rows that are independent, which the bounds prove.
    clear : (N,)
        Whether the other rows depend on these to rounding; where not, the motion has no bound.
    """

    acceleration: Bounded
    reactions: Bounded
    rank: NDArray[np.intp]
    clear: NDArray[np.bool_]


def bounded_motion(q: Mapping[str, Bounded]) -> BoundedMotion:
    """The motion from M, h, gravity, applied, D and γ̃ as :class:`.bounds.BoundedEquations` gives them."""
    right = force(q)
    count, n = right.values.shape
    motion = Bounded(np.full((count, n), np.nan), np.full((count, n), np.inf))
    reactions = Bounded(np.full((count, n), np.nan), np.full((count, n), np.inf))
    rank, clear = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=bool)
    with np.errstate(all="ignore"):
        for s in range(count):
            found = _solved(q["M"][s], right[s], q["D"][s], q["γ̃"][s])
            if found is not None:
                motion.values[s], motion.bounds[s] = found.acceleration.values, found.acceleration.bounds
                reactions.values[s], reactions.bounds[s] = found.reactions.values, found.reactions.bounds
                rank[s], clear[s] = found.rank, found.clear
    return BoundedMotion(motion, reactions, rank, clear)


@dataclass(frozen=True)
class _Solved:
    """The motion at one state."""

    acceleration: Bounded
    reactions: Bounded
    rank: int
    clear: bool


def _solved(mass: Bounded, right: Bounded, D: Bounded, rest: Bounded) -> _Solved | None:
    """With the largest set of rows that has a bound; None where none has."""
    if not all(np.isfinite(x.values).all() for x in (mass, right, D, rest)):
        return None
    units = powers(np.diag(mass.values))
    lengths = powers(np.sum((D.values * units) ** 2, axis=1))
    beyond = (np.abs(D.values) > D.bounds).any(axis=1)  # a row that is no more than rounding has no direction
    order, sizes = _pivoted(np.where(beyond[:, None], D.values * units * lengths[:, None], 0.0))
    n = len(right.values)
    for rank in range(int((sizes > GONE).sum()), -1, -1):
        rows, others = order[:rank], order[rank:]
        chosen, pull = D[rows], rest[rows]
        scale = np.concatenate([units, lengths[rows]])[None]
        x = scaled_solution(_saddle(mass, chosen), _stacked(right, pull), scale, scale)
        if not x.known.all():
            continue
        a, multipliers = x[0, :n], x[0, n:]
        reactions = _reactions(chosen, multipliers)
        if not _dependent(D[others], rest[others], chosen, pull, a, units, lengths[rows]):
            unknown = np.full(n, np.inf)
            return _Solved(Bounded(a.values, unknown), Bounded(reactions.values, unknown), rank, False)
        return _Solved(a, reactions, rank, True)
    return None


def _pivoted(rows: Array) -> tuple[NDArray[np.intp], Array]:
    """The rows in an order in which each has the largest part across those before it; and these parts' lengths."""
    left = rows.copy()
    order, sizes = [], []
    free = list(range(len(rows)))
    while free:
        lengths = np.linalg.norm(left[free], axis=1)
        k = int(np.argmax(lengths))
        order.append(free.pop(k))
        sizes.append(lengths[k])
        if lengths[k] > 0:
            along = left[order[-1]] / lengths[k]
            for _ in range(2):
                left = left - np.outer(left @ along, along)
    return np.array(order, dtype=np.intp), np.array(sizes)


def _saddle(mass: Bounded, D: Bounded) -> Bounded:
    """K (1, n + m, n + m)."""
    m = len(D.values)
    zero = np.zeros((m, m))
    return Bounded(
        np.block([[mass.values, -D.values.T], [D.values, zero]])[None],
        np.block([[mass.bounds, D.bounds.T], [D.bounds, zero]])[None],
    )


def _stacked(right: Bounded, rest: Bounded) -> Bounded:
    return Bounded(
        np.concatenate([right.values, -rest.values])[None], np.concatenate([right.bounds, rest.bounds])[None]
    )


def _reactions(D: Bounded, multipliers: Bounded) -> Bounded:
    """Dᵀ λ."""
    size, about = np.abs(D.values.T), np.abs(multipliers.values)
    off = (
        (size + D.bounds.T) @ multipliers.bounds + D.bounds.T @ about + (len(about) + 1) * U * (size @ about)
    )
    return Bounded(D.values.T @ multipliers.values, FACTOR * off)


def _dependent(
    others: Bounded, pulls: Bounded, D: Bounded, rest: Bounded, a: Bounded, units: Array, lengths: Array
) -> bool:
    """Whether the other rows are combinations of the chosen ones to rounding, D (its length) and γ̃ alike."""
    if not len(others.values):
        return True
    basis = (D.values * units * lengths[:, None]).T
    c = np.linalg.lstsq(basis, (others.values * units).T, rcond=None)[0].T * lengths
    about, rounding = np.abs(c), (sum(D.values.shape) + 2) * U
    gap = np.abs(others.values - c @ D.values)
    room = others.bounds + about @ D.bounds + rounding * (np.abs(others.values) + about @ np.abs(D.values))
    pull = np.abs(pulls.values - c @ rest.values)
    allowed = (
        pulls.bounds + about @ rest.bounds + rounding * (np.abs(pulls.values) + about @ np.abs(rest.values))
    )
    allowed = allowed + room @ (np.abs(a.values) + a.bounds)
    return bool((gap @ units <= FACTOR * room @ units).all() and (pull <= FACTOR * allowed).all())
