"""C that is shipped: the bits of the interpreter, one state as many, sines next to multiples of π/2, hostile names."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest import mock

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from mbconcord.api.exporting.library import compute_known_numbers, library
from mbconcord.converters.registry import read_text
from mbconcord.formalisms.registry import formalism
from mbconcord.kernels.c.library import Library, is_function, split_stages
from mbconcord.kernels.c.texts import distinct
from mbconcord.kernels.c.trial import trial
from mbconcord.kernels.order import is_leaf
from mbconcord.kernels.split import reciprocals
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import (
    Expression,
    ExpressionError,
    apply,
    call,
    cos,
    number,
    numpy_arithmetic,
    sin,
    sqrt,
    symbol,
)
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.reports.equations.listing import choose

from ..expressions.recipes import SYMBOLS, expressions
from ..hostile.test_names import NAMES, machine
from .compiler import Called, built, needs_compiler, put
from .programs import graphs, require_complete, same_bits

a, b, c, x, y = map(symbol, "abcxy")
#: Random results without undefined functions.
known_graphs = st.lists(expressions(undefined={}), min_size=4, max_size=8)


def of(outputs: list[Expression], symbols: tuple[str, ...] = SYMBOLS, **options: object) -> Library:
    labels = {"f": [f"f[{i}]" for i in range(len(outputs))]}
    return Library(
        "drawn", ("Nothing.",), {"s": {name: name for name in symbols}}, (), labels, outputs,
        [0.0] * len(symbols), (), **options,
    )  # fmt: skip


def by_the_c_library() -> object:
    """NumPy's arithmetic with the functions that C calls, from the same library."""
    loaded = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")

    def function(name: str, count: int = 1) -> object:
        found = getattr(loaded, name)
        found.restype, found.argtypes = ctypes.c_double, [ctypes.c_double] * count
        return lambda *args: np.float64(found(*args))

    own = {"abs": np.abs, "sign": lambda z: np.float64((z > 0) - (z < 0) + z * 0 if np.isnan(z) else np.sign(z))}
    names = [name for name in numpy_arithmetic().functions if name not in own]
    return replace(
        numpy_arithmetic(),
        functions=own | {name: function(name, 2 if name == "atan2" else 1) for name in names},
        power=function("pow", 2),
    )


@needs_compiler
@settings(
    max_examples=4, phases=[Phase.generate], deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(outputs=known_graphs, seed=st.integers(0, 10**6))
def test_the_bits_of_the_interpreter(tmp_path: Path, outputs: list[Expression], seed: int) -> None:
    """One state and batches, in functions of any length, with the C library's sines."""
    made = of([*outputs, outputs[0] / (1 + x), outputs[1] / (1 + x)], length=1 + seed % 7)
    try:
        made.files()
    except ExpressionError:  # a constant without a value
        assume(False)
    dice = np.random.default_rng(seed)
    states = dice.normal(size=(11, len(SYMBOLS))) * 3
    states[dice.random(states.shape) < 0.1] = dice.choice([0.0, -0.0, np.inf, np.nan, 1e300])
    folder = tmp_path / str(abs(hash((seed, *outputs))))
    folder.mkdir(exist_ok=True)
    compiled = Called(made, folder, "-O0", "-DDRAWN_LIBM")
    lines, arithmetic = reciprocals(program(made.outputs)), by_the_c_library()
    many = compiled.batch(states)
    with np.errstate(all="ignore"):
        for i, state in enumerate(states):
            values = dict(zip(SYMBOLS, map(np.float64, state), strict=True))
            expected = np.array(run(lines, values, arithmetic), dtype=float)
            assert same_bits(compiled.one(state), expected)
            assert same_bits(many[i], expected)


@settings(max_examples=20)
@given(graphs, st.integers(1, 9))
def test_parts_are_of_functions_or_of_operations(outputs: list[Expression], length: int) -> None:
    made = split_stages(reciprocals(program(outputs)), length)
    require_complete(made)
    steps = made.program.steps
    for part in made.parts:
        assert len({is_function(steps[place]) for place in part.places}) == 1
        assert len(part.places) <= length
    assert sum(len(part.places) for part in made.parts) == sum(not is_leaf(step) for step in steps)


def test_functions_wait_for_what_they_need_and_no_more() -> None:
    made = split_stages(program([sin(a * b) * cos(a + c) + sqrt(x * x + y), sin(sin(a * b))]))
    shown = [sorted(made.program.steps[place].op for place in part.places) for part in made.parts]
    assert shown == [["add", "add", "mul", "mul"], ["fun"] * 3, ["fun"], ["add", "mul"]]


def hard_angles() -> np.ndarray:
    """Next to multiples of π/2, random at every size, and beyond what is reduced."""
    dice = np.random.default_rng(5)
    multiples = dice.integers(-(10**5), 10**5, 150) * (math.pi / 2)
    sizes = 10.0 ** dice.uniform(-9, 5.9, 150) * dice.choice([-1, 1], 150)
    special = [0.0, -0.0, 6.5e5, 999_999.9, 1e6, 1.1e6, 1e9, 3e14, 1e300, 5e-324, math.pi / 4, math.inf, math.nan]
    return np.array([*multiples, *np.nextafter(multiples, np.inf), *sizes, *special])


def flags() -> set[str]:
    """What the processor can do, where the system tells."""
    file = Path("/proc/cpuinfo")
    return set(file.read_text(encoding="utf-8").split()) if file.exists() else set()


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("options", "most"), [("-O2", 1.1), ("-O2 -mfma", 0.78), ("-std=gnu11 -O3 -mfma", 0.78)])
def test_sine_and_cosine_in_units_of_the_last_place(tmp_path: Path, options: str, most: float) -> None:
    """Whether the machine fuses products with sums or not, and where the compiler may do so by itself."""
    if "-mfma" in options and "fma" not in flags():
        pytest.skip("the processor has no fused products")
    angles = hard_angles()
    compiled = Called(of([sin(x), cos(x)], ("x",)), tmp_path, *options.split())
    many = compiled.batch(angles[:, None])
    with mpmath.workprec(1200):
        for angle, found in zip(angles, many, strict=True):
            assert same_bits(compiled.one(np.array([angle])), found)
            if not math.isfinite(angle):
                assert np.isnan(found).all()
                continue
            for value, exact in zip(found, (mpmath.sin(angle), mpmath.cos(angle)), strict=True):
                assert abs(value - exact) <= most * math.ulp(float(exact)), angle


