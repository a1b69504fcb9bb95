"""Evaluators against each other, generated code against evaluation, operation counts."""

import ctypes
import math
import shutil
import subprocess
import sysconfig
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import (
    FLOAT,
    FRACTION,
    FUNCTIONS,
    PI_NODE,
    TIME,
    TWO,
    ZERO,
    Arithmetic,
    ExpressionError,
    Operations,
    apply,
    as_expression,
    c99_source,
    call,
    compile_numpy,
    cos,
    count_operations,
    count_parts,
    evaluate,
    interval_arithmetic,
    mpmath_arithmetic,
    number,
    numpy_arithmetic,
    python_source,
    rate,
    sin,
    sqrt,
    symbol,
)
from mbconcord.model.expressions.program import program
from mbconcord.validation.models.expressions import SYMBOLS, build, compute, expressions, recipes

from .test_expressions import states

a, b, c, x, y = (symbol(name) for name in "abcxy")
EPS = 2.0**-52


class IrregularError(Exception):
    """A state near a pole, a jump, a cancellation or an overflow, where rounding decides."""


class Bounded:
    """A float with a first-order bound on its rounding error, the tolerance of every comparison here."""

    def __init__(self, value, error=0.0):
        regular = math.isfinite(value) and abs(value) < 1e12 and error <= 1e-6 * abs(value)
        if not regular:  # the first order is no bound any more
            raise IrregularError
        self.value, self.error = value, error

    def made(self, value, *shares):
        return Bounded(value, sum(shares) * 1.01 + 4 * EPS * abs(value))

    def __add__(self, o):
        return self.made(self.value + o.value, self.error, o.error)

    def __sub__(self, o):
        return self.made(self.value - o.value, self.error, o.error)

    def __neg__(self):
        return Bounded(-self.value, self.error)

    def __mul__(self, o):
        return self.made(self.value * o.value, abs(o.value) * self.error, abs(self.value) * o.error)

    def __truediv__(self, o):
        value = self.value / o.value
        return self.made(value, self.error / abs(o.value), abs(value / o.value) * o.error)

    def through(self, function, slope):
        return self.made(function(self.value), abs(slope(self.value)) * self.error)

    def power(self, exponent):
        value = math.pow(self.value, exponent.value)
        shares = abs(exponent.value * value / self.value) * self.error if value else self.error
        return self.made(
            value, shares, abs(value * math.log(abs(self.value))) * exponent.error if value else 0
        )

    def atan2(self, o):
        norm = self.value**2 + o.value**2
        value = math.atan2(self.value, o.value)
        if o.value <= 0 and abs(self.value) <= 1e3 * self.error:  # at the cut
            raise IrregularError
        return self.made(value, abs(o.value) / norm * self.error, abs(self.value) / norm * o.error)

    def jump(self):
        if self.error and abs(self.value) <= 1e3 * self.error:
            raise IrregularError
        return Bounded(math.copysign(1, self.value) if self.value else 0.0)


def _away(value):
    if abs(1 - abs(value)) < 1e-6:
        raise IrregularError
    return 1 / math.sqrt(1 - value * value)


BOUNDED = Arithmetic(
    "bounded",
    lambda n: Bounded(float(n), EPS * abs(float(n))),
    Bounded(math.pi, EPS),
    {
        "sin": lambda u: u.through(math.sin, math.cos),
        "cos": lambda u: u.through(math.cos, math.sin),
        "tan": lambda u: u.through(math.tan, lambda v: 1 + math.tan(v) ** 2),
        "asin": lambda u: u.through(math.asin, _away),
        "acos": lambda u: u.through(math.acos, _away),
        "atan": lambda u: u.through(math.atan, lambda v: 1 / (1 + v * v)),
        "atan2": Bounded.atan2,
        "sqrt": lambda u: u.through(math.sqrt, lambda v: 0.5 / math.sqrt(v)),
        "exp": lambda u: u.through(math.exp, math.exp),
        "log": lambda u: u.through(math.log, lambda v: 1 / v),
        "abs": lambda u: Bounded(abs(u.value), u.error),
        "sign": Bounded.jump,
    },
    Bounded.power,
    lambda v: v if isinstance(v, Bounded) else Bounded(float(v)),
)
#: f(u, v) = u v and derivatives, JK(u) = 3 u and derivatives: simple enough for every arithmetic.
MEANING = {
    "JK": lambda orders, u: [u + u + u, u - u + 3.0, u - u][min(orders[0], 2)],
    "f": lambda orders, u, v: _product(orders, u, v),
}
BOUNDED_MEANING = {
    "JK": lambda orders, u: [u + u + u, Bounded(3.0), Bounded(0.0)][min(orders[0], 2)],
    "f": lambda orders, u, v: {(0, 0): u * v, (1, 0): v, (0, 1): u, (1, 1): Bounded(1.0)}.get(
        orders, Bounded(0.0)
    ),
}


