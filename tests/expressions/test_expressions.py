"""The graph: canonical forms, and simplification that keeps the value."""

import contextlib
import itertools
import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings

from mbconcord.model.expressions import (
    FLOAT,
    HALF,
    MINUS_ONE,
    ONE,
    PI_NODE,
    TWO,
    ZERO,
    ExpressionError,
    apply,
    as_expression,
    call,
    cos,
    evaluate,
    number,
    rate,
    sin,
    sqrt,
    substitute,
    symbol,
)
from mbconcord.model.expressions.algebra import neg

from .graph_states import DIGITS, FUNCTIONS, MP, a, b, c, g, regular, states, x, y
from .recipes import build, compute, expressions, recipes


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (a + b, b + a),
        (a * b, b * a),
        (a - b, -(b - a)),
        (-a - b, -(a + b)),
        (-a + b, b - a),
        (a - 2, -(2 - a)),
        (a + (-b), a - b),
        (-neg(a), a),
        (a + 0, a),
        (0 - a, -a),
        (a * 1, a),
        (a * -1, -a),
        (a * 0, ZERO),
        (a - a, ZERO),
        (a + a, 2 * a),
        (2 * a + 3 * a, 5 * a),
        (2 * a - 3 * a, -a),
        (a - 3 * a, -2 * a),
        (a - 2 * a - (-a), ZERO),
        ((a + b) - b, a),
        ((a - b) + b, a),
        (b - (a + b), -a),
        (-(a + b) + a, -b),
        (2 + (3 + a), a + 5),
        (2 - (3 + a), -(a + 1)),
        ((a - 2) + 2, a),
        ((2 - a) - 3, -a - 1),
        (2 * (3 * (a * b)), 6 * (a * b)),
        (a / (4 * b), a / b / 4),
        ((2 * a) ** 2, 4 * a**2),
        ((2 * a) / (4 * b), a / b / 2),
        ((-a) * (-b), a * b),
        ((-a) * b, -(a * b)),
        (a * a, a**2),
        (a**2 * a**-3, 1 / a),
        (a / a, ONE),
        ((a * b) / a, b),
        (a / b, a * b**-1),
        (1 / (1 / a), a),
        ((-a) ** 2, a**2),
        ((-a) ** 3, -(a**3)),
        ((-a) ** -1, -(1 / a)),
        ((a**2) ** 3, a**6),
        (a**0, ONE),
        (a**1, a),
        (as_expression(2) ** -2, number("0.25")),
        (as_expression(1) ** a, ONE),
        (a**HALF, sqrt(a)),
        (a ** number("1.5"), sqrt(a) ** 3),
        (sqrt(a) ** 2, a),
        (sqrt(a) * sqrt(a), a),
        (sqrt(a) ** 4, a**2),
        (sqrt(number("2.25")), number("1.5")),
        (sin(-a), -sin(a)),
        (cos(b - a), cos(a - b)),
        (sin(b - a), -sin(a - b)),
        (sin(-2), -sin(2)),
        (cos(as_expression(-2)), cos(2)),
        (sin(ZERO), ZERO),
        (cos(ZERO), ONE),
        (sin(PI_NODE / 2), ONE),
        (cos(PI_NODE), MINUS_ONE),
        (sin(3 * PI_NODE / 2), MINUS_ONE),
        (cos(-PI_NODE / 2), ZERO),
        (cos(7 * PI_NODE), MINUS_ONE),
        (sin(-5 * PI_NODE / 2), MINUS_ONE),
        (sin(a) ** 2 + cos(a) ** 2, ONE),
        (-(sin(a) ** 2) - cos(a) ** 2, MINUS_ONE),
        (1 - sin(a) ** 2, cos(a) ** 2),
        (1 - cos(a) ** 2, sin(a) ** 2),
        (sin(a) ** 2 - 1, -(cos(a) ** 2)),
        (b * sin(a) ** 2 + b * cos(a) ** 2, b),
        (3 * sin(a) ** 2 + 3 * cos(a) ** 2, number(3)),
        (3 * (b * sin(a) ** 2) + 3 * (b * cos(a) ** 2), 3 * b),
        ((b * sin(a)) ** 2 + (b * cos(a)) ** 2, b**2),
        ((b * sin(a)) ** 2 + b**2 * cos(a) ** 2, b**2),
        (c * (b * sin(a)) ** 2 + (c * b**2) * cos(a) ** 2, c * b**2),
        (apply("tan", -a), -apply("tan", a)),
        (apply("atan", as_expression(-2)), -apply("atan", as_expression(2))),
        (apply("abs", -a), apply("abs", a)),
        (apply("abs", as_expression(-2)), TWO),
        (apply("sign", as_expression(-3)), MINUS_ONE),
        (apply("sign", ZERO), ZERO),
        (apply("exp", ZERO), ONE),
        (apply("log", ONE), ZERO),
        (as_expression(0.1), number(Fraction(1, 10))),
        (number("2.4e-06"), number(Fraction(24, 10**7))),
        (rate("z1", 2), symbol("z1''")),
    ],
    ids=str,
)
def test_equal_expressions_are_one_node(left, right):
    assert left is right


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sin(a) ** 2 - cos(a) ** 2, ONE),
        (sin(a) ** 2 + cos(b) ** 2, ONE),
        (2 * sin(a) ** 2 + 3 * cos(a) ** 2, number(5)),
        (1 + sin(a) ** 2, cos(a) ** 2),
        ((b * sin(a)) ** 2 + b**2 * sin(a) ** 2, b**2),
        (c * (b * sin(a)) ** 2 + (c * b**2) * sin(a) ** 2, c * b**2),
        (apply("acos", -a), -apply("acos", a)),
        (sqrt(a**2), a),
        (a - b, b - a),
        (a / b, b / a),
        (sqrt(a) ** 3, a**3),
        ((a**b) ** 2, a ** (b**2)),
        (apply("atan2", a, b), apply("atan2", b, a)),
        (call("f", [x, y]), call("f", [y, x])),
        (call("f", [x, y], [1, 0]), call("f", [x, y], [0, 1])),
        (symbol("f"), g),
    ],
    ids=str,
)
def test_different_expressions_are_different_nodes(left, right):
    assert left is not right


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: a / 0, "division by zero"),
        (lambda: ZERO / ZERO, "division by zero"),
        (lambda: ZERO**-2, "division by zero"),
        (lambda: ZERO ** number("-0.3"), "division by zero"),
        (lambda: a / (b - b), "division by zero"),
        (lambda: sqrt(-2), "square root of the negative number -2"),
        (lambda: apply("log", ZERO), "logarithm of 0"),
        (lambda: apply("log", number("-0.5")), "logarithm of -0.5"),
        (lambda: apply("sinh", a), "unknown function sinh; known: sin"),
        (lambda: apply("atan2", a), "atan2 takes 2 arguments, not 1"),
        (lambda: apply("sin", a, b), "sin takes 1 argument, not 2"),
        (lambda: call("f", []), "at least one argument"),
        (lambda: call("f", [a], [1, 0]), "an order of differentiation"),
        (lambda: call("f", [a], [-1]), "an order of differentiation"),
        (lambda: symbol(""), "a symbol needs a name"),
        (lambda: a + float("nan"), "nan is not a number"),
        (lambda: a + float("inf"), "inf is not a number"),
        (lambda: number("1e999999999"), "too many digits"),
        (lambda: number("0x10"), "is not a number"),
        (lambda: number(2**20000), "more than"),
        (lambda: as_expression("many"), "is not a number or an expression"),
        (lambda: a.value, "<a> is not a number"),
    ],
)
def test_refusals_explain_themselves(make, words):
    with pytest.raises(ExpressionError, match=words):
        make()


