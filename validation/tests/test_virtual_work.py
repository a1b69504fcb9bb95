"""Pogorelov's direct method against published vectors, closed forms of textbooks and its own identities."""

from __future__ import annotations

import json
import math
import random
import tomllib
from typing import Any

import numpy as np
import pytest
from mbconcord.fixtures import folder
from mbconcord.formalisms.virtual_work import VirtualWork
from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Motion,
    Parameter,
    Point,
    PointForce,
    Prescribed,
    Rod,
    State,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import (
    TIME,
    as_expression,
    call,
    evaluate,
    rate,
    sin,
    sqrt,
    symbol,
    time_derivative,
)
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.virtual_work import FAULTS

EPS = 1e-13


def numbers(system: System, state: State, formalism: Any = None) -> dict[str, np.ndarray]:
    evaluation = (formalism or VirtualWork()).evaluate(system, [state])
    return {name: value[0] for name, value in evaluation.quantities.items()}


def close(a: Any, b: Any, tolerance: float = EPS) -> bool:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return bool(np.all(np.abs(a - b) <= tolerance * (1 + np.abs(b).max(initial=0.0))))


# --- the golden lines of the language's paper, built through the model -----------------------------

POINT = {n: Inertia(symbol(f"m{n}")) for n in (1, 2)}
DISK = Inertia(symbol("m1"), tensor=(symbol("Ix1"), symbol("Iy1"), symbol("Iz1")))


def line(*joints: tuple[Any, ...], inertias: tuple[Inertia, ...] = (), vertical: str = "y") -> System:
    """A chain of bodies from their joints; every parameter of it has a value."""
    bodies: list[Body] = []
    for n, joint in enumerate(joints, 1):
        inertia = inertias[n - 1] if inertias else POINT[n]
        bodies.append(Body(f"b{n}", bodies[-1].name if bodies else None, joint, inertia))
    names = [name for body in bodies for name in body.coordinates]
    values = {
        "m1": 1.3,
        "m2": 0.7,
        "i1": 0.9,
        "i2": 0.6,
        "j1": 1.1,
        "k1": 0.8,
        "Ix1": 0.3,
        "Iy1": 0.4,
        "Iz1": 0.5,
    }
    parameters = [Parameter(name, value) for name, value in {**values, "g": 9.81}.items()]
    gravity = Gravity(symbol("g"), (0, -1, 0) if vertical == "y" else (0, 0, -1))
    return System("line", tuple(map(Coordinate, names)), tuple(parameters), (), gravity, tuple(bodies))


def const(axis: str, name: str, sign: int = 1) -> Any:
    return translation(axis, Constant(sign * symbol(name)))


LINES = {
    "uvg": line((translation("x", "u1"), translation("y", "v1"))),
    "uvwg": line((translation("x", "u1"), translation("y", "v1"), translation("z", "w1")), vertical="z"),
    "uvzg": line((translation("x", "u1"), translation("y", "v1"), rotation("z", "z1")), inertias=(DISK,)),
    "zig": line((rotation("z", "z1"), const("x", "i1"))),
    "zjg": line((rotation("z", "z1"), const("y", "j1"))),
    "z-jg": line((rotation("z", "z1"), const("y", "j1", -1))),
    "xkg": line((rotation("x", "x1"), const("z", "k1")), vertical="z"),
    "zi>zig": line((rotation("z", "z1"), const("x", "i1")), (rotation("z", "z2"), const("x", "i2"))),
    "u>z-jg": line((translation("x", "u1"),), (rotation("z", "z1"), const("y", "j1", -1))),
    "zug": line((rotation("z", "z1"), translation("x", "u1"))),
    "xy-kg": line((rotation("x", "x1"), rotation("y", "y1"), const("z", "k1", -1)), vertical="z"),
}
GOLDEN = tomllib.loads((folder("mbsd") / "golden.toml").read_text("utf-8"))["golden"]


def test_every_golden_line_has_a_model() -> None:
    assert {row["line"] for row in GOLDEN} <= set(LINES)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["line"])
