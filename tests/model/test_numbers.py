"""Functions, parameters and states: from a model to numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mbconcord.model import Coordinate, Function, NumbersError, Parameter, State, System
from mbconcord.model.expressions import TIME, call, cos, derivative, evaluate_float, sin, sqrt, symbol
from mbconcord.model.numbers import define, environment, parameter_values

from .slider import m1, model, q


def test_define_puts_formulas_and_their_derivatives_in_place() -> None:
    x, y = symbol("x"), symbol("y")
    functions = (Function("f", ("x", "y"), x * x * sin(y)), Function("g", ("t",), call("f", [TIME, 3 * TIME])))
    outputs = [
        call("f", [q, m1], [1, 0]), call("f", [q, m1], [0, 2]), call("g", [2 * q]), call("g", [q], [1]),
        call("f", [call("f", [q, m1]), m1]), call("undefined", [q], [1]),
    ]  # fmt: skip
    found = define(outputs, functions)
    assert found == [
        2 * q * sin(m1), q * q * -sin(m1), (2 * q) ** 2 * sin(3 * (2 * q)),
        2 * q * sin(3 * q) + 3 * (q * q * cos(3 * q)), (q * q * sin(m1)) ** 2 * sin(m1), outputs[-1],
    ]  # fmt: skip
    slopes = [derivative(found[2], q), *define([derivative(outputs[2], q)], functions)]
    assert evaluate_float(slopes[0], {"q": 0.7}) == pytest.approx(evaluate_float(slopes[1], {"q": 0.7}), rel=1e-14)


def test_calls_may_be_nested_deeper_than_there_are_functions() -> None:
    nested = q
    for _ in range(5):
        nested = call("f", [nested])
    assert define([nested], [Function("f", ("x",), 3 * symbol("x"))]) == [243 * q]


def test_functions_defined_by_each_other() -> None:
    functions = (Function("f", ("t",), call("g", [TIME])), Function("g", ("t",), call("f", [TIME])))
    with pytest.raises(NumbersError, match="cycle"):
        define([call("f", [TIME])], functions)


def test_parameters_feed_each_other_in_any_order() -> None:
    formulas = (Parameter("c", symbol("a") + symbol("b")), Parameter("b", call("f", [symbol("a")])), Parameter("a", 3))
    system = System("s", parameters=formulas, functions=(Function("f", ("x",), symbol("x") ** 2),))
    assert parameter_values(system) == {"a": 3, "b": 9, "c": 12}
    assert parameter_values(system, {"a": 5.0}) == {"a": 5, "b": 25, "c": 30}
    assert parameter_values(system, {"b": 1.0}) == {"a": 3, "b": 1, "c": 4}


@pytest.mark.parametrize(
    ("parameters", "overrides", "words"),
    [
        ((Parameter("a"), Parameter("b")), {"b": 1.0}, "parameters/a: has no value|--set a=1"),
        ((Parameter("a", 1),), {"x": 1.0}, "parameters/x|no such parameter|known: a"),
        ((Parameter("a", 0), Parameter("b", 1 / symbol("a"))), {}, "parameters/b|division by zero"),
        ((Parameter("a", 0), Parameter("b", sqrt(symbol("a") - 1))), {}, "parameters/b"),
        ((Parameter("a", 1e300), Parameter("b", symbol("a") * symbol("a"))), {}, "parameters/b|inf"),
    ],
)
def test_parameters_without_numbers(parameters: Any, overrides: dict[str, float], words: str) -> None:
    with pytest.raises(NumbersError) as caught:
        parameter_values(System("s", parameters=parameters), overrides)
    text = str(caught.value).replace("error: ", "")
    assert all(word in text for word in words.split("|"))


def test_an_environment_takes_what_is_missing_from_the_model() -> None:
    system = model(coordinates=(Coordinate("q", m1 / 4, 3),))
    (first, second) = environment(system, [State(), State(1, {"q": 7}, {"q": 8}, {"q": 9}, {"m1": 6})])
    assert first == {"m1": 2, "q": 0.5, "q'": 3, "q''": 0, "t": 0}
    assert second == {"m1": 6, "q": 7, "q'": 8, "q''": 9, "t": 1}


def test_initial_values_may_use_functions() -> None:
    square = Function("f", ("x",), symbol("x") ** 2)
    system = model(coordinates=(Coordinate("q", call("f", [m1])),), functions=(square,))
    assert environment(system, [State()])[0]["q"] == 4
    with pytest.raises(NumbersError, match="initial value: division by zero"):
        environment(model(coordinates=(Coordinate("q", 1 / m1),)), [State(parameters={"m1": 0})])


@pytest.mark.parametrize(
    ("state", "places"),
    [
        (State(q={"p": 1}), ["state/q/p"]),
        (State(v={"p": 1}, a={"r": 1}), ["state/v/p", "state/a/r"]),
        (State(q={"q": math.nan}), ["state/q/q"]),
        (State(t=math.inf, v={"q": -math.inf}), ["state/t", "state/v/q"]),
        (State(parameters={"m1": math.nan}), ["parameters/m1"]),
        (State(parameters={"m7": 1}), ["parameters/m7"]),
    ],
)
def test_states_that_are_wrong(state: State, places: list[str]) -> None:
    with pytest.raises(NumbersError) as caught:
        environment(model(), [state])
    assert [d.place for d in caught.value.diagnostics] == places
    assert all("known: " in d.remedy or "finite" in d.message for d in caught.value.diagnostics)


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ([], ["state"]),
        ({"q": [1], "x": 1}, ["state/x", "state/q"]),
        ({"t": "0"}, ["state/t"]),
        ({"t": True, "v": {"q": None}}, ["state/t", "state/v/q"]),
        ({"q": {"q": 10**400}, "v": {"q": math.nan}}, ["state/q/q", "state/v/q"]),
    ],
)
def test_state_files_that_are_wrong(data: Any, places: list[str]) -> None:
    with pytest.raises(NumbersError) as caught:
        State.from_json(data)
    assert [d.place for d in caught.value.diagnostics] == places


def test_state_files_and_back() -> None:
    state = State(0.5, {"q": 1.0}, {"q": 2.0}, {"q": 3.0}, {"m1": 4.0})
    assert State.from_json(state.to_json()) == state
    assert State.from_json({}) == State()
