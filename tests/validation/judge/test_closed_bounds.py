"""Bounds of motions with constraints: witnesses within them, exact solutions within them, rank without a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import mpmath
import numpy as np
import pytest

from laboratory.faults.models import closed_linkage, closed_tree, cut_tree
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import Derivation
from mbconcord.validation.judge.bounds import evaluate_bounded
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.solutions import Bounded, BoundedMotion, bounded_motion
from mbconcord.validation.judge.states import ClosedStates
from mbconcord.validation.judge.uncertainty import inputs

WITNESSES = ("lagrange", "virtual_work", "konoplev")
FIXTURES = (
    "konoplev/four_bar.mbs.json", "mbsd/four_bar.mbsd", "um/four_bar/input.dat", "mbsd/patu655.mbsd",
)  # fmt: skip
RANDOM = [
    (make, seed) for make, count in ((closed_tree, 12), (cut_tree, 8), (closed_linkage, 4)) for seed in range(count)
]
CONTEXT = mpmath.MPContext()
CONTEXT.dps = 60


def quantities(name: str, closed: ClosedStates) -> dict[str, Bounded]:
    made: Derivation = formalism(name).derive_closed(closed.system)  # type: ignore[attr-defined]
    return evaluate_bounded(made, inputs(closed.system, closed.states))


def motions(closed: ClosedStates) -> dict[str, BoundedMotion]:
    takers = [name for name in WITNESSES if not formalism(name).constraint_obstacles(closed.system)]
    return {name: bounded_motion(quantities(name, closed)) for name in takers}


def fixture(file: str) -> ClosedStates:
    return closed_states(read(folder() / file).system, 3, 1)


def gap(a: Bounded, b: Bounded) -> np.ndarray:
    difference, room = np.abs(a.values - b.values), a.bounds + b.bounds
    return np.where(difference == 0, 0.0, difference / np.where(room > 0, room, np.finfo(float).tiny))


def require_agreement(closed: ClosedStates) -> None:
    found = motions(closed)
    assert found
    for name, motion in found.items():
        own = formalism(name).constrained_motion(closed.system, closed.states)
        assert own is not None
        assert motion.clear.all() and motion.acceleration.has_bound.all() and motion.reactions.has_bound.all()
        assert (motion.rank == own.rank).all()
        for found_here, values in ((motion.acceleration, own.acceleration), (motion.reactions, own.reactions)):
            algorithm = 1e-12 * np.abs(values).max(initial=0.0)  # the formalism solves in a way of its own
            assert (np.abs(found_here.values - values) <= found_here.bounds + algorithm).all()
    for a, b in combinations(found.values(), 2):
        assert gap(a.acceleration, b.acceleration).max(initial=0.0) <= 1
        assert gap(a.reactions, b.reactions).max(initial=0.0) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("file", FIXTURES)
def test_witnesses_of_fixtures_lie_within_the_sum_of_their_bounds(file: str) -> None:
    require_agreement(fixture(file))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("make", "seed"), RANDOM)
def test_witnesses_of_random_models_lie_within_the_sum_of_their_bounds(make, seed) -> None:  # type: ignore[no-untyped-def]
    require_agreement(make(seed))


@pytest.mark.slow
def test_bounds_leave_digits() -> None:
    found = [motion.acceleration for file in FIXTURES for motion in motions(fixture(file)).values()]
    sizes = [(q.bounds / np.abs(q.values)).ravel() for q in found]
    assert np.median(np.concatenate(sizes)) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("file", FIXTURES)
def test_the_exact_solution_of_the_float_equations_lies_within(file: str) -> None:
    """Of M, F and independent rows as they are, in 60 digits."""
    closed = fixture(file)
    for name, motion in motions(closed).items():
        q = quantities(name, closed)
        for s in range(len(closed.states)):
            D, rest = _independent(q["D"].values[s], q["γ̃"].values[s], int(motion.rank[s]))
            right = q["gravity"].values[s] + q["applied"].values[s] - q["h"].values[s]
            K = np.block([[q["M"].values[s], -D.T], [D, np.zeros((len(D), len(D)))]])
            x = CONTEXT.lu_solve(CONTEXT.matrix(K.tolist()), CONTEXT.matrix([*right, *-rest]))
            n = len(right)
            true = np.array([float(v) for v in x])
            assert (np.abs(true[:n] - motion.acceleration.values[s]) <= motion.acceleration.bounds[s]).all()
            reactions = D.T @ true[n:]
            assert (np.abs(reactions - motion.reactions.values[s]) <= 1.1 * motion.reactions.bounds[s]).all()


def _independent(D: np.ndarray, rest: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """The first rows that are, by singular values."""
    kept: list[int] = []
    for i in range(len(D)):
        if len(kept) < rank and np.linalg.matrix_rank(D[[*kept, i]], tol=1e-8) == len(kept) + 1:
            kept.append(i)
    return D[kept], rest[kept]


# --- rank ------------------------------------------------------------------------------------------------------


def system(D: object, rest: object, error: float = 1e-15, mass: object = None) -> Mapping[str, Bounded]:
    """A unit mass in each direction, pushed by (1, 2, 3), with rows."""
    rows = np.array(D, dtype=float).reshape(-1, 3)

    def of(values: object) -> Bounded:
        array = np.array(values, dtype=float)[None]
        return Bounded(array, error * np.abs(array))

    zero = np.zeros(3)
    inertia = np.eye(3) if mass is None else mass
    return {
        "M": of(inertia), "gravity": of([1, 2, 3]), "applied": of(zero), "h": of(zero),
        "D": of(rows), "γ̃": of(np.array(rest, dtype=float)),
    }  # fmt: skip


def test_rows_that_are_the_same_are_one() -> None:
    found = bounded_motion(system([[1, 0, 0], [2, 0, 0], [0, 1, 0]], [0.5, 1.0, 0]))
    assert found.rank.tolist() == [2] and found.clear.all()
    assert found.acceleration.values[0] == pytest.approx([-0.5, 0, 3])
    assert found.reactions.values[0] == pytest.approx([-1.5, -2, 0])
    assert (found.acceleration.bounds < 1e-13).all()


@pytest.mark.parametrize("apart", [1e-3, 1e-8, 1e-12])
def test_rows_that_are_nearly_the_same_are_two_until_rounding(apart: float) -> None:
    """No threshold: they are two as long as the solution has a bound, which grows as they come together."""
    found = bounded_motion(system([[1, 0, 0], [1, apart, 0]], [0, 0]))
    assert found.rank.tolist() == [2] and found.clear.all()
    assert np.abs(found.acceleration.values[0, 1]) <= found.acceleration.bounds[0, 1] < 100 * 1e-15 / apart


def test_rows_that_only_rounding_parts_are_one() -> None:
    found = bounded_motion(system([[1, 0, 0], [1, 1e-17, 0]], [0, 0], error=1e-15))
    assert found.rank.tolist() == [1] and found.clear.all()
    assert found.acceleration.values[0] == pytest.approx([0, 2, 3])


def test_more_rows_than_coordinates_are_of_their_rank() -> None:
    """Of six rows the fourth is what rounding leaves of it, at times more than an ulp."""
    for seed in range(80, 100):
        found = bounded_motion(system(np.random.default_rng(seed).standard_normal((6, 3)), np.zeros(6)))
        assert found.rank.tolist() == [3] and found.clear.all()
        assert (np.abs(found.acceleration.values) <= found.acceleration.bounds).all()


def test_rows_between_two_and_one_have_no_motion() -> None:
    """The direction across is larger than its bound, and too small for a solution."""
    wide = dict(system([[1, 0, 0], [1, 1e-12, 0]], [0, 0], error=0.0))
    wide["D"] = Bounded(wide["D"].values, np.array([[[0, 4e-13, 0], [0, 5e-13, 0]]]))
    found = bounded_motion(wide)
    assert not found.clear.any() and not found.acceleration.has_bound.any() and not found.reactions.has_bound.any()


def test_the_same_rows_that_want_different_accelerations_have_no_motion() -> None:
    found = bounded_motion(system([[1, 0, 0], [1, 0, 0]], [0, 1e-9]))
    assert not found.clear.any() and not found.acceleration.has_bound.any()


def test_a_row_of_rounding_is_none() -> None:
    rows = dict(system([[0, 1, 0], [0, 0, 0]], [0, 0]))
    rows["D"] = Bounded(rows["D"].values + 1e-17, np.full((1, 2, 3), 1e-16))
    found = bounded_motion(rows)
    assert found.rank.tolist() == [1] and found.clear.all()


def test_a_mass_matrix_may_be_singular_where_the_rows_hold() -> None:
    found = bounded_motion(system([[0, 0, 1]], [0], mass=np.diag([1.0, 1.0, 0.0])))
    assert found.clear.all() and found.acceleration.values[0] == pytest.approx([1, 2, 0])
    without = bounded_motion(system([[0, 1, 0]], [0], mass=np.diag([1.0, 1.0, 0.0])))
    assert not without.acceleration.has_bound.any()


def test_no_rows() -> None:
    found = bounded_motion(system(np.zeros((0, 3)), np.zeros(0)))
    assert found.rank.tolist() == [0] and found.acceleration.values[0] == pytest.approx([1, 2, 3])
    assert found.reactions.values.tolist() == [[0, 0, 0]]


def test_what_is_no_number_has_no_motion() -> None:
    broken = dict(system([[1, 0, 0]], [0]))
    broken["h"] = Bounded(np.full((1, 3), np.nan), np.full((1, 3), np.inf))
    assert not bounded_motion(broken).acceleration.has_bound.any()


# --- faults ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FIXTURES)
def test_a_fault_of_a_part_in_1e10_of_a_column_is_beyond_the_bounds(file: str) -> None:
    closed = fixture(file)
    right, wrong = quantities("lagrange", closed), quantities("konoplev", closed)
    D = wrong["D"]
    fault = 1 + 1e-10 * (np.abs(D.values) == np.abs(D.values).max())
    wrong["D"] = Bounded(D.values * fault.max(axis=(0, 1)), D.bounds)
    a, b = bounded_motion(right), bounded_motion(wrong)
    assert gap(a.acceleration, b.acceleration).max() > 1


def test_states_off_the_manifold_differ_beyond_the_bounds() -> None:
    """A loop that does not close by 1e-6: lagrange and konoplev take D and γ̃ from other points of it."""
    closed = fixture("mbsd/four_bar.mbsd")
    off = tuple(
        replace(s, q={name: x + 1e-6 * (i + 1) for i, (name, x) in enumerate(s.q.items())}) for s in closed.states
    )
    found = motions(replace(closed, states=off))
    a, b = found["lagrange"], found["konoplev"]
    apart = gap(a.acceleration, b.acceleration)
    assert not (apart <= 1).all() or not (a.clear & b.clear).all()


@pytest.mark.parametrize("seed", range(6))
def test_loops_apart_from_each_other_do_not_tear(seed: int) -> None:
    """Rows that repeat those of one loop, and another loop that moves: what combinations mix of it is no difference.

    D and γ̃ are exact zeros where a loop has no part; with rates of 1e-12 the first loop's γ̃ are known to 1e-24.
    """
    random = np.random.default_rng(seed)
    D, rest = np.zeros((7, 8)), np.zeros(7)
    D[:3, :4], D[3:5, 4:] = random.normal(size=(3, 4)), random.normal(size=(2, 4))
    D[5:, 4:] = random.normal(size=(2, 2)) @ D[3:5, 4:]
    rest[:3] = random.normal(size=3)
    still = Bounded(np.zeros((1, 8)), np.zeros((1, 8)))
    known = dict.fromkeys(("h", "gravity", "applied"), still)
    mass = Bounded(np.eye(8)[None], np.zeros((1, 8, 8)))
    tiny = np.where(rest == 0, 1e-24, 1e-15)
    rows = {"D": Bounded(D[None], 1e-15 * np.abs(D)[None]), "γ̃": Bounded(rest[None], tiny[None])}
    found = bounded_motion({"M": mass, **known, **rows})
    assert (found.rank[0], found.clear[0], found.torn[0]) == (5, True, False)
    apart = {**rows, "γ̃": Bounded(rest[None] + np.eye(7)[6] * 1e-12, tiny[None])}
    assert bounded_motion({"M": mass, **known, **apart}).torn[0]
