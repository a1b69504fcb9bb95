"""Linearised motions against closed forms: frequencies, damping, limits of stability, reactions that stiffen."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import mbconcord
from mbconcord.api.mechanism import Mechanism
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Inertia, State, System, translation
from mbconcord.model.beams import ClampedFree
from mbconcord.model.constraint import Holonomic
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import as_expression, number, symbol
from mbconcord.model.force import JointEffort
from mbconcord.simulation.linear import linearised
from mbconcord.simulation.linear.linearised import derive_linearised

from ...reference.test_elastic import CANTILEVERS, UNIT, cantilever, named, southwell
from ..mechanisms import four_bars
from .machines import DOUBLE, ON_A_ROD, G, fixture, hoop, mbsd, near, oscillator, rest, sleigh, top

FORMALISMS = ("lagrange", "newton_euler", "virtual_work", "konoplev", "telegin", "flexible")


@pytest.mark.parametrize("by", FORMALISMS)
def test_the_double_pendulum(by: str) -> None:
    found = near(mbsd(DOUBLE), by=by)
    assert [m.omega**2 / G for m in found.modes] == pytest.approx([2 - 2**0.5, 2 + 2**0.5], rel=1e-13)
    assert found.modes[0].shape[1] / found.modes[0].shape[0] == pytest.approx(2**0.5 - 1, rel=1e-12)
    assert found.equilibrium and found.stable and not found.C.any() and not found.diagnostics


@pytest.mark.parametrize("damping", [0.0, 3.0, 40.0])
def test_an_oscillator(damping: float) -> None:
    """ω² = k/m, ζ = c/2√(km); beyond ζ = 1 two modes that decay, whose rates have the product k/m."""
    found = near(oscillator(2.0, 50.0, damping))
    ratio = damping / (2 * (50.0 * 2.0) ** 0.5)
    if ratio < 1:
        (mode,) = found.modes
        assert mode.omega == pytest.approx(5.0, rel=1e-14) and mode.damping == pytest.approx(ratio, abs=1e-15)
        assert mode.hertz == pytest.approx(5.0 / (2 * np.pi))
    else:
        assert [m.kind for m in found.modes] == ["decays", "decays"]
        assert np.prod([m.eigenvalue for m in found.modes]) == pytest.approx(25.0, rel=1e-12)
    assert [u.name for u in found.inputs] == ["spring"]
    assert np.allclose(found.inputs_to_state, [[0], [0.5]]) and np.allclose(found.A, [[0, 1], [-25, -damping / 2]])


@pytest.mark.parametrize("by", ["lagrange", "konoplev"])
@pytest.mark.parametrize("independent", [["x"], None])
def test_reactions_stiffen(by: str, independent: list[str] | None) -> None:
    """A point on a rod hangs on λ alone: no force depends on where it is, and yet ω² = g/L."""
    found = near(mbsd(ON_A_ROD), by=by, independent=independent)
    assert found.positions == ("x",)
    assert [m.omega for m in found.modes] == pytest.approx([G**0.5], rel=1e-13)
    assert np.allclose(found.geometric, found.K) and found.K[0, 0] == pytest.approx(G, rel=1e-13)


def test_a_hanging_loop() -> None:
    """A parallelogram of rods of 1 m hangs: (2/3 + 1) θ'' = -(1 + 1) g θ."""
    names = four_bars(1).coordinate_names
    q = {n: np.pi / 2 if n[0] == "b" else -np.pi / 2 for n in names}
    (mode,) = near(four_bars(1), State(q=q)).modes
    assert mode.omega**2 == pytest.approx(2 * G / (5 / 3), rel=1e-12)
    assert abs(mode.shape[list(names).index("b0")] / mode.shape[0] + 1) < 1e-12


@pytest.mark.parametrize("name", CANTILEVERS)
def test_cantilevers(name: str) -> None:
    shapes, faster, _ = CANTILEVERS[name]
    modes = named(shapes)
    for by in ("lagrange", "flexible"):
        found = near(cantilever(modes), by=by, inputs=())
        assert found.modes[0].omega / (1.8751040687119611**2 * UNIT) == pytest.approx(faster, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("stiffened", [False, True])
def test_a_turning_beam(stiffened: bool) -> None:
    """Southwell: ω² = ω_0² + S Ω² across the plane in which it turns, -Ω² within; the equations do not depend on t."""
    spin = 0.8 * UNIT
    for along, softened in ((2, 1.0), (3, 0.0)):
        modes = named([ClampedFree(1)], along)
        still, turning = (near(cantilever(modes, x, stiffened), inputs=()).modes[0].omega for x in (None, spin))
        expected = (southwell(ClampedFree(1)) if stiffened else 0.0) - softened
        assert (turning**2 - still**2) / spin**2 == pytest.approx(expected, abs=1e-7)


def test_the_heavy_top_sleeps_above_its_limit() -> None:
    """Stable where (C ω)² > 4 A m g l; below, it falls as the linear motion says."""
    mass, length, across, along = 1.5, 0.4, 0.3, 0.05
    limit = (4 * across * mass * G * length) ** 0.5 / along
    for part, stable in ((0.999, False), (1.001, True)):
        found = near(top(mass, length, across, along), State(v={"spin": part * limit}), hold=())
        assert found.stable is stable, part
        assert found.gyroscopic.any() and not found.damping.any()
        assert found.kind == "steady" and not found.equilibrium
    inner = (1 - part**-2) ** 0.5
    expected = sorted(along * part * limit / (2 * across) * (1 + sign * inner) for sign in (-1, 1))
    swinging = [m for m in found.modes if m.kind == "oscillates"]
    assert [m.omega for m in swinging] == pytest.approx(expected, rel=1e-9)


def test_a_bead_in_a_turning_hoop() -> None:
    """At cos θ = g/Ω²R: ω² = Ω² sin² θ; at the bottom Ω² > g/R drives it away."""
    spin = 5.0
    angle = np.arccos(G / spin**2)
    found = near(hoop(spin), State(q={"angle": angle}))
    assert found.equilibrium and found.modes[0].omega == pytest.approx(spin * np.sin(angle), rel=1e-12)
    assert near(hoop(spin), State(q={"angle": 0.0})).stable is False
    assert near(hoop(3.0), State(q={"angle": 0.0})).stable is True


@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_chaplygins_sleigh_goes_straight_one_way(speed: float) -> None:
    """Rows that restrict rates alone: ω' = -m a v/(J + m a²) ω; three positions, two rates, a line of rest."""
    mass, ahead, inertia = 2.0, 0.3, 0.15
    found = near(sleigh(), State(v={"x": speed, "y": 0.0, "heading": 0.0}))
    assert found.positions == ("x", "y", "heading") and found.rates == ("x", "heading")
    rate = -mass * ahead * speed / (inertia + mass * ahead**2)
    assert sorted(found.eigenvalues, key=abs) == pytest.approx([0, rate], rel=1e-9)
    assert found.stable is (speed > 0)
    assert found.K.shape == (2, 3) and found.A.shape == (5, 5)
    assert found.A[1].tolist() == pytest.approx([0, 0, speed, 0, 0])  # y' = v heading


