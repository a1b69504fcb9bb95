"""Newton–Euler against closed forms, stored vectors, and the identities that tie its passes to each other."""

from __future__ import annotations

import json
import math
import time
import tomllib
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.equations import Equations
from mbconcord.formalisms.newton_euler.mass import Mass, split
from mbconcord.formalisms.newton_euler.mass_matrix import unit_acceleration
from mbconcord.formalisms.newton_euler.rotations import alignment
from mbconcord.formalisms.newton_euler.scalars import Batch, Graph
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Flywheel,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    PointForce,
    Prescribed,
    State,
    System,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.evaluation import batch, evaluate_derivation
from mbconcord.model.expressions import (
    HALF,
    PI_NODE,
    TIME,
    ZERO,
    count_operations,
    evaluate,
    number,
    rate,
    sin,
    substitute,
    symbol,
    time_derivative,
    to_text,
)  # fmt: skip
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.numbers import define, environment
from mbconcord.model.transformation import unit_vector
from mbconcord.validation.draw import draw
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.models import subjects
from mbconcord.validation.faults.newton_euler import FAULTS
from mbconcord.validation.generation import random_system

NE = NewtonEuler()
EPS = 2e-13
ALL = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration")
SEEDS = range(10)


def derived(system, state):
    """Quantities at one state, by the derivation."""
    evaluation = evaluate_derivation(NE.derive(system), [state])
    return {name: value[0] for name, value in evaluation.quantities.items()}


def close(found, expected, tolerance=EPS, size=1.0):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    scale = max(size, float(np.abs(expected).max(initial=0)))
    return (
        bool(np.isfinite(found).all()) and float(np.abs(found - expected).max(initial=0)) <= tolerance * scale
    )


def drawn(seed, bodies=4):
    """A random system with every feature and three states."""
    found = draw(random_system(seed, bodies), 3, seed)
    return found.system, found.states


# --- closed forms ---

GOLDEN = tomllib.loads((folder("mbsd") / "golden.toml").read_text("utf-8"))["golden"]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: g["line"])
def test_golden_results(golden):
    system = read_text(golden["line"], format="mbsd").system
    names = system.coordinate_names
    assert list(names) == golden["coordinates"]
    dice = Random(golden["line"])
    for _ in range(4):
        state = State(
            q={n: dice.uniform(-2, 2) for n in names},
            v={n: dice.uniform(-2, 2) for n in names},
            parameters={p.name: dice.uniform(0.3, 3) for p in system.parameters},
        )
        values = {**state.parameters, **state.q, **{f"{n}'": x for n, x in state.v.items()}}
        found = derived(system, state)
        assert close(found["M"], [evaluate(map(parse_formula, row), values) for row in golden["M"]])
        assert close(found["h"], evaluate(map(parse_formula, golden["h"]), values))
        assert close(found["gravity"], evaluate(map(parse_formula, golden["gravity"]), values))
        assert not found["applied"].any()


def konoplev(name):
    """The model of a vector: translations x y z in the parent's axes, then rotations about x y z."""
    data = json.loads((folder("konoplev") / f"{name}.json").read_text("utf-8"))
    kinds = [(kind, axis) for kind in (translation, rotation) for axis in "xyz"]
    bodies = []
    for i, b in enumerate(data["bodies"], 1):
        joint = [
            kind(axis, f"q{i}{k}") if k in b["dofs"] else kind(axis, Constant(number(str(b["const"][k - 1]))))
            for k, (kind, axis) in enumerate(kinds, 1)
        ]
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = b["Jc"]
        inertia = Inertia(b["m"], b["rc"], (xx, yy, zz, xy, xz, yz))
        bodies.append(Body(f"b{i}", f"b{b['parent']}" if b["parent"] else None, tuple(joint), inertia))
    g = np.array(data["gravity"])
    names = [n for b in bodies for n in b.coordinates]
    gravity = Gravity(float(np.linalg.norm(g)), tuple(map(float, g)))
    return data, System(name, tuple(map(Coordinate, names)), gravity=gravity, bodies=tuple(bodies))


