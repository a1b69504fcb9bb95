"""Springs that are wound: sums of turns where joints keep the axis, elsewhere it is said where a law jumps."""

from __future__ import annotations

from math import asin, asinh, pi, sin

import pytest

import mbconcord
from mbconcord import Mechanism
from mbconcord.formalisms import registry
from mbconcord.model import State, rotation
from mbconcord.model.expressions import PI_NODE, ZERO, evaluate_float
from mbconcord.model.turns import sum_of_turns


def disc(rate: float = 5.0, **more: float) -> Mechanism:
    return Mechanism("d").body("d", mass=1, inertia=(0.6, 0.6, 1)).turns("q", about="z", rate=rate, **more)


@pytest.mark.slow
def test_a_wound_spring_pulls_back() -> None:
    """1 N m/rad on 1 kg m², 5 rad/s: q = 5 sin t, up to 5 rad; every formalism and witness has its moment."""
    spring = disc().torsion("s", None, "d", stiffness=1)
    found = mbconcord.simulate(spring, 1.5)
    assert found.q[-1, 0] == pytest.approx(5 * sin(1.5), abs=1e-8) and not found.diagnostics
    for name in registry.names():
        if not registry.formalism(name).obstacles(spring.build()):
            assert mbconcord.evaluate(spring, q=[7.0], v=[0.0], formalism=name)["applied"] == pytest.approx([-7.0])
    evidence = mbconcord.check(spring, states=[State(q={"q": x}) for x in (-9.0, 3.2, 7.0)], simulate=1.5)
    assert evidence.verdict == "agrees"
    assert mbconcord.compare(spring, disc().effort("s", "q", "-q")).verdict == "agrees"


@pytest.mark.parametrize("name", ["lagrange", "konoplev", "newton_euler", "virtual_work"])
def test_joints_bear_what_a_wound_spring_exerts(name: str) -> None:
    """Wound to 7 rad by 1 N m/rad, 1 kg m²: the axis bears no moment; a body welded on top bears the spring's."""
    free = mbconcord.evaluate(
        disc().torsion("s", None, "d", stiffness=1), [7.0], quantities="joint_forces", formalism=name
    )
    assert free["joint_forces"][0][5] == pytest.approx(0.0, abs=1e-9)
    welded = disc().body("e", on="d", mass=1).torsion("s", None, "e", stiffness=1)
    found = mbconcord.evaluate(welded, [7.0], quantities="joint_forces", formalism=name)
    assert found["joint_forces"][1][5] == pytest.approx(7.0, abs=1e-9)


def test_wrenches_of_a_wound_torsion_stand_in_its_bodies() -> None:
    """Between two moving bodies, by frames that are turned: the joint above bears the moment about its own axis."""
    chain = (
        Mechanism("c").body("a", mass=1, inertia=(1, 1, 1)).turns("p", about="z")
        .body("b", on="a", mass=1, inertia=(1, 1, 1)).turns("q", about="-y")
    )  # fmt: skip
    quarter = (rotation("x", PI_NODE / 2),)
    made = chain.torsion("s", ("a", quarter), ("b", (rotation("y", 0.3), *quarter)), stiffness=2, damping=3).build()
    at = [State(q={"p": 0.4, "q": 7.0}, v={"p": 0.5, "q": 0.2})]
    found = {
        name: mbconcord.evaluate(made, at, quantities="joint_forces", formalism=name)["joint_forces"]
        for name in ("lagrange", "konoplev", "newton_euler", "virtual_work")
    }
    assert sum_of_turns(made, made.forces[0]) is not None
    for name in found:
        assert found[name] == pytest.approx(found["newton_euler"], abs=1e-10), name


