"""Programs of expressions: operations, counted by hand and as they are done, and code that computes the same."""

import ctypes
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import (
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
    mpmath_arithmetic,
    number,
    python_source,
    rate,
    sin,
    sqrt,
    symbol,
)
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.printer import Printer
from mbconcord.model.expressions.program import part_of, program
from mbconcord.reports.equations.languages import C99

from .bounds import EPS, MEANING, bound_of
from .recipes import build, expressions, recipes
from .test_expressions import states

a, b, c, x, y = (symbol(name) for name in "abcxy")
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


@pytest.mark.parametrize("places", [(0,), (1,), (2, 0), (3, 3), (0, 1, 2, 3), ()])
def test_a_part_of_a_program_computes_its_results_and_nothing_else(places):
    """The steps that the program of these results alone has, whatever symbols the others need."""
    x, y, z = map(symbol, "xyz")
    outputs = [sin(x) * y, as_expression(2) - y / x, sin(x) ** 2, z * y]
    whole, wanted = program(outputs), [outputs[i] for i in places]
    found = part_of(whole, [whole.outputs[i] for i in places])
    assert {step.node for step in found.steps} == {step.node for step in program(wanted).steps}
    assert len(found.steps) == len(program(wanted).steps)
    assert all(i < k for k, step in enumerate(found.steps) for i in step.args)
    values = {"x": 0.3, "y": 0.7} | ({"z": 2.0} if 3 in places else {})
    assert run(found, values) == evaluate(wanted, values)


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
        "tally", lambda _: Tallied(True), Tallied(True), dict.fromkeys(names, other), other, lambda _: Tallied(False)
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
@given(st.lists(st.tuples(recipes(), states), min_size=10, max_size=10, unique_by=lambda pair: build(pair[0])))
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
    outputs += [b**-2, a ** number("0.3"), a ** number("-1.5"), as_expression(2) ** b, a / 3, PI_NODE * a, TWO]
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


@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
def test_signs_in_c_are_doubles_and_nan_of_nan(tmp_path):
    signs = [apply("sign", a), apply("sign", a) / apply("sign", b)]
    listed = [f"    out[{i}] = {Printer(x, None, C99(str)).text()};\n" for i, x in enumerate(signs)]
    taken = "    const double a = in[0], b = in[1];\n"
    written = f"void listed(const double in[], double out[])\n{{\n{taken}{''.join(listed)}}}\n"
    library = compiled_c([c99_source(signs, ["a", "b"], "all"), written], tmp_path)
    for function in (library.all, library.listed):
        for one, other in ((2.0, -3.0), (-0.5, 0.0), (0.0, 0.0), (np.nan, 1.0), (np.inf, -np.inf)):
            out = (ctypes.c_double * 2)()
            function((ctypes.c_double * 2)(one, other), out)
            with np.errstate(all="ignore"):
                assert np.array_equal(list(out), [np.sign(one), np.sign(one) / np.sign(other)], equal_nan=True)


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
    sources = [python_source([hostile + 1], [hostile.data], "f"), c99_source([hostile + 1], [hostile.data], "f")]
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
