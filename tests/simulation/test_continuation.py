"""Random states on the constraints: regular where there are such, spread, and on the constraints by other rows too."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from mbconcord.model import Rod, State
from mbconcord.model.force import Point
from mbconcord.simulation.assembly import assemble
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.continuation import sample, walk
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.judge.closed.rows import find_satisfied
from mbconcord.validation.judge.states import draw

from .mechanisms import FIXTURES, fixture, four_bars, serial_four_bars, slider_crank

#: A system, how many states are asked, and a coordinate of which the sample covers at least a radian.
SAMPLED = {
    "2": (four_bars(2), 15, "a0"),
    "10": (four_bars(10), 15, "a0"),
    "40": (four_bars(40), 4, "a0"),
    "serial 10": (serial_four_bars(10), 15, "a0"),
    "slider-crank": (slider_crank(), 15, "a"),
    **{file: (fixture(file), 15, fixture(file).coordinate_names[0]) for file in FIXTURES},
}


@pytest.mark.parametrize("name", SAMPLED)
def test_all_states_asked_for_are_regular_closed_and_spread(name: str) -> None:
    system, count, coordinate = SAMPLED[name]
    starts = draw(system, count, 3).states
    made = sample(system, starts, 3)
    assert made.is_closed.all() and made.regular.all() and find_satisfied(system, made.extended).all()
    assert set(made.rank.tolist()) == {made.rank.max()}
    angles = np.array([s.q[coordinate] for s in made.states])
    assert np.ptp(angles) >= 1.0
    assert len({tuple(round(x, 6) for x in s.q.values()) for s in made.states}) == count
    assert [s.t for s in made.states] == [s.t for s in starts]
    assert [s.parameters for s in made.states] == [s.parameters for s in starts]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["10", "serial 10"])
def test_walks_spread_although_every_start_folds(name: str) -> None:
    """From far away a chain closes in line: without walks no state is regular, with them they turn a radian."""
    system, count, coordinate = SAMPLED[name]
    starts = draw(system, count, 3).states
    assert not assemble(system, starts).regular.any()
    (own,) = assemble(system, [State()]).states
    found = [s.q[coordinate] - own.q[coordinate] for s in sample(system, starts, 3).states]
    assert max(found) - min(found) >= 1.0 and max(map(abs, found)) <= 6.0 + 1e-9


def test_the_sample_depends_on_starts_and_seed_alone() -> None:
    system = four_bars(10)
    starts = draw(system, 4, 0).states
    one, again, other = (sample(system, starts, seed).states for seed in (1, 1, 2))
    assert one == again != other


def test_walks_stay_on_the_constraints_and_go_as_far_as_is_asked() -> None:
    system = four_bars(2)
    (own,) = assemble(system, [State()]).states
    at = RowsAtStates(constraint_rows(system), system, [own] * 6)
    ends = walk(at, at.q, Random(0))
    assert at.positions(ends).gaps.max() < 1e-15
    far = np.abs(ends - at.q).max(axis=1)
    assert (far > 0.05).all() and (far <= 6.0).all()


def test_coordinates_that_nothing_holds_keep_what_was_drawn() -> None:
    """A fourth rod on the last crank of a chain that has to be walked to is none of the loops'."""
    system = four_bars(10)
    free = replace(system, constraints=system.constraints[:-1])  # the last crank is no part of a loop
    starts = draw(free, 4, 0).states
    made = sample(free, starts, 0)
    assert made.regular.all()
    assert [s.q["a10"] for s in made.states] == [s.q["a10"] for s in starts]


def test_an_initial_position_off_the_constraints_is_assembled_first() -> None:
    """Cranks up and couplers askew: the walks begin where that closes."""
    system = four_bars(10)
    askew = tuple(replace(c, position=c.position + 0.3 * (i % 3 - 1)) for i, c in enumerate(system.coordinates))
    made = sample(replace(system, coordinates=askew), draw(system, 6, 0).states, 0)
    assert made.is_closed.all() and made.regular.all()


def test_a_singular_initial_position_is_left_by_kicks() -> None:
    system = four_bars(2)
    flat = tuple(replace(c, position=c.position * 0) for c in system.coordinates)
    folded = replace(system, coordinates=flat)
    made = sample(folded, [State()] * 3, 0)  # every start is the folded position itself
    assert made.is_closed.all() and made.regular.all()


def test_a_structure_is_where_it_is() -> None:
    """No motion is admitted: every state found is the one there is, with no rates."""
    base = slider_crank()
    brace = Rod("brace", Point("slider", (0, 0, 0)), Point(None, (0, 0, 0)), 0.35)
    made = sample(replace(base, constraints=(*base.constraints, brace)), draw(base, 5, 0).states, 0)
    assert made.is_closed.all() and made.rank.tolist() == [3] * 5
    assert {abs(round(s.q["s"], 12)) for s in made.states} == {0.35}
    assert {x for s in made.states for x in s.v.values()} == {0.0}


def test_what_cannot_close_is_open() -> None:
    base = slider_crank()
    far = Rod("far", Point("slider", (0, 0, 0)), Point(None, (0, 0, 0)), 3)
    made = sample(replace(base, constraints=(*base.constraints, far)), draw(base, 3, 0).states, 0)
    assert not made.is_closed.any()
