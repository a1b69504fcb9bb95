"""C and D of a linearised system by the kinematics of two formalisms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.model.state import State

from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import evaluation_tolerance


def compare_outputs(
    a: str, b: str, quantity: str, x: Array, y: Array, sizes: Array, state: State, rows: Sequence[str],
    columns: Sequence[str],
) -> Comparison:  # fmt: skip
    """Compare two matrices, whose entries are sums of terms of these absolute ``sizes``; rows have one scale each."""
    scale = np.broadcast_to(np.maximum(sizes.max(axis=1, keepdims=True), 0.0), x.shape)
    gap, allowed = np.abs(x - y), evaluation_tolerance()
    with np.errstate(all="ignore"):
        part = np.where(gap == 0, 0.0, np.where(scale > 0, gap / scale, np.inf))
    part = np.where(np.isfinite(x) & np.isfinite(y), part, np.inf)
    i, j = (int(k) for k in np.unravel_index(int(np.argmax(part)), part.shape))
    return Comparison(
        a, b, quantity, "agrees" if part[i, j] <= allowed else "disagrees", discrepancy=float(part[i, j]),
        tolerance=allowed, scale=float(scale[i, j]), state=state, entry=(rows[i], columns[j]),
        values=(float(x[i, j]), float(y[i, j])), zero=not (x.any() or y.any()),
    )  # fmt: skip
