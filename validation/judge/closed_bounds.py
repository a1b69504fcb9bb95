"""Motion with constraints, with bounds: M q'' + h = gravity + applied + Dᵀ λ, D q'' = -γ̃ as one linear system.

    [M  -Dᵀ] [q'']   [F ]
    [D   0 ] [λ  ] = [-γ̃]

of rows that are independent. No threshold says which are: a set of rows is independent where the solution has a
bound. What is left out must depend on it to within the bounds, D and γ̃ alike; a row that is neither provably
independent nor a combination of the others to rounding leaves the motion without a bound. Rows that are the same
to rounding are taken for the same, floats cannot tell more, and what they differ by is added to the bounds.

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

#: D (m, n) and γ̃ (m) of rows at one state.
Rows = tuple[Bounded, Bounded]

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
    sound : (N,)
        Whether the equations are numbers.
    torn : (N,)
        Whether rows that are the same to rounding want different accelerations.
    """

    acceleration: Bounded
    reactions: Bounded
    rank: NDArray[np.intp]
    clear: NDArray[np.bool_]
    sound: NDArray[np.bool_]
    torn: NDArray[np.bool_]


def bounded_motion(q: Mapping[str, Bounded]) -> BoundedMotion:
    """The motion from M, h, gravity, applied, D and γ̃ as :class:`.bounds.BoundedEquations` gives them."""
    right = force(q)
    count, n = right.values.shape
    motion = Bounded(np.full((count, n), np.nan), np.full((count, n), np.inf))
    reactions = Bounded(np.full((count, n), np.nan), np.full((count, n), np.inf))
    rank, clear, torn = (
        np.zeros(count, dtype=np.intp),
        np.zeros(count, dtype=bool),
        np.zeros(count, dtype=bool),
    )
    parts = [q["M"], right, q["D"], q["γ̃"]]
    sound = np.all([np.isfinite(x.values).reshape(count, -1).all(axis=1) for x in parts], axis=0)
    with np.errstate(all="ignore"):
        for s in np.flatnonzero(sound).tolist():
            found = _solved(q["M"][s], right[s], q["D"][s], q["γ̃"][s])
            if found is not None:
                motion.values[s], motion.bounds[s] = found.acceleration.values, found.acceleration.bounds
                reactions.values[s], reactions.bounds[s] = found.reactions.values, found.reactions.bounds
                rank[s], clear[s], torn[s] = found.rank, found.clear, found.torn
    return BoundedMotion(motion, reactions, rank, clear, sound, torn)


@dataclass(frozen=True)
class _Solved:
    """The motion at one state."""

    acceleration: Bounded
    reactions: Bounded
    rank: int
    clear: bool = True
    torn: bool = False


def _solved(mass: Bounded, right: Bounded, D: Bounded, rest: Bounded) -> _Solved | None:
    """With the largest set of rows that has a bound; None where none has."""
    units = powers(np.diag(mass.values))
    beyond = np.any(
        np.abs(D.values) > D.bounds, axis=1, keepdims=True
    )  # else a row has no direction, but rounding
    lengths = np.where(beyond[:, 0], powers(np.sum((D.values * units) ** 2, axis=1)), 1.0)
    order, sizes = _pivoted(np.where(beyond, D.values * units * lengths[:, None], 0.0))
    for rank in range(int((sizes > GONE).sum()), -1, -1):
        rows, others = order[:rank], order[rank:]
        across = _orthonormal(D[rows], rest[rows], units)
        found = _motion(mass, right, across, units)
        if found is None:
            continue
        length = lengths[others]
        left = _times(D[others], length[:, None]), _times(rest[others], length)
        same, torn, room = _differing(left, across, found[0], units)
        found = _motion(mass, right, room, units) if same and not torn else None
        if found is not None:
            return _Solved(*found, rank)
        unknown = Bounded(np.full_like(units, np.nan), np.full_like(units, np.inf))
        return _Solved(unknown, unknown, rank, False, same and torn)
    return None


def _motion(mass: Bounded, right: Bounded, rows: Rows, units: Array) -> tuple[Bounded, Bounded] | None:
    """q'' and Dᵀ λ of rows that are orthonormal in the units; None where they have no bound."""
    (D, rest), n = rows, len(units)
    scale = np.concatenate([units, np.ones(len(rest.values))])[None]
    x = scaled_solution(_saddle(mass, D), _stacked(right, rest), scale, scale)
    return (x[0, :n], _reactions(D, x[0, n:])) if x.known.all() else None


def _times(x: Bounded, factor: Array) -> Bounded:
    """With powers of two as factors."""
    return Bounded(x.values * factor, x.bounds * factor)


def _orthonormal(D: Bounded, rest: Bounded, units: Array) -> Rows:
    """Combinations of the rows that are orthonormal in the units of the coordinates: B D q'' = -B γ̃, Dᵀ λ = (B D)ᵀ λ'.

    With (D units)ᵀ = Q R it is B = R⁻ᵀ. What rows that are nearly the same have across is then not squared away in
    D M⁻¹ Dᵀ, and its uncertainty stands where it belongs, in B D.
    """
    combined = _inverse_of_triangle(np.linalg.qr((D.values * units).T)[1]).T
    return _combined(combined, D), _combined(combined, rest)


def _inverse_of_triangle(R: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(R))
    except np.linalg.LinAlgError:
        return np.full_like(R, np.nan)


def _combined(B: Array, x: Bounded) -> Bounded:
    """B x, with B as it is."""
    size = np.abs(B)
    rounding = (len(B) + 2) * U
    return Bounded(B @ x.values, FACTOR * (size @ x.bounds + rounding * (size @ np.abs(x.values))))


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


def _differing(others: Rows, across: Rows, a: Bounded, units: Array) -> tuple[bool, bool, Rows]:
    """The orthonormal rows, with room for what the other rows, combinations C of them, differ by.

    Any of these rows may be taken for another, so their differences Cᵀ |D - C B D| and Cᵀ |γ̃ - C B γ̃| are added to
    the bounds. Before them: whether D is the same to rounding, by length; and whether γ̃ is not, beyond what the
    accelerations a make of the differences of D: of loops apart from each other, combinations mix what is not there.
    """
    (D, rest), (basis, pull) = others, across
    rows, axes = _times(D, units), _times(basis, units)
    c = rows.values @ axes.values.T
    about, rounding = np.abs(c), (sum(basis.values.shape) + 2) * U
    doubt = rows.bounds @ np.abs(axes.values).T + np.abs(rows.values) @ (
        axes.bounds.T + rounding * np.abs(axes.values).T
    )  # of C
    gap, off = np.abs(D.values - c @ basis.values), np.abs(rest.values - c @ pull.values)
    room = D.bounds + _spread(about, doubt, basis) + rounding * np.abs(D.values)
    allowed = rest.bounds + _spread(about, doubt, pull) + rounding * np.abs(rest.values)
    allowed = allowed + (room + gap) @ (np.abs(a.values) + a.bounds)
    same, torn = (gap @ units <= FACTOR * room @ units).all(), (off > FACTOR * allowed).any()
    D_room = Bounded(basis.values, basis.bounds + about.T @ gap)
    return bool(same), bool(torn), (D_room, Bounded(pull.values, pull.bounds + about.T @ off))


def _spread(about: Array, doubt: Array, x: Bounded) -> Array:
    """How far C x may be from the product of what both are in floats: |C| dx + dC |x|, and its own rounding."""
    rounding = (sum(x.values.shape) + 2) * U
    return about @ (x.bounds + rounding * np.abs(x.values)) + doubt @ np.abs(x.values)
