"""Lagrange's equations against closed forms, stored vectors, and a derivation that shares nothing but the graph."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from mbconcord.fixtures import folder
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.lagrange.kinematics import frames
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Bipolar, Body, Constant, Coordinate, Effort, Flywheel, Function, Gravity, Inertia, JointEffort, LinearLaw, Point,
    PointForce, Prescribed, State, System, Wrench, rotation, translation,
)  # fmt: skip
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import (
    HALF, ONE, TIME, ZERO, call, cos, count_operations, derivative, directional, evaluate, gradient, rate, sin, sqrt,
    symbol, symbols, time_derivative,
)  # fmt: skip
from mbconcord.model.expressions.arithmetic import mpmath_arithmetic
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.numbers import define, environment
from mbconcord.validation.draw import draw
from mbconcord.validation.faults.injection import altered, injected
from mbconcord.validation.faults.lagrange import FAULTS
from mbconcord.validation.generation import random_system

LAGRANGE = Lagrange()
DIGITS = 60
EXACT = mpmath_arithmetic(DIGITS)
SEEDS = range(12)


def close(found, expected, size=1, tolerance=1e-40):
    """Whether two lists of numbers are equal to so many digits of the largest one."""
    scale = max([abs(size), *map(abs, expected)])
    return all(abs(a - b) <= tolerance * scale for a, b in zip(found, expected, strict=True))


def numbers(expressions, values):
    """Values in sixty digits."""
    return evaluate(list(flatten(tuple(expressions))), values, EXACT)


def drawn(seed, bodies=3):
    """A random system with every feature, the value of every symbol at a random state, and what evaluates there."""
    found = draw(random_system(seed, bodies), 1, seed)
    (values,) = environment(found.system, found.states, EXACT)

    def at(expressions, more=None):
        return numbers(define(flatten(tuple(expressions)), found.system.functions), {**values, **(more or {})})

    return found.system, values, at


# --- the whole equations, derived again: quaternions, T = ½ tr(dT/dt Ĵ dT/dtᵀ), virtual power -------------------


def elementary(step):
    """4×4 matrix of one transformation, its rotation from the quaternion cos φ/2, n sin φ/2."""
    x, y, z = step.axis
    a = step.amount
    if step.is_translation:
        return [[ONE, ZERO, ZERO, a * x], [ZERO, ONE, ZERO, a * y], [ZERO, ZERO, ONE, a * z], [ZERO, ZERO, ZERO, ONE]]
    w, s = cos(a / 2), sin(a / 2)
    x, y, z = s * x, s * y, s * z
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y), ZERO],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x), ZERO],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z, ZERO],
        [ZERO, ZERO, ZERO, ONE],
    ]


def times(a, b):
    return [[sum((a[i][k] * b[k][j] for k in range(4)), ZERO) for j in range(4)] for i in range(4)]


def placements(system):
    """World 4×4 matrix of every body."""
    found = {None: [[ONE if i == j else ZERO for j in range(4)] for i in range(4)]}
    for body in system.bodies:
        matrix = found[body.parent]
        for step in body.joint:
            matrix = times(matrix, elementary(step))
        found[body.name] = matrix
    return found


def world(matrix, position):
    column = [[p] for p in (*position, ONE)]
    return [sum((matrix[i][k] * column[k][0] for k in range(4)), ZERO) for i in range(3)]


def moved(matrix, names):
    flat = time_derivative([x for row in matrix for x in row], names)
    return [flat[4 * i : 4 * i + 4] for i in range(4)]


def turning(matrix, names):
    """Body components of the angular velocity: elements of AᵀdA/dt."""
    d = moved(matrix, names)
    w = [[sum((matrix[k][i] * d[k][j] for k in range(3)), ZERO) for j in range(3)] for i in range(3)]
    return w[2][1], w[0][2], w[1][0]


def kinetic_energy(system, place):
    """½ Σ tr(dT/dt Ĵ dT/dtᵀ), Ĵ the 4×4 matrix ∫ (ρ,1)(ρ,1)ᵀ dm of the body."""
    total = ZERO
    for body in system.bodies:
        m, c = body.inertia.mass, body.inertia.centre
        s = [m * x for x in c]
        xx, yy, zz, xy, xz, yz = body.inertia.tensor
        half = (xx + yy + zz) / 2
        second = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
        second = [[second[i][k] + m * c[i] * c[k] for k in range(3)] + [s[i]] for i in range(3)] + [[*s, m]]
        d = moved(place[body.name], system.coordinate_names)
        for row in d[:3]:
            for i in range(4):
                for k in range(4):
                    total += HALF * (row[i] * second[i][k] * row[k])
    return total


def potential_energy(system, place):
    total = ZERO
    for body in system.bodies:
        centre = world(place[body.name], body.inertia.centre)
        total -= body.inertia.mass * sum((g * x for g, x in zip(system.gravity_vector, centre)), ZERO)
    return total


def left_side(energy, system):
    """d/dt ∂T/∂q' - ∂T/∂q with accelerations in it."""
    names = system.coordinate_names
    p = gradient(energy, [rate(n) for n in names])
    return [a - b for a, b in zip(time_derivative(p, names), gradient(energy, [symbol(n) for n in names]))]


