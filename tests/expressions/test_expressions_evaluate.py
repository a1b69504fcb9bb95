"""Evaluators against each other, generated code against evaluation, operation counts."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings

from mbconcord.model.expressions import (
    FLOAT,
    FRACTION,
    PI_NODE,
    ExpressionError,
    apply,
    as_expression,
    call,
    compile_numpy,
    evaluate,
    mpmath_arithmetic,
    number,
    numpy_arithmetic,
    sin,
    sqrt,
    symbol,
)

from .bounds import MEANING, bound_of
from .recipes import SYMBOLS, build, recipes
from .test_expressions import states

a, b, c, x, y = (symbol(name) for name in "abcxy")


@pytest.mark.slow
@settings(max_examples=200)
@given(recipes(), states)
def test_float_numpy_and_mpmath_agree(recipe, values):
    """Each within the bound of rounding of the exact value."""
    e = build(recipe)
    bound = bound_of(recipe, e, values)
    assume(bound is not None)
    exact = evaluate([e], values, mpmath_arithmetic(60), MEANING)[0]
    tolerance = 2 * bound
    assert abs(evaluate([e], values, FLOAT, MEANING)[0] - exact) <= tolerance
    assert abs(evaluate([e], values, numpy_arithmetic(), MEANING)[0] - exact) <= tolerance
    batch = {name: np.array([1.0, v, 2.0]) for name, v in values.items()}
    with np.errstate(all="ignore"):
        found = np.broadcast_to(evaluate([e], batch, numpy_arithmetic(), MEANING)[0], (3,))
        compiled = compile_numpy([e, e * 1], list(values), MEANING)(np.array(list(batch.values())))
    assert abs(found[1] - exact) <= tolerance
    assert compiled.shape == (2, 3) and np.array_equal(compiled[0], found, equal_nan=True)
    one = compile_numpy([e], list(values), MEANING)(list(values.values()))
    assert one.shape == (1,) and abs(one[0] - exact) <= tolerance


@pytest.mark.slow
@settings(max_examples=100)
@given(recipes(functions=("abs", "sign"), undefined={}, max_size=10))
def test_fractions_are_exact(recipe):
    values = {name: Fraction(7 * i - 11, 3 + i) for i, name in enumerate(SYMBOLS)}
    try:
        exact = evaluate([build(recipe)], values, FRACTION)[0]
        other = evaluate([build(recipe)], values, mpmath_arithmetic(60))[0]
    except ExpressionError:
        assume(False)
    assert isinstance(exact, Fraction)
    assume(exact == 0 or 1e-12 < abs(exact) < 1e12)
    assert abs(mpmath.mpf(exact.numerator) / exact.denominator - float(other)) <= 1e-12 * max(1, abs(exact))
    assert abs(float(exact) - other) <= 1e-12 * max(1, abs(exact))


@pytest.mark.parametrize(
    ("e", "values", "words"),
    [
        (a * sin(b) + call("f", [c]), {"b": 1}, r"no value for a, c, f\(\)"),
        (1 / (a - b), {"a": 1, "b": 1}, "division by zero in <1/"),
        (sqrt(a), {"a": -1}, "sqrt"),
        (apply("log", a), {"a": 0}, "log"),
        (apply("asin", a), {"a": 2}, "asin"),
        (a ** number("0.3"), {"a": -8}, r"a\^0.3"),
        ((a - b) ** -3, {"a": 2, "b": 2}, "division by zero"),
    ],
)
@pytest.mark.parametrize("arithmetic", [FLOAT, mpmath_arithmetic(30)], ids=["float", "mpmath"])
def test_what_has_no_value_is_refused(e, values, words, arithmetic):
    with pytest.raises(ExpressionError, match=words):
        evaluate([e], values, arithmetic)
    with pytest.raises(ExpressionError, match="division by zero"):
        evaluate([1 / (a - b)], {"a": np.float64(1), "b": np.float64(1)}, arithmetic)


def test_overflow_is_refused_by_floats_and_taken_by_mpmath():
    with pytest.raises(ExpressionError, match="exp"):
        evaluate([apply("exp", a)], {"a": 1e6})
    assert evaluate([apply("log", apply("exp", a))], {"a": 1e6}, mpmath_arithmetic(30)) == [10**6]


def test_one_bad_state_does_not_spoil_a_batch():
    values = {"a": np.array([4.0, -1.0, 0.0])}
    with np.errstate(all="ignore"):
        roots, inverses = evaluate([sqrt(a), 1 / a], values, numpy_arithmetic())
    assert roots[0] == 2 and np.isnan(roots[1]) and np.isinf(inverses[2])


@pytest.mark.parametrize("e", [sin(a), sqrt(a), PI_NODE * a, a ** number("0.3"), apply("exp", as_expression(2))])
def test_fractions_refuse_what_is_not_rational(e):
    with pytest.raises(ExpressionError, match="has no value in fractions"):
        evaluate([e], {"a": Fraction(1, 3)}, FRACTION)


def test_global_precision_is_untouched():
    before = (mpmath.mp.prec, mpmath.iv.prec)
    value = evaluate([PI_NODE / 3], {}, mpmath_arithmetic(80))[0]
    assert (mpmath.mp.prec, mpmath.iv.prec) == before
    with mpmath.workdps(80):
        assert abs(value - mpmath.pi / 3) < mpmath.mpf(10) ** -78
