"""Augmented bodies: published vectors of planar linkages, of trees in space and of Timofeev's tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.formalisms.telegin.forms.absolute import sums
from mbconcord.formalisms.telegin.linkage import LEAVES, Linkage
from mbconcord.formalisms.telegin.loads import Loads, Places
from mbconcord.formalisms.telegin.planar import PLANAR
from mbconcord.formalisms.telegin.planarity import linkage
from mbconcord.formalisms.telegin.tree import tree
from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Inertia,
    Point,
    State,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import evaluate_float
from mbconcord.model.numbers import environment

from .telegin_models import TREE, VECTORS, branched, exact, vector

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def close(found: Any, expected: Any) -> None:
    """To the digits of the vectors: 12, of which the last ones went into their inputs."""
    np.testing.assert_allclose(
        np.array(found, dtype=float), np.array(expected, dtype=float), rtol=1e-9, atol=1e-10
    )


# --- planar vectors --------------------------------------------------------------------------------


NAMES = [f"q{k}" for k in range(1, 6)]
BRANCHED_STATE = State(
    0.0,
    *(dict(zip(NAMES, TREE[key], strict=True)) for key in ("q", "qd", "qdd")),
)


class Planar:
    """The linkage of the published tree, and numbers of its expressions."""

    def __init__(self, leaves: Any = "components") -> None:
        self.system = branched()
        links = tree(self.system)
        self.p: Linkage
        self.p, _ = linkage(self.system, links, Loads(self.system, links, Places(links)), leaves)
        (self.values,) = environment(self.system, [BRANCHED_STATE])

    def number(self, expression: Any) -> float:
        return evaluate_float(expression, self.values)

    def by_pair(self, coefficients: Any) -> dict[str, float]:
        return {f"{a},{b}": self.number(x) for (a, b), x in coefficients.items()}


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize(
    ("form", "letter", "key"),
    [
        (form, letter, key)
        for form, letters in {
            "absolute-sums": {"A": "A", "a": "a", "B": "B", "b": "b"},
            "absolute-recurrent": {"A": "A", "a": "a", "B": "B", "b": "b"},
            "relative": {"H": "Hrel", "h": "hrel"},
            "relative-sums": {"H": "Hrel", "h": "hrel"},
            "relative-recurrent": {"H": "Hrel", "h": "hrel"},
        }.items()
        for letter, key in letters.items()
    ],
)
def test_published_coefficients(form: str, letter: str, key: str, leaves: str) -> None:
    at = Planar(leaves)
    found = at.by_pair(PLANAR[form](at.p).coefficients[letter])
    assert set(found) == set(TREE[key])
    close([found[pair] for pair in TREE[key]], list(TREE[key].values()))


def test_published_augmented_bodies() -> None:
    at = Planar()
    aug = TREE["aug"]
    s = [[at.number(x) for x in body.s] for body in at.p.bodies.values()]
    close([np.hypot(*x) for x in s], aug["md"])
    close([np.arctan2(x[1], x[0]) for x in s], aug["delta"])
    close([at.number(body.m) for body in at.p.bodies.values()], aug["m"])
    close([at.number(body.J) for body in at.p.bodies.values()], aug["J"])
    close([at.number(at.p.motion.theta[k]) for k in range(1, 6)], TREE["theta"])
    close([at.number(at.p.motion.omega[k]) for k in range(1, 6)], TREE["omega"])
    close([at.number(at.p.motion.epsilon[k]) for k in range(1, 6)], TREE["eps"])


@pytest.mark.parametrize("leaves", LEAVES)
def test_published_matrices(leaves: str) -> None:
    at = Planar(leaves)
    native = PLANAR["matrix"](at.p).native
    for name, value in TREE["RUD"].items():
        close([at.number(x) for x in flatten(native[name])], np.ravel(value))
    close([at.number(at.p.G0[k]) for k in range(1, 6)], TREE["G0"])


def test_sums_of_3_are_those_of_8_with_shifted_indices() -> None:
    """A_ki of (8) is A_k,i+1 of (3), a_ki is -B_k,i+1: the paper's letters mean two things."""
    at = Planar()
    A, B = (at.by_pair(c) for c in sums(at.p))
    base = dict(enumerate(TREE["base"], 1))
    for pair in A:
        k, m = map(int, pair.split(","))
        close(A[pair], TREE["A"][f"{k},{base[m]}"])
        close(B[pair], -TREE["a"][f"{k},{base[m]}"])


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("form", FORMS)
def test_published_drives(form: str, leaves: str) -> None:
    load = TREE["load"]
    tool = Wrench(
        "tool",
        Point(f"b{load['link']}", vector(load["point_local"])),
        vector(load["F_world"]),
        vector([0, 0, load["couple"]]),
    )
    for system, key in ((branched(), "M_noload"), (branched((tool,)), "M_load")):
        found = Telegin(form, leaves).evaluate(system, [BRANCHED_STATE]).quantities
        close(found["inverse_dynamics"][0], TREE[key])


