"""Arithmetics that a graph is evaluated with: float, NumPy, mpmath, intervals, exact fractions, SymPy.

An arithmetic is real. Where a function has no real value (a square root or a logarithm of a negative
number, an arc sine beyond ±1, a division by zero) FLOAT, mpmath, intervals and fractions raise, and
NumPy gives NaN or infinity for the states concerned, so that one bad state does not spoil a batch.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .node import FUNCTIONS, ExpressionError


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Arithmetic:
    """What a graph is evaluated with.

    Attributes
    ----------
    name : str
    number : exact rational -> scalar of this arithmetic
    pi : scalar
    functions : name -> callable, for every name of ``FUNCTIONS``
    power : (base, exponent that is not a whole number) -> scalar
    convert : given value of a symbol -> scalar
    """

    name: str
    number: Callable[[Fraction], Any]
    pi: Any
    functions: Mapping[str, Callable[..., Any]]
    power: Callable[[Any, Any], Any] = operator.pow
    convert: Callable[[Any], Any] = _same

    def sin(self, a: Any) -> Any:
        """Sine in this arithmetic."""
        return self.functions["sin"](a)

    def cos(self, a: Any) -> Any:
        """Cosine in this arithmetic."""
        return self.functions["cos"](a)


def _sign(a: Any) -> int:
    return int(a > 0) - int(a < 0)


FLOAT = Arithmetic(
    "float",
    float,
    math.pi,
    {
        "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
        "atan": math.atan, "atan2": math.atan2, "sqrt": math.sqrt, "exp": math.exp, "log": math.log,
        "abs": abs, "sign": lambda a: float(_sign(a)),
    },
    math.pow,
    float,
)  # fmt: skip


def numpy_arithmetic() -> Arithmetic:
    """NumPy: scalars, or arrays over a batch of states. Results that are not real are NaN."""
    import numpy as np

    return Arithmetic(
        "numpy",
        lambda value: np.float64(float(value)),
        np.float64(math.pi),
        {
            "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
            "atan": np.arctan, "atan2": np.arctan2, "sqrt": np.sqrt, "exp": np.exp, "log": np.log,
            "abs": np.abs, "sign": np.sign,
        },
        np.power,
        lambda value: np.asarray(value, dtype=np.float64)[()],
    )  # fmt: skip


def mpmath_arithmetic(digits: int = 50) -> Arithmetic:
    """Mpmath with so many decimal digits, in a context of its own: no global precision is touched.

    A float given for a symbol means the binary number it is, exactly.
    """
    from mpmath import MPContext

    context = MPContext()
    context.dps = digits

    def real(function: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any) -> Any:
            value = function(*args)
            if not isinstance(value, context.mpf):
                raise ValueError("no real value")
            if not context.isfinite(value):
                raise ZeroDivisionError
            return value

        return checked

    functions = {name: real(getattr(context, name)) for name in FUNCTIONS if name != "abs"}
    return Arithmetic(
        f"mpmath, {digits} digits",
        lambda value: context.mpf(value.numerator) / value.denominator,
        +context.pi,
        functions | {"abs": abs},
        real(context.power),
        lambda value: (
            context.mpf(value.numerator) / value.denominator
            if isinstance(value, Fraction)
            else context.mpf(value)
        ),
    )


def interval_arithmetic(digits: int = 15) -> Arithmetic:
    """Intervals that are sure to hold the exact value, with so many digits, in a context of their own.

    Given are numbers (a float is the binary number that it is) or pairs of bounds. The functions are sin,
    cos, tan, sqrt, exp, log and abs; the others are refused.
    """
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()
    context.dps = digits

    def interval(value: Any) -> Any:
        if isinstance(value, Fraction):
            return context.mpf(value.numerator) / value.denominator
        return context.mpf(value)

    def within(function: Callable[..., Any], low: float) -> Callable[..., Any]:
        def checked(a: Any) -> Any:
            if not a.a >= low:
                raise ValueError(f"the interval {a} reaches beyond the domain")
            return function(a)

        return checked

    functions = {
        "sin": context.sin, "cos": context.cos, "tan": context.tan, "exp": context.exp, "abs": abs,
        "sqrt": within(context.sqrt, 0), "log": within(context.log, 0),
    }  # fmt: skip
    return Arithmetic(
        f"intervals of {digits} digits",
        interval,
        +context.pi,
        {name: _refused(name, "intervals") for name in FUNCTIONS} | functions,
        lambda base, exponent: within(lambda a: a**exponent, 0)(base),
        interval,
    )


def _refused(name: str, arithmetic: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise ExpressionError(f"{name} has no value in {arithmetic}")

    return refuse


#: Exact fractions; pi and the functions that leave the rationals are refused.
FRACTION = Arithmetic(
    "fractions",
    Fraction,
    None,
    {name: _refused(name, "fractions") for name in FUNCTIONS}
    | {"abs": abs, "sign": lambda a: Fraction(_sign(a))},
    _refused("a power that is not whole", "fractions"),
    Fraction,
)


def sympy_arithmetic() -> Arithmetic:
    """SymPy: exact symbolic scalars."""
    import sympy

    return Arithmetic(
        "sympy",
        lambda value: sympy.Rational(value.numerator, value.denominator),
        sympy.pi,
        {name: sympy.Abs if name == "abs" else getattr(sympy, name) for name in FUNCTIONS},
        operator.pow,
        sympy.sympify,
    )
