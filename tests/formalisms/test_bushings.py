"""Springs, dampers and moments between frames: the law by hand, and what holds of every one of them."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.formalisms.registry import formalism, names
from mbconcord.model import (
    Body,
    Bushing,
    Coordinate,
    Inertia,
    LinearLaw,
    State,
    System,
    Torsion,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import number, symbol
from mbconcord.model.transformation import Frame
from mbconcord.model.turns import to_wrenches
from mbconcord.validation.check import check
from mbconcord.validation.strategies.special_trees import sprung_system

from .numbers import at, close

FIXTURES = Path(__file__).parents[2] / "fixtures"

TAKE = ("lagrange", "newton_euler", "virtual_work", "konoplev")
takers = pytest.mark.parametrize("name", TAKE)
SOLID = Inertia(number(2), (0, 0, 0), (1, 1, 1, 0, 0, 0))
FREE = (*(translation(a, a) for a in "xyz"), rotation("x", "a"), rotation("y", "b"), rotation("z", "c"))


def only(value, *places):
    """Six rows with one value."""
    return [[value if (i, k) in places else 0 for k in range(6)] for i in range(6)]


def applied(name, joint, force, q, v=None):
    coordinates = tuple(Coordinate(et.coordinate) for et in joint if et.coordinate)
    system = System("one", coordinates, (), (), None, (Body("body", None, joint, SOLID),), (force,))
    return at(formalism(name), system, State(0.0, q, v or dict.fromkeys(q, 0.0)))["applied"]


@takers
@pytest.mark.parametrize("axis", "xyz")
def test_along_and_about_each_axis(name, axis):
    """p - K x - D x' along an axis, p - K sin φ - D φ' about it: of a turn, its sine."""
    i = "xyz".index(axis)
    preload = [0.5 if k == i else 0.25 if k == i + 3 else 0 for k in range(6)]
    mount = Bushing("m", Frame(None), Frame("body"), only(8, (i, i)), only(3, (i, i)), preload)
    found = applied(name, (translation(axis, "s"),), mount, {"s": 0.7}, {"s": -0.2})
    assert close(found, [0.5 - 8 * 0.7 + 3 * 0.2])
    mount = Bushing("m", Frame(None), Frame("body"), only(8, (i + 3, i + 3)), only(3, (i + 3, i + 3)), preload)
    found = applied(name, (rotation(axis, "s"),), mount, {"s": 0.7}, {"s": -0.2})
    assert close(found, [0.25 - 8 * sin(0.7) + 3 * 0.2])


@takers
def test_in_the_axes_of_the_first_frame(name):
    """A spring along the x axis of a frame that is turned by 0.4 about z, its other end at (x, y) of the world."""
    first = Frame(None, (*shift((1, 2, 0)), rotation("z", number("0.4"))))
    joint = (translation("x", "x"), translation("y", "y"))
    along = np.array([cos(0.4), sin(0.4)])
    for ends, sign in (((first, Frame("body")), 1), ((Frame("body"), first), 0)):
        mount = Bushing("m", *ends, only(5, (0, 0)))
        d = np.array([1.6, 2.9]) - [1, 2]
        expected = -5 * (d @ along) * along if sign else [-5 * d[0], 0]  # in the axes of the body: those of the world
        assert close(applied(name, joint, mount, {"x": 1.6, "y": 2.9}), expected)


@takers
def test_an_end_away_from_the_body_s_origin_has_an_arm(name):
    """A spring along y on a crank of length 0.5: -k (0.5 sin φ) 0.5 cos φ; its rate is 0.5 cos φ φ'."""
    mount = Bushing("m", Frame(None), Frame("body", shift((number("0.5"), 0, 0))), only(6, (1, 1)), only(2, (1, 1)))
    found = applied(name, (rotation("z", "s"),), mount, {"s": 0.3}, {"s": 1.5})
    assert close(found, [(-6 * 0.5 * sin(0.3) - 2 * 0.5 * cos(0.3) * 1.5) * 0.5 * cos(0.3)])


