"""Bounds of solutions of linear equations with bounded coefficients.

For K x = r with |K - K*| ≤ dK, |r - r*| ≤ dr, an approximate inverse X and any x, in exact arithmetic

    x* - x = (X K*)⁻¹ X (r* - K* x) ,    |E - X K*| ≤ G ,    |r* - K* x| ≤ ρ ,

so that |x* - x| ≤ (E - G)⁻¹ |X| ρ wherever the spectral radius of G is below one; elsewhere the numbers decide
nothing, and the bound is infinite. G and ρ include the rounding errors of their own computation::

    G = |E - X K| + |X| dK + (n + 2) u (|X| |K| + E)
    ρ = |r - K x| + dK |x| + dr + (n + 2) u (|K| |x| + |r|)

(Rump 2010, §10; Higham 2002, §7.1)

Constrained motion with bounds: M q'' + h = gravity + applied + Dᵀ λ, D q'' = -γ̃ as one linear system.

    [M  -Dᵀ] [q'']   [F ]
    [D   0 ] [λ  ] = [-γ̃]

of rows that are independent. No threshold selects them: a set of rows is independent if the solution has a bound. The
rows left out must depend on it to within the bounds, D and γ̃ alike; a row that is neither provably independent nor a
combination of the others to rounding leaves the motion without a bound. Rows that are equal to rounding are taken as
equal, as floats cannot distinguish them, and their difference is added to the bounds.

The states have to satisfy the constraints to rounding: a gap of 1e-12 makes more difference than the bounds hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions.bounds import FACTOR, U
from mbconcord.records import dataclass

Array = NDArray[np.float64]

#: Added to what is solved for, so that zeros have a positive bound; far below every number scaled to one.
NOTHING = 1e-290
#: Contraction that is taken for one: E - G has no digit left.
CONTRACTION = 0.999
#: Of what G makes of y, where z is less: bounds grow by that part.
SHARE = 0.01


@dataclass(frozen=True)
class Bounded:
    """Numbers (N, …) at N states, and bounds of the same shape of their distance from the exact ones.

    Unknown bounds are infinite, whatever the number.
    """

    values: Array
    bounds: Array

    @property
    def has_bound(self) -> NDArray[np.bool_]:
        """Mark the numbers that have a bound."""
        return np.isfinite(self.bounds)

    def __getitem__(self, at: Any) -> Bounded:
        return Bounded(self.values[at], self.bounds[at])


def solution(matrix: Bounded, right: Bounded) -> Bounded:
    """Solve K x = r for x (N, n); the diagonal of K (N, n, n) gives the units of its coordinates.

    Rows and columns are scaled by powers of two near 1/√|K_ii|, which costs no rounding; one step of refinement.
    """
    units = powers(np.einsum("sii->si", matrix.values)) if matrix.values.size else np.ones(right.values.shape)
    return scaled_solution(matrix, right, units, units)


def scaled_solution(matrix: Bounded, right: Bounded, rows: Array, columns: Array) -> Bounded:
    """Solve K x = r for x (N, n), with the rows and columns of K scaled by powers of two (N, n)."""
    both = rows[:, :, None] * columns[:, None, :]
    K, dK = matrix.values * both, matrix.bounds * both
    r, dr = right.values * rows, right.bounds * rows
    with np.errstate(all="ignore"):
        inverse = _inverse(K)
        x = np.einsum("sij,sj->si", inverse, r)
        x = x + np.einsum("sij,sj->si", inverse, r - np.einsum("sij,sj->si", K, x))
        return Bounded(columns * x, columns * enclose(K, dK, r, dr, inverse, x))


def powers(sizes: Array) -> Array:
    """Return powers of two near 1/√|size|; one if the size is zero or no number."""
    with np.errstate(all="ignore"):
        exponents = -np.rint(np.log2(np.abs(sizes)) / 2)
    found: Array = np.ldexp(1.0, np.where(np.isfinite(exponents), exponents, 0.0).astype(int))
    return found


def enclose(K: Array, dK: Array, r: Array, dr: Array, X: Array, x: Array) -> Array:
    """Return bounds (N, n) of x* - x."""
    n = x.shape[1]
    unit, rounding = np.eye(n), (n + 2) * U
    size, about = np.abs(X), np.abs(x)
    G = np.abs(unit - X @ K) + size @ dK + rounding * (size @ np.abs(K) + unit)
    left = np.abs(r - np.einsum("sij,sj->si", K, x)) + np.einsum("sij,sj->si", dK, about) + dr
    left = left + rounding * (np.einsum("sij,sj->si", np.abs(K), about) + np.abs(r))
    z = np.einsum("sij,sj->si", size, left) + NOTHING
    return bound_contraction(G, z)


def bound_contraction(G: Array, z: Array) -> Array:
    """Return an upper bound of (E - G)⁻¹ z for G ≥ 0 and z > 0; infinite unless G's spectral radius is below one.

    A vector y > 0 with G y < y proves that the radius is below one (Collatz and Wielandt); then (E - G)⁻¹ ≥ 0, and y,
    enlarged until (E - G) y ≥ z, exceeds the solution, however y was found. Entries of z that are negligible against
    the effect of G are raised to a :data:`SHARE` of this effect before y is computed.
    """
    found = np.full_like(z, np.inf)
    for s in range(len(z)):
        if not (np.isfinite(G[s]).all() and np.isfinite(z[s]).all()):
            continue
        about = z[s]
        for _ in range(2):
            try:
                y = np.linalg.solve(np.eye(z.shape[1]) - G[s], about)
            except np.linalg.LinAlgError:
                break
            moved = G[s] @ y
            if (y > 0).all() and (moved <= CONTRACTION * y).all():
                found[s] = FACTOR * y * max(1.0, float(np.max(z[s] / (y - moved), initial=0.0)))
                break
            about = z[s] + SHARE * np.abs(moved)
    return found


def _inverse(K: Array) -> Array:
    """Compute approximate inverses (N, n, n); NaN if there is none."""
    found = np.full_like(K, np.nan)
    for s in range(len(K)):
        if np.isfinite(K[s]).all():
            try:
                found[s] = np.linalg.inv(K[s])
            except np.linalg.LinAlgError:
                continue
    return found


def force(q: Mapping[str, Bounded]) -> Bounded:
    """Return F = gravity + applied - h (N, n), the right side of M q'' = F."""
    g, applied, h = q["gravity"], q["applied"], q["h"]
    sizes = np.abs(g.values) + np.abs(applied.values) + np.abs(h.values)
    return Bounded(
        g.values + applied.values - h.values, FACTOR * (g.bounds + applied.bounds + h.bounds + 2 * U * sizes)
    )


#: D (m, n) and γ̃ (m) of rows at one state.
Rows = tuple[Bounded, Bounded]

#: A row that is this small, scaled to one, after the rows before it are taken off is surely not provably independent.
GONE = U


@dataclass(frozen=True)
class BoundedMotion:
    """Constrained motion at N states of n coordinates.

    Attributes
    ----------
    acceleration : (N, n)
    reactions : (N, n)
        Dᵀ λ.
    rank : (N,)
        Number of rows that are independent, which the bounds prove.
    clear : (N,)
        True where the other rows depend on these to rounding; where not, the motion has no bound.
    sound : (N,)
        True where all coefficients of the equations are finite.
    torn : (N,)
        True where rows that are equal to rounding require different accelerations.
    """

    acceleration: Bounded
    reactions: Bounded
    rank: NDArray[np.intp]
    clear: NDArray[np.bool_]
    sound: NDArray[np.bool_]
    torn: NDArray[np.bool_]


def bounded_motion(q: Mapping[str, Bounded]) -> BoundedMotion:
    """Solve for the motion from M, h, gravity, applied, D and γ̃ as given by :class:`.bounds.BoundedEquations`."""
    right = force(q)
    count, n = right.values.shape
    motion = Bounded(np.full((count, n), np.nan), np.full((count, n), np.inf))
    reactions = Bounded(np.full((count, n), np.nan), np.full((count, n), np.inf))
    rank, clear, torn = (np.zeros(count, dtype=np.intp), np.zeros(count, dtype=bool), np.zeros(count, dtype=bool))
    parts = [q["M"], right, q["D"], q["γ̃"]]
    sound = np.all([np.isfinite(x.values).reshape(count, -1).all(axis=1) for x in parts], axis=0)
    with np.errstate(all="ignore"):
        for s in np.flatnonzero(sound).tolist():
            found = _solve(q["M"][s], right[s], q["D"][s], q["γ̃"][s])
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


def _solve(mass: Bounded, right: Bounded, D: Bounded, rest: Bounded) -> _Solved | None:
    """Solve with the largest set of rows that has a bound; None if there is none."""
    units = powers(np.diag(mass.values))
    beyond = np.any(np.abs(D.values) > D.bounds, axis=1, keepdims=True)  # else a row has no direction, but rounding
    whole = powers(np.abs(D.values * units).max(axis=1, initial=0.0)) ** 2  # squares of a row of any scale are floats
    lengths = np.where(beyond[:, 0], whole * powers(np.sum((D.values * units * whole[:, None]) ** 2, axis=1)), 1.0)
    order, sizes = _pivot_rows(np.where(beyond, D.values * units * lengths[:, None], 0.0))
    for rank in range(min(len(units), int((sizes > GONE).sum())), -1, -1):  # no more rows than coordinates
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
    """Solve for q'' and Dᵀ λ with rows orthonormal in the units; None if there is no bound."""
    (D, rest), n = rows, len(units)
    scale = np.concatenate([units, np.ones(len(rest.values))])[None]
    x = scaled_solution(_saddle(mass, D), _stack(right, rest), scale, scale)
    return (x[0, :n], _reactions(D, x[0, n:])) if x.has_bound.all() else None


def _times(x: Bounded, factor: Array) -> Bounded:
    """Multiply by powers of two."""
    return Bounded(x.values * factor, x.bounds * factor)


def _orthonormal(D: Bounded, rest: Bounded, units: Array) -> Rows:
    """Combine the rows to be orthonormal in coordinate units: B D q'' = -B γ̃, Dᵀ λ = (B D)ᵀ λ'.

    With (D units)ᵀ = Q R it is B = R⁻ᵀ. This avoids squaring the difference of nearly equal rows in D M⁻¹ Dᵀ, and
    leaves its uncertainty in B D.
    """
    combined = _inverse_of_triangle(np.linalg.qr((D.values * units).T)[1]).T
    return _combine(combined, D), _combine(combined, rest)


def _inverse_of_triangle(R: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(R))
    except np.linalg.LinAlgError:
        return np.full_like(R, np.nan)


def _combine(B: Array, x: Bounded) -> Bounded:
    """Return B x, with B exact."""
    size = np.abs(B)
    rounding = (len(B) + 2) * U
    return Bounded(B @ x.values, FACTOR * (size @ x.bounds + rounding * (size @ np.abs(x.values))))


def _pivot_rows(rows: Array) -> tuple[NDArray[np.intp], Array]:
    """Return an order in which each row has the largest part orthogonal to those before, and these lengths."""
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
    """Return K (1, n + m, n + m)."""
    m = len(D.values)
    zero = np.zeros((m, m))
    return Bounded(
        np.block([[mass.values, -D.values.T], [D.values, zero]])[None],
        np.block([[mass.bounds, D.bounds.T], [D.bounds, zero]])[None],
    )


def _stack(right: Bounded, rest: Bounded) -> Bounded:
    return Bounded(
        np.concatenate([right.values, -rest.values])[None], np.concatenate([right.bounds, rest.bounds])[None]
    )


def _reactions(D: Bounded, multipliers: Bounded) -> Bounded:
    """Return Dᵀ λ."""
    size, about = np.abs(D.values.T), np.abs(multipliers.values)
    off = (size + D.bounds.T) @ multipliers.bounds + D.bounds.T @ about + (len(about) + 1) * U * (size @ about)
    return Bounded(D.values.T @ multipliers.values, FACTOR * off)


def _differing(others: Rows, across: Rows, a: Bounded, units: Array) -> tuple[bool, bool, Rows]:
    """Compare the rows left out with combinations C of the orthonormal rows, whose bounds their differences widen.

    Any row may replace another, so the differences Cᵀ |D - C B D| and Cᵀ |γ̃ - C B γ̃| are added to the bounds. Return
    three values: True if D is equal up to rounding, by length; True if γ̃ differs beyond the effect of accelerations a
    on the differences of D (combinations would mix unrelated rows of separate loops); and the widened rows.
    """
    (D, rest), (basis, pull) = others, across
    rows, axes = _times(D, units), _times(basis, units)
    c = rows.values @ axes.values.T
    about, rounding = np.abs(c), (sum(basis.values.shape) + 2) * U
    doubt = rows.bounds @ np.abs(axes.values).T + np.abs(rows.values) @ (
        axes.bounds.T + rounding * np.abs(axes.values).T
    )  # of C
    gap, off = np.abs(D.values - c @ basis.values), np.abs(rest.values - c @ pull.values)
    room = D.bounds + _bound_product(about, doubt, basis) + rounding * np.abs(D.values)
    allowed = rest.bounds + _bound_product(about, doubt, pull) + rounding * np.abs(rest.values)
    allowed = allowed + (room + gap) @ (np.abs(a.values) + a.bounds)
    same, torn = (gap @ units <= FACTOR * room @ units).all(), (off > FACTOR * allowed).any()
    D_room = Bounded(basis.values, basis.bounds + about.T @ gap)
    return bool(same), bool(torn), (D_room, Bounded(pull.values, pull.bounds + about.T @ off))


def _bound_product(about: Array, doubt: Array, x: Bounded) -> Array:
    """Bound the error of a product C x in floats: |C| dx + dC |x|, and its own rounding."""
    rounding = (sum(x.values.shape) + 2) * U
    return about @ (x.bounds + rounding * np.abs(x.values)) + doubt @ np.abs(x.values)
