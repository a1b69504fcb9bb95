"""Accelerations of closed machines solved as formulas: those of linear algebra, which judges nearly singular states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.api.source import source
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model.constraint import Holonomic
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.simulation.motion import equations
from mbconcord.simulation.motion.arrays import FINE_RANK, RANK
from mbconcord.simulation.motion.formulas import formulas
from mbconcord.validation.judge.closed.closed_states import closed_states

FILES = ("mbsd/four_bar.mbsd", "mbsd/andrews.mbsd", "mbsd/patu655.mbsd", "native/chaplygin_sleigh.mbs.json")


def both(file, by="newton_euler"):
    """Return a system, its equations, and the same that linear algebra alone solves."""
    system = source(folder() / file).system
    made = formulas(system, registry.formalism(by), {})
    own, other = (equations.MotionEquations(system, made) for _ in range(2))
    other._solved = None
    return system, own, other


@pytest.mark.parametrize("by", ["newton_euler", "lagrange"])
@pytest.mark.parametrize("file", FILES)
def test_they_are_those_of_linear_algebra(file, by):
    system, own, other = both(file, by)
    for state in closed_states(system, 6, 1).states:
        x = [state.t, *state.q.values(), *state.v.values()]
        found, known = (each.evaluate(x, RANK) for each in (own, other))
        for name in ("a", "reactions", "applied"):
            size = np.abs(getattr(known, name)).max()
            assert np.abs(getattr(found, name) - getattr(known, name)).max() <= 1e-9 * size, name
        assert found.explicit == known.explicit and found.whole == known.whole
    assert own._solved is not None and own.highest == other.highest


@pytest.mark.parametrize("threshold", [RANK, FINE_RANK])
@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-6, 0.0])
def test_near_a_singular_position_linear_algebra_judges(distance, threshold):
    _, own, other = both("mbsd/four_bar.mbsd")
    assert own.evaluate([0.0, 1.0, 0.2, 0.3, 0.1, 0.1, 0.1], threshold).whole
    other.evaluate([0.0, 1.0, 0.2, 0.3, 0.1, 0.1, 0.1], threshold)
    x = [0.0, distance, -distance, distance, 1.0, -1.0, 1.0]
    found, known = (each.evaluate(x, threshold) for each in (own, other))
    assert found.whole == known.whole and np.array_equal(found.a, known.a) == (distance < 1e-2)
    assert np.allclose(found.a, known.a, rtol=1e-8)


def test_overconstrained_machines_are_left_to_linear_algebra():
    system, own, other = both("overconstrained/bricard.mbs.json")
    for state in closed_states(system, 3, 1).states:
        x = [state.t, *state.q.values(), *state.v.values()]
        assert np.array_equal(own.evaluate(x, RANK).a, other.evaluate(x, RANK).a)
    assert own._solved is None


@pytest.mark.parametrize(
    ("slope", "rows"), [(1.0, ("x - y", "2*x - 2*y")), (np.pi, ("pi*x - y", "x - y/pi")), (0.5, ("x - 2*y",) * 2)]
)
def test_constant_rows_that_depend_on_each_other_are_left_to_linear_algebra(slope, rows):
    """A divisor of such formulas is zero whatever the state; the bead slides down a straight wire."""
    bead = source(folder() / "native/bead_on_parabola.mbs.json").system
    constraints = tuple(Holonomic(f"wire {k}", parse_formula(x)) for k, x in enumerate(rows))
    system = replace(bead, constraints=constraints)
    own = equations.MotionEquations(system, formulas(system, registry.formalism("newton_euler"), {}))
    along = np.array([1.0, slope]) / np.hypot(1.0, slope)
    assert np.allclose(own.evaluate([0.0] * 5, RANK).a, -9.81 * along[1] * along, rtol=1e-12)


def test_the_time_of_an_integrator_may_be_a_number_of_numpy():
    bead = source(folder() / "native/bead_on_parabola.mbs.json").system
    wires = tuple(Holonomic(f"wire {k}", parse_formula(x)) for k, x in enumerate(("y - x*sin(t)", "y + x*t - 1")))
    made = formulas(replace(bead, constraints=wires), registry.formalism("newton_euler"), {})
    own = equations.MotionEquations(replace(bead, constraints=wires), made)
    known, found = (own.evaluate([t, 0.3, 0.2, 0.1, 0.1], RANK).a for t in (0.5, np.float64(0.5)))
    assert np.array_equal(known, found)
