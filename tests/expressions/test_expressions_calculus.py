"""Derivatives, time derivatives, substitution, and what names a graph has."""

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Arithmetic,
    ExpressionError,
    apply,
    call,
    cos,
    derivative,
    directional,
    evaluate,
    gradient,
    jacobian,
    pullback,
    rate,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
    time_derivative,
    undefined_functions,
)

from .graph_states import DIGITS, FUNCTIONS, MP, a, b, c, regular, states, x, y, z
from .recipes import SYMBOLS, build, compute, expressions, recipes


def at(e, values, **other):
    return evaluate([e], {**values, **other}, MP, FUNCTIONS)[0]


@pytest.mark.slow
@settings(max_examples=150)
@given(recipes(), states, st.sampled_from(SYMBOLS))
def test_derivative_is_the_limit_of_differences(recipe, values, name):
    """(f(x + h) - f(x - h)) / 2h with h = 1e-30 and 100 digits differs from f' by h² f''' / 6."""
    e = build(recipe)
    step = mpmath.mpf(10) ** -30
    try:
        compute(recipe, values, MP, FUNCTIONS, regular)
        exact = regular(at(derivative(e, symbol(name)), values))
        middle = MP.convert(values[name])
        sides = [at(e, values, **{name: middle + h}) for h in (step, -step)]
    except (ExpressionError, ValueError, ZeroDivisionError, OverflowError):
        assume(False)
    assert abs((sides[0] - sides[1]) / (2 * step) - exact) <= mpmath.mpf(10) ** -25 * max(1, abs(exact))


@pytest.mark.slow
@given(st.lists(expressions(), min_size=1, max_size=3), states)
def test_sweeps_of_every_direction_agree(outputs, values):
    """Forward, backward and by rows: one and the same matrix of derivatives."""
    variables = [symbol(name) for name in SYMBOLS]
    try:
        forward = [[derivative(e, v) for v in variables] for e in outputs]
        backward = [gradient(e, variables) for e in outputs]
        rows = jacobian(outputs, variables)
        direction = directional(outputs, dict(zip(variables, [a, b, c, x, ONE, ZERO], strict=True)))
        weighted = pullback(outputs, [a, b, c][: len(outputs)], variables)
        values |= {"a": 0.3, "b": -1.7, "c": 2.1}
        numbers = {
            name: evaluate([e for row in table for e in row], values, MP, FUNCTIONS)
            for name, table in {"forward": forward, "backward": backward, "rows": rows}.items()
        }
        along = evaluate(direction, values, MP, FUNCTIONS)
        pulled = evaluate(weighted, values, MP, FUNCTIONS)
    except ExpressionError:
        assume(False)
    for v in numbers["forward"]:
        regular(v)

    def close(p, q):
        return all(abs(i - j) <= mpmath.mpf(10) ** -60 * max(1, abs(i)) for i, j in zip(p, q, strict=True))

    assert close(numbers["forward"], numbers["backward"])
    assert close(numbers["forward"], numbers["rows"])
    n = len(variables)
    table = [numbers["forward"][i * n : (i + 1) * n] for i in range(len(outputs))]
    slopes = [MP.convert(v) for v in (values["a"], values["b"], values["c"], values["x"], 1, 0)]
    assert close([sum(d * s for d, s in zip(row, slopes, strict=True)) for row in table], along)
    weights = [MP.convert(values[name]) for name in "abc"]
    assert close([sum(w * row[j] for w, row in zip(weights, table, strict=False)) for j in range(n)], pulled)


