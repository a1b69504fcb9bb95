"""Flywheels and an ideal fluid in every formalism that takes them: closed forms, second derivations."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from mbconcord.formalisms import registry
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model import (
    AddedInertia,
    Body,
    Coordinate,
    Flywheel,
    Gravity,
    Inertia,
    Point,
    PointForce,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import TIME, rate
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge.states import draw

from ..reference.konoplev import system, vector
from .carried import QUANTITIES, as_bodies, carrying, differences, velocity_and_rate
from .numbers import at
from .second_derivation import left_side
from .sixty_digits import EXACT, close, numbers

TAKERS = [f for f in map(registry.formalism, registry.names()) if f.takes >= {"flywheels", "added_inertia"}]
each_formalism = pytest.mark.parametrize("formalism", TAKERS, ids=lambda formalism: formalism.name)
#: What the assignments for the flywheels and the medium of one model are called.
NAMED = {
    "lagrange": {"A1f1_11", "w1f2_x", "K1f1_x", "T1f1", "r1f1_x", "P2_x", "H2_z", "TΛ2"},
    "virtual_work": {"omega_b1_u_x", "K_b1_v_x", "p_b2_x", "H_b2_z", "dp_b2_x", "dH_b2_z"},
}
FREE = (*(translation(axis, axis) for axis in "xyz"), *map(rotation, "zxz", ("a", "b", "c")))


def moving(names, seed, spread=1.5):
    """A state of all these coordinates, away from angles where three turns degenerate."""
    dice = Random(seed)
    q = {n: dice.uniform(0.5, spread) for n in names}
    return State(t=dice.uniform(0.2, 1), q=q, v={n: dice.uniform(-3, 3) for n in names})


def relative(found, expected):
    """Largest difference, to the largest number."""
    return np.abs(np.asarray(found) - expected).max(initial=0) / np.abs(expected).max(initial=1e-300)


@each_formalism
def test_flywheels_have_weight(formalism):
    """Of all that the machine of vector G1 carries along x and y: 3 kg, 2 kg and a wheel of 0.5 kg."""
    data = vector("G1")
    weight = np.multiply(3 + 2 + 0.5, data["gravity"][:2])
    assert relative(at(formalism, system(data), State())["gravity"][:2], weight) <= 1e-14


@pytest.mark.sampled(3)
@pytest.mark.slow
@each_formalism
@pytest.mark.parametrize("seed", range(4))
def test_the_same_equations_from_4x4_matrices(formalism, seed):
    """M, h and gravity in sixty digits; T from 4×4 matrices and ½ VᵀΛV."""
    assert differences(formalism, seed) == []


@pytest.mark.sampled(3)
@pytest.mark.slow
@each_formalism
@pytest.mark.parametrize("seed", range(6))
def test_a_flywheel_is_a_body_on_a_prescribed_joint(formalism, seed):
    found = draw(carrying(seed, 4), 3, seed)
    a, b = (formalism.evaluate(s, found.states).quantities for s in (found.system, as_bodies(found.system)))
    for name in QUANTITIES:
        assert relative(a[name], b[name]) <= 1e-12 or not b[name].any(), name


#: Rotors with one defect each: nothing else tells them from a steady one. (centre, tensor)
ROTORS = {
    "steady": ((0, 0, 0.1), (0.3, 0.3, 0.5, 0, 0, 0)),
    "moments that differ": ((0, 0, 0.1), (0.3, 0.4, 0.5, 0, 0, 0)),
    "product xy": ((0, 0, 0.1), (0.3, 0.3, 0.5, 0.04, 0, 0)),
    "product xz": ((0, 0, 0.1), (0.3, 0.3, 0.5, 0, 0.04, 0)),
    "product yz": ((0, 0, 0.1), (0.3, 0.3, 0.5, 0, 0, 0.04)),
    "centre off along x": ((0.2, 0, 0.1), (0.3, 0.3, 0.5, 0, 0, 0)),
    "centre off along y": ((0, 0.2, 0.1), (0.3, 0.3, 0.5, 0, 0, 0)),
}


@each_formalism
@pytest.mark.parametrize("defect", ROTORS)
def test_a_rotor_with_one_defect_is_a_body_on_a_prescribed_joint(formalism, defect):
    centre, moments = ROTORS[defect]
    mounting = (*shift((0.3, -0.2, 0.4)), rotation((1, 2, 2), 0.6))
    wheel = Flywheel("wheel", mounting, Inertia(2, centre, moments), 7 * TIME + 3 * TIME * TIME)
    hull = Inertia(5, (0.1, 0.2, -0.1), (1.1, 1.2, 1.3, 0.1, 0, 0.05))
    body = Body("hull", None, FREE, hull, flywheels=(wheel,))
    gravity = Gravity(9.81, (1, -2, -6))
    system = System("rotor", [Coordinate(n) for n in "xyzabc"], gravity=gravity, bodies=[body])
    states = [moving("xyzabc", seed) for seed in range(2)]
    a, b = (formalism.evaluate(s, states).quantities for s in (system, as_bodies(system)))
    for name in QUANTITIES:
        assert relative(a[name], b[name]) <= 1e-13 or not b[name].any(), name


@each_formalism
def test_gyrostat(formalism):
    """I dω/dt + ω × (I ω + j ψ' n) + j ψ'' n = 0 for a satellite with a balanced wheel; I of both."""
    tilt, j, across = (rotation("z", 0.7), rotation("y", 0.9)), 0.4, 0.25
    wheel = Flywheel("wheel", tilt, Inertia(2, (0, 0, 0), (across, across, j)), 40 * TIME + 3 * TIME * TIME)
    body = Body("hull", None, FREE, Inertia(50, (0, 0, 0), (7, 7, 9)), flywheels=(wheel,))
    system = System("gyrostat", [Coordinate(n) for n in "xyzabc"], bodies=[body])
    n = np.array([math.sin(0.9) * math.cos(0.7), math.sin(0.9) * math.sin(0.7), math.cos(0.9)])
    inertia = np.diag([7.0, 7, 9]) + across * np.eye(3) + (j - across) * np.outer(n, n)
    for seed in range(5):
        state = moving("xyzabc", seed)
        (a,) = formalism.evaluate(system, [state]).quantities["acceleration"]
        assert np.abs(a[:3]).max() <= 1e-12  # the origin is the common mass centre
        V, growth = velocity_and_rate(system, "hull", state, a)
        w, e = np.array(V[3:]), np.array(growth[3:])
        speed, gain = 40 + 6 * state.t, 6
        terms = np.cross(w, inertia @ w + j * speed * n), j * gain * n
        assert relative(inertia @ e, -sum(terms)) <= 1e-12


@each_formalism
def test_the_symmetric_gyrostat_precesses_steadily(formalism):
    """Wheel along the axis of symmetry: ω_z' = -j ψ''/I3, the cross rate turns at ((C - A) r + j ψ')/A."""
    A, C, j = 7.3, 9.0, 0.4
    wheel = Flywheel("wheel", (), Inertia(2, (0, 0, 0), (0.1, 0.1, j)), 40 * TIME + 3 * TIME * TIME)
    hull = Inertia(50, (0, 0, 0), (A - 0.1, A - 0.1, C - j))
    body = Body("hull", None, FREE, hull, flywheels=(wheel,))
    system = System("gyrostat", [Coordinate(n) for n in "xyzabc"], bodies=[body])
    state = moving("xyzabc", 3)
    (a,) = formalism.evaluate(system, [state]).quantities["acceleration"]
    V, growth = velocity_and_rate(system, "hull", state, a)
    p, q, r = V[3:]
    turning = ((C - A) * r + j * (40 + 6 * state.t)) / A
    assert growth[3:] == pytest.approx([-turning * q, turning * p, -j * 6 / C], rel=1e-12)


@each_formalism
@pytest.mark.parametrize(("mass", "fluid"), [(0, 3), (5, 2), (2, 7)])
def test_sphere_in_an_ideal_fluid(formalism, mass, fluid):
    """(m + m_f/2) a = (m - m_f) g: a bubble rises with 2 g; Λ has no weight."""
    added = AddedInertia(np.diag([fluid / 2] * 3 + [0] * 3).tolist())
    body = Body("ball", None, FREE, Inertia(mass, (0, 0, 0), (1, 1, 1)), added)
    lift = PointForce("buoyancy", Point("ball", (0, 0, 0)), (0, 0, 9.81 * fluid))
    names = [Coordinate(n) for n in "xyzabc"]
    system = System("sphere", names, gravity=Gravity(9.81, (0, 0, -1)), bodies=[body], forces=[lift])
    q = formalism.evaluate(system, [moving("xyzabc", 2)]).quantities
    assert q["gravity"][0] == pytest.approx([0, 0, -9.81 * mass, 0, 0, 0], rel=1e-15, abs=1e-14)
    rise = (fluid - mass) * 9.81 / (mass + fluid / 2)
    assert q["acceleration"][0][:3] == pytest.approx([0, 0, rise], abs=1e-12)


@each_formalism
@pytest.mark.parametrize("seed", range(6))
def test_kirchhoff(formalism, seed):
    """d/dt (p; K) + (ω × p; ω × K + v × p) = 0 in body axes for a weightless body and any Λ."""
    root = np.array([[Random(f"{seed}/{i}/{k}").randint(-9, 9) / 8 for k in range(6)] for i in range(6)])
    added = root.T @ root + np.eye(6)
    body = Body("fish", None, FREE, added_inertia=AddedInertia(added.tolist()))
    system = System("fish", [Coordinate(n) for n in "xyzabc"], bodies=[body])
    state = moving("xyzabc", seed)
    (a,) = formalism.evaluate(system, [state]).quantities["acceleration"]
    V, growth = velocity_and_rate(system, "fish", state, a)
    v, w = np.array(V[:3]), np.array(V[3:])
    p, K = np.split(added @ V, 2)
    left = added @ growth
    assert relative(left, -np.concatenate([np.cross(w, p), np.cross(w, K) + np.cross(v, p)])) <= 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_native_energies_hold_flywheels_and_medium(seed):
    """d/dt ∂L/∂q' - ∂L/∂q of the native L is M q'' + h - gravity, in sixty digits."""
    found = draw(carrying(seed), 1, seed)
    names, derivation = found.system.coordinate_names, Lagrange().derive(found.system)
    q = derivation.quantities
    ours = [
        sum((m * rate(n, 2) for m, n in zip(row, names, strict=True)), h - g)
        for row, h, g in zip(q["M"], q["h"], q["gravity"], strict=True)
    ]
    (values,) = environment(found.system, found.states, EXACT)
    both = define([*ours, *left_side(derivation.native["L"], found.system)], found.system.functions)
    results = numbers(both, values)
    assert close(results[: len(names)], results[len(names) :])


@each_formalism
def test_a_stopped_flywheel_is_part_of_its_carrier(formalism):
    wheel = Flywheel("wheel", shift((1, 2, 3)), Inertia(2, (0.1, 0.2, 0.3), (4, 5, 6, 0.1, 0.2, 0.3)), 0)
    own = Inertia(3, (0.3, 0.1, 0.2), (3, 4, 5, 0.2, 0.1, -0.3))
    offset = Inertia(2, (1.1, 2.2, 3.3), (4, 5, 6, 0.1, 0.2, 0.3))
    carrier = Body("hull", None, FREE, own, flywheels=(wheel,))
    names, gravity = [Coordinate(n) for n in "xyzabc"], Gravity(9.81, (1, 2, -2))
    one = System("one", names, gravity=gravity, bodies=[carrier])
    other = replace(one, bodies=[Body("hull", None, FREE, own.merge(offset))])
    state = moving("xyzabc", 4)
    a, b = (formalism.evaluate(s, [state]).quantities for s in (one, other))
    for name in ("M", "h", "gravity"):
        assert relative(a[name], b[name]) <= 1e-13, name


@pytest.mark.parametrize("name", NAMED)
def test_stages_name_flywheels_and_medium(name):
    """Names are unique, also beside a body called as a flywheel of another is."""
    found = draw(carrying(3), 1, 3)
    bodies = found.system.bodies
    clash = Body(f"{bodies[0].name}_u", bodies[-1].name, (rotation("z", 0.5),), Inertia(1, (1, 2, 3), (4, 5, 6)))
    system = replace(found.system, bodies=(*bodies, clash))
    derivation = registry.formalism(name).derive(system)
    names = [a.name for a in derivation.assignments]
    assert len(set(names)) == len(names)
    assert NAMED[name] <= set(names)
