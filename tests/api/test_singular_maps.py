"""Maps of coordinates that are singular at a state: each command names the map; machine code has no silent NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbconcord

#: No slope where the elbow is straight; no joint moves by x at 0.
STRAIGHT = (
    "bodies/a/joint/0: error: the map has no slope by x at the state, where x, y do not describe positions "
    "(move the state away)"
)
IDLE = (
    "coordinates/x: error: a motion of x moves no joint at the state (the map bodies/a/joint/0 is singular): "
    "no inertia along x (move the state away)"
)


def elbow() -> mbconcord.Mechanism:
    made = mbconcord.Mechanism("elbow").gravity(y=-9.81).coordinate("x", start=2).coordinate("y")
    made = made.body("a").turns(map="atan2(y, x) - acos(sqrt(x^2 + y^2)/2)", about="z").shift(x=1)
    return made.body("b", on="a", mass=1).turns(map="2*acos(sqrt(x^2 + y^2)/2)", about="z").shift(x=1)


def cube() -> mbconcord.Mechanism:
    made = mbconcord.Mechanism("cube").gravity(y=-9.81).coordinate("x").body("a", mass=1).slides(map="x^3", along="x")
    return made.body("b", on="a", mass=1).slides("y", along="y")


MODELS = {"elbow": (elbow, STRAIGHT), "cube": (cube, IDLE)}


def say(call: Callable[[], Any]) -> list[str]:
    try:
        return [str(d) for d in call().diagnostics]
    except mbconcord.MbconcordError as problem:
        return [str(d) for d in problem.diagnostics]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("by", ["lagrange", "newton_euler", "virtual_work", "konoplev"])
def test_evaluate_names_the_map(name: str, by: str) -> None:
    build, said = MODELS[name]
    assert say(lambda: mbconcord.evaluate(build(), formalism=by)) == [said]


@pytest.mark.parametrize("name", MODELS)
def test_a_run_and_linear_equations_name_it(name: str) -> None:
    build, said = MODELS[name]
    assert say(lambda: mbconcord.simulate(build(), 0.1)) == [said]
    assert say(lambda: mbconcord.linearize(build())) == [said]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("backend", ["llvm", "numpy", "python"])
def test_a_compiled_function_names_it(name: str, backend: str) -> None:
    build, said = MODELS[name]
    found = mbconcord.compile(build(), "acceleration", backend=backend)()
    assert np.isnan(found["acceleration"]).any() and [str(d) for d in found.diagnostics] == [said]


def test_of_several_states_those_without_another_cause_are_not_hidden() -> None:
    made = cube().body("c", on="b").slides("z", along="z")
    said = say(lambda: mbconcord.evaluate(made, q=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    assert any("no inertia along z" in text for text in said) and any(IDLE.split(" (move")[0] in text for text in said)


@pytest.mark.parametrize("backend", ["llvm", "numpy", "python"])
def test_where_accelerations_have_no_number_something_is_said(backend: str) -> None:
    """At the pole of polar coordinates the inertia along the angle is zero."""
    polar = (
        mbconcord.Mechanism("polar").body("a").turns("p", about="z").body("b", on="a", mass=1).slides("r", along="x")
    )
    for q in ([0.3, 0.0], [[0.3, 0.0], [0.3, 1.0]]):
        found = mbconcord.compile(polar, "acceleration", backend=backend)(q)
        assert np.isnan(np.atleast_2d(found["acceleration"])[0]).any()
        assert any("no inertia along p" in str(d) for d in found.diagnostics)


def test_a_slope_made_of_parameters_has_their_values_of_the_state() -> None:
    """A disc that rolls inside a cylinder, by a map: w^2 = 2 g/(3 (R - r)); of a disc of no radius the map is named."""
    made = mbconcord.Mechanism("rolling").parameters(R=1, r=0.2, m=2).gravity(y=-9.81)
    made = made.body("arm").turns("q", about="z").shift(y="r - R")
    made = made.body("disc", on="arm", mass="m", inertia=(1, 1, "m*r^2/2")).turns(map="-R*q/r", about="z")
    for R in (1.0, 0.7):
        found = mbconcord.linearize(made, parameters={"R": R})
        np.testing.assert_allclose(found.frequencies, [np.sqrt(2 * 9.81 / 3 / (R - 0.2))], rtol=1e-12)
    for verb in (mbconcord.linearize, mbconcord.equilibrium):
        (text,) = say(lambda verb=verb: verb(made, parameters={"R": 0.0, "r": 0.0}))  # type: ignore[misc]
        assert text.startswith("bodies/disc/joint/0: error: division by zero in <1/r>"), text
