"""States at which arguments of signs are zero: no pair that differs there is identical, and true identities remain."""

from __future__ import annotations

import math

import pytest

from mbconcord.model.expressions import field, number, symbol
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Sample, compare
from mbconcord.model.expressions.field.linear import find_slope, is_whole, meet
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.functions import apply
from mbconcord.model.expressions.node import ONE, ZERO

#: Forms with a common zero: a root, also in closed form only; of some variables while others are not zero; of forms
#: with signs within; where a slope is zero, too, so that no formula gives all zeros of one form.
TOGETHER = [
    "x^2 - 2, x^4 - 4", "x^2 - 1, x^3 - 1", "x, y, 1 - sign(w)^2", "x - 1, y - 2", "x - y, y - w", "x - pi, sin(x)",
    "x*y, x", "x^2 - 2, y^2 - 3", "x^2 - y, x - y", "abs(x) - y, x + 2", "max(x,y) - 1, x, y - 1", "y - sign(x), y - 1",
    "x - sqrt(2), x^2 - 2", "sin(x), sin(2*x)", "x + y - 1, x - y - 1, y", "x - w, y - w^2, a - w^3", "sin(x), y",
    "x - sign(x), 1 - sign(x)^2", "x*y^2 - 2*x - w*y^2 + 2*w, 1 - sign(x - w)^2", "1e300*x - 1, 1e-300*y - 1",
    "x*sin(y)^2 - w*sin(y)^2, 1 - sign(x - w)^2", "x - 1/3, 3*x - 1", "exp(x) - 1, x", "f(x), f(y)", "k*x - 4, k - 2",
    "x*y + x - y - 1, 1 - sign(x - 1)^2", "x, abs(x) - y, w", "x, x^2 - y, y - sin(x)", "2*cos(x) - 1, x - pi/3",
    "x^2 - x - 6, x^3 - 27", "(x - 1)^3 - x^3 + x^2, x^4 - 3*x^3 + 2*x^2", "pi - 3 - x^2, x^4 - (pi - 3)^2",
]  # fmt: skip
APART = [
    "x^2 - 1, x^2 - 2", "x - y, y - x - 2", "x - 2, x^2 - 3", "sin(x), cos(x)", "x - 1, y - 2, x + y", "f(x), f(x) - 1",
    "x - 0.3333333333333333, 3*x - 1", "x - 1e-300, x", "x - y, x + y, 1 - sign(x)^2", "x^2 - 2, x^2 + x - 5",
    "x^3 - x - 1, x^2 - 3", "y - x, x^2 - 2, y^2 + y - 5", "x^2 - x, x^2 + x - 6", "x*(x + 1) - 1, (x + 3)*(x^2 - 2)",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "texts"), [(UNDECIDED, x) for x in TOGETHER] + [(IDENTICAL, x) for x in APART])
def test_what_differs_only_where_forms_are_zero_together_is_not_identical(kind, texts):
    form = math.prod(1 - apply("sign", parse_formula(text)) ** 2 for text in texts.split(", "))
    for real in (False, True):
        plan = Plan([form, ZERO])
        found = Sample(plan, real=real).verdict(plan.place[form], plan.place[ZERO])
        assert found.kind == kind, str(found)
        assert kind == IDENTICAL or found.reason.endswith(" = 0") or "exp" in found.reason  # it names the forms


def test_the_forms_of_a_common_zero_are_named():
    (found,) = compare([(parse_formula("(1 - sign(x^2 - 2)^2)*(1 - sign(x^4 - 4)^2)"), ZERO)])
    assert found.reason.endswith("abs(): where 2 - x^2 = 4 - x^4 = 0")


