"""Best polynomials by Remez' exchange, in mpmath, with coefficients that floats hold: those of kernels were so made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import MPContext

#: Points at which an error is looked at, extrema refined between them.
GRID = 160


def remez(
    context: MPContext, function: Callable[[Any], Any], weight: Callable[[Any], Any], low: Any, high: Any, n: int
) -> list[Any]:
    """The n coefficients c with the least max |weight(z) (function(z) - Σ c_i z^i)| on [low, high]."""
    spread = [context.cos(context.pi * (n - i) / n) for i in range(n + 1)]
    points = [low + (high - low) * (1 + x) / 2 for x in spread]
    found: list[Any] = []
    for _ in range(12):
        rows = [[z**i for i in range(n)] + [(-1) ** k / weight(z)] for k, z in enumerate(points)]
        solved = context.lu_solve(context.matrix(rows), context.matrix([function(z) for z in points]))
        found, level = list(solved)[:n], abs(solved[n])

        def error(z: Any, fitted: Sequence[Any] = tuple(found)) -> Any:
            return weight(z) * (function(z) - context.polyval(fitted[::-1], z))

        points, most = _extrema(error, low, high, n)
        if most <= level * (1 + context.mpf(10) ** -6):
            break
    return found


def _extrema(error: Callable[[Any], Any], low: Any, high: Any, n: int) -> tuple[list[Any], Any]:
    """The n + 1 points of alternating sign where the error is largest, and that error."""
    grid = [low + (high - low) * i / GRID for i in range(GRID + 1)]
    values = [error(z) for z in grid]
    found: list[tuple[Any, Any]] = []
    for i, value in enumerate(values):
        around = values[max(i - 1, 0) : i + 2]
        if all(abs(value) >= abs(other) for other in around if (other > 0) == (value > 0)):
            z, value = _refined(error, grid, values, i)
            if found and (found[-1][1] > 0) == (value > 0):
                if abs(value) > abs(found[-1][1]):
                    found[-1] = (z, value)
            else:
                found.append((z, value))
    while len(found) > n + 1:
        del found[0 if abs(found[0][1]) < abs(found[-1][1]) else -1]
    return [z for z, _ in found], max(abs(value) for _, value in found)


def _refined(error: Callable[[Any], Any], grid: Sequence[Any], values: Sequence[Any], i: int) -> tuple[Any, Any]:
    """The top of the parabola through an extremum of the grid and its neighbours."""
    if not 0 < i < len(grid) - 1:
        return grid[i], values[i]
    a, b, c = values[i - 1 : i + 2]
    bend = a - 2 * b + c
    z = grid[i] + (grid[i + 1] - grid[i]) * (a - c) / (2 * bend) if bend else grid[i]
    value = error(z)
    return (z, value) if abs(value) > abs(b) else (grid[i], b)


def rounded(
    context: MPContext,
    function: Callable[[Any], Any],
    weight: Callable[[Any], Any],
    high: Any,
    n: int,
    to: Callable[[Any], float],
) -> tuple[float, ...]:
    """Coefficients of (0, high] that floats hold: the lowest is rounded, the rest is fitted again, and so on."""
    low = high / 10**6
    held: list[float] = []
    for left in range(n, 0, -1):

        def rest(z: Any) -> Any:
            return (function(z) - context.polyval([context.mpf(c) for c in held[::-1]], z)) / z ** len(held)

        def weighed(z: Any) -> Any:
            return weight(z) * z ** len(held)

        held.append(to(remez(context, rest, weighed, low, high, left)[0]))
    return tuple(held)