def test_a_moving_mechanism_is_that_of_other_coordinates() -> None:
    """x = sin a: (δx, δx') = T (δa, δa'), so A_x = T' T⁻¹ + T A_a T⁻¹, along a motion that is no equilibrium."""
    a, rate = 0.6, 1.3
    s, c = np.sin(a), np.cos(a)
    on_angle = near(mbsd("z(a) -j1 $1 [0,0,0] g9.81-y"), State(q={"a": a}, v={"a": rate}))
    q, v = {"x": s, "y": -c}, {"x": c * rate, "y": s * rate}
    on_rod = near(mbsd(ON_A_ROD), State(q=q, v=v), independent=["x"])
    acceleration = on_angle.acceleration[0]
    assert acceleration == pytest.approx(-G * s) and not on_rod.equilibrium
    T = np.array([[c, 0], [-s * rate, c]])
    dT = np.array([[-s * rate, 0], [-c * rate**2 - s * acceleration, -s * rate]])
    expected = dT @ np.linalg.inv(T) + T @ on_angle.A @ np.linalg.inv(T)
    assert np.allclose(on_rod.A, expected, rtol=0, atol=1e-12)


def test_parts_of_the_matrices() -> None:
    """A follower force is circulatory; a spring conservative; C and K are the sums of their parts."""
    made = (
        Mechanism("follower").body("a", mass=2, com=(1, 0, 0), inertia=(0, 0, 0)).turns("a", about="z")
        .body("b", on="a", mass=1, com=(1, 0, 0), inertia=(0, 0, 0)).shift(x=1).turns("b", about="z")
        .effort("first", "a", "-3*a - 0.1*a'").effort("second", "b", "-2*b")
        .force("push", ("b", (1, 0, 0)), ("-4*cos(a+b)", "-4*sin(a+b)", 0))
    ).build()  # fmt: skip
    found = near(made)
    assert np.allclose(found.K, found.stiffness + found.circulatory) and found.circulatory.any()
    assert np.allclose(found.C, found.damping + found.gyroscopic) and not found.gyroscopic.any()
    assert np.allclose(found.stiffness, found.stiffness.T) and np.allclose(found.circulatory, -found.circulatory.T)
    # the moment of -4 e(a + b) at e(a) + e(a + b) about the origin is -4 sin b, about the second joint none
    assert np.allclose(found.K, [[3, 4], [0, 2]])


