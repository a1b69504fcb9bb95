"""Numbers and formulas in UM's style."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest

from mbconcord.converters.um.writing.fields import find_unconfirmed, formula, pascal
from mbconcord.model.expressions import evaluate_float
from mbconcord.model.expressions.formula import parse_formula

NUMBERS = {
    "0": 0, "1.": 1, "-1.": -1, "9.E1": 90, "-4.5E1": -45, "3.5E-2": 0.035, "2.5": 2.5, "1.E20": 1e20,
    "3.333333333333333E-1": Fraction(1, 3), "-1.E-3": Fraction(-1, 1000), "1.2345678901234567E2": 123.45678901234567,
}  # fmt: skip


@pytest.mark.parametrize(("shown", "value"), NUMBERS.items())
def test_numbers_of_numeric_fields(shown, value):
    assert pascal(value) == shown
    assert float(shown) == float(value)


#: Formulas of the model, and the words of UM's text that each needs.
FORMULAS = {
    "0": "", "a": "a", "-a/2": "a", "a^2": "sqr a", "a^3": "sqr a", "a*(b+1)^2": "sqr a b", "b/a^2": "sqr a b",
    "(a+b)^4": "sqr a b", "a^5/b^3": "sqr a b", "1/(a*b)^2": "sqr a b", "sqrt(a)": "sqrt a", "2*pi*a": "pi a",
    "sin(1)*a": "a", "2^0.3*a": "a", "-(a+b)": "a b", "1e-7*a": "a", "a/3": "a", "-(a-b)/(a+b)": "a b",
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), FORMULAS.items())
def test_formulas(text, words):
    """They say the same number in the words of UM, and are empty for zero."""
    value = parse_formula(text)
    assert find_unconfirmed(value) is None
    shown = formula(value)
    assert set(re.findall(r"[^\W\d]\w*", re.sub(r"\de-?\d", "", shown))) == set(words.split())
    assert "^" not in shown
    values = {"a": 1.7, "b": -0.3}
    meant = eval(shown or "0", {"sqr": lambda x: x * x, "sqrt": math.sqrt, "pi": math.pi, **values})
    assert meant == pytest.approx(evaluate_float(value, values), rel=1e-15)


def test_the_style_of_formulas():
    assert formula(parse_formula("c*(b+1)^2 - a/4")) == "c*sqr(b + 1) - 0.25*a"


@pytest.mark.parametrize(
    ("text", "missing"),
    [("sin(a)", "sin()"), ("a*t", "the time"), ("2^a", "the power ^a"), ("JK(a)", "the function JK"),
     ("atan2(a, b)", "atan2()"), ("a^17", "the power ^17")],
)  # fmt: skip
def test_formulas_that_no_um_file_confirms(text, missing):
    assert missing in find_unconfirmed(parse_formula(text))
