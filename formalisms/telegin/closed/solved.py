"""Equations with reactions solved: M q'' = Q + Dᵀ λ, D q'' = -γ̃, where rows may depend on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbconcord.model.evaluation import Array

#: Singular values of D, rows and columns in units of what they are made of, below this part of the largest are zero.
SINGULAR = 1e-9


@dataclass(frozen=True)
class Solution:
    """q'' (n,), reactions Dᵀ λ (n,), λ (m,) with NaN where it is not unique, and the rank of D."""

    acceleration: Array
    reactions: Array
    multipliers: Array
    rank: int


def solved(M: Array, force: Array, D: Array, rest: Array) -> Solution | None:
    """The motion at one state; None where a motion that the rows admit has no inertia."""
    diagonal = np.diag(M)
    heavy = diagonal > len(M) * np.finfo(float).eps * diagonal.max(
        initial=0.0
    )  # the others have rounding alone
    units = 1 / np.sqrt(np.where(heavy, diagonal, 1.0))
    scaled = D * units
    norms = np.linalg.norm(scaled, axis=1)
    rows = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 1.0)
    left, sizes, right = np.linalg.svd(scaled * rows[:, None], full_matrices=False)
    kept = sizes > SINGULAR * sizes.max(initial=0.0)
    left, across = left[:, kept], sizes[kept, None] * right[kept]
    matrix = np.block(
        [[M * np.outer(units, units), -across.T], [across, np.zeros((len(across), len(across)))]]
    )
    if np.linalg.cond(matrix) > 1 / np.finfo(float).eps:
        return None
    found = np.linalg.solve(matrix, np.concatenate([force * units, -left.T @ (rest * rows)]))
    n = len(units)
    shared = np.linalg.norm(left, axis=1) ** 2 < 1 - SINGULAR  # not unique
    multipliers = np.where(shared, np.nan, (left @ found[n:]) * rows)
    return Solution(found[:n] * units, (across.T @ found[n:]) / units, multipliers, int(kept.sum()))


def dependent(D: Array) -> list[int]:
    """Rows that depend on the rows before them."""
    ranks = [
        int(np.linalg.matrix_rank(D[: i + 1], tol=SINGULAR * np.abs(D).max(initial=0.0)))
        for i in range(len(D))
    ]
    return [i for i, rank in enumerate(ranks) if rank == (ranks[i - 1] if i else 0)]
