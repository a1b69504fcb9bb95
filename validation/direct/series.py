"""Truncated power series whose coefficients are arrays over states: x(t + s) = Σ c_k s^k.

The rates of a formula along a motion are coefficients of its series; no graph is differentiated. The recurrences
are those of automatic differentiation (Griewank & Walther, Evaluating Derivatives, 2nd ed., table 13.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """Coefficients c[0], c[1], … of a power series, each an array (N,)."""

    c: tuple[Array, ...]

    def __neg__(self) -> Series:
        return Series(tuple(-a for a in self.c))

    def __add__(self, other: Series) -> Series:
        return Series(tuple(a + b for a, b in zip(self.c, other.c, strict=True)))

    def __sub__(self, other: Series) -> Series:
        return Series(tuple(a - b for a, b in zip(self.c, other.c, strict=True)))

    def __mul__(self, other: Series) -> Series:
        return Series(tuple(_convolved(self.c, other.c, k) for k in range(len(self.c))))

    def __truediv__(self, other: Series) -> Series:
        found: list[Array] = []
        for k, a in enumerate(self.c):
            rest = sum((found[i] * other.c[k - i] for i in range(k)), np.zeros_like(a))
            found.append((a - rest) / other.c[0])
        return Series(tuple(found))

    def derivative(self) -> Series:
        """The rate: k c[k] moved down, the last coefficient lost."""
        return Series(tuple(k * a for k, a in enumerate(self.c))[1:])

    def integral(self, start: Array) -> Series:
        """The series with this rate and this value at s = 0; one coefficient more."""
        return Series((start, *(a / (k + 1) for k, a in enumerate(self.c))))

    def cut(self, count: int) -> Series:
        """The first coefficients."""
        return Series(self.c[:count])

    def at(self, inner: Series) -> Series:
        """This series of (inner - inner[0]): composition by Horner's rule."""
        step = Series((np.zeros_like(inner.c[0]), *inner.c[1:]))
        total = constant(self.c[-1], len(inner.c))
        for a in reversed(self.c[:-1]):
            total = total * step + constant(a, len(inner.c))
        return total


def constant(value: Array, count: int) -> Series:
    """A number as a series."""
    return Series((value, *(np.zeros_like(value) for _ in range(count - 1))))


def _convolved(a: tuple[Array, ...], b: tuple[Array, ...], k: int) -> Array:
    total = a[0] * b[k]
    for i in range(1, k + 1):
        total = total + a[i] * b[k - i]
    return total


def sine_cosine(x: Series) -> tuple[Series, Series]:
    """sin x and cos x: s' = c x', c' = -s x'."""
    s, c = [np.sin(x.c[0])], [np.cos(x.c[0])]
    for k in range(1, len(x.c)):
        s.append(sum((i * x.c[i] * c[k - i] for i in range(1, k + 1)), np.zeros_like(s[0])) / k)
        c.append(-sum((i * x.c[i] * s[k - i] for i in range(1, k + 1)), np.zeros_like(s[0])) / k)
    return Series(tuple(s)), Series(tuple(c))


def exponential(x: Series) -> Series:
    """e^x: y' = y x'."""
    y = [np.exp(x.c[0])]
    for k in range(1, len(x.c)):
        y.append(sum((i * x.c[i] * y[k - i] for i in range(1, k + 1)), np.zeros_like(y[0])) / k)
    return Series(tuple(y))


def square_root(x: Series) -> Series:
    """√x: y y = x."""
    y = [np.sqrt(x.c[0])]
    for k in range(1, len(x.c)):
        inner = sum((y[i] * y[k - i] for i in range(1, k)), np.zeros_like(y[0]))
        y.append((x.c[k] - inner) / (2 * y[0]))
    return Series(tuple(y))


def integrated(value: Callable[[Array], Array], rate: Callable[[Series], Series], x: Series) -> Series:
    """f(x) from f(x₀) and f'(x), by (f(x))' = f'(x) x'."""
    start = value(x.c[0])
    if len(x.c) == 1:
        return Series((start,))
    shorter = x.cut(len(x.c) - 1)
    return (rate(shorter) * x.derivative()).integral(start)


def piecewise(x: Series, sign: Array) -> Series:
    """sign · x: the absolute value away from zero."""
    return Series(tuple(sign * a for a in x.c))
