"""The direct witness: series against derivatives in 100 digits, fields against numbers by hand, its reach."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from mbconcord.formalisms import registry
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Effort,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    Prescribed,
    Rod,
    State,
    System,
    Wrench,
    rotation,
    translation,
)
from mbconcord.model.coordinate import Function, Parameter
from mbconcord.model.expressions import (
    TIME,
    ExpressionError,
    as_expression,
    call,
    evaluate,
    number,
    rate,
    sin,
    symbol,
    time_derivative,
)
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import scales
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.direct.formulas import SeriesFormulas
from mbconcord.validation.witnesses.direct.series import Series
from mbconcord.validation.witnesses.direct.tree import direct, obstacles

from ..expressions.graph_states import MP
from ..expressions.recipes import Recipe, build, compute, recipes

NAMES = ("x", "y", "t")
QUANTITIES = ("M", "h", "gravity", "applied", "inverse_dynamics")


def moderate(value):
    """Reject states at which floats lose more digits than the test allows for."""
    assume(value == 0 or 1e-2 < abs(value) < 1e2)
    return value


# --- series ----------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=400)
@given(recipes(symbols=NAMES, undefined={}, max_size=8), st.integers(0, 10**6))
@example(Recipe((*(("symbol", n, ()) for n in NAMES), ("number", Fraction(1), ()), ("function", "acos", (3,)))), 0)
def test_coefficients_of_a_formula_are_its_rates(recipe, seed):
    """x(t + s) = x + s x' + s² x''/2 for every kind of node, against derivatives of the graph in 100 digits."""
    e = build(recipe)
    dice = np.random.default_rng(seed)
    numbers = {n + dots: float(dice.uniform(0.3, 2)) for n in ("x", "y") for dots in ("", "'", "''")} | {"t": 0.7}
    try:
        compute(recipe, numbers, MP, {}, moderate)
        first = time_derivative([e], ("x", "y"))[0]
        second = time_derivative([first], ("x", "y"))[0]
        exact = [moderate(value) for value in evaluate([e, first, second], numbers, MP)]
    except (ExpressionError, ValueError, ZeroDivisionError, OverflowError):
        assume(False)
    series = {n: Series(tuple(np.array([numbers[n + d] / f]) for d, f in (("", 1), ("'", 1), ("''", 2)))) for n in "xy"}
    series["t"] = Series((np.array([0.7]), np.ones(1), np.zeros(1)))
    found = SeriesFormulas(series, (), 3, 1).expand(e).c
    for k, value in enumerate(exact):
        assert abs(float(found[k][0]) * math.factorial(k) - value) <= mpmath.mpf("1e-8") * (1 + abs(value))


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_beyond_the_range_of_floats_are_infinite(sign):
    assert SeriesFormulas({}, (), 1, 1).value(number(sign * 10**400)) == sign * math.inf


def test_derivatives_of_a_function_are_those_of_its_formula():
    """f''(2 t) for f(u) = u⁴: 12 (2t)², its rate 96 t, its second rate 96."""
    f = Function("f", ("u",), symbol("u") ** 4)
    t = Series((np.array([0.5]), np.ones(1), np.zeros(1)))
    found = SeriesFormulas({"t": t}, (f,), 3, 1).expand(call("f", [2 * TIME], [2])).c
    assert [float(c[0]) for c in found] == pytest.approx([12.0, 48.0, 48.0], rel=1e-14)


# --- fields ----------------------------------------------------------------------------------------

BRICK = Inertia(2.0, (0, 0, 0), (0.3, 0.4, 0.5))
UNIT = Inertia(1.0)


def slider(**more):
    """A mass of 1 kg along x, at x = 0.7 m with -0.3 m/s, at t = 1.5 s."""
    body = Body("b", None, (translation("x", "q"),), UNIT)
    return System("slider", (Coordinate("q"),), bodies=(body,), **more)


