"""Stops with a declared law: forces by hand, the motion of a ball beside an independent one, refusals."""

from __future__ import annotations

from typing import Any

import pytest

import mbconcord
from mbconcord.model import ModelError

HARD = {"law": "kelvin_voigt", "k": 10000, "c": 20}
SOFT = {"law": "hunt_crossley", "k": 10000, "d": "0.3"}


def ball(**stop: Any) -> mbconcord.System:
    made = mbconcord.Mechanism("ball").gravity(z="-9.81").body("b", mass=1).slides("z", along="z", start="0.6")
    return made.stop("floor", "z", **stop).build()


@pytest.mark.parametrize(
    ("law", "z", "v", "force"),
    [
        (HARD, 0.08, -1.0, 220.0), (HARD, 0.08, 20.0, 0.0), (HARD, 0.2, -9.0, 0.0), (HARD, 1.03, 2.0, -340.0),
        (SOFT, 0.08, -1.0, 260.0), (SOFT, 0.08, 4.0, 0.0), (SOFT, 0.2, -9.0, 0.0), (SOFT, 1.03, 2.0, -480.0),
    ],
)  # fmt: skip
def test_a_stop_presses_where_it_is_passed(law: dict[str, Any], z: float, v: float, force: float) -> None:
    """k δ + c δ': 10000·0.02 + 20·1, 10000·0.03 + 20·2; k δ (1 + d δ'): 200 (1 + 0.3), 300 (1 + 0.6)."""
    found = mbconcord.evaluate(ball(lower="0.1", upper=1, **law), q={"z": z}, v={"z": v})
    assert found["applied"][0] == pytest.approx(force, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("law", "rows"),
    [
        (HARD, {0.25: 0.2934375, 0.5: 0.3326119505360736, 1.0: 0.24002635253371835, 2.0: 0.1011325268335131}),
        (SOFT, {0.25: 0.2934375, 0.5: 0.2633571838834836, 1.0: 0.12275715732870875, 2.0: 0.0973931207560176}),
    ],
)
def test_a_ball_bounces_as_an_event_driven_integration_has_it(law: dict[str, Any], rows: dict[float, float]) -> None:
    made = mbconcord.simulate(ball(lower="0.1", **law), 2.0, step_out=0.25, tolerance=1e-10)
    found = {round(float(t), 9): float(q[0]) for t, q in zip(made.t, made.q, strict=True)}
    for t, z in rows.items():
        assert found[t] == pytest.approx(z, abs=1e-7)


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ({"lower": 1, "upper": 0, **HARD}, "the lower end 1 is not below the upper end 0"),
        ({**HARD}, "the stop has no end"),
        ({"lower": 0, "law": "kelvin", "k": 1}, "there is no law 'kelvin'"),
        ({"lower": 0, "law": "hunt_crossley", "k": 0}, "found 0, expected a number that is positive"),
        ({"lower": 0, "law": "hunt_crossley", "k": 1, "d": -1}, "found -1, expected a number that is not negative"),
        ({"lower": 0, "law": "hunt_crossley", "k": 1, "c": 1}, "hunt_crossley has no c"),
    ],
)
def test_stops_that_are_none_are_refused_where_they_are(stop: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=f"contacts/floor.*{words}"):
        ball(**stop)


def test_a_check_draws_states_on_both_sides() -> None:
    evidence = mbconcord.check(ball(lower="0.1", **SOFT), states=4)
    assert evidence.stands
    assert {s.q["z"] < 0.1 for s in evidence.states} == {True, False}


def test_a_sum_of_coordinates_is_stopped() -> None:
    """x - 2 y = 2.1 at the rate 2 is past 2 by 0.1: -(100·0.1 + 2·2) along x, twice as much against it along y."""
    made = mbconcord.Mechanism("two").parameters(r=2).body("a", mass=1).slides("x", along="x")
    made = made.body("b", mass=1).slides("y", along="x").stop("end", {"x": 1, "y": "-r"}, upper=2, **HARD)
    found = mbconcord.evaluate(made.build(), q={"x": 2.1}, v={"x": 1, "y": -0.5})
    assert found["applied"] == pytest.approx([-1040, 2080], rel=1e-12)
    text = mbconcord.write(made.build(), "native").text
    assert mbconcord.read(text=text, format="native").system == made.build()
    for sums, words in (({}, "neither coordinate nor"), ({"x": "y"}, "only parameters"), ({"u": 1}, "no coordinate")):
        with pytest.raises(ModelError, match=f"wrong.*{words}"):
            made.stop("wrong", sums, upper=2, **HARD).build()
