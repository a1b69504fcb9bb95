"""Steady motions with given values are found; numbers by closed forms."""

from __future__ import annotations

from dataclasses import replace
from math import acos, cos, sin, sqrt
from pathlib import Path

import pytest

import mbconcord
from mbconcord.api import equilibrium as api
from mbconcord.formalisms import registry
from mbconcord.model import NumbersError, State
from mbconcord.simulation.linear.following import find_relative_equilibrium

from ...cli.commands import Run, runner
from .machines import hoop, mbsd, near, sleigh, top

run = pytest.fixture(runner)
#: A shaft about the vertical that turns freely, and an arm of 1 m with 1 kg at its end, which swings out.
GOVERNOR = "z(psi)'4 $0 [1,1,5] > y(b)°50 -k1 $1 [0,0,0] g9.81-z"
SHAKEN = 'z(psi) $0 [1,1,5] > u(x)"(sin(t)-x) $1'


@pytest.mark.parametrize("by", ["lagrange", "newton_euler", "virtual_work"])
@pytest.mark.parametrize("spin", [4.0, 6.0, -4.0])
def test_the_arm_of_a_governor_hangs_where_its_spin_holds_it(by: str, spin: float) -> None:
    """L ω² cos b = g."""
    found = mbconcord.equilibrium(mbsd(GOVERNOR), steady={"psi'": spin}, formalism=by)
    assert abs(found.state.q["b"]) == pytest.approx(acos(9.81 / spin**2), abs=1e-12)
    assert found.state.v == pytest.approx({"psi": spin, "b": 0.0}, abs=1e-12)
    assert found.along == pytest.approx({"psi": spin}) and (found.families, found.verdict) == (0, "agrees")
    assert {c.a for c in found.comparisons if c.quantity.startswith("acc")} > {"lagrange", "newton_euler", "konoplev"}


def test_what_is_not_given_stays_near_the_start() -> None:
    """With the angle given the spin follows; without any value one family is left."""
    model = mbsd(GOVERNOR)
    found = mbconcord.equilibrium(model, steady={"b": 1.0})
    assert found.state.v["psi"] == pytest.approx(sqrt(9.81 / cos(1.0)), rel=1e-12) and found.families == 0
    free = mbconcord.equilibrium(model, steady={})
    b, spin = free.state.q["b"], free.state.v["psi"]
    assert spin**2 * cos(b) == pytest.approx(9.81, rel=1e-12) and abs(spin - 4) < 1 and free.families == 1
    assert any("1 family of steady motions have these values" in str(d) for d in free.diagnostics)


def test_a_top_precesses_steadily_and_nutates() -> None:
    """A Ω² cos θ - C s Ω + m g l = 0 about z, s the spin along its axis; nutation by Ω, θ and s."""
    A, C, load, tilt, precession = 0.3, 0.05, 1.5 * 9.81 * 0.4, 0.6, 2.0
    start = State(q={"tilt": -tilt}, v={"lean": -precession * sin(tilt), "spin": 60.0})
    found = mbconcord.equilibrium(top(1.5, 0.4, A, C), start, steady={"tilt": -tilt, "spin'": 60.0})
    assert found.families == 0 and found.verdict == "agrees"
    whole = found.along["rotation about z"]
    s = 60.0 + found.state.v["lean"] * sin(0.0)  # at lean = 0 the axis of the spin is across tilt and lean
    assert A * whole**2 * cos(tilt) - C * s * whole + load == pytest.approx(0, abs=1e-10)
    judged = near(top(1.5, 0.4, A, C), found.state)
    nutation = sqrt((whole * sin(tilt)) ** 2 + (2 * whole * cos(tilt) - C * s / A) ** 2)
    assert judged.kind == "steady" and max(x.imag for x in judged.eigenvalues) == pytest.approx(nutation, rel=1e-8)


def test_constraints_on_rates_and_motions_that_time_prescribes() -> None:
    """A blade of Chaplygin's sleigh lets it go straight; a bead in a driven hoop rests where r ω² cos φ = g."""
    found = mbconcord.equilibrium(sleigh(), State(q={"heading": 0.3}), steady={"heading": 0.3, "x'": 2.0})
    assert found.state.v == pytest.approx({"x": 2.0, "y": 2 * sin(0.3) / cos(0.3), "heading": 0.0}, abs=1e-12)
    lagrange = registry.formalism("lagrange")
    rest = find_relative_equilibrium(hoop(5.0), lagrange, State(t=0.3, q={"angle": 0.9}), {}, timed=True).state
    assert rest.q["angle"] == pytest.approx(acos(9.81 / 25), abs=1e-12) and rest.v["angle"] == 0
    assert near(hoop(5.0), rest, timed=True).equilibrium