AT = State(1.5, {"q": 0.7}, {"q": -0.3}, {"q": 0.0})
LAW = LinearLaw(1.0, 10.0, 0.5, 2.0, 3.0, 4.0, 0.25)
#: 1 - 10 (0.7 - 0.5) - 2 (-0.3) + 3 sin(4 · 1.5 + 0.25)
OF_LAW = -0.4 + 3 * math.sin(6.25)


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        pytest.param(slider(forces=(JointEffort("f", "q", LAW),)), OF_LAW, id="linear law along a coordinate"),
        pytest.param(
            slider(forces=(JointEffort("f", "q", 2 * symbol("q") + 5 * rate("q")),)), -0.1, id="formula of q and q'"
        ),
        pytest.param(
            # from the fixed origin to the mass: length 0.7, rate -0.3, pushes apart along +x
            slider(forces=(Bipolar("f", Point(None), Point("b"), LAW),)),
            OF_LAW,
            id="linear law along a line",
        ),
        pytest.param(
            slider(forces=(Bipolar("f", Point("b"), Point(None), 7 * LENGTH + LENGTH_RATE),)),
            7 * 0.7 - 0.3,
            id="formula along a line, ends exchanged",
        ),
        pytest.param(slider(forces=(PointForce("f", Point("b"), (4, 5, 6)),)), 4.0, id="force at a point"),
    ],
)
def test_forces_are_what_their_fields_say(system, expected):
    assert direct(system, [AT]).quantities["applied"][0, 0] == pytest.approx(expected, rel=1e-14)


def test_a_drive_and_an_effort_on_one_coordinate_add_up():
    system = System(
        "both",
        (Coordinate("q", drive=Effort(as_expression(3))),),
        bodies=(Body("b", None, (translation("x", "q"),), UNIT),),
        forces=(JointEffort("f", "q", as_expression(4)),),
    )
    assert direct(system, [AT]).quantities["applied"][0, 0] == 7.0


def test_a_wrench_has_its_force_in_world_axes_and_its_moment_in_the_bodys():
    """A body turned by 90° about z, then by r about its x (world y): moments about that axis are body x."""
    joint = (rotation("z", math.pi / 2), rotation("x", "r"))
    wrench = Wrench("w", Point("b", (0, 0, 2)), (3, 0, 0), (11, 0, 0))
    system = System("w", (Coordinate("r"),), bodies=(Body("b", None, joint, BRICK),), forces=(wrench,))
    # the point stands at 2 z; d r/d r = y × 2 z = 2 x; the force 3 along x does 6, the moment 11
    found = direct(system, [State(0.0, {"r": 0.0}, {"r": 0.0}, {"r": 0.0})]).quantities["applied"]
    assert found[0, 0] == pytest.approx(17.0, rel=1e-14)


@pytest.mark.parametrize(
    ("direction", "expected"),
    [((1, 0, 0), (18.0, 0.0, 0.0)), ((0, 1, 0), (0.0, 18.0, 0.0)), ((0, 0, 1), (0.0, 0.0, 18.0)),
     ((0.36, 0.48, 0.8), (6.48, 8.64, 14.4))],
)  # fmt: skip
def test_weight_falls_along_the_direction(direction, expected):
    joint = tuple(translation(axis, f"q{axis}") for axis in "xyz")
    system = System(
        "free", tuple(Coordinate(f"q{a}") for a in "xyz"),
        gravity=Gravity(as_expression(9), direction), bodies=(Body("b", None, joint, BRICK),),
    )  # fmt: skip
    found = direct(system, [State(0.0, {}, {}, {})]).quantities
    assert found["gravity"][0] == pytest.approx(expected, abs=1e-14)
    assert np.diag(found["M"][0]) == pytest.approx([2.0, 2.0, 2.0])


def test_inertia_of_an_offset_body_about_each_axis():
    """About its own axes: J + m (r² - x²) for the centre (1, 2, 3) and 2 kg; products are matrix elements."""
    inertia = Inertia(2.0, (1, 2, 3), (0.3, 0.4, 0.5, -0.05, 0.06, 0.07))
    for axis, expected in zip("xyz", (0.3 + 2 * 13, 0.4 + 2 * 10, 0.5 + 2 * 5), strict=True):
        body = Body("b", None, (rotation(axis, "r"),), inertia)
        found = direct(System("b", (Coordinate("r"),), bodies=(body,)), [State(0.0, {"r": 0.4}, {}, {})])
        assert found.quantities["M"][0, 0, 0] == pytest.approx(expected, rel=1e-14)


