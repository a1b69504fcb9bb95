"""Pogorelov's direct method against closed forms of textbooks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

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
    Point,
    PointForce,
    Prescribed,
    State,
    System,
    Wrench,
    rotation,
    translation,
)
from mbconcord.model.expressions import TIME, call, evaluate, rate, sin, symbol

from ..numbers import at, close

VIRTUAL_WORK = VirtualWork()

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
    found = at(VIRTUAL_WORK, system, State(t=T, q={"z": Z}, v={"z": ZD}))
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
    found = at(VIRTUAL_WORK, system, State(t=T, q={"u": Z}, v={"u": ZD}))
    assert close(found["M"], [[m]]) and close(found["h"], [-m * Z * F1**2])


def test_pendulum_on_a_crank_turned_as_prescribed() -> None:
    """m l² (z'' + φ'') + m a l (φ'' cos z + φ'² sin z) = 0, angle z from the crank's line."""
    crank = (rotation("z", Prescribed(call("JK", [TIME]))), translation("x", Constant(a)))
    system = one((*crank, rotation("z", "z"), translation("x", Constant(length))))
    found = at(VIRTUAL_WORK, system, State(t=T, q={"z": Z}, v={"z": ZD}))
    assert close(found["M"], [[m * length**2]])
    expected = m * length**2 * F2 + m * a * length * (F2 * math.cos(Z) + F1**2 * math.sin(Z))
    assert close(found["h"], [expected])


def test_slider_that_is_pushed_out_while_it_turns() -> None:
    """z-joint, arm JK(t): (m JK²) z'' + 2 m JK JK' z' = 0: the Coriolis term of a prescribed shift."""
    system = one((rotation("z", "z"), translation("x", Prescribed(call("JK", [TIME])))))
    found = at(VIRTUAL_WORK, system, State(t=T, q={"z": Z}, v={"z": ZD}))
    assert close(found["M"], [[m * F0**2]]) and close(found["h"], [2 * m * F0 * F1 * ZD])


def test_heavy_symmetric_top() -> None:
    """Euler's angles z x z: T = ½A(θ'² + ψ'² sin²θ) + ½C(φ' + ψ' cos θ)², Π = m g l cos θ."""
    A, C = 2.7, 0.3
    inertia = Inertia(m, (0, 0, length), (A - m * length**2, A - m * length**2, C))
    system = one(
        (rotation("z", "psi"), rotation("x", "theta"), rotation("z", "phi")), inertia, gravity=Gravity(9.81, (0, 0, -1))
    )
    psi1, theta, theta1, phi1 = 0.9, 0.8, -0.4, 2.1
    state = State(q={"psi": 0.3, "theta": theta, "phi": 1.1}, v={"psi": psi1, "theta": theta1, "phi": phi1})
    found = at(VIRTUAL_WORK, system, state)
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
    found = at(VIRTUAL_WORK, system, State(q={"z": z, "y": y}))["applied"]
    Rz = np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
    Ry = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    about = np.cross(Rz @ Ry @ np.array([0.2, -0.3, 0.5]), force) + Rz @ Ry @ np.array(moment)
    assert close(found, [about[2], (Rz @ np.array([0, 1, 0])) @ about])


def test_point_force_of_the_motion() -> None:
    """A force -c x' in the x direction at the end of an arm: Q = -c x' dx/dz with x = l cos z."""
    drag = (-3 * (-length * sin(symbol("z")) * rate("z")), 0, 0)
    arm = (rotation("z", "z"), translation("x", Constant(length)))
    system = one(arm, forces=(PointForce("drag", Point("b"), drag),))
    found = at(VIRTUAL_WORK, system, State(q={"z": Z}, v={"z": ZD}))
    assert close(found["applied"], [-3 * (length * math.sin(Z)) ** 2 * ZD])


@pytest.mark.parametrize("law", [LinearLaw(f0=2, k=30, l0=0.4, d=1.5),
                                 2 - 30 * (symbol("@") - 0.4) - 1.5 * symbol("@'")])  # fmt: skip
def test_bipolar_force_between_a_post_and_a_slider(law: Any) -> None:
    """F > 0 pushes apart: Q = F u/L with L = √(u² + b²), L' = u u'/L; half of the mass moves."""
    b, u, u1 = 0.6, 0.7, -1.2
    spring = Bipolar("spring", Point(None, (0, b, 0)), Point("b"), law, mass=0.4)
    found = at(VIRTUAL_WORK, one((translation("x", "u"),), forces=(spring,)), State(q={"u": u}, v={"u": u1}))
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
    found = at(VIRTUAL_WORK, system, State(t=0.25, q={"u1": 0.1, "u2": 0.9}, v={"u1": 0.4, "u2": -0.6}))
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
    found = at(VIRTUAL_WORK, system, State(t=0.5, q={"u": 0.7}, v={"u": 0.3}))
    assert close(found["applied"], [4 * 0.5 - 10 * 0.5 - 0.5 * 0.3 - 0.49])
    assert close(found["acceleration"], found["applied"] / m)


def test_gravity_of_a_free_body_has_any_direction() -> None:
    system = one((translation("x", "x"), translation("z", "z")), gravity=Gravity(5, (3, 0, -4)))
    assert close(at(VIRTUAL_WORK, system, State())["gravity"], [3 * m, -4 * m])


def test_model_without_coordinates() -> None:
    found = at(VIRTUAL_WORK, System("still", bodies=(Body("b", None, (), Inertia(1)),)), State())
    assert found["M"].shape == (0, 0) and found["h"].shape == (0,)
