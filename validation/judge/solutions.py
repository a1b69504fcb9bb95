"""Bounds of solutions of linear equations whose numbers have bounds.

Of K x = r with |K - K*| ≤ dK, |r - r*| ≤ dr, an approximate inverse X and any x, in exact arithmetic

    x* - x = (X K*)⁻¹ X (r* - K* x) ,    |E - X K*| ≤ G ,    |r* - K* x| ≤ ρ ,

so that |x* - x| ≤ (E - G)⁻¹ |X| ρ wherever the spectral radius of G is below one; elsewhere the numbers decide
nothing, and the bound is infinite. G and ρ have the rounding of their own computation in them::

    G = |E - X K| + |X| dK + (n + 2) u (|X| |K| + E)
    ρ = |r - K x| + dK |x| + dr + (n + 2) u (|K| |x| + |r|)

(Rump 2010, §10; Higham 2002, §7.1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions.bounds import FACTOR, U

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

    Where no bound can be told it is infinite, whatever the number.
    """

    values: Array
    bounds: Array

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which numbers have a bound."""
        return np.isfinite(self.bounds)

    def __getitem__(self, at: Any) -> Bounded:
        return Bounded(self.values[at], self.bounds[at])


def solution(matrix: Bounded, right: Bounded) -> Bounded:
    """x (N, n) of K x = r, with K (N, n, n) whose diagonal says in which units its coordinates are.

    Rows and columns are scaled by powers of two near 1/√|K_ii|, which costs no rounding; one step of refinement.
    """
    units = powers(np.einsum("sii->si", matrix.values)) if matrix.values.size else np.ones(right.values.shape)
    return scaled_solution(matrix, right, units, units)


def scaled_solution(matrix: Bounded, right: Bounded, rows: Array, columns: Array) -> Bounded:
    """x (N, n) of K x = r, the rows and columns of K multiplied by powers of two (N, n) while it is solved."""
    both = rows[:, :, None] * columns[:, None, :]
    K, dK = matrix.values * both, matrix.bounds * both
    r, dr = right.values * rows, right.bounds * rows
    with np.errstate(all="ignore"):
        inverse = _inverse(K)
        x = np.einsum("sij,sj->si", inverse, r)
        x = x + np.einsum("sij,sj->si", inverse, r - np.einsum("sij,sj->si", K, x))
        return Bounded(columns * x, columns * enclosed(K, dK, r, dr, inverse, x))


def powers(sizes: Array) -> Array:
    """Powers of two near 1/√|size|; one where the size is zero or no number."""
    with np.errstate(all="ignore"):
        exponents = -np.rint(np.log2(np.abs(sizes)) / 2)
    found: Array = np.ldexp(1.0, np.where(np.isfinite(exponents), exponents, 0.0).astype(int))
    return found


def enclosed(K: Array, dK: Array, r: Array, dr: Array, X: Array, x: Array) -> Array:
    """Bounds (N, n) of x* - x."""
    n = x.shape[1]
    unit, rounding = np.eye(n), (n + 2) * U
    size, about = np.abs(X), np.abs(x)
    G = np.abs(unit - X @ K) + size @ dK + rounding * (size @ np.abs(K) + unit)
    left = np.abs(r - np.einsum("sij,sj->si", K, x)) + np.einsum("sij,sj->si", dK, about) + dr
    left = left + rounding * (np.einsum("sij,sj->si", np.abs(K), about) + np.abs(r))
    z = np.einsum("sij,sj->si", size, left) + NOTHING
    return contracted(G, z)


def contracted(G: Array, z: Array) -> Array:
    """An upper bound of (E - G)⁻¹ z for G ≥ 0 and z > 0, infinite unless the spectral radius of G is below one.

    A vector y > 0 with G y < y proves that it is (Collatz and Wielandt); then (E - G)⁻¹ ≥ 0, and y enlarged until
    (E - G) y ≥ z is above the solution, however y was found. Where z is nothing beside what G makes of the rest, y is
    that of a z with a :data:`SHARE` of it.
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
    """Approximate inverses (N, n, n); no numbers where there is none."""
    found = np.full_like(K, np.nan)
    for s in range(len(K)):
        if np.isfinite(K[s]).all():
            try:
                found[s] = np.linalg.inv(K[s])
            except np.linalg.LinAlgError:
                continue
    return found
