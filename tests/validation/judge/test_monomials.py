"""Term-by-term comparison of polynomials in parameters, sines and cosines."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import evaluate_float, symbols
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.validation.judge.monomials import differences, monomials

EQUAL = [
    ("(a + b)^2", "a^2 + 2 a b + b^2"),
    ("sin(x + y)", "sin(x)*cos(y) + cos(x)*sin(y)"),
    ("cos(x - y)", "cos(x)*cos(y) + sin(x)*sin(y)"),
    ("sin(2 x)", "2*sin(x)*cos(x)"),
    ("cos(3 x)", "4*cos(x)^3 - 3*cos(x)"),
    ("cos(x + pi/2)", "-sin(x)"),
    ("sin(x)^4 + cos(x)^2", "1 - cos(x)^2*sin(x)^2"),
    ("m*(sin(x)^2 + cos(x)^2)*(a - b)", "m*a - m*b"),
    ("a/2 - 3/4*a + a/4", "0"),
    ("pi*a*2", "2*a*pi"),
]


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_equal_expressions_have_the_same_monomials(first, second):
    assert differences(parse_formula(first), parse_formula(second)) == ()


DIFFERENT = [
    ("a + b", "a - b", [("b", 1, -1)]),
    ("sin(x)*k", "sin(y)*k", [("k*sin(x)", 1, 0), ("k*sin(y)", 0, 1)]),
    ("a*(b + c)^2", "a*(b^2 + c^2)", [("a*b*c", 2, 0)]),
    ("3*a/2", "a", [("a", Fraction(3, 2), 1)]),
    ("1", "cos(x)", [("1", 1, 0), ("cos(x)", 0, 1)]),
]


@pytest.mark.parametrize(("first", "second", "expected"), DIFFERENT)
def test_differences(first, second, expected):
    found = differences(parse_formula(first), parse_formula(second))
    assert [(d.monomial, d.first, d.second) for d in found] == expected


@pytest.mark.parametrize("text", ["1/a", "sqrt(a)", "a^b", "exp(a)", "f(t)", "10^10000000", "a^10000000"])
def test_what_is_no_polynomial_is_refused(text):
    with pytest.raises(MbconcordError):
        monomials(parse_formula(text))


def test_what_is_too_long_is_refused():
    """The square of a sum of eight is 64 products before they are joined to 36 monomials."""
    square = parse_formula("(a+b+c+d+k+m+n+p)^2")
    assert len(monomials(square, limit=64)) == 36
    with pytest.raises(MbconcordError, match="63"):
        monomials(square, limit=63)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "refused"), [(150, False), (449, True)])
def test_lists_end_at_two_hundred_thousand(count, refused):
    """A reader has no use for longer ones."""
    first, second = ("+".join(f"{letter}{i}" for i in range(count)) for letter in "ab")
    product = parse_formula(f"({first})*({second})")
    if refused:
        with pytest.raises(MbconcordError, match="200000"):
            monomials(product)
    else:
        assert len(monomials(product)) == count**2


def test_monomials_have_the_value_of_their_expression():
    expression = parse_formula("(k1 + k2*sin(x + 2*y) - cos(x)^3)*(a - sin(y)^2*k1)^2")
    values = {name: 0.3 + 0.17 * i for i, name in enumerate(sorted(symbols([expression])))}
    total = sum(
        float(c) * _product(evaluate_float(f, values) ** n for f, n in m) for m, c in monomials(expression).items()
    )
    assert total == pytest.approx(evaluate_float(expression, values), rel=1e-13)


def _product(values) -> float:
    result = 1.0
    for value in values:
        result *= value
    return result
