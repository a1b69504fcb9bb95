"""Lagrange's equations against a second derivation, identities, stored vectors, and seeded faults."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import import_module
from inspect import getsource
from random import Random

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.lagrange.kinematics import frames
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Gravity,
    Inertia,
    Parameter,
    Point,
    Prescribed,
    Rod,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import (
    HALF,
    TIME,
    ZERO,
    count_operations,
    derivative,
    rate,
    symbol,
    symbols,
    time_derivative,
)  # fmt: skip
from mbconcord.validation.faults.injection import altered, injected
from mbconcord.validation.faults.tables.lagrange import FAULTS, FEATURE_FAULTS
from mbconcord.validation.judge.states import draw
from mbconcord.validation.models.trees import random_system

from .second_derivation import (
    generalized_force,
    kinetic_energy,
    left_side,
    placements,
    potential_energy,
    turning,
)  # fmt: skip
from .sixty_digits import EXACT, close, drawn

LAGRANGE = Lagrange()
SEEDS = range(12)

#: Those of flywheels and the medium have their own tests, on models that have them.
PLAIN_FAULTS = [fault for fault in FAULTS if fault not in FEATURE_FAULTS]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_equations_from_4x4_matrices_and_virtual_power(seed):
    system, _, at = drawn(seed)
    names = system.coordinate_names
    lumped = system.lumped()
    place = placements(lumped)
    found = LAGRANGE.derive(system).quantities
    equations = left_side(kinetic_energy(lumped, place), lumped)
    still = {n + "''": EXACT.number(0) for n in names}
    for row, equation in zip(found["M"], equations, strict=True):
        slopes = [derivative(equation, rate(n, 2)) for n in names]
        assert close(at(row), at(slopes))
    assert close(at(found["h"]), at(equations, still))
    assert close(at(found["applied"]), at(generalized_force(lumped, place)))
    assert set(symbols(flatten(found["M"]))) & {n + "'" for n in names} == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_is_the_slope_of_the_potential_energy(seed):
    """Central differences in sixty digits: nothing is differentiated on the graph."""
    system, values, at = drawn(seed)
    lumped = system.lumped()
    energy = [potential_energy(lumped, placements(lumped))]
    step = EXACT.number(1) / 10**20
    slopes = []
    for name in system.coordinate_names:
        up, down = (at(energy, {name: values[name] + s * step})[0] for s in (1, -1))
        slopes.append((down - up) / (2 * step))
    derivation = LAGRANGE.derive(system)
    assert close(at(derivation.quantities["gravity"]), slopes, tolerance=1e-30)
    assert close(at([derivation.native["Π"]]), at(energy))


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_are_the_time_derivatives_of_the_matrices(seed):
    """Eqs. (12), (13): A and r themselves, u = Aᵀ dr/dt and ω̃ = Aᵀ dA/dt; what shifts add to u²."""
    system, _, at = drawn(seed, 4)
    place = placements(system)
    names = system.coordinate_names
    all_frames, parent = frames(system.bodies), {b.name: b.parent for b in system.bodies} | {None: None}
    for body, frame in all_frames.items():
        matrix = place[body]
        assert close(at(frame.A), at([r[:3] for r in map(tuple, matrix[:3])]))
        assert close(at(frame.r), at([r[3] for r in matrix[:3]]))
        assert close(at(frame.w), at(turning(matrix, names)))
        speed = time_derivative([row[3] for row in matrix[:3]], names)
        u = [sum((matrix[k][i] * speed[k] for k in range(3)), ZERO) for i in range(3)]
        assert close(at(frame.u), at(u))
        gained = [a * (2 * b + a) for shift in frame.shifts for a, b in zip(shift.added, shift.before)]
        square = [x * x for x in frame.u] + [-x * x for x in all_frames[parent[body]].u]
        assert close(at([sum(square, ZERO)]), at([sum(gained, ZERO)]), 1e-38)


@pytest.mark.parametrize("seed", SEEDS)
def test_native_energies_give_the_same_equations(seed):
    """d/dt ∂L/∂q' - ∂L/∂q of the native L is M q'' + h - gravity."""
    system, _, at = drawn(seed)
    derivation = LAGRANGE.derive(system)
    q = derivation.quantities
    a = [rate(n, 2) for n in system.coordinate_names]
    ours = [
        sum((m * x for m, x in zip(row, a)), ZERO) + h - g
        for row, h, g in zip(q["M"], q["h"], q["gravity"], strict=True)
    ]
    rng = Random(seed)
    more = {n + "''": EXACT.number(0) + rng.randint(-99, 99) for n in system.coordinate_names}
    assert close(at(ours, more), at(left_side(derivation.native["L"], system), more))
    T, Π, L = at([derivation.native[k] for k in ("T", "Π", "L")])
    assert close([L], [T - Π], T)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(seed):
    """½ q'ᵀ M q' = T where time stands still."""
    system, _, at = drawn(seed)
    bodies = [
        replace(b, joint=tuple(e for e in b.joint if not isinstance(e.motion, Prescribed)))
        for b in system.bodies
    ]
    derivation = LAGRANGE.derive(replace(system, bodies=tuple(bodies)))
    v = [rate(n) for n in system.coordinate_names]
    M = derivation.quantities["M"]
    form = sum((HALF * (x * m * y) for row, x in zip(M, v) for m, y in zip(row, v)), ZERO)
    assert close(at([derivation.native["T"]]), at([form]))


