"""Multipliers λ of Dᵀ λ = Q, and which of them the rows D (m, n) leave open: Dᵀ c = 0 may be added to λ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: A row of length 1 of which no more than this is independent of the others repeats them.
DEPENDENT = 1e-9
#: A row that is shorter than this part of the longest is rounding.
NOTHING = 1e-12
#: So large a part of a row in a combination that vanishes is no rounding.
PART = 1e-6


def unique(D: Array, Q: Array, dependent: float = DEPENDENT) -> Array:
    """λ (m,); NaN of the rows of which it is not unique. Others do not depend on how these share their load."""
    lines, lengths = _by_length(D)
    left, sizes, right = np.linalg.svd(lines)
    rank = _rank(sizes, dependent)
    found = left[:, :rank] @ (right[:rank] @ Q / sizes[:rank]) / lengths
    return np.where(_open(left[:, rank:]), np.nan, found)


def left_open(D: Array) -> NDArray[np.bool_]:
    """Of which rows λ is not unique (m,)."""
    left, sizes, _ = np.linalg.svd(_by_length(D)[0])
    return _open(left[:, _rank(sizes, DEPENDENT) :])


def _by_length(D: Array) -> tuple[Array, Array]:
    """The rows, of length 1, and their lengths; rounding alone is zero, of length 1."""
    lengths = np.linalg.norm(D, axis=1)
    sound = lengths > NOTHING * lengths.max(initial=0.0)
    lengths = np.where(sound, lengths, 1.0)
    return np.where(sound[:, None], D, 0.0) / lengths[:, None], lengths


def _rank(sizes: Array, dependent: float) -> int:
    return int(np.count_nonzero(sizes > dependent * sizes.max(initial=0.0)))


def _open(vanishing: Array) -> NDArray[np.bool_]:
    return np.asarray(np.linalg.norm(vanishing, axis=1) > PART)
