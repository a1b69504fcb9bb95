"""Second roads to the linear equations of steady motions: wrong ones are seen; who says stable is not refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, sin, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mbconcord
from mbconcord.formalisms import registry
from mbconcord.model import State
from mbconcord.model.constraint import Holonomic
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.simulation.linear.equations import equations
from mbconcord.simulation.linear.relative import FieldNumbers
from mbconcord.validation.claims.linear.orbit import (
    ELSEWHERE,
    FLOQUET,
    MATRIX,
    MONODROMY_OF,
    PERIODIC,
    ROADS,
    VOLUME,
    orbit_evidence,
    period_evidence,
)

from ....simulation.linear.machines import mbsd, near, top

BAR = """z(th)'4 $0 [1,1,5] #bar
\\ u(x)"(-10*(x*cos(th)+y*sin(th))*cos(th)) v(y)"(-10*(x*cos(th)+y*sin(th))*sin(th)) $1 #bead"""


def bar() -> System:
    return replace(mbsd(BAR), constraints=(Holonomic("guide", parse_formula("y*cos(th)-x*sin(th)")),))


def judge(system: System, state: State, form: dict[str, Any], by: str = "newton_euler") -> dict[str, str]:
    """Return the verdicts of the second roads on a printed form."""
    other = registry.formalism(by)
    said = orbit_evidence(system, near(system, state), other, equations(system, other, {}), form)
    return {c.quantity: c.verdict for c in said}


@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_all_roads_agree_about_a_turning_bar(heading: float) -> None:
    found = mbconcord.linearize(bar(), State(q={"th": heading}, v={"th": 4.0}))
    assert found.verdict == "agrees" and found.stable is False and found.is_founded
    assert {c.quantity for c in found.comparisons if c.verdict == "agrees"} >= set(ROADS)
    assert max(s.real for s in found.eigenvalues) == pytest.approx(sqrt(6), rel=1e-12)


def test_the_matrix_of_one_moment_is_caught_by_the_monodromy() -> None:
    """A without DX̂ has imaginary eigenvalues; variations that are integrated have not."""
    system, state = bar(), State(q={"th": 0.7}, v={"th": 4.0})
    found = mbconcord.linearize(system, state)
    form = found.to_json()
    form["matrices"]["A_rel"] = found.A.tolist()
    form["eigenvalues"] = [[s.real, s.imag] for s in np.linalg.eigvals(found.A)]
    said = judge(system, state, form)
    assert {said[x] for x in (MATRIX, MONODROMY_OF, ELSEWHERE)} == {"disagrees"}
    assert set(judge(system, state, found.to_json()).values()) == {"agrees"}


def test_a_field_whose_slope_is_wrong_is_caught_by_the_monodromy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other formalism's A_rel takes the same slope of the symmetry: only integration sees it."""
    system, state = bar(), State(q={"th": 0.7}, v={"th": 4.0})
    monkeypatch.setattr(FieldNumbers, "slope", lambda self, q, v: np.zeros((2 * len(q), 2 * len(q))))
    said = judge(system, state, mbconcord.linearize(system, state, witness=False).to_json())
    assert said[MATRIX] == "agrees" and said[MONODROMY_OF] == "disagrees"


@pytest.fixture(scope="module")
def spinning() -> tuple[dict[str, Any], Callable[[dict[str, Any]], dict[str, str]]]:
    """The form that is printed of a top, and what the second roads say of a form; they do not refute this one."""
    system, state, other = top(1.5, 0.4, 0.3, 0.05), State(v={"spin": 1.0}), registry.formalism("newton_euler")
    known = (near(system, state), other, equations(system, other, {}))
    form = mbconcord.linearize(system, state, witness=False).to_json()

    def verdicts(form: dict[str, Any]) -> dict[str, str]:
        return {c.quantity: c.verdict for c in orbit_evidence(system, *known, form)}

    assert "disagrees" not in verdicts(form).values()
    return form, verdicts


@pytest.mark.slow
@pytest.mark.parametrize(("key", "value"), [
    ("stable", True), ("kind", "equilibrium"), ("neutral", {"symmetry": [], "family": 1, "along": []}),
    ("neutral", {"symmetry": ["spin"], "family": 0, "along": []}), ("stability", "unstable, but not much"),
    ("eigenvalues", [[0.0, 0.0]] * 5),
])  # fmt: skip
def test_what_is_printed_wrong_is_seen(
    spinning: tuple[dict[str, Any], Callable[[dict[str, Any]], dict[str, str]]], key: str, value: object
) -> None:
    form, verdicts = spinning
    assert "disagrees" in verdicts(form | {key: value}).values()


@pytest.mark.slow
def test_stable_without_witnesses_is_not_founded() -> None:
    """No number without a witness: stable alone is exit code 3."""
    system, state = top(1.5, 0.4, 0.3, 0.05), State(v={"spin": 1e3})
    told = mbconcord.linearize(system, state)
    assert told.stable is True and told.is_founded and told.verdict == "agrees"
    assert not mbconcord.linearize(system, state, witness=False).is_founded


KAPITZA = "j(0.1*cos(60*t)) > z(a) j1 $1 [0,0,0] g9.81-y"


