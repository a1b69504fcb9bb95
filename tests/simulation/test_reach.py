"""Points of bodies brought to their places, and legs that are too short."""

from __future__ import annotations

from math import hypot

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.model import State
from mbconcord.model.force import Point
from mbconcord.model.transformation import vector
from mbconcord.simulation.support import Reach

#: Two links of 0.5 m and 0.4 m about parallel axes, the tip in the frame of the second.
ARM = read_text("z(q1) i(0.5) > z(q2) i(0.4) $1", format="mbsd", physics="ignore").system
TIP = Point(ARM.bodies[-1].name)


@pytest.mark.parametrize("place", [(0.6, 0.3, 0), (0.2, -0.7, 0), (-0.5, 0.1, 0)])
def test_what_is_near_is_reached(place: tuple[float, float, float]) -> None:
    found = Reach(ARM, [TIP]).reach_places(State(0, {"q1": 0.1, "q2": 0.4}), [place])
    assert found.short == () and found.gaps[0] < 1e-12
    assert set(found.state.q) == {"q1", "q2"}


def test_of_two_ways_the_nearer_one_is_found() -> None:
    reach = Reach(ARM, [TIP])
    up, down = (reach.reach_places(State(0, {"q1": -s * 0.3, "q2": s * 0.8}), [(0.7, 0, 0)]).state for s in (1, -1))
    assert up.q["q2"] > 0 > down.q["q2"]
    assert up.q["q2"] == pytest.approx(-down.q["q2"], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("place", [(1.2, 0.5, 0), (0.0, 0.03, 0), (0.6, 0.3, 0.25)])
def test_how_far_a_leg_falls_short(place: tuple[float, float, float]) -> None:
    """Outside of the ring between 0.1 m and 0.9 m, or off the plane."""
    found = Reach(ARM, [TIP]).reach_places(State(0, {"q1": 0.1, "q2": 0.4}), [place])
    radius = hypot(place[0], place[1])
    short = hypot(max(radius - 0.9, 0.1 - radius, 0.0), place[2])
    assert found.short == (0,)
    assert found.gaps[0] == pytest.approx(short, rel=1e-6)


def test_a_point_beside_the_origin_is_what_arrives() -> None:
    found = Reach(ARM, [Point(TIP.body, vector((0.2, 0, 0)))]).reach_places(State(), [(1.05, 0.1, 0)])
    assert found.short == ()