@pytest.mark.parametrize("name", ["E1", "E2", "R1"])
def test_konoplev_vectors(name):
    data, system = konoplev(name)
    names = system.coordinate_names
    found = derived(system, State(q=dict(zip(names, data["q"])), v=dict(zip(names, data["qd"]))))
    upper = np.zeros((len(names), len(names)))
    for i, row in enumerate(data["A_upper"]):
        upper[i, i:] = row
    assert close(np.triu(found["M"]), upper)
    assert close(found["M"], found["M"].T, 0)
    assert close(found["h"], data["b"])
    assert close(found["gravity"], data["Q"])
    assert close(found["acceleration"], data["qdd"], 1e-12)


@pytest.mark.parametrize("robot", ["ur5", "panda", "talos"])
def test_robots_reference_numbers(robot):
    """Numbers of another program from the robots' published files; they carry about ten digits."""
    system = read(folder("robots") / f"{robot}.mbsd").system
    names = system.coordinate_names
    reference = json.loads((folder("robots") / f"{robot}.reference.json").read_text("utf-8"))
    rows = reference["states"]
    states = [State(**{k: dict(zip(names, row[k])) for k in "qva"}) for row in rows]
    derivation = evaluate_derivation(NE.derive(system), states).quantities
    direct = NE.evaluate(system, states).quantities
    assert list(reference["coordinates"]) == list(names)
    for name in ("M", "h", "gravity", "inverse_dynamics"):
        expected = np.array([row[name] for row in rows])
        assert close(derivation[name], expected, 1e-8)
        assert close(direct[name], expected, 1e-8)
        assert close(direct[name], derivation[name])


# --- textbook systems with time, wrenches and springs ---

M, L, G, T, Z, V = 1.7, 0.8, 9.81, 0.6, 0.7, -1.3
HANGING = (rotation("z", "z"), translation("y", Constant(-L)))
DOWN = Gravity(G, (0, -1, 0))
S = sin(2 * TIME) / 5
S0, S1, S2 = math.sin(2 * T) / 5, 2 * math.cos(2 * T) / 5, -4 * math.sin(2 * T) / 5


def one(joint, inertia=None, forces=(), coordinate="z", gravity=None, drive=None):
    inertia = inertia or Inertia(M)
    return System("one", (Coordinate(coordinate, drive=drive),), gravity=gravity, forces=forces,
                  bodies=(Body("b", None, tuple(joint), inertia),))  # fmt: skip


def at(system, q=Z, v=V, a=0.0, **more):
    (name,) = system.coordinate_names
    found = derived(system, State(T, {name: q}, {name: v}, {name: a}, **more))
    return {k: float(np.ravel(x)[0]) for k, x in found.items()}


PRESCRIBED = {
    # m l² z'' + m l s'' cos z = -m g l sin z: support moved sideways
    "support moved sideways": (
        one((translation("x", Prescribed(S)), *HANGING), gravity=DOWN),
        (M * L**2, M * L * S2 * math.cos(Z), -M * G * L * math.sin(Z)),
    ),
    "support moved along a general axis": (
        one((translation((3, 0, 4), Prescribed(S)), *HANGING), gravity=DOWN),
        (M * L**2, M * L * 0.6 * S2 * math.cos(Z), -M * G * L * math.sin(Z)),
    ),
    "bead on a turning rod": (
        one((rotation("z", Prescribed(S)), translation("x", "u")), coordinate="u"),
        (M, -M * Z * S1**2, 0),
    ),
    "pendulum on a turning shaft": (
        one((rotation("y", Prescribed(S)), *HANGING), gravity=DOWN),
        (M * L**2, -M * L**2 * S1**2 * math.sin(Z) * math.cos(Z), -M * G * L * math.sin(Z)),
    ),
    "arm of changing length": (
        one((rotation("z", "z"), translation("x", Prescribed(1 + S)))),
        (M * (1 + S0) ** 2, 2 * M * (1 + S0) * S1 * V, 0),
    ),
    "wheel spun on an arm": (
        one(
            (rotation("z", "z"), translation("x", Constant(L)), rotation("z", Prescribed(S))),
            Inertia(M, tensor=(0.2, 0.2, 0.3)),
        ),
        (M * L**2 + 0.3, 0.3 * S2, 0),
    ),
    # gyroscope: a symmetric rotor spun about x on a gimbal turning about z has no moment about z but from s''
    "rotor across the gimbal": (
        one((rotation("z", "z"), rotation("x", Prescribed(S))), Inertia(M, tensor=(0.5, 0.2, 0.3))),
        (
            0.2 * math.sin(S0) ** 2 + 0.3 * math.cos(S0) ** 2,
            2 * (0.2 - 0.3) * math.sin(S0) * math.cos(S0) * S1 * V,
            0,
        ),
    ),
}