def test_turns_of_several_joints_are_summed() -> None:
    """Joints turn about the axis or against it; the angle counts from that of the frames where all are zero."""
    chain = (
        Mechanism("c").body("a", mass=1, inertia=(1, 1, 1)).turns("p", about="-y")
        .body("b", on="a", mass=1, inertia=(1, 1, 1)).turns("q", about="y").slides("x", along="y")
    )  # fmt: skip
    quarter = rotation("x", PI_NODE / 2), rotation("z", 1)
    made = chain.torsion("s", (None, quarter[:1]), ("b", quarter), stiffness=1).build()
    (force,) = made.forces
    turns = sum_of_turns(made, force)
    assert turns is not None
    assert evaluate_float(turns, {"p": 0.0, "q": 0.0}) == pytest.approx(1.0, abs=1e-15)
    assert evaluate_float(turns, {"p": 7.0, "q": 0.0}) == pytest.approx(1 + 7.0, abs=1e-14)
    assert evaluate_float(turns, {"p": 0.0, "q": 9.0}) == pytest.approx(1 - 9.0, abs=1e-14)
    state = {"p": 4.0, "q": -5.0, "x": 1.0}
    assert mbconcord.check(made, states=[State(q=state)]).verdict == "agrees"


def test_other_joints_keep_the_angle_of_atan2() -> None:
    made = Mechanism("b").body("d", mass=1, inertia=(0.6, 0.6, 1)).turns("a", about="x").turns("q", about="z")
    made = made.torsion("s", None, "d", stiffness=1)
    assert sum_of_turns(made.build(), made.build().forces[0]) is None
    assert mbconcord.evaluate(made, q=[0.0, 5.0], v=[0.0, 0.0])["applied"] == pytest.approx([0, 2 * pi - 5])
    near = disc().body("e", on="d", mass=1).turns("k", about=(0, 1, 0)).torsion("s", None, "e", stiffness=1).build()
    assert sum_of_turns(near, near.forces[0]) is None
    slid = Mechanism("l").body("e", mass=1).slides("x", along="z").torsion("s", None, "e", stiffness=1).build()
    assert sum_of_turns(slid, slid.forces[0]) is ZERO


@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
def test_a_run_says_when_an_angle_jumped(method: str) -> None:
    """5 sin t = π: from there the moment pushes on, as the formula says."""
    spread = Mechanism("b").body("d", mass=1, inertia=(0.6, 0.6, 1)).turns("a", about="x", rate=1e-9)
    found = mbconcord.simulate(
        spread.turns("q", about="z", rate=5).torsion("s", None, "d", stiffness=1), 1, method=method
    )
    (said,) = found.diagnostics
    assert said.place == "forces/s" and said.severity == "warning" and "jumps by a whole turn" in said.message
    assert float(said.message.split()[3]) == pytest.approx(asin(pi / 5), abs=1e-7)


def test_a_run_says_when_a_bushing_passed_a_quarter_turn() -> None:
    """q'' = -sin q from q = 0 with q' = 2 moves on the separatrix: tan(q/2) = sinh t, so q = π/2 at t = asinh 1."""
    bushing = disc(2.0).bushing("s", None, "d", stiffness=(0, 0, 0, 0, 0, 1))
    found = mbconcord.simulate(bushing, 3.0)
    (said,) = found.diagnostics
    assert "past a quarter turn" in said.message
    assert float(said.message.split()[3]) == pytest.approx(asinh(1), abs=1e-7)
    assert not mbconcord.simulate(bushing, 0.8).diagnostics
    assert not mbconcord.simulate(disc(2.0).bushing("s", None, "d", stiffness=(0, 0, 9, 0, 0, 0)), 3.0).diagnostics


def test_a_state_past_a_quarter_turn_is_told() -> None:
    bushing = disc().bushing("s", None, "d", stiffness=(0, 0, 0, 0, 0, 1))
    (said,) = mbconcord.evaluate(bushing, q=[2.0], v=[0.0]).diagnostics
    assert "past a quarter turn" in said.message
    assert not mbconcord.evaluate(bushing, q=[1.5], v=[0.0]).diagnostics
    assert any("quarter turn" in d.message for d in mbconcord.linearize(bushing, q={"q": 2.0}).diagnostics)


def test_a_check_names_a_law_whose_states_stay_before_its_branch() -> None:
    bushing = disc().bushing("s", None, "d", stiffness=(0, 0, 0, 0, 0, 1))
    told = [
        [d.message for d in mbconcord.check(bushing, states=[State(q={"q": x})]).diagnostics if d.place == "forces/s"]
        for x in (0.5, 2.0)
    ]
    assert "no state turns it past a quarter turn" in told[0][0] and not told[1]