def bound_of(recipe, e, values):
    """Bound of the rounding error of a graph, or None where a value on the way is not regular."""
    try:
        compute(recipe, values, BOUNDED, BOUNDED_MEANING)
        return evaluate([e], values, BOUNDED, BOUNDED_MEANING)[0].error
    except (IrregularError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _product(orders, u, v):
    return {(0, 0): u * v, (1, 0): v, (0, 1): u, (1, 1): u - u + 1.0}.get(orders, u - u)


@pytest.mark.slow
@settings(max_examples=200)
@given(recipes(), states)
def test_float_numpy_mpmath_and_intervals_agree(recipe, values):
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
@given(expressions(functions=("sin", "cos", "tan", "sqrt", "exp", "log", "abs"), undefined={}), states)
def test_intervals_hold_the_exact_value(e, values):
    try:
        enclosure = evaluate([e], values, interval_arithmetic())[0]
        exact = evaluate([e], values, mpmath_arithmetic(60))[0]
    except (ExpressionError, ValueError):
        assume(False)
    assert enclosure.a <= exact <= enclosure.b


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


@pytest.mark.parametrize(
    "e", [sin(a), sqrt(a), PI_NODE * a, a ** number("0.3"), apply("exp", as_expression(2))]
)
def test_fractions_refuse_what_is_not_rational(e):
    with pytest.raises(ExpressionError, match="has no value in fractions"):
        evaluate([e], {"a": Fraction(1, 3)}, FRACTION)


def test_global_precision_is_untouched():
    before = (mpmath.mp.prec, mpmath.iv.prec)
    value = evaluate([PI_NODE / 3], {}, mpmath_arithmetic(80))[0]
    evaluate([PI_NODE / 3], {}, interval_arithmetic(40))
    assert (mpmath.mp.prec, mpmath.iv.prec) == before
    with mpmath.workdps(80):
        assert abs(value - mpmath.pi / 3) < mpmath.mpf(10) ** -78


#: Counted by hand: mul, add, div, trig, other, critical path.
COUNTS = [
    ([a], (0, 0, 0, 0, 0, 0)),
    ([a + b], (0, 1, 0, 0, 0, 1)),
    ([a - b], (0, 1, 0, 0, 0, 1)),
    ([b - a, a - b], (0, 1, 0, 0, 0, 1)),
    ([-(a + b)], (0, 1, 0, 0, 0, 1)),
    ([a + b + c + x], (0, 3, 0, 0, 0, 3)),
    ([(a + b) + (c + x)], (0, 3, 0, 0, 0, 2)),
    ([-a * b], (1, 0, 0, 0, 0, 1)),
    ([a * b, a * b * c], (2, 0, 0, 0, 0, 2)),
    ([2 * a], (1, 0, 0, 0, 0, 1)),
    ([2 * PI_NODE * a], (1, 0, 0, 0, 0, 1)),
    ([2 * PI_NODE * symbol(name) for name in "abcdxyz"], (7, 0, 0, 0, 0, 1)),
    ([sqrt(TWO) * sin(as_expression(1)) + PI_NODE], (0, 0, 0, 0, 0, 0)),
    ([a**2], (1, 0, 0, 0, 0, 1)),
    ([a**3], (2, 0, 0, 0, 0, 2)),
    ([a**4], (2, 0, 0, 0, 0, 2)),
    ([a**5], (3, 0, 0, 0, 0, 3)),
    ([a**15], (6, 0, 0, 0, 0, 6)),
    ([a**2, a**4], (2, 0, 0, 0, 0, 2)),
    ([1 / a], (0, 0, 1, 0, 0, 1)),
    ([a / b], (0, 0, 1, 0, 0, 1)),
    ([a / b, c / b], (0, 0, 2, 0, 0, 1)),
    ([a / b**2], (1, 0, 1, 0, 0, 2)),
    ([a / 2], (1, 0, 0, 0, 0, 1)),
    ([a / PI_NODE], (1, 0, 0, 0, 0, 1)),
    ([2 / a], (0, 0, 1, 0, 0, 1)),
    ([a - b / c], (0, 1, 1, 0, 0, 2)),
    ([sin(a) * cos(a)], (1, 0, 0, 2, 0, 2)),
    ([apply("atan2", a, b)], (0, 0, 0, 1, 0, 1)),
    ([sqrt(a) + apply("exp", b)], (0, 1, 0, 0, 2, 2)),
    ([a ** number("0.3")], (0, 0, 0, 0, 1, 1)),
    ([call("JK", [TIME]) * call("JK", [TIME], [1])], (1, 0, 0, 0, 2, 2)),
    ([sin(a) ** 2 + cos(a) ** 2], (0, 0, 0, 0, 0, 0)),
    # (m l² z'²) / 2 + m g l (1 - cos z): squares 2, products 2 + 1 + 2 + 1, sums 2, a cosine
    (
        [
            symbol("m") * symbol("l") ** 2 * rate("z") ** 2 / 2
            + symbol("m") * symbol("g") * symbol("l") * (1 - cos(symbol("z")))
        ],
        (8, 2, 0, 1, 0, 5),
    ),
]


@pytest.mark.parametrize(("outputs", "expected"), COUNTS, ids=[str(o) for o, _ in COUNTS])
def test_counts_by_hand(outputs, expected):
    assert count_operations(outputs) == Operations(*expected)


def test_parts_are_counted_as_if_each_were_alone():
    shared = (a + b) * sin(x)
    parts = [[shared, a * b], [], [shared / b, -shared], [ZERO, b], [a * b]]
    lines = program([output for part in parts for output in part])
    ends = iter(lines.outputs)
    found = count_parts(lines, [[next(ends) for _ in part] for part in parts])
    assert found == [count_operations(part) for part in parts]
    assert found[0] != found[2]


def test_parallelism():
    counted = count_operations([(a + b) * (c + x)])
    assert (counted.total, counted.critical_path, counted.parallelism) == (3, 2, 1.5)
    assert count_operations([ZERO]).parallelism == 0
    assert counted.to_json() == {"mul": 1, "add": 2, "div": 0, "trig": 0, "other": 0, "critical_path": 2}


@pytest.mark.slow
@given(expressions(undefined={}), expressions(undefined={}), states)
def test_counts_are_the_operations_that_are_done(p, q, values):
    """An arithmetic that tallies its own operations finds the same numbers (constants apart)."""
    tally = {"mul": 0, "add": 0, "div": 0, "other": 0}

    class Tallied:
        def __init__(self, free):
            self.free = free

        def did(self, kind, *others):
            free = self.free and all(o.free for o in others)
            tally[kind] += not free
            return Tallied(free)

        def __add__(self, o):
            return self.did("add", o)

        __sub__ = __add__

        def __mul__(self, o):
            return self.did("mul", o)

        def __truediv__(self, o):
            return self.did("div", o)

        def __neg__(self):
            return self

    def other(u, *more):
        return u.did("other", *more)

    names = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "abs", "sign")
    arithmetic = Arithmetic(
        "tally",
        lambda _: Tallied(True),
        Tallied(True),
        dict.fromkeys(names, other),
        other,
        lambda _: Tallied(False),
    )
    evaluate([p, q], values, arithmetic)
    counted = count_operations([p, q])
    assert (counted.mul, counted.add, counted.div) == (tally["mul"], tally["add"], tally["div"])
    assert counted.trig + counted.other == tally["other"]
    assert counted.critical_path <= counted.total


COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def compiled_c(sources: list[str], folder: Path) -> ctypes.CDLL:
    """All the sources as one library; warnings are errors."""
    assert COMPILER is not None
    library = folder / ("code" + (sysconfig.get_config_var("SHLIB_SUFFIX") or ".so"))
    files = []
    for i, source in enumerate(sources):
        files.append(folder / f"f{i}.c")
        files[-1].write_text(source, "utf-8")
    command = [COMPILER, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", library, *files, "-lm"], check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
@settings(max_examples=6)
@given(
    st.lists(st.tuples(recipes(), states), min_size=10, max_size=10, unique_by=lambda pair: build(pair[0]))
)
def test_c_computes_what_the_graph_says(tmp_path_factory, pairs):
    meaning = "double jk(int m, double u)\n{\n    return m == 0 ? u + u + u : m == 1 ? 3.0 : 0.0;\n}\n"
    meaning += (
        "double ff(int m, int n, double u, double v)\n{\n"
        "    return m == 0 && n == 0 ? u * v : m == 1 && n == 0 ? v\n"
        "           : m == 0 && n == 1 ? u : m == 1 && n == 1 ? 1.0 : 0.0;\n}\n"
    )
    declared = "double jk(int m, double u);\ndouble ff(int m, int n, double u, double v);\n"
    checked, sources = [], [declared + meaning]
    for recipe, values in pairs:
        e = build(recipe)
        bound = bound_of(recipe, e, values)
        if bound is not None:
            sources.append(c99_source([e, -e], list(values), f"f{len(checked)}", {"JK": "jk", "f": "ff"}))
            checked.append((e, values, bound))
    assume(checked)
    library = compiled_c(sources, tmp_path_factory.mktemp("c"))
    for i, (e, values, bound) in enumerate(checked):
        given_values = (ctypes.c_double * len(values))(*values.values())
        out = (ctypes.c_double * 2)()
        getattr(library, f"f{i}")(given_values, out)
        exact = evaluate([e], values, mpmath_arithmetic(60), MEANING)[0]
        assert abs(out[0] - exact) <= 2 * bound
        assert out[1] == -out[0]


def _one_of_each():
    """Every function and operation once, away from poles."""
    outputs = [apply(name, *[a - b, b * 0.3][:count]) for name, count in FUNCTIONS.items()]
    outputs += [apply("abs", b), apply("sign", b), apply("sign", a * 0), a + b, a - b, a * b, a / b, -a, a**3]
    outputs += [
        b**-2,
        a ** number("0.3"),
        a ** number("-1.5"),
        as_expression(2) ** b,
        a / 3,
        PI_NODE * a,
        TWO,
    ]
    return outputs, {"a": 0.9, "b": -0.07}


def test_numpy_code_of_every_function():
    outputs, values = _one_of_each()
    found = compile_numpy(outputs, list(values))(list(values.values()))
    assert list(found) == pytest.approx(evaluate(outputs, values), rel=4 * EPS)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
def test_c_code_of_every_function(tmp_path):
    outputs, values = _one_of_each()
    library = compiled_c([c99_source(outputs, list(values), "all")], tmp_path)
    out = (ctypes.c_double * len(outputs))()
    library.all((ctypes.c_double * 2)(*values.values()), out)
    assert list(out) == pytest.approx(evaluate(outputs, values), rel=4 * EPS)


def test_shared_parts_are_temporaries_and_constants_are_folded():
    shared = sin(a) * b + c
    source = python_source([shared * shared, shared + sqrt(TWO) * PI_NODE], ["a", "b", "c"], "f")
    assert source.count("np.sin") == 1 and "sqrt" not in source and "4.442882938158366" in source
    c_source = c99_source([shared * shared, shared + sqrt(TWO) * PI_NODE], ["a", "b", "c"], "f")
    assert c_source.count("sin(") == 1 and "sqrt" not in c_source
    assert "void f(const double in[], double out[])" in c_source
    assert "0.10000000000000001" in c99_source([a / 10], ["a"], "f")


def test_names_of_symbols_never_become_code():
    hostile = symbol("__import__('os').system('false') */ \n evil")
    sources = [
        python_source([hostile + 1], [hostile.data], "f"),
        c99_source([hostile + 1], [hostile.data], "f"),
    ]
    for source in sources:
        assert "system(" not in source and "\n evil" not in source and source.count("*/") in (0, 1)
    assert compile_numpy([hostile + 1], [hostile.data])([2.0]) == [3.0]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        case
        for w in (python_source, c99_source)
        for case in (
            (lambda w=w: w([a + b], ["a"], "f"), "b is not known: list symbols as inputs"),
            (lambda w=w: w([call("JK", [a])], ["a"], "f"), r"JK\(\).*give undefined functions"),
            (lambda w=w: w([a], ["a", "a"], "f"), "an input is named twice"),
            (lambda w=w: w([a], ["a"], "f(x):"), "cannot name a"),
            (lambda w=w: w([a], ["a"], "for"), "cannot name a"),
            (lambda w=w: w([a + sqrt(2) * as_expression(10) ** 400], ["a"], "f"), "range|large"),
        )
    ],
)
def test_code_that_cannot_be_written_is_refused(write, words):
    with pytest.raises(ExpressionError, match=words):
        write()


def test_compiled_function_wants_its_inputs():
    function = compile_numpy([a + b, TWO], ["a", "b"])
    assert function(np.ones((2, 3, 4))).shape == (2, 3, 4)
    assert compile_numpy([], ["a"])([1.0]).shape == (0,)
    with pytest.raises(ExpressionError, match=r"shape \(3,\).*expected \(2, …\)"):
        function([1.0, 2.0, 3.0])
