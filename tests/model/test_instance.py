"""Values are bound once: an instance is its states, and who looks at the same states takes the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbconcord import check, read
from mbconcord.formalisms import registry
from mbconcord.model import Body, Coordinate, Function, Parameter, State, System, rotation
from mbconcord.model import numbers as module
from mbconcord.model.expressions import FLOAT, FRACTION, TIME, Arithmetic, call, number, symbol
from mbconcord.model.numbers import Instance, bind_states, environment
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import draw

FIXTURES = Path(__file__).parents[2] / "fixtures"
TREES = ["mbsd/double_pendulum", "mbsd/moving_support", "mbsd/springs", "konoplev/tree"]
CLOSED = ["mbsd/four_bar", "konoplev/mechanism"]

K = symbol("k")
SYSTEM = System(
    "one turn",
    (Coordinate("z", K / 2),),
    (Parameter("k", 2 * symbol("m")), Parameter("m", number(3))),
    (Function("f", ("t",), TIME * symbol("m")),),
    bodies=(Body("one", None, (rotation("z", "z"),)),),
)
STATES = (State(), State(1, {"z": 7}, {"z": 8}, {"z": 9}, {"m": 5}), State(2, {"z": 1}), State(parameters={"m": 5}))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[State, ...]]:
    """The states whose numbers are computed in floats, each time they are."""
    found: list[tuple[State, ...]] = []

    def counted(system: System, states: Sequence[State], arithmetic: Arithmetic) -> Any:
        if arithmetic is FLOAT:
            found.append(tuple(states))
        return environment(system, states, arithmetic)

    monkeypatch.setattr(module, "environment", counted)
    return found


def test_an_instance_is_its_states() -> None:
    at = Instance(SYSTEM, STATES)
    assert len(at) == 4 and tuple(at) == STATES and at[1] is STATES[1] and at[1:] == STATES[1:]


def test_numbers_are_those_of_each_state() -> None:
    at = Instance(SYSTEM, STATES)
    assert list(at.environments) == [environment(SYSTEM, [state])[0] for state in STATES]
    assert {name: value.tolist() for name, value in at.values.items()} == {
        "k": [6, 10, 6, 10], "m": [3, 5, 3, 5], "z": [3, 7, 1, 5], "z'": [0, 8, 0, 0], "z''": [0, 9, 0, 0],
        "t": [0, 1, 2, 0],
    }  # fmt: skip
    assert Instance(SYSTEM, []).values == {}


def test_numbers_are_of_the_arithmetic() -> None:
    (values,) = Instance(SYSTEM, [State(parameters={"m": 1})], FRACTION).environments
    assert values["z"] == 1 and isinstance(values["z"], Fraction)


def test_numbers_are_computed_once_and_not_before_they_are_asked_for(computed: list[Any]) -> None:
    at = Instance(SYSTEM, STATES)
    assert not computed
    for _ in range(3):
        assert at.environments and at.values
    assert computed == [STATES]


def test_shared_numbers_cannot_be_written() -> None:
    values = Instance(SYSTEM, STATES).values
    with pytest.raises(ValueError, match="read-only"):
        values["z"] += 1


@pytest.mark.parametrize(
    "changed",
    [
        lambda s: s,
        lambda s: s.lump_masses(),
        lambda s: s.open_loops(),
        lambda s: replace(s, name="other"),
        lambda s: replace(s, bodies=(replace(s.bodies[0], name="two"),)),
        lambda s: replace(s, coordinates=(*s.coordinates,)),
    ],
)
def test_bodies_have_no_part_in_the_numbers(changed: Callable[[System], System]) -> None:
    at = Instance(SYSTEM, STATES)
    assert bind_states(changed(SYSTEM), at) is at
    assert environment(changed(SYSTEM), STATES) == list(at.environments)


@pytest.mark.parametrize(
    "changed",
    [
        lambda s: replace(s, parameters=(s.parameters[0], Parameter("m", number(4)))),
        lambda s: replace(s, parameters=(*s.parameters, Parameter("n", number(4)))),
        lambda s: replace(s, coordinates=(Coordinate("z", K),)),
        lambda s: replace(
            s, coordinates=(Coordinate("z", call("f", [number(2)])),),
            functions=(Function("f", ("t",), TIME * 2),),
        ),
    ],
)  # fmt: skip
def test_numbers_of_another_model_are_not_taken(changed: Callable[[System], System]) -> None:
    at, other = Instance(SYSTEM, STATES), changed(SYSTEM)
    found = bind_states(other, at)
    assert found is not at and found.system is other and tuple(found) == STATES
    assert list(found.environments) == environment(other, STATES) != list(at.environments)


def test_functions_are_part_of_the_model() -> None:
    """A function's formula may stand in an initial value."""
    at = Instance(replace(SYSTEM, coordinates=(Coordinate("z", call("f", [number(2)])),)), STATES[:1])
    other = replace(at.system, functions=(Function("f", ("t",), TIME * 2),))
    assert at.environments[0]["z"] == 6 and bind_states(other, at).environments[0]["z"] == 4


def test_numbers_of_another_arithmetic_are_not_taken() -> None:
    exact = Instance(SYSTEM, STATES, FRACTION)
    assert bind_states(SYSTEM, exact) is not exact
    assert isinstance(bind_states(SYSTEM, exact).environments[0]["z"], float)


@pytest.mark.parametrize("model", TREES)
@pytest.mark.parametrize("name", registry.names())
def test_formalisms_take_states_with_and_without_numbers(model: str, name: str, computed: list[Any]) -> None:
    drawn = draw(read(FIXTURES / f"{model}.mbsd").system, 3, 1)
    at = Instance(drawn.system, drawn.states)
    formalism = registry.formalism(name)
    alone = formalism.evaluate(drawn.system, drawn.states)
    assert computed == [drawn.states]
    computed.clear()
    together = formalism.evaluate(drawn.system, at)
    assert formalism.evaluate(drawn.system, at).quantities.keys() == together.quantities.keys()
    assert computed == [drawn.states]
    for quantity, value in alone.quantities.items():
        np.testing.assert_array_equal(together.quantities[quantity], value)


@pytest.mark.slow
@pytest.mark.parametrize("model", TREES)
def test_a_check_binds_the_values_of_a_tree_once(model: str, computed: list[Any]) -> None:
    """Claims look at states of their own beside them: with the accelerations that a formalism gives."""
    evidence = check(read(FIXTURES / f"{model}.mbsd").system, states=2, claims=())
    assert evidence.verdict == "agrees"
    assert computed == [evidence.states]
    computed.clear()
    assert check(read(FIXTURES / f"{model}.mbsd").system, states=2).verdict == "agrees"
    assert computed.count(evidence.states) == 1


@pytest.mark.slow
@pytest.mark.parametrize("model", CLOSED)
def test_a_check_binds_the_values_of_closed_states_once(model: str, computed: list[Any]) -> None:
    """Beside those that assembly goes through, which are of other states or of the tree with cut joints."""
    evidence = check(read(FIXTURES / f"{model}.mbsd").system, states=2)
    assert evidence.verdict == "agrees"
    assert computed.count(evidence.states) == 1


def test_kinematics_take_the_numbers(computed: list[Any]) -> None:
    at = Instance(SYSTEM, STATES)
    for _ in range(2):
        assert TreeKinematics(SYSTEM, at).states is at
    assert computed == [STATES]