def test_a_huge_power_is_not_multiplied_out():
    tower = as_expression(9)
    for _ in range(5):
        tower = tower**4000
    assert tower.constant and str(tower) == f"9^{4000**5}"


def test_structural_zero_is_the_only_false_node():
    assert not ZERO and not (a - a)
    assert all([ONE, a, -a, a - b, sin(a)])


@pytest.mark.slow
@settings(max_examples=200)
@given(recipes(), states)
def test_simplification_keeps_the_value(recipe, values):
    """The graph's value is the value of the operations as they were written."""
    try:
        plain = compute(recipe, values, MP, FUNCTIONS, regular)
    except (ValueError, ZeroDivisionError, OverflowError):
        assume(False)
    value = evaluate([build(recipe)], values, MP, FUNCTIONS)[0]
    assert abs(value - plain) <= mpmath.mpf(10) ** (40 - DIGITS) * max(1, abs(plain))


def _small_sums():
    """All ±(±u ± v) ± w, and the same times a number, over terms that cancel, join and fold."""
    terms = [a, b, 2 * a, 3 * b, number(1), number("2.5"), a * b, a**2, sin(a) ** 2, cos(a) ** 2]
    terms += [b * sin(a) ** 2, b * cos(a) ** 2, 2 * sin(a) ** 2, 2 * cos(a) ** 2, (b * sin(a)) ** 2]
    terms += [b**2 * sin(a) ** 2, (b * cos(a)) ** 2, number(Fraction(3**200, 2**320)), a + b, a - b]
    signs = list(itertools.product([1, -1], repeat=4))
    for u, v, w in itertools.product(terms, repeat=3):
        for s, p, q, r in signs:
            yield (s, p, q, r), (u, v, w), s * (p * u + q * v) + r * w


