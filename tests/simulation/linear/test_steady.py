"""Eigenvalues decide stability at rest and along a steady motion alone; elsewhere nothing is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import cos, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.model import Motion, Point, PointCoincidence, State
from mbconcord.model.constraint import Holonomic
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.simulation.linear.linearised import FROZEN, HIGHER
from mbconcord.simulation.linear.relative import LINEARLY

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
def test_a_bead_on_a_bar_that_turns_is_unstable(by: str, heading: float) -> None:
    """r'' = (4² - 10) r grows, and every eigenvalue of this moment is imaginary or zero."""
    found = near(bar(), State(q={"th": heading}, v={"th": 4.0}), by=by)
    assert (found.kind, found.stable, found.stability) == ("steady", False, "unstable") and found.relative
    assert [s.real for s in found.eigenvalues] == pytest.approx([-sqrt(6), 0, sqrt(6)], abs=1e-12)
    assert found.relative.symmetry == ("rotation about z",) and found.relative.family == 1
    assert max(abs(s.imag) for s in found.eigenvalues) < 1e-12
    assert max(np.linalg.eigvals(found.A).real) < 1e-6, "the matrix of this moment does not show it"


def test_a_bead_that_passes_the_middle_of_the_resting_bar_is_in_no_steady_motion() -> None:
    found = near(bar(), State(v={"th": 0.0, "x": 1.0}))
    assert (found.kind, found.stable, found.stability) == ("neither", None, FROZEN) and not found.eigenvalues


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
    ("u(x)\"(-10*x-x*y) v(y)\"(-10*y) $1", State(q={"x": 0.0, "y": 0.3})),  # the other coordinate's motion
    # What four steps along the motion did not see: later, far on, or little by little.
    ("u(x)\"(-10*x*(1-2*exp(-(t-60)^2))) $1", State()),
    ("u(x)\"(-10*x*(1-2*exp(-(y-60)^2))) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-abs(y-60)-y+60)) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-1e-9*y)) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-(y/10)^9)) v(y) $1", State(v={"y": 1.0})),
    ("u(x)\"(-10*x*(1-w^9)) v(y)\"(x) w(w)\"(y) $1", State(v={"y": 1.0})),  # through two others
    ("n(1e-9*t^9) u(x)\"(-100*x) $1", State()),
    ("u(x)\"(-10*x-x^3+sin(t)) $1", State()),  # balanced at this moment alone
    ("u(x)\"(-where(t>1,-9,4)*x-0.1*x') $1", State()),  # pieces, in which no slope shows the next one
    ("u(x)\"(-where(y>5,-9,4)*x-0.1*x') v(y) $1", State(v={"y": 1.0})),
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
    assert found.unbalanced < 1e-9 and found.kind in ("constant", "neither") and not found.equilibrium


@pytest.mark.parametrize(("text", "state"), [
    ("u(x)\"(-10*(x-y)-(x-y)^3) $1 \\ u(y)\"(10*(x-y)+(x-y)^3) $1", State(v={"x": 0.3, "y": 0.3})),
    ("z(x)\"(-10*sin(x-2*y)) $1 [1,1,1] \\ z(y)\"(20*sin(x-2*y)) $1 [1,1,1]", State(v={"x": 0.2468, "y": 0.1234})),
    ("i(3*t) u(x)\"(-10*x) $1", State()),
])  # fmt: skip
def test_what_moves_together_is_steady(text: str, state: State) -> None:
    found = near(mbsd(text), state, timed=True)
    assert found.steady and found.kind == ("steady" if state.v else "equilibrium")


CART = "u(x) $2 > z(a)\"(-0.1*a') -j1 $1 [0,0,0] g9.81-y"
BEAD = "z(x)'1 $0 [1,1,5] > u(a)\"(-10*a-0.5*a') $1"


@pytest.mark.parametrize("acceleration", ["5", "5*sin(3*t)", "1e-12*t"])
@pytest.mark.parametrize("text", [CART, BEAD])
def test_a_coordinate_that_its_drive_accelerates_is_held_only_where_that_is_asked(text: str, acceleration: str) -> None:
    """A cart that starts with 5 m/s² was "in equilibrium, stable", a bead in a bar that turns ever faster, too."""
    system = mbsd(text)
    x, a = system.coordinates
    driven = replace(system, coordinates=(replace(x, drive=Motion(parse_formula(acceleration))), a))
    found = near(driven, timed=True)
    assert (found.kind, found.stable, found.stability) == ("neither", None, FROZEN)
    assert [d.place for d in found.diagnostics if "it imposes" in d.message] == ["coordinates/x/drive"]
    assert mbconcord.linearize(driven, t=0).verdict == "agrees" == mbconcord.linearize(driven, t=0, hold=["x"]).verdict
    held = mbconcord.linearize(driven, t=0, hold=["x"])
    assert held.stable and held.kind == ("equilibrium" if text == CART else "constant")
    with pytest.raises(NumbersError, match="it imposes the acceleration"):
        mbconcord.equilibrium(driven, t=0)
    assert mbconcord.equilibrium(driven, t=0, hold=["x"]).stability == "stable"


@pytest.mark.parametrize("row", ["x*a", "(x-a)^2"])
def test_a_position_with_more_motions_than_those_beside_it_has_no_linear_equations(row: str) -> None:
    """Rows were left out where they branch: the modes of a machine without them stood under "on the constraints"."""
    system = mbsd('u(x)"(-3*x) $1 \\ u(a)"(-a) $1')
    singular = replace(system, constraints=(Holonomic("row", parse_formula(row)),))
    with pytest.raises(NumbersError, match="more motions"):
        near(singular, State())
    twice = replace(system, constraints=tuple(Holonomic(n, parse_formula("x-a")) for n in "pq"))
    assert near(twice, State()).stable


def test_a_flat_parallelogram_has_no_accelerations_and_says_so() -> None:
    """Numbers of neither branch stood there: a'' = -8.93, b'' = 8.72, c'' = -9.34, and exit code 0."""
    text = "z(a) i1 $1 [0.1,0.1,0.1] > z(b) i2 $1 [0.1,0.1,0.1] #k \\ i2 z(c) i1 $1 [0.1,0.1,0.1] #c g9.81-y"
    pin = PointCoincidence("pin", Point("k"), Point("c"))
    flat = replace(mbsd(text), constraints=(pin,))
    said = [d for d in mbconcord.evaluate(flat).diagnostics if "more motions at this position" in d.message]
    assert [d.severity for d in said] == ["error"]
    beside = mbconcord.evaluate(flat, q={"a": 1e-3, "b": -1e-3, "c": 1e-3})
    assert not [d for d in beside.diagnostics if d.severity == "error"]
    assert beside["acceleration"].ravel().tolist() == pytest.approx([-9.19687, 9.19687, -9.19687], rel=1e-4)
    assert "more motions" in str(mbconcord.simulate(flat, 0.01).diagnostics[0])


def test_steady_motions_are_judged() -> None:
    """A sleeping top, slowly or fast or for a long time; a bead in a hoop that is kept turning."""
    for spin in (1e-6, 1.0, 1e4):
        found = near(top(1.5, 0.4, 0.3, 0.05), State(v={"spin": spin}))
        assert found.steady and found.kind == "steady"
        assert (found.stable is False) == (spin < 1e3)
    assert near(hoop(), State(q={"angle": 0.0})).stable is False


CASES = json.loads((VECTORS / "linear.expected.json").read_text("utf-8"))["linear"] if VECTORS.exists() else []


@pytest.mark.slow
@pytest.mark.skipif(not VECTORS.exists(), reason="vectors of steady motions are not part of the project")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["model"].partition(".")[0])
def test_vectors(case: dict[str, Any]) -> None:
    """Eigenvalues by closed forms, published matrices or own equations; what is neutral; the words."""
    system = registry.read(VECTORS / case["model"]).system
    state = State(t=case.get("time", 0.0), q=case["state"]["q"], v=case["state"]["v"])
    found = near(system, state, timed=True)
    assert (found.kind, found.stable) == (case["kind"], case.get("stable"))
    if case["kind"] == "periodic":
        assert found.periodic and found.periodic.period == pytest.approx(case["period"], rel=1e-14)
        assert np.array(found.periodic.multipliers) == pytest.approx(
            np.array([complex(*x) for x in case["multipliers"]]), abs=case["tolerance"] / 100
        )
        return
    if case["kind"] == "neither":
        return
    assert found.relative and len(found.eigenvalues) == len(case["eigenvalues"])
    neutral = {"symmetry": len(found.relative.symmetry), "family": found.relative.family}
    assert neutral == case["neutral"]
    for x in case.get("exact", case["eigenvalues"]):
        gap = min(abs(complex(*x) - s) for s in found.eigenvalues)
        assert gap <= case["tolerance"] * max(1.0, abs(complex(*x)))


#: Chaplygin's sleigh, a blade 0.4 m behind the centre of 2 kg: v' decays along it going one way, and grows the other.
SLEIGH = """{"format": "mbconcord", "version": 1, "name": "sleigh",
"coordinates": [{"name": "x"}, {"name": "y"}, {"name": "h"}],
"bodies": [{"name": "sleigh", "parent": null, "joint": [{"translation": "x", "coordinate": "x"},
{"translation": "y", "coordinate": "y"}, {"rotation": "z", "coordinate": "h"}],
"inertia": {"mass": 2, "centre": ["2/5", 0, 0], "tensor": [1, 1, "3/25", 0, 0, 0]}}], "forces": [FORCE],
"constraints": [{"kind": "nonholonomic", "name": "blade", "coefficients": {"x": "-sin(h)", "y": "cos(h)"}}]}"""


def sleigh(force: str = "") -> System:
    return registry.read_text(SLEIGH.replace("FORCE", force), format="native").system


@pytest.mark.parametrize("heading", [0.0, 0.9])
@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_a_sleigh_is_stable_one_way_and_not_the_other_whatever_its_heading(heading: float, speed: float) -> None:
    """h'' = -m a v h'/(J + m a²) with m a = 0.8 and J + m a² = 0.44: ∓3.6363…; its speed is a family."""
    v = {"x": speed * cos(heading), "y": speed * sin(heading)}
    found = near(sleigh(), State(q={"h": heading}, v=v))
    assert found.kind == "steady" and found.stable is (speed > 0) and found.relative
    assert found.relative.symmetry == ("x", "y", "rotation about z") and found.relative.family == 1
    assert sorted(s.real for s in found.eigenvalues) == pytest.approx(sorted([0.0, -0.8 * speed / 0.44]), abs=1e-12)