def test_golden_lines(row: dict[str, Any]) -> None:
    system = LINES[row["line"]]
    assert list(system.coordinate_names) == row["coordinates"]
    dice = random.Random(row["line"])
    for _ in range(5):
        state = State(
            q={name: dice.uniform(-2, 2) for name in system.coordinate_names},
            v={name: dice.uniform(-2, 2) for name in system.coordinate_names},
        )
        values = {p.name: float(p.value.value) for p in system.parameters if p.value}
        values |= state.q | {f"{name}'": value for name, value in state.v.items()}

        def expected(texts: list[str], values: dict[str, float] = values) -> list[float]:
            return evaluate([parse_formula(text) for text in texts], values)

        found = numbers(system, state)
        assert close(found["M"], [expected(texts) for texts in row["M"]])
        assert close(found["h"], expected(row["h"]))
        assert close(found["gravity"], expected(row["gravity"]))
        assert not found["applied"].any()


# --- Konoplev's vectors ----------------------------------------------------------------------------


def konoplev(data: dict[str, Any]) -> System:
    """His joint: translations x y z in the parent's axes, then rotations about x y z; some vary."""
    bodies = []
    for i, b in enumerate(data["bodies"], 1):
        kinds = [(translation, "x"), (translation, "y"), (translation, "z")]
        kinds += [(rotation, "x"), (rotation, "y"), (rotation, "z")]
        joint = [
            make(axis, f"q{i}_{k}" if k in b["dofs"] else Constant(b["const"][k - 1]))
            for k, (make, axis) in enumerate(kinds, 1)
            if k in b["dofs"] or b["const"][k - 1]
        ]
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = b["Jc"]
        inertia = Inertia(b["m"], b["rc"], (xx, yy, zz, xy, xz, yz))
        bodies.append(Body(f"b{i}", f"b{b['parent']}" if b["parent"] else None, tuple(joint), inertia))
    g = [as_expression(x) for x in data["gravity"]]
    gravity = Gravity(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), tuple(g))
    names = [name for body in bodies for name in body.coordinates]
    return System("konoplev", tuple(map(Coordinate, names)), gravity=gravity, bodies=tuple(bodies))


@pytest.mark.parametrize("name", ["E1", "E2", "R1"])
def test_konoplev_vectors(name: str) -> None:
    data = json.loads((folder("konoplev") / f"{name}.json").read_text("utf-8"))
    system = konoplev(data)
    names = system.coordinate_names
    state = State(q=dict(zip(names, data["q"])), v=dict(zip(names, data["qd"])))
    found = numbers(system, state)
    n = len(names)
    mass = np.zeros((n, n))
    for i, row in enumerate(data["A_upper"]):
        mass[i, i:] = mass[i:, i] = row
    assert close(found["M"], mass)
    assert close(found["h"], data["b"])
    assert close(found["gravity"], data["Q"])
    assert close(found["acceleration"], data["qdd"], 1e-12)


# --- closed forms of textbooks ---------------------------------------------------------------------

m, length, a = 1.7, 0.8, 0.35
JK = Function("JK", ("t",), 0.5 + sin(2 * TIME) / 5)
T, Z, ZD = 0.6, 0.7, -1.3
#: JK, JK', JK'' at T
F0, F1, F2 = 0.5 + math.sin(2 * T) / 5, 2 * math.cos(2 * T) / 5, -4 * math.sin(2 * T) / 5
UP = Gravity(9.81, (0, -1, 0))
PENDULUM = (rotation("z", "z"), translation("y", Constant(-length)))


MASS = Inertia(m)


def one(joint: tuple[Any, ...], inertia: Inertia = MASS, **more: Any) -> System:
    body = Body("b", None, joint, inertia)
    return System("one", tuple(map(Coordinate, body.coordinates)), bodies=(body,), functions=(JK,), **more)


def test_pendulum_on_a_pivot_that_is_moved() -> None:
    """m l² z'' + m l cos z JK'' = -m g l sin z for the pivot's motion x = JK(t), JK given by a formula."""
    system = one((translation("x", Prescribed(call("JK", [TIME]))), *PENDULUM), gravity=UP)
    found = numbers(system, State(t=T, q={"z": Z}, v={"z": ZD}))
    assert close(found["M"], [[m * length**2]])
    assert close(found["h"], [m * length * math.cos(Z) * F2])
    assert close(found["gravity"], [-m * 9.81 * length * math.sin(Z)])


