"""Machine code against the interpreter, bit for bit; the same bits whatever the batch, the width, the layout."""

from __future__ import annotations

import itertools
import platform
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laboratory.bench.newton_euler import chain
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.kernels.llvm import build as entry
from mbconcord.kernels.llvm import engine
from mbconcord.kernels.llvm.build import BuildTask, Gufunc, build, prepare, source
from mbconcord.kernels.llvm.cache import Cache
from mbconcord.kernels.llvm.options import FMA, FMS, FNMA, Options, fuse_products
from mbconcord.kernels.registry import over_numpy
from mbconcord.kernels.split import arrange
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import (
    FUNCTIONS,
    Expression,
    ExpressionError,
    apply,
    call,
    evaluate_float,
    number,
    sin,
    symbol,
)
from mbconcord.model.expressions.arithmetic import Arithmetic, numpy_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from .llvm import needs_llvm, task, ufunc
from .programs import equations, robot, same_bits

pytestmark = needs_llvm
A, B, C, X, Y = map(symbol, "abcxy")


def with_own_sines(**options: Any) -> Arithmetic:
    """NumPy's arithmetic with sine and cosine of kernels."""
    numpy = numpy_arithmetic()
    function = ufunc(["sin(x)", "cos(x)"], ("x",), **options)
    own = {name: lambda x, i=i: function(np.asarray(x)[..., None])[..., i] for i, name in enumerate(("sin", "cos"))}
    return replace(numpy, functions={**numpy.functions, **own})


def given_values(names: Sequence[str], count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).uniform(-3, 3, (count, len(names)))


def kernel_of(lines: Any, **options: Any) -> tuple[Any, tuple[str, ...], BuildTask]:
    """A kernel of one operand, its symbols, and its task."""
    names = tuple(dict.fromkeys(s.node.data for s in lines.steps if s.op == "sym")) or ("none",)
    made = BuildTask(lines, (names,), (len(lines.outputs),), Options(**options))
    return build(made, Cache(None)).ufunc, names, made


@pytest.mark.sampled(100)
@pytest.mark.parametrize("seed", range(1000))
def test_without_fused_products_it_is_the_interpreter(seed: int) -> None:
    """Of random systems, with the kernel's sines and cosines: bit for bit."""
    system = draw(random_system(seed, 1 + seed % 5), 1, seed).system  # its functions have formulas
    lines = equations(system, "M", "h", "gravity", "applied")
    function, names, made = kernel_of(lines, fma=False)
    x = given_values(names, 9, seed)
    with np.errstate(all="ignore"):
        found = function(x).T
        expected = run(prepare(made.lines, made.options), dict(zip(names, x.T, strict=True)), with_own_sines(fma=False))
    assert same_bits(found, np.array([np.broadcast_to(row, 9) for row in expected], dtype=float))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"accuracy": "plain"}, {"accuracy": "library"}, {"fma": False}, {"dtype": "float32"}], ids=str
)
def test_numbers_are_those_of_numpy(options: dict[str, Any]) -> None:
    lines = equations(robot("ur5"), "M", "h", "gravity")
    function, names, _ = kernel_of(lines, **options)
    x = given_values(names, 50).astype(options.get("dtype", "float64"))
    expected = run(lines, dict(zip(names, x.T.astype(float), strict=True)), numpy_arithmetic())
    size = 1e-15 if x.dtype == np.float64 else 1e-6
    for row, right in zip(function(x).T, expected, strict=True):
        assert np.allclose(row, right, rtol=0, atol=100 * size)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"fma": False}, {"dtype": "float32"}], ids=str)
def test_bits_are_those_of_any_width_batch_layout_and_order(options: dict[str, Any]) -> None:
    lines = equations(robot("ur5"), "M", "h")
    function, names, made = kernel_of(lines, **options)
    dtype = np.dtype(options.get("dtype", "float64"))
    x = given_values(names, 133).astype(dtype)
    whole = function(x)
    assert same_bits(np.array([function(row) for row in x]), whole)
    for first, last in ((0, 1), (1, 8), (5, 14), (3, 20), (7, 7)):
        assert same_bits(function(x[first:last]), whole[first:last])
    for width in (4, 16):
        other = build(replace(made, options=replace(made.options, width=width)), Cache(None)).ufunc
        assert same_bits(other(x), whole)
    apart = np.zeros((266, 2 * len(names)), dtype)
    apart[::2, ::2] = x
    for given in (np.asfortranarray(x), apart[::2, ::2], x[::-1].copy()[::-1]):
        wide = np.zeros((133, 3 * whole.shape[1]), dtype)
        for out in (np.empty_like(whole), np.empty_like(whole, order="F"), wide[:, 1::3]):
            assert function(given, out=out) is out
            assert same_bits(out, whole)


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="its processors are of another family")
@pytest.mark.parametrize("fma", [True, False])
def test_bits_are_those_of_any_processor(fma: bool) -> None:
    """Of this family: without AVX, with AVX2 and fused products, with what this one has."""
    lines = equations(robot("ur5"), "h")
    function, names, made = kernel_of(lines, fma=fma)
    x = given_values(names, 21)
    whole = function(x)
    for cpu in ("x86-64-v2", "x86-64-v3"):
        target = replace(engine.host(), cpu=cpu, features="")
        code = engine.Loaded(engine.machine_code(source(made), target), entry.NAME)
        other = Gufunc(code, code.address, made.lengths, made.results, np.float64, "kernel")
        assert same_bits(other.call(x), whole)


