"""Generated code against the evaluator: the same numbers, the same absence of numbers, at one state and at many."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.fixtures import folder
from mbconcord.kernels.registry import one_by_one, over_numpy, scalar
from mbconcord.model.expressions import (
    FUNCTIONS,
    ZERO,
    Expression,
    ExpressionError,
    apply,
    call,
    evaluate,
    evaluate_float,
    numpy_arithmetic,
    python_source,
    scalar_source,
    sqrt,
    symbol,
)
from mbconcord.model.expressions.formula import parse_formula

X, Y = symbol("x"), symbol("y")
#: Formulas, and values of x and y at which they have no number.
WITHOUT = [
    (sqrt(X), -1.0, 0.0), (1 / X, 0.0, 0.0), (apply("log", X), -1.0, 0.0), (apply("asin", X), 2.0, 0.0),
    (apply("exp", X), 1000.0, 0.0), (X**Y, -2.0, 0.5), (X * X * X, 1e200, 0.0), (apply("log", X), 0.0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_the_evaluator(name: str) -> None:
    formula = apply(name, *(X, Y)[: FUNCTIONS[name]])
    function = scalar([formula, -formula], ["x", "y"])
    for x, y in ((0.3, -2.0), (0.7, 0.0), (1.0, 5.0)):
        value = evaluate_float(formula, {"x": x, "y": y})
        assert function([x, y]) == pytest.approx([value, -value], rel=4e-16)


@pytest.mark.parametrize(("formula", "x", "y"), WITHOUT)
def test_where_a_formula_has_no_number_the_others_have_theirs(formula: Expression, x: float, y: float) -> None:
    function = scalar([formula, X + Y], ["x", "y"])
    with np.errstate(all="ignore"):
        expected = evaluate([formula], {"x": np.float64(x), "y": np.float64(y)}, numpy_arithmetic())[0]
    found, other = function([x, y])
    assert other == x + y
    assert not math.isfinite(found) and np.array_equal(found, expected, equal_nan=True)


#: Functions of pieces, by hand.
PIECES = {
    "sign(x)": lambda x, y: (x > 0) - (x < 0), "abs(x)": lambda x, y: abs(x), "max(x, y)": max, "min(x, y)": min,
    "clip(x, y, 3)": lambda x, y: min(3, max(x, y)), "step(x)": lambda x, y: ((x > 0) - (x < 0) + 1) / 2,
    "where(x > y, x, 7)": lambda x, y: x if x > y else 7, "where(x >= y, x, 7)": lambda x, y: x if x >= y else 7,
    "where(x < y, x, 7)": lambda x, y: x if x < y else 7, "where(x <= y, x, 7)": lambda x, y: x if x <= y else 7,
}  # fmt: skip


@pytest.mark.parametrize("kind", [float, int, np.float64, np.float32, np.int64, np.array])
def test_functions_of_pieces_take_numbers_of_any_kind(kind: Callable[[int], object]) -> None:
    namespace: dict[str, Any] = {}
    exec(python_source([*map(parse_formula, PIECES)], ["x", "y"], "over_numpy"), namespace)
    for function in (scalar([*map(parse_formula, PIECES)], ["x", "y"]), namespace["over_numpy"]):
        for x, y in ((2, -1), (-1, 2), (0, 0), (5, 5), (-2, -2), (4, 0)):
            assert list(function([kind(x), kind(y)])) == [by_hand(x, y) for by_hand in PIECES.values()]


@pytest.mark.parametrize("quantities", [("M", "h"), ("acceleration",), ("inverse_dynamics",)])
def test_both_backends_give_the_same_numbers(quantities: tuple[str, ...]) -> None:
    model = folder() / "robots" / "ur5.mbsd"
    by_numpy, by_python = (mb.compile(model, quantities, "newton_euler", backend=name) for name in ("numpy", "python"))
    states = np.random.default_rng(0).uniform(-2, 2, (7, 12))
    many, each, one = by_numpy(states), by_python(states), by_python(states[3])
    for name in quantities:
        size = np.abs(many[name]).max()
        assert np.allclose(each[name], many[name], rtol=0, atol=1e-12 * size)
        assert np.array_equal(one[name], each[name][3])


def test_numbers_alone_and_no_inputs() -> None:
    for make in (over_numpy, one_by_one):
        assert make([ZERO + 3])({}).tolist() == [[3.0]]
        assert make([X, ZERO + 2])({"x": np.array([1.0, 5.0])}).tolist() == [[1.0, 5.0], [2.0, 2.0]]


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(ExpressionError, match="code for y is not known"):
        scalar([X + Y], ["x"])
    with pytest.raises(ExpressionError, match=r"lift\(\)"):
        scalar([call("lift", [X])], ["x"])
    with pytest.raises(ExpressionError, match="cannot name a Python function"):
        scalar_source([X], ["x"], "lambda")
