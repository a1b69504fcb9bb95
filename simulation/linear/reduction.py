"""Equations on the constraints, in the coordinates that are left independent; in floats or in any other arithmetic.

With I the independent coordinates, J the others, and D of rows that do not depend on each other::

    δq = N_h z ,   δq' = N w + Y z ,   δq'' = N w' + X_z z + X_w w

rows of N that belong to I are those of the unit matrix, and Y, X vanish there: z and w are coordinates and rates that
have names. N_h is N of the rows that restrict positions; without rows that restrict rates alone w = z' and N = N_h. So

    M_r w' + C_r w + K_r z = B_r u ,   M_r = Nᵀ M N ,   C_r = Nᵀ (C N + M X_w) ,   K_r = Nᵀ (K N_h + C Y + M X_z)

with K = ∂R/∂q, in which -∂(Dᵀ λ)/∂q is the geometric stiffness, and C = ∂R/∂q'. Where the state is at rest and in
equilibrium Y and X are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..motion.arrays import Array
from .numbers import Solve

#: Singular values below this part of the largest, of rows and coordinates in comparable units, are zero.
DEPENDENT: Final = 1e-9
#: A row that is shorter than this part of the longest is rounding.
NOTHING: Final = 1e-12


@dataclass(frozen=True)
class Choice:
    """What is independent.

    Attributes
    ----------
    positions, rates : places of the independent coordinates (d,), and of the independent rates (p,) among them
    rows, holonomic : rows (r,) that do not depend on each other, and those of them that restrict positions
    n : number of coordinates
    """

    positions: tuple[int, ...]
    rates: tuple[int, ...]
    rows: tuple[int, ...]
    holonomic: tuple[int, ...]
    n: int

    def others(self, places: Sequence[int]) -> list[int]:
        """The coordinates that are none of these."""
        return [i for i in range(self.n) if i not in places]


def null_space(D: Array) -> Array:
    """Directions (n, n - r) with D x = 0, orthonormal."""
    if not len(D):
        return np.eye(D.shape[1])
    _, sizes, right = np.linalg.svd(_by_length(D))
    rank = int((sizes > DEPENDENT * max(1.0, sizes.max(initial=0.0))).sum())
    return np.asarray(right[rank:].T)


def _by_length(D: Array) -> Array:
    """Rows (m, n) of length 1; those that are rounding are zero."""
    lengths = np.linalg.norm(D, axis=1)
    sound = lengths > NOTHING * lengths.max(initial=0.0)
    return np.where(sound, 1 / np.where(sound, lengths, 1.0), 0.0)[:, None] * D


def independent(vectors: Array, count: int, among: Sequence[int]) -> tuple[int, ...]:
    """So many of the rows of an array that depend least on each other, in their order."""
    left, chosen = vectors.copy(), []
    for _ in range(count):
        sizes = np.linalg.norm(left, axis=1)
        best = max((i for i in among if i not in chosen), key=lambda i: round(float(sizes[i]), 9))
        chosen.append(best)
        unit = left[best] / sizes[best]
        left = left - np.outer(left @ unit, unit)
    return tuple(sorted(chosen))


def choice(
    D: Array, holonomic: Sequence[bool], units: Array, told: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
) -> Choice:  # fmt: skip
    """What is independent at a state.

    Parameters
    ----------
    D (m, n), holonomic (m,)
    units (n,) : of the coordinates, in which they compare
    told : places of coordinates that shall be independent; None: those that depend least on each other
    rates : the same of the rates

    Raises
    ------
    ValueError
        Those that are told are not independent, or not as many as there are.
    """
    restricting = np.array(holonomic, dtype=bool)
    scaled = D * units
    admitted, free = null_space(scaled[restricting]), null_space(scaled)
    d, p, everywhere = admitted.shape[1], free.shape[1], range(len(units))
    if told is None:
        positions = independent(admitted, d, everywhere)
    else:
        positions = tuple(sorted(told))
        sizes = np.linalg.svd(admitted[list(positions)], compute_uv=False)
        if len(positions) != d or (d and sizes[-1] < DEPENDENT):
            raise ValueError(f"{d} coordinates are independent")
    if rates is None:
        rates = positions if p == d else independent(free, p, positions)
    own = _independent_rows(scaled, np.flatnonzero(restricting), len(units) - d, np.eye(len(units)))
    more = _independent_rows(scaled, np.flatnonzero(~restricting), d - p, admitted)
    return Choice(positions, tuple(rates), tuple(sorted((*own, *more))), own, len(units))


def _independent_rows(D: Array, places: Any, count: int, admitted: Array) -> tuple[int, ...]:
    """So many of the rows at these places that depend least on each other in the directions that are admitted."""
    lines = _by_length(D)[places] @ admitted
    return tuple(int(places[i]) for i in independent(lines, count, range(len(places))))


@dataclass(frozen=True)
class Numbers:
    """Of the equations at a state; see :class:`.equations.Equations`. Arrays of floats, or of other numbers.

    ``parts`` (3, n) are gravity, applied and h, of which the force is made.
    """

    M: Any
    force: Any
    D: Any
    rest: Any
    parts: Any

    @property
    def sizes(self) -> Any:
        """|gravity| + |applied| + |h| (n,)."""
        return np.abs(self.parts).sum(axis=0)


@dataclass(frozen=True)
class Slopes:
    """Derivatives at a state: of R by q, q', u; of c by q, q'; of D q' + γ by q."""

    K: Any
    C: Any
    U: Any
    closing_q: Any
    closing_v: Any
    turning: Any


