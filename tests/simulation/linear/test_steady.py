"""Eigenvalues decide stability at rest and along a steady motion alone; elsewhere nothing is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.model import State
from mbconcord.model.constraint import Holonomic
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.simulation.linear.linearised import FROZEN, HIGHER

from .machines import hoop, mbsd, near, oscillator, top

VECTORS = Path(__file__).parents[4] / "shared" / "specs" / "vectors" / "mechanics"
#: A bar that turns freely, and a bead on it by coordinates along axes of the world; its spring is of 10 N/m.
BAR = """z(th)'4 $0 [1,1,5] #bar
\\ u(x)"(-10*(x*cos(th)+y*sin(th))*cos(th)) v(y)"(-10*(x*cos(th)+y*sin(th))*sin(th)) $1 #bead"""


def bar() -> System:
    system = mbsd(BAR)
    return replace(system, constraints=(Holonomic("guide", parse_formula("y*cos(th)-x*sin(th)")),))


@pytest.mark.parametrize("by", ["lagrange", "newton_euler", "konoplev"])
@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_a_bead_on_a_bar_that_turns_is_not_called_stable(by: str, heading: float) -> None:
    """r'' = (4² - 10) r grows, and every eigenvalue of this moment is imaginary or zero."""
    found = near(bar(), State(q={"th": heading}, v={"th": 4.0}), by=by)
    assert max(m.eigenvalue.real for m in found.modes) < 1e-6
    assert not found.steady and found.stable is None and found.stability == FROZEN
    assert found.kind == "moving" and not found.equilibrium
    assert any("change along the motion" in d.message for d in found.diagnostics)


def test_a_bar_at_rest_is_judged() -> None:
    found = near(bar(), State(v={"th": 0.0}))
    assert found.equilibrium and found.steady and found.modes[-1].omega == pytest.approx(sqrt(10))


def test_a_state_that_moves_is_no_equilibrium() -> None:
    """The matrices of an oscillator are the same wherever it is: its eigenvalues decide, whether it rests or not."""
    moving = near(oscillator(), State(v={"x": 1.0}))
    assert moving.steady and moving.stable and not moving.equilibrium


@pytest.mark.parametrize(("text", "state"), [
    ("z(a) -j1 $1 [0,0,0] g9.81-y", State(q={"a": 0.5})),  # at rest, and it will fall
    ("z(a) -j1 $1 [0,0,0] g9.81-y", State(v={"a": 1e-3})),
    ("u(x)\"(-10*x*(1+sin(t))) $1", State()),  # Mathieu's equation: it grows at some frequencies
    ("u(x)\"(-10*x-x*y) v(y)\"(-10*y) $1", State(q={"x": 0.0, "y": 0.3})),  # the other coordinate's motion
    # What four steps along the motion did not see: later, far on, or little by little.
    ("u(x)\"(-10*x*(1-2*exp(-(t-60)^2))) $1", State()),
    ("u(x)\"(-10*x*(1-2*exp(-(y-60)^2))) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-abs(y-60)-y+60)) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-1e-9*y)) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-(y/10)^9)) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-w^9)) v(y)\"(x) w(w)\"(y) $1", State(v={"y": 1.0})),  # through two others
    ("u(x)\"(-10*x*(1+sin(2*pi*1e9*t)/2)) $1", State()),
    ("n(1e-9*t^9) u(x)\"(-100*x) $1", State()),
    ("u(x)\"(-10*x-x^3+sin(t)) $1", State()),  # balanced at this moment alone
])  # fmt: skip
def test_matrices_that_change_decide_nothing(text: str, state: State) -> None:
    found = near(mbsd(text), state, timed=True)
    assert found.stable is None and found.stability == FROZEN


@pytest.mark.parametrize(("text", "t"), [
    ("u(x)\"(-10*x+sin(t)) $1", 0.0), ("u(x)\"(-10*x-x'+sin(t)) $1", 0.0), ("u(x)\"(-10*x+t^9) $1", 0.0),
    ("u(x)\"(-10*x+1e6*exp(-(t-60)^2)) $1", 0.0), ("i(sin(t)) z(a) -j1 $1 [0,0,0] g9.81-y", 0.0),
])  # fmt: skip
def test_a_driven_machine_is_in_no_equilibrium_where_its_forces_are_zero_for_a_moment(text: str, t: float) -> None:
    found = near(mbsd(text), State(t), timed=True)
    assert found.unbalanced < 1e-9 and found.kind == "no equilibrium" and not found.equilibrium