# --- prismatic and spatial vectors -----------------------------------------------------------------


def spatial_tree(case: dict[str, Any]) -> System:
    """C3 and C4: axes and offsets in base axes, tensors in own axes."""
    planar = "axis_P_local_in_base" in case
    axes = case.get("axis") or [case["axis_P_local_in_base"] if t == "P" else [0, 0, 1] for t in case["type"]]
    bodies = []
    for k, base in enumerate(case["base"]):
        make = rotation if case["type"][k] == "R" else translation
        I = case["I_own"][k]
        tensor = (
            (0, 0, exact(I))
            if planar
            else tuple(exact(I[a][b]) for a, b in (*((i, i) for i in range(3)), (0, 1), (0, 2), (1, 2)))
        )
        bodies.append(
            Body(
                f"b{k + 1}",
                f"b{base}" if base else None,
                (*shift(vector(case["R0"][k])), make(vector(axes[k]), f"q{k + 1}")),
                Inertia(exact(case["m_own"][k]), vector(case["c_own"][k]), tensor),
            )
        )
    return with_coordinates(bodies, case["g"])


def table(case: dict[str, Any]) -> System:
    """A table of Timofeev's: axes by name, all frames parallel to the fixed one at the start."""
    bodies = []
    for k, row in enumerate(case["rows"], 1):
        make = rotation if row["joint"] == "R" else translation
        letter = row["axis"].lstrip("-")[0]
        sign = -1 if row["axis"].startswith("-") else 1
        axis = tuple(sign * c for c in AXES[letter])
        inertia = Inertia(exact(row["m"]), vector(row["c"]), tuple(map(exact, row["I"])))
        parent = f"b{row['base']}" if row["base"] else None
        bodies.append(Body(f"b{k}", parent, (*shift(vector(row["R"])), make(axis, f"q{k}")), inertia))
    return with_coordinates(bodies, case["g"])


def with_coordinates(bodies: list[Body], g: list[float]) -> System:
    gravity = Gravity(exact(np.linalg.norm(g)), vector(g))
    coordinates = tuple(Coordinate(f"q{k}") for k in range(1, len(bodies) + 1))
    return System("case", coordinates, (), (), gravity, tuple(bodies))


CASES = dict.fromkeys(("planar_RPR", "spatial_RRPR"), spatial_tree) | {
    name: table for name in VECTORS if name.startswith("TP")
}


@pytest.mark.parametrize("name", CASES)
def test_published_trees_of_revolute_and_prismatic_joints(name: str) -> None:
    case = VECTORS[name]
    system = CASES[name](case)
    names = system.coordinate_names
    state = State(0.0, *(dict(zip(names, case[key], strict=True)) for key in ("q", "qd", "qdd")))
    found = Telegin("spatial").evaluate(system, [state]).quantities
    close(found["inverse_dynamics"][0], case["tau"])
    if "mass_matrix" in case:
        close(found["M"][0], case["mass_matrix"])
    if "Q_gravity" in case:
        close(found["gravity"][0], case["Q_gravity"])


@pytest.mark.parametrize("name", [name for name in CASES if name != "planar_RPR"])
def test_published_static_moments(name: str) -> None:
    case = VECTORS[name]
    system = CASES[name](case)
    derivation = Telegin("spatial").derive(system)
    (values,) = environment(system, [State(0.0, dict(zip(system.coordinate_names, case["q"], strict=True)))])
    places = Places(tree(system))
    for k, moment in enumerate(derivation.native["m̄"], 1):
        A = np.array([[evaluate_float(x, values) for x in row] for row in places[k].A])
        close(A @ [evaluate_float(x, values) for x in moment], case["static_moments_world"][k - 1])