def judge_period(form: dict[str, Any], system: System, state: State) -> dict[str, str]:
    """Return the verdicts about a printed periodic motion."""
    other = registry.formalism("newton_euler")
    said = period_evidence(system, near(system, state, timed=True), other, equations(system, other, {}), form)
    return {c.quantity: c.verdict for c in said}


@pytest.fixture(scope="module")
def kapitza() -> dict[str, Any]:
    found = mbconcord.linearize(mbsd(KAPITZA), t=0)
    assert found.verdict == "agrees" and found.stable is True and found.is_founded
    assert {c.quantity for c in found.comparisons} >= {PERIODIC, VOLUME, FLOQUET, "equations after the period"}
    return found.to_json()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "value", "seen"), [
    ("period", 0.1, {PERIODIC, "equations after the period"}),
    ("multipliers", [[0.954963140208, 0.296723], [0.954963140208, -0.296723]], {FLOQUET}),
    ("multipliers", [[0.954963140208, 0.296724452722]], {FLOQUET}),
    ("monodromy", [[0.95496314, 0.1271098], [-0.69267202, 0.9549632]], {PERIODIC, VOLUME}),
    ("stable", None, {"stable"}),
    ("stability", "asymptotically stable: all multipliers are inside the unit circle", {"stable"}),
    ("stability", "unstable: a multiplier is outside the unit circle", {"stable"}), ("kind", "steady", {"stable"}),
])  # fmt: skip
def test_what_is_printed_wrong_of_a_periodic_motion_is_seen(
    kapitza: dict[str, Any], key: str, value: Any, seen: set[str]
) -> None:
    form = kapitza | {"matrices": dict(kapitza["matrices"]), "periodic": dict(kapitza["periodic"])}
    place = form["matrices"] if key == "monodromy" else form["periodic"] if key in form["periodic"] else form
    place[key] = value
    said = judge_period(form, mbsd(KAPITZA), State(t=0.0))
    assert {quantity for quantity, verdict in said.items() if verdict == "disagrees"} >= seen


TERMS = ("x-y", "x'-y'", "x'-1", "(x-y)^3", "(x'-y')^3", "(x'-1)^3", "(x-y)^2*(x'-1)", "(x'-1)*(y'-1)")
FACTORS = st.lists(st.sampled_from([-2.0, -0.5, 0.0, 0.0, 0.0, 0.5, 2.0]), min_size=len(TERMS), max_size=len(TERMS))


@settings(max_examples=12, deadline=None)
@given(FACTORS, FACTORS)
@example([0.0] * 5 + [2.0, 0.0, 0.0], [0.0] * 8)  # a free cart that a cube drives away from 1 m/s
@example([-2.0, -0.5] + [0.0] * 6, [2.0, 0.5] + [0.0] * 6)  # two carts on a spring with a damper
@example(
    [-2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0]
)  # a spring that a cube feeds
@example([0.0] * 6 + [2.0, 0.0], [0.0] * 8)
def test_nobody_calls_stable_what_grows(one: list[float], two: list[float]) -> None:
    """Two carts that go on at 1 m/s: near it, the motion itself decides what is called stable."""
    forces = ["+".join(f"({c}*({x}))" for c, x in zip(line, TERMS, strict=True) if c) or "0" for line in (one, two)]
    system = mbsd(f'u(x)"({forces[0]}) $1 \\ u(y)"({forces[1]}) $1')
    found = near(system, State(v={"x": 1.0, "y": 1.0}))
    assert found.kind == "steady"
    if found.stable is not True:
        return
    far = 1e-3 if found.stability.startswith("asymptotically") else 0.2
    for angle in (0.3, 1.9, 4.0):
        start = State(q={"x": far * cos(angle), "y": 0.0}, v={"x": 1 + far * sin(angle), "y": 1 - far * sin(2 * angle)})
        run = mbconcord.simulate(system, 30.0, q=start, witness=False).to_frame()
        apart = np.abs(np.array([run["x"] - run["y"], run["x'"] - 1, run["y'"] - 1]))
        if found.stability.startswith("neutral") or (not one[0] and not two[0]):
            apart = apart[1:]  # of carts that no spring holds the distance is a place on the orbit
        assert apart.max() <= 30 * far


@pytest.mark.slow
@pytest.mark.parametrize(("spun", "w"), [("c", 1.0), ("a", 2.0), ("b", 1.5)])
def test_a_free_body_turns_in_many_frames_that_one_judge_takes_for_one(spun: str, w: float) -> None:
    """Turns about the body leave it where it is beside turns of everything: imaginary parts are those of a frame."""
    body = mbconcord.Mechanism("free").body("body", mass=1, inertia=(1, 2, 3))
    for axis in "xyz":
        body = body.slides(axis, axis)
    for name, axis in zip("abc", "zyx", strict=True):
        body = body.turns(name, axis)
    rates = dict.fromkeys(("x", "y", "z", "a", "b", "c"), 0.0) | {spun: w}
    found = mbconcord.linearize(body, q=dict.fromkeys(rates, 0.0), v=rates)
    assert found.kind == "steady" and found.verdict == "agrees"
    assert found.stable is (spun != "b")
    about = {"c": 1, "b": 2, "a": 3}[spun]
    p, r = (x for x in (1, 2, 3) if x != about)
    nutation = w * abs((about - p) * (about - r) / (p * r)) ** 0.5
    assert any(abs(abs(s) - nutation) < 1e-9 for s in found.eigenvalues)
