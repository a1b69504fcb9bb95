"""Equilibria that are known, what is said of their stability, and what has none."""

from __future__ import annotations

from dataclasses import replace
from math import acos, asin, pi, sin

import numpy as np
import pytest

from mbconcord import equilibrium
from mbconcord.api.mechanism import Mechanism
from mbconcord.converters.registry import read_text
from mbconcord.model import Omission, State, System
from mbconcord.model.diagnostics import NumbersError
from mbconcord.simulation.linear.equilibrium import NoEquilibriumError

from .machines import DOUBLE, ON_A_ROD, G, fixture, hoop, mbsd, near, rest, sleigh

FORMALISMS = ("lagrange", "newton_euler", "virtual_work", "konoplev", "telegin", "flexible")


@pytest.mark.parametrize("by", FORMALISMS)
def test_the_double_pendulum_hangs(by: str) -> None:
    found = rest(mbsd(DOUBLE), State(q={"a": 0.4, "b": -0.3}), by)
    assert np.abs(list(found.state.q.values())).max() < 1e-12 and found.stability == "stable"
    assert np.allclose(found.stiffness, [[3 * G, G], [G, G]]) and found.left < 1e-14


@pytest.mark.parametrize(
    ("start", "unstable"), [((0.1, 3.0), [("a", "b")]), ((3.0, 0.1), [("a", "b")] * 2), ((3.0, 3.0), [("a", "b")])]
)
def test_upright_positions_are_unstable(start: tuple[float, float], unstable: list[tuple[str, str]]) -> None:
    """By as many directions as links stand on their heads, or the whole does."""
    found = rest(mbsd(DOUBLE), State(q=dict(zip("ab", start, strict=True))))
    assert found.stability == "unstable" and list(found.unstable) == unstable
    for q in found.state.q.values():
        assert abs(sin(q)) < 1e-12
    assert near(mbsd(DOUBLE), found.state).stable is False


def test_a_spring_carries_a_weight() -> None:
    """k x = m g, with a start far away; the rates of the start count for nothing."""
    made = Mechanism("scale").gravity(y=-G).body("pan", mass=2, inertia=(1, 1, 1)).slides("y", along="y", rate=5.0)
    system = made.effort("spring", "y", "-500*(y - 0.3)").build()
    found = rest(system, State(q={"y": 40.0}, v={"y": 7.0}))
    assert found.state.q["y"] == pytest.approx(0.3 - 2 * G / 500, abs=1e-14) and found.state.v == {"y": 0.0}
    assert found.shift[0] == pytest.approx(found.state.q["y"] - 40.0)


def test_rounding_is_no_position() -> None:
    """Between two springs a weight hangs in the middle; a position of 4e-17 m that forces have is kept."""
    spring = " \\ #p :\"(-500*(@-1.1)-2*@', 0) < #"
    found = rest(mbsd(f"u(x)°0.05 v(y)°0.35 $2 #p \\ i-1 #l \\ i1 #r{spring}l{spring}r ; g9.81-y"))
    assert found.state.q["x"] == 0.0 and found.state.q["y"] == pytest.approx(-0.5489620372681755, rel=1e-14)
    small = rest(mbsd('u(x)°1"(-5*x+2e-16) v(y)°0.3"(-3*y) $1')).state.q
    assert small == {"x": pytest.approx(4e-17, rel=1e-12), "y": 0.0}
    assert rest(mbsd(ON_A_ROD), State(q={"x": 0.6, "y": -0.8})).state.q == {"x": 0.0, "y": -1.0}


@pytest.mark.parametrize("by", ["lagrange", "konoplev"])
def test_a_weight_on_a_rod(by: str) -> None:
    """It hangs straight below, and λ carries the weight."""
    found = rest(mbsd(ON_A_ROD), State(q={"x": 0.5, "y": -0.8}), by)
    assert found.state.q == pytest.approx({"x": 0.0, "y": -1.0}, abs=1e-12)
    assert found.stability == "stable" and abs(found.multipliers[0]) == pytest.approx(G)
    assert found.rows == ("rod1",)


def test_a_loop_closes_where_it_rests() -> None:
    """A crank pulled by a weight through a rod: the virtual work of both vanishes."""
    system = fixture("native/slider_crank.mbs.json")
    found = rest(system)
    moved = near(system, found.state, independent=found.independent)
    assert moved.equilibrium and np.abs(moved.acceleration).max() < 1e-9
    assert pytest.approx(found.stiffness) == moved.K or found.independent != moved.positions