def test_a_state_that_is_nearly_steady_is_told_its_gap() -> None:
    """A wheel that slips by 1e-6 of its speed, on a spring that is at rest at the exact ratio alone."""
    system = mbsd('u(x)"(-10*(x-y)) $1 \\ u(y)"(10*(x-y)) $1')
    found = near(system, State(v={"x": 1.0, "y": 1.0}))
    assert found.kind == "steady"
    found = near(bar(), State(q={"x": 1e-6}, v={"th": 4.0}))
    assert found.kind == "neither" and found.stable is None
    assert any("steady to" in d.message and "only" in d.message for d in found.diagnostics)


@pytest.mark.parametrize("part", ["1", "1.000000000001"])
def test_a_force_that_breaks_a_symmetry_in_its_twelfth_digit_is_named(part: str) -> None:
    """A spring by two forces to a centre, one along x and one along y: equal, or not quite."""
    text = (
        '{"kind": "joint_effort", "name": "sx", "coordinate": "x", "effort": "-8*x"}, '
        f'{{"kind": "joint_effort", "name": "sy", "coordinate": "y", "effort": "-8*{part}*y"}}'
    )
    system = registry.read_text(
        SLEIGH.replace("FORCE", text).replace('["2/5", 0, 0]', "[0, 0, 0]").partition('"constraints"')[0].rstrip()[:-1]
        + "}",
        format="native",
    ).system
    found = near(system, State(q={"x": 1.0}, v={"y": 2.0}))
    if part == "1":
        assert found.kind == "steady" and found.stable is True and found.relative
        return
    assert found.kind in ("constant", "neither")
    assert any("symmetry that" in d.message and "sy" in d.message for d in found.diagnostics)


