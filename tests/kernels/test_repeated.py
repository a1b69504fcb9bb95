"""Machine code that takes over from Python in the middle of a run: nobody can tell from the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import mbconcord as mb
from mbconcord.fixtures import folder
from mbconcord.kernels.registry import scalar
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.node import FUNCTIONS
from mbconcord.model.expressions.program import program
from mbconcord.simulation.motion import arrays as repeated
from mbconcord.simulation.motion.arrays import Repeated

from .llvm import needs_llvm
from .programs import equations, robot

NAMES = ("x", "y")
#: Every function, divisors that are shared, products that could be fused, constants; long enough to be worth it.
TEXTS = (
    "x/(y + 2) + y/(y + 2) + 0.1 x y + x^2 y^3", "sqrt(x^2 + 1)^3 sin(10 x + y) cos(y) + 1/3", "(2 + y)^0.3 tan(x)",
    *(f"{name}({', '.join(('x/2', 'y')[:count])})" for name, count in FUNCTIONS.items()),
)  # fmt: skip


def outputs() -> list[Expression]:
    many = (f"sin({k} x + y)/(y + {k}) + x/(y + {k}) - cos({k} x + y) y" for k in range(1, 30))
    return [parse_formula(text) for text in (*TEXTS, *many)]


def states(count: int) -> NDArray[np.float64]:
    return np.random.default_rng(5).uniform(0.05, 1.5, (count, len(NAMES)))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Machine code is made at the third call."""
    monkeypatch.setattr(repeated, "CALLS", 3)
    yield


@needs_llvm
def test_bits_are_those_of_python_before_and_after() -> None:
    function, python = Repeated(outputs(), NAMES), scalar(outputs(), NAMES)
    for i, state in enumerate(states(300).tolist()):
        assert function.machine == (i >= 3)
        assert [float(x) for x in function(state)] == python(state)


@needs_llvm
def test_bits_of_equations_of_a_robot_are_those_of_python() -> None:
    lines = equations(robot("ur5"), "M", "h", "gravity")
    given = [lines.steps[i].node for i in lines.outputs]
    names = sorted({step.node.data for step in lines.steps if step.op == "sym"})
    function, python = Repeated(given, names), scalar(given, names)
    for state in np.random.default_rng(7).uniform(-50, 50, (200, len(names))).tolist():
        assert [float(x) for x in function(state)] == python(state)
    assert function.machine


@needs_llvm
def test_what_has_no_number_has_none() -> None:
    given = [*outputs(), parse_formula("1/x"), parse_formula("sqrt(x - 1)"), parse_formula("y log(x)")]
    function, python = Repeated(given, NAMES), scalar(given, NAMES)
    for state in ([0.5, 0.5], [0.5, 0.6], [0.5, 0.7], [0.5, 0.8], [0.0, 0.5], [2.0, 0.5], [float("nan"), 1.0]):
        found, expected = np.array(function(state)), np.array(python(state))
        assert (np.isnan(found) == np.isnan(expected)).all()
        assert np.allclose(found, expected, rtol=1e-14, atol=0, equal_nan=True)
    assert function.machine


@needs_llvm
@pytest.mark.parametrize("change", [{"fma": True}, {"accuracy": "compensated"}, {"reciprocals": True}], ids=str)
def test_machine_code_with_other_bits_is_not_taken(change: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the options is needed, and a kernel that is wrong at the state where it would begin never begins."""
    monkeypatch.setattr(repeated, "EXACT", replace(repeated.EXACT, **change))  # type: ignore[arg-type]
    function, python = Repeated(outputs(), NAMES), scalar(outputs(), NAMES)
    for state in states(6).tolist():
        assert list(function(state)) == python(state)
    assert not function.machine


@needs_llvm
def test_of_short_programs_python_goes_on() -> None:
    given = [parse_formula("x y + 1")]
    assert len(program(given).steps) < repeated.STEPS
    function = Repeated(given, NAMES)
    assert [list(function([2.0, 3.0])) for _ in range(5)] == [[7.0]] * 5
    assert not function.machine


def test_without_llvmlite_python_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated, "missing", lambda: "llvmlite is not installed")
    function, python = Repeated(outputs(), NAMES), scalar(outputs(), NAMES)
    for state in states(6).tolist():
        assert list(function(state)) == python(state)
    assert not function.machine


@pytest.mark.slow
@needs_llvm
@pytest.mark.parametrize("name", ["robots/ur5.mbsd", "mbsd/patu655.mbsd"])
def test_a_run_is_the_same_to_the_last_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated, "CALLS", 50)
    runs = [mb.simulate(folder() / name, until=0.3)]
    monkeypatch.setattr(repeated, "missing", lambda: "llvmlite is not installed")
    runs.append(mb.simulate(folder() / name, until=0.3))
    machine, python = (run.to_frame() for run in runs)
    assert machine.equals(python)