def test_an_undefined_motion_stays_symbolic() -> None:
    system = System("one", (Coordinate("z"),), functions=(Function("JK", ("t",)),), bodies=(
        Body("b", None, (translation("x", Prescribed(call("JK", [TIME]))), *PENDULUM), Inertia(m)),
    ))  # fmt: skip
    (h,) = VirtualWork().derive(system).quantities["h"]
    calls: list[tuple[int, ...]] = []

    def jk(orders: tuple[int, ...], t: float) -> float:
        calls.append(orders)
        return 3.0

    (value,) = evaluate([h], {"z": Z, "z'": ZD, "t": T}, functions={"JK": jk})
    assert calls == [(2,)]
    assert close(value, m * length * math.cos(Z) * 3.0)


def test_bead_on_a_rod_turned_as_prescribed() -> None:
    """m u'' - m u φ'² = 0, and the drive of the rod takes no part."""
    system = one((rotation("z", Prescribed(call("JK", [TIME]))), translation("x", "u")))
    found = numbers(system, State(t=T, q={"u": Z}, v={"u": ZD}))
    assert close(found["M"], [[m]]) and close(found["h"], [-m * Z * F1**2])


def test_pendulum_on_a_crank_turned_as_prescribed() -> None:
    """m l² (z'' + φ'') + m a l (φ'' cos z + φ'² sin z) = 0, angle z from the crank's line."""
    crank = (rotation("z", Prescribed(call("JK", [TIME]))), translation("x", Constant(a)))
    system = one((*crank, rotation("z", "z"), translation("x", Constant(length))))
    found = numbers(system, State(t=T, q={"z": Z}, v={"z": ZD}))
    assert close(found["M"], [[m * length**2]])
    expected = m * length**2 * F2 + m * a * length * (F2 * math.cos(Z) + F1**2 * math.sin(Z))
    assert close(found["h"], [expected])


def test_slider_that_is_pushed_out_while_it_turns() -> None:
    """z-joint, arm JK(t): (m JK²) z'' + 2 m JK JK' z' = 0: the Coriolis term of a prescribed shift."""
    system = one((rotation("z", "z"), translation("x", Prescribed(call("JK", [TIME])))))
    found = numbers(system, State(t=T, q={"z": Z}, v={"z": ZD}))
    assert close(found["M"], [[m * F0**2]]) and close(found["h"], [2 * m * F0 * F1 * ZD])


def test_heavy_symmetric_top() -> None:
    """Euler's angles z x z: T = ½A(θ'² + ψ'² sin²θ) + ½C(φ' + ψ' cos θ)², Π = m g l cos θ."""
    A, C = 2.7, 0.3
    inertia = Inertia(m, (0, 0, length), (A - m * length**2, A - m * length**2, C))
    system = one(
        (rotation("z", "psi"), rotation("x", "theta"), rotation("z", "phi")),
        inertia,
        gravity=Gravity(9.81, (0, 0, -1)),
    )
    psi1, theta, theta1, phi1 = 0.9, 0.8, -0.4, 2.1
    state = State(q={"psi": 0.3, "theta": theta, "phi": 1.1}, v={"psi": psi1, "theta": theta1, "phi": phi1})
    found = numbers(system, state)
    s, c = math.sin(theta), math.cos(theta)
    assert close(found["M"], [[A * s * s + C * c * c, 0, C * c], [0, A, 0], [C * c, 0, C]])
    h = [
        2 * (A - C) * s * c * theta1 * psi1 - C * s * theta1 * phi1,
        -(A - C) * s * c * psi1**2 + C * s * psi1 * phi1,
        -C * s * theta1 * psi1,
    ]
    assert close(found["h"], h)
    assert close(found["gravity"], [0, m * 9.81 * length * s, 0])


def test_wrench() -> None:
    """Joint z, then y: the force turns by its arm in world axes, the moment is in the axes of the body."""
    point = Point("b", (0.2, -0.3, 0.5))
    force, moment = (1.1, -0.7, 0.4), (0.3, 0.6, -0.9)
    system = one(
        (rotation("z", "z"), rotation("y", "y")),
        Inertia(m, (0.1, 0.2, 0.3), (1, 1, 1)),
        forces=(Wrench("w", point, force, moment), PointForce("p", Point("b"), (5, 5, 5))),
    )
    z, y = 0.5, -0.8
    found = numbers(system, State(q={"z": z, "y": y}))["applied"]
    Rz = np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
    Ry = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    about = np.cross(Rz @ Ry @ np.array([0.2, -0.3, 0.5]), force) + Rz @ Ry @ np.array(moment)
    assert close(found, [about[2], (Rz @ np.array([0, 1, 0])) @ about])