def test_inputs() -> None:
    """A cart with a pendulum: a force on the cart, and a torque on the pendulum."""
    cart = (
        Mechanism("cart").gravity(y=-G).body("cart", mass=3, inertia=(1, 1, 1)).slides("x", along="x")
        .body("bob", on="cart", mass=1, com=(0, -2, 0), inertia=(0, 0, 0)).turns("a", about="z")
        .drive("x", 0).force("wind", ("bob", (0, -2, 0)), (0, 1, 0))
    ).build()  # fmt: skip
    found = near(cart)
    assert [(u.name, u.unit) for u in found.inputs] == [("x", "N"), ("wind.y", "N")]
    assert np.allclose(found.B, [[1, 0], [0, 0]])
    found = near(cart, inputs=["a", "wind", "x"])
    assert [u.name for u in found.inputs] == ["a", "wind.x", "wind.y", "wind.z", "x"]
    assert np.allclose(found.B, [[0, 1, 0, 0, 1], [1, 2, 0, 0, 0]])
    assert np.allclose(found.inputs_to_state[2:], np.linalg.solve([[4, 2], [2, 4]], found.B))


def test_what_is_free_has_modes_at_zero() -> None:
    """Two masses on a spring: one mode at zero, ω² = k (1/m + 1/M); beside a fast mode a slow one is none at zero."""
    made = (
        Mechanism("two").body("a", mass=2, inertia=(0, 0, 0)).slides("x", along="x")
        .body("b", mass=3, inertia=(0, 0, 0)).slides("y", along="x")
    )  # fmt: skip
    free = made.effort("f", "x", "-60*(x-y)").effort("g", "y", "60*(x-y)").build()
    found = near(free)
    assert [m.kind for m in found.modes] == ["indifferent", "oscillates"] and found.stable is None
    assert found.modes[1].omega ** 2 == pytest.approx(50.0) and found.modes[0].damping != found.modes[0].damping
    slow = (
        Mechanism("apart").body("a", mass=1, inertia=(0, 0, 0)).slides("x", along="x")
        .body("b", mass=1, inertia=(0, 0, 0)).slides("y", along="x")
        .effort("f", "x", "-4e-5*x").effort("g", "y", "-1e8*y - 1e-3*y'")
    ).build()  # fmt: skip
    assert [m.omega for m in near(slow).modes] == pytest.approx([4e-5**0.5, 1e4], rel=1e-6)


def test_coordinates_that_are_held_are_none() -> None:
    held = near(mbsd(DOUBLE), hold=["a"])
    assert held.positions == ("b",) and held.modes[0].omega == pytest.approx(G**0.5)
    assert held.rows == ("hold of a",) and np.allclose(held.shapes, [[0], [1]])
    everything = near(mbsd(DOUBLE), hold=["a", "b"])
    assert everything.modes == () and everything.A.shape == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["mbsd/andrews.mbsd", "native/rubber_mounts.mbs.json", "um/suspension/input.dat"])
def test_eigenvalues_are_those_of_the_state_space(file: str) -> None:
    found = near(fixture(file), inputs=(), timed=True)
    own = [m.eigenvalue for m in found.modes]
    pairs = [s for m in own for s in ((m, m.conjugate()) if m.imag else (m,))]
    others = np.linalg.eigvals(found.A)
    for s in pairs:
        assert np.abs(others - s).min() < 1e-5 * np.abs(others).max()
    assert len(pairs) in (len(others), len(others) - sum(m == 0 for m in own))
    for m in found.modes:
        i = [found.coordinates.index(n) for n in found.positions]
        z = m.shape[i]
        left = (m.eigenvalue**2 * found.M + m.eigenvalue * found.C + found.K) @ z
        assert np.abs(left).max() < 1e-6 * np.abs(found.K).max() * np.abs(z).max()


def test_modes_at_rest_are_the_same_whatever_is_independent() -> None:
    system = fixture("native/slider_crank.mbs.json")
    state = rest(system).state
    values = [[m.eigenvalue for m in near(system, state, independent=[n]).modes] for n in ("crank", "rod", "piston")]
    for other in values[1:]:
        assert other == pytest.approx(values[0], rel=1e-9)


