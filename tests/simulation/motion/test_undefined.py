"""Runs end where accelerations have no number, and name the law and its argument."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.integrate import quad

from mbconcord import Mechanism
from mbconcord.model.diagnostics import NumbersError
from mbconcord.simulation.motion.equations import MotionEquations
from mbconcord.simulation.motion.trajectory import PACKAGES

from .runs import go, mbsd

#: Evaluations after which a run does not end by itself.
ENDLESS = 50_000


@pytest.fixture(autouse=True)
def _ends(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, count = MotionEquations.evaluate, iter(range(ENDLESS))

    def evaluate(self: MotionEquations, *arguments: Any) -> Any:
        assert next(count, None) is not None, "the run does not end"
        return whole(self, *arguments)

    monkeypatch.setattr(MotionEquations, "evaluate", evaluate)


@pytest.fixture(params=list(PACKAGES))
def method(request: pytest.FixtureRequest) -> str:
    for package in PACKAGES[request.param]:
        pytest.importorskip(package, reason=f"{package}, of the extra [sim], is not installed")
    return str(request.param)


def slider(start: float = 0.0, rate: float = 0.0) -> Mechanism:
    return Mechanism("line").body("p", mass=1).slides("x", along="x", start=start, rate=rate)


def disc(rate: float) -> Mechanism:
    return Mechanism("disc").body("d", inertia=(1, 1, 1)).turns("q", about="z", start=0.5, rate=rate)


#: Name -> the machine at a rate, and what of which law has no number at the start.
STARTS = {
    "root": (lambda v: slider(0, v).effort("s", "x", "sqrt(x - 1)"), "sqrt(x - 1) has no value for x - 1 = -1"),
    "direction": (lambda v: slider(0, v).effort("s", "x", "x/sqrt(x^2)"), "a division by sqrt(x^2), which is 0"),
    "logarithm": (lambda v: slider(0, v).effort("s", "x", "log(x)"), "log(x) has no value for x = 0"),
    "arc": (lambda v: disc(v).effort("s", "q", "acos(q + 2)"), "acos(q + 2) has no value for q + 2 = 2.5"),
    "force": (lambda v: slider(0, v).force("s", "p", ("1/x", 0, 0)), "a division by x, which is 0"),
    "free length": (lambda v: slider(0, v).spring("s", None, "p", stiffness=4, length=1), "its points coincide"),
    "law": (lambda v: slider(2, v).bipolar("s", None, "p", "sqrt(1 - @)"), "sqrt(1 - @) has no value for 1 - @ = -1"),
    "moment": (
        lambda v: disc(v).wrench("s", "d", moment=(0, 0, "log(q - 1)")), "log(q - 1) has no value for q - 1 = -0.5",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize("name", STARTS)
def test_a_start_without_accelerations_is_refused_with_the_law(name: str, rate: float, method: str) -> None:
    machine, words = STARTS[name]
    with pytest.raises(NumbersError) as refused:
        go(machine(rate).build(), 1.0, method=method, step_out=0.5)
    (found,) = refused.value.diagnostics
    assert found.place == "forces/s" and found.remedy.startswith("start where"), found
    assert found.message == f"at t = 0 the accelerations have no number: {words}" or name == "free length"
    assert words in found.message


def test_a_prescribed_motion_without_a_rate_is_named(method: str) -> None:
    with pytest.raises(NumbersError, match=r"bodies/cart/joint/0: error: at t = 0 .*: a division by sqrt\(t\)"):
        go(mbsd("i(sqrt(t)) #cart > z(a)°30 -j1 $1 [0,0,0] g9.81-y"), 1.0, method=method)


def fall(u: float, sign: int) -> float:
    """Time in which u'' = -sign sqrt(u) comes from u with the rate -1 to zero: u'^2 = 1 + sign 4/3 (u0^1.5 - u^1.5)."""
    return float(quad(lambda x: (1 + sign * 4 / 3 * (u**1.5 - x**1.5)) ** -0.5, 0, u)[0])


#: Name -> a machine that gets to where a law ends, the time, and the law's argument.
LATER = {
    "position": (slider(0, 1).effort("s", "x", "sqrt(0.5 - x)"), fall(0.5, 1), "sqrt(0.5 - x) has no value for"),
    "time": (slider(0, 1).effort("s", "x", "sqrt(0.5 - t)"), 0.5, "sqrt(0.5 - t) has no value for 0.5 - t"),
    "distance": (slider(0.5, 1).bipolar("s", None, "p", "-sqrt(1 - @)"), fall(0.5, -1), "sqrt(1 - @) has no value for"),
}


@pytest.mark.parametrize("name", LATER)
def test_a_run_stops_where_a_law_ends(name: str, method: str) -> None:
    """Within the last step; rows until then are kept."""
    machine, end, words = LATER[name]
    found = go(machine.build(), 1.0, method=method, step_out=0.05)
    assert found.stopped is not None and found.stopped.place == "forces/s", found.stopped
    assert words in found.stopped.message and found.stopped.remedy.endswith("what was computed is kept")
    assert found.reached == pytest.approx(end, abs=1e-3)
    assert len(found.found) == 1 + int(found.reached / 0.05)