@pytest.mark.slow
def test_all_small_sums_keep_the_value():
    """Simplified sums against the same sums in floating point; 128,000 of them."""
    values = {"a": 0.7, "b": -1.3}
    seen: dict[object, float] = {}

    def value(e):
        if e not in seen:
            seen[e] = evaluate([e], values)[0]
        return seen[e]

    for (s, p, q, r), (u, v, w), total in _small_sums():
        assert abs(value(total) - (s * (p * value(u) + q * value(v)) + r * value(w))) < 1e-13, (u, v, w)


@pytest.mark.slow
def test_all_small_products_keep_the_value():
    """All u v / w and u / v w over factors whose powers join, cancel and fold."""
    factors = [a, b, 1 / a, a**2, a**-3, -b, 2 * a, a * b, a * b**2, a / b, sqrt(a), sqrt(a) ** 3, 1 / sqrt(a)]
    factors += [a ** number("1/3"), a ** number("-2/3"), number(2), number("-1/3"), as_expression(2) ** a]
    factors += [number(Fraction(3**250, 7**140)) * a, a + b, (a + b) ** -2, (2 * b) ** -2, a**b, (a * b) ** 2]
    values = {"a": 1.7, "b": 0.6}
    value = {e: evaluate([e], values)[0] for e in factors}
    for u, v, w in itertools.product(factors, repeat=3):
        for e, plain in (
            (u * v / w, value[u] * value[v] / value[w]),
            (u / v * w, value[u] / value[v] * value[w]),
            ((u * v) ** -2 * w, (value[u] * value[v]) ** -2 * value[w]),
            ((u / v) ** 3 / w**2, (value[u] / value[v]) ** 3 / value[w] ** 2),
        ):
            assert evaluate([e], values)[0] == pytest.approx(plain, rel=1e-12), (u, v, w)


@pytest.mark.parametrize("name", sorted(set(FLOAT.functions) - {"atan2"}))
def test_functions_of_simple_arguments_keep_the_value(name):
    arguments = [s * e for e in (a, a - b, b * a, number("0.4"), ONE, TWO, 3 * a) for s in (1, -1)]
    arguments += [PI_NODE * Fraction(i, 12) for i in range(-60, 61)] + [-a - b, ZERO]
    for values in ({"a": 0.3, "b": 0.1}, {"a": -0.3, "b": 0.2}):
        for u in arguments:
            plain, argument = None, evaluate([u], values)[0]
            with contextlib.suppress(ValueError):
                plain = FLOAT.functions[name](argument)
            if plain is None or (name == "tan" and abs(math.cos(argument)) < 1e-9):
                continue
            assert evaluate([apply(name, u)], values)[0] == pytest.approx(plain, rel=1e-12, abs=1e-12), u


@pytest.mark.slow
@given(expressions(), expressions(), expressions())
def test_laws_of_the_canonical_order(p, q, r):
    assert p + q is q + p
    assert p * q is q * p
    assert p - q is -(q - p)
    assert p + (-q) is p - q
    assert (-p) * q is -(p * q)
    assert -neg(p) is p
    assert p - p is ZERO
    assert p + p is 2 * p
    assert p * p is p**2
    if p is not ZERO:
        assert p / p is ONE
    assert p + 0 is p and p * 1 is p and p * 0 is ZERO
    assert substitute([p, q, r], {}) == [p, q, r]


@pytest.mark.slow
@given(expressions())
def test_every_node_is_what_its_operands_make_anew(e):
    from mbconcord.model.expressions import topological
    from mbconcord.model.expressions.calculus import rebuild

    for node in topological([e]):
        assert rebuild(node, node.args) is node