def test_a_prescribed_motion_makes_forces_of_inertia():
    """A slide along x on a frame that turns by t² about z: -m q (2t)² along the slide."""
    joint = (rotation("z", Prescribed(TIME * TIME)), translation("x", "q"))
    system = System("turned", (Coordinate("q"),), bodies=(Body("b", None, joint, UNIT),))
    assert direct(system, [AT]).quantities["h"][0, 0] == pytest.approx(-0.7 * 9.0, rel=1e-13)


def test_masses_of_rods_and_bipolar_elements_stand_half_on_each_end():
    rod = Rod("rod", Point(None), Point("b"), as_expression(0.7), as_expression(0.4))
    strut = Bipolar("strut", Point(None), Point("b"), as_expression(0), as_expression(0.6))
    system = slider(forces=(strut,), constraints=(rod,))
    assert direct(system, [AT]).quantities["M"][0, 0, 0] == pytest.approx(1.5, rel=1e-15)


def test_parameters_and_initial_values_are_bound():
    q = Coordinate("q", symbol("a") * 2, symbol("b"))
    system = System(
        "bound", (q,), (Parameter("b", symbol("a") + 1), Parameter("a", as_expression(3))),
        bodies=(Body("b", None, (translation("x", "q"),), UNIT),),
        forces=(JointEffort("f", "q", symbol("q") + 10 * rate("q") + 100 * sin(TIME)),),
    )  # fmt: skip
    found = direct(system, [State(0.0, {}, {}, {}), State(0.0, {"q": 1.0}, {}, {}, {"a": 5.0})])
    assert found.quantities["applied"][:, 0].tolist() == [46.0, 61.0]


# --- reach -----------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_every_formalism_on_random_trees(seed):
    drawn = draw(random_system(seed, 1 + seed % 6), 4, seed)
    assert not obstacles(drawn.system)
    own = direct(drawn.system, drawn.states).quantities
    size = scales(TreeKinematics(drawn.system, drawn.states))
    compared = 0
    for name in registry.names():
        formalism = registry.formalism(name)
        if formalism.obstacles(drawn.system.open_loops()):
            continue
        theirs = formalism.evaluate(drawn.system.open_loops(), drawn.states).quantities
        for quantity in QUANTITIES:
            if quantity in theirs:
                scale = size.mass if quantity == "M" else size.rows[quantity]
                gap = np.abs(own[quantity] - theirs[quantity])
                assert (gap <= 9.1e-13 * scale).all(), (name, quantity)
                compared += 1
    assert compared >= 20


def test_a_partial_derivative_of_a_function_of_several_arguments():
    """∂f/∂u at (2 t, t) for f(u, w) = u² w: 2 u w = 4 t², its rate 8 t, its second rate 8."""
    f = Function("f", ("u", "w"), symbol("u") ** 2 * symbol("w"))
    t = Series((np.array([0.5]), np.ones(1), np.zeros(1)))
    found = SeriesFormulas({"t": t}, (f,), 3, 1).expand(call("f", [2 * TIME, TIME], [1, 0])).c
    assert [float(c[0]) for c in found] == pytest.approx([1.0, 4.0, 4.0], rel=1e-14)


def test_a_power_takes_as_many_products_as_its_exponent_has_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """sin(x)^1000000 took a million products at every state: a check of it did not end."""
    products, times = list[int](), Series.__mul__

    def count(one: Series, other: Series) -> Series:
        products.append(1)
        assert len(products) < 100
        return times(one, other)

    monkeypatch.setattr(Series, "__mul__", count)
    known = {"x": Series((np.array([0.999999, 1.0]), np.array([1.0, 0.0])))}
    found = SeriesFormulas(known, (), 2, 2).expand(symbol("x") ** 1_000_003)
    assert found.c[0] == pytest.approx([0.999999**1_000_003, 1.0], rel=1e-9)
    assert found.c[1] == pytest.approx([1_000_003 * 0.999999**1_000_002, 0.0], rel=1e-9)
