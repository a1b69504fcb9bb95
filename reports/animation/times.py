"""Times of frames: the rows of a table, fewer for a long one, and more between the rows of a short one.

Between two rows, frames lie on cubics through their positions and rates, if these are close to the quintics that have
the accelerations too. Cubics and quintics differ by h² d₀ s² (1-s)³/2 + h² d₁ s³ (1-s)²/2 over a step, 0 ≤ s ≤ 1, where
d are the accelerations of the rows less those of the cubic: at most by 0.01728 h² (|d₀| + |d₁|).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass

Array = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """States over N times (s): positions (N, n); rates and accelerations (N, n), or None if unknown."""

    t: Array
    q: Array
    v: Array | None = None
    a: Array | None = None


def choose_times(states: States, most: int, near: Array) -> tuple[Array, Array, str]:
    """Choose times (F,) and positions (F, n) of at most ``most`` frames, and describe the choice in words.

    ``near`` (n,) is the largest allowed difference between cubics and quintics.
    """
    rows = len(states.t)
    if rows > most:
        chosen = np.unique(np.round(np.linspace(0, rows - 1, most)).astype(int))
        return states.t[chosen], states.q[chosen], f"{len(chosen):,} of {rows:,} rows"
    pieces = (most - 1) // max(rows - 1, 1)
    smooth = _error(states)
    if rows < 2 or pieces < 2 or smooth is None:
        return states.t, states.q, f"{rows:,} {'row' if rows == 1 else 'rows'}"
    if (smooth > near).any():
        return states.t, states.q, f"{rows:,} rows, too far apart to draw what is between them"
    t, q = _subdivide(states, pieces)
    return t, q, f"{len(t):,}: {rows:,} rows, and cubics through their positions and rates"


def _error(states: States) -> Array | None:
    """Bound the difference of cubics and quintics (n,); None if rates or accelerations are unknown."""
    q, v, a = states.q, states.v, states.a
    if v is None or a is None:
        return None
    h = np.diff(states.t)[:, None]
    first = h**2 * a[:-1] - 6 * np.diff(q, axis=0) + h * (4 * v[:-1] + 2 * v[1:])
    last = h**2 * a[1:] + 6 * np.diff(q, axis=0) - h * (2 * v[:-1] + 4 * v[1:])
    found = 0.01728 * (np.abs(first) + np.abs(last))
    return np.asarray(np.nan_to_num(found, nan=np.inf).max(axis=0, initial=0.0))


def _subdivide(states: States, pieces: int) -> tuple[Array, Array]:
    """Divide every step into ``pieces`` parts; return the times and the positions on the cubics."""
    assert states.v is not None
    s = (np.arange(pieces) / pieces)[None, :, None]
    h = np.diff(states.t)[:, None, None]
    q, v = states.q[:, None], states.v[:, None]
    inner = (
        (1 + 2 * s) * (1 - s) ** 2 * q[:-1] + s * (1 - s) ** 2 * h * v[:-1]
        + s**2 * (3 - 2 * s) * q[1:] - s**2 * (1 - s) * h * v[1:]
    )  # fmt: skip
    times = states.t[:-1, None] + h[:, :, 0] * s[:, :, 0]
    n = states.q.shape[1]
    return np.append(times.ravel(), states.t[-1]), np.concatenate([inner.reshape(-1, n), states.q[-1:]])
