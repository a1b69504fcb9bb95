"""Running error bounds hold: against 100 digits, for every function, at hard arguments, on random graphs."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import FUNCTIONS, PI_NODE, ExpressionError, apply, call, evaluate, number, sqrt, symbol
from mbconcord.model.expressions import bounds as module
from mbconcord.model.expressions.bounds import ACCURACY, RULES, U, run_bounds
from mbconcord.model.expressions.levels import levels, run_levels
from mbconcord.model.expressions.node import ADD, CALL, MUL, NEG, POW
from mbconcord.model.expressions.program import DIV, SUB, program

from .graph_states import FUNCTIONS as MEANING
from .graph_states import MP
from .recipes import SYMBOLS, expressions

x, y, z = (symbol(name) for name in "xyz")
third = Fraction(1, 3)


def bounded(outputs, values, uncertain=None, numbers=None, functions=None):
    """(values, bounds), (m, N) each; the values are those without bounds."""
    grouped = levels(program(outputs))
    found, bounds = run_bounds(grouped, values, uncertain, numbers, functions)
    if np.isfinite(grouped.numbers).all():
        assert np.array_equal(found, run_levels(grouped, values, functions), equal_nan=True)
    return found, bounds


def exact(outputs, values, functions=None):
    """In 100 digits; floats are the binary numbers they are. None where there is no real value."""
    found = []
    for output in outputs:
        try:
            found.append(evaluate([output], values, MP, functions)[0])
        except (ExpressionError, ValueError):
            found.append(None)
    return found


def covered(value: float, bound: float, true) -> bool:
    """|value - true| ≤ bound, the difference taken exactly."""
    return math.isinf(bound) or abs(true - float(value)) <= float(bound)


# --- every operation -------------------------------------------------------------------------------------------


def test_every_operation_and_function_has_a_rule():
    assert set(RULES) == {NEG, ADD, SUB, MUL, DIV, POW, CALL, *FUNCTIONS}
    assert set(ACCURACY) == {POW, *FUNCTIONS} - {"abs", "sign"}


def test_accuracy_of_functions_is_two_ulp_of_sine_and_cosine_and_four_of_the_others():
    assert ACCURACY == {
        "sin": 4, "cos": 4, "tan": 8, "asin": 8, "acos": 8, "atan": 8, "atan2": 8, "exp": 8, "log": 8, "pow": 8,
        "sqrt": 1,
    }  # fmt: skip


def spread(dice, count, smallest, largest):
    sizes = np.exp(dice.uniform(math.log(smallest), math.log(largest), count))
    return sizes * dice.choice([-1, 1], count)


def angles(dice):
    near = dice.integers(-(10**6), 10**6, 60) * (math.pi / 2)
    return np.concatenate([
        dice.uniform(-4, 4, 60), near, near * (1 + spread(dice, 60, 1e-16, 1e-3)), dice.uniform(-1e6, 1e6, 40),
        dice.uniform(-1e15, 1e15, 40), spread(dice, 30, 1e-320, 1e-2), [0.0, -0.0, 1e22, 1e300, 5e-324],
    ])  # fmt: skip


def unit(dice):
    close = 1 - np.abs(spread(dice, 60, 1e-16, 1e-2))
    return np.concatenate([dice.uniform(-1, 1, 80), close, -close, spread(dice, 40, 1e-310, 1), [0.0, 1.0, -1.0]])


def any_size(dice):
    return np.concatenate([dice.uniform(-5, 5, 80), spread(dice, 120, 1e-12, 1e12), spread(dice, 40, 1e-320, 1e-290),
                           spread(dice, 20, 1e150, 1e160), [0.0, -0.0, 1.0, -1.0, 5e-324]])  # fmt: skip


def positive(dice):
    close = 1 + spread(dice, 60, 1e-16, 1e-1)
    return np.concatenate([np.abs(any_size(dice)), close])


def powers(dice):
    """Exponents; with them negative bases have powers as well."""
    return np.concatenate([dice.uniform(-8, 8, 80), dice.integers(-6, 7, 60), spread(dice, 20, 1e-20, 1e-3)])


def exponents(dice):
    return np.concatenate([dice.uniform(-30, 30, 120), spread(dice, 60, 1e-300, 1), dice.uniform(-760, 720, 60), [0.0]])


#: function of one argument -> arguments
UNARY = {
    "neg": (lambda a: -a, any_size), "abs": (lambda a: apply("abs", a), any_size),
    "sign": (lambda a: apply("sign", a), any_size), "sqrt": (sqrt, positive),
    "sin": (lambda a: apply("sin", a), angles), "cos": (lambda a: apply("cos", a), angles),
    "tan": (lambda a: apply("tan", a), angles), "asin": (lambda a: apply("asin", a), unit),
    "acos": (lambda a: apply("acos", a), unit), "atan": (lambda a: apply("atan", a), any_size),
    "exp": (lambda a: apply("exp", a), exponents), "log": (lambda a: apply("log", a), positive),
    "cube root": (lambda a: a ** number("1/3"), positive), "a^-2.5": (lambda a: a ** number("-2.7"), positive),
}  # fmt: skip
#: function of two arguments -> arguments of each
BINARY = {
    "add": (lambda a, b: a + b, any_size, any_size), "sub": (lambda a, b: a - b, any_size, any_size),
    "mul": (lambda a, b: a * b, any_size, any_size), "div": (lambda a, b: a / b, any_size, any_size),
    "pow": (lambda a, b: a**b, lambda dice: np.concatenate([positive(dice), any_size(dice)]), powers),
    "atan2": (lambda a, b: apply("atan2", a, b), any_size, any_size),
}  # fmt: skip
#: How many arguments of a function are tried.
POINTS = 150
#: Errors of arguments, relative to them or not.
ERRORS = (0.0, 1e-17, 1e-15, 1e-9, 1e-3, 0.3, 0.99, 1.0, 3.0)


def test_all_functions_are_tried():
    tried = {*UNARY, *BINARY}
    assert set(FUNCTIONS) <= tried and {NEG, ADD, SUB, MUL, DIV, POW} <= tried


def moved(value: float, error: float, part: float) -> Fraction:
    """A number within the error of the value, exactly."""
    return Fraction(float(value)) + Fraction(float(error)) * Fraction(float(part))


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
@pytest.mark.parametrize("relative", ERRORS)
def test_bounds_hold_wherever_the_arguments_may_be(name, relative):
    """The exact value of the function, at the ends of what the arguments may be and between, lies within."""
    make, *arguments = (UNARY | BINARY)[name]
    dice = np.random.default_rng(len(name) * 100 + ERRORS.index(relative))
    names = ("x", "y")[: len(arguments)]
    values = {n: dice.choice(some(dice), POINTS) for n, some in zip(names, arguments, strict=True)}
    errors = {n: np.abs(v) * relative * dice.choice([1, 0.5], POINTS) for n, v in values.items()}
    errors = {n: np.where(dice.random(POINTS) < 0.2, relative, e) for n, e in errors.items()}
    output = make(*map(symbol, names))
    (found,), (bounds,) = bounded([output], values, errors)
    tried = 0
    for i in np.flatnonzero(np.isfinite(bounds)).tolist():
        for parts in dice.choice([-1, 1, 0, 0.37], (6, len(names))) if relative else [(0, 0)]:
            at = {n: moved(values[n][i], errors[n][i], p) for n, p in zip(names, parts, strict=False)}
            (true,) = exact([output], at)
            if true is not None:
                tried += 1
                assert covered(found[i], bounds[i], true), (found[i], bounds[i], true, at)
    assert relative > 1e-2 or tried > POINTS / 2


SMOOTH = [
    ("sin", 0.7), ("cos", 0.7), ("tan", 0.7), ("asin", 0.6), ("acos", 0.6), ("atan", 2.0), ("exp", 3.0), ("log", 5.0),
    ("sqrt", 2.0), ("cube root", 4.0), ("neg", 2.0), ("abs", -2.0), ("tan", 1.4), ("asin", 0.999), ("log", 1.001),
]  # fmt: skip


@pytest.mark.parametrize(("name", "at"), SMOOTH)
@pytest.mark.parametrize("error", [1e-12, 1e-6])
def test_a_bound_is_the_slope_times_the_error(name, at, error):
    """No wider than a few percent where the error is more than rounding and the function is smooth."""
    make, _ = UNARY[name]
    (value,), (bound,) = bounded([make(x)], {"x": at}, {"x": error})
    ends = [exact([make(x)], {"x": moved(at, error, side)})[0] for side in (-1, 1)]
    most = max(abs(float(end - float(value[0]))) for end in ends)
    assert most <= bound[0] <= 1.05 * most + 16 * U * abs(value[0])


TIGHT = [
    ("add", 3.0, 4.0), ("sub", 3.0, 4.0), ("mul", 3.0, 4.0), ("div", 3.0, 4.0), ("pow", 3.0, 2.5), ("atan2", 3.0, -4.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "at", "beside"), TIGHT)
def test_a_bound_of_two_errors_is_their_sum(name, at, beside):
    make, *_ = BINARY[name]
    error = 1e-7
    (value,), (bound,) = bounded([make(x, y)], {"x": at, "y": beside}, {"x": error, "y": error})
    corners = itertools.product((-1, 1), repeat=2)
    ends = [exact([make(x, y)], {"x": moved(at, error, p), "y": moved(beside, error, q)})[0] for p, q in corners]
    most = max(abs(float(end - float(value[0]))) for end in ends)
    assert most <= bound[0] <= 1.5 * most


def test_both_errors_at_once_make_the_product_of_zeros():
    _, (bound,) = bounded([x * y], {"x": 0.0, "y": 0.0}, {"x": 0.5, "y": 0.25})
    assert 0.125 <= bound[0] <= 0.13


# --- numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "e", [number("1/3"), number("9.81"), PI_NODE, number(2**60 + 1), number("1e-400"), number("1e-310"), PI_NODE / 7]
)  # fmt: skip
def test_a_number_that_is_no_float_has_its_rounding(e):
    (value,), (bound,) = bounded([e], {})
    (true,) = exact([e], {})
    assert true != float(value[0]) and covered(value[0], bound[0], true)
    assert bound[0] <= 4 * U * abs(value[0]) + 1e-300


@pytest.mark.parametrize("e", [number(7), number("0.5"), number(-3), number(2**60), number("1/1024")])
def test_a_number_that_is_a_float_has_none(e):
    assert bounded([e], {})[1][0, 0] == 0


def test_a_symbol_is_the_float_it_is():
    assert bounded([x], {"x": 0.1})[1][0, 0] == 0
    assert bounded([x], {"x": 0.1}, {"x": 3e-18})[1][0, 0] == pytest.approx(3e-18, rel=2e-3)


def test_a_number_inlined_and_the_same_number_as_a_symbol_lie_within_their_bounds():
    """The symbol holds the float of 1/3: its rounding is no error of the number, so it is said."""
    (inlined, given), bounds = bounded([x * third, x * y], {"x": 0.7, "y": 1 / 3}, {"y": U / 3})
    (true,) = exact([x * third], {"x": 0.7})
    assert covered(inlined[0], bounds[0, 0], true) and covered(given[0], bounds[1, 0], true)


def test_a_number_with_an_error_of_its_own():
    """0.31, printed in two digits, is anything between 0.305 and 0.315."""
    outputs = [x * number("0.31") + 2]
    (value,), (bound,) = bounded(outputs, {"x": 10.0}, numbers={Fraction("0.31"): 0.005})
    assert 0.05 <= bound[0] <= 0.0501 and value[0] == pytest.approx(5.1)
    assert bounded(outputs, {"x": 10.0})[1][0, 0] < 1e-14


def test_errors_differ_from_state_to_state():
    _, (bound,) = bounded([2 * x], {"x": [1.0, 1.0, 1.0]}, {"x": np.array([0.0, 1e-3, 1.0])})
    assert bound == pytest.approx([0.0, 2e-3, 2.0], rel=2e-3, abs=1e-15)


# --- what has no bound -----------------------------------------------------------------------------------------

INF, NAN = math.inf, math.nan
NO_BOUND = [
    ("a divisor that may be zero", 1 / x, {"x": 1e-9}, {"x": 1e-9}),
    ("a divisor of which next to nothing is certain", 1 / x, {"x": 1.0}, {"x": 1 - 1e-6}),
    ("a divisor that is zero", 1 / x, {"x": 0.0}, {}),
    ("zero by zero", x / y, {"x": 0.0, "y": 0.0}, {}),
    ("an overflow", x * x, {"x": 1e200}, {}),
    ("a number beyond the range of floats", 1 / (x * number(10) ** 400), {"x": 1.0}, {}),
    ("a negative one", x - number(10) ** 400, {"x": 1.0}, {}),
    ("what an overflow has gone into", 1 / (x * x), {"x": 1e200}, {}),
    ("and on", apply("atan", x * x) + 1, {"x": 1e200}, {}),
    ("and on", apply("sign", x * x), {"x": 1e200}, {}),
    ("and on", apply("exp", -(x * x)), {"x": 1e200}, {}),
    ("an overflow of a sum", x + x * 1, {"x": 1.7e308}, {}),
    ("an overflow of the exponential", apply("exp", x), {"x": 1e3}, {}),
    ("an infinity", apply("atan", x), {"x": INF}, {}),
    ("no number", apply("sign", x), {"x": NAN}, {}),
    ("no error", x, {"x": 1.0}, {"x": NAN}),
    ("an error below zero", x, {"x": 1.0}, {"x": -1e-3}),
    ("an infinite error", apply("sin", x), {"x": 1.0}, {"x": INF}),
    ("an infinite error", apply("sign", x), {"x": 1.0}, {"x": INF}),
    ("the root of less than zero", sqrt(x), {"x": -1e-30}, {}),
    ("the logarithm of what may be zero", apply("log", x), {"x": 1e-3}, {"x": 1e-3}),
    ("the logarithm of zero", apply("log", x), {"x": 0.0}, {}),
    ("the arc sine beyond one", apply("asin", x), {"x": 1.0000000000000002}, {}),
    ("a tangent whose pole is within reach", apply("tan", x), {"x": math.pi / 2}, {"x": 1e-15}),
    ("a root of less than zero", x ** number("1/3"), {"x": -8.0}, {}),
    ("a power of what may be zero", x ** number("-0.3"), {"x": 1e-3}, {"x": 1e-2}),
    ("a negative base and an uncertain exponent", x**y, {"x": -2.0, "y": 2.0}, {"y": 1e-18}),
    ("the angle of what may be the origin", apply("atan2", x, y), {"x": 1e-3, "y": 1e-3}, {"x": 2e-3}),
    ("the angle of the origin", apply("atan2", x, y), {"x": 0.0, "y": 0.0}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "e", "values", "errors"), NO_BOUND)
def test_no_bound_is_infinite(why, e, values, errors):
    assert bounded([e], values, errors)[1][0, 0] == INF


def test_an_undefined_function_has_values_and_no_bound():
    (value, rest), bounds = bounded([call("JK", [x]) + 1, 2 * x], {"x": 3.0}, functions=MEANING)
    assert value[0] == 31 and rest[0] == 6
    assert bounds[0, 0] == INF and bounds[1, 0] < 1e-14


WIDE = [
    ("the sign of what may be zero", apply("sign", x), {"x": 1e-3}, {"x": 1e-3}, 2.0),
    ("the angle across the cut", apply("atan2", x, y), {"x": 1e-18, "y": -1.0}, {"x": 1e-17}, 2 * math.pi),
    ("the angle at the cut", apply("atan2", x, y), {"x": -0.0, "y": -1.0}, {}, 2 * math.pi),
    ("the root of what may be zero", sqrt(x), {"x": 1e-16}, {"x": 1e-16}, 1.4e-8),
    ("the arc sine at its end", apply("asin", x), {"x": 1.0}, {"x": 1e-10}, 1.4e-5),
    ("the arc cosine near its end", apply("acos", x), {"x": -1 + 1e-11}, {"x": 1e-10}, 1.0e-5),
    ("an odd power through zero", x**y, {"x": -1e-3, "y": 3.0}, {"x": 2e-3}, 2e-9),
    ("an even power through zero", x ** number("4/3"), {"x": 1e-3}, {"x": 1e-3}, 2e-4),
]  # fmt: skip


@pytest.mark.parametrize(("why", "e", "values", "errors", "least"), WIDE)
def test_jumps_and_roots_have_wide_bounds(why, e, values, errors, least):
    bound = bounded([e], values, errors)[1][0, 0]
    assert least <= bound < 16 * least


def test_the_sign_of_what_is_not_zero_is_exact():
    assert bounded([apply("sign", x)], {"x": [2.0, 0.0, -1e-300]}, {"x": 0.0})[1].tolist() == [[0.0, 0.0, 0.0]]
    near = bounded([apply("sign", x)], {"x": [1e-3, -1e-3, 1e-3]}, {"x": [1e-9, 9e-4, 1e-3]})[1]
    assert (near[0] > 0).tolist() == [False, False, True]  # zero is within reach of the last alone


def test_one_bad_state_does_not_spoil_the_others():
    _, bounds = bounded([1 / x], {"x": [1.0, 0.0, 3.0]})
    assert np.isinf(bounds).tolist() == [[False, True, False]]


# --- graphs ----------------------------------------------------------------------------------------------------


def drawn(seed: int, count: int = 5) -> dict:
    """States of ordinary size, at multiples of a right angle, large, small, and equal to one another."""
    dice = np.random.default_rng(seed)
    ordinary = dice.normal(size=(count, len(SYMBOLS))) * 3
    ordinary[1] = dice.integers(-8, 8, len(SYMBOLS)) * (math.pi / 2)
    ordinary[2] = dice.normal(size=len(SYMBOLS)) * dice.choice([1e6, 1.0, 1e15], len(SYMBOLS))
    ordinary[3] = ordinary[3, 0] * (1 + 1e-15 * dice.integers(-3, 3, len(SYMBOLS)))
    ordinary[4] = dice.normal(size=len(SYMBOLS)) * dice.choice([1e-310, 1e-160, 1.0], len(SYMBOLS))
    return dict(zip(SYMBOLS, ordinary.T, strict=True))


@pytest.mark.slow
@settings(max_examples=250)
@given(expressions(undefined={}), st.integers(0, 10**6), st.sampled_from([0.0, 0.0, 1e-15, 1e-9, 1e-4, 0.1]))
def test_random_graphs_lie_within_their_bounds(e, seed, size):
    """At the floats given, and where the numbers may be anything that near to them."""
    dice = np.random.default_rng(seed)
    values = drawn(seed)
    errors = {name: np.abs(v) * size for name, v in values.items()}
    (found,), (bounds,) = bounded([e], values, errors)
    for s in np.flatnonzero(np.isfinite(bounds)).tolist():
        at = {n: moved(v[s], errors[n][s], dice.choice([-1, 1]) if size else 0) for n, v in values.items()}
        (true,) = exact([e], at)
        if true is not None:
            assert covered(found[s], bounds[s], true)


@pytest.mark.slow
@settings(max_examples=100)
@given(expressions(functions=("sin", "cos", "sqrt", "atan"), undefined={}), st.integers(0, 10**6))
def test_bounds_of_ordinary_graphs_are_no_excuse(e, seed):
    """Where every value on the way is far from zero, poles and overflow, a bound is some hundred roundings."""
    dice = np.random.default_rng(seed)
    values = {name: dice.uniform(0.5, 2, 3) for name in SYMBOLS}
    (value,), (bound,) = bounded([e], values)
    assume(np.isfinite(value).all() and (np.abs(value) > 1e-2).all() and (np.abs(value) < 1e2).all())
    assert np.median(bound / np.abs(value)) < 1e-10


def test_sums_that_cancel_keep_the_bound_of_their_terms():
    large = number(10**12)
    e = (x + large * (1 + y) ** 2) - large * (1 + 2 * y + y * y)
    values = {"x": 0.3, "y": 0.7}
    (value,), (bound,) = bounded([e], values)
    (true,) = exact([e], values)
    error = abs(float(true - float(value[0])))
    assert error > 1e-5 and error <= bound[0] < 100 * error + 1e-2


def test_large_angles_bring_the_rounding_of_their_sum():
    """sin(q1 + q2) at 1e6 rad: what the sum is off by is what the sine is off by."""
    dice = np.random.default_rng(3)
    values = {"x": dice.uniform(-1e6, 1e6, 300), "y": dice.uniform(-1e6, 1e6, 300)}
    (value,), (bound,) = bounded([apply("sin", x + y)], values)
    worst = 0.0
    for s in range(300):
        (true,) = exact([apply("sin", x + y)], {n: float(v[s]) for n, v in values.items()})
        worst = max(worst, abs(float(true - float(value[s]))) / bound[s])
    assert 0.5 < worst <= 1


def test_a_fault_of_a_part_in_1e12_is_beyond_the_bounds():
    good = x * x * third + apply("sin", y) * number("9.81") * x
    fault = x * x * third + apply("sin", y) * number("9.81") * x * (1 + Fraction(1, 10**12))
    dice = np.random.default_rng(1)
    values = {"x": dice.uniform(0.5, 2, 50), "y": dice.uniform(0.5, 2, 50)}
    (p, q), (e, f) = bounded([good, fault], values)
    assert np.median(np.abs(p - q) / (e + f)) > 100


def test_blocks_of_states_make_no_difference(monkeypatch):
    outputs = [apply("sin", x * y) / (x + 3), sqrt(y) * third]
    values = {"x": np.linspace(-2, 2, 23), "y": np.linspace(0.1, 4, 23)}
    errors = {"x": np.linspace(0, 1e-3, 23), "y": 1e-9}
    grouped = levels(program(outputs))
    whole = run_bounds(grouped, values, errors)
    from mbconcord.model.expressions import levels as of_levels

    monkeypatch.setattr(of_levels, "BLOCK", 300)
    assert np.array_equal(run_bounds(grouped, values, errors), whole)


def test_the_slope_of_a_sine_that_rounds_to_one_is_not_zero():
    a, e = np.array([math.pi / 2 - 1e-8]), np.array([1e-9])
    assert np.sin(a) == 1
    assert RULES["sin"](np.sin(a), a, e) - 4 * U >= 0.99e-8 * e
    assert RULES["cos"](np.cos(a - math.pi / 2), a - math.pi / 2, e) - 4 * U >= 0.99e-8 * e


def test_a_value_that_is_no_number_has_no_bound_whatever_the_bound():
    values, bounds = np.array([1.0, NAN, INF, 1.0, 1.0]), np.array([1.0, 1.0, 1.0, NAN, INF])
    assert module.cover_rounding(values, bounds).tolist() == [1.001, INF, INF, INF, INF]


def test_the_factor_for_the_rounding_of_bounds_is_there():
    assert module.FACTOR == 1.001 and module.U == 2.0**-53
