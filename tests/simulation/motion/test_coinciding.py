"""Laws in the distance of points that coincide: one that vanishes with it acts there by its limit."""

from __future__ import annotations

import numpy as np
import pytest

import mbconcord
from mbconcord import Mechanism
from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import evaluate_float, substitute
from mbconcord.model.expressions.calculus import derivative, divide_out
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.node import ZERO
from mbconcord.model.force import LENGTH

from .runs import go

#: Law -> its slope where the distance is zero, by hand.
LAWS = {
    "-4*@": -4.0, "-4*@ - 2*@^3": -4.0, "-3*@*exp(-@)": -3.0, "1/(1 + @) - 1": -1.0, "(1 + @)^2 - 1": 2.0,
    "sqrt(1 + 6*@) - 1": 3.0, "-2*sqrt(9*@^2)": -6.0, "-5*abs(@)": -5.0, "-@/(1 + @^2)": -1.0, "@*cos(@)": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("text", LAWS)
def test_a_law_is_divided_by_the_distance(text: str) -> None:
    law = parse_formula(text)
    ratio = divide_out(law, LENGTH)
    assert ratio is not None
    for x in (0.3, 2.0):
        assert evaluate_float(ratio * LENGTH, {"@": x}) == pytest.approx(evaluate_float(law, {"@": x}), rel=1e-14)
    assert evaluate_float(ratio, {"@": 0.0}) == pytest.approx(LAWS[text], rel=1e-14)
    assert evaluate_float(derivative(ratio, LENGTH), {"@": 1e-3}) == pytest.approx(
        (evaluate_float(ratio, {"@": 2e-3}) - evaluate_float(ratio, {"@": 0.0})) / 2e-3, abs=0.02
    )


@pytest.mark.parametrize("text", ["-3", "-4*(@ - 1)", "-2*@'", "-k*(@ - l)", "1/@", "log(@)", "@ - 1 + t", "cos(@)"])
def test_a_law_with_another_limit_is_not(text: str) -> None:
    assert divide_out(parse_formula(text), LENGTH) is None


def plane(law: str, **start: float) -> Mechanism:
    made = Mechanism("plane").body("p", mass=2)
    for name in "xyz":
        made = made.slides(name, along=name, start=start.get(name, 0), rate=start.get(f"v{name}", 0))
    return made.bipolar("s", None, "p", law)


@pytest.mark.slow
@pytest.mark.parametrize("text", LAWS)
def test_every_formalism_has_the_force_where_points_coincide(text: str) -> None:
    """It is zero there, and its derivative is the slope of the law in every direction."""
    system = plane(text).build()
    able = [name for name in registry.names() if not registry.formalism(name).obstacles(system)]
    assert len(able) >= 5
    for name in able:
        if "applied" not in registry.formalism(name).derive(system).quantities:
            continue
        found = mbconcord.evaluate(system, q=[0, 0, 0], v=[0.3, -0.2, 0.1], formalism=name)
        assert not found.diagnostics
        assert np.abs(np.asarray(found["applied"])).max() == 0, name
        near = mbconcord.evaluate(system, q=[1e-6, -2e-6, 2e-6], v=[0, 0, 0], formalism=name)
        assert np.asarray(near["applied"]) == pytest.approx(LAWS[text] * np.array([1e-6, -2e-6, 2e-6]), rel=1e-4)


def test_the_equations_there_are_linearised_and_proved() -> None:
    """An isotropic oscillator: three modes at √(k/m); the exact proof and the direct witness say the same."""
    system = plane("-4*@").build()
    found = mbconcord.linearize(system)
    assert found.frequencies == pytest.approx([np.sqrt(2.0)] * 3, rel=1e-12)
    assert found.verdict == "agrees" and "has no direction" in found.diagnostics[0].message and not found.inputs
    evidence = mbconcord.check(system, states=[mbconcord.model.State(q=dict.fromkeys("xyz", 0.0))])
    assert evidence.verdict == "agrees"


@pytest.mark.parametrize("free", ["0", "l"])
def test_a_spring_of_no_free_length_is_an_oscillator(free: str) -> None:
    """Started where its ends coincide: x = v/ω sin ωt. The free length may be a parameter of value 0."""
    machine = Mechanism("line").parameters(l=0).body("p", mass=1).slides("x", along="x", rate=1)
    found = mbconcord.simulate(machine.spring("s", None, "p", stiffness=4, length=free), 1.0)
    assert found.q[-1, 0] == pytest.approx(np.sin(2) / 2, abs=1e-9)
    assert found.stopped is None and not found.diagnostics


def test_a_law_without_a_limit_is_refused_there() -> None:
    for law in ("-2*@'", "-4*(@ - 1)"):
        with pytest.raises(NumbersError, match=r"forces/s: error: at t = 0 .* its points coincide"):
            go(plane(law, vx=1).build(), 1.0)


def test_zero_of_a_quotient_is_that_of_the_law() -> None:
    ratio = divide_out(parse_formula("@^2"), LENGTH)
    assert ratio is not None and substitute([ratio], {LENGTH: ZERO}) == [ZERO]