@dataclass(frozen=True)
class Reduced:
    """M_r (p, p), C_r (p, p), K_r (p, d), B_r (p, k); N_h (n, d), N (n, p), Y (n, d)."""

    M: Any
    C: Any
    K: Any
    B: Any
    shapes: Any
    rates: Any
    turning: Any


class Basis:
    """N_h and N of a choice at a state; what follows in the dependent coordinates."""

    def __init__(self, D: Any, chosen: Choice, solve: Solve) -> None:
        self.D, self.chosen, self._solve = D, chosen, solve
        self.shapes = self._admitted(chosen.positions, chosen.holonomic)
        self.rates = self._admitted(chosen.rates, chosen.rows)

    def _admitted(self, places: Sequence[int], rows: Sequence[int]) -> Any:
        """N of rows (n, d)."""
        own, others = list(places), self.chosen.others(places)
        D = self.D[list(rows)]
        found = np.zeros((self.chosen.n, len(own)), dtype=self.D.dtype)
        found[own, range(len(own))] = 1
        if others and own:
            found[others] = -self._solve(D[:, others], D[:, own])
        return found

    def following(self, right: Any) -> Any:
        """X (n, k) with D X = -right and nothing in the independent rates."""
        others = self.chosen.others(self.chosen.rates)
        found = np.zeros((self.chosen.n, right.shape[1]), dtype=self.D.dtype)
        if others and right.shape[1]:
            rows = list(self.chosen.rows)
            found[others] = -self._solve(self.D[rows][:, others], right[rows])
        return found

    def multipliers(self, lacking: Any) -> Any:
        """λ (m,) with Dᵀ λ = what is lacking (n,) along the dependent coordinates; zero of rows that are not taken."""
        others, rows = self.chosen.others(self.chosen.rates), list(self.chosen.rows)
        found = np.zeros(len(self.D), dtype=self.D.dtype)
        if others:
            found[rows] = self._solve(self.D[rows][:, others].T, lacking[others][:, None])[:, 0]
        return found


def accelerations(at: Numbers, basis: Basis, solve: Solve) -> tuple[Any, Any]:
    """q'' (n,) and λ (m,) of M q'' = force + Dᵀ λ, D q'' + γ̃ = 0."""
    N = basis.rates
    forced = basis.following(at.rest[:, None])[:, 0]
    a = forced
    if N.shape[1]:
        a = forced + N @ solve(N.T @ at.M @ N, (N.T @ (at.force - at.M @ forced))[:, None])[:, 0]
    return a, basis.multipliers(at.M @ a - at.force)


def reduced(M: Any, slopes: Slopes, basis: Basis) -> Reduced:
    """The equations on the constraints."""
    N, shapes = basis.rates, basis.shapes
    Y = basis.following(slopes.turning @ shapes)
    X_z = basis.following(slopes.closing_q @ shapes + slopes.closing_v @ Y)
    X_w = basis.following(slopes.closing_v @ N)
    return Reduced(
        N.T @ M @ N,
        N.T @ (slopes.C @ N + M @ X_w),
        N.T @ (slopes.K @ shapes + slopes.C @ Y + M @ X_z),
        0.0 - N.T @ slopes.U,
        shapes, N, Y,
    )  # fmt: skip
