"""Programs in parts: each result is made of what the parts hand over, and slots are used again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laboratory.bench.newton_euler import chain
from mbconcord.kernels.order import ORDERS, is_leaf
from mbconcord.kernels.split import LENGTH, SHORT, arrange, split_groups, split_program
from mbconcord.model.expressions import cos, number, sin, sqrt, symbol
from mbconcord.model.expressions.program import program

from .programs import equations, graphs, require_complete, robot, sums

a, b, c = map(symbol, "abc")


@settings(max_examples=25)
@given(graphs, st.integers(1, 9), st.sampled_from(sorted(ORDERS)))
def test_parts_of_random_programs(outputs, length, order):
    made = split_program(ORDERS[order](program(outputs)), length)
    require_complete(made)
    sizes = [len(part.places) for part in made.parts]
    assert all(length <= size <= length + 1 for size in sizes[:-1])
    done = [place for part in made.parts for place in part.places]
    assert done == [place for place, step in enumerate(made.program.steps) if not is_leaf(step)]


def test_a_slot_is_used_again_when_its_number_is_dead():
    """In parts of one: s and t cross, and u, for which a third slot is free; then v, in the slot of s or t."""
    made = split_program(sums("s=a+b t=a+c u=s+t v=u+a w=v+u"), 1)
    require_complete(made)
    assert [len(part.taken) for part in made.parts] == [0, 0, 2, 1, 2]
    assert [len(part.given) for part in made.parts] == [1, 1, 1, 1, 0]
    assert made.slots == 3


def test_what_stays_in_one_part_crosses_nothing():
    made = split_program(sums("s=a+b t=a+c u=s+t v=u+a w=v+u"), 5)
    assert len(made.parts) == 1 and made.slots == 0


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_sine_and_its_cosine_stay_together(length):
    made = split_program(ORDERS["program"](program([sin(a) * b + c, b * c, cos(a)])), length)
    require_complete(made)
    found = [{made.program.steps[place].node for place in part.places} for part in made.parts]
    assert any({sin(a), cos(a)} <= part for part in found)


def test_groups_of_ones_own():
    lines = program([sin(a) * b, cos(a) * c])
    groups = [[i for i, step in enumerate(lines.steps) if step.op == op] for op in ("fun", "mul")]
    made = split_groups(lines, groups)
    require_complete(made)
    assert made.slots == 2
    assert [len(part.results) for part in made.parts] == [0, 2]


def test_results_that_are_leaves_belong_to_no_part():
    made = arrange(program([a, number(2), a + b, sqrt(number(2)), a]))
    require_complete(made)
    assert [i for i, _ in made.leaves] == [0, 1, 3, 4]
    assert len(made.parts) == 1
    for outputs in ([], [a]):
        assert arrange(program(outputs)).parts == ()


def test_short_programs_are_one_part_and_long_ones_several():
    short = arrange(equations(robot("ur5"), "inverse_dynamics"))
    assert len(short.parts) == 1 and short.slots == 0 and len(short.parts[0].places) < SHORT
    long = arrange(equations(chain(30), "inverse_dynamics"))
    require_complete(long)
    assert len(long.parts) > 1
    assert all(len(part.places) <= LENGTH + 1 for part in long.parts)
