"""Formulas: the grammar, what printed expressions read back as, places of errors, hostile sizes."""

from __future__ import annotations

import math
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbconcord.model.diagnostics import ReadError
from mbconcord.model.expressions import (
    FUNCTIONS,
    ONE,
    PI_NODE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    apply,
    call,
    evaluate_float,
    number,
    rate,
    symbol,
    symbols,
    to_text,
)
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.validation.witnesses.second.formula import FUNCTIONS as SECOND
from mbconcord.validation.witnesses.second.formula import compute
from mbconcord.validation.witnesses.second.formula import number as number_of_50_digits

from ..work import at_most

A, B, C, F, T, U, V = map(symbol, ("a", "b", "c", "f", "t", "u", "u'"))

READ = [
    ("a + b - c", A + B - C),
    ("a - (b - c)", A - (B - C)),
    ("a/b/c", A / B / C),
    ("a/b*c", A / B * C),
    ("2^3^2", number(512)),
    ("-2^2", number(-4)),
    ("2^-1", number("0.5")),
    ("a^-b^2", A ** -(B**2)),
    ("-a^2 b", -(A**2 * B)),
    ("a*-b", -(A * B)),
    ("- -a", A),
    ("+a", A),
    ("2.5e-3 a", number("0.0025") * A),
    (".5", number("0.5")),
    ("5.", number(5)),
    ("c u", C * U),
    ("2 a b c", 2 * (A * B * C)),
    ("(2 a) b c", 2 * A * B * C),
    ("-2*a*b", -2 * (A * B)),
    ("3 a b/4", number("0.75") * (A * B)),
    ("2/a*b", 2 * (1 / A * B)),
    ("a*2*b", 2 * A * B),
    ("2a", 2 * A),
    ("2(a + b)", 2 * (A + B)),
    ("(a)(b)", A * B),
    ("a (b)", A * B),
    ("u' (b)", V * B),
    ("a^2 b^3", A**2 * B**3),
    ("m u/2", symbol("m") * U / 2),
    ("a b/c", A * B / C),
    ("pi a", PI_NODE * A),
    ("t", TIME),
    ("u''", rate("u", 2)),
    ("@' - @", symbol("@'") - symbol("@")),
    ("sin u cos u", apply("sin", U) * apply("cos", U)),
    ("a sin f t", A * apply("sin", F * T)),
    ("sin(u) t", apply("sin", U) * T),
    ("sin (u) t", apply("sin", U * T)),
    ("sin -u t", -apply("sin", U * T)),
    ("sin 2 u + b", apply("sin", 2 * U) + B),
    ("sin u^2", apply("sin", U**2)),
    ("sin(u)^2", apply("sin", U) ** 2),
    ("2 sin a cos b sin(c) u", 2 * (apply("sin", A) * apply("cos", B) * apply("sin", C) * U)),
    ("a/sin f t", A / apply("sin", F * T)),
    ("a/sin(b)*c", A / apply("sin", B) * C),
    ("sign u'", apply("sign", V)),
    ("ln a - log b", apply("log", A) - apply("log", B)),
    ("atan2(a, -b)", apply("atan2", A, -B)),
    ("sqrt(4)", number(2)),
    ("JK(t)", call("JK", [TIME])),
    ("JK''(t)^2", call("JK", [TIME], [2]) ** 2),
    ("f'[0,2](t, a)", call("f", [TIME, A], [0, 2])),
    ("forceCD(t,@,@')", call("forceCD", [TIME, symbol("@"), symbol("@'")])),
    ("масса_1 g", symbol("масса_1") * symbol("g")),
    ("sine", symbol("sine")),
    ("a\n +\tb", A + B),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_reading(text, expected):
    assert parse_formula(text) is expected


def test_a_rate_before_a_bracket_is_a_product_where_it_is_no_function():
    assert parse_formula("u'(b)", functions=()) is V * B
    assert parse_formula("u'(b)^2 c", functions=()) is V * B**2 * C
    assert parse_formula("f'(b)^2", functions=("f",)) is call("f", [B], [1]) ** 2


#: text, line, column, found, expected
BAD = [
    ("", 1, 1, "the end", "expected a value"),
    ("a +", 1, 4, "the end", "expected a value"),
    ("a + * b", 1, 5, "'*'", "expected a value"),
    ("1/2 m u", 1, 5, "'m'", "an implicit product after '/'"),
    ("a/sin u cos u", 1, 9, "'cos'", "an implicit product after '/'"),
    ("u 2", 1, 3, "'2'", "a number may only start an implicit product"),
    ("2 3", 1, 3, "'3'", "a number may only start"),
    ("sin^2 u", 1, 4, "'^'", "write sin(…)^2"),
    ("sin cos u", 1, 5, "'cos'", "expected a value"),
    ("sin", 1, 4, "the end", "expected a value"),
    ("(a", 1, 1, "the end", "expected ')'"),
    ("a)", 1, 2, "')'", "closes nothing"),
    ("(a]", 1, 3, "']'", "expected ')'"),
    ("a\n+ b $", 2, 5, "'$'", "expected an operator"),
    ("sin(a, b)", 1, 1, "takes 1 argument, not 2", ""),
    ("atan2(a)", 1, 1, "takes 2 arguments, not 1", ""),
    ("a/0", 1, 1, "division by zero", ""),
    ("a + 0^-1", 1, 5, "division by zero", ""),
    ("sqrt(-2)", 1, 1, "negative number", ""),
    ("log(0)", 1, 1, "logarithm", ""),
    ("1e99999", 1, 1, "1e99999 is out of range", ""),
    ("pi(2)", 1, 1, "pi is no function", "pi*(…)"),
    ("t'", 1, 1, "t'", "only on coordinates"),
    ("@''", 1, 1, "@''", "only @ and @'"),
    ("x²", 1, 1, "'x²' is no name", ""),
    ("f(a)(b", 1, 5, "the end", "expected ')'"),
    ("f()", 1, 3, "')'", "expected a value"),
    ("f'(a, b)", 1, 1, "f' of 2 arguments", "f'[1,0](…)"),
    ("f'[1](a, b)", 1, 1, "an order of differentiation for each", ""),
    ("f'[](a)", 1, 1, "order of differentiation", ""),
    ("a^", 1, 3, "the end", "expected a value"),
    ("a, b", 1, 2, "','", "expected an operator"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "found", "expected"), BAD)
def test_refusals(text, line, column, found, expected):
    with pytest.raises(ReadError) as caught:
        parse_formula(text, file="f.txt")
    finding = caught.value.diagnostics[0]
    said = f"{finding.message} ({finding.remedy})"
    assert str(finding.location) == f"f.txt:{line}:{column}"
    assert found in said
    assert expected in said


def test_places_are_counted_from_where_the_text_stands():
    for text, place in (("a + ", "m.mbsd:7:15"), ("a +\n ? b", "m.mbsd:8:2")):
        with pytest.raises(ReadError) as caught:
            parse_formula(text, file="m.mbsd", line=7, column=12)
        assert str(caught.value.diagnostics[0].location) == place


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("(" * 1_000_000, True),
        ("(" * 500_000 + "a" + ")" * 500_000, True),
        ("(" * 10_000 + "a" + ")" * 10_000, False),
        ("sin(" * 10_000 + "a" + ")" * 10_000, False),
        ("-" * 50_000 + "a", False),
        ("2^" * 10_000 + "a", False),
        ("a" + "+a" * 20_000, False),
    ],
    ids=["open", "nested", "deep", "functions", "signs", "powers", "long"],
)
def test_hostile_texts_take_no_recursion_and_no_minutes(text, refused):
    with at_most(30), pytest.raises(ReadError) if refused else nullcontext():
        parse_formula(text)


