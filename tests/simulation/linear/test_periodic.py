"""Floquet multipliers decide the stability of a motion that returns after a period of its equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, exp, log, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.formalisms import registry
from mbconcord.model import JointEffort, State
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.simulation.linear.equations import equations
from mbconcord.simulation.linear.linearised import FROZEN
from mbconcord.simulation.linear.periodic import ACROSS, ON_CIRCLE, OUTSIDE, UNDECIDED, UPRIGHT
from mbconcord.simulation.linear.symmetry import find_period
from mbconcord.validation.claims.linear.orbit import period_evidence

from ...cli.commands import Run, runner
from .machines import G, mbsd, near

run = pytest.fixture(runner)
VAN_DER_POL = "u(x)\"((1-x^2)*x'-x) $1"
DUFFING = "u(x)\"(-10*x-x^3+sin(t)-x'/2) $1"


def shake(base: str, up: bool = True) -> System:
    """Return a pendulum of 1 m and 1 kg whose base moves along the vertical; at zero it stands, or hangs."""
    sign = "" if up else "-"
    return mbsd(f"j({base}) > z(a) {sign}j1 $1 [0,0,0] g9.81-y")


def integrate(stiffness: Callable[[float], float], T: float, steps: int = 4000) -> np.ndarray:
    """Return the multipliers of x'' = -k(t) x by the fourth-order method of Runge and Kutta."""
    Phi, h = np.eye(2), T / steps
    A = [np.array([[0.0, 1.0], [-stiffness(i * h / 2), 0.0]]) for i in range(2 * steps + 1)]
    for i in range(steps):
        a, b, c = A[2 * i : 2 * i + 3]
        k1 = a @ Phi
        k2 = b @ (Phi + h / 2 * k1)
        k3 = b @ (Phi + h / 2 * k2)
        Phi = Phi + h / 6 * (k1 + 2 * k2 + 2 * k3 + c @ (Phi + h * k3))
    return np.sort_complex(np.linalg.eigvals(Phi).astype(complex))


@pytest.mark.parametrize(("rate", "stable"), [(30, False), (60, True)])
def test_a_pendulum_stands_on_a_base_that_is_shaken_fast_enough(rate: int, stable: bool) -> None:
    """Kapitza's: the matrices of every moment are the same kind for both."""
    found = near(shake(f"0.1*cos({rate}*t)"), State(), timed=True)
    expected = integrate(lambda t: 0.1 * rate**2 * cos(rate * t) - G, 2 * pi / rate)
    assert found.kind == "periodic" and found.periodic and found.periodic.period == pytest.approx(2 * pi / rate)
    assert np.array(found.periodic.multipliers) == pytest.approx(expected, abs=1e-9)
    assert (found.stable, found.stability) == ((True, ON_CIRCLE) if stable else (False, OUTSIDE))
    assert not found.diagnostics and not found.eigenvalues and not found.steady


@pytest.mark.parametrize("w", ["2*sqrt(9.81)", "6.264183905346"])
def test_a_hanging_pendulum_swings_up_where_its_base_moves_twice_as_fast(w: str) -> None:
    found = near(shake(f"0.05*cos({w}*t)", up=False), State(), timed=True)
    assert found.periodic and found.stable is False
    assert [s.real for s in found.periodic.multipliers] == pytest.approx([-1.169874, -0.854793], abs=1e-6)
    assert log(1.169874) / found.periodic.period == pytest.approx(0.156422, abs=1e-6)
    assert found.periodic.period == pytest.approx(pi / sqrt(G))


