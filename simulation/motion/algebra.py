"""Linear algebra of the motion: the metric of M, and constraint rows factorised in it.

In the metric of M metres and radians are comparable: with M = L Lᵀ and A = D L⁻ᵀ a motion δq costs |Lᵀ δq|², and A⁺ b
is the cheapest solution of D δq = b. Each row is scaled by its largest length in the run, not by its present one, which
would make a row that vanishes at a singular position look sound; then rows beyond the rank, dependent or vanishing, are
left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgeqp3, dormqr, dpotrf, dtrtrs

from mbconcord.records import dataclass

from .arrays import Array

#: A row that never was longer than this part of the longest is rounding.
NOTHING = 1e-12
#: Pivots below this part of the largest are zero: so a stage that lies δ off the constraints near a singular position
#: errs by δ/τ at most, and the integrator passes it.
RANK = 1e-4
#: The same where rows almost depend on each other and must all be kept.
FINE_RANK = 1e-9


class NoInertiaError(ArithmeticError):
    """M is not positive definite."""


@dataclass(frozen=True)
class Metric:
    """M = L Lᵀ (n, n)."""

    L: Array

    @classmethod
    def from_matrix(cls, M: Array) -> Metric:
        """Factorise by Cholesky; :class:`NoInertiaError` if impossible."""
        L, info = dpotrf(M, lower=1)
        if info or not np.isfinite(L[-1:, -1:]).all():
            raise NoInertiaError
        return cls(L)

    def lower(self, b: Array) -> Array:
        """Return L⁻¹ b."""
        return np.asarray(dtrtrs(self.L, b, lower=1)[0]) if len(self.L) else b

    def upper(self, y: Array) -> Array:
        """Return L⁻ᵀ y."""
        return np.asarray(dtrtrs(self.L, y, lower=1, trans=1)[0]) if len(self.L) else y


class Lengths:
    """The largest length so far of each of m rows; one ``of_formulas`` (m,) may have any factor, and is no rounding."""

    def __init__(self, of_formulas: NDArray[np.bool_] | bool = False) -> None:
        self._any = of_formulas
        self._longest: Array | None = None
        self._scale = np.zeros(0)

    def update(self, columns: Array) -> Array:
        """Return lengths (m,) by which to divide the columns of Aᵀ (n, m); infinite for rounding."""
        now = np.sqrt(np.einsum("ij,ij->j", columns, columns))
        if self._longest is None or (now > self._longest).any():
            self._longest = now if self._longest is None else np.fmax(self._longest, now)
            least = NOTHING * self._longest.max(initial=0.0)
            sound = (self._longest > least) | (self._any & (self._longest > 0))
            self._scale = np.where(sound, self._longest, np.inf)
        return self._scale


@dataclass(frozen=True)
class Factor:
    """Aᵀ / s = Q R with column pivoting: Householder vectors and R, pivots, the rank."""

    qr: Array
    tau: Array
    pivots: Array
    lengths: Array
    rank: int

    def least(self, b: Array) -> Array:
        """Compute A⁺ b (n,) by the rows within the rank."""
        r, n = self.rank, len(self.qr)
        y = np.zeros((n, 1))
        if r:
            scaled = (b / self.lengths)[self.pivots[:r]]
            y[:r, 0] = dtrtrs(self.qr[:r, :r], scaled, trans=1)[0]
            y = dormqr("L", "N", self.qr[:, :r], self.tau[:r], y, 32 * n)[0]
        return np.asarray(y[:, 0])


def factorise(columns: Array, lengths: Lengths, threshold: float) -> Factor:
    """Factorise rows A given as the columns of Aᵀ (n, m)."""
    s = lengths.update(columns)
    qr, pivots, tau, _, _ = dgeqp3(columns / s)
    sizes = np.abs(np.diagonal(qr))
    rank = int(np.count_nonzero(sizes > threshold * sizes[0])) if sizes.size and sizes[0] > 0 else 0
    return Factor(qr, tau, pivots - 1, s, rank)