def test_what_is_held_stays_and_the_effort_is_told() -> None:
    """A pendulum held level: M = m g l."""
    found = rest(mbsd("z(a)°90 -j2 $3 [0,0,0] g9.81-y"), hold=["a"])
    assert found.state.q["a"] == pytest.approx(pi / 2) and found.rows == ("hold of a",)
    assert found.multipliers[0] == pytest.approx(3 * G * 2) and found.stability == "stable"
    second = rest(mbsd(DOUBLE), State(q={"a": 1.0, "b": 0.3}), hold=["a"])
    assert second.state.q["a"] == 1.0 and second.state.q["b"] == pytest.approx(-1.0)


def test_prescribed_motions_stand_still_at_a_time() -> None:
    """A support moved by 0.5 t and turned by t: the pendulum hangs, whatever the rates."""
    system = mbsd("n(t) i(0.5*t^2) > z(a)°10 -j1 $1 [0,0,0] g9.81-y")
    with pytest.raises(NumbersError, match=r"depends on the time.*--time 0"):
        rest(system)
    found = rest(system, State(t=0.7), timed=True)
    assert found.state.q["a"] == pytest.approx(-0.7, abs=1e-12) and found.state.t == 0.7 and not found.relative


def test_what_turns_steadily_rests_relative_to_it() -> None:
    found = rest(hoop(5.0))
    assert found.state.q["angle"] == pytest.approx(acos(G / 25.0), abs=1e-12)
    assert found.relative and found.stability == "stable"
    assert any("relative" in d.message for d in found.diagnostics)
    assert rest(hoop(3.0)).state.q["angle"] == pytest.approx(0.0, abs=1e-9)
    assert rest(hoop(5.0), State(q={"angle": 0.01})).stability == "unstable"


def test_directions_without_forces_are_indifferent() -> None:
    found = rest(mbsd("u(x) v(y) $1 > z(a)°30 -j1 $1 [0,0,0] g9.81-z"))
    assert found.stability == "indifferent" and len(found.indifferent) == 3
    assert {name for names in found.indifferent for name in names} == {"x", "y", "a"}
    one = rest(mbsd("u(x) $1 > z(a)°30 -j1 $1 [0,0,0] g9.81-y"))
    assert one.indifferent == (("x",),) and one.state.q["a"] == pytest.approx(0.0, abs=1e-12)
    assert one.state.q["x"] == 0.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("u(x) v(y) $1 g9.81-y", "a force of -9.81 is left along y"),
        ("u(x) v(y) $1 > z(a)°30 -j1 $1 [0,0,0] g9.81-y", "is left along y"),
    ],
)
def test_what_falls_has_none(text: str, words: str) -> None:
    with pytest.raises(NoEquilibriumError, match=words) as caught:
        rest(mbsd(text))
    assert "x" in caught.value.nearest.q


def test_dry_friction_may_be_what_holds() -> None:
    """A block on an incline sticks: the balance leaves friction out, and says so where none is found."""
    with pytest.raises(NoEquilibriumError, match="dry friction along x is left out here and may hold it; else begin"):
        rest(mbsd("u(x)\"(2-5*sign(x')) $1"))


def test_what_is_left_out_may_be_what_carries_it() -> None:
    floor = Omission("contact/floor", "contact", "with cfrc;", "forces")
    image = Omission("image/floor", "image", "with go;", "none")
    carries = "what is left out of the model may be what balances it: 1 contact; else"
    for left_out, said in ((floor, carries), (image, "begin nearer")):
        with pytest.raises(NoEquilibriumError) as caught:
            rest(replace(mbsd("v(y) $1 g9.81-y"), omissions=(left_out,)))
        assert caught.value.diagnostics[0].remedy.startswith(said)


def test_a_slope_too_steep_has_none() -> None:
    """A torque of 12 N m holds a pendulum of 9.81 N m nowhere; one of 5 at asin(5/9.81)."""

    def turned(torque: float) -> System:
        made = Mechanism("turned").gravity(y=-G).body("a", mass=1, com=(0, -1, 0), inertia=(0, 0, 0))
        return made.turns("a", about="z").effort("motor", "a", torque).build()

    with pytest.raises(NoEquilibriumError, match=r"a force of 2\.19 is left along a") as caught:
        rest(turned(12.0))
    assert caught.value.nearest.q["a"] == pytest.approx(pi / 2, abs=1e-3)
    assert rest(turned(5.0)).state.q["a"] == pytest.approx(asin(5 / G), abs=1e-12)


