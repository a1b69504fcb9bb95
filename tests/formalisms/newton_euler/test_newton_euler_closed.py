"""Closed loops by recursion: wrenches carried inward are derivatives, and what carries a loop has no part in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import closed_tree, cut_fixture, cut_tree
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.closed.motion import solve, solve_closed
from mbconcord.model import Coordinate, Holonomic, Nonholonomic, Point, PointCoincidence, Rod, State, System
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import TIME, ZERO, gradient, rate, sin, symbol, time_derivative
from mbconcord.validation.judge.bounds import BoundedEquations
from mbconcord.validation.judge.uncertainty import inputs

from ...reference.konoplev import CLOSURES, fourbar
from ..numbers import close, values
from ..rocker import ENDS, STATE, rocker
from ..test_cut_joints import JOINTS, cut_at

BY = NewtonEuler()
ROWS = {
    "rod": Rod("rod", *ENDS, 1.2),
    "point": PointCoincidence("point", *ENDS),
    "row": Holonomic("row", symbol("a") * sin(symbol("d") * TIME) + symbol("c") ** 2),
    "rates": Nonholonomic("rates", {"a": sin(symbol("b")), "c": TIME}, TIME * symbol("f")),
}


def native(system: System, state: State) -> dict[str, np.ndarray]:
    made = BY.derive_closed(system).native
    again = time_derivative(list(flatten(made["γ"])), system.coordinate_names)
    slopes = [gradient(x, [rate(name) for name in system.coordinate_names]) for x in flatten(made["γ"])]
    nested = {"D": made["D"], "γ̃": made["γ̃"], "d": tuple(again), "D of γ": tuple(map(tuple, slopes))}
    return {name: values(x, system, state) for name, x in nested.items()}


@pytest.mark.parametrize("name", ROWS)
def test_wrenches_carried_inward_are_derivatives_of_their_power(name: str) -> None:
    """D is the gradient of D q' + γ by q', which the outward pass makes; γ̃ is its time derivative at q'' = 0."""
    found = native(replace(rocker(), constraints=(ROWS[name],)), STATE)
    assert close(found["D"], found["D of γ"]) and close(found["γ̃"], found["d"])


@pytest.mark.slow
@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "moving"])
@pytest.mark.parametrize("name", ["weld", "revolute", "screwed the other way", "skew universal", "sphere in a slot"])
def test_and_so_are_those_of_cut_joints(name: str, moving: bool) -> None:
    """Of a state in which the cut is closed: only there directions fixed to one side are fixed to the other."""
    system, assembly = cut_at(JOINTS[name][0], moving)
    found = native(system, assembly.states[0])
    assert close(found["D"], found["D of γ"], 1e-12) and close(found["γ̃"], found["d"], 1e-9)


def carried(system: System) -> System:
    """The system on one more body that moves, and not on the fixed frame."""
    names = {"a": "s1", "b": "s2", "c": "s3"}
    first = rocker().bodies[0]
    joint = tuple(replace(et, motion=type(et.motion)(names[et.coordinate])) for et in first.joint)  # type: ignore
    bodies = [replace(b, parent=b.parent or "swing") for b in system.bodies]
    coordinates = (*system.coordinates, *map(Coordinate, names.values()))
    return replace(system, bodies=(replace(first, name="swing", joint=joint), *bodies), coordinates=coordinates)


def test_what_carries_a_loop_has_no_part_in_its_rows() -> None:
    """Zero in the graph, not to rounding: with the bodies on a moving carrier D and γ̃ are the same expressions."""
    cuts = (ROWS["rod"], ROWS["point"])
    alone = BY.derive_closed(replace(rocker(), constraints=cuts)).native
    within = BY.derive_closed(replace(carried(rocker()), constraints=cuts)).native
    assert [row[:6] for row in within["D"]] == [*alone["D"]] and within["γ̃"] == alone["γ̃"]  # type: ignore[index]
    assert {x for row in within["D"] for x in row[6:]} == {ZERO}  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize(
    "subject",
    [lambda: closed_tree(7), lambda: cut_tree(3), lambda: cut_fixture("slider_crank")],
    ids=["tree", "cut", "slide"],
)
def test_the_arrays_are_the_graph(subject: Any) -> None:
    """The same recursions on arrays over states and on nodes of the graph."""
    made = subject()
    own = BY.constrained_motion(made.system, made.states)
    graph = BoundedEquations(BY.derive_closed(made.system)).evaluate(inputs(made.system, made.states))
    assert close(own.D, graph["D"].values) and close(own.rest, graph["γ̃"].values)
    for name, numbers in own.tree.quantities.items():
        assert close(numbers, graph[name].values)


def test_massless_bodies_that_the_rows_move() -> None:
    """M is singular, and the motion determined: rows have inertia in M + DᵀD."""
    M, D = np.diag([2.0, 0.0]), np.array([[1.0, -1.0]])
    found = solve(M, np.array([6.0, 0.0]), D, np.array([0.5]))
    assert (
        found is not None and found.acceleration == pytest.approx([3, 3.5]) and found.reactions == pytest.approx([0, 0])
    )
    assert solve(M, np.array([6.0, 0.0]), np.zeros((1, 2)), np.zeros(1)) is None


def test_rows_that_depend_on_each_other_are_named_with_those_that_share_their_load() -> None:
    rows = CLOSURES["rows"]
    system = fourbar(*rows, Holonomic("again", 2 * rows[1].expression))
    found = BY.constrained_motion(system, [State()])
    (finding,) = found.diagnostics
    assert finding.place == "constraints/again" and "rank is 2 of 3" in finding.message
    assert finding.message.endswith("open: y, again") and found.redundant == (("again",),)
    assert np.isfinite(found.multipliers[0]).tolist() == [True, False, False]
    (solution,) = solve_closed(system, [State()]).solutions
    assert solution is not None and found.D[0].T @ solution.multipliers == pytest.approx(found.reactions[0])
    half = solution.multipliers[2] / solution.multipliers[1]  # equal parts of rows of length one
    assert abs(half - 0.5) < 1e-12


def messages(system: System, state: State) -> list[str]:
    return [str(d) for d in BY.constrained_motion(system, [state]).diagnostics]


def test_states_that_break_constraints_are_named() -> None:
    system = fourbar(*CLOSURES["point"])
    assert all("repeats" in m or "zero" in m for m in messages(system, State()))
    assert any("velocities violate" in m for m in messages(system, State(v={"q1": 1.4})))
    assert any("coordinates violate" in m for m in messages(system, State(q={"q1": 0.75})))


def test_a_rod_without_a_line_is_refused() -> None:
    with pytest.raises(FormalismError, match="always coincide"):
        BY.derive_closed(fourbar(Rod("rod", Point(None), Point("link1"), 1)))


def test_constraints_stay_an_obstacle_of_the_open_tree() -> None:
    system = fourbar(*CLOSURES["rows"])
    assert [o.feature for o in BY.obstacles(system)] == ["holonomic_rows", "holonomic_rows"]
    assert [BY.constraint_obstacles(fourbar(*closed)) for closed in CLOSURES.values()] == [()] * 4