@pytest.mark.parametrize(("force", "stable"), [
    ("-(x'-1)", True), ("-(x'-1)^3", None), ("(x'-1)^3", None), ("(x'-1)^5", None), ("(x'-1)", False), ("0", True),
])  # fmt: skip
def test_a_speed_at_frequency_zero_is_a_family_only_with_neighbours(force: str, stable: bool | None) -> None:
    """(x' - 1)³ drives a cart away from 1 m/s, and its linear equation is that of a free one."""
    found = near(mbsd(f'u(x)"({force}) $1'), State(v={"x": 1.0}))
    assert found.kind == "steady" and found.stable is stable


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
    assert rest.stability == ("undecided" if fed else "stable")


@pytest.mark.parametrize(("text", "stable"), [
    ("u(x)\"(-x-x^2*cos(3*t)) $1", None),  # from 0.05 m it reaches 9.4 m within 200 s
    ("u(x)\"(-x*(cos(t)^2+sin(t)^2)-x^3) $1", True),  # the time cancels
])  # fmt: skip
def test_time_in_forces_of_higher_order_leaves_an_equilibrium_undecided(text: str, stable: bool | None) -> None:
    found = mbconcord.linearize(mbsd(text), t=0.0)
    assert found.equilibrium and found.stable is stable and found.verdict == "agrees"


