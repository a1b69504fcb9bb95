"""Programs by levels give the floats of the programs they are made of, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import (
    PI_NODE,
    ExpressionError,
    apply,
    as_expression,
    call,
    cos,
    evaluate,
    number,
    numpy_arithmetic,
    sin,
    symbol,
)
from mbconcord.model.expressions import levels as module
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import Levels, levels, run_levels
from mbconcord.model.expressions.program import Program, program
from mbconcord.model.numbers import bind_states, define

from ..fixture_models import MODELS, derivations, model
from .graph_states import FUNCTIONS
from .recipes import SYMBOLS, expressions

a, b, c = (symbol(name) for name in "abc")


def step_by_step(lines: Program, values, functions=None):
    with np.errstate(all="ignore"):
        found = run(lines, values, numpy_arithmetic(), functions)
    count = np.broadcast_shapes((1,), *(np.shape(value) for value in values.values()))
    return np.array([np.broadcast_to(value, count) for value in found])


def drawn_states(seed: int, count: int = 4) -> dict:
    dice = np.random.default_rng(seed)
    special = [0.0, -0.0, 1.0, -1.0, 1e-310, 1e200, np.inf, np.nan]
    return {
        name: np.where(dice.random(count) < 0.2, dice.choice(special, count), dice.normal(size=count) * 3)
        for name in SYMBOLS
    }


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(expressions(), min_size=1, max_size=4), st.integers(0, 10**6))
def test_random_graphs_bit_for_bit(outputs, seed):
    lines, values = program(outputs), drawn_states(seed)
    found = run_levels(levels(lines), values, FUNCTIONS)
    expected = step_by_step(lines, values, FUNCTIONS)
    assert found.shape == expected.shape == (len(outputs), 4)
    same = (found == expected) & (np.signbit(found) == np.signbit(expected))
    assert (same | (np.isnan(found) & np.isnan(expected))).all()


@pytest.mark.sampled(12)
@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS)
def test_fixtures_bit_for_bit(file):
    drawn = model(file)
    values = bind_states(drawn.system, drawn.states).values
    for derivation in derivations(drawn):
        lines = program(define(derivation.outputs(), drawn.system.functions))
        grouped = levels(lines)
        require_order(grouped, lines)
        assert np.array_equal(run_levels(grouped, values), step_by_step(lines, values), equal_nan=True)


def require_order(grouped: Levels, lines: Program) -> None:
    """Every step is in one group, after its operands; fewer groups than steps of the deepest chain times kinds."""
    at = len(grouped.numbers) + len(grouped.symbols)
    for group in grouped.groups:
        assert group.rows.start == at < group.rows.stop
        at = group.rows.stop
        for places in group.operands:
            assert len(places) == group.rows.stop - group.rows.start
            assert places.max() < group.rows.start
    assert at == grouped.size == len(lines.steps)


def test_steps_that_do_not_wait_for_each_other_are_one_group():
    outputs = [sin(symbol(f"x{i}")) * symbol(f"y{i}") + i for i in range(1, 50)]
    assert [(g.operation, g.rows.stop - g.rows.start) for g in levels(program(outputs)).groups] == [
        ("sin", 49), ("mul", 49), ("add", 49),
    ]  # fmt: skip


def test_a_step_that_nobody_waits_for_joins_a_later_group():
    """The product and the sum take turns; c·c could be done at once, and waits for (a + b)·c."""
    outputs = [cos(a + b) * c, c * c]
    operations = [g.operation for g in levels(program(outputs)).groups]
    assert sorted(operations) == ["add", "cos", "mul"]


@pytest.mark.parametrize("block", [1, 500, 1000, 10**9])
def test_states_are_taken_in_turns(monkeypatch, block):
    outputs = [sin(a) * b + c / (a + 1), call("f", [a, b]), PI_NODE * a, as_expression(3)]
    values = {"a": np.linspace(-2, 3, 37), "b": 2.0, "c": np.linspace(1, 2, 37)}
    lines = program(outputs)
    expected = step_by_step(lines, values, FUNCTIONS)
    monkeypatch.setattr(module, "BLOCK", block)
    found = run_levels(levels(lines), values, FUNCTIONS)
    assert found.shape == (4, 37)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("outputs", [[], [as_expression(2)], [a], [a, a, -a], [PI_NODE], [call("JK", [a])]])
def test_small_programs(outputs):
    found = run_levels(levels(program(outputs)), {"a": 2.5, "unused": 1.0}, FUNCTIONS)
    assert found.shape == (len(outputs), 1)
    expected = evaluate(outputs, {"a": 2.5}, numpy_arithmetic(), FUNCTIONS)
    assert found[:, 0].tolist() == [float(x) for x in expected]


@pytest.mark.parametrize("exponent", [2, 0.5, -1, 1, 3, 0])
def test_powers_by_constants_that_numpy_takes_another_way(exponent):
    """x^2 by multiplication, where 2 is one number for all states: not by the power function."""
    one = apply("sign", apply("exp", as_expression(1)))  # a constant that is no number
    outputs = [a ** (exponent * one), a**b, a**c]
    values = {
        "a": np.random.default_rng(1).uniform(0.1, 5, 1000),
        "b": np.full(1000, exponent),
        "c": np.full(1000, 2.0),
    }
    lines = program(outputs)
    assert np.array_equal(run_levels(levels(lines), values), step_by_step(lines, values))


def test_derivatives_of_an_undefined_function_are_different_functions():
    outputs = [call("f", [a, b], orders) for orders in ((0, 0), (1, 0), (0, 2))]
    values = {"a": np.array([1.5, -2.0]), "b": np.array([0.5, 3.0])}
    found = run_levels(levels(program(outputs)), values, FUNCTIONS)
    assert np.array_equal(found, [[1.25, 39.0], [1.5, -12.0], [3.0, 18.0]])


def test_what_has_no_value_is_named_as_by_the_evaluator():
    outputs = [a * sin(b) + call("f", [c])]
    grouped = levels(program(outputs))
    with pytest.raises(ExpressionError) as ours:
        run_levels(grouped, {"b": 1.0})
    with pytest.raises(ExpressionError) as theirs:
        evaluate(outputs, {"b": 1.0}, numpy_arithmetic())
    assert str(ours.value) == str(theirs.value) == "no value for a, c, f()"


def test_a_number_beyond_the_range_of_floats_is_refused():
    grouped = levels(program([a - number(10) ** 400]))
    with pytest.raises(ExpressionError, match="beyond the range of floats"):
        run_levels(grouped, {"a": 1.0})


def test_numbers_know_whether_they_were_rounded():
    grouped = levels(
        program([a + number("0.1") + number("0.5") * b + PI_NODE * c + number(2**60 + 1) * apply("exp", a)])
    )
    by_value = dict(zip(grouped.numbers.tolist(), grouped.rounded.tolist(), strict=True))
    assert by_value == {0.1: True, 0.5: False, np.pi: True, float(2**60): True}