@pytest.mark.parametrize(("formula", "period"), [
    ("sin(3*t)", 2 * pi / 3), ("sin(t)^2*x", 2 * pi), ("x*sin(3*t)+cos(2*t)", 2 * pi), ("sin(2*pi*5*t)", 0.2),
    ("exp(sin(1.3*t))", 2 * pi / 1.3), ("sin(x-4*t)", pi / 2), ("cos(t/3)+sin(-t/2)", 12 * pi),
    ("sin(t)+sin(sqrt(2)*t)", None), ("t*sin(t)", None), ("sin(t^2)", None), ("sin(t)+1e-9*t", None),
    ("sin(t)+sin(1.0000000001*t)", None), ("exp(-t)", None), ("x", None),
])  # fmt: skip
def test_periods_are_those_of_sines_and_proved(formula: str, period: float | None) -> None:
    made = equations(mbsd(f'u(x)"({formula}) $1'), registry.formalism("lagrange"), {})
    found = find_period(made)
    assert found == (period and pytest.approx(period, rel=1e-15))
    if period:
        assert find_period(made, period) == found and find_period(made, 3 * period) == pytest.approx(3 * period)
        assert find_period(made, 1.01 * period) is None and find_period(made, period * (1 + 1e-9)) is None


@pytest.mark.slow
@pytest.mark.parametrize(("text", "stable", "words"), [
    ("u(x)\"(-10*x*(1+sin(t))) $1", True, ON_CIRCLE),
    ("u(x)\"(-10*x*(1+sin(t))-x'/2) $1", True, UPRIGHT),
    ("u(x)\"(-10*x*(1+sin(t))+x'/2) $1", False, OUTSIDE),
    ("u(x)\"(-10*x*(1+sin(t))+x'^3) $1", None, UNDECIDED),  # it grows, and its multipliers are on the circle
    ("u(x)\"(-10*x*(1+sin(t))+x'*cos(t)) $1", None, UNDECIDED),  # it is damped as much as it is fed, up to rounding
    ("u(x)\"(-10*x*(1+sin(2*pi*1e9*t)/2)) $1", None, UNDECIDED),  # a growth of 1e-3 1/s would be rounding
    ("u(x)\"(-10*x*(1+sin(t))) v(y) $1", None, UNDECIDED),  # one at 1, twice
])  # fmt: skip
def test_what_multipliers_decide(text: str, stable: bool | None, words: str) -> None:
    found = near(mbsd(text), State(), timed=True)
    assert (found.kind, found.stable, found.stability) == ("periodic", stable, words)


@pytest.mark.parametrize(("text", "state"), [
    (DUFFING, State()),  # it does not return
    ("u(x)\"(-10*x*(1+sin(t))*(1+1e-9*t)) $1", State()),
    ("u(x)\"(-10*x*(1+sin(t))-abs(x-0.1)+0.1-x^2) $1", State(q={"x": 0.0}, v={"x": 1e-3})),
    (VAN_DER_POL, State(q={"x": 2.0})),  # no time, and no period is stated
])  # fmt: skip
def test_what_is_in_no_periodic_motion_is_not_judged(text: str, state: State) -> None:
    found = near(mbsd(text), state, timed=True)
    assert (found.kind, found.stable, found.stability) == ("neither", None, FROZEN) and found.periodic is None


@pytest.mark.slow
def test_a_limit_cycle_is_found_from_near_it() -> None:
    """Its period and amplitude are known from the literature to eleven digits."""
    found = near(mbsd(VAN_DER_POL), State(q={"x": 2.0}), period=6.6)
    assert found.periodic and found.periodic.period == pytest.approx(6.66328685932, abs=2e-11)
    assert (found.stable, found.stability) == (True, UPRIGHT)
    assert [s.real for s in found.periodic.multipliers] == pytest.approx([8.6e-4, 1.0], abs=5e-7)
    assert any("moved onto a motion that returns" in d.message for d in found.diagnostics)
    rows = mbconcord.simulate(mbsd(VAN_DER_POL), 6.66328685932, q=found.state, witness=False).to_frame()
    assert rows["x"].abs().max() == pytest.approx(2.00861986087, abs=1e-4)
    last = rows.iloc[-1]
    assert [last["x"], last["x'"]] == pytest.approx([found.state.q["x"], found.state.v["x"]], abs=1e-6)


