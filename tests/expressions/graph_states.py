"""Arithmetic, functions and random states for the tests of the graph."""

import random

import mpmath
from hypothesis import assume
from hypothesis import strategies as st

from mbconcord.model.expressions import TIME, call, mpmath_arithmetic, symbol

from .recipes import SYMBOLS

a, b, c, x, y, z = (symbol(name) for name in "abcxyz")
f, g = call("f", [x, y]), call("JK", [TIME])

DIGITS = 100
MP = mpmath_arithmetic(DIGITS)
FUNCTIONS = {
    "JK": lambda orders, u: [u * u * u + u, 3 * u * u + 1, 6 * u, u * 0 + 6, u * 0, u * 0, u * 0][orders[0]],
    "f": lambda orders, u, v: _binomial(orders, u, v),
}
TINY, HUGE = mpmath.mpf(10) ** -12, mpmath.mpf(10) ** 8


def _binomial(orders, u, v):
    """Derivatives of u² v + v³."""
    m, n = orders
    first = {0: u * u, 1: 2 * u, 2: u * 0 + 2}.get(m, u * 0)
    second = {0: v, 1: v * 0 + 1}.get(n, v * 0)
    third = {0: v * v * v, 1: 3 * v * v, 2: 6 * v, 3: v * 0 + 6}.get(n, v * 0) if m == 0 else v * 0
    return first * second + third


def regular(value):
    """Reject states near a pole, a jump or an overflow, where no arithmetic can decide."""
    assume(value == 0 or TINY < abs(value) < HUGE)
    return value


def state(seed: int) -> dict[str, float]:
    draw = random.Random(seed)
    return {name: draw.choice([-1, 1]) * draw.uniform(0.2, 3) for name in SYMBOLS}


states = st.integers(0, 10**6).map(state)