def test_point_force_of_the_motion() -> None:
    """A force -c x' in the x direction at the end of an arm: Q = -c x' dx/dz with x = l cos z."""
    drag = (-3 * (-length * sin(symbol("z")) * rate("z")), 0, 0)
    arm = (rotation("z", "z"), translation("x", Constant(length)))
    system = one(arm, forces=(PointForce("drag", Point("b"), drag),))
    found = numbers(system, State(q={"z": Z}, v={"z": ZD}))
    assert close(found["applied"], [-3 * (length * math.sin(Z)) ** 2 * ZD])


@pytest.mark.parametrize("law", [LinearLaw(f0=2, k=30, l0=0.4, d=1.5),
                                 2 - 30 * (symbol("@") - 0.4) - 1.5 * symbol("@'")])  # fmt: skip
def test_bipolar_force_between_a_post_and_a_slider(law: Any) -> None:
    """F > 0 pushes apart: Q = F u/L with L = √(u² + b²), L' = u u'/L; half of the mass moves."""
    b, u, u1 = 0.6, 0.7, -1.2
    spring = Bipolar("spring", Point(None, (0, b, 0)), Point("b"), law, mass=0.4)
    found = numbers(one((translation("x", "u"),), forces=(spring,)), State(q={"u": u}, v={"u": u1}))
    L = math.hypot(u, b)
    F = 2 - 30 * (L - 0.4) - 1.5 * u * u1 / L
    assert close(found["applied"], [F * u / L])
    assert close(found["M"], [[m + 0.2]])


def test_bipolar_force_acts_on_both_bodies() -> None:
    """Two sliders on one line: Q = (-F, F) for u2 > u1, F of the distance and its rate."""
    bodies = tuple(Body(f"b{i}", None, (translation("x", f"u{i}"),), Inertia(i)) for i in (1, 2))
    law = 3 * symbol("@") + 0.5 * symbol("@'") + TIME
    force = Bipolar("f", Point("b1"), Point("b2"), law)
    system = System("two", (Coordinate("u1"), Coordinate("u2")), bodies=bodies, forces=(force,))
    found = numbers(system, State(t=0.25, q={"u1": 0.1, "u2": 0.9}, v={"u1": 0.4, "u2": -0.6}))
    F = 3 * 0.8 + 0.5 * (-1.0) + 0.25
    assert close(found["applied"], [-F, F])


def test_efforts_and_drives() -> None:
    u = symbol("u")
    system = System(
        "one",
        (Coordinate("u", drive=Effort(4 * TIME)),),
        bodies=(Body("b", None, (translation("x", "u"),), Inertia(m)),),
        forces=(JointEffort("spring", "u", LinearLaw(k=10, l0=0.2, d=0.5)), JointEffort("dry", "u", -u * u)),
    )
    found = numbers(system, State(t=0.5, q={"u": 0.7}, v={"u": 0.3}))
    assert close(found["applied"], [4 * 0.5 - 10 * 0.5 - 0.5 * 0.3 - 0.49])
    assert close(found["acceleration"], found["applied"] / m)


def test_gravity_of_a_free_body_has_any_direction() -> None:
    system = one((translation("x", "x"), translation("z", "z")), gravity=Gravity(5, (3, 0, -4)))
    assert close(numbers(system, State())["gravity"], [3 * m, -4 * m])


def test_model_without_coordinates() -> None:
    found = numbers(System("still", bodies=(Body("b", None, (), Inertia(1)),)), State())
    assert found["M"].shape == (0, 0) and found["h"].shape == (0,)


# --- identities ------------------------------------------------------------------------------------

INERTIA = Inertia(1.3, (0.2, -0.1, 0.3), (0.5, 0.6, 0.7, 0.02, -0.03, 0.04))