@pytest.mark.parametrize(("text", "v", "fed"), [
    ("u(x) v(y)\"(-4*y-y'^3*(1-2*x'^2)) $1", {"x": 1.0}, True),  # it damps at rest, and feeds at this speed
    ("u(x) v(y)\"(-4*y-y'^3*(1-x'^2/2)) $1", {"x": 1.0}, False),
    ("u(x) v(y)\"(-4*y+(x'-1)*y') $1", {"x": 1.0}, True),  # at any other speed beyond this one
    ("u(x)\"(0.3*y'*y) v(y)\"(-4*y-0.3*x'*y) $1", {"x": 1.0}, False),
])  # fmt: skip
def test_forces_that_feed_at_the_speed_of_a_steady_motion_are_seen(text: str, v: dict[str, float], fed: bool) -> None:
    found = near(mbsd(text), State(v=v))
    assert found.kind == "steady" and found.stable is (None if fed else True)


TIED = """{"format": "mbconcord", "version": 1, "name": "tied", "coordinates": [{"name": "x"}, {"name": "y"},
{"name": "z"}], "bodies": [{"name": "a", "parent": null, "joint": [{"translation": "x", "coordinate": "x"},
{"translation": "y", "coordinate": "y"}], "inertia": {"mass": 1, "centre": [0, 0, 0], "tensor": [1, 1, 1, 0, 0, 0]}},
{"name": "b", "parent": null, "joint": [{"translation": "x", "coordinate": "z"}], "inertia": {"mass": 1,
"centre": [0, 0, 0], "tensor": [1, 1, 1, 0, 0, 0]}}], "constraints": [{"kind": "holonomic", "name": "tie",
"expression": "z - x - x^2"}], "forces": [{"kind": "joint_effort", "name": "f", "coordinate": "x", "effort": "FX"},
{"kind": "joint_effort", "name": "g", "coordinate": "y", "effort": "FY"}]}"""


@pytest.mark.parametrize(("x", "y", "fed"), [
    ("-8*x+x^2*x'", "-9*y", True), ("-8*x-y^3", "-9*y+x^3", True), ("-8*x+x*x'*z", "-9*y", True),
    ("-8*x-x^2*x'", "-9*y", False), ("-8*x-y^3", "-9*y-3*x*y^2", False), ("-8*x", "-9*y-y'^3", False),
])  # fmt: skip
def test_forces_that_feed_away_from_the_state_alone_are_seen_on_constraints(x: str, y: str, fed: bool) -> None:
    """x² x' does nothing at x = 0, where the state is; and it does work beside it."""
    system = registry.read_text(TIED.replace("FX", x).replace("FY", y), format="native").system
    found = near(system, State())
    assert found.equilibrium and found.stable is (None if fed else True)
    rest = mbconcord.equilibrium(system)
    assert any("can feed" in d.message for d in rest.diagnostics) is fed
    assert rest.stability == ("undecided" if fed else "stable")


@pytest.mark.parametrize(("force", "stable"), [
    ("x'*(y'-1)^2", None), ("x'^3*(y'-1)^2", None), ("0*x'", True), ("(x'+y'-1)^3", None),
])  # fmt: skip
def test_families_are_neighbours_in_every_direction_not_along_axes_alone(force: str, stable: bool | None) -> None:
    """x'' = x' (y' - 1)²: motions with x' = 0 and those with y' = 1 are steady, and x' grows beside both."""
    found = near(mbsd(f'u(x)"({force}) v(y) $1'), State(v={"y": 1.0}))
    assert found.kind == "steady" and found.stable is stable


@pytest.mark.parametrize(("force", "stable"), [("-4*x+x'^3", None), ("-4*x", True), ("-4*x-x'+x'^3", True)])
def test_constant_matrices_do_not_decide_about_oscillations_beside_a_motion(force: str, stable: bool | None) -> None:
    """An oscillation goes on beside another one that x'³ feeds."""
    found = near(mbsd(f'u(x)"({force}) v(y)"(-y-y\'/9) $1'), State(v={"y": 0.5}))
    assert found.kind == "constant" and found.stable is stable