def generalized_force(system, place):
    """∂(power)/∂q' of all drives and forces, each force itself held fixed."""
    names = system.coordinate_names
    total = dict.fromkeys(names, ZERO)

    def add(force, speeds):
        for name in names:
            for f, slope in zip(force, directional(speeds, {rate(name): ONE}), strict=True):
                total[name] += f * slope

    for c in system.coordinates:
        if c.drive:
            add([c.drive.value], [rate(c.name)])
    for f in system.forces:
        if isinstance(f, JointEffort):
            add([f.expression()], [rate(f.coordinate)])
        elif isinstance(f, Bipolar):
            a, b = (world(place[p.body], p.position) for p in (f.first, f.second))
            length = sqrt(sum(((x - y) * (x - y) for x, y in zip(a, b)), ZERO))
            (speed,) = time_derivative([length], names)
            add([f.force(length, speed)], [speed])
        else:
            add(f.force, time_derivative(world(place[f.point.body], f.point.position), names))
            if isinstance(f, Wrench):
                add(f.moment, turning(place[f.point.body], names))
    return [total[name] for name in names]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_equations_from_4x4_matrices_and_virtual_power(seed):
    system, values, at = drawn(seed)
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
    """Eqs. (12), (13): A and r themselves, u = Aᵀ dr/dt and ω̃ = Aᵀ dA/dt."""
    system, values, at = drawn(seed, 4)
    place = placements(system)
    names = system.coordinate_names
    for body, frame in frames(system.bodies).items():
        matrix = place[body]
        assert close(at(frame.A), at([r[:3] for r in map(tuple, matrix[:3])]))
        assert close(at(frame.r), at([r[3] for r in matrix[:3]]))
        assert close(at(frame.w), at(turning(matrix, names)))
        speed = time_derivative([row[3] for row in matrix[:3]], names)
        u = [sum((matrix[k][i] * speed[k] for k in range(3)), ZERO) for i in range(3)]
        assert close(at(frame.u), at(u))
        square = [sum((x * x for x in vector), ZERO) for vector in (frame.v, frame.u)]
        assert close(*([x] for x in at(square)))


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
    system, values, at = drawn(seed)
    bodies = [
        replace(b, joint=tuple(e for e in b.joint if not isinstance(e.motion, Prescribed)))
        for b in system.bodies
    ]
    derivation = LAGRANGE.derive(replace(system, bodies=tuple(bodies)))
    v = [rate(n) for n in system.coordinate_names]
    M = derivation.quantities["M"]
    form = sum((HALF * (x * m * y) for row, x in zip(M, v) for m, y in zip(row, v)), ZERO)
    assert close(at([derivation.native["T"]]), at([form]))


# --- golden results of the short lines -------------------------------------------------------------------------

GOLDEN = tomllib.loads((folder("mbsd") / "golden.toml").read_text("utf-8"))["golden"]


