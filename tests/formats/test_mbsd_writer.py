"""Writing MBSD: texts come back equal, canonical form, general axes."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from mbconcord.converters.registry import read_text, write
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Effort,
    ElementaryTransformation,
    Gravity,
    Inertia,
    JointEffort,
    Parameter,
    State,
    System,
    Variable,
    translation,
)
from mbconcord.model.expressions import PI_NODE, evaluate, number, symbol
from mbconcord.model.numbers import define, environment
from mbconcord.validation.strategies.strategies import mbsd_texts, random_system


def read(text: str, name: str = "mbsd") -> System:
    return read_text(text, f"{name}.mbsd").system


def assert_round_trip(text: str) -> None:
    model = read(text)
    writing = write(model, "mbsd")
    again = read(writing.text)
    assert again == model, writing.text
    assert writing.losses == ()
    assert write(again, "mbsd").text == writing.text


@pytest.mark.slow
@settings(max_examples=100)
@given(mbsd_texts())
def test_texts_come_back_equal(text):
    assert_round_trip(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("zig", "z i\n; g-y\n"),
        ("xkg", "x k\n; g-z\n"),
        ("z-jg", "z -j\n; g-y\n"),
        ("u g9.81+z", "u\n; g9.81z\n"),
        ("z°30 i > z°30 i g", "z°30 i > z°30 i\n; g-y\n"),
        ("(z i >)^2 z i", "z i > z i > z i\n"),
        ("{0.5,0} i 2*i -j k(q)", "{0.5, 0} i 2*i -j k(q)\n"),
        ("i0.5 j0.25 k2", "{0.5, 0.25, 2}\n"),
        ("z(a) z(z2)", "z(a) z\n"),
        ("u(x_p)'(v_0)°(x_0)$(m_p)\"(-c u)", "u(x_p)°(x_0)'(v_0)\"(-c*x_p) $(m_p)\n"),
        ("z i #a > z #b \\ #a x", "z i #a > z #b\n\\ #a x\n"),
        ("z i #body1 > z", "z i > z\n"),
        ("zi; i1=2, m1 = 3", "z i\n; i1 = 2, m1 = 3\n"),
        ("z$2[9,9,9]{1,0,0}", "z $2 [9, 9, 9] {1, 0}\n"),
        ("z i; []{}", "z i [] {}\n"),
        ("z #a \\ #a i i :(1) < #0", "0*i 0*i z #a\n\\ #a i(i1 + i2) :(1) < #0\n"),
        ("l(a) i j k; i1=2, k1=3", "l(a) i j k\n; i1 = 2, k1 = 3\n"),
        ("i(i3) i i", "i0 0*i i i(i2) i(i3)\n"),
        ("z #a \\ #a i j :(1) < #0", "z #a\n\\ #a i j :(1) < #0\n"),
    ],
)
def test_canonical_texts(text, canonical):
    assert_round_trip(text)
    assert write(read(text), "mbsd").text == canonical


@pytest.mark.parametrize("seed", range(40))
def test_general_axes_keep_every_pose(seed):
    """Off-axis transformations become conjugations: the poses of all bodies stay, to rounding."""
    system = random_system(seed, 1 + seed % 6)
    writing = write(system, "mbsd")
    again = read(writing.text, system.name)
    assert write(again, "mbsd").text == writing.text
    assert sorted(again.coordinate_names) == sorted(system.coordinate_names)
    if again.coordinate_names != system.coordinate_names:
        assert "coordinates" in {loss.place for loss in writing.losses}
    for wanted, found in zip(system.bodies, again.bodies, strict=True):
        assert (found.name, found.parent) == (wanted.name, wanted.parent)
    rng = np.random.default_rng(seed)
    q = {name: float(rng.uniform(-3, 3)) for name in system.coordinate_names}
    values = {p.name: float(rng.uniform(0.2, 2)) for p in system.parameters if p.value is None}
    state = State(float(rng.uniform(0, 2)), q, parameters=values)
    for wanted, found, size in zip(poses(system, state), poses(again, state), reach(system, state), strict=True):
        assert np.max(np.abs(wanted - found)) <= 2e-15 * size
    masses = zip(scalars(system, state), scalars(again, state), strict=True)
    assert all(abs(a - b) <= 1e-14 * (1 + abs(a)) for a, b in masses)


def poses(system: System, state: State) -> list[np.ndarray]:
    """4 by 4 matrices of all bodies, by their definition."""
    values = environment(system, [state])[0]
    table = undefined(system)
    found: dict[str | None, np.ndarray] = {None: np.eye(4)}
    for body in system.bodies:
        pose = found[body.parent]
        for et in body.joint:
            axis = np.array(evaluate(et.axis, {}), dtype=float)
            amount = float(evaluate(define([et.amount], system.functions), values, functions=table)[0])
            step = np.eye(4)
            if et.is_translation:
                step[:3, 3] = amount * axis
            else:
                k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
                step[:3, :3] += math.sin(amount) * k + (1 - math.cos(amount)) * k @ k
            pose = pose @ step
        found[body.name] = pose
    return [found[b.name] for b in system.bodies]


def reach(system: System, state: State) -> list[float]:
    """How far the shifts up to each body could lead: rounding grows with it and with the number of steps."""
    sizes: dict[str | None, float] = {None: 1.0}
    values = environment(system, [state])[0]
    for body in system.bodies:
        shifts = [et.amount for et in body.joint if et.is_translation]
        amounts = evaluate(define(shifts, system.functions), values, functions=undefined(system))
        sizes[body.name] = sizes[body.parent] + sum(abs(float(a)) for a in amounts) + 2 * len(body.joint)
    return [sizes[b.name] for b in system.bodies]


def undefined(system: System) -> dict[str, object]:
    """Some meaning of functions without a formula: a polynomial of the arguments and orders."""
    return {f.name: lambda orders, *args: 0.3 + sum(args) + sum(orders) for f in system.functions if f.formula is None}


def scalars(system: System, state: State) -> list[float]:
    """Masses, centres and tensors of all bodies, gravity, joint forces."""
    values = environment(system, [State(state.t, state.q, dict.fromkeys(state.q, 0.3), {}, state.parameters)])[0]
    wanted = [x for b in system.bodies for x in (b.inertia.mass, *b.inertia.centre, *b.inertia.tensor)]
    wanted += list(system.gravity_vector)
    efforts = {c: number(0) for c in sorted(system.coordinate_names)}
    for force in system.forces:
        if isinstance(force, JointEffort):
            efforts[force.coordinate] += force.expression()
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            efforts[c.name] += c.drive.value
    wanted += list(efforts.values())
    found = evaluate(define(wanted, system.functions), values, functions=undefined(system))
    return [float(x) for x in found]


@pytest.mark.parametrize(
    "axis",
    [
        (1, 2, 2),
        (0, 3, 4),
        (3, 0, -4),
        (-3, 4, 0),
        (1, 1, 1),
        (-1, -2, 3),
        (1e-9, 0, 1),
        (0, -1, 0),
        (1, 0, 1e-12),
        (0, 0, -1),
    ],
)
@pytest.mark.parametrize("kind", ["translation", "rotation"])
@pytest.mark.parametrize("motion", [Variable("q1"), Constant(number(Fraction(7, 10)))])
def test_one_general_axis(axis, kind, motion):
    et = ElementaryTransformation(kind, axis, motion)
    moves = (et,) if isinstance(motion, Variable) else (et, translation("x", "q1"))
    system = System("axis", (Coordinate("q1"),), bodies=(Body("b", None, moves, Inertia(number(1))),))
    again = read(write(system, "mbsd").text, "axis")
    state = State(q={"q1": 0.7})
    assert np.max(np.abs(poses(system, state)[0] - poses(again, state)[0])) <= 2e-15


def test_degrees_are_exact():
    for position in (
        PI_NODE / 6,
        number("0.3"),
        -PI_NODE,
        symbol("a"),
        symbol("a") * PI_NODE,
        2 * symbol("a"),
        -number("1.7"),
    ):
        system = read("z i; a = 1")
        extra = {} if position.constant else {"parameters": (*system.parameters[:2], Parameter("a", number(1)))}
        system = replace(system, coordinates=(Coordinate("z1", position),), **extra)
        again = read(write(system, "mbsd").text)
        assert again.coordinates == system.coordinates


def test_gravity_along_any_direction():
    for direction in ((0, -1, 0), (1, 0, 0), (0, 0, 1), (3, 0, -4), (1, 1, 1)):
        system = replace(read("z i"), gravity=Gravity(number("1.62"), direction))
        assert read(write(system, "mbsd").text).gravity == system.gravity


@pytest.mark.slow
def test_a_long_chain_is_written_in_seconds():
    system = read("(z i >)^999 z i g")
    writing = write(system, "mbsd")
    assert len(system.bodies) == 1000
    assert read(writing.text) == system
