"""States and rows of a run on the constraints: what a projection says of itself, keeps, and leaves as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.formalisms import registry
from mbconcord.model import State, System
from mbconcord.model.constraint import Holonomic
from mbconcord.model.expressions import symbol
from mbconcord.simulation.keeping import Placed, place_state
from mbconcord.simulation.motion.arrays import FINE_RANK, RANK, Lengths, factorise, generate_arrays
from mbconcord.simulation.motion.equations import MotionEquations
from mbconcord.simulation.motion.formulas import formulas
from mbconcord.simulation.motion.projection import CLOSED, Projection, largest
from mbconcord.simulation.motion.stretch import Stretch

from ..mechanisms import FIXTURES, fixture
from .runs import LOCKS, PENDULUM, go, in_line, mbsd, parallelogram

FILES = (*FIXTURES, "native/chaplygin_sleigh.mbs.json", "native/quick_return.mbs.json")
#: A crank of 0.1 m that turns at 2 rad/s drives a slider by a rod of 0.3 m: its constraint moves.
DRIVEN = (
    "n(2 t) i0.1 $1 [0.01,0.01,0.01] #crank > z(b)°180 i0.3 $1 [0.01,0.01,0.01] #rod"
    " \\ u(s)°0.2 $1 [0.01,0.01,0.01] #slider ; g-y \\ #rod z(p) = < #slider"
)
LATER = 0.7


def started(system: System, t: float = 0.0) -> tuple[Projection, np.ndarray, np.ndarray]:
    """The projection of a system, and its assembled state at a time."""
    start = place_state(system, State(t))
    given = formulas(system, registry.formalism("lagrange"), {})
    projection = Projection(given, MotionEquations(system, given), start.auxiliary, start.reach, start.units)
    q, v = (np.array([x[n] for n in system.coordinate_names]) for x in (start.state.q, start.state.v))
    return projection, q, v


def sliding_sleigh() -> System:
    """Chaplygin's sleigh whose hull is also led along a line: a row of positions beside one of rates."""
    sleigh = fixture("native/chaplygin_sleigh.mbs.json")
    line = Holonomic("line", symbol("y") - symbol("x") / 2)
    return replace(sleigh, constraints=(*sleigh.constraints, line))


SYSTEMS = {file: lambda file=file: fixture(file) for file in FILES} | {
    "driven": lambda: mbsd(DRIVEN),
    "positions and rates": sliding_sleigh,
}


#: Rows of these restrict rates alone.
ALGEBRA = {"native/chaplygin_sleigh.mbs.json", "positions and rates"}


@pytest.mark.parametrize("name", SYSTEMS)
def test_gaps_are_what_a_projection_leaves(name: str) -> None:
    """Later than at the start, where constraints that move do move; off them the gaps are those of the rows."""
    system = SYSTEMS[name]()
    projection, q, v = started(system, LATER)
    random = np.random.default_rng(4)
    units = projection.units
    found = projection(LATER, q + 1e-3 * units * random.uniform(-1, 1, len(q)), v + 0.1 * units, RANK)
    assert found.gap <= CLOSED and found.rate_gap < 1e-13
    assert projection.gaps(LATER, found.q, found.v) == pytest.approx((found.gap, found.rate_gap), abs=1e-15)
    off = found.v + units * random.uniform(0.5, 1, len(q))
    f, D, flow = projection.rows(LATER, found.q)
    _, B, r = projection._reduce_rows(f, D, flow)
    gap, rate_gap = projection.gaps(LATER, found.q, off)
    assert gap <= CLOSED and rate_gap == pytest.approx(np.abs(B @ off + r).max(), rel=1e-12) and rate_gap > 1e-2
    assert projection.gaps(LATER, found.q + 1e-3 * units, found.v)[0] > 1e-5 or name.endswith("sleigh.mbs.json")


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_projection_never_makes_it_worse(name: str) -> None:
    """Of starts at rounding, where a correction may be larger than what it corrects, the better is kept."""
    projection, q, v = started(SYSTEMS[name](), LATER)
    q = projection(LATER, q, v, RANK).q
    p, random = projection.p.copy(), np.random.default_rng(5)
    for _ in range(20):
        near = q + 3e-14 * projection.units * random.uniform(-1, 1, len(q))
        projection.p = p.copy()
        before = largest(projection.rows(LATER, near)[0])
        found = projection(LATER, near, v, RANK)
        assert found.gap <= max(before, CLOSED)
        assert found.gap == largest(projection.rows(LATER, found.q)[0]), "p is that of the state that is given"


