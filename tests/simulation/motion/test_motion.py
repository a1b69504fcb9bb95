"""Motions that are known: closed forms, published numbers, the same motion by other formalisms and integrators."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laboratory.machines import four_bars, upright
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model import State, System
from mbconcord.model.coordinate import Motion
from mbconcord.model.expressions import as_expression
from mbconcord.simulation.continuation import sample
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.motion.arrays import RANK
from mbconcord.simulation.motion.equations import MotionEquations
from mbconcord.simulation.motion.formulas import formulas

from ..mechanisms import FIXTURES, fixture
from .runs import PENDULUM, TURNS_BACK, crank_angle, go, in_line, mbsd

#: Its position at times, exact (elliptic functions).
PENDULUM_AT = {
    1.0: (0.986291751131875, -0.165010853125541), 5.0: (-0.942305435043757, -0.334754338414001),
    10.0: (-0.275087462576117, -0.961419205099125),
}  # fmt: skip
TREES = ("mbsd/double_pendulum.mbsd", "mbsd/moving_support.mbsd", "konoplev/gyrostat.mbs.json")
NATIVE = ("native/chaplygin_sleigh.mbs.json", "native/slider_crank.mbs.json")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "radau", "ida"])
def test_the_pendulum_is_where_it_is(method: str) -> None:
    """As tolerances are cut by a hundred so, nearly, are errors."""
    if method == "ida":
        pytest.importorskip("sksundae", reason="scikit-sundae, of the extra [sim], is not installed")
    limits = {"dop853": (1e-6, 2e-8), "radau": (1e-6, 1e-7), "ida": (1e-4, 3e-6)}[method]
    for tolerance, limit in zip((1e-7, 1e-9), limits, strict=True):
        found = go(mbsd(PENDULUM), 1.0, tolerance, method=method, step_out=0.25)
        assert np.abs(found.q[-1] - PENDULUM_AT[1.0]).max() < limit
        assert max(row.gap for row in found.found) < 1e-14 and max(row.rate_gap for row in found.found) < 1e-13
        assert max(abs(row.balance) for row in found.found) < 30 * limit


def test_to_the_last_digits() -> None:
    found = go(mbsd(PENDULUM), 10.0, 1e-12, step_out=1.0)
    for t, expected in PENDULUM_AT.items():
        (row,) = (row for row in found.found if row.t == t)
        assert np.abs(row.q - expected).max() < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [*FIXTURES, *TREES, "native/chaplygin_sleigh.mbs.json", "native/slider_crank.mbs.json"]
)
def test_accelerations_and_reactions_are_those_of_the_formalism(file: str) -> None:
    system = fixture(file)
    states = sample(system, [State(v=_rates(system, k)) for k in range(3)], 0).states
    for name in registry.names():
        by = registry.formalism(name)
        if by.constraint_obstacles(system) or name == "static_moments":
            continue
        equations = MotionEquations(system, formulas(system, by, {}))
        motion = by.constrained_motion(system, states) if system.constraints else None
        tree = None if motion else by.evaluate(system, states).quantities["acceleration"]
        for i, state in enumerate(states):
            q, v = (np.array([x[n] for n in system.coordinate_names]) for x in (state.q, state.v))
            found = equations.evaluate_at(state.t, q, v, RANK)
            expected = motion.acceleration[i] if motion else tree[i]
            assert np.abs(found.a - expected).max() < 1e-9 * (1 + np.abs(expected).max()), name
            if motion:
                size = 1 + np.abs(motion.reactions[i]).max()
                assert np.abs(found.reactions - motion.reactions[i]).max() < 1e-9 * size
                multipliers, other = equations.multipliers(state.t, q, v, RANK), motion.multipliers[i]
                assert (np.isnan(multipliers) == np.isnan(other)).all(), name  # what rows leave open is no number
                largest = 1 + np.abs(np.nan_to_num(other)).max()
                assert np.abs(np.nan_to_num(multipliers - other)).max() < 1e-9 * largest


def test_a_rod_without_mass_moves_by_its_rows() -> None:
    """M is singular, M + σ DᵀD is not, and with it D q'' = -γ̃ holds its part: rates make the rod turn faster."""
    system = mbsd(
        "z(a)°30 i1 $1 [0,0,0.1] #crank > z(b)°-60 i2 $0 #rod \\ u(s)°2.6 $1 #slider \\ #rod z(p) = < #slider"
    )
    at = place_state(system, State(v={"a": 3.0})).state
    q, v = (np.array([x[n] for n in system.coordinate_names]) for x in (at.q, at.v))
    for name in ("lagrange", "virtual_work"):
        by = registry.formalism(name)
        equations = MotionEquations(system, formulas(system, by, {}))
        equations.require_inertia(0.0, q)
        assert equations.augmented
        motion = by.constrained_motion(system, [at])
        found = equations.evaluate_at(0.0, q, v, RANK)
        assert np.abs(motion.acceleration).max() > 1
        assert np.allclose(found.a, motion.acceleration[0], rtol=1e-9, atol=1e-9)
        assert np.allclose(found.reactions, motion.reactions[0], rtol=1e-9, atol=1e-9)


def test_through_positions_in_line() -> None:
    """Two four-bars pass a singular position twice: no branch is left, no step refused."""
    system, state = in_line(2)
    found = go(system, 1.6, 1e-9, state, step_out=0.4)
    assert found.stopped is None and not found.diagnostics
    assert abs(found.q[-1, 0] - crank_angle(2, 1.0, 1.6)) < 1e-7
    assert max(row.gap for row in found.found) < 1e-12 and max(row.rate_gap for row in found.found) < 1e-10
    assert max(abs(row.balance) for row in found.found) < 1e-6


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-12])
def test_neighbours_pass_too(tolerance: float) -> None:
    for speed in np.linspace(0.98, 1.02, 3):
        system, state = in_line(2, float(speed))
        found = go(system, 10.0, tolerance, state, step_out=10.0)
        assert found.stopped is None
        assert abs(found.q[-1, 0] - crank_angle(2, float(speed), 10.0)) < max(1e-7, 1e4 * tolerance)


def test_formalisms_move_alike() -> None:
    system = fixture("um/four_bar/input.dat")
    able = [n for n in registry.names() if not registry.formalism(n).constraint_obstacles(system)]
    ends = [go(system, 0.3, 1e-10, by=name, step_out=0.3).q[-1] for name in able]
    assert len(able) >= 3
    for end in ends[1:]:
        assert np.abs(end - ends[0]).max() < 1e-9


@pytest.mark.parametrize("file", ["mbsd/moving_support.mbsd", "mbsd/springs.mbsd", "mbsd/patu655.mbsd"])
def test_energy_and_work_balance(file: str) -> None:
    """Prescribed motions, springs, dampers, rods: T, Π and the work of a formalism against its equations of motion."""
    system = fixture(file)
    for tolerance in (1e-6, 1e-8):
        found = go(system, 0.4, tolerance, step_out=0.1)
        size = max(abs(row.kinetic) + abs(row.potential) for row in found.found)
        assert max(abs(row.balance) for row in found.found) < 3e2 * tolerance * size
    assert any(row.work for row in found.found)


@pytest.mark.parametrize("file", ["native/quick_return.mbs.json", "native/universal_joint.mbs.json"])
def test_coordinates_of_cut_joints_go_with_a_step(file: str) -> None:
    """What closes has coordinates of its own: putting a step back must not move it along the constraints."""
    system = fixture(file)
    state = State(v=dict.fromkeys(system.coordinate_names[:1], 1.0))
    found = go(system, 0.3, 1e-9, state, step_out=0.1)
    size = max(abs(row.kinetic) + abs(row.potential) for row in found.found)
    assert max(abs(row.balance) for row in found.found) < 1e-7 * size
    assert size > 1e-3


@pytest.mark.parametrize("method", ["dop853", "ida"])
def test_an_imposed_acceleration_is_kept_and_its_effort_found(method: str) -> None:
    """A crank at rest gets 2 rad/s²; its effort is what the inverse dynamics of the same motion needs."""
    system = fixture("native/quick_return.mbs.json")
    driven = next(c.name for c in system.coordinates)
    coordinates = tuple(
        replace(c, drive=Motion(as_expression(2)) if c.name == driven else None) for c in system.coordinates
    )
    system = replace(system, coordinates=coordinates)
    if method == "ida":
        pytest.importorskip("sksundae", reason="scikit-sundae, of the extra [sim], is not installed")
    found = go(system, 0.5, 1e-10, step_out=0.1, method=method)
    assert not found.stopped
    within = {"dop853": 1e-9, "ida": 1e-6}[method]
    i = found.coordinates.index(driven)
    t = found.t
    q0, v0 = found.q[0, i], found.v[0, i]
    assert np.allclose(found.q[:, i], q0 + v0 * t + t**2, rtol=0, atol=within)
    assert np.allclose(found.a[:, i], 2.0, rtol=0, atol=1e-12)
    row = found.rows.index(f"drive of {driven}")
    effort = np.array([r.multipliers[row] for r in found.found])
    assert np.abs(effort).max() > 1e-3
    work = found.found[-1].work
    assert abs(work) > 1e-2 and max(abs(r.balance) for r in found.found) < 10 * within * abs(work)


def test_a_cart_that_turns_back_gives_an_impulse() -> None:
    """L Δa' = -Δx' cos a of a pendulum on a cart whose speed jumps by 2; on both sides the motion is smooth."""
    found = go(mbsd(TURNS_BACK), 2.0, 1e-11, step_out=0.5)
    (before,) = (row for row in found.found if row.t == 1.0 and not row.event)
    (after,) = (row for row in found.found if row.event == "impulse")
    assert after.t == pytest.approx(1.0, abs=1e-15) and after.q[0] == pytest.approx(before.q[0], abs=1e-14)
    assert after.v[0] - before.v[0] == pytest.approx(-2 * np.cos(before.q[0]), rel=1e-13)
    assert any("t = 1: its impulse" in d.message for d in found.diagnostics)
    assert max(abs(row.balance) for row in found.found) < 1e-9


def _rates(system: System, k: int) -> dict[str, float]:
    random = np.random.default_rng(k)
    return {name: float(random.uniform(-1, 1)) for name in system.coordinate_names}


@pytest.mark.slow
def test_the_machine_of_the_benchmark_is_its_fixture() -> None:
    """fixtures/reference and the chains that benchmarks and tests build move alike."""
    for name, n in (("four_bars_2", 2), ("four_bars_40", 40)):
        given = read(folder("reference") / f"{name}.json", "native").system
        built = four_bars(n)
        assert (given.bodies, given.constraints, given.gravity) == (built.bodies, built.constraints, built.gravity)
        rates = place_state(given, State()).state.v
        assert rates == pytest.approx(upright(n).v)
