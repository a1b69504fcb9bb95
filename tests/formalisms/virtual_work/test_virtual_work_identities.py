"""Pogorelov's direct method: its identities and stages."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.virtual_work import VirtualWork
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Function,
    Gravity,
    Inertia,
    Prescribed,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import TIME, call, evaluate, sin, time_derivative

from ..numbers import at, close

VIRTUAL_WORK = VirtualWork()

JK = Function("JK", ("t",), 0.5 + sin(2 * TIME) / 5)
UP = Gravity(9.81, (0, -1, 0))


def one(joint: tuple[Any, ...], inertia: Inertia, **more: Any) -> System:
    body = Body("b", None, joint, inertia)
    return System("one", tuple(map(Coordinate, body.coordinates)), bodies=(body,), functions=(JK,), **more)


INERTIA = Inertia(1.3, (0.2, -0.1, 0.3), (0.5, 0.6, 0.7, 0.02, -0.03, 0.04))


def involved() -> System:
    """A branched tree with joints of several coordinates, general axes and prescribed motions."""
    jk = call("JK", [TIME])
    hip = (
        translation((1, 2, 2), "s"), rotation((2, -1, 2), "x"), translation("y", Prescribed(jk * jk)),
        rotation((1, 1, 1), "y"), rotation("-z", Prescribed(sin(3 * TIME))), *shift((0.1, 0.2, -0.3)),
    )  # fmt: skip
    thigh = (rotation((0, 3, 4), "a"), *shift((0.4, 0, 0.1)), translation((1, -1, 0), "b"), rotation("x", 0.4))
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
    return np.array(evaluate(list(flatten(outputs)), values, functions={"JK": jk}), dtype=float).reshape(shape)


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
    velocity = time_derivative(flatten(native["r_c"]), names)
    assert close(of(native["v_c"], (count, 3)), of(tuple(velocity), (count, 3)))
    still = of(native["v_c"], (count, 3), values | rates)
    assert close(of(native["v_c"], (count, 3)), phi[:, :3] @ v1 + still)
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
    first, second = at(VIRTUAL_WORK, direct, state), at(VIRTUAL_WORK, around, state)
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
    first, second = at(VIRTUAL_WORK, whole, state), at(VIRTUAL_WORK, split, state)
    assert all(close(first[name], second[name]) for name in first)


@pytest.mark.slow
def test_stages_name_each_node_once() -> None:
    derivation = VirtualWork().derive(involved())
    names = [a.name for a in derivation.assignments]
    nodes = [a.expression for a in derivation.assignments]
    assert len(set(names)) == len(names) and len(set(nodes)) == len(nodes)
    assert [stage.name for stage in derivation.stages] == ["D", "B", "ω", "W'", "K"]
    assert all(node.args and not node.constant for node in nodes)
