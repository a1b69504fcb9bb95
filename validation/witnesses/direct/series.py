"""Truncated power series whose coefficients are arrays over states: x(t + s) = Σ c_k s^k.

The rates of a formula along a motion are coefficients of its series; no graph is differentiated. The recurrences
are those of automatic differentiation (Griewank & Walther, Evaluating Derivatives, 2nd ed., table 13.2).

Coefficients are numbers of 50 digits, in arrays of objects, so that nothing is lost if terms of a formula cancel.

Tables become series too: rows are looked up and interpolated, in Hermite's form, at each state separately.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any, Final

import mpmath
import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.records import dataclass

from ...judge.tolerances import REFEREE_DIGITS

Array = NDArray[np.float64]

_CONTEXT: Final = mpmath.MPContext()
_CONTEXT.dps = REFEREE_DIGITS
#: Larger numbers count as infinite, as in floats: their sines and exponentials would take all memory.
_BEYOND: Final = _CONTEXT.mpf("1e400")
#: A sum smaller than this, relative to its terms, is rounding.
_ROUNDING: Final = _CONTEXT.mpf(10) ** (6 - REFEREE_DIGITS)


def exact(value: Any) -> Any:
    """Convert a float or a rational to 50 digits."""
    if isinstance(value, Fraction):
        return _CONTEXT.mpf(value.numerator) / value.denominator
    return _CONTEXT.mpf(value)


def pi() -> Any:
    """Return π in 50 digits."""
    return +_CONTEXT.pi


def elementary(name: str) -> Callable[..., Array]:
    """Return mpmath's function of a name, for arrays of numbers of 50 digits; NaN where it has no real value."""
    function = getattr(_CONTEXT, name)

    def real(*args: Any) -> Any:
        try:
            found = function(*(x if abs(x) < _BEYOND else x * _CONTEXT.inf for x in args))
        except (ArithmeticError, ValueError):
            return _CONTEXT.nan
        return found if isinstance(found, _CONTEXT.mpf) else _CONTEXT.nan

    return each(real)


