"""Tables as functions: values, slopes and ends; one meaning in every arithmetic, in generated code, text and proofs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from mbconcord.kernels.registry import scalar
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.expressions import (
    Expression,
    ExpressionError,
    apply,
    compile_numpy,
    cos,
    derivative,
    evaluate,
    mpmath_arithmetic,
    sin,
    symbol,
    to_text,
)
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.exchange import dumps, load_one
from mbconcord.model.expressions.field import IDENTICAL, UNDECIDED, compare
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.levels import levels, run_levels
from mbconcord.model.expressions.program import program

X = [Fraction(x) for x in ("0", "0.5", "1.25", "2", "3.5", "4", "5")]
Y = [Fraction(y) for y in ("0", "1.2", "1.2", "0.3", "-0.7", "-0.2", "2")]
ARGUMENT = symbol("x")
#: argument, linear, cubic, slope of the cubic: numpy.interp and SciPy's PchipInterpolator.
KNOWN = [
    (0, 0.0, 0.0, 3.36), (0.1, 0.24, 0.33984, 3.3792), (0.5, 1.2, 1.2, 0.0), (0.75, 1.2, 1.2, 0.0),
    (1.7, 0.66, 0.7124065573770493, -1.6217704918032785), (2, 0.3, 0.3, -0.8852459016393444),
    (2.9, -0.3, -0.4754754098360654, -0.6767213114754098), (4.5, 0.9, 0.69, 2.22), (5, 2.0, 2.0, 3.0),
]  # fmt: skip


def table(method: str = "cubic", beyond: str = "refuse", order: int = 0) -> Expression:
    """Return a table of x."""
    return apply(Interpolant(X, Y, method, beyond, order), ARGUMENT)


@pytest.mark.parametrize(("x", "linear", "cubic", "slope"), KNOWN)
def test_values_and_slopes_are_those_of_scipy(x: float, linear: float, cubic: float, slope: float) -> None:
    smooth = table()
    wanted = [table("linear"), smooth, derivative(smooth, ARGUMENT)]
    assert evaluate(wanted, {"x": x}) == pytest.approx([linear, cubic, slope], abs=1e-14)
    other = PchipInterpolator([float(z) for z in X], [float(z) for z in Y])
    assert evaluate(wanted[1:], {"x": x}) == pytest.approx([float(other(x)), float(other(x, 1))], abs=1e-13)


@pytest.mark.parametrize(
    ("method", "beyond", "before", "after"),
    [
        ("linear", "hold", (0, 0), (2, 0)), ("cubic", "hold", (0, 0), (2, 0)),
        ("linear", "extend", (-2.4, 2.4), (4.2, 2.2)), ("cubic", "extend", (-3.36, 3.36), (5, 3)),
    ],
)  # fmt: skip
def test_beyond_the_ends_a_table_does_what_it_says(method: str, beyond: str, before: Any, after: Any) -> None:
    wanted = [table(method, beyond), derivative(table(method, beyond), ARGUMENT)]
    assert evaluate(wanted, {"x": -1}) == pytest.approx(before)
    assert evaluate(wanted, {"x": 6}) == pytest.approx(after)


def test_beyond_a_table_that_ends_there_is_no_number() -> None:
    with pytest.raises(ExpressionError, match=r"5.2 is beyond the table, which goes from 0 to 5 \(beyond: hold or"):
        evaluate([table()], {"x": 5.2})
    found = run_levels(levels(program([table(), table("linear")])), {"x": np.array([-0.1, 5.0, 5.2])})
    assert np.isnan(found).tolist() == [[True, False, True]] * 2
    assert np.isnan(scalar([table()], ["x"])([5.2])[0])


@pytest.mark.parametrize("method", ["linear", "cubic"])
@pytest.mark.parametrize("beyond", ["hold", "extend"])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_generated_code_and_arrays_have_the_floats_of_the_evaluator(method: str, beyond: str, order: int) -> None:
    wanted = table(method, beyond, 0)
    for _ in range(order):
        wanted = derivative(wanted, ARGUMENT)
    at = np.sort(np.concatenate([np.linspace(-1, 6, 141), [float(x) for x in X]]))
    one_by_one = np.array([evaluate([wanted], {"x": x})[0] for x in at.tolist()])
    assert np.array_equal(run_levels(levels(program([wanted])), {"x": at})[0], one_by_one)
    assert np.array_equal(compile_numpy([wanted], ["x"])(at[None])[0], one_by_one)
    assert np.array_equal([scalar([wanted], ["x"])([x])[0] for x in at.tolist()], one_by_one)


@pytest.mark.parametrize("method", ["linear", "cubic"])
@pytest.mark.parametrize("beyond", ["refuse", "hold", "extend"])
@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-9, 1e-3])
def test_no_error_exceeds_its_bound(method: str, beyond: str, off: float) -> None:
    """At knots, beside them and between: the argument is anywhere within its bound."""
    exact = mpmath_arithmetic(50)
    rows = [Fraction(x) for x in ("0.1", "0.3", "0.7", "1.1", "5")]
    smooth = apply(Interpolant(rows, [Fraction(y) for y in ("1", "-0.4", "0.3", "0.9", "7")], method, beyond), ARGUMENT)
    wanted = [smooth, derivative(smooth, ARGUMENT)]
    knots = np.array([float(x) for x in rows])
    at = np.concatenate([knots, np.nextafter(knots, 9), np.nextafter(knots, -9), np.linspace(-1, 6, 97)])
    values, bounds = run_bounds(levels(program(wanted)), {"x": at}, {"x": off})
    bounded = 0
    for k, x in enumerate(at.tolist()):
        for shift in (-1, 0, 1):
            true = exact.convert(x) + shift * exact.convert(off)
            for i in range(2):
                if np.isfinite(bounds[i, k]):
                    (real,) = evaluate([wanted[i]], {"x": true}, exact)
                    assert abs(real - values[i, k]) <= bounds[i, k]
                    bounded += 1
    assert bounded > 300
    if off <= 1e-16 and beyond != "refuse":
        assert np.nanmax(bounds[0]) < 1e-13


def test_text_and_graph_of_a_table_read_back_to_the_same_node() -> None:
    for node in (table(), table("linear", "hold"), derivative(table("cubic", "extend"), ARGUMENT)):
        assert parse_formula(to_text(node)) is node
        assert load_one(dumps([node])) is node
    assert to_text(apply(Interpolant([Fraction(0), Fraction(1, 3)], [Fraction(-2), Fraction(1)]), ARGUMENT)) == (
        "table(x, 0, -2, 1/3, 1)"
    )
    assert len(repr(table())) < 30


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("table(x, 0, 1, 1, 2, 1, 3)", "row 3: the argument 1 does not lie beyond 1"),
        ("table(x, 0, 1, 2, 2, 1, 3)", "row 3: the argument 1 does not lie beyond 2"),
        ("table(x, 0, 1)", "needs two rows at least, found 1"),
        ("table(x, 0, 1, 1)", "2 arguments and 1 value"),
    ],
)
def test_what_is_no_table_is_refused_with_its_row(text: str, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        parse_formula(text)


def test_the_name_of_an_authors_function_stays_his() -> None:
    assert parse_formula("table(x, y)").op == "call"


def test_equal_tables_are_one_function_and_others_are_not_proved_equal() -> None:
    a = symbol("a")
    (same,) = compare([(apply(Interpolant(X, Y, "cubic"), sin(a) ** 2 + cos(a) ** 2 - 1 + ARGUMENT), table())])
    assert same.kind == IDENTICAL
    for other in (apply(Interpolant(X, Y, "cubic"), ARGUMENT + 1), table("linear"), table("cubic", "hold")):
        (found,) = compare([(other, table())])
        assert found.kind == UNDECIDED
