"""Running error bounds: every value of a program with a bound of its distance from the exact value.

A pair (v, e) says |v - x| ≤ e, where x is what exact arithmetic makes of the exact numbers: rationals and π as the
graph has them, symbols as the floats they are given as, or anywhere within a bound given for them. One operation
adds the effect of its operands' errors and its own rounding, u |v| with u = 2⁻⁵³ (Higham 2002, §3.3)::

    a + b   e_a + e_b + u|v|
    a b     |a| e_b + |b| e_a + e_a e_b + u|v|
    f(a)    sup |f'| e_a over what a may be, + c u|v|

If no finite bound is known, it is infinite, and stays so in all results that depend on it: a divisor that may be zero,
an overflow, NaN, a function without a formula. If the exact value itself does not exist (the root of a number that is
negative in exact arithmetic, but not in floats) a bound means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import numpy as np

from .arithmetic import Functions
from .evaluate import FunctionTable
from .levels import Array, Levels, apply_group, blocks, gather_groups, inputs, load
from .node import ADD, CALL, MUL, NEG, POW
from .program import DIV, SUB

#: Unit roundoff of a double: a correctly rounded operation is off by at most u |v|.
U: Final = 2.0**-53

#: What underflow may lose in a product, with room: far above the smallest float, so that bounds do not become
#: subnormal numbers, which are slow.
TINY: Final = 2.0**-1000

#: Errors of NumPy's functions in units of u |v|; k ulp are at most 2 k of them. Sine and cosine are within 1 ulp
#: wherever NumPy takes them from. The others may be those of Intel's vector library, for which 4 ulp are stated.
#: What they are on the machine at hand is measured by the benchmark ``bounds``.
ACCURACY: Final[Mapping[str, float]] = {
    "sin": 4, "cos": 4, "tan": 8, "asin": 8, "acos": 8, "atan": 8, "atan2": 8, "exp": 8, "log": 8, POW: 8,
    "sqrt": 1,
}  # fmt: skip

#: Covers the rounding of the bounds themselves: they are sums and products of what is not negative.
FACTOR: Final = 1.001

#: A divisor whose error is this part of it may be zero: less than a thousandth of it is certain.
WHOLE: Final = 1 - 2.0**-10

#: Bound of an operation from its value and its operands' values and bounds, all (k, N).
Rule = Callable[..., Array]


def run_bounds(
    plan: Levels,
    values: Mapping[str, Any],
    uncertain: Mapping[str, Any] | None = None,
    numbers: Mapping[Fraction, float] | None = None,
    functions: FunctionTable | None = None,
) -> tuple[Array, Array]:
    """Compute values and error bounds of a program's outputs, (m, N) each; values are those of :func:`.run_levels`.

    Parameters
    ----------
    plan : Levels
    values : symbol name -> number, or array (N,) over the states
    uncertain : symbol name -> error bound of the given number, for all states or (N,); others are exact
    numbers : rational of the program -> its error bound, without its rounding to a float
    functions : meaning of undefined functions; their results have no bound

    Raises
    ------
    ExpressionError
        A symbol or a function has no value; all missing names are listed.
    """
    known, meant = uncertain or {}, numbers or {}
    given = inputs(plan, values, functions or {})
    count = given.shape[1]
    off = [np.broadcast_to(np.asarray(known.get(name, 0.0), dtype=np.float64), (count,)) for name in plan.symbols]
    errors = np.stack(off) if off else np.empty((0, count))
    errors = np.where(np.isfinite(given) & (errors >= 0), errors, np.inf)
    rounding = np.where(plan.rounded, U * np.abs(plan.numbers) + TINY, 0.0)
    literals = np.array([0.0 if x is None else meant.get(x, 0.0) for x in plan.exact], dtype=np.float64)
    found, bounds = np.empty((2, len(plan.outputs), count))
    for part in blocks(plan, count):
        rows, off_rows = np.empty((2, plan.size, part.stop - part.start))
        load(plan, rows, given[:, part])
        k = len(plan.numbers)
        off_rows[:k] = (rounding + literals)[:, None]
        off_rows[k : k + len(given)] = errors[:, part]
        with np.errstate(all="ignore"):
            for group, operands, off_operands in gather_groups(plan, rows, off_rows):
                results = rows[group.rows]
                apply_group(group, operands, results, functions)
                pairs = [x for pair in zip(operands, off_operands, strict=True) for x in pair]
                off_rows[group.rows] = RULES[group.operation](results, *pairs)
        found[:, part], bounds[:, part] = rows[plan.outputs], off_rows[plan.outputs]
    return found, cover_rounding(found, bounds)


def cover_rounding(values: Array, bounds: Array) -> Array:
    """Widen the bounds by their own rounding; infinite where the value or the bound is not a number."""
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(values) & np.isfinite(bounds), FACTOR * bounds, np.inf)


def _neg(v: Array, a: Array, e: Array) -> Array:
    return e


def _add(v: Array, a: Array, e: Array, b: Array, f: Array) -> Array:
    off = np.abs(v)
    off *= U
    off += e
    off += f
    return off


def _mul(v: Array, a: Array, e: Array, b: Array, f: Array) -> Array:
    """Bound a product: (|a| + e) f + |b| e + u|v|."""
    off = np.abs(a)
    off += e
    off *= f
    term = np.abs(b)
    term *= e
    off += term
    np.abs(v, out=term)
    term *= U
    term += TINY
    off += term
    return off


def _div(v: Array, a: Array, e: Array, b: Array, f: Array) -> Array:
    """Bound a quotient: (e/|b| + |v| r)/(1 - r) + u|v|, r = f/|b|, as (a + δ)/(b + φ) - a/b = (δ - φ a/b)/(b + φ)."""
    size = np.abs(b)
    part, value = f / size, np.abs(v)
    off = (e / size + value * part) / (1 - part) + U * value + TINY
    return np.where(part < WHOLE, off, np.inf)


def _bound_turn(v: Array, slope_squared: Array, e: Array, c: float) -> Array:
    """Bound sine or cosine: min(1, |f'| + e) e + c u|v|, where f'² = 1 - v² to rounding; |f''| ≤ 1."""
    slope = np.sqrt(np.maximum(slope_squared, 0.0) + 16 * U)
    return np.minimum(1.0, slope + e) * e + c * U * np.abs(v) + TINY


def _sin(v: Array, a: Array, e: Array) -> Array:
    return _bound_turn(v, 1 - v * v, e, ACCURACY["sin"])


def _cos(v: Array, a: Array, e: Array) -> Array:
    return _bound_turn(v, 1 - v * v, e, ACCURACY["cos"])


def _tan(v: Array, a: Array, e: Array) -> Array:
    """Bound tan: tan(a + δ) - v = tan δ (1 + v²)/(1 - v tan δ)."""
    turn = np.tan(np.minimum(e, 1.0))
    part = np.abs(v) * turn
    off = turn * (1 + v * v) / (1 - part) + ACCURACY["tan"] * U * np.abs(v) + TINY
    return np.where((part < WHOLE) & (e < 1), off, np.inf)


def _inverse(v: Array, a: Array, e: Array, c: float) -> Array:
    """Bound arc sine or cosine: e/√(1 - m²), m = |a| + e, at most that at the end, 2 asin √(e/2) ≤ π √(e/2)."""
    most = np.abs(a) + e + 4 * U
    inside = np.maximum((1 - most) * (1 + most), 0.0)
    off = np.where(e > 0, np.minimum(e / np.sqrt(inside), np.pi * np.sqrt(e / 2)), 0 * e)
    return off + c * U * np.abs(v) + TINY


def _asin(v: Array, a: Array, e: Array) -> Array:
    return _inverse(v, a, e, ACCURACY["asin"])


def _acos(v: Array, a: Array, e: Array) -> Array:
    return _inverse(v, a, e, ACCURACY["acos"])


def _atan(v: Array, a: Array, e: Array) -> Array:
    """Bound atan: the slope 1/(1 + a²) is largest where |a| is least."""
    least = np.maximum(np.abs(a) - FACTOR * e, 0.0)
    off: Array = e / (1 + least * least) + ACCURACY["atan"] * U * np.abs(v) + TINY
    return off


def _atan2(v: Array, y: Array, e: Array, x: Array, f: Array) -> Array:
    """Bound atan2: moving a point at radius r by d turns it by asin(d/r) ≤ d/(r - d); add a turn across the cut."""
    part = np.hypot(e, f) / np.hypot(y, x)
    turned = part / (1 - part) + ACCURACY["atan2"] * U * np.abs(v) + TINY
    cut = (np.abs(y) <= FACTOR * e) & (x <= FACTOR * f)
    return np.where(part < WHOLE, turned + np.where(cut, 2 * np.pi, 0.0), np.inf)


def _sqrt(v: Array, a: Array, e: Array) -> Array:
    """Bound a root: |√a - √x| = |a - x|/(√a + √x); if the argument may be zero, both roots are at most √(a + e)."""
    below = np.sqrt(np.maximum(a - e, 0.0))
    near = np.sqrt(a + e)
    return np.where(a <= e, near, e / (v + below)) + U * v


def _exp(v: Array, a: Array, e: Array) -> Array:
    return (v + TINY) * np.expm1(e) + ACCURACY["exp"] * U * v + TINY


def _log(v: Array, a: Array, e: Array) -> Array:
    """Bound the logarithm: |ln(1 + δ/a)| ≤ -ln(1 - e/a)."""
    part = e / a
    off = -np.log1p(-np.minimum(part, WHOLE)) + ACCURACY["log"] * U * np.abs(v) + TINY
    return np.where(part < WHOLE, off, np.inf)


def _pow(v: Array, a: Array, e: Array, b: Array, f: Array) -> Array:
    """Bound a^b: (a + δ)^(b + φ) = v exp(L), |L| ≤ |b| λ + f (|ln|a|| + λ) with λ = -ln(1 - e/|a|).

    If the base may be zero and the exponent is positive, they differ by no more than (|a| + e)^b: with equal signs each
    is at most that, and with opposite signs and integer b ≥ 1, |a|^b + (e - |a|)^b is. A negative base has a power only
    for an integer exponent, which must be known exactly.
    """
    size, value = np.abs(a), np.abs(v)
    part = e / size
    spread = -np.log1p(-np.minimum(part, WHOLE))
    away = (value + TINY) * np.expm1(np.abs(b) * spread + f * (np.abs(np.log(size)) + spread))
    most = size + e
    near = np.where(b > FACTOR * f, np.maximum(np.power(most, b - f), np.power(most, b + f)), np.inf)
    off = np.where(part < WHOLE, away, near)
    defined = (a >= 0) | (f == 0)
    return np.where(defined, off + ACCURACY[POW] * U * value + TINY, np.inf)


def _abs(v: Array, a: Array, e: Array) -> Array:
    return e


def _sign(v: Array, a: Array, e: Array) -> Array:
    """Bound the sign: error 0 if zero is out of reach, or for an exact zero; else up to 2."""
    off: Array = np.where(np.abs(a) > FACTOR * e, 0.0, 2.0) * (e != 0) + 0 * e
    return off


def _call(v: Array, *pairs: Array) -> Array:
    return np.full_like(v, np.inf)


#: Every operation of a program, and every function of the graph.
RULES: Final[Mapping[Any, Rule]] = Functions({
    NEG: _neg, ADD: _add, SUB: _add, MUL: _mul, DIV: _div, POW: _pow, CALL: _call,
    "sin": _sin, "cos": _cos, "tan": _tan, "asin": _asin, "acos": _acos, "atan": _atan, "atan2": _atan2,
    "sqrt": _sqrt, "exp": _exp, "log": _log, "abs": _abs, "sign": _sign,
}, lambda table: lambda v, a, e: table.bound(v, a, e, U) + TINY)  # fmt: skip