@pytest.mark.parametrize("soft", [1e-7, -1e-8, 0.0, -1e-3])
def test_a_soft_coordinate_beside_a_stiff_one_is_no_free_one(soft: float) -> None:
    """Their stiffnesses are known to all digits, and so is the slow mode beside 1000 rad/s."""
    text = f'u(x)"(-1e6 x) v(y)"({soft:.10f} y) $1'
    found = mbconcord.linearize(mbconcord.read(text=text, format="mbsd"))
    assert found.frequencies[-1] == pytest.approx(1000) and not [d for d in found.diagnostics if d.place == "modes"]
    slow = [mode.eigenvalue**2 for mode in found.modes if mode.omega < 999]
    assert slow == [pytest.approx(soft, rel=1e-9)] * (2 if soft > 0 else 1)


def lines_of_two(k: float, m: float, damping: float = 0.0, closed: bool = False) -> System:
    """Return two masses in a line, 1 and m: a spring of stiffness k holds the first, one of 1 N/m joins the second."""
    bodies = [
        Body("first", None, (translation("x", "x"),), Inertia(number(1))),
        Body("second", None, (translation("x", "y"),), Inertia(as_expression(m))),
    ]
    pull = symbol("y") - symbol("x") + as_expression(damping) * (symbol("y'") - symbol("x'"))
    forces = [JointEffort("wall", "x", -as_expression(k) * symbol("x") + pull), JointEffort("join", "y", -pull)]
    names = ["x", "y", *(["z"] if closed else [])]
    tied: list[Holonomic] = []
    if closed:
        bodies.append(Body("third", None, (translation("x", "z"),), Inertia(number(1))))
        tied.append(Holonomic("tie", symbol("z") - symbol("y")))
    coordinates = tuple(Coordinate(name) for name in names)
    return System("line", coordinates, bodies=tuple(bodies), forces=tuple(forces), constraints=tuple(tied))


@pytest.mark.parametrize("by", ["lagrange", "newton_euler"])
@pytest.mark.parametrize(("k", "m"), [*((10.0**i, 1.0) for i in (3, 6, 9, 12, 16, 20)), (1.0, 1e-12), (1e12, 1e12)])
def test_slow_modes_beside_fast_ones_have_all_digits(k: float, m: float, by: str) -> None:
    """ω² m - (k m + m + 1) ω² / 1 + k/m: the smaller root is 2 k/m / (b + √(b² - 4 k/m)), of which no digit cancels."""
    found = derive_linearised(lines_of_two(k, m), formalism(by), State())[0]
    b = (k + 1) + 1 / m
    large = (b + math.sqrt(max(b * b - 4 * k / m, 0.0))) / 2
    expected = [math.sqrt(k / m / large), math.sqrt(large)]
    assert [mode.omega for mode in found.modes] == pytest.approx(expected, rel=1e-9)
    assert found.stable and not [d for d in found.diagnostics if d.place == "modes"]


def test_masses_beyond_the_digits_of_floats_are_refused() -> None:
    with pytest.raises(NumbersError, match="singular to rounding"):
        derive_linearised(lines_of_two(1.0, 1e-20), formalism("lagrange"), State())


def test_slow_decay_beside_fast_has_all_digits() -> None:
    """A dashpot of 1e12 N s/m: both masses go on together, on a spring of 1 N/m, and their distance decays at once."""
    found = derive_linearised(lines_of_two(1.0, 1.0, 1e12), formalism("lagrange"), State())[0]
    pair, fast, *_ = sorted(found.modes, key=lambda mode: abs(mode.eigenvalue.imag), reverse=True)
    assert pair.omega == pytest.approx(math.sqrt(0.5), rel=1e-9)
    assert max(mode.omega for mode in found.modes) == pytest.approx(2e12, rel=1e-9) and fast.eigenvalue.imag == 0


def test_what_is_lost_beside_the_largest_is_told_where_constraints_leave_floats() -> None:
    found = derive_linearised(lines_of_two(1e16, 1.0, closed=True), formalism("lagrange"), State())[0]
    (told,) = (d for d in found.diagnostics if d.place == "modes")
    assert "has frequency zero here" in told.message or "is not determined" in told.message


def test_one_warning_names_all_that_is_lost() -> None:
    """A robot with 30 light fingers had as many lines, some of them twice."""
    lost = SimpleNamespace(M=np.eye(3), K=np.diag([1e16, 1.0, 1.0]))
    (told,) = linearised._name_lost(lost, ("a", "b", "c"))  # type: ignore[arg-type]
    assert "along c, b a frequency below" in told.message


def test_a_position_where_forces_are_least_but_not_zero_is_left() -> None:
    """|x³ - x + 1| is least at 1/√3; there a force of -0.615 draws to the only zero."""
    cart = Mechanism("cart").body("b", mass=1).slides("x", along="x").effort("f", "x", "-(x^3 - x + 1)")
    found = mbconcord.equilibrium(cart, q=[1.0])
    assert found.state.q["x"] == pytest.approx(-1.324717957244746, abs=1e-12)
    assert found.stability == "stable" and found.verdict == "agrees"
