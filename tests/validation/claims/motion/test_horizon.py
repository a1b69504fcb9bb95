"""Up to when a motion is evidence: measured growth, tolerances that hold, chaos that is cut."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.api.mechanism import Mechanism
from mbconcord.formalisms import registry
from mbconcord.model import State
from mbconcord.validation.check import check
from mbconcord.validation.witnesses import motion
from mbconcord.validation.witnesses.motion import Runner, count_known, factor_of, find_tolerances, growth

from ....simulation.linear.machines import oscillator
from .test_motions import PENDULUM, mbsd, told

LAGRANGE = registry.formalism("lagrange")


@pytest.mark.parametrize(
    ("apart", "factors"),
    [
        ([1, 2, 4], [1, 2, 4]), ([4, 2, 1], [1, 1, 1]), ([4, 1, 3, 2], [1, 1, 3, 3]),
        ([2, 1, 4, 1, 3], [1, 1, 4, 4, 4]),
        ([0, 0], [1, 1]), ([0, 1, 3], [1, 1, 3]), ([3, 1, 2, 0.5, 2], [1, 1, 2, 2, 4]),
    ],
)  # fmt: skip
def test_the_largest_growth_between_two_times(apart: list[float], factors: list[float]) -> None:
    assert factor_of(np.array(apart, dtype=float)).tolist() == factors


def test_growth_is_that_of_the_motion() -> None:
    """Of x'' = 9 x the factor e^{3t}, to the directions in which neighbours are; of an oscillator 5 at most: its ω."""
    from mbconcord.api.mechanism import Mechanism

    unstable = (
        Mechanism("u").body("b", mass=1, inertia=(0, 0, 0)).slides("x", along="x").effort("f", "x", "9*x").build()
    )
    for system, least, most in ((unstable, 0.1 * np.exp(3), 3.1 * np.exp(3)), (oscillator(2, 50, 0), 1.0, 25.0)):
        runner = Runner(system, 1.0, {})
        run = runner.run(LAGRANGE, State())
        found = growth(runner, LAGRANGE, State(), run, 0).factor
        assert least < found[-1] < most and found[0] == 1 and (np.diff(found) >= 0).all()


@pytest.mark.parametrize("start", [State(), State(q={"a": 2.0}, v={"b": 3.0})])
def test_errors_are_within_the_tolerance_and_not_far_within(start: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a motion of a hundredth of the tolerance."""
    system = mbsd(PENDULUM)
    runner = Runner(system, 0.6, {})
    coarse = runner.run(LAGRANGE, start)
    spread = growth(runner, LAGRANGE, start, coarse, 0)
    limit = find_tolerances([coarse], spread, len(coarse.t))
    monkeypatch.setattr(motion, "MOTION", 1e-13)
    fine = runner.run(LAGRANGE, start)
    error = (np.abs(coarse.y - fine.y) / (1 + np.abs(fine.y))).max(axis=1)
    assert (error <= limit).all() and (error > 1e-6 * limit)[1:].any()


@pytest.mark.slow
def test_chaos_is_cut_where_it_forgets() -> None:
    """A double pendulum let go high: neighbours part exponentially, and the evidence ends before."""
    by, notes, horizon = told(mbsd(PENDULUM), span=6.0, starts=[State(q={"a": 2.4, "b": 1.0})])
    assert 0.4 < horizon.reached < 6.0 and "neighbouring starts are" in horizon.reason
    assert horizon.words == f"in motion to {horizon.reached:.4g} s of 6 s" and horizon.tolerance <= 1e-5
    assert {c.verdict for cs in by.values() for c in cs} == {"agrees"}
    assert "neighbouring starts are" in notes[0]


def test_rows_that_are_known() -> None:
    assert count_known(np.array([1e-9, 1e-8, 1e-3, 1e-9])) == 2 and count_known(np.array([1e-9])) == 1
    assert count_known(np.array([np.nan])) == 0 and count_known(np.array([])) == 0


def test_a_run_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion, "STEPS", 60)
    _, _, horizon = told(mbsd(PENDULUM), span=5.0, starts=[State(v={"a": 3.0})])
    assert 0 < horizon.reached < 5.0 and "60 steps" in horizon.reason


def test_parameters_without_value_are_drawn_once() -> None:
    made = Mechanism("p").parameters(m=None, L=None).gravity(y=-9.81)
    system = made.body("b", mass="m", com=(0, "-L", 0), inertia=(0, 0, 0)).turns("a", about="z", start=0.3).build()
    evidence = check(system, formalisms=["lagrange", "newton_euler"], states=2, simulate=0.1)
    assert evidence.verdict == "agrees" and evidence.horizon is not None and evidence.horizon.reached == 0.1