def test_dry_friction_and_rows_of_rates_leave_many_places() -> None:
    made = Mechanism("block").body("b", mass=1, inertia=(0, 0, 0)).slides("x", along="x", start=1.0)
    system = made.effort("spring", "x", "-4*x - 3*sign(x')").build()
    found = rest(system)
    assert found.state.q["x"] == pytest.approx(0.0, abs=1e-14)
    assert any("dry friction along x" in d.message for d in found.diagnostics)
    on_level = rest(sleigh())
    assert on_level.stiffness.shape == (2, 3) and any("not judged" in d.message for d in on_level.diagnostics)


@pytest.mark.parametrize(
    ("force", "stability", "words"),
    [
        ("-5*x+6*abs(x)", "not judged", "forces along x have a kink"),
        ("-5*x*where(x >= 0, 1, 3)", "not judged", "forces along x have a kink"),
        ("-5*x-sign(x)", "not judged", "forces along x have a kink"),
        ("-5*x+0.1*sqrt(x^2)", "not judged", "forces along x have a kink"),
        ("-5*x-3*sign(x'+x)", "not judged", "forces along x have a kink"),
        ("-5*x-3*sign(x')", "stable", "dry friction along x"),
        ("-5*x-x'-3*x'^2*sign(x')", "stable", ""),
        ("-5*x-x*abs(x)", "stable", ""),
        ("-5*(x-1)+abs(x)", "stable", ""),
        ("-5*x+sqrt(abs(x))", "stable", ""),
    ],
)
def test_stability_is_not_judged_at_a_kink(force: str, stability: str, words: str) -> None:
    """Friction jumps with rates alone; a force whose slope is the same on both sides is judged."""
    system = mbsd(f'u(x)°0.3"({force}) $1 [0,0,0]')
    said = [d.message for d in rest(system).diagnostics if "along x" in d.message]
    assert rest(system).stability == stability and len(said) == bool(words) and words in "".join(said)
    if "where" in force or "x*abs" in force:
        judged = equilibrium(system)
        assert judged.stability == stability and judged.verdict == "agrees", judged.comparisons


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: rest(System("empty")), "the model has no coordinates"),
        (lambda: near(System("empty")), "the model has no coordinates"),
        (lambda: near(mbsd("z(a) z(b) i1 $1 [0,0,0]")), "no inertia along a, b"),
        (lambda: near(mbsd("z(a) i1 $1 [0,0,0] g9.81-y"), State(q={"b": 1.0})), "no such coordinate"),
        (lambda: near(mbsd("z(a) i1 $1 [0,0,0] g9.81-y"), State(q={"a": float("nan")})), "not a finite number"),
        (lambda: near(mbsd(DOUBLE), independent=["a"]), "2 coordinates are independent"),
        (lambda: near(mbsd(ON_A_ROD), independent=["y"]), "1 coordinate is independent"),
        (lambda: near(mbsd(DOUBLE), inputs=["c"]), "no coordinate, no force and no parameter 'c'"),
        (lambda: near(mbsd("n(t^2) i1 > z(a) i1 $1 [0,0,0] g9.81-y")), "state it, for example --time 0"),
    ],
)
def test_what_cannot_be_linearised(change: object, words: str) -> None:
    with pytest.raises(NumbersError, match=words):
        change()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("effort", "state", "words"),
    [
        ("-3*sign(x')", State(), r"forces/friction: error: the forces along x have a kink.*no derivative"),
        ("-abs(x)", State(), "a kink at the state"),
        ("-sqrt(x)", State(), "division by zero|has no number"),
        ("-log(x)", State(), "log"),
        ("1/x", State(), "division by zero"),
        ("-3*sign(x')", State(v={"x": 0.1}), ""),
    ],
)
def test_forces_without_a_derivative(effort: str, state: State, words: str) -> None:
    made = Mechanism("block").body("b", mass=1, inertia=(0, 0, 0)).slides("x", along="x")
    system = made.effort("friction", "x", effort).build()
    if not words:
        assert pytest.approx(0.0) == near(system, state).K
        return
    with pytest.raises(NumbersError, match=words):
        near(system, state)


