"""Elementary functions and undefined functions, simplified locally on construction."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .algebra import coefficient, neg, square_root
from .interpolant import Interpolant
from .node import (
    CALL,
    FUN,
    FUNCTIONS,
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
)


def _half_turns(a: Expression) -> Fraction | None:
    """Return the rational r with a = r·pi, or None."""
    if a is ZERO:
        return Fraction(0)
    factor, base = coefficient(a)
    return factor if base is PI_NODE else None


def apply(name: str | Interpolant, *args: Expression) -> Expression:
    """Apply an elementary function, one of :data:`FUNCTIONS`, or a table."""
    if isinstance(name, Interpolant):
        (argument,) = args
        return ZERO if name.vanishes else intern(FUN, (argument,), name)
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
        if name == "sign" and a.op is NUM:
            return ONE
    elif name == "sqrt":
        return square_root(a)
    elif name == "abs":
        if negative:
            return apply("abs", neg(a))
        if a.op is NUM:
            return a
    elif name == "exp" and a is ZERO:
        return ONE
    elif name == "log" and a.op is NUM:
        if a is ONE:
            return ZERO
        if negative or a is ZERO:
            raise ExpressionError(f"logarithm of {a}")
    return intern(FUN, args, name)


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