@pytest.mark.parametrize(
    ("e", "slope"),
    [
        (a * x + b, a),
        (x**3, 3 * x**2),
        (1 / x, -1 / x**2),
        (sin(a * x), a * cos(a * x)),
        (cos(x), -sin(x)),
        (apply("tan", x), 1 + apply("tan", x) ** 2),
        (apply("asin", x), 1 / sqrt(1 - x**2)),
        (apply("acos", x), -1 / sqrt(1 - x**2)),
        (apply("atan", x), 1 / (1 + x**2)),
        (apply("atan2", x, y), y / (x**2 + y**2)),
        (apply("atan2", y, x), -y / (x**2 + y**2)),
        (sqrt(x), 1 / (2 * sqrt(x))),
        (apply("exp", a * x), a * apply("exp", a * x)),
        (apply("log", x), 1 / x),
        (apply("abs", x), apply("sign", x)),
        (apply("sign", x), ZERO),
        (x**a, a * x ** (a - 1)),
        (a**x, a**x * apply("log", a)),
        (ZERO**x, ZERO),
        (call("f", [x, y]), call("f", [x, y], [1, 0])),
        (call("f", [x, x]), call("f", [x, x], [1, 0]) + call("f", [x, x], [0, 1])),
        (call("f", [y, 2 * x], [1, 1]), 2 * call("f", [y, 2 * x], [1, 2])),
        (y, ZERO),
        (x, ONE),
    ],
    ids=str,
)
def test_derivatives_by_the_book(e, slope):
    assert derivative(e, x) is slope
    assert gradient(e, [x, symbol("absent")]) == [slope, ZERO]


def test_time_derivative():
    z1 = symbol("z1")
    e = a * sin(z1) * TIME + rate("z1") ** 2 + call("JK", [TIME])
    (first,) = time_derivative([e], ["z1"])
    expected = a * sin(z1) + a * TIME * cos(z1) * rate("z1") + 2 * rate("z1") * rate("z1", 2)
    values = {"a": 1.3, "t": 0.7, "z1": 0.4, "z1'": -1.1, "z1''": 2.3}
    difference = at(first - expected - call("JK", [TIME], [1]), values)
    assert abs(difference) < 1e-90


def test_substitution_is_simultaneous_and_stops_at_what_it_replaces():
    assert substitute([x + 2 * y, x], {x: y, y: x}) == [y + 2 * x, y]
    assert substitute([sin(x) * x], {sin(x): a}) == [a * x]
    assert substitute([1 / x + y], {x: ZERO, 1 / x: a}) == [a + y]
    assert substitute([call("f", [x, y], [1, 0])], {x: z}) == [call("f", [z, y], [1, 0])]


@pytest.mark.slow
@given(recipes(), states)
def test_substitution_is_composition(recipe, values):
    e = build(recipe)
    inner = {symbol("x"): symbol("y") * 2 + 1, symbol("y"): symbol("t") - 3}
    try:
        replaced = substitute([e], inner)[0]
        outside = at(replaced, values)
        moved = {name.data: at(s, values) for name, s in inner.items()}
        compute(recipe, values | moved, MP, FUNCTIONS, regular)
        inside = at(e, values | moved)
    except (ExpressionError, ValueError, ZeroDivisionError, OverflowError):
        assume(False)
    assert abs(outside - inside) <= mpmath.mpf(10) ** (40 - DIGITS) * max(1, abs(inside))


def test_names_in_a_graph():
    e = a * sin(x) + call("JK", [TIME], [1]) * call("f", [x, y])
    assert symbols([e, b]) == {"a", "b", "x", "y", "t"}
    assert undefined_functions([e]) == {"JK", "f"}


def test_any_arithmetic_will_do():
    """A user's own arithmetic: dual numbers as pairs."""

    class Dual:
        def __init__(self, value, slope=0.0):
            self.value, self.slope = value, slope

        def __add__(self, o):
            return Dual(self.value + o.value, self.slope + o.slope)

        def __mul__(self, o):
            return Dual(self.value * o.value, self.slope * o.value + self.value * o.slope)

    arithmetic = Arithmetic("dual", lambda n: Dual(float(n)), Dual(3.14), {})
    result = evaluate([x * x * y + y], {"x": Dual(3.0, 1.0), "y": Dual(2.0)}, arithmetic)[0]
    assert (result.value, result.slope) == (20, 12)