# --- Konoplev's vectors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["E1", "E2", "R1"])
def test_konoplev_vectors(name):
    data = json.loads((folder("konoplev") / f"{name}.json").read_text("utf-8"))
    bodies, names = [], []
    for k, body in enumerate(data["bodies"], 1):
        joint = []
        for i, value in enumerate(body["const"], 1):
            make = translation if i < 4 else rotation
            joint.append(make("xyz"[(i - 1) % 3], f"q{k}_{i}" if i in body["dofs"] else Constant(value)))
        names += [f"q{k}_{i}" for i in body["dofs"]]
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body["Jc"]
        inertia = Inertia(body["m"], body["rc"], (xx, yy, zz, xy, xz, yz))
        parent = f"b{body['parent']}" if body["parent"] else None
        bodies.append(Body(f"b{k}", parent, tuple(joint), inertia))
    g = data["gravity"]
    system = System(name, map(Coordinate, names), gravity=Gravity(math.hypot(*g), g), bodies=bodies)
    state = State(q=dict(zip(names, data["q"])), v=dict(zip(names, data["qd"])))
    found = LAGRANGE.evaluate(system, [state]).quantities
    upper = np.zeros_like(found["M"][0])
    for i, row in enumerate(data["A_upper"]):
        upper[i, i:] = row
    size = np.abs(upper).max()
    assert np.abs(np.triu(found["M"][0]) - upper).max() <= 1e-13 * size
    assert np.array_equal(found["M"][0], found["M"][0].T)
    for quantity, key in (("h", "b"), ("gravity", "Q"), ("acceleration", "qdd")):
        expected = np.array(data[key])
        assert np.abs(found[quantity][0] - expected).max() <= 1e-12 * np.abs(expected).max(), quantity


@pytest.mark.parametrize("robot", ["ur5", "panda", "talos"])
def test_robots_against_another_program(robot):
    """M, h, gravity and inverse dynamics that Pinocchio computed from the robots' published files."""
    system = read(folder("robots") / f"{robot}.mbsd").system
    reference = json.loads((folder("robots") / f"{robot}.reference.json").read_text("utf-8"))
    names = system.coordinate_names
    assert list(names) == list(reference["coordinates"])
    known = reference["states"]
    states = [State(**{x: dict(zip(names, s[x])) for x in "qva"}) for s in known]
    found = LAGRANGE.evaluate(system, states).quantities
    for quantity in ("M", "h", "gravity", "inverse_dynamics"):
        for numbers, state in zip(found[quantity], known, strict=True):
            expected = np.array(state[quantity])
            assert np.abs(numbers - expected).max() <= 1e-8 * np.abs(expected).max(), quantity


# --- structure --------------------------------------------------------------------------------------------


def pendulum(n):
    """n planar point masses on rods."""
    bodies = [
        Body(
            f"b{i}",
            f"b{i - 1}" if i else None,
            [rotation("z", f"z{i}"), translation("x", Constant(2))],
            Inertia(3),
        )
        for i in range(n)
    ]
    return System("pendulum", [Coordinate(f"z{i}") for i in range(n)], bodies=bodies)


def test_nothing_is_expanded():
    """Operations of M, h and Q grow with the square of the number of links."""
    small, large = (count_operations(LAGRANGE.derive(pendulum(n)).outputs()).total for n in (15, 30))
    assert large < 4.5 * small


