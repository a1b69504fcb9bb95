"""Integrators beside what is known; dry friction, smoothed; what is said where steps become short."""

from __future__ import annotations

from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest

from mbconcord.model import Effort, Point, State, System
from mbconcord.model.constraint import PointCoincidence
from mbconcord.model.expressions import ZERO
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.simulation.motion.run import EnoughError
from mbconcord.simulation.motion.trajectory import PACKAGES, PURPOSES

from .runs import LOCKS, PENDULUM, crank_angle, go, in_line, mbsd

#: A block of 1 kg on a spring of 10 N/m with dry friction of 2 N, let go at 1 m.
FRICTION = "-10 x - 2 sign(x')"


def require(method: str) -> None:
    for package in PACKAGES[method]:
        pytest.importorskip(package, reason=f"{package}, of the extra [sim], is not installed")


def block(force: str = FRICTION) -> System:
    system = mbsd("u(x)°1 $1 #b")
    (x,) = system.coordinates
    return replace(system, coordinates=(replace(x, drive=Effort(parse_formula(force))),))


def test_every_method_says_what_it_is_for() -> None:
    assert PURPOSES.keys() == PACKAGES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("method", PACKAGES)
def test_a_closed_mechanism_is_followed_by_each(method: str) -> None:
    require(method)
    found = go(mbsd(PENDULUM), 1.0, 1e-9, method=method, step_out=0.25)
    assert found.stopped is None and [row.t for row in found.found] == [0, 0.25, 0.5, 0.75, 1.0]
    assert np.abs(found.q[-1] - (0.986291751131875, -0.165010853125541)).max() < 1e-5
    assert max(row.gap for row in found.found) < 1e-13
    assert max(abs(row.balance) for row in found.found) < 1e-4


@pytest.mark.parametrize("method", ["lsoda", "cvode"])
def test_multistep_codes_pass_positions_in_line(method: str) -> None:
    """They are not projected; accelerations at the nearest state on the constraints keep them on the branch."""
    require(method)
    system, state = in_line(2)
    found = go(system, 1.6, 1e-9, state, method=method, step_out=0.4)
    assert found.stopped is None
    assert abs(found.q[-1, 0] - crank_angle(2, 1.0, 1.6)) < 1e-5


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("method", ["lsoda", "cvode", "radau"])
def test_a_lock_up_stops_each(method: str) -> None:
    require(method)
    found = go(mbsd(LOCKS), 1.0, 1e-7, method=method, step_out=0.05)
    assert found.stopped is not None and found.stopped.severity == "error"
    assert 0.35 < found.reached < 0.3648639 and found.found[-1].gap < 1e-10


@pytest.mark.parametrize("method", ["dop853", "lsoda"])
def test_friction_takes_as_much_of_each_swing(method: str) -> None:
    """Between turns x moves about ±F/k: 2 F/k = 0.4 m are lost each half period, by 1e-6 where the width is 1e-5."""
    half = pi / sqrt(10)
    found = go(block(), half, 1e-9, method=method, step_out=half, slip=1e-5)
    assert found.q[-1, 0] == pytest.approx(-0.6, abs=2e-5)
    assert any("sign(x') jumps at rest" in d.message for d in found.diagnostics)


def test_the_error_is_a_part_of_the_width() -> None:
    half = pi / sqrt(10)
    widths = (1e-2, 1e-3, 1e-4)
    errors = [abs(go(block(), half, 1e-9, step_out=half, slip=s).q[-1, 0] + 0.6) for s in widths]
    assert all(error < s for error, s in zip(errors, widths, strict=True))
    assert errors[1] < errors[0] / 5 and errors[2] < errors[1] / 5


def test_where_it_sticks_another_method_is_named() -> None:
    """Pressed by half of what friction bears, it rests at once; an explicit method makes tiny steps."""
    found = go(block("1 - 2 sign(x')"), 0.2, 1e-8, slip=1e-4, step_out=0.1)
    (said,) = (d for d in found.diagnostics if "stiff" in d.message)
    assert "--method lsoda" in said.remedy
    other = go(block("1 - 2 sign(x')"), 0.2, 1e-8, slip=1e-4, step_out=0.1, method="lsoda")
    assert found.evaluations > 10 * other.evaluations
    assert not any("stiff" in d.message for d in other.diagnostics)


def test_a_sign_of_time_is_no_friction() -> None:
    found = go(block("-10 x + sign(t - 1)"), 1.5, 1e-8, step_out=0.5)
    assert not found.diagnostics


@pytest.mark.parametrize(
    ("force", "until", "method", "decay", "swing", "steps"),
    [
        # roots of s² + c s + k: both real, s = (c + √(c² - 4 k))/2; else -c/2 ± i √(k - c²/4)
        ("-4 x - 5000 x'", 10.0, "lsoda", "5e+03", "0", "8,197"),
        ("-4 x - 5000 x'", 1.0, "dop853", "5e+03", "0", None),
        ("-1e8 x - 100 x'", 10.0, "dop853", "50", "1e+04", None),
        ("-10 x", 10.0, "dop853", None, "3.2", None),
        ("1000 x' - 4 x", 30.0, "dop853", None, "0", None),
    ],
)
def test_auto_tells_stiff_models_by_their_eigenvalues(
    force: str, until: float, method: str, decay: str | None, swing: str, steps: str | None
) -> None:
    def enough(t: float, work: float) -> None:
        raise EnoughError("the estimate alone")

    found = go(block(force), until, 1e-6, State(q={"x": 1.0}), method="auto", told=enough)
    (said,) = (d.message for d in found.diagnostics if d.place == "method")
    assert found.method == method and said.startswith(f"auto chose {method}: at the start the fastest decay is ")
    assert decay is None or f" {decay} 1/s" in said
    assert said.partition("oscillation ")[2].startswith(f"{swing} rad/s")
    assert ("steps at least" in said) == (steps is not None) and (steps is None or f"take {steps} steps" in said)


def test_auto_looks_along_the_constraints() -> None:
    """Two blocks of 1 kg, held together, one of them damped: alone it would stop twice as fast."""
    system = mbsd("u(x)°0 $1 #b \\ u(y)°0 $1 #c")
    x, y = system.coordinates
    damped = replace(x, drive=Effort(parse_formula("-5000 x'")))
    pin = PointCoincidence("pin", Point("b", (ZERO,) * 3), Point("c", (ZERO,) * 3))
    moved = replace(system, coordinates=(damped, y), constraints=(pin,))
    found = go(moved, 10.0, 1e-6, method="auto")
    (said,) = (d.message for d in found.diagnostics if d.place == "method")
    assert found.method == "lsoda" and " 2.5e+03 1/s" in said


def test_auto_follows_a_stiff_motion_as_radau_does() -> None:
    own, other = (go(block("-4 x - 5000 x'"), 20.0, 1e-9, State(q={"x": 1.0}), method=m) for m in ("auto", "radau"))
    slow = (5000 - sqrt(5000**2 - 16)) / 2
    assert own.method == "lsoda"
    assert own.q[-1, 0] == pytest.approx(np.exp(-20 * slow), rel=1e-6)
    assert other.q[-1, 0] == pytest.approx(np.exp(-20 * slow), rel=1e-6)