@pytest.mark.parametrize("case", PRESCRIBED)
def test_prescribed_motion(case):
    system, (mass, h, gravity) = PRESCRIBED[case]
    found = at(system, a=0.9)
    assert close(found["M"], mass)
    assert close(found["h"], h)
    assert close(found["gravity"], gravity)
    assert close(found["inverse_dynamics"], mass * 0.9 + h - gravity)
    assert close(found["acceleration"], (gravity - h) / mass)


#: the hanging point mass at angle z: its position and direction of motion per unit of z
TIP = np.array([L * math.sin(Z), -L * math.cos(Z)])
ALONG = np.array([L * math.cos(Z), L * math.sin(Z)])
ANCHOR = np.array([0.5, 0.9])
SPAN = TIP - ANCHOR
LONG = float(np.hypot(*SPAN))
TIP_POINT, ANCHOR_POINT, GROUND = Point("b"), Point(None, (0.5, 0.9, 0)), Point(None, (1, 2, 3))
LAW = 3 * LENGTH + 2 * LENGTH_RATE + TIME
PUSHED = (3 * LONG + 2 * (SPAN @ ALONG) * V / LONG + T) * (SPAN @ ALONG) / LONG
LINEAR = LinearLaw(f0=0.1, k=2, l0=0.5, d=0.7, q=1.1, w=1.3, a=0.2)
FORCES = {
    "force at the tip, world axes": ([PointForce("f", TIP_POINT, (2, 3, 5))], ALONG @ (2, 3)),
    "force off the tip, world axes": (
        [PointForce("f", Point("b", (0.3, 0, 0.2)), (2, 3, 5))],
        ALONG @ (2, 3) + 0.3 * (math.cos(Z) * 3 - math.sin(Z) * 2),
    ),
    "force that depends on the state": (
        [PointForce("f", TIP_POINT, (symbol("z"), rate("z"), TIME))],
        ALONG @ (Z, V),
    ),
    "wrench": ([Wrench("w", TIP_POINT, (2, 3, 5), (7, 11, 13))], ALONG @ (2, 3) + 13),
    "bipolar, first point fixed": ([Bipolar("s", ANCHOR_POINT, TIP_POINT, LAW)], PUSHED),
    "bipolar, second point fixed": ([Bipolar("s", TIP_POINT, ANCHOR_POINT, LAW)], PUSHED),
    "linear bipolar": (
        [Bipolar("s", ANCHOR_POINT, TIP_POINT, LINEAR)],
        (0.1 - 2 * (LONG - 0.5) - 0.7 * (SPAN @ ALONG) * V / LONG + 1.1 * math.sin(1.3 * T + 0.2))
        * (SPAN @ ALONG) / LONG,
    ),
    "forces on the fixed frame": (
        [PointForce("f", GROUND, (2, 3, 5)), Bipolar("s", GROUND, ANCHOR_POINT, LAW)],
        0,
    ),
    "joint effort": ([JointEffort("e", "z", 2 * symbol("z") - rate("z") + TIME)], 2 * Z - V + T),
    "linear joint effort": (
        [JointEffort("e", "z", LINEAR)],
        0.1 - 2 * (Z - 0.5) - 0.7 * V + 1.1 * math.sin(1.3 * T + 0.2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FORCES)
def test_applied_forces(case):
    forces, expected = FORCES[case]
    system = one(HANGING, forces=tuple(forces), drive=Effort(symbol("z") * 4))
    found = at(system, a=0.9)
    total = expected + 4 * Z
    assert close(found["applied"], total)
    assert close(found["inverse_dynamics"], M * L**2 * 0.9 - total)
    assert close(found["acceleration"], total / (M * L**2))
    assert found["gravity"] == 0


def test_a_moment_stands_in_body_axes():
    """After half of a half turn about x the body's y axis is the joint's z axis."""
    joint = (rotation("z", "z"), rotation("x", Constant(PI_NODE / 2)))
    found = at(one(joint, Inertia(M, tensor=(1, 1, 1)), [Wrench("w", Point("b"), moment=(2, 3, 5))]))
    assert close(found["applied"], 3)


def test_masses_of_bipolar_elements_stand_on_their_ends():
    anchored = at(
        one(HANGING, forces=[Bipolar("s", ANCHOR_POINT, TIP_POINT, LENGTH, mass=0.6)], gravity=DOWN)
    )
    heavier = at(
        one(HANGING, Inertia(M + 0.3), [Bipolar("s", ANCHOR_POINT, TIP_POINT, LENGTH)], gravity=DOWN)
    )
    for name in ALL:
        assert close(anchored[name], heavier[name])


def test_masses_of_bipolar_elements_are_those_of_the_lumped_system():
    system, states = subjects()[0].system, subjects()[0].states
    a, b = (evaluate_derivation(NE.derive(s), states).quantities for s in (system, system.lumped()))
    for name in ALL:
        assert close(a[name], b[name], 1e-12)


# --- identities on random systems ---


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_holds_the_other_quantities(seed):
    system, states = drawn(seed)
    names = system.coordinate_names
    units = [{}, *({name: 1.0} for name in names)]
    derivation = NE.derive(system)
    q = evaluate_derivation(derivation, states).quantities
    asked = [replace(s, a=unit) for unit in units for s in states]
    answers = evaluate_derivation(derivation, asked).quantities["inverse_dynamics"]
    without, *columns = np.split(answers, len(units))
    size = sum(float(np.abs(q[name]).max(initial=0)) for name in ("h", "gravity", "applied"))
    assert close(without, q["h"] - q["gravity"] - q["applied"], size=size)
    for i, column in enumerate(columns):
        assert close(column - without, q["M"][:, :, i], size=size)


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_inverts_inverse_dynamics(seed):
    system, states = drawn(seed)
    derivation = NE.derive(system)
    names = system.coordinate_names
    q = evaluate_derivation(derivation, states).quantities
    assert np.isfinite(q["acceleration"]).all()
    free = [replace(s, a=dict(zip(names, row))) for s, row in zip(states, q["acceleration"])]
    left = evaluate_derivation(derivation, free).quantities["inverse_dynamics"]
    size = float(np.abs(np.einsum("sij,sj->si", np.abs(q["M"]), np.abs(q["acceleration"]))).max())
    assert close(left, np.zeros_like(left), 1e-12, size)
    driven = replace(
        system,
        forces=(*system.forces, *(JointEffort(f"drive {n}", n, symbol(f"effort {n}")) for n in names)),
        parameters=(*system.parameters, *(Parameter(f"effort {n}") for n in names)),
    )
    wanted = [
        replace(s, parameters={**s.parameters, **{f"effort {n}": x for n, x in zip(names, row)}})
        for s, row in zip(states, q["inverse_dynamics"])
    ]
    found = evaluate_derivation(NE.derive(driven), wanted).quantities["acceleration"]
    given = np.array([[s.a[n] for n in names] for s in states])
    conditions = np.linalg.cond(q["M"]).max()
    assert close(found, given, 1e-15 * max(conditions, 1e3), float(np.abs(q["acceleration"]).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_direct_evaluation_is_the_evaluated_derivation(seed):
    system, states = drawn(seed)
    graph, direct = evaluate_derivation(NE.derive(system), states), NE.evaluate(system, states)
    assert set(graph.quantities) == set(direct.quantities) == set(ALL)
    for name in ALL:
        tolerance = 1e-9 if name == "acceleration" else 1e-12
        assert close(direct.quantities[name], graph.quantities[name], tolerance)


@pytest.mark.parametrize("seed", SEEDS)
def test_regrouping_changes_nothing(seed):
    system, states = drawn(seed)
    values = batch(environment(system, states))
    minimal, plain = (Equations(system, Batch(system, values, len(states))) for _ in range(2))
    numbers = iter(plain.scalars.of([x for link in plain.tree.links for x in link.scalars()]))
    plain.links = [link.filled(numbers) for link in plain.tree.links]
    assert close(minimal.mass_matrix.matrix, plain.mass_matrix.matrix, 1e-12)
    for name in ("h", "gravity", "applied", "inverse_dynamics"):
        assert close(np.array(getattr(minimal, name)), np.array(getattr(plain, name)), 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balance(seed):
    """d/dt (½ q'ᵀ M q') = q' · (gravity + applied) where no motion is prescribed."""
    system, states = drawn(seed)
    still = System(**{
        **{f: getattr(system, f) for f in ("name", "coordinates", "parameters", "functions")},
        **{f: getattr(system, f) for f in ("gravity", "forces")},
        "bodies": tuple(
            replace(b, joint=tuple(
                replace(e, motion=Constant(substitute([e.amount], {TIME: number("0.3")})[0]))
                if isinstance(e.motion, Prescribed) else e
                for e in b.joint
            )) for b in system.bodies
        ),
    })  # fmt: skip
    derivation = NE.derive(still)
    names = still.coordinate_names
    v = [rate(n) for n in names]
    energy = sum(
        (HALF * (x * m * y) for row, x in zip(derivation.quantities["M"], v) for m, y in zip(row, v)), ZERO
    )
    growth = define(time_derivative([energy], names), still.functions)
    q = evaluate_derivation(derivation, states).quantities
    for i, values in enumerate(environment(still, states)):
        values |= {f"{n}''": q["acceleration"][i, k] for k, n in enumerate(names)}
        speed = np.array([values[f"{n}'"] for n in names])
        power = speed @ (q["gravity"][i] + q["applied"][i])
        size = np.abs(speed) @ np.abs(q["M"][i]) @ np.abs(q["acceleration"][i])
        assert close(evaluate(growth, values)[0], power, 1e-12, float(size))


def test_links_between_revolute_joints_lose_three_parameters():
    for link in Equations(chain(4), Graph()).links:
        assert link.mass.mass is ZERO
        assert link.mass.moment[link.axis] is ZERO
        assert [x is ZERO for x in link.mass.tensor[:3]].count(True) == 1


def test_what_a_joint_does_not_feel():
    """Of the unfelt part a unit acceleration of the joint needs nothing; both parts are the whole."""
    whole = Mass(1.3, (0.2, -0.5, 0.7), (1.1, 1.2, 1.4, 0.1, -0.2, 0.3))
    for axis in range(3):
        for revolute in (True, False):
            felt, unfelt = split(whole, axis, revolute)
            together = felt.plus(unfelt)
            assert close([*together.moment, *together.tensor], [*whole.moment, *whole.tensor])
            assert felt.mass + unfelt.mass == whole.mass
            force, moment = unit_acceleration(unfelt, revolute, axis)
            assert not any((*force, *moment))
            force, moment = unit_acceleration(felt, revolute, axis)
            needed = unit_acceleration(whole, revolute, axis)
            assert close([*force, *moment], [*needed[0], *needed[1]])


@pytest.mark.parametrize("n", [(0, 0, 1), (0, -1, 0), (3, 0, 4), (-2, 1, 2), (1, 1, 1), (-5, -4, 3)])
def test_alignment_carries_the_coordinate_axis_into_the_joint_axis(n):
    axis, turn = alignment(unit_vector(n))
    m = np.array([evaluate(row, {}) for row in turn])
    assert close(m[:, axis], np.array(n) / math.sqrt(sum(x * x for x in n)))
    assert close(m.T @ m, np.eye(3))
    assert close(np.linalg.det(m), 1)


# --- singular inertia, obstacles ---


def rod_and_lever(mass):
    """A lever of that mass that turns on the end of a heavy arm."""
    arm = Body("arm", None, (rotation("z", "a"), translation("x", Constant(1))), Inertia(2))
    lever = Body("lever", "arm", (rotation("y", "b"), translation("z", Constant(1))), Inertia(mass))
    return System(
        "lever", (Coordinate("a"), Coordinate("b")), (Parameter("m", 0),), gravity=DOWN, bodies=(arm, lever)
    )


@pytest.mark.parametrize("mass", [0, symbol("m"), symbol("m") - symbol("m") * 1])
@pytest.mark.parametrize("how", ["derived", "direct"])
def test_a_coordinate_without_inertia_is_named(mass, how):
    system = rod_and_lever(mass)
    state = State(q={"a": 0.3, "b": 0.4}, v={"a": 1.0, "b": 2.0})
    evaluation = (
        NE.evaluate(system, [state]) if how == "direct" else evaluate_derivation(NE.derive(system), [state])
    )
    assert np.isnan(evaluation.quantities["acceleration"]).all()
    (finding,) = evaluation.diagnostics
    assert finding.place == "coordinates/b"
    for name in ("M", "h", "gravity", "applied", "inverse_dynamics"):
        assert np.isfinite(evaluation.quantities[name]).all()
    assert close(evaluation.quantities["M"][0], [[2, 0], [0, 0]])


def test_only_states_without_inertia_are_without_acceleration():
    """A point mass on two arms cannot be moved along them where they are stretched."""
    joint = (
        rotation("z", "a"),
        translation("x", Constant(1)),
        rotation("z", "b"),
        translation("x", Constant(1)),
    )
    system = System(
        "two arms", (Coordinate("a"), Coordinate("b")), bodies=(Body("tip", None, joint, Inertia(1)),)
    )
    states = [State(q={"a": 0.2, "b": b}, v={"a": 1}) for b in (0.0, 0.5)]
    for evaluation in (NE.evaluate(system, states), evaluate_derivation(NE.derive(system), states)):
        assert np.isnan(evaluation.quantities["acceleration"][0]).all()
        assert np.isfinite(evaluation.quantities["acceleration"][1]).all()
        assert len(evaluation.diagnostics) == 1


def test_massless_bodies_between_coordinates_are_no_obstacle():
    """A point mass carried by three massless slides in a turned frame falls freely."""
    slides = [
        Body(
            f"b{i}",
            f"b{i - 1}" if i else None,
            (rotation("xyz"[i], Constant(0.4)), translation("xyz"[i], f"u{i}")),
        )
        for i in range(3)
    ]
    slides[2] = replace(slides[2], inertia=Inertia(3))
    system = System("free", tuple(Coordinate(f"u{i}") for i in range(3)), gravity=DOWN, bodies=tuple(slides))
    found = derived(system, State())
    axes, turn = [], np.eye(3)
    c, s = math.cos(0.4), math.sin(0.4)
    steps = (
        [[1, 0, 0], [0, c, -s], [0, s, c]],
        [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    )  # fmt: skip
    for i, step in enumerate(steps):
        turn = turn @ np.array(step)
        axes.append(turn[:, i])
    assert close(np.array(axes).T @ found["acceleration"], [0, -G, 0])


def test_what_is_not_taken_is_an_obstacle():
    wheel = Flywheel("wheel", (), Inertia(1), TIME)
    system = one(HANGING)
    system = replace(system, bodies=(replace(system.bodies[0], flywheels=(wheel,)),))
    assert [o.feature for o in NE.obstacles(system)] == ["flywheels"]
    for ask in (NE.derive, lambda s: NE.evaluate(s, [State()])):
        with pytest.raises(FormalismError, match="flywheels"):
            ask(system)


def test_a_bipolar_element_of_no_length_is_refused():
    with pytest.raises(FormalismError, match=r"forces/s: .* always coincide"):
        NE.derive(one(HANGING, forces=[Bipolar("s", TIP_POINT, TIP_POINT, LENGTH)]))


# --- cost and form of the derivation ---


def chain(n, masses=None):
    """A chain about x, y, z in turn with full tensors."""
    tensor = [number(x) for x in ("0.3", "0.4", "0.5", "0.01", "0.02", "0.03")]
    bodies = [
        Body(
            f"b{i}", f"b{i - 1}" if i else None,
            (translation("x", Constant(number("0.5"))), rotation("xyz"[i % 3], f"q{i}")),
            Inertia(number("1.5"), (number("0.1"), number("0.2"), number("0.25")), tensor),
        )
        for i in range(n)
    ]  # fmt: skip
    gravity = Gravity(number("9.81"), (0, 0, -1))
    return System(
        "chain", tuple(Coordinate(f"q{i}") for i in range(n)), gravity=gravity, bodies=tuple(bodies)
    )


def test_operations_of_inverse_dynamics_of_the_6r_arm():
    system = read(folder("robots") / "ur5.mbsd").system
    numbers = {symbol(p.name): p.value for p in system.parameters if p.value is not None}
    counted = count_operations(substitute(NE.derive(system).quantities["inverse_dynamics"], numbers))
    assert counted.mul <= 235
    assert counted.add <= 170
    assert counted.div == 0


def test_operations_grow_linearly():
    def operations(n):
        eq = Equations(chain(n), Graph())
        return [count_operations(x).total for x in (eq.inverse_dynamics, eq.forward.accelerations)]

    a, b, c = (operations(n) for n in (9, 18, 27))
    assert [y - x for x, y in zip(a, b)] == [y - x for x, y in zip(b, c)]


def test_a_chain_of_2000_bodies_takes_linear_time():
    def run(n):
        system = chain(n)
        dice = Random(5)
        names = system.coordinate_names
        state = State(
            q={x: dice.uniform(-3, 3) for x in names}, v={x: dice.uniform(-1, 1) / n for x in names}
        )
        values = batch(environment(system, [state]))
        start = time.process_time()
        eq = Equations(system, Batch(system, values, 1))
        found = eq.forward.accelerations
        values |= {f"{x}''": a for x, a in zip(names, found)}
        again = Equations(system, Batch(system, values, 1))
        left = again.inverse_dynamics
        return time.process_time() - start, np.abs(left).max() / np.abs(again.gravity).max()

    run(100)
    small, _ = run(500)
    large, error = run(2000)
    assert large <= 4 * 2 * small
    assert error <= 1e-9


def test_stages_name_intermediates_once_and_keep_lines_short():
    def longest(n):
        derivation = NE.derive(chain(n))
        found = derivation.assignments
        assert len({a.name for a in found}) == len(found) == len({a.expression for a in found})
        names = {a.expression: a.name for a in found}
        outputs = [x for x in flatten(tuple(derivation.quantities.values())) if x not in names]
        return max(len(to_text(x, names)) for x in [*names, *outputs])

    assert [stage.name for stage in NE.derive(chain(3)).stages] == [
        "outward pass", "inward pass", "velocity terms", "weight", "mass matrix", "articulated bodies",
    ]  # fmt: skip
    assert longest(9) <= longest(6) * 1.1


@pytest.mark.parametrize("i", range(4))
def test_stages_use_only_what_stands_before(i):
    derivation = NE.derive(subjects()[i].system)
    names = {a.expression for a in derivation.assignments}
    before = set()
    for assignment in derivation.assignments:
        waiting, seen = [*assignment.expression.args], set()
        while waiting:
            node = waiting.pop()
            if node in seen or node in before:
                continue
            assert node not in names
            seen.add(node)
            waiting.extend(node.args)
        before.add(assignment.expression)


def test_names_make_way_for_the_models_names():
    system = chain(2)
    coordinates = (Coordinate("q0"), Coordinate("w2_x"))
    bodies = (system.bodies[0], replace(system.bodies[1], joint=(rotation("y", "w2_x"),)))
    names = [a.name for a in NE.derive(replace(system, coordinates=coordinates, bodies=bodies)).assignments]
    assert "w2_x" not in names
    assert "w2_x_" in names


def test_registered_under_its_name():
    assert isinstance(formalism("newton_euler"), NewtonEuler)


# --- faults ---


@cache
def honest(i):
    return evaluate_derivation(NE.derive(subjects()[i].system), subjects()[i].states).quantities


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.title)
def test_every_fault_changes_some_quantity(fault):
    """So a fault that nothing catches is a gap in the claims, not in the fault."""
    with injected(fault) as faulty:
        for i, subject in enumerate(subjects()):
            found = evaluate_derivation(faulty.derive(subject.system), subject.states).quantities
            if any(not close(found[name], honest(i)[name], 1e-9) for name in ALL):
                return
    pytest.fail("it changes nothing")
