"""Tables as series: rows are looked up and interpolated anew, in Hermite's form, at every state by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbconcord.model.expressions.interpolant import Interpolant

from .series import Series, constant, exact


def look_up(table: Interpolant, x: Series) -> Series:
    """Return a table of a series; NaN beyond a table that ends there."""
    local = [_expand(table, a) for a in x.c[0]]
    step = Series((0 * x.c[0], *x.c[1:]))
    total = constant(0 * x.c[0], len(x.c))
    for k in range(3, -1, -1):
        column = np.empty(len(local), dtype=object)
        column[:] = [c[k] for c in local]
        total = total * step + constant(column, len(x.c))
    return total


def _expand(table: Interpolant, a: Any) -> list[Any]:
    """Return the Taylor coefficients (4) of a table about an argument."""
    x, y, nan = [exact(z) for z in table.x], [exact(z) for z in table.y], exact(float("nan"))
    last = len(x) - 1
    if a != a or (table.beyond == "refuse" and not x[0] <= a <= x[last]):
        return [nan] * 4
    i = max((k for k in range(last) if x[k] <= a), default=0)  # pieces between knots, the first where a is before all
    if table.method == "linear":
        slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
        found = [y[i] + slope * (a - x[i]), slope, 0 * a, 0 * a]
    else:
        h, s = x[i + 1] - x[i], (a - x[i]) / (x[i + 1] - x[i])
        p, m, q, n = y[i], h * _slope(x, y, i), y[i + 1], h * _slope(x, y, i + 1)
        value = (1 + 2 * s) * (1 - s) ** 2 * p + s * (1 - s) ** 2 * m + s * s * (3 - 2 * s) * q + s * s * (s - 1) * n
        first = 6 * s * (1 - s) * (q - p) + (1 - s) * (1 - 3 * s) * m + s * (3 * s - 2) * n
        second = 6 * (1 - 2 * s) * (q - p) + (6 * s - 4) * m + (6 * s - 2) * n
        found = [value, first / h, second / (2 * h**2), (m + n - 2 * (q - p)) / h**3]
    for end in (0, last):
        if (a < x[0]) if end == 0 else (a > x[last]):
            slope = (_slope(x, y, end) if table.method == "cubic" else found[1]) * (table.beyond == "extend")
            found = [y[end] + slope * (a - x[end]), slope, 0 * a, 0 * a]
    for _ in range(table.order):
        found = [(j + 1) * found[j + 1] for j in range(3)] + [0 * a]
    return found


def _slope(x: list[Any], y: list[Any], i: int) -> Any:
    """Return the slope of the monotone cubic at a knot: Fritsch and Butland's mean, three points at an end."""
    d = [(y[k + 1] - y[k]) / (x[k + 1] - x[k]) for k in range(len(x) - 1)]
    if len(d) == 1:
        return d[0]
    if 0 < i < len(d):
        before, after = x[i] - x[i - 1], x[i + 1] - x[i]
        if d[i - 1] * d[i] <= 0:
            return 0 * d[i]
        share = (before + 2 * after) / (3 * (before + after))
        return d[i - 1] * d[i] / (share * d[i] + (1 - share) * d[i - 1])
    near, next_ = (0, 1) if i == 0 else (-1, -2)
    h = x[1] - x[0] if i == 0 else x[-1] - x[-2]
    g = x[2] - x[1] if i == 0 else x[-2] - x[-3]
    slope = d[near] + (d[near] - d[next_]) * h / (h + g)
    if slope * d[near] <= 0:
        return 0 * slope
    turns = d[near] * d[next_] <= 0
    return 3 * d[near] if turns and abs(slope) > 3 * abs(d[near]) else slope