def short_line(line, vertical):
    """A line of the letters u v w x y z i j k, `>` and a closing g; rotation last: inertia about that axis."""
    counters = dict.fromkeys("uvwxyzijk", 0)
    bodies = []
    for text in line.removesuffix("g").split(">"):
        joint, sign = [], ""
        for letter in text:
            if letter == "-":
                sign = "-"
                continue
            counters[letter] += 1
            axis = "xyz"["uvwxyzijk".index(letter) % 3]
            name = f"{letter}{counters[letter]}"
            value = Constant(-symbol(name) if sign else symbol(name)) if letter in "ijk" else name
            joint.append((rotation if letter in "xyz" else translation)(axis, value))
            sign = ""
        k = len(bodies) + 1
        turns = text[-1] in "xyz"
        tensor = [symbol(f"I{axis}{k}") for axis in "xyz"] if turns else [ZERO] * 3
        inertia = Inertia(symbol(f"m{k}"), tensor=tensor)
        bodies.append(Body(f"b{k}", bodies[-1].name if bodies else None, tuple(joint), inertia))
    gravity = Gravity(symbol("g"), [-(axis == vertical) for axis in "xyz"])
    names = [name for body in bodies for name in body.coordinates]
    used = {s for b in bodies for e in b.joint for s in symbols([e.amount])} - set(names)
    used |= {s for b in bodies for s in symbols([b.inertia.mass, *b.inertia.tensor])} | {"g"}
    from mbconcord.model import Parameter

    return System(
        line, tuple(map(Coordinate, names)), tuple(map(Parameter, sorted(used))), gravity=gravity, bodies=bodies
    )


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: g["line"])
def test_golden_results(golden):
    import sympy
    from mbconcord.model.expressions.arithmetic import sympy_arithmetic

    system = short_line(golden["line"], golden["vertical"])
    assert list(system.coordinate_names) == golden["coordinates"]
    found = LAGRANGE.derive(system).quantities
    rng = Random(golden["line"])
    for name in ("M", "h", "gravity"):
        ours = list(flatten(found[name]))
        flat = [x for row in golden[name] for x in (row if isinstance(row, list) else [row])]
        theirs = [parse_formula(text) for text in flat]
        known = symbols([*ours, *theirs])
        for _ in range(3):
            values = {s: EXACT.number(0) + rng.randint(-40, 40) / EXACT.number(7) for s in sorted(known)}
            assert close(numbers(ours, values), numbers(theirs, values)), name
        exact = {s: sympy.Symbol(s) for s in known}
        for a, b in zip(ours, theirs, strict=True):
            a, b = evaluate([a, b], exact, sympy_arithmetic())
            assert sympy.simplify(a - b) == 0
    assert all(x is ZERO for x in found["applied"])


# --- Konoplev's vectors -----------------------------------------------------------------------------------------


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


# --- closed forms of textbooks ----------------------------------------------------------------------------------

m, l, k, l0, d, R, om, g = (symbol(s) for s in ("m", "l", "k", "l0", "d", "R", "om", "g"))
u, z, x = symbol("u"), symbol("z"), symbol("x")
u1, z1, x1 = rate("u"), rate("z"), rate("x")
DOWN = Gravity(g, (0, -1, 0))


def one(joint, inertia=None, gravity=DOWN, **more):
    """A system of one body."""
    from mbconcord.model import Parameter

    names = [e.coordinate for e in joint if e.coordinate]
    known = map(Parameter, ("m", "l", "k", "l0", "d", "R", "om", "g", "A", "B", "C", "Fx", "Fy", "Mx", "My", "Mz"))
    inertia = inertia or Inertia(m)
    return System(
        "one", map(Coordinate, names), known, (Function("f", ("t",)),), gravity, (Body("b", None, joint, inertia),),
        **more,
    )  # fmt: skip


def f(order=0):
    return call("f", [TIME], [order])


