"""What motions say of models: agreement, and that what is wrong in one formalism, or in the integration, is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.api.mechanism import Mechanism
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import NumbersError, State, System
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import as_expression, symbol
from mbconcord.simulation.motion import projection
from mbconcord.simulation.motion import stretch as step
from mbconcord.validation.check import check
from mbconcord.validation.claims.motion import by_formalisms as checking
from mbconcord.validation.claims.motion import moving, starts_of
from mbconcord.validation.claims.motion.momentum import find_conserved_twists, name_twist
from mbconcord.validation.claims.motion.reversibility import irreversible
from mbconcord.validation.judge.evidence import Comparison, verdict

from ....simulation.linear.machines import ON_A_ROD, top
from ....simulation.motion.runs import LOCKS
from ...fakes import Altered, Failing, entry

TWO = ("lagrange", "newton_euler")
PENDULUM = "z(a)°20 -j1 $1 [0.1,0.1,0.1] > z(b) -j1 $1 [0.1,0.1,0.1] g9.81-y"
SUPPORT = "i(sin(3*t)) n(t^2) > z(a)°20 -j1 $1 [0.1,0.1,0.1] g9.81-y"
#: A dumb-bell of two bodies that turns and shifts freely, without weight.
FREE = "u(x) v(y) z(a) $2 [1,1,1] > z(b)°30 i1 $1 [0.2,0.3,0.4]"


def mbsd(text: str) -> System:
    return read_text(text, format="mbsd").system


def fixture(file: str) -> System:
    return read(folder() / file).system


def told(
    system: System,
    formalisms: Sequence[str | Formalism] = TWO,
    span: float = 0.2,
    starts: Sequence[State] | None = None,
) -> tuple[dict[str, list[Comparison]], Any, Any]:
    """Comparisons by quantity, notes and the horizon of motions."""
    asked = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms]
    begun = starts_of(system, starts, State(), 0)
    found, notes, horizon = moving(system, asked, begun, span)
    by: dict[str, list[Comparison]] = {}
    for c in found:
        by.setdefault(c.quantity, []).append(c)
    return by, [d.message for d in notes], horizon


def wrong(by: dict[str, list[Comparison]]) -> set[tuple[str, str]]:
    """Quantities that disagree, and who is meant: the altered one wherever it takes part."""
    red = [c for cs in by.values() for c in cs if c.verdict == "disagrees"]
    return {(c.quantity, "altered" if "altered" in (c.a, c.b) else c.a) for c in red}


#: The same with the joint beside both centres: turning about centres and moving about the origin give to each other.
BESIDE = "u(x) v(y) z(a) i0.5 $2 [1,1,1] > i0.5 z(b)°80 i1 $1 [0.2,0.3,0.4]"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "formalisms", "quantities", "silent"),
    [
        (BESIDE, TWO, {"energy balance", "momentum", "motion there and back"}, ["drift"]),
        (PENDULUM, TWO, {"energy balance", "motion there and back"}, ["momentum", "drift"]),
        (SUPPORT, TWO, {"energy balance"}, ["momentum", "drift", "depends on the time"]),
        (FREE, TWO, {"energy balance", "momentum", "motion there and back"}, ["drift"]),
    ],
)
def test_motions_agree(text: str, formalisms: Any, quantities: set[str], silent: list[str]) -> None:
    by, notes, horizon = told(mbsd(text), formalisms)
    assert by.keys() == quantities | {"motion: positions", "motion: rates"}
    assert verdict([c for cs in by.values() for c in cs]) == "agrees" or not by
    assert {c.verdict for cs in by.values() for c in cs} == {"agrees"}
    assert horizon.reached == 0.2 and horizon.starts == 2 and not horizon.reason
    for word, note in zip(silent, notes[1:], strict=True):
        assert word in note and "not checked: " in note
    assert "from 2 starts to 0.2 s" in notes[0] and "errs by 1e-11" in notes[0]


@pytest.mark.slow
def test_closed_motions_agree() -> None:
    start = State(q={"q1": -1.2}, v={"q1": 1.0})
    by, _, horizon = told(fixture("um/four_bar/input.dat"), ("lagrange", "konoplev"), 0.1, [start])
    assert {c.verdict for cs in by.values() for c in cs} == {"agrees"}
    assert {"drift of constraints, position", "drift of constraints, rates", "energy balance"} <= by.keys()
    assert horizon.reached == 0.1 and horizon.starts == 1


def twists(system: System, start: State) -> list[str]:
    """Names of the momenta that are conserved."""
    runner = checking.Runner(system, 0.1, {})
    by = checking.MotionWitness(registry.formalism("lagrange"), runner)
    moved, _, _ = checking._run_motions(runner, [by], start, 0)
    assert moved is not None
    return [name_twist(x) for x in find_conserved_twists([moved])]


@pytest.mark.slow
def test_momenta_that_are_conserved_are_found() -> None:
    """Of what is free in the plane all three; under weight those across it; of a top that about the vertical."""
    q = {"x": 0.2, "y": -0.1, "a": 0.3, "b": 0.5}
    v = {"x": 0.5, "y": 0.4, "a": 0.7, "b": -0.6}
    assert twists(mbsd(FREE), State(q=q, v=v)) == ["Px", "Py", "Lz"]
    assert twists(mbsd(FREE + " g9.81-y"), State(q=q, v=v)) == ["Px"]
    leaning = State(q={"tilt": 0.2, "lean": 0.3, "spin": 0.1}, v={"tilt": 0.5, "lean": -0.3, "spin": 3.0})
    assert twists(top(), leaning) == ["Lz"]
    made = Mechanism("beside").body("arm", mass=1, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1)).shift(x=2)
    beside = made.turns("a", about="z").build()  # of L about (2, 0), which is Lz - 2 Py
    assert twists(beside, State(v={"a": 1.0})) == ["Py - 0.5 Lz"]
    assert twists(mbsd(PENDULUM), State(v={"a": 1.0})) == []
    held = mbsd("u(x)°-1 v(y) $1 #bob \\ #bob :(1) < #0")  # a rod to the origin resists what turns not about it
    assert twists(held, State(v={"y": 1.0})) == ["Lz"]


def faulty(quantity: str, at: tuple[int, ...], change: Any) -> Altered:
    return Altered(entry(quantity, at, change), base="lagrange")


#: What is wrong with one formalism: the fault, the model, and which claims see it of that formalism.
FAULTS = {
    "a sign of h": (
        faulty("h", (0,), lambda x: -x), PENDULUM, {"motion: positions", "motion: rates", "energy balance"},
    ),
    "a part in 1e6 of a weight": (
        faulty("gravity", (1,), lambda x: x * (1 + 1e-6)), PENDULUM,
        {"motion: positions", "motion: rates", "energy balance"},
    ),
    "a damper that is not there": (
        faulty("applied", (0,), lambda x: x - symbol("a'") / 1000), PENDULUM,
        {"motion: positions", "motion: rates", "motion there and back"},
    ),
    "a push that nothing gives": (
        faulty("gravity", (0,), lambda x: x + 1e-4), FREE,
        {"motion: positions", "motion: rates", "energy balance", "momentum"},
    ),
    "an inertia": (
        faulty("M", (0, 0), lambda x: x * (1 + 1e-6)), FREE,
        {"motion: positions", "motion: rates", "energy balance", "momentum"},
    ),
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_one_formalism_is_seen(name: str) -> None:
    fault, text, claims = FAULTS[name]
    by, _, _ = told(mbsd(text), (*TWO, fault))
    assert wrong(by) == {(claim, "altered") for claim in claims}


def test_power_that_is_missing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a moving support: without -∂L/∂t the work is another."""
    honest = step.IntegrationProblem.power

    def without(self: Any, applied: Any, reactions: Any, explicit: float, v: Any) -> float:
        return honest(self, applied, reactions, 0.0, v)

    monkeypatch.setattr(step.IntegrationProblem, "power", without)
    by, _, _ = told(mbsd(SUPPORT))
    assert {q for q, _ in wrong(by)} == {"energy balance"}


