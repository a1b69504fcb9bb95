"""What counts as closed, as zero, as dependent and as regular: each limit between two values, written as numbers."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest

from mbconcord.model import Body, Coordinate, Holonomic, Inertia, NumbersError, State, System, translation
from mbconcord.model.expressions import apply, as_expression, symbol
from mbconcord.simulation import assembly, batch
from mbconcord.simulation.assembly import Assembly, assemble, pseudoinverse
from mbconcord.simulation.batch import LEAST, LEAST_OF_CUTS, RowsAtStates
from mbconcord.simulation.continuation import sample
from mbconcord.simulation.levenberg_marquardt import Weighted, solve
from mbconcord.simulation.rows import constraint_rows

from .mechanisms import pinned

X, Y, Z = map(symbol, "xyz")


def particle(*rows: object) -> System:
    """A particle in space, with rows f(x, y, z) = 0."""
    joint = tuple(translation(axis, axis) for axis in "xyz")
    constraints = tuple(Holonomic(f"row{i}", as_expression(row)) for i, row in enumerate(rows))  # type: ignore[arg-type]
    return System(
        "particle", tuple(map(Coordinate, "xyz")), bodies=(Body("p", None, joint, Inertia(1)),),
        constraints=constraints,
    )  # fmt: skip


#: ε of the rows x and x + ε y, of which the singular values are as 1 and ε/2; the rank, and whether it is clear.
SPECTRA = [
    (1e-12, 1, True), (4e-12, 1, False), (1e-9, 1, False), (4e-9, 2, False), (1e-4, 2, False), (4e-4, 2, True),
]  # fmt: skip


@pytest.mark.parametrize(("size", "rank", "regular"), SPECTRA)
def test_rows_that_almost_depend_on_each_other(size: float, rank: int, regular: bool) -> None:
    made = assemble(particle(X, X + as_expression(size) * Y), [State()])
    assert (made.rank.tolist(), made.regular.tolist()) == ([rank], [regular])


@pytest.mark.parametrize(("position", "regular"), [(5e6, True), (2e7, False)])
def test_a_row_of_which_rounding_is_all_there_is(position: float, regular: bool) -> None:
    """The row x - a has the slope 1/(1 + a) in its own units: above 1e-7 it is one."""
    made = assemble(particle(X - as_expression(position)), [State(q={"x": position})])
    assert made.is_closed.all() and made.regular.tolist() == [regular]


@pytest.mark.parametrize(("small", "kept"), [(0.9e-9, 0.0), (1.1e-9, 1 / 1.1e-9)])
def test_singular_values_that_count_in_rates(small: float, kept: float) -> None:
    found = pseudoinverse(np.array([[[1.0, 0.0], [0.0, small]]]))
    assert found[0] == pytest.approx(np.diag([1.0, kept]))


def test_gaps_that_are_closed() -> None:
    gaps, no = np.array([0.9e-12, 1.1e-12, 0.0, 0.0]), np.zeros(4)
    made = Assembly((), (), gaps, np.array([0.0, 0.0, 0.9e-12, 1.1e-12]), no, no, 1)
    assert made.is_closed.tolist() == [True, False, True, False]


@pytest.mark.parametrize(("ulps", "moved"), [(2, False), (6, True)])
def test_a_gap_of_rounding_is_left_alone(ulps: int, moved: bool) -> None:
    """Of the row x - 1, made of 2, at so many units in the last place of 1."""
    start = 1 + ulps * 2.0**-52
    (found,) = assemble(particle(X - 1), [State(q={"x": start})]).states
    assert (found.q["x"] != start) is moved


@pytest.mark.parametrize(("rate", "kept"), [(1e-15, 0.0), (3e-15, 3e-15)])
def test_rates_that_rounding_has_left_of_zero(rate: float, kept: float) -> None:
    (found,) = assemble(particle(Z), [State(v={"x": 1.0, "y": rate})]).states
    assert found.v == {"x": 1.0, "y": kept, "z": 0.0}


def stepped(system: System, start: float, steps: int = 1) -> float:
    """x after so many steps."""
    rows = RowsAtStates(constraint_rows(system), system, [State(q={"x": start})])
    return float(solve(rows, rows.q, np.ones_like(rows.q), steps=steps)[0, 0])


def test_no_step_is_longer_than_one() -> None:
    assert stepped(particle(X), 100.0) == 99.0


def test_the_first_step_is_damped_by_a_tenth_of_the_gap() -> None:
    """The row x is made of 1 + x: a gap of 0.1/1.1 leaves 1 - 1/(1 + 0.1 · 0.1/1.1) of x."""
    assert stepped(particle(X), 0.1) == pytest.approx(9.00900900900901e-4, rel=1e-9)


def test_rows_that_depend_on_each_other_are_solved_without_loss() -> None:
    twice = Weighted(np.array([[1e-8, 1e-8]]), np.array([[[1.0, 0.0], [1.0, 0.0]]]))
    assert twice.step(np.zeros(1)) == pytest.approx(np.array([[-1e-8, 0.0]]), rel=1e-12)


def test_what_always_stays_of_the_damping() -> None:
    """Without a gap a step is short by 1e-14 of itself."""
    one = Weighted(np.array([[1.0]]), np.array([[[1.0]]]))
    left = 1.0 + float(one.step(np.zeros(1))[0, 0])
    assert 0.9e-14 < left < 1.1e-14


def test_a_row_that_closes_slowly_has_a_hundred_steps() -> None:
    """Every step takes a tenth of what is left of x¹⁰: after the hundredth there is more to take."""
    system = particle(X**10)
    ends = [stepped(system, 1.0, steps) for steps in (99, 100, 101)]
    rows = RowsAtStates(constraint_rows(system), system, [State(q={"x": 1.0})])
    assert len(set(ends)) == 3 and ends[1] == solve(rows, rows.q, np.ones_like(rows.q))[0, 0]


def test_what_cannot_be_closed_is_kicked_twelve_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """By half a radian, or half the reach of the mechanism, times normal numbers."""
    starts: list[float] = []

    def watched(rows: RowsAtStates, q: np.ndarray, *more: object) -> np.ndarray:
        starts.append(float(q[0, 0]))
        return q

    monkeypatch.setattr(assembly, "solve", watched)
    assert not assemble(particle(X * X + 1), [State()]).is_closed.any()
    dice = Random(0)
    thrown = [0.5 * dice.gauss(0.0, 1.0) for _ in range(3 * 12)]  # x, y and z of every kick
    assert starts == pytest.approx([0.0, *itertools.accumulate(thrown[::3])])


@pytest.mark.parametrize(("width", "regular"), [(0.04, False), (0.1, True)])
def test_how_far_rows_that_depend_on_each_other_are_looked_around_for(width: float, regular: bool) -> None:
    """Two rows that are one where y is within the width: the one place tried is aside by 0.05 times -1.4, in y."""
    beyond = Y * Y - as_expression(width) ** 2
    made = assemble(particle(X, X + beyond + apply("abs", beyond)), [State()])
    assert made.rank.tolist() == [1] and made.regular.tolist() == [regular]


def test_a_search_that_cannot_end_is_refused_before_it_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search takes fewer positions than these: a cut joint's own coordinates are searched first."""
    for system, least in ((particle(X * Y - 1), LEAST), (pinned(0.0), LEAST + LEAST_OF_CUTS)):
        spent: list[int] = []
        monkeypatch.setattr(RowsAtStates, "_require", lambda rows, left, spent=spent: spent.append(left))
        assert sample(system, [State()] * 3, 0, 10**9).is_closed.all()
        before, *after = spent
        monkeypatch.undo()
        assert len(after) >= least and after[0] > after[-1] > 0
        assert after[least - 1] >= before
        monkeypatch.setattr(batch, "compile_numpy", None)
        with pytest.raises(NumbersError, match="takes too long"):
            sample(system, [State()] * 3, 0, 10**9 - before - 1)
        monkeypatch.undo()
