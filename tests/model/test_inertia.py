"""Inertia: its identities against point masses, and the physics that no body can have."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.model import (
    AddedInertia,
    Bipolar,
    Body,
    Coordinate,
    ElementaryTransformation,
    Flywheel,
    Inertia,
    Point,
    Prescribed,
    Rod,
    System,
    rotation,
    translation,
)
from mbconcord.model.checks.physics import OTHERWISE, POLICIES, physics
from mbconcord.model.expressions import PI_NODE, TIME, ZERO, as_expression, call, evaluate, evaluate_float

from ..formats.every_type import modes
from .slider import SLIDE, m1, model

PITCH = (rotation("y", "a"),)
TILTED = (0, -math.sin(0.3), math.cos(0.3))
TUMBLE = (*SLIDE, rotation("x", "a"), rotation("y", "b"))


def carrying(joint: Sequence[ElementaryTransformation] = TUMBLE, **more: Any) -> System:
    """The model of a body with this joint, which turns about any axis where none is given."""
    names = [et.coordinate for et in joint if et.coordinate]
    return model(bodies=(Body("b", None, tuple(joint), **more),), coordinates=tuple(map(Coordinate, names)))


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
    "tensor of a flywheel on a body that turns about another axis": (
        lambda: carrying(PITCH, flywheels=(Flywheel("w", (), Inertia(1, (0, 0, 0), (1, 1, 3)), TIME),)), {},
        "bodies/b/flywheels/w/tensor", "1, 1, 3 kg m² violate the triangle", "larger",
    ),
    "moment about the one axis of rotation": (
        lambda: carrying(PITCH, inertia=Inertia(1, (0, 0, 0), (1, -2, 1))), {},
        "bodies/b/inertia/tensor", "the moment -2 kg m² about the axis (0, 1, 0)", "no other",
    ),
    "moment about a turned axis": (
        lambda: carrying((*PITCH, rotation("z", PI_NODE / 2)), inertia=Inertia(1, (0, 0, 0), (-2, 1, 1))), {},
        "bodies/b/inertia/tensor", "the moment -2 kg m² about the axis (1, ", "no other",
    ),
    "moment about an axis turned by a parameter": (
        lambda: carrying((*PITCH, rotation("z", m1)), inertia=Inertia(1, (0, 0, 0), (-2, 1, 1))),
        {"m1": math.pi / 2}, "bodies/b/inertia/tensor", "the moment -2 kg m² about", "no other",
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


NUMBERLESS = ("division by zero", "overflow")


@pytest.mark.parametrize("case", WRONG)
def test_physics_that_cannot_be(case: str) -> None:
    """Refused, warned of, ignored; what has no number is an error whatever the policy."""
    build, values, place, condition, remedy = WRONG[case]
    said = {policy: physics(build(), {"m1": 1.0} | values, policy) for policy in POLICIES}
    (finding,) = said["error"]
    assert (finding.severity, finding.place) == ("error", place)
    assert condition in finding.message and remedy in finding.remedy
    if case in NUMBERLESS:
        assert said["warn"] == said["ignore"] == [finding]
    else:
        assert OTHERWISE in finding.remedy and said["ignore"] == []
        assert [(d.severity, d.message) for d in said["warn"]] == [("warning", finding.message)]


#: Joint -> tensors that its motion does not see anything impossible of.
UNSEEN: dict[str, tuple[tuple[ElementaryTransformation, ...], tuple[float, ...]]] = {
    "a slider": (SLIDE, (-1, 2, 3)),
    "no joint": ((), (1, 1, 5)),
    "turned for good": ((rotation("x", 1), rotation("y", 2)), (1, 1, 5)),
    "a planar joint": ((*SLIDE, translation("y", "p"), rotation("z", "a")), (-0.25, -0.25, 1 / 12)),
    "the moment about y alone": (PITCH, (0, 1, 0)),
    "two turns about one axis": ((*PITCH, translation("x", 1), rotation("-y", "b")), (0, 1, 0)),
    "turned about its axis": ((*PITCH, rotation("y", 1)), (0, 1, 0)),
    "prescribed": ((rotation("y", Prescribed(TIME)),), (0, 1, 0)),
    "an axis turned there and back": (
        (rotation("x", 0.3), rotation("z", "a"), rotation("x", -0.3), rotation(TILTED, "b")),
        (0, 0, 1),
    ),
}


@pytest.mark.parametrize("case", UNSEEN)
def test_what_the_motion_cannot_see_is_not_demanded(case: str) -> None:
    joint, tensor = UNSEEN[case]
    seen = carrying(joint, inertia=Inertia(1, (0, 0, 0), tensor))
    assert physics(seen, {"m1": 1.0}) == []
    assert physics(carrying(inertia=Inertia(1, (0, 0, 0), tensor)), {"m1": 1.0})


def test_what_values_do_not_determine_is_not_looked_at() -> None:
    """A mass without value; an axis turned by an angle without value might be any."""
    assert physics(carrying(inertia=Inertia(-m1)), {}) == []
    turned = carrying((*PITCH, rotation("z", m1)), inertia=Inertia(1, (0, 0, 0), (0, 1, 0)))
    assert "violate" in physics(turned, {})[0].message and physics(turned, {"m1": 0.0}) == []
    unknown = Inertia(call("JK", [m1]), (0, 0, 0), (1, 1, 5))
    assert ["tensor" in d.place for d in physics(carrying(inertia=unknown), {"m1": 1.0})] == [True]


def test_a_node_of_an_elastic_body_turns_about_any_axis() -> None:
    flat = Inertia(1, (0, 0, 0), (0, 0, 1))
    pair = (Body("b", None, SLIDE, modes=modes(1)), Body("c", "b", (), flat, parent_node="tip"))
    (found,) = [d for d in physics(model(bodies=pair), {"m1": 1.0}) if d.place.startswith("bodies/c/")]
    assert "violate" in found.message
    rigid = (pair[0], replace(pair[1], parent_node=None))
    assert [d for d in physics(model(bodies=rigid), {"m1": 1.0}) if d.place.startswith("bodies/c/")] == []


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
    for inertia in (whole, halves[0].merge(halves[1])):
        assert evaluate_float(inertia.mass, {}) == pytest.approx(mass, rel=1e-14)
        assert np.allclose(evaluate(inertia.centre, {}), centre, rtol=0, atol=1e-14)
        assert np.allclose(matrix(inertia), tensor, rtol=0, atol=1e-14)
    assert physics(carrying(inertia=whole), {"m1": 1.0}) == []


def test_about_origin_and_back() -> None:
    tensor = (1, 2, 2.5, 0.1, -0.2, 0.3)
    given = Inertia(2, (0.5, -1, 0.25), tensor)
    assert Inertia.about_origin(2, (0.5, -1, 0.25), given.tensor_about_origin()) == given
    assert Inertia.about_origin(2, (0.5, -1, 0.25), tensor).tensor_about_origin() == Inertia(1, tensor=tensor).tensor
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
    turned = inertia.rotate(rows)  # type: ignore[arg-type]
    _, centre, tensor = cloud([(m, turn @ r) for m, r in points])
    assert np.allclose(evaluate(turned.centre, {}), centre, rtol=0, atol=1e-14)
    assert np.allclose(matrix(turned), tensor, rtol=0, atol=1e-14)


def test_rotors_without_mass_are_merged() -> None:
    both = Inertia(0, tensor=(1, 2, 3)).merge(Inertia(0, (5, 5, 5), (1, 1, 1)))
    assert both.mass is ZERO and matrix(both).tolist() == [[2, 0, 0], [0, 3, 0], [0, 0, 4]]