def involved() -> System:
    """A branched tree with joints of several coordinates, general axes and prescribed motions."""
    jk = call("JK", [TIME])
    hip = (
        translation((1, 2, 2), "s"), rotation((2, -1, 2), "x"), translation("y", Prescribed(jk * jk)),
        rotation((1, 1, 1), "y"), rotation("-z", Prescribed(sin(3 * TIME))), *shift((0.1, 0.2, -0.3)),
    )  # fmt: skip
    thigh = (
        rotation((0, 3, 4), "a"),
        *shift((0.4, 0, 0.1)),
        translation((1, -1, 0), "b"),
        rotation("x", 0.4),
    )
    foot = (rotation("z", "c"), translation((2, 3, 6), Prescribed(TIME * TIME)), rotation("y", "d"))
    bodies = (
        Body("hip", None, hip, INERTIA),
        Body("thigh", "hip", thigh, INERTIA),
        Body("plate", "thigh", shift((0.3, 0.2, 0.1)), INERTIA),
        Body("foot", "hip", foot, INERTIA),
    )
    names = [name for body in bodies for name in body.coordinates]
    return System("involved", tuple(map(Coordinate, names)), functions=(JK,), bodies=bodies, gravity=UP)


def values_of(system: System, seed: int) -> dict[str, float]:
    dice = random.Random(seed)
    names = [name + dashes for name in system.coordinate_names for dashes in ("", "'", "''")]
    return {"t": dice.uniform(0, 1)} | {name: dice.uniform(-2, 2) for name in names}


def jk(orders: tuple[int, ...], t: float) -> float:
    return (0.5 + math.sin(2 * t) / 5, 2 * math.cos(2 * t) / 5, -4 * math.sin(2 * t) / 5)[orders[0]]


def array(outputs: Any, values: dict[str, float], shape: tuple[int, ...]) -> np.ndarray:
    return np.array(evaluate(list(flatten(outputs)), values, functions={"JK": jk}), dtype=float).reshape(
        shape
    )


@pytest.mark.parametrize("seed", range(5))
def test_phi_and_w_are_the_derivatives_of_positions(seed: int) -> None:
    """r' = v = D q' + (v at q' = 0); v' = D q'' + W'; the skew matrix of ω is Aᵀ A', with ω' = B q'' + W'."""
    system = involved()
    names = system.coordinate_names
    native = VirtualWork().derive(system).native
    count, n = len(system.bodies), len(names)
    values = values_of(system, seed)
    rates = {name: 0.0 for name in values if name.endswith("'")}
    v1 = np.array([values[f"{name}'"] for name in names])
    v2 = np.array([values[f"{name}''"] for name in names])

    def of(outputs: Any, shape: tuple[int, ...], at: dict[str, float] = values) -> np.ndarray:
        return array(outputs, at, shape)

    phi = of(native["Φ"], (count, 6, n))
    bias = of(native["W'"], (count, 6))
    velocity = time_derivative(flatten(native["r"]), names)
    assert close(of(native["v"], (count, 3)), of(tuple(velocity), (count, 3)))
    still = of(native["v"], (count, 3), values | rates)
    assert close(of(native["v"], (count, 3)), phi[:, :3] @ v1 + still)
    acceleration = of(tuple(time_derivative(velocity, names)), (count, 3))
    assert close(acceleration, phi[:, :3] @ v2 + bias[:, :3])

    turn = list(flatten(native["A"]))
    speed = time_derivative(turn, names)
    A, A1, A2 = (of(tuple(x), (count, 3, 3)) for x in (turn, speed, time_derivative(speed, names)))
    at_rest = of(tuple(speed), (count, 3, 3), values | rates)
    assert close(np.transpose(A, (0, 2, 1)) @ A, np.broadcast_to(np.eye(3), A.shape))
    assert close(axial(A, A1), phi[:, 3:] @ v1 + axial(A, at_rest))
    assert close(axial(A, A2), phi[:, 3:] @ v2 + bias[:, 3:])  # the symmetric part of Aᵀ A'' drops out


def axial(A: np.ndarray, rate_of_A: np.ndarray) -> np.ndarray:
    """ω (body axes) of the skew part of Aᵀ A'."""
    w = np.transpose(A, (0, 2, 1)) @ rate_of_A
    return np.stack([w[:, 2, 1] - w[:, 1, 2], w[:, 0, 2] - w[:, 2, 0], w[:, 1, 0] - w[:, 0, 1]], axis=1) / 2