@pytest.mark.parametrize(("text", "state"), [
    ("u(x)\"(-10*(x-y)-(x-y)^3) $1 \\ u(y)\"(10*(x-y)+(x-y)^3) $1", State(v={"x": 0.3, "y": 0.3})),
    ("z(x)\"(-10*sin(x-2*y)) $1 [1,1,1] \\ z(y)\"(20*sin(x-2*y)) $1 [1,1,1]", State(v={"x": 0.2468, "y": 0.1234})),
    ("i(3*t) u(x)\"(-10*x) $1", State()),
])  # fmt: skip
def test_what_moves_together_is_steady(text: str, state: State) -> None:
    found = near(mbsd(text), state, timed=True)
    assert found.steady and found.kind == ("in steady motion" if state.v else "in equilibrium")


def test_steady_motions_are_judged() -> None:
    """A sleeping top, slowly or fast or for a long time; a bead in a hoop that is kept turning."""
    for spin in (1e-6, 1.0, 1e4):
        found = near(top(1.5, 0.4, 0.3, 0.05), State(v={"spin": spin}))
        assert found.steady and found.kind == "in steady motion"
        assert (found.stable is False) == (spin < 1e3)
    assert near(hoop(), State(q={"angle": 0.0})).stable is False


@pytest.mark.slow
@pytest.mark.skipif(not VECTORS.exists(), reason="vectors of steady motions are not part of the project")
def test_vectors() -> None:
    """What is decided is right: eigenvalues of the exact steady motions were computed in turning axes."""
    for case in json.loads((VECTORS / "linear.expected.json").read_text("utf-8"))["linear"]:
        system = registry.read(VECTORS / case["model"]).system
        state = State(t=case.get("time", 0.0), q=case["state"]["q"], v=case["state"]["v"])
        found = near(system, state, timed=True)
        assert found.stable in (None, case.get("stable")), case["model"]
        if "rattleback" in case["model"] or case["kind"] in ("neither", "periodic"):
            assert found.stability == FROZEN


OF_HIGHER_ORDER = {
    "u(x)\"(-4*x+x'^3) $1": True, "u(x)\"(-4*x-x'^3) $1": False, "u(x)\"(-4*x+x^2*x') $1": True,
    "u(x)\"(-4*x-x^2*x') $1": False,
    "u(x)\"(-4*x-x^3) $1": False, "u(x)\"(-4*sin(x)) $1": False, "z(a) -j1 $1 [0,0,0] g9.81-y": False,
    "u(x)\"(-4*x-y^3) v(y)\"(-4*y+x^3) $1": True, "u(x)\"(-4*x-3*x*y^2) v(y)\"(-4*y-3*x^2*y) $1": False,
    "u(x)\"(-4*x+x*y') v(y)\"(-4*y-x*x') $1": False, "u(x)\"(-4*x-0.1*x'+x'^3) $1": False,
}  # fmt: skip


@pytest.mark.parametrize(("text", "fed"), OF_HIGHER_ORDER.items())
def test_oscillations_that_higher_orders_may_feed_are_not_called_stable(text: str, fed: bool) -> None:
    """-4 x + x'³ grows from every start (E' = x'⁴), and its linear equations neither damp nor feed."""
    system = mbsd(text)
    found = near(system, State())
    assert found.equilibrium and max(m.eigenvalue.real for m in found.modes) <= 0
    assert (found.stable, found.stability) == ((None, HIGHER) if fed else (True, "stable"))
    judged = mbconcord.linearize(system)
    assert judged.verdict == "agrees" and judged.stable is found.stable
    rest = mbconcord.equilibrium(system)
    assert rest.verdict == "agrees" and any("can feed" in d.message for d in rest.diagnostics) is fed
