"""Mechanisms without inertia whose constraints and time decide the motion: a four-bar turned by 10 t."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.model import Inertia
from mbconcord.model.coordinate import Coordinate, Motion
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import ZERO
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.records import replace

CRANK, COUPLER, ROCKER, BASE = 0.1, 0.3, 0.25, 0.3


def four_bar(crank: dict[str, Any], *, more: tuple[dict[str, Any], ...] = ()) -> Any:
    starts = {"a": 0.0} if "coordinate" in crank else {}
    starts |= {"b": 0.97338991, "c": 1.69612416}
    text = {
        "format": "mbconcord", "version": 1, "name": "four-bar",
        "coordinates": [{"name": name, "position": start} for name, start in starts.items()],
        "bodies": [
            {"name": "crank", "parent": None, "joint": [{"rotation": "z"} | crank]},
            {"name": "coupler", "parent": "crank",
             "joint": [{"translation": "x", "constant": CRANK}, {"rotation": "z", "coordinate": "b"}]},
            {"name": "rocker", "parent": None,
             "joint": [{"translation": "x", "constant": BASE}, {"rotation": "z", "coordinate": "c"}]},
        ],
        "constraints": [
            {"kind": "point_coincidence", "name": "loop",
             "first": {"body": "coupler", "position": [COUPLER, 0, 0]},
             "second": {"body": "rocker", "position": [ROCKER, 0, 0]}},
            *more,
        ],
    }  # fmt: skip
    return mbconcord.read(text=json.dumps(text), format="native")


def close_loop(angle: float) -> tuple[float, float]:
    """Angles of the coupler and the rocker by two circles; the coupler's towards the crank, modulo a turn."""
    x, y = CRANK * math.cos(angle), CRANK * math.sin(angle)
    distance = math.hypot(BASE - x, y)
    along = (COUPLER**2 - ROCKER**2 + distance**2) / (2 * distance)
    beside = math.sqrt(COUPLER**2 - along**2)
    ux, uy = (BASE - x) / distance, -y / distance
    px, py = x + along * ux - beside * uy, y + along * uy + beside * ux
    return math.atan2(py - y, px - x) - angle, math.atan2(py, px - BASE)


MOTOR = {"kind": "holonomic", "name": "motor", "expression": "a - 10*t"}
DRIVEN = {"prescribed": ({"prescribed": "10*t"}, ()), "a row": ({"coordinate": "a"}, (MOTOR,))}


@pytest.mark.slow
@pytest.mark.parametrize("driven", DRIVEN.values(), ids=DRIVEN)
def test_rows_and_time_decide_the_motion(driven: Any) -> None:
    crank, more = driven
    run = mbconcord.simulate(four_bar(crank, more=more), 1.0)
    b, c = close_loop(10.0)
    assert run.t[-1] == 1.0
    assert math.remainder(run.q[-1, -2] - b, 2 * math.pi) == pytest.approx(0, abs=1e-9)
    assert run.q[-1, -1] == pytest.approx(c, abs=1e-9)
    h = 1e-5
    before, after = close_loop(10 - 10 * h), close_loop(10 + 10 * h)
    assert run.v[-1, -2:] == pytest.approx([(y - x) / (2 * h) for x, y in zip(before, after, strict=True)], rel=1e-6)
    assert all("moved onto the constraints" in d.message for d in run.diagnostics if d.severity != "note")


@pytest.mark.slow
@pytest.mark.parametrize("driven", DRIVEN.values(), ids=DRIVEN)
def test_a_check_judges_accelerations_along_constraints(driven: Any) -> None:
    """All canonical quantities are zero, but accelerations are not."""
    crank, more = driven
    assert mbconcord.check(four_bar(crank, more=more)).verdict == "agrees"


def test_freedom_without_inertia_is_refused() -> None:
    model = four_bar({"coordinate": "a"})
    with pytest.raises(NumbersError, match="no inertia along a, b, c, and the rows leave 1 degree of freedom"):
        mbconcord.simulate(model, 1.0)


@pytest.mark.slow
def test_a_check_of_it_compares_nothing() -> None:
    assert mbconcord.check(four_bar({"coordinate": "a"})).verdict == "not checked"


def arm(*accelerations: str | None) -> Any:
    """Two bars without mass, each driven by an acceleration or by nothing."""
    model = mbconcord.read(text="z(a) i(0.5) #upper > z(b) i(0.4) #hand", format="mbsd", physics="ignore").system
    drives = [None if x is None else Motion(parse_formula(x)) for x in accelerations]
    starts = (("a", 0.3, 1), ("b", 0.4, 2))
    coordinates = [Coordinate(*start, drive) for start, drive in zip(starts, drives, strict=True)]  # type: ignore[arg-type]
    bodies = tuple(replace(body, inertia=Inertia(ZERO)) for body in model.bodies)
    return replace(model, coordinates=tuple(coordinates), bodies=bodies)


def test_positions_and_rates_of_a_frame_need_no_inertia() -> None:
    found = mbconcord.evaluate(arm(None, None), quantities=["position(hand)", "velocity(hand)"])
    assert not [d for d in found.diagnostics if d.severity == "error"]
    moved = mbconcord.evaluate(arm(None, None), a=[0.5, -1.0], quantities="acceleration(hand)")
    assert moved["acceleration(hand)"] == pytest.approx([-3.17613663, -2.38107809, 0])


def test_accelerations_of_a_frame_are_refused_with_what_to_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mbconcord.convert(arm(None, None), tmp_path / "arm.mbs.json")
    main(["evaluate", str(tmp_path / "arm.mbs.json"), "--quantity", "acceleration(hand)"])
    said = capsys.readouterr().err
    assert "no inertia along a, b" in said
    assert "or hold it: --hold a, or give its acceleration" in said
    with pytest.raises(NumbersError, match="impose its acceleration by a drive"):
        mbconcord.simulate(arm(None, None), 1.0)
    with pytest.raises(NumbersError, match="no inertia along b, and the rows leave 1 degree of freedom"):
        mbconcord.simulate(arm("1", None), 1.0)


def test_imposed_accelerations_decide_a_motion_that_is_judged() -> None:
    """Accelerations have a scale, though no inertia gives one."""
    evidence = mbconcord.check(arm("sin(t)", "-b"))
    assert evidence.verdict == "agrees"
    acceleration = [c for c in evidence.comparisons if c.quantity == "acceleration"]
    assert acceleration and not any(c.zero for c in acceleration)
    run = mbconcord.simulate(arm("2", "-b"), 0.5)
    assert run.q[-1] == pytest.approx([0.3 + 0.5 + 0.25, 0.4 * math.cos(0.5) + 2 * math.sin(0.5)], abs=1e-8)