def test_a_driven_oscillator_is_moved_onto_its_orbit() -> None:
    found = near(mbsd(DUFFING), State(), timed=True, period=2 * pi)
    assert (found.kind, found.stable) == ("periodic", True)
    rows = mbconcord.simulate(mbsd(DUFFING), 2 * pi, q=found.state, witness=False).to_frame()
    last = rows.iloc[-1]
    assert [last["x"], last["x'"]] == pytest.approx([found.state.q["x"], found.state.v["x"]], abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "period", "said"), [
    (DUFFING, 6.2, "the equations do not repeat after 6.2 s (they repeat after 6.283185307179586 s"),
    ("u(x)\"(-x*t) $1", 1.0, "the equations do not repeat after 1.0 s (see mbconcord simulate"),
    ("u(x)\"(-x) $1", 6.0, "the state is in equilibrium or steady motion"),
    ("u(x)\"(1-abs(x-1)+sin(t)) $1", 2 * pi, "forces have kinks"),
    ("u(x)\"(1+x^2/9+sin(t)^2) $1", 2 * pi, "no motion near the state returns"),
])  # fmt: skip
def test_a_period_that_is_none_is_refused(text: str, period: float, said: str) -> None:
    with pytest.raises(NumbersError) as caught:
        near(mbsd(text), State(q={"x": 0.0}), timed=True, period=period)
    assert "period" in str(caught.value) and said in str(caught.value)


def test_periods_on_the_command_line(run: Run) -> None:
    Path("kapitza.mbsd").write_text("j(0.1*cos(60*t)) > z(a) j1 $1 [0,0,0] g9.81-y", encoding="utf-8")
    done = run("linearize", "kapitza.mbsd", "--time", "0")
    assert done.code == 0 and "in periodic motion (0.104719755 s), stable in the linear equations" in done.out
    assert "0.95496314  0.296724453" in done.out and "agrees: lagrange" in done.out and not done.err
    found = run("linearize", "kapitza.mbsd", "--time", "0", "--json").json
    assert found["kind"] == "periodic" and found["stable"] is True and "neutral" not in found
    assert found["periodic"]["period"] == pytest.approx(pi / 30) and len(found["periodic"]["multipliers"]) == 2
    assert run("linearize", "kapitza.mbsd", "--time", "0", "--no-witness").code == 3, "stable has no second road"
    wrong = run("linearize", "kapitza.mbsd", "--time", "0", "--period", "0.1")
    assert wrong.code == 2 and "the equations do not repeat after 0.1 s" in wrong.err
    assert run("linearize", "kapitza.mbsd", "--time", "0", "--period", "-1").code == 2


def test_a_cart_that_drifts_is_periodic_up_to_where_it_is() -> None:
    """2 v' = 3 + cos t - 0.3 v²: a shift of v decays by exp(-0.3 ∫v dt) in a period, one of x stays."""
    cart = mbconcord.Mechanism("cart").body("cart", mass=2, inertia=(1, 1, 1)).slides("x", "x")
    cart = cart.effort("drive", "x", "3 + cos(t) - 0.3*x'^2")
    found = mbconcord.linearize(cart, q=[0.0], v=[3.1], t=0.0, period=2 * pi)
    assert found.periodic and found.verdict == "agrees"
    gone = found.periodic.along["x"]
    assert (found.stable, found.stability) == (True, ACROSS) and found.is_founded
    assert np.array(found.periodic.multipliers) == pytest.approx([exp(-0.3 * gone), 1.0], abs=1e-10)
    assert f"{gone:.6g} along x" in found.standing and found.to_json()["periodic"]["along"] == {"x": gone}