A, B, C = symbol("A"), symbol("B"), symbol("C")
Fx, Fy = symbol("Fx"), symbol("Fy")
MOMENT = (symbol("Mx"), symbol("My"), symbol("Mz"))
y, y1 = symbol("y"), rate("y")
TOP = [rotation("z", "x"), rotation("x", "y"), rotation("z", "z")]
CLOSED = {
    # m l² z'' + m l (g + f'') sin z = 0
    "pendulum whose pivot moves upwards by f(t)": (
        one([translation("y", Prescribed(f())), rotation("z", "z"), translation("y", Constant(-l))]),
        [[m * l * l]], [m * l * f(2) * sin(z)], [-m * g * l * sin(z)], [0],
    ),
    # m l² z'' - m l f'' sin z ... with the pivot moving sideways: m l² z'' + m l f'' cos z + m g l sin z = 0
    "pendulum whose pivot moves sideways by f(t)": (
        one([translation("x", Prescribed(f())), rotation("z", "z"), translation("y", Constant(-l))]),
        [[m * l * l]], [m * l * f(2) * cos(z)], [-m * g * l * sin(z)], [0],
    ),
    # m u'' - m u f'² = -m g sin f
    "bead on a rod turned by f(t)": (
        one([rotation("z", Prescribed(f())), translation("x", "u")]),
        [[m]], [-m * u * f(1) ** 2], [-m * g * sin(f())], [0],
    ),
    # m R² z'' - m R² ω² sin z cos z + m g R sin z = 0, z from the lowest point
    "bead on a hoop that turns about the vertical": (
        one([rotation("y", Prescribed(om * TIME)), rotation("z", "z"), translation("y", Constant(-R))]),
        [[m * R * R]], [-m * R * R * om**2 * sin(z) * cos(z)], [-m * g * R * sin(z)], [0],
    ),
    # m u'' - m u z'² = m g cos z - k (u - l0) - d u', m u² z'' + 2 m u u' z' = -m g u sin z
    "spring pendulum": (
        one([rotation("z", "z"), translation("-y", "u")], forces=[
            Bipolar("s", Point(None), Point("b"), LinearLaw(k=k, l0=l0, d=d)),
        ]),
        [[m * u * u, 0], [0, m]], [2 * m * u * u1 * z1, -m * u * z1**2],
        [-m * g * u * sin(z), m * g * cos(z)], [0, -k * (sqrt(u * u) - l0) * u / sqrt(u * u) - d * u1],
    ),
    # force in world axes at the point (A, B) of the body, moment about z
    "plane body with a wrench": (
        one([translation("x", "u"), translation("y", "x"), rotation("z", "z")], Inertia(m, tensor=(0, 0, C)),
            gravity=None, forces=[Wrench("w", Point("b", (A, B, 0)), (Fx, Fy, 0), (0, 0, MOMENT[2]))]),
        [[m, 0, 0], [0, m, 0], [0, 0, C]], [0, 0, 0], [0, 0, 0],
        [Fx, Fy, MOMENT[2] + (A * cos(z) - B * sin(z)) * Fy - (A * sin(z) + B * cos(z)) * Fx],
    ),
    "plane body with a point force": (
        one([translation("x", "u"), translation("y", "x"), rotation("z", "z")], Inertia(m, tensor=(0, 0, C)),
            gravity=None, forces=[PointForce("p", Point("b", (A, B, 0)), (Fx * sin(TIME), -d * u1, 0))]),
        [[m, 0, 0], [0, m, 0], [0, 0, C]], [0, 0, 0], [0, 0, 0],
        [Fx * sin(TIME), -d * u1, -(A * cos(z) - B * sin(z)) * d * u1 - (A * sin(z) + B * cos(z)) * Fx * sin(TIME)],
    ),
    # centre at (l, 0) of the body, C about the centre: C + m l² about the pivot
    "physical pendulum with a drive and a joint effort": (
        replace(one([rotation("z", "z")], Inertia(m, (l, 0, 0), (A, B, C)), forces=[JointEffort("e", "z", -k * z)]),
                coordinates=(Coordinate("z", drive=Effort(-d * z1)),)),
        [[C + m * l * l]], [0], [-m * g * l * cos(z)], [-d * z1 - k * z],
    ),
    # Lagrange's top: precession x, nutation y, spin z; body rates by Euler; moment in body axes
    "heavy top with a moment in body axes": (
        one(TOP, Inertia(m, (0, 0, l), (A, A, C)), Gravity(g, (0, 0, -1)),
            forces=[Wrench("w", Point("b"), moment=MOMENT)]),
        [[(A + m * l * l) * sin(y) ** 2 + C * cos(y) ** 2, 0, C * cos(y)], [0, A + m * l * l, 0], [C * cos(y), 0, C]],
        [
            2 * (A + m * l * l - C) * sin(y) * cos(y) * x1 * y1 - C * sin(y) * y1 * z1,
            -(A + m * l * l - C) * sin(y) * cos(y) * x1**2 + C * sin(y) * x1 * z1,
            -C * sin(y) * x1 * y1,
        ],
        [0, m * g * l * sin(y), 0],
        [
            sin(y) * (MOMENT[0] * sin(z) + MOMENT[1] * cos(z)) + cos(y) * MOMENT[2],
            MOMENT[0] * cos(z) - MOMENT[1] * sin(z),
            MOMENT[2],
        ],
    ),
    # a length driven in time: l = |u - f|, l' = ±(u' - f'); law f0 - d @' (positive pushes apart)
    "damper to a point that is moved by f(t)": (
        System("two", [Coordinate("u")], one([]).parameters, (Function("f", ("t",)),), None, (
            Body("cart", None, [translation("x", "u")], Inertia(m)),
            Body("pin", None, [translation("x", Prescribed(f()))]),
        ), (Bipolar("s", Point("pin"), Point("cart"), Fx - d * LENGTH_RATE - k * (LENGTH - l0)),)),
        [[m]], [0], [0],
        [(Fx - d * (u - f()) * (u1 - f(1)) / sqrt((u - f()) ** 2) - k * (sqrt((u - f()) ** 2) - l0))
         * (u - f()) / sqrt((u - f()) ** 2)],
    ),
    # a heavy rod between the pivot and the point mass: half of its mass moves with the point
    "pendulum on a massive spring": (
        one([rotation("z", "z"), translation("-y", Constant(l))],
            forces=[Bipolar("s", Point(None), Point("b"), k * (l0 - LENGTH), A)]),
        [[(m + A / 2) * l * l]], [0], [-(m + A / 2) * g * l * sin(z)], [0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CLOSED)
def test_closed_forms(case):
    system, *expected = CLOSED[case]
    found = LAGRANGE.derive(system).quantities
    rng = Random(case)
    for name, value in zip(("M", "h", "gravity", "applied"), expected, strict=True):
        ours = list(flatten(found[name]))
        theirs = [ZERO + v for row in value for v in (row if isinstance(row, list) else [row])]
        for _ in range(3):
            values = {s: EXACT.number(0) + rng.randint(1, 40) / EXACT.number(7) for s in sorted(symbols(ours + theirs))}
            known = {"f": [EXACT.number(0) + n for n in (5, 3, -2)]}
            table = {"f": lambda orders, t: known["f"][orders[0]]}
            a, b = evaluate(ours, values, EXACT, table), evaluate(theirs, values, EXACT, table)
            assert close(a, b), name


# --- structure ---------------------------------------------------------------------------------------------------


def pendulum(n):
    """n planar point masses on rods."""
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i else None, [rotation("z", f"z{i}"), translation("x", Constant(2))], Inertia(3))
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
    system = System("still", bodies=[Body("b", None, [rotation("x", Prescribed(TIME))], Inertia(1, (1, 2, 3)))])
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


def test_obstacles_are_named():
    wheel = Flywheel("w", (), Inertia(1), TIME)
    system = System("gyrostat", bodies=[Body("b", None, [], Inertia(1), flywheels=(wheel,))])
    assert [o.feature for o in LAGRANGE.obstacles(system)] == ["flywheels"]
    with pytest.raises(FormalismError, match="flywheels"):
        LAGRANGE.derive(system)


# --- seeded faults ------------------------------------------------------------------------------------------------


def test_each_fault_stands_once_and_there_are_enough():
    assert len(FAULTS) >= 12
    assert len({f.title for f in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert fault.formalism == "lagrange"
        from importlib import import_module
        from inspect import getsource

        assert altered(getsource(import_module(fault.module)), fault) != getsource(import_module(fault.module))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.title)
def test_each_fault_changes_the_numbers(fault):
    """At some state of some random model a quantity is wrong by a thousandth of its size or more."""
    assert formalism("lagrange") is formalism("lagrange")
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
