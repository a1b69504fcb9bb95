"""Linearised equations by several formalisms in 50 digits: they agree, and what is wrong in one is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms import registry
from mbconcord.model import State, System
from mbconcord.model.expressions import evaluate, number, symbol
from mbconcord.model.instance import Instance
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.linear import equations as made_here
from mbconcord.simulation.linear.linearised import linearise
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.claims.linear.by_formalisms import equilibrium_evidence, linear_evidence
from mbconcord.validation.claims.linear.exact import on_constraints, referee, solve_by_elimination
from mbconcord.validation.judge.evidence import Comparison, verdict

from ....simulation.linear.machines import DOUBLE, ON_A_ROD, fixture, mbsd, near, rest
from ...fakes import Altered, Failing, double_pendulum, entry

ALL = [registry.formalism(name) for name in registry.names()]
MODELS = (
    "mbsd/double_pendulum.mbsd", "mbsd/four_bar.mbsd", "native/slider_crank.mbs.json", "mbsd/patu655.mbsd",
    "native/chaplygin_sleigh.mbs.json", "elastic/planar_arm.mbs.json", "konoplev/gyrostat.mbs.json",
)  # fmt: skip


def evidence(system: System, state: State | None = None, by: str = "lagrange", more: Any = ALL) -> list[Comparison]:
    found = linearise(system, registry.formalism(by), state or State(), timed=True)
    return list(linear_evidence(system, found, more, None))


@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS)
def test_formalisms_agree_along_a_motion(file: str) -> None:
    system = fixture(file)
    state = State(t=0.3, v={c: 0.3 * (i + 1) for i, c in enumerate(system.coordinate_names)})
    found = evidence(system, state)
    assert verdict(found) == "agrees", next(c for c in found if c.verdict != "agrees")
    exact = [c for c in found if c.b not in ("50 digits", "differences", "direct")]
    assert exact and max(c.discrepancy or 0.0 for c in exact) < 1e-28
    assert {c.quantity for c in found} >= {"linear M", "linear C", "linear K", "linear K along a direction"}


#: A part that floats cannot see.
SMALL = number(Fraction(1, 10**20))


def altered(quantity: str, at: tuple[int, ...], change: Callable[[Any], Any]) -> Altered:
    return Altered(entry(quantity, at, change))


#: What is wrong in one formalism, each by a part in 10²⁰ or by a sign that is nothing at the state itself.
FAULTS = {
    "M": altered("M", (0, 1), lambda x: x * (1 + SMALL)),
    "sign of a gyroscopic term": altered("h", (1,), lambda x: x - 2 * symbol("z1'") * symbol("z2'")),
    "stiffness": altered("gravity", (1,), lambda x: x + SMALL * symbol("z2")),
    "damping": altered("applied", (0,), lambda x: x - SMALL * symbol("z1'")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(name: str) -> None:
    state = State(q={"z1": 0.3, "z2": -0.4}, v={"z1": 1.2, "z2": 0.7})
    honest = [registry.formalism(n) for n in ("lagrange", "newton_euler")]
    found = evidence(double_pendulum(), state, more=[*honest, FAULTS[name]])
    wrong = [c for c in found if c.verdict == "disagrees"]
    assert wrong and all("altered" in (c.a, c.b) for c in wrong)
    assert "altered: " in wrong[0].explanation


def test_a_wrong_derivative_is_seen_by_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph's derivatives are shared: where they are wrong all formalisms agree, and differences do not."""
    honest = made_here.slopes

    def wrong(outputs: Any, coordinates: Any, inputs: Any = ()) -> Any:
        by_q, *others = honest(outputs, coordinates, inputs)
        doubled = [[x * 2 if i == j == 1 else x for j, x in enumerate(row)] for i, row in enumerate(by_q)]
        return doubled, *others

    monkeypatch.setattr(made_here, "slopes", wrong)
    found = evidence(double_pendulum(), State(q={"z1": 0.3, "z2": -0.4}))
    assert {c.b for c in found if c.verdict == "disagrees"} == {"differences"}


def test_wrong_floats_are_seen() -> None:
    system = mbsd(DOUBLE)
    found = near(system)
    wrong = replace(found, K=found.K * (1 + 1e-8))
    told = [c for c in linear_evidence(system, wrong, ALL, None) if c.verdict == "disagrees"]
    assert [(c.quantity, c.b) for c in told] == [("linear K", "50 digits")]


def test_one_witness_is_none() -> None:
    system = mbsd(DOUBLE)
    told = linear_evidence(system, near(system), ALL[:1], None)
    assert verdict(told) == "not checked" and any("only lagrange delivers it" in c.explanation for c in told)


def test_one_that_fails_is_told() -> None:
    system = mbsd(DOUBLE)
    told = linear_evidence(system, near(system), [*ALL[:2], Failing()], None)
    assert verdict(told) == "disagrees"
    assert [c.explanation for c in told if c.a == "failing"] == ["KeyError: 'no such thing'"]


def test_equilibria_balance_by_every_formalism() -> None:
    system = mbsd(DOUBLE)
    found = rest(system, State(q={"a": 0.4}))
    told = equilibrium_evidence(system, found, ALL)
    assert verdict(told) == "agrees" and [c.quantity for c in told].count("balance") == 6
    wrong = Altered(entry("gravity", (0,), lambda x: x + SMALL * 10**13))
    told = equilibrium_evidence(system, found, [*ALL, wrong])
    assert {c.a for c in told if c.verdict == "disagrees"} == {"altered"}
    assert verdict(equilibrium_evidence(system, found, ALL[:1])) == "not checked"


@pytest.mark.parametrize("file", ["mbsd/four_bar.mbsd", "native/universal_joint.mbs.json", "mbsd/patu655.mbsd"])
def test_states_are_on_the_constraints_to_the_last_of_many_digits(file: str) -> None:
    system = fixture(file)
    state = place_state(system, State(v=dict.fromkeys(system.coordinate_names, 0.4)), (), ()).state
    exact = on_constraints(system, state)
    names = system.coordinate_names
    assert max(abs(x - state.q[n]) for x, n in zip(exact.q, names, strict=True)) < 1e-12
    rows = constraint_rows(system)
    if len(rows.coordinates) == len(names):  # no coordinates of a cut joint
        values = Instance(system, [state], referee().arithmetic).environments[0]
        values = {**values, **dict(zip(names, exact.q, strict=True))}
        gaps = evaluate([r.position for r in rows.rows], values, referee().arithmetic)
        assert max(map(abs, gaps)) < 1e-45


def test_elimination_is_that_of_floats() -> None:
    random = np.random.default_rng(0)
    A, b = random.normal(size=(5, 5)), random.normal(size=(5, 3))
    A[0, 0] = 0.0  # so that a pivot is needed
    assert np.allclose(solve_by_elimination(A, b), np.linalg.solve(A, b), atol=1e-12)


def test_a_rod_pendulum_is_refereed() -> None:
    assert verdict(evidence(mbsd(ON_A_ROD), State(q={"x": 0.6, "y": -0.8}, v={"x": 0.8, "y": 0.6}))) == "agrees"
