"""Inputs and what is known of them: floats as they are, parameters rounded once, printed and converted numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mbconcord.model import Body, Coordinate, Function, Inertia, Parameter, State, System, rotation
from mbconcord.model.expressions import call, mpmath_arithmetic, number, sin, sqrt, symbol
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.numbers import environment
from mbconcord.validation.judge import uncertainty
from mbconcord.validation.judge.uncertainty import conversion_error, half_unit, inputs

EXACT = mpmath_arithmetic(60)
m1, m2, x = symbol("m1"), symbol("m2"), symbol("x")
SYSTEM = System(
    "numbers",
    (Coordinate("q", position=m2 / 3), Coordinate("p", velocity=number("0.1"))),
    (
        Parameter("m3", sin(m2) * 7 + sqrt(m1)),
        Parameter("m1", number(Fraction(1, 3))),
        Parameter("m2", 10 * m1 + call("f", [m1])),
        Parameter("half", number("0.5")),
        Parameter("open"),
    ),
    (Function("f", ("x",), x * x / 7),),
    bodies=(Body("b", None, (rotation("z", "q"), rotation("x", "p")), Inertia(1, (0, 0, 0), (1, 1, 1))),),
)
STATES = [
    State(parameters={"open": 0.1}),
    State(t=0.3, q={"q": 0.1, "p": 2.0}, v={"q": 0.2, "p": 0.1}, parameters={"open": 2.0, "m1": 0.3}),
]


def test_values_are_those_of_the_environment() -> None:
    given = inputs(SYSTEM, STATES)
    for s, expected in enumerate(environment(SYSTEM, STATES)):
        assert {name: values[s] for name, values in given.values.items()} == expected
    assert given.count == 2 and given.values.keys() == given.bounds.keys()


def test_what_is_given_as_a_float_is_exact_and_what_a_formula_gives_is_not() -> None:
    bounds = inputs(SYSTEM, STATES).bounds
    inexact = {name: (bound > 0).tolist() for name, bound in bounds.items() if (bound > 0).any()}
    assert inexact == {
        "m1": [True, False], "m2": [True, True], "m3": [True, True], "q": [True, False], "p'": [True, False],
    }  # fmt: skip


def test_exact_values_of_formulas_lie_within() -> None:
    given = inputs(SYSTEM, STATES)
    for s, state in enumerate(STATES):
        exact = environment(SYSTEM, [state], EXACT)[0]
        for name, value in exact.items():
            assert abs(value - float(given.values[name][s])) <= float(given.bounds[name][s])


def test_what_is_known_of_a_parameter_goes_into_the_formulas_of_others() -> None:
    bounds = inputs(SYSTEM, STATES, {"m1": 1e-3, "t": 0.25, "p": np.array([0.0, 1e-6])}).bounds
    assert bounds["m1"] == pytest.approx(1e-3)
    assert bounds["m2"] == pytest.approx((10 + 2 / 7 / 3) * 1e-3, rel=0.02)
    slope = 7 * abs(np.cos(10 / 3 + 1 / 63)) * (10 + 2 / 7 / 3) + 0.5 / np.sqrt(1 / 3)
    assert bounds["m3"][0] == pytest.approx(slope * 1e-3, rel=0.05)
    assert bounds["t"].tolist() == [0.25, 0.25] and bounds["p"].tolist() == [0.0, 1e-6]
    assert bounds["q"][0] == pytest.approx(bounds["m2"][0] / 3, rel=0.01) and bounds["q"][1] == 0


def test_what_two_libraries_differ_by_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters are computed with Python's functions, their bounds with NumPy's: the difference is in the bound."""
    plain = inputs(SYSTEM, STATES).bounds

    def another(*given: Any) -> Any:
        values, bounds = run_bounds(*given)
        return values + 1e-9, bounds

    monkeypatch.setattr(uncertainty, "run_bounds", another)
    apart = inputs(SYSTEM, STATES).bounds
    assert apart["m1"][0] - plain["m1"][0] == pytest.approx(1e-9, rel=1e-6, abs=0) and apart["m1"][1] == 0


PRINTED = [
    ("0.31", 0.005), ("0.3120", 5e-5), ("-12", 0.5), ("2.40e-06", 5e-9), ("1e3", 500.0), (" 7.0 ", 0.05), ("1/3", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "half"), PRINTED)
def test_half_a_unit_of_the_last_printed_digit(text: str, half: float) -> None:
    assert half_unit(text) == pytest.approx(half, rel=1e-14, abs=0)


CONVERTED = [
    (Fraction("0.1"), 4 * 2.0**-56), (0.1, 4 * 2.0**-56), (Fraction(1, 3), 4 * 2.0**-54), (-1.3, 4 * 2.0**-52),
    (Fraction(2), 0.0), (Fraction(1, 2), 0.0), (Fraction(-7, 2), 0.0), (0.25, 4 * 2.0**-54),
]  # fmt: skip


@pytest.mark.parametrize(("value", "room"), CONVERTED)
def test_a_converted_number_is_known_to_four_ulp(value: float | Fraction, room: float) -> None:
    assert conversion_error(value) == room
