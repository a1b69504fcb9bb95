"""Konoplev's aggregates: S, S', V, B and W of the vectors, and agreement with the other formalisms by every road."""

from __future__ import annotations

import numpy as np
import pytest

from laboratory.bench.konoplev import random_pairs
from mbconcord.formalisms import registry
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.canonical import nodes
from mbconcord.formalisms.konoplev.vectors import Batch, Symbolic
from mbconcord.model import State
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import scales

from ...reference.konoplev import OPEN, system, vector
from ...reference.table import differences
from ..numbers import close, values
from .konoplev_numbers import ROADS, at_once, by_graph, everything


@pytest.mark.parametrize("road", [road for road in ROADS if road != "native"])
@pytest.mark.parametrize("name", OPEN)
def test_every_road_gives_the_numbers_of_the_vectors(name, road):
    """As the formalism itself does in the reference table, by the graph and at once."""
    assert differences(Konoplev(**ROADS[road]), f"konoplev/{name}") == []


@pytest.mark.parametrize("name", OPEN)
def test_structural_matrix_twists_and_B_of_the_vectors(name):
    data = vector(name)
    model = system(data)
    native = Konoplev(axes="body").derive(model).native
    for ours, theirs in (("S", "S"), ("S'", "Sdot"), ("V", "V"), ("B", "B")):
        assert close(values(native[ours], model), data[theirs]), ours


def test_central_twist_and_W_of_the_paper_mechanism():
    data = vector("E1")
    model = system(data)
    native = Konoplev().derive(model).native
    printed = 5e-13  # these two to 13 digits
    assert close(values(native["V"], model)[12:], data["V3_central"], printed)
    assert close(values(native["W"], model), [0] * 12 + data["W3_central"], printed)


def test_disjoint_branches_have_blocks_of_structural_zeros():
    model = system(vector("R1"))
    M = Konoplev().derive(model).quantities["M"]
    zeros = {(i, k) for i, row in enumerate(M) for k, x in enumerate(row) if not x and i < k}
    branch_a, branch_b = {6, 7, 8, 11}, {9, 10}
    assert {(min(i, k), max(i, k)) for i in branch_a for k in branch_b} <= zeros


def test_every_kind_of_force_and_motion_as_by_lagrange():
    """Negative axes and prescribed motions too, in floats of the graph: to 1e-11 of the largest entry."""
    model, states = everything()
    found = by_graph(Konoplev(), model, states)
    expected = registry.formalism("lagrange").evaluate(model, states).quantities
    assert all(close(found[name], expected[name], 1e-11) for name in ("M", "h", "gravity", "applied"))


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(48))
def test_agreement_on_trees_of_his_pairs(seed):
    """Joints of 1, 2, 3 and 6 coordinates: 1e-12 of the scale by every road, with every other formalism."""
    model, states = random_pairs(seed)
    options = list(ROADS.values())[seed % len(ROADS)]
    sizes = scales(TreeKinematics(model, states))
    numbers = (at_once(Konoplev(**options), model, states), by_graph(Konoplev(**options), model, states))
    for name in ("lagrange", "newton_euler", "virtual_work"):
        theirs = registry.formalism(name).evaluate(model, states).quantities
        for quantity in ("M", "h", "gravity", "inverse_dynamics"):
            size = sizes.mass if quantity == "M" else sizes.rows[quantity]
            for ours in numbers:
                assert (np.abs(ours[quantity] - theirs[quantity]) <= 1e-12 * size).all(), (name, quantity)


def test_the_two_arithmetics_share_the_structural_zeros():
    model = system(vector("R1"))
    symbolic = Konoplev().aggregates(model, Symbolic())
    numeric = Konoplev().aggregates(model, Batch(model, [State()]))
    for a, b in zip(symbolic.bodies, numeric.bodies, strict=True):
        for row, other in zip(a.rows.values(), b.rows.values(), strict=True):
            for x, y in zip(row, other, strict=True):
                assert bool(nodes(x)) or y.__class__ is int or abs(float(np.squeeze(y))) < 1e-15