@pytest.mark.parametrize(("text", "v"), [
    ("u(x)\"(3-x') $2", {"x": 3.0}), ("z(th)\"(2-th'/2) $0 [1,1,5] > u(x)\"(-20*x) $1", {"th": 4.0}),
])  # fmt: skip
def test_a_speed_that_a_motor_governs_is_a_mode_that_moves_along_the_symmetry(text: str, v: dict[str, float]) -> None:
    """(x' - 3)' = -(x' - 3)/2: x itself is neutral, and no other coordinate moves in that mode."""
    found = mbconcord.linearize(mbsd(text), v=v)
    assert found.kind == "steady" and found.stable and found.verdict == "agrees"
    slow = next(mode for mode in found.modes if mode.kind == "decays")
    assert slow.shape[0] == 1 and not slow.shape[1:].any()
    assert slow.eigenvalue == pytest.approx(-0.5 if "th" not in v else -0.1)


@pytest.mark.parametrize(("turn", "force", "stable", "words"), [
    ("3", "3*x^2", None, HIGHER),  # 1 and 2 rad/s: from 0.03 m it leaves within a minute
    ("4", "3*x^2", True, LINEARLY), ("3", "0", True, LINEARLY),
    ("3", "3*x^2-9*x", None, None),  # a saddle: det K < 0
])  # fmt: skip
def test_what_gyroscopic_forces_hold_on_a_hill_is_stable_in_the_linear_equations(
    turn: str, force: str, stable: bool | None, words: str | None
) -> None:
    """x'' = a y' + 2 x + 3 x², y'' = -a x' + 2 y: energies of opposite signs feed each other where frequencies meet."""
    system = mbsd(f"u(x)\"({turn}*y'+2*x+{force}) v(y)\"(-{turn}*x'+2*y) $1")
    found = mbconcord.linearize(system)
    assert found.kind == "equilibrium" and found.verdict == "agrees"
    assert found.stable is (False if words is None else stable) and found.stability == (words or "unstable")
    system = mbsd(f"u(x)\"({turn}*y'+2*x+{force}) v(y)\"(-{turn}*x'+2*y) w(z) $1")
    found = near(system, State(v={"z": 1.0}))  # and the same in a train
    assert found.kind == "steady" and found.stable is (False if words is None else stable if force != "0" else None)


@pytest.mark.parametrize("turn", ["8^0.5", "(8+1e-13)^0.5"])
def test_two_frequencies_that_coincide_are_not_called_stable(turn: str) -> None:
    """x'' = a y' + 2 x, y'' = -a x' + 2 y with a² = 8: s² = -2 twice, one chain, so that shifts grow like t."""
    text = f"u(x)\"({turn}*y'+2*x) v(y)\"(-{turn}*x'+2*y) "
    assert near(mbsd(f"{text} $1"), State()).stable is not True
    assert near(mbsd(f"{text} w(z) $1"), State(v={"z": 1.0})).stable is not True


def test_a_free_body_is_steady_where_rounding_alone_accelerates_it() -> None:
    """About its middle axis, its rates off by 4e-15; no forces but those of inertia act."""
    text = (
        SLEIGH.partition('"coordinates"')[0]
        + """"coordinates": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
"bodies": [{"name": "body", "parent": null, "joint": [{"rotation": "x", "coordinate": "a"}, {"rotation": "y",
"coordinate": "b"}, {"rotation": "z", "coordinate": "c"}], "inertia": {"mass": 1, "centre": [0, 0, 0],
"tensor": [1, 3, 2, 0, 0, 0]}}]}"""
    )
    body = registry.read_text(text, format="native").system
    v = {"a": 3.88864638e-15, "b": 2.08478386e-15, "c": 5.0}
    found = near(body, State(q={"a": 0.9830254, "b": 0.95984369, "c": 0.15054543}, v=v), by="newton_euler")
    assert found.kind == "steady" and max(s.real for s in found.eigenvalues) == pytest.approx(5 / sqrt(3))


@pytest.mark.slow
@pytest.mark.skipif(not VECTORS.exists(), reason="vectors of steady motions are not part of the project")
def test_radau_differentiates_a_governor_whose_turn_nothing_depends_on() -> None:
    """SciPy widens the increment of psi and of the work tenfold at each Jacobian: infinite after some 315."""
    flyball = next(case for case in CASES if "radau" in case)
    expected = flyball["radau"]
    tolerance, model = expected["tolerance"], VECTORS / flyball["model"]
    found = mbconcord.simulate(model, expected["until"], method="radau", tolerance=tolerance, witness=False)
    assert found.to_frame()["s"].iloc[-1] == pytest.approx(expected["s"], abs=expected["within"])
