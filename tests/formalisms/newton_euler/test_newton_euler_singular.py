"""Newton–Euler where coordinates have no inertia."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Gravity,
    Inertia,
    Parameter,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import symbol

from ..numbers import close, derived

NE = NewtonEuler()
ALL = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration")
DOWN = Gravity(9.81, (0, -1, 0))


def rod_and_lever(mass):
    """A lever of that mass that turns on the end of a heavy arm."""
    arm = Body("arm", None, (rotation("z", "a"), translation("x", Constant(1))), Inertia(2))
    lever = Body("lever", "arm", (rotation("y", "b"), translation("z", Constant(1))), Inertia(mass))
    return System("lever", (Coordinate("a"), Coordinate("b")), (Parameter("m", 0),), gravity=DOWN, bodies=(arm, lever))


@pytest.mark.parametrize("mass", [0, symbol("m"), symbol("m") - symbol("m") * 1])
@pytest.mark.parametrize("how", ["derived", "direct"])
def test_a_coordinate_without_inertia_is_named(mass, how):
    system = rod_and_lever(mass)
    state = State(q={"a": 0.3, "b": 0.4}, v={"a": 1.0, "b": 2.0})
    evaluation = NE.evaluate(system, [state]) if how == "direct" else evaluate_derivation(NE.derive(system), [state])
    assert np.isnan(evaluation.quantities["acceleration"]).all()
    (finding,) = evaluation.diagnostics
    assert finding.place == "coordinates/b"
    for name in ("M", "h", "gravity", "applied", "inverse_dynamics"):
        assert np.isfinite(evaluation.quantities[name]).all()
    assert close(evaluation.quantities["M"][0], [[2, 0], [0, 0]])


def test_only_states_without_inertia_are_without_acceleration():
    """A point mass on two arms cannot be moved along them where they are stretched."""
    joint = (rotation("z", "a"), translation("x", Constant(1)), rotation("z", "b"), translation("x", Constant(1)))
    system = System("two arms", (Coordinate("a"), Coordinate("b")), bodies=(Body("tip", None, joint, Inertia(1)),))
    states = [State(q={"a": 0.2, "b": b}, v={"a": 1}) for b in (0.0, 0.5)]
    for evaluation in (NE.evaluate(system, states), evaluate_derivation(NE.derive(system), states)):
        assert np.isnan(evaluation.quantities["acceleration"][0]).all()
        assert np.isfinite(evaluation.quantities["acceleration"][1]).all()
        assert len(evaluation.diagnostics) == 1


def test_massless_bodies_between_coordinates_are_no_obstacle():
    """A point mass carried by three massless slides in a turned frame falls freely."""
    slides = [
        Body(f"b{i}", f"b{i - 1}" if i else None, (rotation("xyz"[i], Constant(0.4)), translation("xyz"[i], f"u{i}")))
        for i in range(3)
    ]
    slides[2] = replace(slides[2], inertia=Inertia(3))
    system = System("free", tuple(Coordinate(f"u{i}") for i in range(3)), gravity=DOWN, bodies=tuple(slides))
    found = derived(NE, system, State())
    axes, turn = [], np.eye(3)
    c, s = math.cos(0.4), math.sin(0.4)
    steps = (
        [[1, 0, 0], [0, c, -s], [0, s, c]],
        [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    )  # fmt: skip
    for i, step in enumerate(steps):
        turn = turn @ np.array(step)
        axes.append(turn[:, i])
    assert close(np.array(axes).T @ found["acceleration"], [0, -9.81, 0])