def test_zeros_of_the_structure():
    branches = [
        Body("left", None, [rotation("x", "a")], Inertia(1, (1, 2, 3), (4, 5, 6, 1, 1, 1))),
        Body("right", None, [rotation("y", "b")], Inertia(1, (1, 2, 3), (4, 5, 6, 1, 1, 1))),
        Body("ghost", "right", [rotation("z", "c")]),
        Body("plate", "right", [], Inertia(2, (0, 1, 0))),
    ]
    found = LAGRANGE.derive(System("tree", map(Coordinate, "cba"), bodies=branches)).quantities
    assert found["M"][1][2] is ZERO
    assert found["M"][2][1] is ZERO
    assert all(x is ZERO for x in (*found["M"][0], found["h"][0]))  # c moves no mass
    assert all(x is ZERO for x in (*found["gravity"], *found["applied"]))


def test_the_order_of_the_coordinates_is_the_model_s():
    system, _, _ = drawn(3, 4)
    names = system.coordinate_names
    turned = replace(system, coordinates=system.coordinates[::-1])
    a, b = (LAGRANGE.derive(s).quantities for s in (system, turned))
    for i in range(len(names)):
        assert b["h"][-1 - i] is a["h"][i]
        for j in range(len(names)):
            assert b["M"][-1 - i][-1 - j] is a["M"][i][j]
            assert a["M"][i][j] is a["M"][j][i]


def test_no_coordinates():
    system = System(
        "still", bodies=[Body("b", None, [rotation("x", Prescribed(TIME))], Inertia(1, (1, 2, 3)))]
    )
    derivation = LAGRANGE.derive(system)
    assert dict(derivation.quantities) == {"M": (), "h": (), "gravity": (), "applied": ()}


def test_stages_name_what_later_lines_use():
    system, _, _ = drawn(5, 4)
    derivation = LAGRANGE.derive(system)
    names = [a.name for a in derivation.assignments]
    nodes = [a.expression for a in derivation.assignments]
    assert len(set(names)) == len(names)
    assert len(set(nodes)) == len(nodes)
    assert not any(node.constant or not node.args for node in nodes)
    assert [s.name for s in derivation.stages][:4] == ["transformations", "velocities", "momenta", "energies"]
    assert derivation.system is system


def test_stages_take_no_name_of_the_model():
    body = Body(
        "b", None, [rotation("z", "z"), translation("x", Constant(symbol("T1")))], Inertia(1, (1, 2, 3))
    )
    derivation = LAGRANGE.derive(System("t", [Coordinate("z")], [Parameter("T1")], bodies=[body]))
    names = {a.name for a in derivation.assignments}
    assert "T1_" in names
    assert "T1" not in names


def test_obstacles_are_named():
    rod = Rod("rod", Point(None, (1, 0, 0)), Point("b", (0, 1, 0)), 2)
    system = System("tied", bodies=[Body("b", None, [], Inertia(1))], constraints=[rod])
    assert [o.feature for o in LAGRANGE.obstacles(system)] == ["rods"]
    with pytest.raises(FormalismError, match="rods"):
        LAGRANGE.derive(system)


# --- seeded faults ----------------------------------------------------------------------------------------


def test_each_fault_stands_once_and_there_are_enough():
    assert len(FAULTS) >= 12
    assert len({f.title for f in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert fault.formalism == "lagrange"
        source = getsource(import_module(fault.module))
        assert altered(source, fault) != source


@pytest.mark.parametrize("fault", PLAIN_FAULTS, ids=lambda fault: fault.title)
def test_each_fault_changes_the_numbers(fault):
    """At some state of some random model a quantity is wrong by a thousandth of its size or more."""
    worst = 0.0
    for seed in range(25):
        d = draw(random_system(seed, 3), 2, seed)
        right = LAGRANGE.evaluate(d.system, d.states).quantities
        with injected(fault) as faulty:
            wrong = faulty.evaluate(d.system, d.states).quantities
        for name in ("M", "h", "gravity", "applied"):
            size = np.abs(right[name]).max(initial=1e-9)
            worst = max(worst, np.abs(wrong[name] - right[name]).max(initial=0) / size)
        if worst > 1e-3:
            return
    pytest.fail(f"largest change {worst}")