@pytest.mark.slow
def test_a_pendulum_that_turns_with_its_base_is_periodic_up_to_a_whole_turn() -> None:
    """Damping of 0.3 N m s takes the volume exp(-0.3 T) of 1 kg m²."""
    system = mbsd("j(0.2*cos(8*t)) > z(a)\"(-0.3*a') j1 $1 [0,0,0] g9.81-y")
    found = mbconcord.linearize(system, q=[0.3], v=[8.0], t=0.0, period=pi / 4)
    assert found.periodic and found.verdict == "agrees" and found.stable is True
    assert found.periodic.turns == {"a": 1} and ", 1 turn of a)" in found.standing
    assert np.prod(found.periodic.multipliers) == pytest.approx(exp(-0.3 * pi / 4), rel=1e-9)
    held = replace(system, forces=(*system.forces, JointEffort("spring", "a", parse_formula("-a/1000"))))
    found = mbconcord.linearize(held, q=[0.3], v=[8.0], t=0.0, period=pi / 4)
    assert found.periodic and not found.periodic.turns  # a turn winds the spring up: another motion is near, almost at
    assert abs(found.state.v["a"]) < 1e-3  # rest


BOAT = {
    "thrust": (("hull", (-1, 0, 0)), ("4", "0.8*sin(2*t) + 0.3", "0")),
    "drag": ("hull", ("-1.5*vx(here, hull)", "-6*vy(here, hull) - vx(here, hull)*vy(here, hull)/2", "0")),
}


def sail() -> mbconcord.Mechanism:
    """Return a boat that wags its tail and goes along a circle, period by period."""
    boat = mbconcord.Mechanism("boat").body("hull", mass=5, inertia=(1, 1, 2)).slides("x", "x").slides("y", "y")
    boat = boat.turns("th", "z").effort("turn", "th", "-3*th' - th'^3/5")
    for name, (at, force) in BOAT.items():
        boat = boat.force(name, at, force, axes="body")
    return boat


@pytest.mark.slow
def test_a_boat_that_wags_its_tail_is_periodic_up_to_a_rigid_motion() -> None:
    """Its heading turns, too, so that shifts of the place are turned with it: the symmetries do not commute."""
    found = mbconcord.linearize(sail(), q=[0, 0, 0.1], v=[2, 0, -0.1], t=0.0, period=pi)
    assert found.periodic and (found.stable, found.stability, found.verdict) == (True, ACROSS, "agrees")
    along = found.periodic.along
    assert {*along} == {"x", "y", "rotation about z"}
    sizes = sorted(abs(x) for x in found.periodic.multipliers)
    assert sizes[3:] == pytest.approx([1, 1, 1], abs=1e-9) and sizes[2] < 0.5
    turned = max(found.periodic.multipliers, key=lambda x: x.imag)
    assert turned == pytest.approx(complex(np.exp(1j * abs(along["rotation about z"]))), abs=1e-9)
    run = mbconcord.simulate(sail(), until=pi, state=found, step_out=pi, tolerance=1e-11)
    th = along["rotation about z"]
    assert run.v[-1, 2] == pytest.approx(found.state.v["th"], abs=1e-7)
    assert run.q[-1, 2] - found.state.q["th"] == pytest.approx(th, abs=1e-7)
    turn = np.array([[cos(th), -sin(th)], [sin(th), cos(th)]])
    assert run.v[-1, :2] == pytest.approx(turn @ [found.state.v["x"], found.state.v["y"]], abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"along": {"x": 1.0}}, {"turns": {"x": 1}}])
def test_a_wrong_way_that_a_motion_goes_on_is_seen(change: dict[str, object]) -> None:
    """The witness goes along its own symmetries, by what is printed."""
    system, by = sail().build(), registry.formalism("newton_euler")
    found = mbconcord.linearize(system, q=[0, 0, 0.1], v=[2, 0, -0.1], t=0.0, period=pi, witness=False)
    form = found.to_json()
    form["periodic"] |= {name: form["periodic"][name] | x for name, x in change.items()}  # type: ignore[dict-item]
    made = equations(system, by, {}, ())
    said = {c.quantity: c.verdict for c in period_evidence(system, found, by, made, form)}
    assert said["motion over the period"] == "disagrees"