def combine(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Expressions one operation deeper; a meaningless one (a division by zero) is replaced by its operand."""
    pairs = st.tuples(children, children)
    operation = st.sampled_from(["add", "sub", "mul", "div", "pow", "fun", "atan2", "call", "neg"])
    return st.builds(_operate, operation, pairs, st.integers(-3, 3), st.sampled_from(sorted(FUNCTIONS)))


def _operate(operation: str, pair: tuple[Expression, Expression], n: int, function: str) -> Expression:
    a, b = pair
    try:
        if operation in ("add", "sub", "mul", "div"):
            return {"add": a.__add__, "sub": a.__sub__, "mul": a.__mul__, "div": a.__truediv__}[operation](b)
        if operation == "pow":
            return a**n if abs(n) < 3 else a**b
        if operation == "fun":
            return apply(function, *([a, b] if FUNCTIONS[function] == 2 else [a]))
        if operation == "call":
            return call("F", [a, b], [abs(n), 1]) if n % 2 else call("JK", [a], [abs(n)])
        return -a if operation == "neg" else apply("atan2", a, b)
    except ExpressionError:
        return a


LEAVES = st.sampled_from(
    [A, B, U, V, symbol("z1''"), TIME, PI_NODE, symbol("@"), symbol("@'"), ONE, ZERO, symbol("c_1")]
)
NUMBERS = st.builds(number, st.fractions(max_denominator=1000, min_value=-50, max_value=50))


@pytest.mark.slow
@settings(max_examples=200)
@given(st.recursive(LEAVES | NUMBERS, combine, max_leaves=25))
def test_what_is_printed_reads_back_as_the_same_node(expression):
    assert parse_formula(to_text(expression)) is expression


@pytest.mark.slow
@settings(max_examples=75)
@given(st.recursive(LEAVES | NUMBERS, combine, max_leaves=12), st.randoms(use_true_random=False))
def test_blanks_do_not_matter_where_no_bracket_follows(expression, random):
    text = to_text(expression)
    spaced = "".join(c + " " * (c in "+-*/^),") * random.randint(0, 2) for c in text)
    assert parse_formula(spaced) is expression or "e- " in spaced or "e+ " in spaced


def test_values():
    """The same formula as Python computes it."""
    values = {"u": 0.3, "a": 2.0, "f": 1.5, "t": 0.7, "c": -1.2}
    text = "-c u + 2 a sin f t/3 - a^-2 cos(u) t^2 + sqrt(a)/tan u"
    u, a, f, t, c = values.values()
    wanted = -c * u + 2 * a * math.sin(f * t) / 3 - a**-2 * math.cos(u) * t**2 + math.sqrt(a) / math.tan(u)
    assert evaluate_float(parse_formula(text), values) == pytest.approx(wanted, rel=1e-15)


#: Functions of pieces, and their values at x = -2, -1, 0, 1/2, 1, 3.
PIECES = [
    ("max(x, 0)", (0, 0, 0, 0.5, 1, 3)),
    ("min(x, 1, 2 x)", (-4, -2, 0, 0.5, 1, 1)),
    ("clip(3 x, -2, 2)", (-2, -2, 0, 1.5, 2, 2)),
    ("step(x)", (0, 0, 0.5, 1, 1, 1)),
    ("where(x > 1, 7, x)", (-2, -1, 0, 0.5, 1, 7)),
    ("where(x >= 1, 7, x)", (-2, -1, 0, 0.5, 7, 7)),
    ("if(x < 0, x^2, 5)", (4, 1, 5, 5, 5, 5)),
    ("if(x <= 0, x^2, 5)", (4, 1, 0, 5, 5, 5)),
    ("2 max(x, 1)^2 - where(x + 1 > 1 - x, where(x >= 3, 8, 1), 0)", (2, 2, 2, 1, 1, 10)),
    ("where ( -2 x <= -2 , 1 , 3 )".replace("where (", "where("), (3, 3, 3, 3, 1, 1)),
]


@pytest.mark.parametrize(("text", "wanted"), PIECES)
def test_pieces_have_these_values_at_their_edges_too(text, wanted):
    """Exact, in the graph and by the second reading, which compares and keeps one piece."""
    made = parse_formula(text)
    assert parse_formula(to_text(made)) is made
    found = [evaluate_float(made, {"x": x}) for x in (-2.0, -1.0, 0.0, 0.5, 1.0, 3.0)]
    assert found == [float(x) for x in wanted]
    for x, value in zip((-2.0, -1.0, 0.0, 0.5, 1.0, 3.0), wanted, strict=True):
        second = compute(text, lambda _, x=x: number_of_50_digits(x), lambda name, args: SECOND[name](*args))
        assert float(second) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max(x)", r"used as max\(a, b\), found 1 argument"), ("step(x, 1)", "used as step"),
        ("clip(x, 1)", "used as clip"), ("clip(x, 2, 1)", "lower end is above"), ("where(x, 1, 2)", "no comparison"),
        ("where(x > 0, 1)", "found a comparison in where"), ("f(x > 0, 1, 2)", "found a comparison in f"),
        ("max(x > 0, 1, 2)", "found a comparison in max"), ("step'(x)", "has no prime"),
        ("where(x > 0 > 1, 1, 2)", "found '>'"), ("x > 0", "found '>'"), ("where(x = 0, 1, 2)", "found '='"),
    ],
)  # fmt: skip
def test_pieces_that_are_none(text, said):
    with pytest.raises(ReadError, match=said):
        parse_formula(text)


def test_names_of_pieces_may_name_parameters():
    made = parse_formula("step x + max*where", functions=[])
    assert symbols([made]) == {"step", "x", "max", "where"}
