"""Solution of M q'' = Q + Dᵀ λ, D q'' = -γ̃ for q'' and λ, where rows of D may depend on each other."""

from __future__ import annotations

import numpy as np

from mbconcord.model.evaluation import Array
from mbconcord.model.numbers import ANY_RANK
from mbconcord.records import dataclass

#: Singular values of D, rows and columns in units of what they are made of, below this part of the largest are zero.
SINGULAR = 1e-9


@dataclass(frozen=True)
class Solution:
    """q'' (n,), reactions Dᵀ λ (n,), λ (m,) with NaN where it is not unique, and the rank of D."""

    acceleration: Array
    reactions: Array
    multipliers: Array
    rank: int


def least(sizes: Array, nothing: float, most: int) -> float:
    """Return the threshold above which singular values count as nonzero, so that at most ``most`` of them do.

    It is ``nothing`` (zero up to rounding), or, if larger, the geometric mean of the last value that counts and the
    next one: at a state read from printed digits, that one is not zero but as large as the digits cut off make it.
    """
    if most >= len(sizes):
        return nothing
    return max(nothing, float(np.sqrt(sizes[most - 1] * sizes[most]))) if most else np.inf


def solve_motion(M: Array, force: Array, D: Array, rest: Array, most: int = ANY_RANK[0]) -> Solution | None:
    """Solve for the motion at one state with ``most`` independent rows; None if an admitted motion has no inertia."""
    diagonal = np.diag(M)
    heavy = diagonal > len(M) * np.finfo(float).eps * diagonal.max(initial=0.0)  # the others have rounding alone
    units = 1 / np.sqrt(np.where(heavy, diagonal, 1.0))
    scaled = D * units
    norms = np.linalg.norm(scaled, axis=1)
    rows = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 1.0)
    left, sizes, right = np.linalg.svd(scaled * rows[:, None], full_matrices=False)
    kept = sizes > least(sizes, SINGULAR * sizes.max(initial=0.0), most)
    left, across = left[:, kept], sizes[kept, None] * right[kept]
    matrix = np.block([[M * np.outer(units, units), -across.T], [across, np.zeros((len(across), len(across)))]])
    if np.linalg.cond(matrix) > 1 / np.finfo(float).eps:
        return None
    found = np.linalg.solve(matrix, np.concatenate([force * units, -left.T @ (rest * rows)]))
    n = len(units)
    shared = np.linalg.norm(left, axis=1) ** 2 < 1 - SINGULAR  # not unique
    multipliers = np.where(shared, np.nan, (left @ found[n:]) * rows)
    return Solution(found[:n] * units, (across.T @ found[n:]) / units, multipliers, int(kept.sum()))


def dependent(D: Array, most: int = ANY_RANK[0]) -> list[int]:
    """List rows that depend on the rows before them; ``most`` are independent."""
    sizes = np.asarray(np.linalg.svd(D, compute_uv=False), dtype=np.float64)
    nothing = least(sizes, SINGULAR * np.abs(D).max(initial=0.0), most)
    ranks = [int(np.linalg.matrix_rank(D[: i + 1], tol=nothing)) for i in range(len(D))]
    return [i for i, rank in enumerate(ranks) if rank == (ranks[i - 1] if i else 0)]
