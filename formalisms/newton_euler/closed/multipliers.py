"""The motion admitted by rows, with their multipliers: M q'' = F + Dᵀ λ, D q'' = -γ̃, at one state.

If D q'' = -γ̃ holds, Dᵀ D q'' = -Dᵀ γ̃ may be added to the equations of motion, which gives the rows inertia,

    (M + Dᵀ D) q'' = F - Dᵀ γ̃ + Dᵀ λ ,

without changing λ; the matrix on the left is regular wherever the motion is determined, even with massless bodies.
With M + Dᵀ D = L Lᵀ and A = D L⁻ᵀ of independent rows, Aᵀ = Q R gives λ = R⁻¹ (-R⁻ᵀ γ̃ - Qᵀ y), y = L⁻¹ (F - Dᵀ γ̃).

Threshold. Coordinates are scaled by √M_ii and rows to length one, so all entries are at most one with rounding errors
of about 1e-15, and states satisfy constraints to about 1e-13. The part of a row orthogonal to the rows chosen before is
real if longer than :data:`DEPENDENT` = 1e-9, four powers of ten above its error; a shorter part would not survive a
change of the state in its last digits, and the row counts as a combination of the others. Rows with a long orthogonal
part are chosen first: after one of two nearly equal rows, the other adds only a difference with few digits, which a
third row may give with all its digits. If the rank of the mechanism is known, no more rows are chosen: at a state read
from printed digits, dependent rows differ by more than the threshold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.evaluation import Array
from mbconcord.model.numbers import ANY_RANK
from mbconcord.records import dataclass

#: Part of a row of length one, beyond the rows chosen before it, below which it depends on them.
DEPENDENT = 1e-9
#: The next row is the first that has this part of what any row has beyond the chosen ones.
NEXT = 0.1
#: A row whose entries are below this part of the largest one of D (of 1, if that is larger) is rounding.
NOTHING = 1e-12


@dataclass(frozen=True)
class Solution:
    """Motion at one state of n coordinates and m rows.

    Attributes
    ----------
    acceleration, reactions : (n,), q'' and Dᵀ λ
    multipliers : (m,), the solution λ with the least sum of squares (of lengths · λ)
    chosen : numbers of the independent rows, as many as the rank
    lengths : (m,), lengths of the rows in units of the coordinates
    open : (m, m - rank)
        Orthonormal columns: multiples of them added to lengths · λ change neither Dᵀ λ nor the motion.
    """

    acceleration: Array
    reactions: Array
    multipliers: Array
    chosen: tuple[int, ...]
    lengths: Array
    open: Array

    @property
    def is_determined(self) -> NDArray[np.bool_]:
        """Rows with a unique λ (m,), as a mask."""
        return np.asarray(np.linalg.norm(self.open, axis=1) <= DEPENDENT)

    def gives(self, factors: Array, reach: float) -> Array:
        """Apply the multipliers to wrenches: factors (6 k, m) · λ (6 k,), NaN for components that λ does not determine.

        A component is undetermined if :attr:`open` contributes more than the rounding of its vector, in which moments
        include those of forces at the distance ``reach`` (m).
        """
        scaled = factors / self.lengths
        sizes = np.linalg.norm(scaled.reshape(-1, 2, 3 * factors.shape[1]), axis=2)
        sizes[:, 1] += reach * sizes[:, 0]
        added = np.linalg.norm(scaled @ self.open, axis=1)
        return np.where(added > DEPENDENT * np.repeat(sizes, 3), np.nan, factors @ self.multipliers)


def dependences(
    rows: Array, lengths: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK
) -> tuple[tuple[int, ...], Array]:
    """Return the numbers of independent rows among rows (m, n) of length one, and the basis :attr:`Solution.open`.

    Rows of drives come last: they may depend on constraints, never the reverse. ``lengths`` (m,) are the original row
    lengths: long rows are chosen first, since a short row has the rounding of the long terms whose difference it is.
    ``most`` are the largest ranks without and with the rows of drives.
    """
    chosen: list[int] = []
    basis = np.zeros((0, rows.shape[1]))
    left, nothing = rows, NOTHING * lengths.max(initial=0.0)
    for asked, rank in zip((len(rows) - drives, len(rows)), most, strict=True):
        while len(chosen) < rank:
            parts = np.linalg.norm(left[:asked], axis=1)
            sizes = np.where(parts > DEPENDENT, parts * lengths[:asked], 0.0)
            if sizes.max(initial=0.0) <= nothing:
                break
            i = int(np.argmax(sizes >= NEXT * sizes.max()))
            way = left[i] / parts[i]
            way = way - way @ basis.T @ basis
            way = way / np.linalg.norm(way)
            left = left - np.outer(left @ way, way)
            left[i] = 0.0
            basis = np.vstack([basis, way])
            chosen.append(i)
    chosen.sort()
    others = [i for i in range(len(rows)) if i not in chosen]
    left_open = np.zeros((len(rows), len(others)))
    left_open[others] = np.eye(len(others))
    if chosen and others:
        left_open[chosen] = -np.linalg.lstsq(rows[chosen].T, rows[others].T, rcond=None)[0]
        left_open = np.linalg.qr(left_open)[0]
    return tuple(chosen), left_open


def scale_rows(D: Array, units: Array) -> tuple[Array, Array]:
    """Return the rows in units of the coordinates, scaled to length one, and their lengths; rounding becomes zero."""
    size = np.abs(D).max(axis=1, initial=0.0)
    rows = np.where((size > NOTHING * max(1.0, size.max(initial=0.0)))[:, None], D * units, 0.0)
    lengths = np.linalg.norm(rows, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return rows / lengths[:, None], lengths


def solve(
    mass: Array, force: Array, D: Array, rest: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK,
    scales: Array | float = 1.0,
) -> Solution | None:  # fmt: skip
    """Solve for the motion at one state, F = gravity + applied - h; None if a motion that D admits has no inertia.

    The last ``drives`` rows belong to drives; ``most`` as in :func:`dependences`. Rows are divided by ``scales`` (m,),
    their natural lengths, before they are compared with each other.
    """
    units, scales = _units(mass), np.ones(len(D)) * scales
    D, rest = D / scales[:, None], rest / scales
    rows, lengths = scale_rows(D, units)
    chosen, left_open = dependences(rows, lengths, drives, most)
    own, pull = rows[list(chosen)], (rest / lengths)[list(chosen)]
    weighty = mass * np.outer(units, units) + own.T @ own
    if not _definite(weighty):
        return None
    L = np.linalg.cholesky(weighty)
    y = np.linalg.solve(L, force * units - own.T @ pull)
    across = np.linalg.solve(L, own.T)  # Aᵀ
    Q, R = np.linalg.qr(across)
    z = y + Q @ (np.linalg.solve(R.T, -pull) - Q.T @ y)
    x = np.linalg.solve(L.T, z)
    found = np.zeros(len(D))
    found[list(chosen)] = np.linalg.solve(R, Q.T @ (z - y))
    multipliers = (found - left_open @ (left_open.T @ found)) / lengths
    return Solution(x * units, D.T @ multipliers, multipliers / scales, chosen, lengths * scales, left_open)


def independent(mass: Array, D: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK) -> tuple[int, ...]:
    """List the numbers of independent rows of D (m, n) at one state, even if its motion has no solution."""
    return dependences(*scale_rows(D, _units(mass)), drives, most)[0] if np.isfinite(D).all() else ()


def _units(mass: Array) -> Array:
    """Return 1/√M_ii (n,); 1 where a coordinate's inertia is only rounding."""
    diagonal = np.diag(mass)
    least = np.finfo(float).eps * len(diagonal) * diagonal.max(initial=0.0)
    return np.asarray(1 / np.sqrt(np.where(diagonal > least, diagonal, 1.0)))


def _definite(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    values = np.linalg.eigvalsh(matrix)
    return bool((values > len(matrix) * np.finfo(float).eps * values.max(initial=0.0)).all())
