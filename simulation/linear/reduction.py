"""Equations on the constraints, in the independent coordinates; in floats or in any other arithmetic.

With I the independent coordinates, J the others, and D of independent rows::

    δq = N_h z ,   δq' = N w + Y z ,   δq'' = N w' + X_z z + X_w w

rows of N that belong to I are those of the unit matrix, and Y, X vanish there: z and w are coordinates and rates that
have names. N_h is N of the rows that restrict positions; without rows that restrict rates alone w = z' and N = N_h. So

    M_r w' + C_r w + K_r z = B_r u ,   M_r = Nᵀ M N ,   C_r = Nᵀ (C N + M X_w) ,   K_r = Nᵀ (K N_h + C Y + M X_z)

with K = ∂R/∂q, C = ∂R/∂q' and B_r = -Nᵀ ∂R/∂u of the residual R and inputs u of :mod:`.equations`. -∂(Dᵀ λ)/∂q in K
is the geometric stiffness. Where the state is at rest and in equilibrium Y and X are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import FLOAT, Arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.limits import count
from mbconcord.records import dataclass

from ..motion.arrays import Array
from ..motion.formulas import Formula

# Numbers of the equations at a state, in floats or in any other arithmetic; their programs are made once.


#: Solves A x = b, (r, r) and (r, k).
Solve = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Kernel:
    """An arithmetic of numbers, its solver of linear equations, and its NumPy dtype."""

    arithmetic: Arithmetic
    solve: Solve
    dtype: Any


FLOATS: Final = Kernel(FLOAT, np.linalg.solve, float)


def solve_by_elimination(A: Any, b: Any) -> Any:
    """Compute A⁻¹ b by Gaussian elimination with pivoting, for arrays (r, r) and (r, k) of any number type."""
    A, b = A.copy(), b.copy()
    for i in range(len(A)):
        p = max(range(i, len(A)), key=lambda k: abs(A[k, i]))
        A[[i, p]], b[[i, p]] = A[[p, i]], b[[p, i]]
        for k in range(i + 1, len(A)):
            if A[k, i]:
                factor = A[k, i] / A[i, i]
                A[k, i:] = A[k, i:] - A[i, i:] * factor
                b[k] = b[k] - b[i] * factor
    for i in reversed(range(len(A))):
        b[i] = (b[i] - (A[i, i + 1 :] @ b[i + 1 :] if i + 1 < len(A) else 0)) / A[i, i]
    return b


class Arrays:
    """Arrays of expressions as one program."""

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self._shapes = [formula.shape for formula in formulas]
        self._program = program([x for formula in formulas for x in formula.ravel()])

    def evaluate(self, values: Mapping[str, Any], kernel: Kernel = FLOATS) -> list[Any]:
        """Evaluate the arrays.

        Raises
        ------
        ExpressionError
            An expression has no value.
        """
        found, made, first = run(self._program, values, kernel.arithmetic), [], 0
        for shape in self._shapes:
            size = int(np.prod(shape))
            made.append(np.array(found[first : first + size], dtype=kernel.dtype).reshape(shape))
            first += size
        return made


#: Singular values below this part of the largest, of rows and coordinates in comparable units, are zero.
DEPENDENT: Final = 1e-9
#: A row that is shorter than this part of the longest is rounding.
NOTHING: Final = 1e-12


@dataclass(frozen=True)
class IndependentCoordinates:
    """Choice of independent coordinates.

    Attributes
    ----------
    positions, rates : indices of the independent coordinates (d,), and of the independent rates (p,) among them
    rows, holonomic : indices of independent rows (r,), and of those among them that restrict positions
    n : number of coordinates
    """

    positions: tuple[int, ...]
    rates: tuple[int, ...]
    rows: tuple[int, ...]
    holonomic: tuple[int, ...]
    n: int

    def others(self, places: Sequence[int]) -> list[int]:
        """List the indices of the coordinates that are not in ``places``."""
        return [i for i in range(self.n) if i not in places]


def null_space(D: Array) -> Array:
    """Return orthonormal directions (n, n - r) with D x = 0."""
    if not len(D):
        return np.eye(D.shape[1])
    _, sizes, right = np.linalg.svd(_by_length(D))
    rank = int((sizes > DEPENDENT * max(1.0, sizes.max(initial=0.0))).sum())
    return np.asarray(right[rank:].T)


def _by_length(D: Array) -> Array:
    """Scale rows (m, n) to length 1; those that are rounding become zero."""
    lengths = np.linalg.norm(D, axis=1)
    sound = lengths > NOTHING * lengths.max(initial=0.0)
    return np.where(sound, 1 / np.where(sound, lengths, 1.0), 0.0)[:, None] * D


def independent(vectors: Array, count: int, among: Sequence[int]) -> tuple[int, ...]:
    """Choose ``count`` of the rows ``among`` that depend least on each other; return their indices, ascending."""
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
) -> IndependentCoordinates:  # fmt: skip
    """Choose independent coordinates at a state.

    Parameters
    ----------
    D (m, n), holonomic (m,) : rows, and True for those that restrict positions
    units (n,) : scales of the coordinates that make them comparable
    told : indices of coordinates that must be independent; None: the best conditioned
    rates : the same for the rates

    Raises
    ------
    ValueError
        The given coordinates are dependent, or their number is wrong.
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
            raise ValueError(f"{count(d, 'coordinate')} {'is' if d == 1 else 'are'} independent")
    if rates is None:
        rates = positions if p == d else independent(free, p, positions)
    own = _independent_rows(scaled, np.flatnonzero(restricting), len(units) - d, np.eye(len(units)))
    more = _independent_rows(scaled, np.flatnonzero(~restricting), d - p, admitted)
    return IndependentCoordinates(positions, tuple(rates), tuple(sorted((*own, *more))), own, len(units))


