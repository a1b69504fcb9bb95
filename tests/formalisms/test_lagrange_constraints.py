"""Lagrange's equations with multipliers: rows are derivatives, cut joints are joints, and what it says of states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model import (
    Frame,
    FrameCoincidence,
    Holonomic,
    Nonholonomic,
    PointCoincidence,
    Rod,
    State,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import TIME, cos, sin, symbol, time_derivative

from ..reference.konoplev import CLOSURES, fourbar
from .numbers import values
from .rocker import ENDS, STATE, rocker

HOLONOMIC = [
    Rod("rod", *ENDS, 1.2),
    PointCoincidence("point", *ENDS),
    Holonomic("row", symbol("a") * sin(symbol("d") * TIME) + symbol("c") ** 2),
    FrameCoincidence(
        "cut",
        Frame("body1", (*shift([0.4, -0.2, 0.3]), rotation((1, 2, 2), "p"), rotation("x", 0.3))),
        Frame("body2", (translation("y", sin(TIME)), rotation("y", -0.4))),
    ),
]


@pytest.mark.parametrize("constraint", HOLONOMIC, ids=lambda c: c.name)
def test_rows_are_derivatives_of_the_constraint_functions(constraint: Any) -> None:
    """D = ∂f/∂q, D q' + γ = df/dt by differences, D q'' + γ̃ = d²f/dt², prescribed motion included."""
    system = replace(rocker(), constraints=(constraint,))
    native = Lagrange().derive_closed(system).native
    v = np.array([STATE.v[name] for name in system.coordinate_names])
    D, speed, rest = (values(native[key], system, STATE) for key in ("D", "γ", "γ̃"))
    again = time_derivative(list(flatten(native["γ"])), system.coordinate_names)
    assert np.abs(rest - values(tuple(again), system, STATE)).max() < 1e-13
    assert np.abs(D @ v + values(native["γ"], system, replace(STATE, v={})) - speed).max() < 1e-13
    h = 1e-6
    gaps = [position(system, replace(STATE, t=STATE.t + x, q=moved(STATE, x))) for x in (h, -h)]
    assert np.abs((gaps[0] - gaps[1]) / (2 * h) - speed).max() < 1e-8


def moved(state: State, dt: float) -> dict[str, float]:
    return {name: x + dt * state.v[name] for name, x in state.q.items()}


def position(system: Any, state: State) -> np.ndarray:
    from mbconcord.formalisms.lagrange.closure import closure

    return values(tuple(row.position for row in closure(system).rows), system, state)


def test_a_nonholonomic_row() -> None:
    row = Nonholonomic("row", {"a": sin(symbol("b")), "c": TIME}, cos(TIME) * symbol("f"))
    system = replace(rocker(), constraints=(row,))
    native = Lagrange().derive_closed(system).native
    (D,) = values(native["D"], system, STATE)
    assert np.abs(D - [np.sin(-0.5), 0, 0.4, 0, 0, 0]).max() < 1e-15
    expected = 0.7 * np.cos(-0.5) * 0.4 - 0.6 - np.sin(0.4) * 0.9 + np.cos(0.4) * -0.8
    assert values(native["γ̃"], system, STATE) == pytest.approx([expected])


def messages(system: Any, state: State) -> list[str]:
    return [str(d) for d in Lagrange().constrained_motion(system, [state]).diagnostics]


def test_states_that_break_constraints_are_named() -> None:
    system = fourbar(*CLOSURES["rows"])
    assert messages(system, State()) == []
    fast = messages(system, State(v={"q1": 1.4}))
    assert any("constraints/y" in m and "velocities violate" in m for m in fast)
    assert any("coordinates violate x" in m for m in messages(system, State(q={"q1": 0.75})))


def test_frames_that_face_the_opposite_way_are_named() -> None:
    """A revolute cut joint whose axes are opposite: every row is zero there."""
    tip = (*shift([0.7, 0, 0]), rotation("z", "p"))
    for turn, expected in ((0, []), (np.pi, ["angle 1", "angle 2"])):
        cut = FrameCoincidence("cut", Frame(None, tip), Frame("link1", (*shift([0.7, 0, 0]), rotation("x", turn))))
        said = [m for m in messages(fourbar(cut), State(q={"q1": 0.0}, v={})) if "opposite" in m]
        assert [any(name in m for m in said) for name in expected] == [True] * len(expected)
        assert len(said) == len(expected)


def test_redundant_rows_are_named_with_the_rank() -> None:
    rows = CLOSURES["rows"]
    system = fourbar(*rows, Holonomic("again", 2 * rows[1].expression))
    found = Lagrange().constrained_motion(system, [State()])
    (finding,) = found.diagnostics
    assert finding.place == "constraints/again" and "rank is 2 of 3" in finding.message
    assert found.redundant == (("again",),)
    assert np.isfinite(found.multipliers[0]).tolist() == [True, False, False]
    assert found.D[0].T @ np.nan_to_num(found.multipliers[0]) == pytest.approx(
        found.reactions[0] - found.D[0][1:].T @ least(found), abs=1e-9
    )


def least(found: Any) -> np.ndarray:
    """The multipliers of the two equal rows that share their reaction with the smallest forces."""
    rest = found.reactions[0] - found.D[0][0] * found.multipliers[0][0]
    return np.linalg.lstsq(found.D[0][1:].T, rest, rcond=1e-9)[0]


def test_masses_of_rods_are_on_the_bodies() -> None:
    rod = Rod("rod", *(CLOSURES["point"][0].first, CLOSURES["point"][0].second), 0.5, 3)
    system = fourbar(rod)
    tree = Lagrange().constrained_motion(system, [State()]).tree.quantities["M"]
    lumped = Lagrange().evaluate(system.open_loops(), [State()]).quantities["M"]
    bare = Lagrange().evaluate(replace(system, constraints=()), [State()]).quantities["M"]
    assert (tree == lumped).all() and (lumped - bare)[0][2, 2] > 0.1


def test_constraints_stay_an_obstacle_of_the_open_tree() -> None:
    system = fourbar(*CLOSURES["rows"])
    assert [o.feature for o in Lagrange().obstacles(system)] == ["holonomic_rows", "holonomic_rows"]
    assert [Lagrange().constraint_obstacles(fourbar(*closed)) for closed in CLOSURES.values()] == [()] * 4