#: Pairs of which it is known whether they are equal wherever both are defined.
EQUAL = [
    "where(x >= 1, where(y >= 2, a, b), b) = where(y >= 2, where(x >= 1, a, b), b)", "max(x, y)*min(x, y) = x*y",
    "where(x > 1, where(y > 2, a, b), b) = b + (a - b)*where(x > 1, 1, 0)*where(y > 2, 1, 0)", "abs(x)^2 = x^2",
    "max(x, min(y, w)) = min(max(x, y), max(x, w))", "min(x, max(x, y)) = x", "sign(x*y) = sign(x)*sign(y)",
    "where(x > 0, a, where(x <= 0, b, w)) = where(x > 0, a, b)", "where(x > 0, x, -x) = sqrt(x^2)", "x/x = 1",
    "where(x > y, 1, 0)*where(y > w, 1, 0)*where(w > x, 1, 0) = 0", "step(x) + step(-x) = 1", "sqrt(x)^2 = x",
    "sign(x)^2*x*sign(y)^2*y = x*y", "abs(x)*abs(y)*abs(w) = abs(x*y*w)", "sqrt(1e300*x^2) = 1e150*abs(x)",
    "abs(x - y)*sign(x - y)*abs(x + y) = (x - y)*abs(x + y)", "cos(asin(x)) = sqrt(1 - x^2)", "(x^2)^(3/2) = abs(x)^3",
    "a*(1 - (1 - sign(x)^2)*(1 - sign(y)^2)) = a*(sign(x)^2 + sign(y)^2 - sign(x)^2*sign(y)^2)", "sin(asin(x)) = x",
    "cos(atan2(y, x)) = x/sqrt(x^2 + y^2)", "sin(2*atan(x)) = 2*x/(1 + x^2)", "(x^2 - 1)/(x - 1) = x + 1",
    "max(abs(x) - y, 0)*sign(x)^2*x = where(abs(x) - y > 0, abs(x) - y, 0)*x",
]  # fmt: skip
UNEQUAL = [
    "where(x >= 1, where(y >= 2, a, b), b) = where(x >= 1, where(y > 2, a, b), b)", "log(x^2) = 2*log(x)",
    "where(x >= 1, where(y >= 2, a, b), b) = where(x > 1, where(y > 2, a, b), b)", "abs(x)^3 = x^3", "sqrt(x^2) = x",
    "sign(x)*sign(y) = sign(x)*sign(y) + (1 - sign(x)^2)*(1 - sign(y)^2)", "asin(sin(x)) = x", "atan(tan(x)) = x",
    "where(x >= y, 1, 0)*where(y >= w, 1, 0)*where(w >= x, 1, 0) = 0", "where(x >= y, 1, 0)*where(y >= x, 1, 0) = 0",
    "a*sign(x)^2*sign(y)^2 = a*(sign(x)^2 + sign(y)^2 - 1)", "k*sign(v)*sign(u) = k*where(v >= 0, 1, -1)*sign(u)",
    "where(x > y, a, where(x < y, b, w)) = where(x >= y, a, b)", "atan2(y, x) = atan(y/x)", "x + 1e-300 = x",
    "1e-300*sign(x)^2 = 1e-300",
    "where(x^2 < 2, where(y^2 < 3, 1, 0), 0) = where(x^2 < 2, where(y^2 <= 3, 1, 0), 0)", "(x^6)^(1/3) = x^2*sign(x)",
    "where(x >= 0, 1, 0)*where(x <= 0, 1, 0)*where(sin(x) >= 0, 1, 0) = 0", "1 - sign(x^2 + y^2) = 0",
    "sign(x*sin(y) - w*sin(2*y))^2 = sign(x - 2*w*cos(y))^2", "atan2(y, x) = atan2(-y, -x)",
    "sign(x*cos(y) - sin(y)*cos(y))^2 = sign(x - sin(y))^2", "where(abs(x) < 1, 0, x) = where(abs(x) <= 1, 0, x)",
]  # fmt: skip


@pytest.mark.parametrize(("equal", "texts"), [(True, x) for x in EQUAL] + [(False, x) for x in UNEQUAL])
def test_no_verdict_is_wrong(equal, texts):
    one, other = map(parse_formula, texts.split(" = "))
    plan = Plan([one, other])
    found = {Sample(plan, real=real).verdict(plan.place[one], plan.place[other]).kind for real in (False, True)}
    assert IDENTICAL in found and DIFFERS not in found if equal else IDENTICAL not in found, found


#: Equal for one sign of a root only, whose radicand is a square where x is zero.
ROOTED = ["(1 - sign(x)^2)*(sqrt(x + y^2) - y)", "(1 - sign(x)^2)*(1 - sign(y)^2)*(sqrt(x + w^2) - w)"]


@pytest.mark.parametrize("text", ROOTED)
def test_a_root_of_what_is_a_square_at_a_zero_has_both_signs(text):
    assert {v.kind for seed in range(6) for v in compare([(parse_formula(text), ZERO)], seed=seed)} == {UNDECIDED}


def test_forms_that_are_summed_only_are_not_set_to_zero_together():
    """A table of pieces along each coordinate costs the states of one: 13 + 13 and not 13 times 13."""
    steps = [f"{k + 1}*step({name} - {k})" for name in "xy" for k in range(7)]
    plan = Plan([parse_formula("+".join(steps)), parse_formula("+".join(reversed(steps)))])
    assert not list(plan.group([[symbol("x")], [symbol("y")]]))
    assert len(list(plan.group([[symbol("x")], [symbol("y")]], joined=[len(plan.steps) - 1]))) == 1
    product = Plan([parse_formula("step(x)*step(y)")])
    assert len(list(product.group([[symbol("x")], [symbol("y")]]))) == 1


def test_with_too_many_common_zeros_only_what_is_equal_for_any_signs_is_identical(monkeypatch):
    monkeypatch.setattr(field, "MOST_MET", 100)
    names = [symbol(f"k{i}") for i in range(field.MOST_SIGNS)]
    forms = [apply("sign", x - 2) for x in names]
    pairs = [(math.prod(forms), math.prod(reversed(forms))), (math.prod(forms), math.prod(forms[1:]) * forms[0] ** 3)]
    same, cubed = compare(pairs)
    assert same.kind == IDENTICAL and cubed.kind == UNDECIDED and "zero together" in cubed.reason


def test_a_slope_with_a_zero_of_its_own_gives_no_value():
    plan, x = Plan([ONE]), symbol("x")
    assert find_slope(parse_formula("x - sign(x)"), x) is None is find_slope(parse_formula("x^2"), x)
    for slope, rest, whole in ("2", "y", True), ("y", "w", True), ("y", "y*w", False), ("y^2 - 2", "w", False):
        assert is_whole(parse_formula(slope), parse_formula(rest), plan) == whole
    for slope, rest, whole in (
        ("cos(y)", "sin(y)", True),
        ("cos(y)", "sin(2*y)", False),
        ("sin(y)", "1 - cos(y)", False),
    ):
        assert is_whole(parse_formula(slope), parse_formula(rest), plan) == whole


def test_forms_that_follow_from_others_are_zero_with_them():
    x, y = map(parse_formula, ("x", "y"))
    found = [set(zero) for _, zero in meet([[x], [y], [x + y], [x + number(1)]], Plan([x + y]))]
    assert all(len(zero) > 1 for zero in found) and {x, y, x + y} in found
    assert {x, x + number(1)} not in found and {x + number(1), y} in found