@takers
def test_one_displacement_pushes_along_another(name):
    """K_20: a shift along x pushes along z; K_03: a turn about x pushes along x, and nothing the other way."""
    mount = Bushing("m", Frame(None), Frame("body"), only(4, (2, 0), (0, 3)))
    joint = (translation("x", "x"), translation("z", "z"), rotation("x", "a"))
    assert close(applied(name, joint, mount, {"x": 0.5, "z": 0.1, "a": 0.2}), [-4 * sin(0.2), -4 * 0.5, 0])


@takers
@pytest.mark.parametrize("seed", range(3))
def test_inside_a_machine_it_moves_none_of_it(name, seed):
    """Between a free body and one on it: no generalized force along the free body's six coordinates."""
    own = [et.coordinate for et in FREE]
    steps = tuple(type(et)(et.kind, et.axis, type(et.motion)(f"{et.coordinate}2")) for et in FREE)
    bodies = Body("ship", None, FREE, SOLID), Body("load", "ship", steps, SOLID)
    (mount, *_) = (f for f in sprung_system(seed, 2).forces if isinstance(f, Bushing))
    mount = Bushing(
        "m", Frame("ship", mount.first.transformations), Frame("load", mount.second.transformations),
        mount.stiffness, mount.damping, mount.preload,
    )  # fmt: skip
    every = [*own, *(f"{n}2" for n in own)]
    system = System("two", tuple(map(Coordinate, every)), (), (), None, bodies, (mount,))
    random = np.random.default_rng(seed)
    state = State(0.0, *(dict(zip(every, random.uniform(-1, 1, 12), strict=True)) for _ in range(2)))
    found = at(formalism(name), system, state)["applied"]
    assert np.abs(found[6:]).max() > 0.1
    assert close(found[:6], np.zeros(6), size=np.abs(found).max() * 10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_agree_with_validations_own_witness(seed):
    found = check(sprung_system(seed, 3), states=2, formalisms=TAKE, claims=("fields", "power_balance"))
    assert found.verdict == "agrees", [c for c in found.comparisons if c.verdict != "agrees"]
    assert {"direct", *TAKE} <= {c.b for c in found.comparisons} | {c.a for c in found.comparisons}


@pytest.mark.slow
def test_every_claim_holds():
    found = check(sprung_system(12, 4), states=2, claims=("all",))
    assert found.verdict == "agrees", [c for c in found.comparisons if c.verdict != "agrees"]


def test_the_others_say_why_they_do_not_take_it():
    system = sprung_system(1, 2)
    for name in set(names()) - {*TAKE}:
        found = {(o.place, o.feature) for o in formalism(name).obstacles(system)}
        expected = {(f"forces/bushing{i}", "bushings") for i in (1, 2)} | {("forces/torsion1", "torsions")}
        assert found == expected, name


# --- moments about an axis -------------------------------------------------------------------------

BEHIND = (*shift((number("0.2"), 1, 3)), rotation("z", number("0.5")))


@takers
def test_a_torsion_spring_about_the_axis_of_a_joint(name):
    """p - k (φ - φ0) - d φ', φ from the first frame's x axis to the second's, reversed as the frames are."""
    law = LinearLaw(f0=number("0.25"), k=8, l0=number("0.1"), d=3)
    for ends, sign in (((Frame(None, BEHIND), Frame("body")), 1), ((Frame("body"), Frame(None, BEHIND)), -1)):
        found = applied(name, (rotation("z", "s"),), Torsion("m", *ends, law), {"s": 0.7}, {"s": -0.2})
        angle, rate = sign * (0.7 - 0.5), sign * -0.2
        assert close(found, [sign * (0.25 - 8 * (angle - 0.1) - 3 * rate)])


@takers
def test_the_angle_goes_on_beyond_half_a_turn_where_joints_keep_the_axis(name):
    """Elsewhere it jumps there."""
    spring = Torsion("m", Frame(None), Frame("body"), 0 - symbol("@"))
    for q in (3.0, 3.3, -20.0):
        assert close(applied(name, (rotation("z", "s"),), spring, {"s": q}), [-q])
    for q in (3.0, 3.3):
        found = applied(name, (rotation("x", "a"), rotation("z", "s")), spring, {"a": 0.0, "s": q})
        assert close(found, [0, -(q if q < pi else q - 2 * pi)])


@takers
def test_the_moments_on_both_bodies_do_what_the_torsion_does(name):
    """Where a joint is opened, a torsion whose angle is a sum of turns acts as two moments."""
    system = mbconcord.read(FIXTURES / "native" / "torsion_shaft.mbs.json").system
    moments = tuple(
        wrench for force in system.forces if isinstance(force, Torsion) for wrench in to_wrenches(system, force)
    )
    assert sorted(type(m).__name__ for m in moments) == ["Torsion", "Wrench", "Wrench"]
    state = State(0.0, {"motor": 0.4, "sway": 0.1, "fan": -0.3}, {"motor": 12.0, "sway": -2.0, "fan": 9.0})
    expected, found = (at(formalism(name), s, state)["applied"] for s in (system, replace(system, forces=moments)))
    assert np.abs(expected)[[0, 2]].min() > 1
    assert close(found, expected, size=np.abs(expected).max() * 10)


@takers
def test_a_moment_acts_about_the_first_axis_wherever_the_second_is(name):
    """About a tilted axis, between bodies that turn and slide: no force, and n · (ω₂ - ω) along each coordinate."""
    tilt = 0.4
    motor = Torsion("m", Frame(None, (rotation("x", number("0.4")),)), Frame("body"), number(2))
    found = applied(name, FREE, motor, dict.fromkeys([et.coordinate for et in FREE], 0.0))
    assert close(found, [0, 0, 0, 0, -2 * sin(tilt), 2 * cos(tilt)])
    law = symbol("@'") * 3 + symbol("@")
    turning = Torsion("m", Frame(None), Frame("body"), law)
    q = dict.fromkeys([et.coordinate for et in FREE], 0.0) | {"a": 0.3}
    v = dict.fromkeys(q, 0.0) | {"c": 1.5}
    found = applied(name, FREE, turning, q, v)  # ω = c' (0, -sin a, cos a), e = e_x
    moment = 3 * 1.5 * cos(0.3)
    assert close(found, [0, 0, 0, 0, moment * sin(0.3), moment * cos(0.3)])


def test_by_hand_in_python():
    m = mbconcord.Mechanism("mount").body("block", mass=2).slides("x", "x").parameters(k=50)
    m.bushing("rubber", None, ("block", shift((1, 0, 0))), stiffness=("k", 0, 0, 0, 0, 0), damping=(1, 0, 0, 0, 0, 0))
    found = mbconcord.evaluate(m.build(), q=[0.1], v=[2.0], formalism="newton_euler")
    assert close(found["applied"], [-50 * 1.1 - 2])
    wheel = mbconcord.Mechanism("wheel").body("wheel", mass=2, inertia=(1, 1, 1)).turns("z", "z")
    wheel.torsion("spring", None, "wheel", stiffness=5, rest=1, damping=2, preload=3)
    wheel.moment("brake", "wheel", (None, shift((0, 0, 1))), "-sign(@')")
    assert close(mbconcord.evaluate(wheel.build(), q=[0.4], v=[0.5])["applied"], [3 - 5 * (0.4 - 1) - 2 * 0.5 - 1])
    full = mbconcord.Mechanism("mount").body("block", mass=2).slides("x", "x")
    full.bushing("rubber", None, "block", stiffness=only(50, (0, 0)), preload=(1, 0, 0, 0, 0, 0))
    assert close(mbconcord.evaluate(full.build(), q=[0.1], v=[0.0])["applied"], [1 - 5])