@needs_compiler
def test_what_is_no_number_stays_in_its_state(tmp_path: Path) -> None:
    compiled = Called(of([sin(a) / b, sqrt(a), a + b], ("a", "b")), tmp_path, "-O2")
    states = np.full((8, 2), 0.5)
    clean = compiled.batch(states)
    states[3], states[5] = (-1.0, 0.0), (np.nan, np.inf)
    found = compiled.batch(states)
    others = [i for i in range(8) if i not in (3, 5)]
    assert np.array_equal(found[others], clean[others]) and np.isfinite(found[others]).all()
    assert np.array_equal(np.isnan(found[[3, 5]]), [[False, True, False], [True, True, True]])
    assert found[3, 0] == -np.inf
    assert compiled.batch(states[:0]).shape == (0, 3)


@needs_compiler
def test_the_test_program_passes_and_sees_a_changed_operation(tmp_path: Path) -> None:
    derivation = formalism("newton_euler").derive(read_text("zi > zig", format="mbsd").system)
    made = library(derivation, choose(derivation, ["M", "acceleration"]), "arm")
    files = made.files() | trial(made, compute_known_numbers(derivation.system, made))
    sources = put(tmp_path, files)
    right = subprocess.run([built(tmp_path, sources, "right", "-O1")], capture_output=True, text=True)
    assert right.returncode == 0, right.stdout
    assert "are right" in right.stdout
    steps = files["arm_steps.h"]
    last = steps.rindex(" - ")
    put(tmp_path, {"arm_steps.h": f"{steps[:last]} + {steps[last + 3 :]}"})
    wrong = subprocess.run([built(tmp_path, sources, "wrong", "-O1")], capture_output=True, text=True)
    assert wrong.returncode == 1
    assert "results are wrong" in wrong.stdout and "expected" in wrong.stdout


@pytest.mark.parametrize("size", [1.0, 1e-2])
def test_bounds_that_would_accept_wrong_results_are_none(size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of numbers within bounds as large as the numbers is passed by any of them."""
    derivation = formalism("newton_euler").derive(read_text("zi > zig", format="mbsd").system)
    made = library(derivation, choose(derivation, ["M"]), "arm")
    right = compute_known_numbers(derivation.system, made)
    assert np.max(right.bounds) < 1e-6
    wide = {"return_value": (None, np.full((len(made.outputs), 1), size * np.max(right.expected)))}
    with mock.patch("mbconcord.api.exporting.library.run_bounds", **wide), pytest.raises(NumbersError, match="at none"):
        compute_known_numbers(derivation.system, made)


@pytest.mark.slow
@needs_compiler
def test_hostile_names(tmp_path: Path) -> None:
    """Keywords, letters of no alphabet, ends of comments, names that are equal once they are identifiers."""
    system = machine((*NAMES, "double", "a__b", "a_b", "_x", "__x", "static", "ё", "ж"))
    derivation = formalism("lagrange").derive(system)
    made = library(derivation, choose(derivation, ["gravity"]), "*/ int main/*__é")
    files = made.files() | trial(made, compute_known_numbers(system, made))
    assert sorted(files) == sorted(
        ["CMakeLists.txt", *(f"int_main{end}" for end in (".c", ".h", "_steps.h", "_test.c"))]
    )
    done = subprocess.run([built(tmp_path, put(tmp_path, files), "test", "-O0")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_names_that_would_be_equal_are_told_apart() -> None:
    taken = {"x"}
    given = ["a__b", "a_b", "a-b", "", "數", "1", "int", "q'", "a_b_2", "x"]
    found = distinct(given, taken)
    assert found == ["a_b", "a_b_2", "a_b_3", "x_2", "x_3", "x1", "int", "q_dot", "a_b_2_2", "x_4"]
    assert taken >= set(found)


def test_what_has_no_meaning_is_named() -> None:
    with pytest.raises(ExpressionError, match=r"no C is written for y, lift\(\)"):
        of([a * y + call("lift", [a])], ("a",)).files()
    with pytest.raises(ExpressionError, match="too large for a float"):
        of([a + number(Fraction(10) ** 400)], ("a",)).files()


def test_functions_of_numbers_are_computed_beforehand() -> None:
    text = of([a * sqrt(number(2)) + apply("exp", number(1))], ("a",)).files()["drawn_steps.h"]
    assert "sqrt" not in text and "exp" not in text and repr(math.sqrt(2)) in text