def test_constraints_that_drift_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put back onto them: at these tolerances the gap is seen in a tenth of a second."""

    def left(self: Any, t: float, q: Any, v: Any, threshold: float) -> Any:
        return projection.Projected(q, v, 0.0, 0.0, 0.0)

    monkeypatch.setattr(projection.Projection, "__call__", left)
    start = State(q={"x": 0.6, "y": -0.8}, v={"x": 3.2, "y": 2.4})
    by, _, _ = told(mbsd(ON_A_ROD), ("lagrange", "konoplev"), 0.3, [start])
    assert {q for q, _ in wrong(by)} >= {"drift of constraints, position"}


@pytest.mark.slow
def test_one_that_fails_or_is_alone_is_told() -> None:
    by, _, _ = told(mbsd(PENDULUM), (*TWO, Failing()))
    assert [c.explanation for c in by["motion"]] == ["KeyError: 'no such thing'"]
    by, _, _ = told(mbsd(PENDULUM), ("lagrange",))
    (alone,) = by["motion"]
    assert alone.verdict == "not checked" and "only lagrange moves the model" in alone.explanation
    by, _, horizon = told(mbsd(PENDULUM), ("static_moments",))
    assert by["motion"][0].explanation == "no formalism moves the model" and horizon.words == "not in motion to 0.2 s"


def test_a_model_that_does_not_begin_is_told() -> None:
    by, _, horizon = told(mbsd("z(a) z(b) i1 $1 [0,0,0] g9.81-y"))
    (silent,) = by["motion"]
    assert silent.verdict == "not checked" and "no inertia along" in silent.explanation
    assert horizon.reached == 0 and "no inertia along" in horizon.reason


@pytest.mark.rest
@pytest.mark.slow
def test_a_mechanism_that_locks_is_compared_until_then() -> None:
    by, _, horizon = told(mbsd(LOCKS), ("lagrange", "konoplev"), 0.5, [State()])
    assert {c.verdict for cs in by.values() for c in cs} == {"agrees"}
    assert 0.1 < horizon.reached < 0.364864 and horizon.words.endswith(" of 0.5 s")


#: A force along a coordinate, and why its motion does not run back.
FORCES = {
    "-3*x": "", "-3*x'": "forces depend on rates", "x'^2": "forces depend on rates",
    "sin(t)": "the model depends on the time",
}  # fmt: skip


@pytest.mark.parametrize("effort", FORCES)
def test_forces_that_run_back(effort: str) -> None:
    made = Mechanism("m").body("b", mass=1, inertia=(0, 0, 0)).slides("x", along="x").effort("f", "x", effort)
    assert irreversible(made.build()) == FORCES[effort]


def test_imposed_accelerations_do_not_run_back() -> None:
    system = mbsd(PENDULUM)
    driven = replace(system.coordinates[0], drive=Motion(as_expression(1)))
    system = replace(system, coordinates=(driven, *system.coordinates[1:]))
    assert irreversible(system) == "drives impose accelerations"
    by, _, _ = told(system, span=0.1)
    assert {c.verdict for cs in by.values() for c in cs} == {"agrees"}
    assert by.keys() == {"motion: positions", "motion: rates", "energy balance"}


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("konoplev/gyrostat.mbs.json", "flywheels spin on as prescribed"),
        ("native/rubber_mounts.mbs.json", "forces depend on rates"),
        ("mbsd/moving_support.mbsd", "the model depends on the time"),
        ("native/chaplygin_sleigh.mbs.json", ""),
        ("elastic/planar_arm.mbs.json", ""),
    ],
)
def test_models_that_run_back(file: str, reason: str) -> None:
    assert irreversible(fixture(file)) == reason


@pytest.mark.slow
def test_the_verdict_says_up_to_when() -> None:
    evidence = check(mbsd(PENDULUM), formalisms=TWO, states=2, simulate=0.2)
    assert evidence.headline == "agrees, in motion to 0.2 s" and evidence.verdict == "agrees"
    assert evidence.to_json()["simulated"]["reached"] == 0.2
    still = check(mbsd(PENDULUM), formalisms=TWO, states=2)
    assert still.headline == "agrees" and "simulated" not in still.to_json()
    none = check(mbsd("z(a) z(b) i1 $1 [0,0,0] g9.81-y"), formalisms=TWO, states=2, simulate=0.2)
    assert none.headline.endswith(", not in motion to 0.2 s") and none.verdict == "not checked"


def test_given_states_are_starts() -> None:
    evidence = check(mbsd(PENDULUM), formalisms=TWO, given=[State(q={"a": 1.0}, v={"b": 2.0})], simulate=0.2)
    (c,) = (c for c in evidence.comparisons if c.quantity == "motion: positions")
    assert evidence.horizon is not None and evidence.horizon.starts == 1 and c.state is not None
    assert np.isfinite(c.state.q["a"])


def test_a_way_back_that_ends_early_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    run = checking.Runner.run
    stopped = Diagnostic("error", "simulate", "stopped at t = 0.1")

    def short(self: Any, by: Formalism, start: State, span: float | None = None) -> Any:
        found = run(self, by, start, span)
        ends = span is not None and by.name == "lagrange" and start.v["a"]
        return replace(found, trajectory=replace(found.trajectory, stopped=stopped)) if ends else found

    monkeypatch.setattr(checking.Runner, "run", short)
    by, notes, _ = told(mbsd(PENDULUM))
    assert {c.a for c in by["motion there and back"]} == {"newton_euler"}
    assert "motion there and back not checked: the way back ends early: stopped at t = 0.1" in notes


def test_a_formalism_without_numbers_is_not_left_out_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    run = checking.Runner.run

    def silent(self: Any, by: Formalism, start: State, span: float | None = None) -> Any:
        if by.name == "virtual_work":
            raise NumbersError(Diagnostic("error", "q", "no number"))
        return run(self, by, start, span)

    monkeypatch.setattr(checking.Runner, "run", silent)
    by, _, _ = told(mbsd(PENDULUM), (*TWO, "virtual_work"))
    (found,) = by["motion"]
    assert (found.a, found.verdict, found.explanation) == ("virtual_work", "not checked", "no number")
