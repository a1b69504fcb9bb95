"""Augmented bodies: what the vectors publish of Telegin's own objects, coefficients, matrices and static moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.formalisms.telegin.forms.absolute import sums
from mbconcord.formalisms.telegin.linkage import LEAVES, Linkage
from mbconcord.formalisms.telegin.loads import Loads, Places
from mbconcord.formalisms.telegin.planarity import equations, linkage
from mbconcord.formalisms.telegin.tree import tree
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import evaluate_float
from mbconcord.model.numbers import environment

from ...reference.linkages import TREE, VECTORS, at, branched, model
from ...reference.table import differences
from .telegin_linkages import same


class Planar:
    """The linkage of the published tree, and numbers of its expressions."""

    def __init__(self, leaves: Any = "components") -> None:
        self.system = branched()
        links = tree(self.system)
        self.p: Linkage
        self.p, _ = linkage(self.system, links, Loads(self.system, links, Places(links)), leaves)
        (self.values,) = environment(self.system, at(self.system, TREE))

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
    p = Planar(leaves)
    found = p.by_pair(equations(form, p.p).coefficients[letter])
    assert set(found) == set(TREE[key])
    same([found[pair] for pair in TREE[key]], list(TREE[key].values()))


def test_published_augmented_bodies() -> None:
    p = Planar()
    aug = TREE["aug"]
    s = [[p.number(x) for x in body.s] for body in p.p.bodies.values()]
    same([np.hypot(*x) for x in s], aug["md"])
    same([np.arctan2(x[1], x[0]) for x in s], aug["delta"])
    same([p.number(body.m) for body in p.p.bodies.values()], aug["m"])
    same([p.number(body.J) for body in p.p.bodies.values()], aug["J"])
    same([p.number(p.p.motion.theta[k]) for k in range(1, 6)], TREE["theta"])
    same([p.number(p.p.motion.omega[k]) for k in range(1, 6)], TREE["omega"])
    same([p.number(p.p.motion.epsilon[k]) for k in range(1, 6)], TREE["eps"])


@pytest.mark.parametrize("leaves", LEAVES)
def test_published_matrices(leaves: str) -> None:
    p = Planar(leaves)
    native = equations("matrix", p.p).native
    for name, value in TREE["RUD"].items():
        same([p.number(x) for x in flatten(native[name])], np.ravel(value))
    same([p.number(p.p.G0[k]) for k in range(1, 6)], TREE["G0"])


def test_sums_of_3_are_those_of_8_with_shifted_indices() -> None:
    """A_ki of (8) is A_k,i+1 of (3), a_ki is -B_k,i+1: the paper's letters mean two things."""
    p = Planar()
    A, B = (p.by_pair(c) for c in sums(p.p))
    base = dict(enumerate(TREE["base"], 1))
    for pair in A:
        k, m = map(int, pair.split(","))
        same(A[pair], TREE["A"][f"{k},{base[m]}"])
        same(B[pair], -TREE["a"][f"{k},{base[m]}"])


@pytest.mark.parametrize("key", ["M_noload", "M_load"])
@pytest.mark.parametrize("leaves", [leaves for leaves in LEAVES if leaves != Telegin().leaves])
@pytest.mark.parametrize("form", FORMS)
def test_other_leaves_give_the_published_drives(form: str, leaves: Any, key: str) -> None:
    """As the forms themselves do in the reference table."""
    assert differences(Telegin(form, leaves), f"telegin/branched_tree, {key}") == []


@pytest.mark.parametrize("name", [name for name, v in VECTORS.items() if "static_moments_world" in v])
def test_published_static_moments(name: str) -> None:
    case = VECTORS[name]
    system = model(case)
    derivation = Telegin("spatial").derive(system)
    (values,) = environment(system, at(system, case))
    places = Places(tree(system))
    for k, moment in enumerate(derivation.native["m̄"], 1):
        A = np.array([[evaluate_float(x, values) for x in row] for row in places[k].A])
        same(A @ [evaluate_float(x, values) for x in moment], case["static_moments_world"][k - 1])