def each(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return the function of arrays (N,) of objects that applies a function of numbers to each entry."""

    def apply(*args: Array) -> Array:
        rows = [function(*row) for row in zip(*np.broadcast_arrays(*args), strict=True)]
        found = np.empty(len(rows), dtype=object)
        found[:] = rows
        return found

    return apply


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b; infinity or NaN, as with floats, if b is zero."""
    return a / b if b else a * _CONTEXT.inf if a else _CONTEXT.nan


def _add(a: Any, b: Any) -> Any:
    """Return a + b; zero if the terms cancel up to rounding."""
    found = a + b
    return _CONTEXT.zero if abs(found) < _ROUNDING * abs(a) else found


divided, added = each(_quotient), each(_add)
sine, cosine, power_of_e, root, sign = map(elementary, ("sin", "cos", "exp", "sqrt", "sign"))


@dataclass(frozen=True)
class Series:
    """Coefficients c[0], c[1], … of a power series, each an array (N,), or (1,) if it is the same at all N states."""

    c: tuple[Array, ...]

    def __neg__(self) -> Series:
        return Series(tuple(-a for a in self.c))

    def __add__(self, other: Series) -> Series:
        return Series(tuple(a + b for a, b in zip(self.c, other.c, strict=True)))

    def __sub__(self, other: Series) -> Series:
        return Series(tuple(a - b for a, b in zip(self.c, other.c, strict=True)))

    def __mul__(self, other: Series) -> Series:
        return Series(tuple(_convolve(self.c, other.c, k) for k in range(len(self.c))))

    def __truediv__(self, other: Series) -> Series:
        found: list[Array] = []
        for k, a in enumerate(self.c):
            rest = sum((found[i] * other.c[k - i] for i in range(k)), np.zeros_like(a))
            found.append(divided(a - rest, other.c[0]))
        return Series(tuple(found))

    def floats(self) -> Series:
        """Return the series with coefficients rounded to floats."""
        return Series(tuple(np.asarray(a, dtype=float) for a in self.c))

    def exact(self) -> Series:
        """Return the series with coefficients converted to numbers of 50 digits."""
        return Series(tuple(each(exact)(a) for a in self.c))

    def derivative(self) -> Series:
        """Return the derivative, with coefficients (k + 1) c[k + 1] and one coefficient less."""
        return Series(tuple(k * a for k, a in enumerate(self.c))[1:])

    def integral(self, start: Array) -> Series:
        """Return the integral that has the value ``start`` at s = 0, with one coefficient more."""
        return Series((start, *(a / (k + 1) for k, a in enumerate(self.c))))

    def cut(self, count: int) -> Series:
        """Return the series with the first ``count`` coefficients only."""
        return Series(self.c[:count])

    def compose(self, inner: Series) -> Series:
        """Return the composition of this series with inner - inner[0], by Horner's rule."""
        step = Series((np.zeros_like(inner.c[0]), *inner.c[1:]))
        total = constant(self.c[-1], len(inner.c))
        for a in reversed(self.c[:-1]):
            total = total * step + constant(a, len(inner.c))
        return total


def constant(value: Array, count: int) -> Series:
    """Return the series of a constant, with ``count`` coefficients."""
    return Series((value,) + (np.zeros(value.shape, value.dtype),) * (count - 1))


def _convolve(a: tuple[Array, ...], b: tuple[Array, ...], k: int) -> Array:
    total = a[0] * b[k]
    for i in range(1, k + 1):
        total = total + a[i] * b[k - i]
    return total


def sine_cosine(x: Series) -> tuple[Series, Series]:
    """Compute sin x and cos x: s' = c x', c' = -s x'."""
    s, c = [sine(x.c[0])], [cosine(x.c[0])]
    for k in range(1, len(x.c)):
        s.append(sum((i * x.c[i] * c[k - i] for i in range(1, k + 1)), np.zeros_like(s[0])) / k)
        c.append(-sum((i * x.c[i] * s[k - i] for i in range(1, k + 1)), np.zeros_like(s[0])) / k)
    return Series(tuple(s)), Series(tuple(c))


def exponential(x: Series) -> Series:
    """Compute e^x: y' = y x'."""
    y = [power_of_e(x.c[0])]
    for k in range(1, len(x.c)):
        y.append(sum((i * x.c[i] * y[k - i] for i in range(1, k + 1)), np.zeros_like(y[0])) / k)
    return Series(tuple(y))


def square_root(x: Series) -> Series:
    """Compute √x: y y = x."""
    y = [root(x.c[0])]
    for k in range(1, len(x.c)):
        inner = sum((y[i] * y[k - i] for i in range(1, k)), np.zeros_like(y[0]))
        y.append(divided(x.c[k] - inner, 2 * y[0]))
    return keep_constants(Series(tuple(y)), x)


def keep_constants(y: Series, *inner: Series) -> Series:
    """Return y with rates set to zero at states where all inner series are constant: its slopes may be infinite."""
    if len(y.c) == 1:
        return y
    moves = reduce(np.logical_or, [a != 0 for x in inner for a in x.c[1:]])
    return Series((y.c[0], *(np.where(moves, a, 0 * inner[0].c[0]) for a in y.c[1:])))


def integrate(value: Callable[[Array], Array], rate: Callable[[Series], Series], x: Series) -> Series:
    """Compute the series f(x) from its value f(x₀) and the series f'(x) (``rate``), by (f(x))' = f'(x) x'."""
    start = value(x.c[0])
    if len(x.c) == 1:
        return Series((start,))
    shorter = x.cut(len(x.c) - 1)
    return keep_constants((rate(shorter) * x.derivative()).integral(start), x)


def piecewise(x: Series, sign: Array) -> Series:
    """Return the series sign · x, which is that of |x| if ``sign`` is the sign of x."""
    return Series(tuple(sign * a for a in x.c))


def look_up(table: Interpolant, x: Series) -> Series:
    """Return the series of a table's value at the argument x; NaN beyond the ends of a table that refuses them."""
    local = [_expand(table, a) for a in x.c[0]]
    step = Series((0 * x.c[0], *x.c[1:]))
    total = constant(0 * x.c[0], len(x.c))
    for k in range(3, -1, -1):
        column = np.empty(len(local), dtype=object)
        column[:] = [c[k] for c in local]
        total = total * step + constant(column, len(x.c))
    return total


def _expand(table: Interpolant, a: Any) -> list[Any]:
    """Return the four Taylor coefficients of a table's value, or of its derivative, about an argument a."""
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
    """Return the slope of the monotone cubic at knot i: Fritsch and Butland's mean, or a three-point rule at an end."""
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