def _independent_rows(D: Array, places: Any, count: int, admitted: Array) -> tuple[int, ...]:
    """Choose the ``count`` rows at these places that depend least on each other in the admitted directions."""
    lines = _by_length(D)[places] @ admitted
    return tuple(int(places[i]) for i in independent(lines, count, range(len(places))))


def natural_lengths(D: Array, terms: Array) -> Array:
    """Return lengths (m,) of rows D (m, n): the largest entry of a row with nonzero ``terms`` (m, n); of others 1.

    Such a row is a formula of any scale; if all its entries are remainders of cancelling terms, its length is infinite.
    """
    entries = np.abs(D)
    sizes = np.where((entries > DEPENDENT * terms).any(axis=1), entries.max(axis=1, initial=0.0), np.inf)
    return np.asarray(np.where(terms.any(axis=1) & (sizes > 0), sizes, 1.0))


@dataclass(frozen=True)
class LinearNumbers:
    """Numbers of the equations at a state; see :class:`.equations.SlopeEquations`. Arrays of floats or others.

    ``parts`` (3, n) are gravity, applied and h, of which force is made; ``terms`` (m, n) the terms of entries of D.
    """

    M: Any
    force: Any
    D: Any
    rest: Any
    parts: Any
    terms: Any

    @property
    def lines(self) -> Array:
        """D (m, n) with rows divided by their natural lengths, in floats: independent rows are chosen by it."""
        return np.asarray(self.D / natural_lengths(self.D, self.terms)[:, None])

    @property
    def sizes(self) -> Any:
        """|gravity| + |applied| + |h| (n,)."""
        return np.abs(self.parts).sum(axis=0)


@dataclass(frozen=True)
class Slopes:
    """Derivatives: K, C, U of the residual R by q, q', u; closing_* of D q''+ γ̃ by q, q'; turning of D q'+ γ by q."""

    K: Any
    C: Any
    U: Any
    closing_q: Any
    closing_v: Any
    turning: Any


@dataclass(frozen=True)
class ReducedMatrices:
    """M_r (p, p), C_r (p, p), K_r (p, d), B_r (p, k); N_h (n, d), N (n, p), Y (n, d), X_z (n, d), X_w (n, p).

    All shifts are N_h z, those of the rates N w + Y z, those of the accelerations N w' + X_w w + X_z z.
    """

    M: Any
    C: Any
    K: Any
    B: Any
    shapes: Any
    rates: Any
    turning: Any
    closing_z: Any = None
    closing_w: Any = None


