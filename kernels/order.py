"""The order of a program's operations: few numbers alive at once, so that registers hold them.

A compiler's own scheduler sees a window of a long program; what is far apart stays far apart. Here the whole program
is looked at. Three orders are tried, and the one in which registers are predicted to be refilled least is taken
(:mod:`.spills`): none is best for all models. An order changes no number: the same operations on the same operands.

In every order the leaves (numbers, symbols, and what is computed beforehand) come first, and the sine and the cosine
of an angle are neighbours, because a machine makes both at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from mbconcord.model.expressions.node import FUN
from mbconcord.model.expressions.program import Program, Step

from .spills import loads

#: Operations that are made together: one place, or those of a sine and a cosine.
Unit = tuple[int, ...]


def is_leaf(step: Step) -> bool:
    """Whether a step is a number, a symbol, or computed beforehand: no operation at run time."""
    return not step.args or step.node.constant


@dataclass(frozen=True)
class Units:
    """What is put in order.

    Attributes
    ----------
    members : places of the steps of each unit
    operands : places of the operations that each unit waits for
    users : place of an operation -> units that wait for it
    """

    members: Sequence[Unit]
    operands: Sequence[Sequence[int]]
    users: Mapping[int, Sequence[int]]


def units(lines: Program) -> Units:
    """The operations of a program, sine and cosine of an angle as one, in the order of their first."""
    steps = lines.steps
    partners: dict[int, list[int]] = {}
    for place, step in enumerate(steps):
        if step.op is FUN and step.node.data in ("sin", "cos") and not is_leaf(step):
            partners.setdefault(step.args[0], []).append(place)
    members: list[Unit] = []
    operands: list[list[int]] = []
    users: dict[int, list[int]] = {}
    for place, step in enumerate(steps):
        if is_leaf(step):
            continue
        pair = step.op is FUN and step.node.data in ("sin", "cos")
        unit = tuple(partners[step.args[0]]) if pair else (place,)
        if unit[0] != place:
            continue
        waits = [arg for arg in dict.fromkeys(step.args) if not is_leaf(steps[arg])]
        for arg in waits:
            users.setdefault(arg, []).append(len(members))
        members.append(unit)
        operands.append(waits)
    return Units(members, operands, users)


def as_written(lines: Program) -> Program:
    """The program's own order, each cosine beside its sine."""
    found = units(lines)
    return _arranged(lines, (place for unit in found.members for place in unit))


def pressed(lines: Program) -> Program:
    """Greedy: of the operations that can be done, the one that frees most operands; then whose operand is newest."""
    return _greedy(lines, lambda found: [0] * len(found.members))


def pressed_high(lines: Program) -> Program:
    """As :func:`pressed`; then the one for which the longest chain of operations waits."""
    return _greedy(lines, heights)


def heights(found: Units) -> list[int]:
    """For each unit, the longest chain of units that wait for it, itself included."""
    height = [1] * len(found.members)
    for unit in range(len(found.members) - 1, -1, -1):
        above = [height[user] for place in found.members[unit] for user in found.users.get(place, ())]
        height[unit] = 1 + max(above, default=0)
    return height


def _greedy(lines: Program, preference: Callable[[Units], Sequence[int]]) -> Program:
    found = units(lines)
    rank = preference(found)
    waiting = {place: len(users) for place, users in found.users.items()}  # units yet to use it
    missing = [len(places) for places in found.operands]
    frees = [sum(waiting[place] == 1 for place in places) for places in found.operands]
    made: dict[int, int] = {}  # place -> when
    done = [False] * len(found.members)

    def entry(unit: int) -> tuple[int, int, int, int]:
        newest = max((made[place] for place in found.operands[unit]), default=-1)
        return -frees[unit], -newest, -rank[unit], unit

    ready = [entry(unit) for unit, count in enumerate(missing) if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        freed, _, _, unit = heappop(ready)
        if done[unit] or -freed != frees[unit]:
            continue  # an entry that a newer one has replaced
        done[unit] = True
        for place in found.members[unit]:
            made[place] = len(order)
            order.append(place)
        for place in found.operands[unit]:
            waiting[place] -= 1
            if waiting[place] == 1:
                last = next(user for user in found.users[place] if not done[user])
                frees[last] += 1
                if not missing[last]:
                    heappush(ready, entry(last))
        for place in found.members[unit]:
            for user in found.users.get(place, ()):
                missing[user] -= 1
                if not missing[user]:
                    heappush(ready, entry(user))
    return _arranged(lines, order)


def _arranged(lines: Program, order: Iterator[int] | Sequence[int]) -> Program:
    """The leaves, then the operations in that order."""
    steps = lines.steps
    places = [place for place, step in enumerate(steps) if is_leaf(step)] + list(order)
    new = {place: i for i, place in enumerate(places)}
    return Program(
        tuple(
            Step(step.op, tuple(new[arg] for arg in step.args), step.node)
            for step in (steps[place] for place in places)
        ),
        tuple(new[place] for place in lines.outputs),
    )


#: Name -> order, the cheapest to compute first.
ORDERS: Final[Mapping[str, Callable[[Program], Program]]] = {
    "program": as_written,
    "press": pressed,
    "pressh": pressed_high,
}


def ordered(lines: Program, among: Collection[str] = tuple(ORDERS)) -> tuple[str, Program]:
    """The order with the fewest predicted loads, by name, and the program in it; of equals the first."""
    tried = {name: ORDERS[name](lines) for name in among}
    if len(tried) == 1:
        return next(iter(tried.items()))
    best = min(tried, key=lambda name: loads(tried[name]))
    return best, tried[best]
