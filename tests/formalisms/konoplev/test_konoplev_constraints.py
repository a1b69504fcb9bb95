"""Konoplev's constraints (4.6)-(4.8): rows are derivatives, cut joints are joints, a sleigh, what is said of rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.constraints.motion import generalized_reactions
from mbconcord.formalisms.konoplev.constraints.rows import constraint_rows
from mbconcord.formalisms.konoplev.vectors import Batch
from mbconcord.model import (
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    Nonholonomic,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import TIME, cos, sin, symbol, time_derivative

from ...reference.konoplev import CLOSURES, F1, components, fourbar
from ..numbers import values
from ..rocker import ENDS, STATE, rocker


@pytest.mark.parametrize("name", CLOSURES)
def test_rows_that_the_fourbar_does_not_need_are_warned_of(name):
    """Two rows close it; what it then does is in the reference table."""
    found = Konoplev().constrained_motion(fourbar(*CLOSURES[name]), [State()])
    assert all(d.severity == "warning" for d in found.diagnostics)
    assert len(found.diagnostics) == len(found.rows) - 2


@pytest.mark.parametrize("name", ["point", "revolute", "sphere"])
def test_reactions_by_the_structural_matrix(name):
    """(4.7): S_R R of the wrenches at the cut is Dᵀ λ."""
    model = fourbar(*CLOSURES[name])
    whole = Konoplev().aggregates(model, Batch(model, [State()]))
    rows = constraint_rows(whole)
    multipliers = np.array([[1.3, -0.7, 2.1, 0.4, -1.1][: len(rows)]])
    D = Konoplev().constrained_motion(model, [State()]).D[0]
    assert np.abs(generalized_reactions(whole, rows, multipliers)[0] - D.T @ multipliers[0]).max() < 1e-13


@pytest.mark.parametrize(
    "constraint",
    [
        Rod("rod", *ENDS, 1.2),
        PointCoincidence("point", *ENDS),
        Holonomic("row", symbol("a") * sin(symbol("d") * TIME) + symbol("c") ** 2),
        Nonholonomic("row", {"a": sin(symbol("b")), "c": TIME}, cos(TIME) * symbol("f")),
    ],
    ids=lambda c: type(c).__name__,
)
def test_rows_are_derivatives(constraint):
    """D q̇ + γ and D q̈ + γ̃ are the first and second time derivatives of the constraint, prescribed motion included."""
    model = replace(rocker(), constraints=(constraint,))
    native = Konoplev().derive_closed(model).native
    v = np.array([STATE.v[c] for c in model.coordinate_names])
    D, speed, rest = (values(native[key], model, STATE) for key in ("D", "γ", "γ̃"))
    again = time_derivative(list(flatten(native["γ"])), model.coordinate_names)
    resting = values(tuple(again), model, STATE)  # q̈ = 0
    assert np.abs(rest - resting).max() < 1e-13
    still = values(native["γ"], model, replace(STATE, v={}))
    assert np.abs(D @ v + still - speed).max() < 1e-13
    whole = Konoplev().aggregates(model, Batch(model, [STATE]))
    for i, row in enumerate(constraint_rows(whole)):
        if row.violation is not None:
            h = 1e-6
            ends = [_violation(model, i, sign * h) for sign in (1, -1)]
            assert abs((ends[0] - ends[1]) / (2 * h) - speed[i]) < 1e-8


def _violation(model: System, i: int, dt: float) -> float:
    q = {name: STATE.q[name] + dt * STATE.v[name] for name in STATE.q}
    whole = Konoplev().aggregates(model, Batch(model, [State(STATE.t + dt, q, STATE.v)]))
    return float(np.squeeze(constraint_rows(whole)[i].violation))


CUTS: dict[str, tuple[tuple[Any, ...], int]] = {
    "weld": ((), 6),
    "revolute": ((rotation((1, 2, 2), "p"),), 5),
    "slide": ((translation("y", "p"),), 5),
    "cylinder": ((translation("z", "p"), rotation("z", "r")), 4),
    "sphere": ((rotation("x", "p"), rotation("y", "r"), rotation("z", "s")), 3),
}


@pytest.mark.parametrize("name", CUTS)
def test_cut_joint_is_the_joint_of_a_closed_tree(name):
    """A body that is carried by a joint moves as one that is free and held by the same joint, cut."""
    own, count = CUTS[name]
    base = Body("base", None, (rotation("y", "b"), translation("x", "a")), Inertia(2, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
    tip = Inertia(1, (0.2, -0.1, 0.1), (0.1, 0.2, 0.25, 0.01, -0.02, 0.03))
    before, after = ((*shift([0.3, 0.1, 0.2]), rotation("x", 0.4)), (*shift([-0.2, 0, 0.1]), rotation("z", 0.3)))
    g = Gravity(9.81, (0.1, -1, 0.2))
    names = [et.coordinate for et in own]
    values = dict(zip(["a", "b", *names], (0.4, 0.3, 0.5, -0.6, 0.7), strict=False))
    rates = dict(zip(["a", "b", *names], (0.7, -0.9, 0.8, 0.6, -1.1), strict=False))
    tree = System(
        "tree",
        tuple(map(Coordinate, ["a", "b", *names])),
        gravity=g,
        bodies=(base, Body("tip", "base", (*before, *own, *after), tip)),
    )
    state = State(q=values, v=rates)
    expected = Konoplev().evaluate(tree, [state]).quantities["acceleration"][0]
    free = (*(translation(x, f"s{x}") for x in "xyz"), *(rotation(x, f"t{x}") for x in "xyz"))
    cut = FrameCoincidence("cut", Frame("base", (*before, *own, *after)), Frame("tip"))
    closed = System(
        "closed",
        tuple(map(Coordinate, ["a", "b", *(et.coordinate for et in free)])),
        gravity=g,
        bodies=(base, Body("tip", None, free, tip)),
        constraints=(cut,),
    )
    found = Konoplev().constrained_motion(closed, [_free_state(tree, state)])
    assert found.rank[0] == count == len(found.rows)
    assert not found.diagnostics, [str(d) for d in found.diagnostics]
    assert np.abs(found.acceleration[0][:2] - expected[:2]).max() < 1e-9
    whole = Konoplev().aggregates(closed, Batch(closed, [_free_state(tree, state)]))
    rows = constraint_rows(whole)
    reactions = generalized_reactions(whole, rows, found.multipliers)
    assert np.abs(reactions - found.reactions).max() < 1e-9


def _free_state(tree: System, state: State) -> State:
    """Coordinates of a free body that is where the tip of the tree is: from its pose at two near instants."""

    def pose(dt: float) -> np.ndarray:
        q = {name: state.q[name] + dt * state.v[name] for name in state.q}
        whole = Konoplev().aggregates(tree, Batch(tree, [State(q=q)]))
        frame = whole.places.frame(whole.mechanism.numbers["tip"])
        c = np.array([[float(np.squeeze(x)) for x in row] for row in frame.c])
        o = [float(np.squeeze(x)) for x in frame.o]
        return np.array([*o, math.atan2(-c[1][2], c[2][2]), math.asin(c[0][2]), math.atan2(-c[0][1], c[0][0])])

    free = [f"{kind}{x}" for kind in "st" for x in "xyz"]
    here = pose(0.0)
    h = 1e-3
    steps = [pose(k * h) - pose(-k * h) for k in (1, 2, 3, 4)]
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    rate = sum(w * step for w, step in zip(weights, steps, strict=True)) / h
    return State(
        q={"a": state.q["a"], "b": state.q["b"], **dict(zip(free, here, strict=True))},
        v={"a": state.v["a"], "b": state.v["b"], **dict(zip(free, rate, strict=True))},
    )


def test_chaplygin_sleigh_with_a_drift():
    """Knife at the origin, mass centre c ahead of it, lateral rate -γ(t)."""
    m, J, c = 2.0, 0.3, 0.4
    joint = (translation("x", "x"), translation("y", "y"), rotation("z", "a"))
    body = Body("sleigh", None, joint, Inertia(m, (c, 0, 0), (0.1, 0.1, J)))
    a = symbol("a")
    knife = Nonholonomic("knife", {"x": -sin(a), "y": cos(a)}, 0.4 + 0.3 * sin(TIME))
    model = System("sleigh", tuple(map(Coordinate, ("x", "y", "a"))), bodies=(body,), constraints=(knife,))
    t, angle, u, w = 0.7, 0.6, 1.1, -0.8
    v, v_rate = -(0.4 + 0.3 * math.sin(t)), -0.3 * math.cos(t)
    C, S = math.cos(angle), math.sin(angle)
    state = State(t, {"a": angle}, {"x": u * C - v * S, "y": u * S + v * C, "a": w})
    w_rate = -m * c * (v_rate + u * w) / (J + m * c * c)
    u_rate = w * v + c * w * w
    force = m * (v_rate + u * w + c * w_rate)
    x = u_rate * C - v_rate * S - w * (u * S + v * C)
    y = u_rate * S + v_rate * C + w * (u * C - v * S)
    found = Konoplev().constrained_motion(model, [state])
    assert np.abs(found.acceleration[0] - [x, y, w_rate]).max() < 1e-13
    assert abs(found.multipliers[0][0] - force) < 1e-13
    assert not found.diagnostics


def test_redundant_rows_are_named_with_the_rank():
    model = fourbar(*CLOSURES["rows"], Holonomic("again", 2 * components(sin)))
    found = Konoplev().constrained_motion(model, [State()])
    assert np.abs(found.acceleration[0] - F1["qdd"]).max() < 1e-9
    (finding,) = found.diagnostics
    assert finding.place == "constraints/again"
    assert "row again depends" in finding.message and "rank is 2 of 3" in finding.message
    assert abs(found.multipliers[0][0] - F1["lam"][0]) < 1e-9  # not among those that depend on each other
    assert np.isnan(found.multipliers[0][1:]).all()


def test_inconsistent_states_are_named():
    model = fourbar(*CLOSURES["rows"])
    wrong = State(v={"q1": 1.4})
    messages = [str(d) for d in Konoplev().constrained_motion(model, [wrong]).diagnostics]
    assert any("constraints/y" in m and "velocities violate" in m for m in messages)
    assert not any("coordinates violate" in m for m in messages)
    apart = State(q={"q1": 0.75})
    messages = [str(d) for d in Konoplev().constrained_motion(model, [apart]).diagnostics]
    assert any("coordinates violate x" in m for m in messages)


def test_cut_joints_it_cannot_take():
    universal = (rotation("x", "p"), rotation("y", "r"))
    cut = FrameCoincidence("cut", Frame("link3", universal), Frame(None))
    with pytest.raises(FormalismError, match="constraints/cut"):
        Konoplev().constrained_motion(fourbar(cut), [State()])
    moving = FrameCoincidence("cut", Frame("link3", (translation("x", TIME),)), Frame(None))
    with pytest.raises(FormalismError, match="function of time"):
        Konoplev().constrained_motion(fourbar(moving), [State()])


def test_constraints_stay_an_obstacle_of_the_open_tree():
    model = fourbar(*CLOSURES["rows"])
    assert [o.feature for o in Konoplev().obstacles(model)] == ["holonomic_rows", "holonomic_rows"]
