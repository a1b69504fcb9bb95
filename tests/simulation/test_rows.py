"""Constraint rows of the simulation: derivatives of their functions, and the rows of validation's own kinematics."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import closed_linkage, closed_tree, cut_tree
from mbconcord.model import (
    Body,
    Coordinate,
    FrameCoincidence,
    Holonomic,
    Parameter,
    PointCoincidence,
    State,
    System,
    rotation,
)
from mbconcord.model.expressions import TIME, evaluate, symbol
from mbconcord.model.force import Point
from mbconcord.model.numbers import Instance
from mbconcord.model.transformation import vector
from mbconcord.simulation.batch import Array, RowsAtStates
from mbconcord.simulation.poses import turn
from mbconcord.simulation.rows import constraint_rows, half_angles
from mbconcord.validation.judge.closed.rows import constraint_rows as own_rows
from mbconcord.validation.judge.closed.rows import rotation_vector
from mbconcord.validation.judge.states import ClosedStates

from .mechanisms import FIXTURES, fixture

MODELS = [(make, seed) for make in (closed_tree, cut_tree, closed_linkage) for seed in range(3)]


def rows_of(closed: ClosedStates) -> tuple[RowsAtStates, Array, Array]:
    """Rows at the states of a model, and its coordinates and rates with the auxiliary ones."""
    assert closed.assembly is not None
    at = RowsAtStates(constraint_rows(closed.system), closed.system, closed.states)
    names, states = at.rows.coordinates, closed.assembly.extended
    q, v = (
        np.array([[values[name] for name in names] for values in group])
        for group in zip(*((s.q, s.v) for s in states), strict=True)
    )
    return at, q, v


def later(at: RowsAtStates, closed: ClosedStates, dt: float) -> RowsAtStates:
    return RowsAtStates(at.rows, closed.system, [replace(s, t=s.t + dt) for s in closed.states])


def drifts(at: RowsAtStates, closed: ClosedStates, q: Array, v: Array) -> Array:
    """γ̃ (N, m)."""
    found = []
    for s, state in enumerate(closed.states):
        values = dict(Instance(closed.system, [state]).environments[0])
        for name, x, rate in zip(at.rows.coordinates, q[s], v[s], strict=True):
            values |= {name: float(x), f"{name}'": float(rate)}
        found.append(evaluate([row.rest for row in at.rows.rows], values))
    return np.array(found)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("make", "seed"), MODELS)
def test_rows_are_derivatives_of_their_functions(make: Any, seed: int) -> None:
    """D = ∂f/∂q and D q' + γ = df/dt where there is an f, and γ̃ = d(D q' + γ)/dt at q'' = 0, by differences."""
    closed = make(seed)
    at, q, v = rows_of(closed)
    h, with_f = 1e-6, [bool(row.position) for row in at.rows.rows]
    D = at.positions(q).D
    size = 1 + np.abs(D).max() * (1 + np.abs(v).max()) ** 2
    for j, step in enumerate(h * np.eye(at.k)):
        slope = (at.positions(q + step).f - at.positions(q - step).f) / (2 * h)
        assert np.abs(slope - D[:, :, j])[:, with_f].max(initial=0) < 1e-7 * size
    ahead, behind = later(at, closed, h), later(at, closed, -h)
    speed = (ahead.positions(q + h * v).f - behind.positions(q - h * v).f) / (2 * h)
    assert np.abs(speed - at.rates(q, v).speed)[:, with_f].max(initial=0) < 1e-7 * size
    rest = (ahead.rates(q + h * v, v).speed - behind.rates(q - h * v, v).speed) / (2 * h)
    drift = drifts(at, closed, q, v)
    assert np.abs(rest - drift).max() < 1e-7 * size * (1 + np.abs(drift).max())


@pytest.mark.slow
@pytest.mark.parametrize(("make", "seed"), MODELS)
def test_rows_are_those_of_validation_s_own_kinematics(make: Any, seed: int) -> None:
    """Two roads to one constraint; turns of cut joints are vectors of another length away from closure."""
    closed = make(seed)
    at, q, v = rows_of(closed)
    aside = any(isinstance(c, FrameCoincidence) for c in closed.system.constraints)
    q = q if aside else q + 0.1 * np.cos(np.arange(at.k))
    states = [
        replace(s, q=dict(zip(at.rows.coordinates, x, strict=True)), v=dict(zip(at.rows.coordinates, r, strict=True)))
        for s, x, r in zip(closed.states, q.tolist(), v.tolist(), strict=True)
    ]
    ours, rates, drift = at.positions(q), at.rates(q, v), drifts(at, closed, q, v)
    for s in range(len(states)):
        mine = np.column_stack([ours.D[s], rates.speed[s], drift[s], ours.f[s]])
        theirs = own_rows(closed.system, states[s : s + 1])
        other = np.column_stack([theirs.D[0], theirs.speed[0], theirs.rest[0], theirs.gap[0]])
        size = (1 + np.abs(v).max()) ** 2
        assert np.abs(projector(mine) - projector(other)).max() < 1e-7
        assert np.linalg.norm(mine) == pytest.approx(np.linalg.norm(other), rel=1e-9, abs=1e-12 * size)


def projector(rows: Array) -> Array:
    """Onto the space of the rows."""
    _, sizes, right = np.linalg.svd(rows)
    kept = right[: int((sizes > 1e-9 * max(1, sizes.max(initial=0))).sum())]
    return np.asarray(kept.T @ kept)


def test_rows_that_always_hold_are_left_out() -> None:
    """A planar loop has no row across its plane; an offset across it that nothing closes stays."""
    assert [len(constraint_rows(fixture(file)).rows) for file in FIXTURES] == [3, 2, 3, 2]
    high = System("high", (Coordinate("a"),), bodies=(Body("b", None, (rotation("z", "a"),)),), constraints=(
        PointCoincidence("c", Point("b", (0, 0, 1)), Point(None, (0, 0, 2))),
    ))  # fmt: skip
    (row,) = constraint_rows(high).rows
    assert evaluate([row.position], {}) == [-1]


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1), (0.6, 0, 0.8), (2 / 3, -1 / 3, 2 / 3)])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 2.0, 3.1, -2.5, pi - 1e-3])
def test_half_angles_vanish_for_no_turn_alone(axis: tuple[float, ...], angle: float) -> None:
    """2 sin(φ/2) n; the vector of R - Rᵀ would vanish for half a turn too."""
    turned = turn(vector(axis), symbol("φ"))
    R = [evaluate(row, {"φ": angle}) for row in turned]
    found = np.array(evaluate(half_angles(turned), {"φ": angle}))
    assert found == pytest.approx(2 * sin(angle / 2) * np.array(axis), abs=1e-9)
    assert rotation_vector(np.array([R]))[0] == pytest.approx(angle * np.array(axis), abs=1e-7)


def test_a_rotation_is_rodrigues() -> None:
    """A unit axis stays, a vector across it turns by the angle."""
    n, e, t = np.array([2, 3, 6]) / 7, np.array([3, -2, 0]) / np.sqrt(13), 0.7
    R = np.array([evaluate(row, {"φ": t}) for row in turn(vector(n), symbol("φ"))])
    assert R @ n == pytest.approx(n) and R @ e == pytest.approx(cos(t) * e + sin(t) * np.cross(n, e))


@pytest.mark.slow
def test_each_state_has_its_own_time_and_parameters() -> None:
    """f = q - p t at four times with four values of p, all together, in parts and alone."""
    driven = System(
        "driven", (Coordinate("q"),), (Parameter("p"),), bodies=(Body("b", None, (rotation("z", "q"),)),),
        constraints=(Holonomic("drive", symbol("q") - symbol("p") * TIME),),
    )  # fmt: skip
    states = [State(t, parameters={"p": p}) for t, p in ((0.5, 1.0), (1.0, 3.0), (2.0, -1.0), (4.0, 0.25))]
    at = RowsAtStates(constraint_rows(driven), driven, states)
    q, expected = np.ones((4, 1)), np.array([[0.5], [-2.0], [3.0], [0.0]])
    assert at.positions(q).f.tolist() == expected.tolist()
    assert at.rates(q, q).speed.tolist() == [[0.0], [-2.0], [2.0], [0.75]]
    some = np.array([3, 1])
    assert at.positions(q[:2], some).f.tolist() == expected[some].tolist()
    assert at.only(some).positions(q[:2]).f.tolist() == expected[some].tolist()
    assert at.only(some).only(np.array([1])).rates(q[:1], q[:1]).speed.tolist() == [[-2.0]]