@pytest.mark.parametrize(("text", "steady", "said"), [
    (GOVERNOR, {"phi'": 4.0}, "steady/phi': error: no such coordinate or rate"),
    (GOVERNOR, {"psi'": float("nan")}, "steady/psi': error: found nan"),
    (GOVERNOR, {"psi'": 4.0, "b'": 1.0}, "no steady motion near the start"),
    ("z(a) -j1 $1 [0,0,0] g9.81-y", {"a'": 1.0}, "beside the symmetries, none"),
    (SHAKEN, {"psi'": 1.0}, "t: error: the equations depend on the time"),
])  # fmt: skip
def test_what_is_wrong_is_named(text: str, steady: dict[str, float], said: str) -> None:
    with pytest.raises(NumbersError) as refused:
        mbconcord.equilibrium(mbsd(text), steady=steady)
    assert said in str(refused.value)


def test_constraints_that_do_not_admit_a_value_name_it() -> None:
    with pytest.raises(NumbersError, match=r"the constraints do not admit .*y' = 1") as refused:
        mbconcord.equilibrium(sleigh(), steady={"heading": 0.0, "heading'": 0.0, "x'": 2.0, "y'": 1.0})
    assert "give other values" in str(refused.value)


def test_a_state_without_numbers_on_the_way_is_located() -> None:
    with pytest.raises(NumbersError):
        mbconcord.equilibrium(mbsd("z(psi)'4 $0 [1,1,5] > u(x)°0 u(y)\"(1/x) $1"), steady={"psi'": 4.0})


def test_the_witness_catches_a_wrong_state_a_wrong_factor_and_a_value_that_was_not_asked() -> None:
    """Each printed number is compared: rates and accelerations with the symmetries, and by every formalism."""
    system = mbsd(GOVERNOR)
    found = mbconcord.equilibrium(system, steady={"psi'": 4.0})
    every, form = [registry.formalism(name) for name in registry.names()], found.to_json()
    q = {**form["state"]["q"], "b": form["state"]["q"]["b"] + 1e-6}
    for wrong, quantity in (
        ({"state": {**form["state"], "q": q}}, "accelerations of the steady motion"),
        ({"along": {"psi": 4.000001}}, "rates of the steady motion"),
        ({"accelerations": {"psi": 0.0, "b": 1e-3}}, "accelerations of the steady motion"),
        ({"given": {"psi'": 4.1}}, "definitions"),
    ):
        said = api.steady_evidence(system, found, every, [], {**form, **wrong})
        assert quantity in {c.quantity for c in said if c.verdict == "disagrees"}
    assert all(c.verdict == "agrees" for c in api.steady_evidence(system, found, every, [], form))


def test_on_the_command_line(run: Run) -> None:
    Path("governor.mbsd").write_text(GOVERNOR, encoding="utf-8")
    done = run("equilibrium", "governor.mbsd", "--steady", "psi'=4", "--output", "out.json")
    assert done.code == 0 and "governor: steady motion by lagrange, t = 0 s: 4 along psi" in done.out, done.err
    assert f"{acos(9.81 / 16):.12g}" in done.out and "agrees: lagrange, symmetries, newton_euler" in done.out
    judged = run("linearize", "governor.mbsd", "--at", "out.json")
    assert "in steady motion (4 along psi), stable in the linear equations" in judged.out
    form = run("equilibrium", "governor.mbsd", "--steady", "psi'=4", "--json").json
    assert (form["kind"], form["along"], form["not_checked"]) == ("steady", {"psi": 4.0}, ["families"])
    for option, said in (("psi'", "is not NAME=VALUE"), ("psi'=x", "--steady"), ("psi'=4,psi'=5", "has a value twice")):
        wrong = run("equilibrium", "governor.mbsd", "--steady", option)
        assert wrong.code == 2 and said in wrong.err
    none = run("equilibrium", "governor.mbsd", "--steady", "b'=1", "--json")
    assert none.code == 2 and none.json["equilibrium"] is False and "nearest" in none.json


def test_the_printed_text_is_read_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from mbconcord.cli import equilibrium as command

    Path("governor.mbsd").write_text(GOVERNOR, encoding="utf-8")
    own = command.steady_text
    monkeypatch.setattr(command, "steady_text", lambda found, system: own(found, system).replace("0.9107", "0.9108"))
    done = run("equilibrium", "governor.mbsd", "--steady", "psi'=4")
    assert done.code == 1 and "disagrees" in done.out


def test_an_equilibrium_is_still_found_at_rest() -> None:
    """Without rates a start at rest stays at rest: an arm on a shaft that does not turn hangs down."""
    model = mbsd(GOVERNOR)
    found = mbconcord.equilibrium(model, State(q={"b": 0.3}, v={"psi": 0.0}), steady={})
    assert found.state.q["b"] == pytest.approx(0, abs=1e-12) and not any(found.state.v.values())
    assert replace(found, comparisons=()).verdict == "not checked"