@pytest.mark.parametrize("name", SYSTEMS)
def test_corrections_by_formulas_are_those_of_linear_algebra(name: str) -> None:
    """Cut joints' own coordinates follow alike, and rates leave what the rows say of them."""
    (own, q, v), (other, *_) = (started(SYSTEMS[name](), LATER) for _ in range(2))
    other._solved, random = None, np.random.default_rng(6)
    for size in (1e-3, 1e-7, 1e-12):
        off = q + size * own.units * random.uniform(-1, 1, len(q)), v + own.units * random.uniform(-1, 1, len(q))
        found, known = (each(LATER, *off, RANK) for each in (own, other))
        near = 1e-12 + 10 * size**2  # M is that of the first position, or of each
        assert np.abs((found.q - known.q) / own.units).max() <= near and found.gap <= CLOSED
        assert np.abs((found.v - known.v) / own.units).max() <= 1e-12 + 10 * size
        assert own.p == pytest.approx(other.p, abs=near)
        f, D, flow = own.rows(LATER, found.q)
        _, B, r = own._reduce_rows(f, D, flow)
        assert np.abs(B @ found.v + r).max() <= 1e-13 and found.rate_gap <= 1e-13
        q = own(LATER, q, v, RANK).q
    assert (own._solved is None) == (name in ALGEBRA)


@pytest.mark.parametrize("threshold", [RANK, FINE_RANK])
def test_near_a_position_in_line_linear_algebra_corrects(threshold: float) -> None:
    system, start, upright, y = nearly_in_line()
    found = []
    for solved in (True, False):
        given = formulas(system, registry.formalism("lagrange"), {})
        projection = Projection(given, MotionEquations(system, given), start.auxiliary, start.reach, start.units)
        assert projection._solved is not None
        other = projection._solved if solved else None
        projection._solved = None
        projection(0.0, upright[:5] + 1e-3, upright[5:], RANK)
        projection._equations.evaluations, projection._solved = 1, other
        found.append(projection(0.0, y[:5], y[5:], threshold))
    assert found[0].gap == found[1].gap and np.array_equal(found[0].q, found[1].q)
    assert np.array_equal(found[0].v, found[1].v)


def test_what_it_moved_is_told_in_units_of_the_mechanism() -> None:
    """The same displacement of a mechanism a hundred times as large is a hundredth of it."""
    moved = []
    for scale in (1, 100):
        projection, q, v = started(mbsd(PENDULUM.replace("°-1", f"°-{scale}").replace(":(1,", f":({scale},")))
        moved.append(projection(0.0, q + np.array([0.1, 0.0]), v, RANK).moved)
    assert moved[0] > 0.01 and moved[1] == pytest.approx(moved[0] / 100, rel=0.2)


def test_what_is_no_number_is_no_small_gap() -> None:
    assert largest(np.array([1.0, np.nan])) == np.inf and largest(np.array([-3.0, 2.0])) == 3.0
    assert largest(np.zeros(0)) == 0.0


def nearly_in_line() -> tuple[System, Placed, np.ndarray, np.ndarray]:
    """Two four-bars: an upright position, one 1e-6 from that with all rods in line, and rates that break the loops."""
    system, state = in_line(2)
    start = place_state(system, state)
    upright = np.array([start.state.q[n] for n in system.coordinate_names])
    flat = dict.fromkeys(("a0", "a1", "a2"), 1e-6) | dict.fromkeys(("b0", "b1"), -1e-6)
    q = np.array([flat[n] for n in system.coordinate_names])
    return (system, start, np.concatenate([upright, 0 * upright]), np.concatenate([q, [1.0, 2.0, -0.5, 0.3, 0.7]]))


def test_rows_are_judged_by_the_threshold_that_is_passed() -> None:
    """In line the rows along the rods die: the coarse judgement leaves them out, the fine one does not."""
    system, start, upright, y = nearly_in_line()
    given = formulas(system, registry.formalism("lagrange"), {})
    projection = Projection(given, MotionEquations(system, given), start.auxiliary, start.reach, start.units)
    projection(0.0, upright[:5] + 1e-3, upright[5:], RANK)
    left = {}
    for threshold in (RANK, FINE_RANK):
        left[threshold] = projection(0.0, y[:5], y[5:], threshold).rate_gap
    assert left[FINE_RANK] < 1e-13 and left[RANK] > 1e-8


