"""Overconstrained linkages, which move against the count of freedoms: Bennett's and Bricard's in closed form.

Both have angles that are functions of one of them, q = f(θ), so with τ = f'(θ) the motion is that of one freedom:

    (τᵀ M τ) θ'' + τᵀ (M f'' θ'² + h - Q) = 0 ,   q'' = τ θ'' + f'' θ'²

with M, h and Q of the open tree; how many rows the loop has does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import State, System
from mbconcord.model.expressions import evaluate_float

#: q, f' and f'' at θ.
Angles = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]


def bennett(u: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bennett 1903: tan(q1/2) tan(q2/2) = sin((α + β)/2) / sin((β - α)/2) = √3 of α = 30°, β = 90°; q3 = -q1."""
    q = 2 * np.arctan(np.sqrt(3) / np.tan(u / 2))
    first = -np.sin(q) / np.sin(u)
    second = -(np.cos(q) * first * np.sin(u) - np.sin(q) * np.cos(u)) / np.sin(u) ** 2
    return np.array([u, q, -u]), np.array([1, first, -1]), np.array([0, second, 0])


def bricard(u: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chen, You & Tarnai 2005: cos θ + cos φ + cos θ cos φ = 0 of right twists, θ and φ one after the other."""
    c, s = np.cos(u), np.sin(u)
    w = -c / (1 + c)  # cos φ
    dw, ddw = s / (1 + c) ** 2, (c * (1 + c) + 2 * s**2) / (1 + c) ** 3
    q = np.arccos(w)
    first = -dw / np.sin(q)
    second = -(ddw + w * first**2) / np.sin(q)
    alternate = [np.array([x, y, x, y, x]) for x, y in ((u, q), (1, first), (0, second))]
    return alternate[0], alternate[1], alternate[2]


#: The angles, how many rows are independent, of how many.
LINKAGES: dict[str, tuple[Angles, int, int]] = {"bennett": (bennett, 2, 5), "bricard": (bricard, 4, 5)}
SOLVERS = ("lagrange", "newton_euler", "konoplev")


@cache
def linkage(name: str) -> System:
    return read(folder() / "overconstrained" / f"{name}.mbs.json").system


def expected(system: System, angles: Angles, u: float, speed: float) -> tuple[State, np.ndarray]:
    q, first, second = angles(u)
    names = system.coordinate_names
    state = State(0, *(dict(zip(names, map(float, x), strict=True)) for x in (q, first * speed)))
    tree = formalism("flexible").evaluate(system.open_loops(), [state]).quantities
    M, force = tree["M"][0], tree["gravity"][0] + tree["applied"][0] - tree["h"][0]
    drift = second * speed**2
    return state, first * (first @ (force - M @ drift)) / (first @ M @ first) + drift


@pytest.mark.parametrize("by", SOLVERS)
@pytest.mark.parametrize("name", LINKAGES)
def test_the_motion_is_that_of_one_freedom(name: str, by: str) -> None:
    angles, rank, rows = LINKAGES[name]
    system = linkage(name)
    for u, speed in ((1.1, 2.0), (1.3, -0.7), (0.8, 1.5)):
        state, acceleration = expected(system, angles, u, speed)
        found = formalism(by).constrained_motion(system, [state])
        assert found is not None and (found.rank[0], len(found.rows)) == (rank, rows)
        assert [d for d in found.diagnostics if d.severity == "error"] == []
        np.testing.assert_allclose(found.acceleration[0], acceleration, rtol=1e-11, atol=1e-11)
        assert np.isnan(found.multipliers).all()


@pytest.mark.parametrize("name", LINKAGES)
def test_the_fixture_starts_on_the_curve(name: str) -> None:
    angles, system = LINKAGES[name][0], linkage(name)
    start = {c.name: tuple(evaluate_float(x, {}) for x in (c.position, c.velocity)) for c in system.coordinates}
    u, speed = start["q1"]
    q, first, _ = angles(u)
    np.testing.assert_allclose([x for x, _ in start.values()], q, rtol=1e-14)
    np.testing.assert_allclose([x for _, x in start.values()], first * speed, rtol=1e-13)
