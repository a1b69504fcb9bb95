"""Drawn numbers: spread, deterministic, physical, recorded."""

from __future__ import annotations

import math
import subprocess
import sys
from random import Random

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.model import (
    Body,
    Coordinate,
    Function,
    Inertia,
    NumbersError,
    Parameter,
    Prescribed,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.body import point_tensor, tensor
from mbconcord.model.checks.physics import physics
from mbconcord.model.expressions import TIME, as_expression, call, derivative, evaluate, symbol, symbols
from mbconcord.model.numbers import parameter_values
from mbconcord.validation.judge.states import complete_state, draw, draw_states, magnitude

from ..fakes import double_pendulum

#: A body that turns so sees the whole of its tensor.
TUMBLE = (rotation("z", "a"), rotation("x", "d"))
NAMES = ("m", "c", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")


def body_of_symbols(about_origin: bool) -> System:
    """A body whose every number is a parameter without value."""
    m, c, *moments = map(symbol, NAMES)
    centre = (c, 2 * c, -c)
    inertia = Inertia.about_origin(m, centre, moments) if about_origin else Inertia(m, centre, tensor(moments))
    return System(
        "symbols", tuple(map(Coordinate, "abd")), tuple(map(Parameter, NAMES)),
        bodies=(Body("body", None, (*TUMBLE, translation("x", "b")), inertia),),
    )  # fmt: skip


@pytest.mark.parametrize("about_origin", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_drawn_inertias_are_physical_and_general(about_origin: bool, seed: int) -> None:
    model = body_of_symbols(about_origin)
    for state in draw_states(model, 5, seed):
        values = parameter_values(model, state.parameters)
        assert set(values) == set(NAMES)
        assert physics(model, values) == []
        assert all(values[name] > 0 for name in ("m", "c", "Jxx", "Jyy", "Jzz"))
        assert len({values[name] for name in NAMES[2:]}) == 6


def test_an_inertia_that_no_value_makes_physical_is_refused_by_name() -> None:
    m = symbol("m")
    body = Body("thin", None, TUMBLE, Inertia(m, (0, 0, 0), (m, m, 5 * m)))
    with pytest.raises(NumbersError, match="triangle") as problem:
        draw(System("bad", tuple(map(Coordinate, "ad")), (Parameter("m"),), bodies=(body,)), 1, 0)
    assert "drawn" not in str(problem.value) or "m" in str(problem.value)


def test_magnitudes_are_spread_and_angles_take_several_turns() -> None:
    states = draw_states(body_of_symbols(False), 400, 1)
    angles, shifts = ([abs(s.q[name]) for s in states] for name in "ab")
    assert max(angles) > 2 * math.pi and min(angles) < 0.01
    assert sum(a > 2 * math.pi for a in angles) > 50
    assert sum(a < 0.1 for a in angles) > 50
    for values in (shifts, [abs(s.v["a"]) for s in states], [abs(s.a["b"]) for s in states]):
        assert sum(x < 0.01 for x in values) > 40 and sum(x > 10 for x in values) > 40
    assert {math.copysign(1, s.v["a"]) for s in states} == {1.0, -1.0}


#: What is drawn, from where to where.
RANGES = {
    "shift": (1e-3, 1e2), "rate": (1e-3, 1e2), "acceleration": (1e-3, 1e2), "time": (1e-2, 10.0),
    "parameter": (0.1, 10.0),
}  # fmt: skip


def test_magnitudes_fill_their_ranges_and_leave_them_nowhere() -> None:
    """To three tenths of an end: 101 m for 100 m is no other range."""
    body = Body("b", None, (rotation("z", "a"), translation("x", "b")), Inertia(symbol("m")))
    model = System("point", (Coordinate("a"), Coordinate("b")), (Parameter("m"),), bodies=(body,))
    states = draw_states(model, 400, 0)
    found = {
        "shift": [s.q["b"] for s in states], "rate": [s.v["a"] for s in states],
        "acceleration": [s.a["a"] for s in states], "time": [s.t for s in states],
        "parameter": [s.parameters["m"] for s in states],
    }  # fmt: skip
    for name, (least, most) in RANGES.items():
        sizes = sorted(map(abs, found[name]))
        assert least <= sizes[0] <= 1.3 * least and most / 1.3 <= sizes[-1] <= most, name
    angles = sorted(abs(s.q["a"]) for s in states)
    assert 1e-3 <= angles[0] <= 1.3e-3 and 12 <= angles[-1] <= 12.5
    small, smaller = (sum(x < limit for x in angles) for limit in (1.0, 0.1))
    assert 190 < small < 240 and 110 < smaller < 160  # a half of them log-uniform up to 1, the others uniform


def test_two_hundred_draws_are_tried() -> None:
    """Of a mass that has to be above 9.9 of 0.1 to 10: one of 460 is."""
    m = symbol("m")
    body = Body("heavy", None, (rotation("z", "a"),), Inertia(m - as_expression(99) / 10))
    model = System("heavy", (Coordinate("a"),), (Parameter("m"),), bodies=(body,))
    tries = [_draws(model, seed) for seed in range(30)]
    assert 0 in tries and max(tries) > 100
    with pytest.raises(NumbersError, match="in 200 draws of m"):
        draw(model, 1, tries.index(0))


def _draws(model: System, seed: int) -> int:
    """The number of the draw that is physical; 0: none of two hundred is."""
    random = Random(seed)
    for number in range(1, 201):
        if magnitude(random, 0.1, 10.0) > 9.9:
            (state,) = draw_states(model, 1, seed)
            assert state.parameters["m"] > 9.9
            return number
    return 0


@pytest.mark.slow
def test_the_seed_alone_decides(tmp_path) -> None:  # type: ignore[no-untyped-def]
    code = (
        "from mbconcord.validation.judge.states import draw\n"
        "from mbconcord.validation.strategies.trees import random_system\n"
        "d = draw(random_system(11, 7), 3, 5)\n"
        "print([s.to_json() for s in d.states], [str(x) for x in d.diagnostics])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert draw_states(double_pendulum(), 3, 1) == draw_states(double_pendulum(), 3, 1)
    assert draw_states(double_pendulum(), 3, 1) != draw_states(double_pendulum(), 3, 2)


def test_the_models_own_numbers_are_kept() -> None:
    drawn = draw(double_pendulum(), 3, 0)
    assert drawn.system is double_pendulum() or drawn.system == double_pendulum()
    assert all(not s.parameters for s in drawn.states)
    assert drawn.diagnostics == ()


def test_undefined_functions_get_formulas_whose_derivatives_do_not_vanish() -> None:
    motion = Prescribed(call("JK", [TIME]))
    model = System(
        "driven", (Coordinate("a"),), functions=(Function("JK", ("t",)), Function("force", ("t", "@", "@'"))),
        bodies=(Body("b", None, (translation("x", motion), rotation("z", "a")), Inertia(as_expression(1))),),
    )  # fmt: skip
    drawn = draw(model, 1, 3)
    for function in drawn.system.functions:
        assert function.formula is not None
        assert symbols([function.formula]) == set(function.arguments)
        slopes = [derivative(function.formula, symbol(name)) for name in function.arguments]
        slopes += [derivative(slopes[0], symbol(name)) for name in function.arguments[:2]]
        assert all(evaluate(slopes, {"t": 0.3, "@": 0.7, "@'": 0.2}))
    assert [d.place for d in drawn.diagnostics] == ["functions/JK", "functions/force"]
    assert model.functions[0].formula is None


def test_a_given_state_keeps_its_parameters_and_gains_the_missing_ones() -> None:
    model = body_of_symbols(False)
    state = complete_state(model, draw_states(model, 1, 0)[0], 9)
    assert state == draw_states(model, 1, 0)[0]
    from mbconcord.model import State

    filled = complete_state(model, State(parameters={"m": 7.0}), 9)
    assert filled.parameters["m"] == 7.0
    assert set(filled.parameters) == set(NAMES)


def test_tensor_elements_hidden_in_a_formula_are_fitted_too() -> None:
    m, j = symbol("m"), symbol("J")
    about = tuple(x + y for x, y in zip(tensor((j, 1, 1)), point_tensor(m, (as_expression(0),) * 3), strict=True))
    body = Body("disc", None, TUMBLE, Inertia(m, (0, 0, 0), about))  # type: ignore[arg-type]
    model = System("disc", tuple(map(Coordinate, "ad")), (Parameter("m"), Parameter("J")), bodies=(body,))
    for state in draw_states(model, 20, 0):
        assert 0 <= state.parameters["J"] <= 2


@pytest.mark.parametrize("seed", range(3))
def test_times_have_both_signs(seed: int) -> None:
    times = [state.t for state in draw_states(body_of_symbols(False), 6, seed)]
    assert [t > 0 for t in times] == [True, False] * 3
    assert len({abs(t) for t in times}) == 6


#: A formula of t and what of it has no values before t = 0; at most how many of six states are after 0 for that.
CLOCKS = [
    ("z i(sqrt(t))", 3), ("z i(f(t)) ; f(x) = log(x)", 3), ("z\"(-sqrt(t) z')", 3), ("z i(t + sqrt(a)) ; a = 2", 0),
    ("z #a \\ #a {1,0} :\"(@ sqrt(t)) {2,0} < #0", 3), ("z i(sqrt(t + 1e6))", 0), ("z i(JK(t))", 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "after"), CLOCKS)
def test_a_formula_without_values_before_zero_is_asked_after_it(text: str, after: int) -> None:
    drawn = draw(read_text(text, "clock.mbsd").system, 6, 0)
    assert sum(state.t < 0 for state in drawn.states) == 3 - after
    said = [d.message for d in drawn.diagnostics if d.place == "t"]
    assert [message.endswith(f"{after} of 6 states are after 0 instead") for message in said] == [True] * bool(after)


def test_a_drawn_formula_is_that_of_the_functions_name() -> None:
    """The same in another model, beside other functions; another for another name."""
    one = draw(System("one", functions=(Function("f", ("x",)), Function("h", ("x",)))), 0, 0).system
    other = draw(System("other", functions=(Function("g", ("x",)), Function("f", ("x",)))), 0, 0).system
    formulas = {f.name: f.formula for f in (*one.functions, *other.functions)}
    assert one.functions[0] == other.functions[1]
    assert len(set(formulas.values())) == 3
    assert draw(System("one", functions=one.functions), 0, 0).system.functions == one.functions
    assert draw(System("s", functions=(Function("f", ("x",)),)), 0, 1).system.functions != one.functions[:1]
