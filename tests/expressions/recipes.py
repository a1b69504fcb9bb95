"""Hypothesis strategies for expressions: random graphs with every kind of node, shared and unshared.

>>> from hypothesis import given
>>> from mbconcord.tests.expressions.recipes import expressions
>>> @given(expressions())
... def test_of_mine(e): ...

A graph is drawn as a :class:`Recipe`, the list of operations before any simplification. So a test can
compute the recipe itself, without the graph, and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from hypothesis import strategies as st

from mbconcord.model.expressions import (
    FUNCTIONS,
    PI_NODE,
    Arithmetic,
    Expression,
    ExpressionError,
    apply,
    call,
    number,
    symbol,
)

#: Undefined functions of the graphs and how many arguments each takes.
UNDEFINED: Final = {"JK": 1, "f": 2}
SYMBOLS: Final = ("x", "y", "z1", "z1'", "t", "m10")

#: (operation, its data, places of operands among the earlier steps).
Action = tuple[str, Any, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Operations in order, the last one is the result: number, pi, symbol, a sign, neg, function or call."""

    actions: tuple[Action, ...]

    def fold(self, make: Callable[[str, Any, Sequence[Any]], Any]) -> Any:
        """The result, each operation done by ``make(operation, data, operands)``."""
        values: list[Any] = []
        for operation, data, places in self.actions:
            values.append(make(operation, data, [values[i] for i in places]))
        return values[-1]


def build(recipe: Recipe) -> Expression:
    """The graph of a recipe."""

    def make(operation: str, data: Any, args: Sequence[Expression]) -> Expression:
        if operation == "number":
            return number(data)
        if operation == "pi":
            return PI_NODE
        if operation == "symbol":
            return symbol(data)
        if operation == "function":
            return apply(data, *args)
        if operation == "call":
            return call(data[0], args, data[1])
        signed: Expression = _SIGNS[operation](*args)
        return signed

    result: Expression = recipe.fold(make)
    return result


def compute(
    recipe: Recipe,
    values: Mapping[str, Any],
    arithmetic: Arithmetic,
    functions: Mapping[str, Callable[..., Any]],
    look: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """The value of a recipe, operation by operation, without a graph; ``look`` sees every value."""

    def make(operation: str, data: Any, args: Sequence[Any]) -> Any:
        if operation == "number":
            return look(arithmetic.number(data))
        if operation == "pi":
            return look(arithmetic.pi)
        if operation == "symbol":
            return look(arithmetic.convert(values[data]))
        if operation == "function":
            return look(arithmetic.functions[data](*args))
        if operation == "call":
            return look(functions[data[0]](data[1], *args))
        if operation == "^":
            return look(arithmetic.power(*args))
        return look(_SIGNS[operation](*args))

    return recipe.fold(make)


_SIGNS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "neg": lambda a: -a,
}

_NUMBERS = st.one_of(
    st.integers(-4, 9).map(Fraction),
    st.sampled_from([Fraction(1, 2), Fraction(-3, 2), Fraction(1, 3), Fraction(22, 7), Fraction("9.81")]),
    st.just(Fraction(3**250 + 1, 2 * 3**250)),  # longer than what sums and products join
    st.fractions(-1000, 1000, max_denominator=997),
)


@st.composite
def recipes(
    draw: st.DrawFn,
    symbols: Sequence[str] = SYMBOLS,
    functions: Sequence[str] = tuple(FUNCTIONS),
    undefined: Mapping[str, int] = UNDEFINED,
    max_size: int = 14,
) -> Recipe:
    """Recipes over given symbols and functions; none divides by the number zero or the like."""
    actions: list[Action] = [("symbol", name, ()) for name in draw(st.permutations(list(symbols)))[:3]]
    actions.append(("number", draw(_NUMBERS), ()))
    if draw(st.booleans()):
        actions.append(("pi", None, ()))
    kinds = ["+", "-", "*", "/", "neg", "square", "^"]
    kinds += ["function", "function"] * bool(functions) + ["call"] * bool(undefined) + ["number"]

    def some(count: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(0, len(actions) - 1)) for _ in range(count))

    for _ in range(draw(st.integers(1, max_size))):
        kind = draw(st.sampled_from(kinds))
        action: Action
        if kind == "function":
            name = draw(st.sampled_from(sorted(functions)))
            action = (kind, name, some(FUNCTIONS[name]))
        elif kind == "call":
            name = draw(st.sampled_from(sorted(undefined)))
            places = some(undefined[name])
            action = (kind, (name, tuple(draw(st.integers(0, 2)) for _ in places)), places)
        elif kind == "number":
            action = (kind, draw(_NUMBERS), ())
        elif kind == "square":
            (place,) = some(1)
            action = ("*", None, (place, place))
        elif kind == "^" and not draw(st.booleans()):
            actions.append(("number", draw(_EXPONENTS), ()))
            action = (kind, None, (some(1)[0], len(actions) - 1))
        else:
            action = (kind, None, some(1 if kind == "neg" else 2))
        try:
            build(Recipe((*actions, action)))
        except ExpressionError:
            continue
        actions.append(action)
    return Recipe(tuple(actions))


_EXPONENTS = st.one_of(
    st.integers(-3, 5).map(Fraction),
    st.sampled_from([Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 3), Fraction(-2, 3)]),
)


def expressions(
    symbols: Sequence[str] = SYMBOLS,
    functions: Sequence[str] = tuple(FUNCTIONS),
    undefined: Mapping[str, int] = UNDEFINED,
    max_size: int = 14,
) -> st.SearchStrategy[Expression]:
    """Random expressions.

    Parameters
    ----------
    symbols : names of the symbols
    functions : names of the elementary functions; empty for rational expressions
    undefined : names of undefined functions and how many arguments each takes; may be empty
    max_size : int
        Most operations.
    """
    return recipes(symbols, functions, undefined, max_size).map(build)
