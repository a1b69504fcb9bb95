"""Inertia: its identities against point masses, and the physics that no body can have."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from mbconcord.model import (
    AddedInertia,
    Bipolar,
    Flywheel,
    Inertia,
    Point,
    Rod,
    System,
)
from mbconcord.model.checks.physics import physics
from mbconcord.model.expressions import (
    ZERO,
    as_expression,
    evaluate,
    evaluate_float,
)

from .slider import carrying, m1, model

THIN = Inertia(2.5, (0.7, -0.4, 0.1), (0, 1, 1))

# --- physics ---------------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[], System], dict[str, float], str, str, str]] = {
    "negative mass": (model, {"m1": -2}, "bodies/b/inertia/mass", "-2 kg", "not negative"),
    "triangle inequality": (
        lambda: carrying(inertia=Inertia(1, (0, 0, 0), (1, 2, 3.5))), {},
        "bodies/b/inertia/tensor", "1, 2, 3.5 kg m² violate the triangle", "larger than the other two",
    ),
    "tensor with a negative moment": (
        lambda: carrying(inertia=Inertia(1, (0, 0, 0), (1, 1, 1, 2, 0, 0))), {},
        "bodies/b/inertia/tensor", "-1, 1, 3 kg m² about the centre of mass: one is negative", "origin",
    ),
    "tensor about the origin that is too small": (
        lambda: carrying(inertia=Inertia.about_origin(2, (0.5, 0, 0), (0.1, 0.4, 0.4))), {},
        "bodies/b/inertia/tensor", "one is negative", "origin",
    ),
    "negative mass of a flywheel": (
        lambda: carrying(flywheels=(Flywheel("w", (), Inertia(-1), ZERO),)), {},
        "bodies/b/flywheels/w/mass", "the flywheel's mass is -1 kg", "not negative",
    ),
    "indefinite added inertia": (
        lambda: carrying(added_inertia=AddedInertia(np.diag([1, 1, 1, 1, -3, 1]).tolist())),
        {}, "bodies/b/added_inertia", "-3", "positive semidefinite",
    ),
    "negative mass of a rod": (
        lambda: model(constraints=(Rod("r", Point("b"), Point(None), 1, -m1),)), {"m1": 3},
        "constraints/r/mass", "-3 kg", "not negative",
    ),
    "negative mass of a bipolar element": (
        lambda: model(forces=(Bipolar("f", Point("b"), Point(None), 1, -m1),)), {"m1": 3},
        "forces/f/mass", "-3 kg", "not negative",
    ),
    "division by zero": (
        lambda: carrying(inertia=Inertia(1 / m1)), {"m1": 0},
        "bodies/b/inertia", "division by zero", "a value",
    ),
    "overflow": (
        lambda: carrying(inertia=Inertia(m1, (m1, 0, 0))), {"m1": math.inf},
        "bodies/b/inertia", "not finite", "smaller",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_physics_that_cannot_be(case: str) -> None:
    build, values, place, condition, remedy = WRONG[case]
    (finding,) = physics(build(), {"m1": 1.0} | values)
    assert (finding.severity, finding.place) == ("error", place)
    assert condition in finding.message and remedy in finding.remedy


@pytest.mark.parametrize(
    "inertia",
    [
        Inertia(0), Inertia(1), Inertia(1, (1, 2, 3), (1, 2, 3)), Inertia(1, (0, 0, 0), (0, 1, 1)),
        Inertia(2, (9, 0, 0), (1, 1, 2 + 1e-9)),  # a sheet, rounded
        Inertia.about_origin(2.5, (0.7, -0.4, 0.1), THIN.tensor_about_origin()),
    ],
)  # fmt: skip
def test_physics_that_can_be(inertia: Inertia) -> None:
    assert physics(carrying(inertia=inertia), {"m1": 1.0}) == []


# --- inertia ---------------------------------------------------------------------------------------


def matrix(inertia: Inertia, about_origin: bool = False) -> np.ndarray:
    values = inertia.tensor_about_origin() if about_origin else inertia.tensor
    xx, yy, zz, xy, xz, yz = evaluate(values, {})
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def cloud(points: list[tuple[float, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre, tensor about the centre of point masses, by the definition J = ∫ (r·r E - r rᵀ) dm."""
    mass = sum(m for m, _ in points)
    centre = sum((m * r for m, r in points), np.zeros(3)) / mass
    arms = [(m, r - centre) for m, r in points]
    return mass, centre, sum((m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in arms), np.zeros((3, 3)))


def points_of(seed: int) -> list[tuple[float, np.ndarray]]:
    dice = random.Random(seed)
    return [(dice.uniform(0.1, 2), np.array([dice.uniform(-1, 1) for _ in range(3)])) for _ in range(6)]


@pytest.mark.parametrize("seed", range(5))
def test_merged_inertias_are_those_of_all_their_points(seed: int) -> None:
    points = points_of(seed)
    whole = Inertia(0)
    halves = [Inertia(0), Inertia(0)]
    for i, (m, r) in enumerate(points):
        whole = whole.with_point(m, r.tolist())
        halves[i % 2] = halves[i % 2].with_point(m, r.tolist())
    mass, centre, tensor = cloud(points)
    for inertia in (whole, halves[0].merged(halves[1])):
        assert evaluate_float(inertia.mass, {}) == pytest.approx(mass, rel=1e-14)
        assert np.allclose(evaluate(inertia.centre, {}), centre, rtol=0, atol=1e-14)
        assert np.allclose(matrix(inertia), tensor, rtol=0, atol=1e-14)
    assert physics(carrying(inertia=whole), {"m1": 1.0}) == []


def test_about_origin_and_back() -> None:
    tensor = (1, 2, 2.5, 0.1, -0.2, 0.3)
    given = Inertia(2, (0.5, -1, 0.25), tensor)
    assert Inertia.about_origin(2, (0.5, -1, 0.25), given.tensor_about_origin()) == given
    assert (
        Inertia.about_origin(2, (0.5, -1, 0.25), tensor).tensor_about_origin()
        == Inertia(1, tensor=tensor).tensor
    )
    r = np.array([0.5, -1, 0.25])
    moved = matrix(given) + 2 * (r @ r * np.eye(3) - np.outer(r, r))
    assert np.allclose(matrix(given, about_origin=True), moved, rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_rotated_inertia_is_that_of_the_rotated_points(seed: int) -> None:
    a, c, s = 0.7, math.cos(0.7), math.sin(0.7)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    assert a and not np.allclose(turn, turn.T)
    points = points_of(seed)
    inertia = Inertia(0)
    for m, r in points:
        inertia = inertia.with_point(m, r.tolist())
    rows = tuple(tuple(map(as_expression, row)) for row in turn.tolist())
    turned = inertia.rotated(rows)  # type: ignore[arg-type]
    _, centre, tensor = cloud([(m, turn @ r) for m, r in points])
    assert np.allclose(evaluate(turned.centre, {}), centre, rtol=0, atol=1e-14)
    assert np.allclose(matrix(turned), tensor, rtol=0, atol=1e-14)


def test_rotors_without_mass_are_merged() -> None:
    both = Inertia(0, tensor=(1, 2, 3)).merged(Inertia(0, (5, 5, 5), (1, 1, 1)))
    assert both.mass is ZERO and matrix(both).tolist() == [[2, 0, 0], [0, 3, 0], [0, 0, 4]]