def test_pivots_are_compared_with_the_largest_that_there_is() -> None:
    """Where all rows are much shorter than they were, none depends on the others for that."""
    lengths, rows = Lengths(), np.eye(3, 4)
    assert factorise(rows.T.copy(), lengths, RANK).rank == 3
    assert factorise(1e-6 * rows.T, lengths, RANK).rank == 3


def test_arrays_of_generated_code_are_made_anew() -> None:
    """What is done with one does not change the next."""
    x = symbol("x")
    made = generate_arrays([np.array([x, 2 + 0 * x, x * x], dtype=object)], ["x"])
    first = made([3.0])[0]
    second = made([5.0])[0]
    assert first.tolist() == [3, 2, 9] and second.tolist() == [5, 2, 25]


# --- rows of the table ---------------------------------------------------------------------------------------


def test_rows_near_a_position_in_line_are_closed_by_what_dies_there_too() -> None:
    """And nothing of the integration is changed by writing a row down."""
    system, start, upright, y = nearly_in_line()
    stretch = Stretch(system, formulas(system, registry.formalism("lagrange"), {}), start, False, False)
    projection, equations = stretch.problem.projection, stretch.problem.equations
    projection(0.0, upright[:5] + 1e-3, upright[5:], RANK)
    equations.evaluate_at(0.0, upright[:5], upright[5:], RANK)
    p = projection.p
    row = stretch.row(0.0, y, 0.0)
    assert row.gap < 1e-12 and row.rate_gap < 1e-10
    assert stretch.problem.threshold == RANK and projection.p is p


def test_reactions_of_constraints_that_move_do_work() -> None:
    """The crank's drive gives and takes energy through the rod: without it the balance would miss all of this."""
    found = go(mbsd(DRIVEN), 1.5, 1e-11, step_out=0.05)
    work = np.array([row.work for row in found.found])
    assert np.ptp(work) > 0.01
    assert max(abs(row.balance) for row in found.found) < 1e-8


def test_a_run_between_positions_and_rates_stays_on_both() -> None:
    found = go(sliding_sleigh(), 1.0, 1e-10)
    x, y, _ = found.q.T
    assert np.abs(y - x / 2).max() < 1e-12
    heading = found.q[:, 2]
    slip = -np.sin(heading) * found.v[:, 0] + np.cos(heading) * found.v[:, 1]
    assert np.abs(slip).max() < 1e-10


def test_a_row_is_not_moved_far_by_what_dies() -> None:
    """With a base longer by 1e-9 the position in line is open by that; to close it all rods would have to turn."""
    system = parallelogram("1e-9")
    start = place_state(system, State())
    upright = np.array([start.state.q[n] for n in system.coordinate_names])
    stretch = Stretch(system, formulas(system, registry.formalism("lagrange"), {}), start, False, False)
    projection = stretch.problem.projection
    projection(0.0, upright + 1e-3, 0 * upright, RANK)
    projection.p = np.zeros(1)
    row = stretch.row(0.0, np.array([5e-5, -5e-5, 5e-5, 0.0, 0.0, 0.0]), 0.0)
    assert row.gap > 1e-10 and np.abs(row.q - [5e-5, -5e-5, 5e-5]).max() < 1e-8


def test_a_row_leaves_the_auxiliary_coordinates_alone() -> None:
    system = fixture("native/quick_return.mbs.json")
    start = place_state(system, State())
    stretch = Stretch(system, formulas(system, registry.formalism("lagrange"), {}), start, False, False)
    y = np.array([start.state.q[n] + 1e-3 for n in system.coordinate_names] + list(start.state.v.values()))
    before = stretch.problem.projection.p
    assert stretch.row(0.0, y, 0.0).gap <= CLOSED and stretch.problem.projection.p is before


def test_of_what_cannot_be_closed_the_nearest_is_given() -> None:
    """A crank longer than its rod, turned further than it can go."""
    projection, q, v = started(mbsd(LOCKS), 0.3)
    for t in (0.37, 0.4, 0.5, 0.6):
        before = projection.p.copy(), largest(projection.rows(t, q)[0])
        found = projection(t, q, v, RANK)
        assert CLOSED < found.gap <= before[1]
        assert found.gap == largest(projection.rows(t, found.q)[0])
        projection.p = before[0]
