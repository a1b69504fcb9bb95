"""Divisions after divisors used again have one reciprocal: how many are left, and that the numbers are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbconcord.kernels.split import reciprocals
from mbconcord.model.expressions import PI_NODE, ExpressionError, mpmath_arithmetic, sin, symbol
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import levels, run_levels
from mbconcord.model.expressions.program import count_program, program

from ..expressions.graph_states import FUNCTIONS, state
from .programs import equations, graphs, numbers, robot, same_bits

a, b, c, d = map(symbol, "abcd")
#: Results, and the divisions and multiplications that are left.
CASES = [
    ([a / b], 1, 0),
    ([a / b, c / b], 1, 2),
    ([1 / b, c / b], 1, 1),
    ([a / b, c / d], 2, 0),
    ([a / b, (a / b) / c, sin(a) / c], 2, 2),
    ([a / b**2, c / b**2], 1, 3),  # the square is the divisor
    ([a / b, a / b], 1, 0),
    ([a / PI_NODE, sin(a) / PI_NODE], 0, 2),  # the reciprocal of a constant is computed beforehand
]


@pytest.mark.parametrize(("outputs", "divisions", "products"), CASES)
def test_divisions_that_are_left(outputs, divisions, products):
    found = reciprocals(program(outputs))
    counted = count_program(found, found.outputs)
    assert (counted.div, counted.mul) == (divisions, products)
    values = {"a": 1.7, "b": -0.6, "c": 2.2, "d": 0.9}
    assert run(found, values) == pytest.approx(run(program(outputs), values), rel=4e-16)


@pytest.mark.slow
@settings(max_examples=25)
@given(graphs, st.integers(0, 10**6))
def test_the_same_functions(outputs, seed):
    """In fifty digits, where both have a value; and no divisor is divided by twice."""
    lines = program(outputs)
    found = reciprocals(lines)
    divisors = [step.args[1] for step in found.steps if step.op == "div"]
    assert len(divisors) == len(set(divisors))
    assert reciprocals(found) is found
    exact = mpmath_arithmetic(50)
    try:
        expected = run(lines, state(seed), exact, FUNCTIONS)
    except ExpressionError:
        assume(False)
    for one, other in zip(run(found, state(seed), exact, FUNCTIONS), expected, strict=True):
        assert abs(one - other) <= abs(other) * 1e-40


def test_what_divides_nothing_twice_is_left_alone():
    lines = program([a / b + c / d, sin(a / b)])
    assert reciprocals(lines) is lines


@settings(max_examples=25)
@given(graphs, st.integers(0, 10**6))
def test_levels_compute_the_rewritten_program_to_the_bit(outputs, seed):
    found = reciprocals(program(outputs))
    values = {name: np.array([x]) for name, x in state(seed).items()}
    assert same_bits(run_levels(levels(found), values, FUNCTIONS)[:, 0], numbers(found, seed))


@pytest.mark.parametrize(("name", "before", "after"), [("ur5", 20, 5), ("talos", 151, 27)])
def test_forward_dynamics_of_robots(name, before, after):
    lines = equations(robot(name), "acceleration")
    found = reciprocals(lines)
    assert count_program(lines, lines.outputs).div == before
    assert count_program(found, found.outputs).div == after
