"""Pogorelov's direct method against published vectors, closed forms of textbooks and its own identities."""

from __future__ import annotations

import json
import math
import random
import tomllib
from typing import Any

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.formalisms.virtual_work import VirtualWork
from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Function,
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
)
from mbconcord.model.expressions import (
    TIME,
    as_expression,
    call,
    evaluate,
    rate,
    sin,
    sqrt,
    symbol,
)
from mbconcord.model.expressions.formula import parse_formula

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


# --- published robots -------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ["ur5", "panda", "talos"])
def test_robots(robot: str) -> None:
    """Numbers of another program from the robots' published descriptions: 6, 9 and 32 coordinates."""
    system = registry.read(folder("robots") / f"{robot}.mbsd").system
    reference = json.loads((folder("robots") / f"{robot}.reference.json").read_text("utf-8"))
    names = system.coordinate_names
    states = [State(0.0, *(dict(zip(names, s[key])) for key in ("q", "v", "a"))) for s in reference["states"]]
    found = VirtualWork().evaluate(system, states).quantities
    for name in ("M", "h", "gravity", "inverse_dynamics"):
        assert close(found[name], [s[name] for s in reference["states"]], 1e-9), name


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