def test_a_state_off_the_constraints_is_moved_and_this_is_said() -> None:
    found = near(mbsd(ON_A_ROD), State(q={"x": 0.1, "y": -1.0}))
    q = found.state.q
    assert q["x"] ** 2 + q["y"] ** 2 == pytest.approx(1.0, abs=1e-14)
    assert any("moved onto the constraints" in d.message for d in found.diagnostics)
    assert any("no equilibrium" in d.message for d in found.diagnostics)


def test_a_time_is_told_where_the_equations_depend_on_it() -> None:
    system = mbsd("n(t^2) i1 > z(a) i1 $1 [0,0,0] g9.81-y")
    found = near(system, State(t=0.5), timed=True)
    assert any("t = 0.5 s alone" in d.message for d in found.diagnostics)


@pytest.mark.parametrize(("along_x", "along_y", "stability"), [
    ("-10*x + 3*x'", "-10*y", "unstable"),  # a damper that feeds energy
    ("-10*x + 3*y'", "-10*y + 3*x'", "unstable"),
    ("-x - 5*y", "-y + 5*x", "unstable"),  # a follower force: flutter
    ("-9*x - y - x'", "-y + 0.5*x - y'", "stable"),
    ("x + 9*y'", "y - 9*x'", "stable"),  # held by gyroscopic forces
    ("x + 1*y'", "y - 1*x'", "unstable"),
    ("-10*x + 1e-12*x'", "-10*y", "indifferent"),  # growth too slow for floats to be told from none
    ("-10*x - 3*x' + 4*y'", "-10*y - 3*y' - 4*x'", "stable"),
])  # fmt: skip
def test_eigenvalues_decide_where_the_stiffness_does_not(along_x: str, along_y: str, stability: str) -> None:
    system = mbsd(f'u(x)"({along_x}) v(y)"({along_y}) $1')
    assert rest(system).stability == stability
    assert near(system).stable is {"stable": True, "unstable": False, "indifferent": None}[stability]


@pytest.mark.parametrize("force", ["exp(-x)", "1/(1+x)^2", "exp(-1000*x)", "exp(-x/1000)", "1-x/sqrt(1+x^2)"])
def test_forces_that_fade_away_have_no_equilibrium(force: str) -> None:
    with pytest.raises(NoEquilibriumError):
        rest(mbsd(f'u(x)"({force}) $1'))


@pytest.mark.parametrize("centre", ["0.942 0.29 0.913", "0.4 -0.7 0.2", "-0.3 0.1 -0.9", "0.05 0.6 0.07"])
def test_a_ball_pendulum_rests_in_any_turn_about_the_vertical(centre: str) -> None:
    """Its weight is a product whose factors cancel; no force acts about the vertical, but rounding."""
    ball = f'<joint type="ball"/><geom size="0.1" pos="{centre}" mass="1.5"/>'
    text = f'<mujoco><worldbody><body euler="20 -35 50">{ball}</body></worldbody></mujoco>'
    found = rest(read_text(text, "-", "mjcf").system)
    assert found.stability in ("indifferent", "unstable") and abs(found.left) < 1e-13


@pytest.mark.parametrize("force", ["-x^3", "-x^5", "-x", "-1e-6*x", "(1-x)^3", "1e-9*(1-x)"])
def test_soft_springs_have_one(force: str) -> None:
    assert rest(mbsd(f'u(x)°0.3"({force}) $1')).stability in ("stable", "indifferent")


def test_a_stiffness_that_grows_on_the_way_balances_no_other_force() -> None:
    """The cart is pushed by 1 N for ever; what holds the other body is 1e21 N/m where it comes to."""
    made = Mechanism("m").body("b", mass=1).slides("x", along="x").body("d", on="b", mass=1).slides("y", along="y")
    with pytest.raises(NoEquilibriumError, match="a force of 1 is left along x"):
        rest(made.effort("push", "x", "1").effort("hold", "y", "-exp(100*(x - 1))*y").build())


def test_what_nothing_balances_is_named_alone() -> None:
    """The body that falls does not keep the heavy beam from where its spring holds it."""
    made = Mechanism("m").body("beam", mass=900, com=(3, 0, 0), inertia=(9, 9, 9)).turns("swing", about="y")
    made = made.effort("spring", "swing", "-1e5*swing").body("ball", mass=1).slides("z", along="z").gravity(z=-9.81)
    with pytest.raises(NoEquilibriumError) as problem:
        rest(made.build())
    assert [d.place for d in problem.value.diagnostics] == ["coordinates/z"]
    assert 0.2 < abs(problem.value.nearest.q["swing"]) < 0.3