class Basis:
    """N_h and N for a choice of independent coordinates at a state, and solutions for the dependent ones."""

    def __init__(self, D: Any, chosen: IndependentCoordinates, solve: Solve) -> None:
        self.D, self.chosen, self._solve = D, chosen, solve
        self.shapes = self._compute_null_basis(chosen.positions, chosen.holonomic)
        self.rates = self._compute_null_basis(chosen.rates, chosen.rows)

    def _compute_null_basis(self, places: Sequence[int], rows: Sequence[int]) -> Any:
        """Compute N (n, d) of these rows, with unit rows at these places."""
        own, others = list(places), self.chosen.others(places)
        D = self.D[list(rows)]
        found = np.zeros((self.chosen.n, len(own)), dtype=self.D.dtype)
        found[own, range(len(own))] = 1
        if others and own:
            found[others] = -self._solve(D[:, others], D[:, own])
        return found

    @property
    def holds_nothing(self) -> bool:
        """Return whether all coordinates are independent, in their order."""
        every = tuple(range(self.chosen.n))
        return tuple(self.chosen.positions) == tuple(self.chosen.rates) == every

    def project(self, A: Any) -> Any:
        """Compute Nᵀ A N (p, p) of A (n, n)."""
        return A if self.holds_nothing else self.rates.T @ A @ self.rates

    def following(self, right: Any) -> Any:
        """Solve D X = -right for X (n, k), zero in the independent rates."""
        others = self.chosen.others(self.chosen.rates)
        found = np.zeros((self.chosen.n, right.shape[1]), dtype=self.D.dtype)
        if others and right.shape[1]:
            rows = list(self.chosen.rows)
            found[others] = -self._solve(self.D[rows][:, others], right[rows])
        return found

    def multipliers(self, lacking: Any) -> Any:
        """Solve Dᵀ λ = lacking (n,) along the dependent coordinates for λ (m,); zero for unused rows."""
        others, rows = self.chosen.others(self.chosen.rates), list(self.chosen.rows)
        found = np.zeros(len(self.D), dtype=self.D.dtype)
        if others:
            found[rows] = self._solve(self.D[rows][:, others].T, lacking[others][:, None])[:, 0]
        return found


def accelerations(at: LinearNumbers, basis: Basis, solve: Solve) -> tuple[Any, Any]:
    """Solve M q'' = force + Dᵀ λ, D q'' + γ̃ = 0 for q'' (n,) and λ (m,)."""
    N = basis.rates
    forced = basis.following(at.rest[:, None])[:, 0]
    a = forced
    if N.shape[1]:
        a = forced + N @ solve(basis.project(at.M), (N.T @ (at.force - at.M @ forced))[:, None])[:, 0]
    return a, basis.multipliers(at.M @ a - at.force)


def reduce_equations(M: Any, slopes: Slopes, basis: Basis) -> ReducedMatrices:
    """Project the equations onto the constraints."""
    N, shapes = basis.rates, basis.shapes
    if basis.holds_nothing:
        none = np.zeros(M.shape, dtype=M.dtype)
        return ReducedMatrices(M, slopes.C, slopes.K, 0.0 - slopes.U, shapes, N, none, none, none)
    Y = basis.following(slopes.turning @ shapes)
    X_z = basis.following(slopes.closing_q @ shapes + slopes.closing_v @ Y)
    X_w = basis.following(slopes.closing_v @ N)
    return ReducedMatrices(
        N.T @ M @ N,
        N.T @ (slopes.C @ N + M @ X_w),
        N.T @ (slopes.K @ shapes + slopes.C @ Y + M @ X_z),
        0.0 - N.T @ slopes.U,
        shapes, N, Y, X_z, X_w,
    )  # fmt: skip


def units_of(M: Array) -> Array:
    """Return units (n,) that make coordinates comparable: 1/√M_ii; 1 where there is no inertia."""
    diagonal = np.diag(M)
    size = float(diagonal.max(initial=0.0))
    return np.asarray(1 / np.sqrt(np.where(diagonal > 1e-13 * size, diagonal, size or 1.0)))


def state_space(found: ReducedMatrices, chosen: IndependentCoordinates) -> tuple[Array, Array]:
    """Return A and B of x' = A x + B u, x = (z, w)."""
    places = list(chosen.positions)
    d, p = found.shapes.shape[1], found.rates.shape[1]
    A, B = np.zeros((d + p, d + p)), np.zeros((d + p, found.B.shape[1]))
    A[:d, :d], A[:d, d:] = found.turning[places], found.rates[places]
    if p:
        solved = np.linalg.solve(found.M, np.hstack([found.K, found.C, found.B]))
        A[d:], B[d:] = -solved[:, : d + p], solved[:, d + p :]
    return A + 0.0, B + 0.0  # no negative zeros
