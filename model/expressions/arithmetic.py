"""Arithmetics for the evaluation of a graph: float, NumPy, mpmath, exact fractions, SymPy.

An arithmetic is real. Where a function has no real value (a square root or a logarithm of a negative
number, an arc sine beyond ±1, a division by zero) FLOAT, mpmath and fractions raise, and
NumPy gives NaN or infinity for the states concerned, so that one bad state does not spoil a batch.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

from mbconcord.records import dataclass

from .interpolant import Interpolant
from .node import FUNCTIONS, ExpressionError


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Arithmetic:
    """Arithmetic in which a graph is evaluated.

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
        """Return the sine in this arithmetic."""
        return self.functions["sin"](a)

    def cos(self, a: Any) -> Any:
        """Return the cosine in this arithmetic."""
        return self.functions["cos"](a)


#: So many tables of an arithmetic are kept.
KEPT: Final = 64


class Functions(dict[Any, Callable[..., Any]]):
    """Functions of an arithmetic: elementary ones by name, and for tables those that ``make`` makes of them."""

    def __init__(self, named: Any, make: Callable[[Interpolant], Callable[..., Any]]) -> None:
        super().__init__(named)
        self._make = lru_cache(maxsize=KEPT)(make)

    def __missing__(self, key: Any) -> Callable[..., Any]:
        if not isinstance(key, Interpolant):
            raise KeyError(key)
        return self._make(key)


def _sign(a: Any) -> int:
    return int(a > 0) - int(a < 0)


FLOAT = Arithmetic(
    "float",
    float,
    math.pi,
    Functions({
        "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
        "atan": math.atan, "atan2": math.atan2, "sqrt": math.sqrt, "exp": math.exp, "log": math.log,
        "abs": abs, "sign": lambda a: float(_sign(a)),
    }, lambda table: table.of_one),
    math.pow,
    float,
)  # fmt: skip


def numpy_arithmetic() -> Arithmetic:
    """Return NumPy's arithmetic: scalars, or arrays over a batch of states. Results that are not real are NaN."""
    import numpy as np

    return Arithmetic(
        "numpy",
        lambda value: np.float64(float(value)),
        np.float64(math.pi),
        Functions({
            "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
            "atan": np.arctan, "atan2": np.arctan2, "sqrt": np.sqrt, "exp": np.exp, "log": np.log,
            "abs": np.abs, "sign": np.sign,
        }, lambda table: table),
        np.power,
        lambda value: np.asarray(value, dtype=np.float64)[()],
    )  # fmt: skip


@cache
def mpmath_arithmetic(digits: int = 50) -> Arithmetic:
    """Return mpmath's arithmetic with this many decimal digits, in its own context: no global precision is changed.

    A float given for a symbol means its exact binary value.
    """
    from mpmath import MPContext

    context = MPContext()
    context.dps = digits

    def real(function: Callable[..., Any]) -> Callable[..., Any]:
        def call_checked(*args: Any) -> Any:
            value = function(*args)
            if not isinstance(value, context.mpf):
                raise ValueError("no real value")
            if not context.isfinite(value):
                raise ZeroDivisionError
            return value

        return call_checked

    def number(value: Fraction) -> Any:
        return context.mpf(value.numerator) / value.denominator

    functions = {name: real(getattr(context, name)) for name in FUNCTIONS if name != "abs"}
    return Arithmetic(
        f"mpmath, {digits} digits",
        number,
        +context.pi,
        Functions(functions | {"abs": abs}, lambda table: real(table.over(number))),
        real(context.power),
        lambda value: (
            context.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else context.mpf(value)
        ),
    )


def _make_refusal(name: str, arithmetic: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise ExpressionError(f"{name} has no value in {arithmetic}")

    return refuse


#: Exact fractions; pi and the functions that leave the rationals are refused.
FRACTION = Arithmetic(
    "fractions",
    Fraction,
    None,
    Functions(
        {name: _make_refusal(name, "fractions") for name in FUNCTIONS}
        | {"abs": abs, "sign": lambda a: Fraction(_sign(a))},
        lambda table: table.over(Fraction),
    ),
    _make_refusal("a power that is not whole", "fractions"),
    Fraction,
)


def _refuse_in_sympy(table: Interpolant) -> Callable[..., Any]:
    return _make_refusal(f"the table {table!r}", "SymPy")


def sympy_arithmetic() -> Arithmetic:
    """Return SymPy's arithmetic: exact symbolic scalars."""
    import sympy

    return Arithmetic(
        "sympy",
        lambda value: sympy.Rational(value.numerator, value.denominator),
        sympy.pi,
        Functions({name: sympy.Abs if name == "abs" else getattr(sympy, name) for name in FUNCTIONS}, _refuse_in_sympy),
        operator.pow,
        sympy.sympify,
    )