@pytest.mark.parametrize("stiff", [1e6, 1e12])
def test_what_is_weak_beside_what_is_stiff_is_measured_by_itself(stiff: float) -> None:
    """A newton along x beside a spring of 1e12 N/m along y: it draws away, or a spring of 1 N/m holds it at 1 m."""
    made = Mechanism("m").body("b", mass=1, inertia=(1, 1, 1)).slides("x", along="x").slides("y", along="y")
    made = made.effort("ey", "y", f"{stiff / 2} - {stiff}*y").effort("one", "x", "1")
    with pytest.raises(NoEquilibriumError, match="a force of 1 is left along x"):
        rest(made.build(), State(q={"y": 0.4}))
    found = rest(made.effort("ex", "x", "-x").build(), State(q={"y": 0.4}))
    assert found.state.q == pytest.approx({"x": 1.0, "y": 0.5}, rel=1e-9)
    assert (found.stability, found.unstable, found.indifferent) == ("stable", (), ())
    balanced = rest(made.effort("off", "x", "x - 1").build())
    assert (balanced.stability, balanced.indifferent) == ("indifferent", (("x",),))


def test_a_folded_parallelogram_hangs_down() -> None:
    """Folded flat it has two freedoms, and one next to it: forces of both are compared along the motion."""
    made = Mechanism("parallelogram").gravity(y=-G)
    made.body("a", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3)).turns("a", about="z")
    made.body("b", on="a", mass=1, com=(1, 0, 0), inertia=(0.1, 0.2, 0.3)).shift(x=1).turns("b", about="z")
    made.body("c", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3)).shift(x=2).turns("c", about="z")
    found = rest(made.pin("pin", ("b", (2, 0, 0)), ("c", (1, 0, 0))).build())
    assert found.state.q == pytest.approx({"a": -pi / 2, "b": pi / 2, "c": -pi / 2}) and found.stability == "stable"


LIFT = """{"format": "mbconcord", "version": 1, "name": "lift",
"coordinates": [{"name": "q1"}, {"name": "q2"}, {"name": "q3", "position": 0.6}],
"gravity": {"value": 1.62, "direction": "z"}, "bodies": [{"name": "b1", "parent": null,
"joint": [{"rotation": "-x", "coordinate": "q1"},
{"rotation": ["2/sqrt(17)", "-3/sqrt(17)", "-2/sqrt(17)"], "prescribed": "-0.9 + 0*t"},
{"translation": "z", "coordinate": "q2"}],
"inertia": {"mass": 3.5, "centre": [0.9, -0.64, 0.1], "tensor": [1.9459, 2.18, 0.7659, 0.261, 0.02, -0.241]}},
{"name": "b2", "parent": "b1", "joint": [{"translation": "y", "coordinate": "q3"}],
"inertia": {"mass": 0.1, "centre": [-0.1, -0.52, 0.8], "tensor": [1.8969, 2.04, 0.8969, 0.363, 0.27, 0.014]}}]}"""


def test_a_step_whose_squares_are_singular_is_taken() -> None:
    """It was an internal error: J'J and what damps it have no inverse in floats, J has a pseudoinverse."""
    with pytest.raises(NoEquilibriumError, match=r"a force of .* is left along q2"):
        rest(read_text(LIFT, format="native").system)


def test_a_ball_joint_whose_axes_lie_in_a_plane_is_not_called_at_rest_for_good() -> None:
    """A level arm in gimbal lock: no equation holds the moment about the lost axis, by which it falls (m g/4)."""
    arm = Mechanism("arm").gravity(z=-G).body("b", mass=1, com=("1/4", 0, 0), inertia=(0.1, 0.1, 0.1))
    made = arm.turns("p", about="z").turns("q", about="x", start=-pi / 2).turns("s", about="y").build()
    found = rest(made)
    assert (found.stability, found.unstable, found.indifferent) == ("not judged", (), ())
    assert any("the position is singular: p, s turn about one axis" in str(d) for d in found.diagnostics)
    assert equilibrium(made).verdict == "agrees"
    massless = Mechanism("bars").body("a").slides("x", along="x").effort("k", "x", "-x").build()
    assert rest(massless).stability == "stable"  # it has no inertia anywhere
