"""Projection: states put onto the constraints, by little, in the metric of M; and the algebra below it."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.formalisms import registry
from mbconcord.model import State
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.motion.arrays import FINE_RANK, RANK, Lengths, Metric, NoInertiaError, factorise
from mbconcord.simulation.motion.equations import MotionEquations
from mbconcord.simulation.motion.formulas import formulas
from mbconcord.simulation.motion.projection import Projection

from ..mechanisms import FIXTURES, fixture

FILES = (
    *FIXTURES,
    "native/chaplygin_sleigh.mbs.json",
    "native/universal_joint.mbs.json",
    "native/slider_crank.mbs.json",
)


@pytest.mark.parametrize("file", FILES)
def test_states_off_the_constraints_are_put_back(file: str) -> None:
    """By not more than they were off; what is admitted is not taken, and a second time nothing moves."""
    system = fixture(file)
    start = place_state(system, State())
    given = formulas(system, registry.formalism("lagrange"), {})
    equations = MotionEquations(system, given)
    projection = Projection(given, equations, start.auxiliary, start.reach, start.units)
    q, v = (np.array([x[n] for n in system.coordinate_names]) for x in (start.state.q, start.state.v))
    random = np.random.default_rng(0)
    off, fast = q + 1e-4 * start.units * random.uniform(-1, 1, len(q)), v + random.uniform(-1, 1, len(v))
    found = projection(0.0, off, fast, RANK)
    assert found.gap < 1e-14 and found.rate_gap < 1e-13
    assert found.moved < 1e-3
    again = projection(0.0, found.q, found.v, RANK)
    assert np.abs(again.q - found.q).max() <= 1e-14 and np.abs(again.v - found.v).max() < 1e-12
    _, B, _ = projection._reduce_rows(*projection.rows(0.0, found.q))
    L = equations.metric(0.0, found.q).L
    change = L.T @ (fast - found.v)
    admitted = L.T @ np.linalg.svd(B)[2][np.linalg.matrix_rank(B, tol=1e-9) :].T
    cosines = change @ admitted / np.linalg.norm(admitted, axis=0) / np.linalg.norm(change)
    assert np.abs(cosines).max(initial=0.0) < 1e-3


def test_the_least_answer_is_the_pseudoinverse() -> None:
    random = np.random.default_rng(1)
    rows = random.standard_normal((5, 7))
    rows[3] = rows[0] + 2 * rows[1]  # depends on others
    b = rows @ random.standard_normal(7)
    factor = factorise(rows.T.copy(), Lengths(), RANK)
    assert factor.rank == 4
    assert np.allclose(factor.least(b), np.linalg.pinv(rows) @ b, atol=1e-12)


def test_a_row_that_dies_is_seen_by_what_it_was() -> None:
    lengths, rows = Lengths(), np.eye(3, 4)
    assert factorise(rows.T.copy(), lengths, RANK).rank == 3
    rows[2] *= 1e-6
    assert factorise(rows.T.copy(), lengths, RANK).rank == 2
    assert factorise(rows.T.copy(), lengths, FINE_RANK).rank == 3
    assert factorise(rows.T.copy(), Lengths(), RANK).rank == 3  # measured by itself it looks sound


def test_rounding_is_no_row() -> None:
    rows = np.array([[1.0, 0, 0], [0, 1e-17, 0]])
    assert factorise(rows.T.copy(), Lengths(), FINE_RANK).rank == 1
    assert factorise(np.zeros((3, 2)), Lengths(), RANK).rank == 0


def test_the_metric() -> None:
    M = np.array([[2.0, 0.5], [0.5, 1.0]])
    metric = Metric.from_matrix(M)
    x = np.array([1.0, -3.0])
    assert np.allclose(metric.upper(metric.lower(M @ x)), x)
    for wrong in (np.diag([1.0, 0.0]), np.diag([1.0, -1.0]), np.full((2, 2), np.nan)):
        with pytest.raises(NoInertiaError):
            Metric.from_matrix(wrong)


def test_the_metric_where_a_formalism_solves_the_tree_itself() -> None:
    """M of a position where accelerations were evaluated last, without M, is computed."""
    system = fixture("urdf/arm.urdf")
    made = formulas(system, registry.formalism("newton_euler"), {})
    assert made.acceleration is not None
    equations = MotionEquations(system, made)
    q, v = np.linspace(-1, 1, len(system.coordinates)), np.ones(len(system.coordinates))
    equations.evaluate_at(0.0, q, v, RANK)
    L = equations.metric(0.0, q).L
    assert np.tril(L) @ np.tril(L).T == pytest.approx(equations.mass(0.0, q), rel=1e-12)