def test_nothing_beyond_the_results_is_written() -> None:
    function = ufunc(["x + y", "x y", "x"], ("x", "y"))
    x = given_values("xy", 21)
    for count, order in itertools.product((1, 7, 8, 9, 21), "CF"):
        room = np.full((30, 7), 5.5, order=order)  # type: ignore[call-overload]
        function(x[:count], out=room[3 : 3 + count, 2:5])
        inside = np.zeros_like(room, dtype=bool)
        inside[3 : 3 + count, 2:5] = True
        assert (room[~inside] == 5.5).all() and not (room[inside] == 5.5).any()


def test_results_past_the_caches_are_the_same_wherever_they_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of every alignment, in whole and broken vectors, of one array and of two that begin apart."""
    monkeypatch.setattr(entry, "STREAM", 0)
    monkeypatch.setattr(entry, "DIRECT", 0)
    outputs = [A * B, A - B, B * B, A * A]
    streamed = BuildTask(program(outputs), (("a", "b"),), (3, 1))
    assert "!nontemporal" in source(streamed)
    function = build(streamed, Cache(None)).ufunc
    x = given_values("ab", 64)
    a, b = x.T
    expected = np.stack([a * b, a - b, b * b, a * a])
    for count, first, inner, apart in itertools.product((1, 9, 24), (0, 1, 7), (80, 83), (0, 3)):
        room = np.full(6 * inner + 16, 5.5)
        begin = -room.ctypes.data % 64 // 8 + first
        columns = [room[begin + i * inner + (i == 3) * apart :][:count] for i in range(4)]
        three = np.lib.stride_tricks.as_strided(columns[0], (count, 3), (8, 8 * inner))
        function(x[:count], out=(three, columns[3][:, None]))
        assert np.array_equal(columns, expected[:, :count])
        assert (room != 5.5).sum() == 4 * count


def test_operands_broadcast_and_are_cast() -> None:
    function = ufunc(["x + 10 y + 100 t", "t"], ("x", "y"), "t")
    assert function([[1, 2], [3, 4]], 1).tolist() == [[121, 1], [143, 1]]
    assert function(np.array([1, 2], np.int8), np.float32([0, 1, 2])).tolist() == [[21, 0], [121, 1], [221, 2]]
    assert function(np.zeros((4, 1, 2)), np.zeros(3)).shape == (4, 3, 2)
    assert function(np.zeros((0, 2)), 1.0).shape == (0, 2)
    assert function(np.array([1.0, 2.0]).astype(">f8"), 0).tolist() == [21, 0]
    for bad, words in (
        ((np.zeros(3), 0.0), "size 3 is different from 2"),
        ((np.zeros(2) * 1j, 0.0), "could not be safely coerced"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            function(*bad)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_function_has_its_values(name: str, dtype: str) -> None:
    formula = apply(name, *(X, Y)[: FUNCTIONS[name]])
    function = ufunc([formula, -formula, X**Y], ("x", "y"), dtype=dtype)
    x = np.array([[0.3, -2.0], [0.7, 0.0], [-0.5, 2.0], [0.0, 1.0], [np.nan, 1.0], [2.0, np.inf]], dtype)
    with np.errstate(all="ignore"):
        found = function(np.tile(x, (3, 1)))
        expected = over_numpy([formula, -formula, X**Y])({"x": np.tile(x[:, 0], 3), "y": np.tile(x[:, 1], 3)}).T
    assert np.allclose(found, expected, rtol=4 * np.finfo(dtype).eps, atol=0, equal_nan=True)
    is_number = ~np.isnan(expected[:3, 0])  # what is no number has no sign: that of log(-1) is the machine's
    assert np.array_equal(np.signbit(found[:3, 0][is_number]), np.signbit(expected[:3, 0][is_number]))


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(ExpressionError, match="code for y is not known"):
        ufunc([X + Y], ("x",))
    with pytest.raises(ExpressionError, match=r"lift\(\)"):
        ufunc([call("lift", [X])], ("x",))
    with pytest.raises(ExpressionError, match="beyond the range of floats"):
        ufunc([X + number(10**400)], ("x",))
    with pytest.raises(MbconcordError, match="did you mean 'plain'"):
        Options(accuracy="plane")


def test_hostile_names_are_no_text_of_the_program() -> None:
    names = ('"}\nret void', "%in", "q'", "угол", "a b", "\x00")
    found = ufunc([symbol(name) for name in names], names)(np.arange(6.0))
    assert found.tolist() == [0, 1, 2, 3, 4, 5]


def test_results_may_be_inputs_numbers_and_the_same_twice() -> None:
    function = ufunc([X, number(3), X + 1, X + 1, sin(X), sin(X)], ("x",))
    found = function(np.array([[0.5], [1.5]]))
    assert found[:, :4].tolist() == [[0.5, 3, 1.5, 1.5], [1.5, 3, 2.5, 2.5]]
    assert np.array_equal(found[:, 4], found[:, 5])
    assert ufunc([number(2)], ("x",))(np.zeros((3, 1))).tolist() == [[2], [2], [2]]


def test_memory_beyond_the_stack_is_taken_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "STACK", 1000)
    names = tuple(f"x{i}" for i in range(40))
    outputs: list[Expression] = [symbol(a) * symbol(b) for a, b in itertools.pairwise(names)]
    x = given_values(names, 11)
    made = BuildTask(program(outputs), (names,), (len(outputs),))
    assert "call ptr @malloc(i64 5184)" in source(made) and "call void @free" in source(made)
    function = build(made, Cache(None)).ufunc
    assert np.array_equal(function(x), x[:, :-1] * x[:, 1:])


def test_without_memory_there_are_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "STACK", 0)
    text = source(task(["x + y", "x"], ("x", "y")))
    assert text.count("call ptr @malloc(") == 1
    text = re.sub(r"call ptr @malloc\(.*?\)", "call ptr @llvm.ptrmask.p0.i64(ptr null, i64 -1)", text)
    code = engine.Loaded(engine.machine_code(text, engine.host()), entry.NAME)
    function = Gufunc(code, code.address, (2,), (2,), np.float64, "kernel").call
    found = np.zeros((21, 6))
    function(np.ones((21, 2)), out=found[:, 1:5:3])
    assert np.isnan(found[:, 1:5:3]).all() and (found[:, [0, 2, 3, 5]] == 0).all()


def test_results_may_be_written_over_operands() -> None:
    function = ufunc(["y", "x + 1"], ("x", "y"))
    for order in "CF":
        x = np.array(given_values("xy", 37), order=order)  # type: ignore[call-overload]
        expected = function(x.copy())
        assert np.array_equal(function(x, out=x), expected)
        shifted = np.array(given_values("xy", 40), order=order)  # type: ignore[call-overload]
        expected = function(shifted[:-3].copy())
        assert np.array_equal(function(shifted[:-3], out=shifted[3:]), expected)


def test_many_parts_are_as_one() -> None:
    """A chain of more operations than one function holds, ordered and in parts, against the interpreter."""
    lines = program(NewtonEuler().inverse_dynamics(chain(18)))
    function, symbols, made = kernel_of(lines, fma=False)
    assert len(arrange(prepare(made.lines, made.options)).parts) > 1
    x = given_values(symbols, 5)
    expected = run(prepare(made.lines, made.options), dict(zip(symbols, x.T, strict=True)), with_own_sines(fma=False))
    assert same_bits(function(x).T, np.array(expected))


# --- fused products ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "ops"),
    [
        (A * B + C, [FMA]), (A * B - C, [FNMA, "neg"]), (C - A * B, [FNMA]), (A * B + X * Y, ["mul", FMA]),
        (A - X * Y, [FNMA]), (X * Y - 3, [FMS]), ((A * B + C) * (A * B), ["mul", "add", "mul"]), (A * B, ["mul"]),
        (A * B + A * B, ["mul", "mul"]), (2 * A + 3 * B, ["mul", FMA]),
    ],
    ids=str,
)  # fmt: skip
def test_a_product_used_once_is_fused(formula: Expression, ops: list[str]) -> None:
    """The graph writes a b - c as -(c - a b)."""
    lines = fuse_products(program([formula]))
    assert [s.op for s in lines.steps if s.args and not s.node.constant] == ops
    values = {"a": 2.0, "b": 3.0, "c": 5.0, "x": 7.0, "y": 11.0}
    found = ufunc([formula], tuple(values))(list(values.values()))
    assert found.item() == evaluate_float(formula, values)


def test_a_product_that_is_a_result_is_not_fused() -> None:
    assert [s.op for s in fuse_products(program([A * B + C, A * B])).steps if s.args] == ["mul", "add"]


def test_fused_is_rounded_once() -> None:
    x = 1 + 2.0**-30
    fine, coarse = (ufunc([A * A - B], ("a", "b"), fma=fma)([x, 1 + 2.0**-29]) for fma in (True, False))
    assert (fine.item(), coarse.item()) == (2.0**-60, 0.0)
