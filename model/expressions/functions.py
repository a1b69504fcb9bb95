"""Elementary functions and undefined functions, simplified locally on construction."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from .algebra import coefficient, neg, square_root
from .interpolant import Interpolant
from .node import (
    CALL,
    FUN,
    FUNCTIONS,
    HALF,
    MINUS_ONE,
    NEG,
    NUM,
    ONE,
    PI_NODE,
    ZERO,
    Expression,
    ExpressionError,
    Scalar,
    as_expression,
    intern,
    number,
)

#: Functions of pieces, and how each is used: they are written by abs and sign.
PIECEWISE: Final = {
    "max": "max(a, b)", "min": "min(a, b)", "clip": "clip(a, low, high)", "step": "step(a)",
    "where": "where(a > b, c, d)", "if": "if(a > b, c, d)",
}  # fmt: skip
CHOICES: Final = ("where", "if")
#: Most arguments of max and min.
PIECES: Final = 20


def _half_turns(a: Expression) -> Fraction | None:
    """Return the rational r with a = r·pi, or None."""
    if a is ZERO:
        return Fraction(0)
    factor, base = coefficient(a)
    return factor if base is PI_NODE else None


def apply(name: str | Interpolant, *args: Expression) -> Expression:
    """Apply an elementary function, one of :data:`FUNCTIONS` or :data:`PIECEWISE`, or a table."""
    if isinstance(name, Interpolant):
        (argument,) = args
        return ZERO if name.vanishes else intern(FUN, (argument,), name)
    if name in PIECEWISE:
        return _apply_piecewise(name, *args)
    arity = FUNCTIONS.get(name)
    if arity is None:
        raise ExpressionError(f"unknown function {name}; known: {', '.join(FUNCTIONS)}")
    if len(args) != arity:
        raise ExpressionError(f"{name} takes {arity} argument{'s' * (arity > 1)}, not {len(args)}")
    a = args[0]
    negative = a.op is NEG or (a.op is NUM and a.data < 0)
    if name in ("sin", "cos"):
        if negative:
            return neg(apply("sin", neg(a))) if name == "sin" else apply("cos", neg(a))
        turns = _half_turns(a)
        if turns is not None and (turns * 2).denominator == 1:
            quarter = (int(turns * 2) + (name == "cos")) % 4
            return (ZERO, ONE, ZERO, MINUS_ONE)[quarter]
    elif name in ("tan", "asin", "atan", "sign"):
        if a is ZERO:
            return ZERO
        if negative:
            return neg(apply(name, neg(a)))
        if name == "tan" and (turns := _half_turns(a)) is not None and turns.denominator == 1:
            return ZERO
        if name == "sign":
            if a.op is NUM:
                return ONE
            factor, base = coefficient(a)
            if factor != 1:
                return apply("sign", base if factor > 0 else neg(base))
    elif name == "sqrt":
        return square_root(a)
    elif name == "abs":
        if negative:
            return apply("abs", neg(a))
        if a.op is NUM:
            return a
        factor, base = coefficient(a)
        if factor != 1:
            return number(abs(factor)) * apply("abs", base)
    elif name == "exp" and a is ZERO:
        return ONE
    elif name == "log" and a.op is NUM:
        if a is ONE:
            return ZERO
        if negative or a is ZERO:
            raise ExpressionError(f"logarithm of {a}")
    return intern(FUN, args, name)


def _apply_piecewise(name: str, *args: Expression) -> Expression:
    """Express a piecewise function by abs and sign: max(a, b) is (a + b + |a - b|)/2, step(a) (1 + sign(a))/2."""
    expected = {"clip": (3, 3), "step": (1, 1)}.get(name, (2, PIECES))
    if not expected[0] <= len(args) <= expected[1]:
        found = f"{len(args)} argument{'s' * (len(args) != 1)}"
        raise ExpressionError(f"{name} is used as {PIECEWISE[name]}, found {found}")
    if name == "step":
        return HALF * (ONE + apply("sign", args[0]))
    if name == "clip":
        a, low, high = args
        if low.op is NUM and high.op is NUM and low.data > high.data:
            raise ExpressionError(f"clip between {low} and {high}: the lower end is above the upper")
        return apply("min", high, apply("max", low, a))
    if name in CHOICES:
        raise ExpressionError(f"{name} is used as {PIECEWISE[name]}, found no comparison")
    first, *others = args
    for other in others:
        apart = apply("abs", first - other)
        first = HALF * (first + other + (apart if name == "max" else neg(apart)))
    return first


def choose(a: Expression, relation: str, b: Expression, yes: Expression, no: Expression) -> Expression:
    """Return ``yes`` where ``a relation b`` holds (``>``, ``>=``, ``<``, ``<=``), else ``no``.

    With s = sign(a - b), (s + s²)/2 is 1 where a > b and 0 elsewhere, exactly, also where a = b and in floats.
    Both pieces are evaluated everywhere.
    """
    s = apply("sign", a - b if relation in (">", "<=") else b - a)
    holds = HALF * (s + s * s)
    yes, no = (no, yes) if relation in (">=", "<=") else (yes, no)
    return yes * holds + no * (ONE - holds)


def call(name: str, args: Iterable[Expression], orders: Iterable[int] | None = None) -> Expression:
    """Call an undefined function, or a partial derivative of it.

    ``orders[i]`` counts the differentiations with respect to its i-th argument: ``call("JK", [TIME], [2])`` is JK''(t).
    """
    arguments = tuple(args)
    counts = tuple(orders) if orders is not None else (0,) * len(arguments)
    if not name or len(counts) != len(arguments) or not arguments or any(order < 0 for order in counts):
        raise ExpressionError(
            f"{name}: an undefined function has a name, at least one argument, and an order of differentiation for each"
        )
    return intern(CALL, arguments, (name, counts))


def sin(a: Scalar) -> Expression:
    """Return the sine."""
    return apply("sin", as_expression(a))


def cos(a: Scalar) -> Expression:
    """Return the cosine."""
    return apply("cos", as_expression(a))


def sqrt(a: Scalar) -> Expression:
    """Compute the square root."""
    return apply("sqrt", as_expression(a))
