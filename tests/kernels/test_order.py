"""Orders and predicted loads: the same numbers, counts by hand, and no choice of registers that loads less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbconcord.kernels.order import ORDERS, choose_order, is_leaf, loads
from mbconcord.model.expressions import cos, sin, symbol
from mbconcord.model.expressions.program import Program, program

from .programs import equations, graphs, numbers, robot, same_bits, sums

a, b, c = map(symbol, "abc")


def names(lines: Program) -> str:
    return " ".join(str(step.node) for step in lines.steps if not is_leaf(step))


def require_order(lines: Program) -> None:
    """Leaves first, operands before their users, sine and cosine of an angle side by side."""
    leaf = [is_leaf(step) for step in lines.steps]
    assert leaf == sorted(leaf, reverse=True)
    turning: dict[int, list[int]] = {}
    for place, step in enumerate(lines.steps):
        assert all(arg < place for arg in step.args)
        if step.node.data in ("sin", "cos") and not leaf[place]:
            turning.setdefault(step.args[0], []).append(place)
    assert all(places[-1] - places[0] == len(places) - 1 for places in turning.values())


@settings(max_examples=25)
@given(graphs, st.integers(0, 10**6))
def test_orders_keep_every_bit(outputs, seed):
    lines = program(outputs)
    expected = numbers(lines, seed)
    for order in ORDERS.values():
        found = order(lines)
        require_order(found)
        assert Counter(step.node for step in found.steps) == Counter(step.node for step in lines.steps)
        assert same_bits(numbers(found, seed), expected)


@pytest.mark.parametrize("order", ORDERS)
def test_a_sine_and_its_cosine_are_neighbours(order):
    found = ORDERS[order](program([sin(a) * b + c, sin(b), a * c, cos(a)]))
    require_order(found)
    assert {step.node for step in found.steps if step.op == "fun"} == {sin(a), sin(b), cos(a)}


def test_press_takes_what_frees_most_then_what_uses_the_newest():
    """First t, as it frees s; u and v free nothing, and v uses the newest."""
    lines = sums("s=a+b p=c+d t=s+a u=p+a v=t+b w=t+u x=v+w")
    assert names(ORDERS["program"](lines)) == "s p t u v w x"
    assert names(ORDERS["press"](lines)) == "s t v p u w x"


def test_of_equals_the_longest_chain_comes_first_in_pressh():
    lines = sums("s=a+b t=a+c u=t+a v=u+b w=s+v")
    assert names(ORDERS["press"](lines)) == "s t u v w"
    assert names(ORDERS["pressh"](lines)) == "t u v s w"


#: Sums, registers, the loads of operands.
BY_HAND = [
    ("s=a+b t=c+d u=s+t", 2, 0),
    ("s=a+b t=c+d u=a+d v=t+u w=s+v", 3, 0),
    ("s=a+b t=c+d u=a+d v=t+u w=s+v", 2, 1),  # s gives up its register to u
    ("s=a+b t=c+d u=a+c v=b+d w=s+t x=u+v y=w+x", 4, 0),
    ("s=a+b t=c+d u=a+c v=b+d w=s+t x=u+v y=w+x", 2, 4),  # t, u, v and then w
    ("s=a+b t=s+s u=t+s", 2, 0),
    ("s=a+b t=s+a u=s+b v=t+u", 2, 0),  # u takes the register of s
]


@pytest.mark.parametrize(("text", "registers", "expected"), BY_HAND)
def test_loads_by_hand(text, registers, expected):
    assert loads(sums(text), registers) == expected


@settings(max_examples=25, deadline=None)
@given(graphs, st.integers(2, 4))
def test_no_choice_of_registers_loads_less(outputs, registers):
    lines = program(outputs)
    assert loads(lines, registers) == fewest(lines, registers)


def fewest(lines: Program, registers: int) -> int:
    """The fewest loads of all choices of what stays in the registers, each tried."""
    steps = lines.steps
    work = [at for at, step in enumerate(steps) if not is_leaf(step)]
    operands = {at: frozenset(arg for arg in steps[at].args if not is_leaf(steps[arg])) for at in work}
    last = {arg: at for at in work for arg in operands[at]}

    @cache
    def rest(turn: int, held: frozenset[int]) -> int:
        if turn == len(work):
            return 0
        at = work[turn]
        used = operands[at]
        best = len(work) ** 2
        for kept in subsets(held - used, registers - len(used)):
            alive_ = frozenset(place for place in kept | used if last[place] > at)
            room = registers - (at in last)
            for stays in subsets(alive_, room):
                best = min(best, rest(turn + 1, stays | {at} if at in last else stays))
        return len(used - held) + best

    return rest(0, frozenset())


def subsets(of: frozenset[int], size: int) -> Iterator[frozenset[int]]:
    """The largest subsets of at most so many: to keep more is never worse."""
    return map(frozenset, combinations(sorted(of), min(size, len(of))))


@pytest.mark.slow
def test_the_best_order_of_a_walking_robot_is_predicted_far_better_than_its_own():
    lines = equations(robot("talos"), "inverse_dynamics")
    by_name = {name: loads(order(lines)) for name, order in ORDERS.items()}
    best, found = choose_order(lines)
    assert loads(found) == by_name[best] == min(by_name.values())
    assert by_name[best] < by_name["program"] / 2
