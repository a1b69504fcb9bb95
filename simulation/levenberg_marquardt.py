"""Coordinates at which the constraint rows vanish: a weighted Levenberg-Marquardt method, N states at once.

Rows are divided by the size of their terms and shifts measured in the reach of the mechanism, so that metres and
radians compare. The damping is proportional to the gap: far away the step is short and along the gradient, near
the end it is Newton's.
"""

from __future__ import annotations

import numpy as np

from mbconcord.records import dataclass

from .batch import Array, Positions, RowsAtStates

#: Steps before a state is said to be stuck.
STEPS = 100
#: Rounding of a gap, as a part of what the row is made of: nothing closer is sought.
CLOSED = 4e-16
#: A gap of this size that no longer shrinks is closed too.
ACCEPTED = 1e-12
#: No coordinate moves farther in one step (rad, or reaches of the mechanism).
LONGEST = 1.0
#: Damping at the start, as a part of |J|²; what always stays of it keeps J Jᵀ regular where rows depend on each other.
DAMPING, FLOOR = 0.1, 1e-14


@dataclass(frozen=True)
class Weighted:
    """f (N, m) and J (N, m, k) without dimension: rows by their reach, coordinates in their units."""

    f: Array
    J: Array

    def step(self, damping: Array) -> Array:
        """Compute d = -Jᵀ (J Jᵀ + μ)⁻¹ f (N, k), equal to -Σ v σ/(σ² + μ) uᵀ f over the singular values of J.

        ``damping`` (N,) is μ relative to |J|².
        """
        square = np.einsum("sij,sij->s", self.J, self.J)
        mu = np.maximum((damping + FLOOR) * square, 1e-30)
        with np.errstate(over="ignore"):
            normal = self.J @ self.J.transpose(0, 2, 1) + mu[:, None, None] * np.eye(self.f.shape[1])
        return np.asarray(-np.einsum("sij,si->sj", self.J, np.linalg.solve(normal, self.f[:, :, None])[:, :, 0]))


def weight_rows(at: Positions, units: Array, moving: Array) -> Weighted:
    """Scale the rows to be dimensionless; undefined and fixed entries count as zero."""
    with np.errstate(all="ignore"):
        f, J = at.f / at.reach, at.D * units[:, None, :] / at.reach[:, :, None] * moving
    sound = np.asarray(np.isfinite(f).all(axis=1) & np.isfinite(J).all(axis=(1, 2)))
    return Weighted(np.where(sound[:, None], f, 0.0), np.where(sound[:, None, None], J, 0.0))


def units_of(rows: RowsAtStates, q: Array) -> Array:
    """Return units of the coordinates (N, k): 1 rad, and for shifts the longest reach of length rows."""
    metric = [row.metric for row in rows.rows.rows]
    reach = rows.positions(q).reach[:, metric].max(axis=1, initial=0.0)
    reach = np.where(np.isfinite(reach) & (reach > 0), reach, 1.0)
    return np.where(rows.rows.angles, 1.0, reach[:, None])


def solve(
    rows: RowsAtStates, q: Array, units: Array, moving: Array | None = None, steps: int = STEPS,
    closed: float = CLOSED,
) -> Array:  # fmt: skip
    """Return coordinates (N, k) near q at which the rows vanish, or as close to that as the search comes.

    Parameters
    ----------
    rows : constraint rows at N states
    q (N, k) : start
    units (N, k) : units of the coordinates
    moving (k,) : True for coordinates that may move; None: all
    steps : largest number of steps
    closed : a gap at which a state is done
    """
    if not rows.m:
        return q
    q, free = q.copy(), np.ones(rows.k) if moving is None else moving.astype(float)
    here = rows.positions(q)
    mu, factor = np.full(len(q), DAMPING), np.full(len(q), 2.0)
    left = np.flatnonzero(here.gaps > closed)
    here, gaps = _select(here, left), here.gaps[left]
    for _ in range(steps):
        if not left.size:
            break
        w = weight_rows(here, units[left], free)
        size = np.linalg.norm(w.f, axis=1)
        d = w.step(mu[left] * size)
        d *= (LONGEST / np.maximum(np.abs(d).max(axis=1, initial=0.0), LONGEST))[:, None]
        tried = q[left] + d * units[left]
        there = rows.positions(tried, left)
        with np.errstate(all="ignore"):
            after = np.linalg.norm(there.f / here.reach, axis=1)
            expected = size**2 - np.linalg.norm(w.f + np.einsum("sij,sj->si", w.J, d), axis=1) ** 2
            gain = (size**2 - after**2) / expected
        better = after < size
        q[left[better]] = tried[better]
        with np.errstate(all="ignore"):
            shrunk = np.maximum(1 / 3, 1 - (2 * np.clip(gain, 0, 1) - 1) ** 3)
        mu[left] = np.where(better, mu[left] * shrunk, mu[left] * factor[left])
        factor[left] = np.where(better, 2.0, 2 * factor[left])
        here = _either(better, there, here)
        before, gaps = gaps, here.gaps
        done = (gaps <= closed) | ((gaps <= ACCEPTED) & (gaps > before / 2)) | (factor[left] > 1e12)
        left, here, gaps = left[~done], _select(here, ~done), gaps[~done]
    return q


def _select(at: Positions, which: Array) -> Positions:
    return Positions(at.f[which], at.D[which], at.reach[which])


def _either(first: Array, a: Positions, b: Positions) -> Positions:
    """Return a at the states ``first`` (N,), b at the rest."""
    line, block = first[:, None], first[:, None, None]
    return Positions(np.where(line, a.f, b.f), np.where(block, a.D, b.D), np.where(line, a.reach, b.reach))