def test_general_axis_is_the_conjugated_one() -> None:
    """A rotation about (0.6, 0, 0.8) is one about z between the rotations about y by ±atan2(0.6, 0.8)."""
    turn = math.atan2(0.6, 0.8)
    state = State(q={"q": 0.7, "p": -0.4}, v={"q": 1.1, "p": 0.6})
    tail = (*shift((0.3, 0.1, 0.2)), rotation("x", "p"))
    direct = one((rotation((0.6, 0, 0.8), "q"), *tail), INERTIA, gravity=UP)
    around = one((rotation("y", Constant(turn)), rotation("z", "q"), rotation("y", Constant(-turn)), *tail),
                 INERTIA, gravity=UP)  # fmt: skip
    first, second = numbers(direct, state), numbers(around, state)
    assert all(close(first[name], second[name]) for name in first)


def test_massless_bodies_change_nothing() -> None:
    """A joint split over bodies without mass gives the equations of the whole joint."""
    whole = one((rotation("x", "q"), *shift((0.1, 0.2, 0.3)), rotation("z", "p")), INERTIA, gravity=UP)
    split = System("split", whole.coordinates, gravity=UP, bodies=(
        Body("a", None, (rotation("x", "q"),)),
        Body("c", "a", shift((0.1, 0.2, 0.3))),
        Body("b", "c", (rotation("z", "p"),), INERTIA),
    ))  # fmt: skip
    state = State(q={"q": 0.7, "p": -0.4}, v={"q": 1.1, "p": 0.6})
    first, second = numbers(whole, state), numbers(split, state)
    assert all(close(first[name], second[name]) for name in first)


def test_stages_name_each_node_once() -> None:
    derivation = VirtualWork().derive(involved())
    names = [a.name for a in derivation.assignments]
    nodes = [a.expression for a in derivation.assignments]
    assert len(set(names)) == len(names) and len(set(nodes)) == len(nodes)
    assert [stage.name for stage in derivation.stages] == ["D", "B", "ω", "W'", "K"]
    assert all(node.args and not node.constant for node in nodes)


# --- refusals --------------------------------------------------------------------------------------

SLIDER = Body("b", None, (translation("x", "u"),), Inertia(1))
REFUSED = {
    "coordinates/u/drive": {"coordinates": (Coordinate("u", drive=Motion(1)),)},
    "constraints/rod": {"constraints": (Rod("rod", Point(None), Point("b"), as_expression(1)),)},
    "constraints/cut": {"constraints": (FrameCoincidence("cut", Frame("b"), Frame(None)),)},
}


@pytest.mark.parametrize("place", REFUSED)
def test_what_it_does_not_take_is_named(place: str) -> None:
    system = System("s", **({"coordinates": (Coordinate("u"),), "bodies": (SLIDER,)} | REFUSED[place]))
    with pytest.raises(FormalismError, match=place):
        VirtualWork().derive(system)


def test_bipolar_force_between_coinciding_points() -> None:
    force = Bipolar("f", Point("b"), Point("b"), as_expression(1))
    system = System("s", (Coordinate("u"),), bodies=(SLIDER,), forces=(force,))
    with pytest.raises(FormalismError, match=r"forces/f.*coincide"):
        VirtualWork().derive(system)


# --- faults ----------------------------------------------------------------------------------------


def loaded() -> System:
    """The involved tree with everything that may act on it."""
    system = involved()
    wrench = Wrench("wrench", Point("foot", (0.3, -0.2, 0.4)), (1, -2, 3), (0.5, 0.7, -0.6))
    law = 2 + 3 * symbol("@") - 1.5 * symbol("@'")
    spring = Bipolar(
        "spring", Point("thigh", (0.1, 0.5, 0.2)), Point("foot", (-0.4, 0.2, 0.6)), law, mass=0.4
    )
    return System(
        "loaded",
        system.coordinates,
        functions=(JK,),
        bodies=system.bodies,
        gravity=UP,
        forces=(wrench, spring),
    )


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.title)
def test_every_fault_changes_a_quantity(fault: Any) -> None:
    system = loaded()
    values = values_of(system, 11)
    names = system.coordinate_names
    state = State(0.3, {name: values[name] for name in names}, {name: values[f"{name}'"] for name in names})
    honest = numbers(system, state)
    with injected(fault) as faulty:
        altered = numbers(system, state, faulty)
    assert any(not close(honest[name], altered[name], 1e-6) for name in ("M", "h", "gravity", "applied"))
    assert all(close(honest[name], numbers(system, state)[name]) for name in honest)
