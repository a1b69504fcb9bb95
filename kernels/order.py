"""The order of a program's operations: few live numbers, so that registers hold them.

A compiler's own scheduler sees a window of a long program; distant instructions stay distant. Here the whole program is
considered. Three orders are tried, and the one with the fewest predicted register reloads is taken (:func:`loads`):
none is best for all models. An order changes no number: the same operations on the same operands.

In every order the leaves (numbers, symbols, precomputed values) come first, and the sine and cosine of an angle are
neighbours, because a machine makes both at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from mbconcord.model.expressions.node import FUN
from mbconcord.model.expressions.program import Program, ProgramStep
from mbconcord.records import dataclass

# How often registers must be refilled: Belady's choice of what to give up, over a whole program.
#
# What is computed takes a register. Where none is free, the number whose next use is farthest away gives up its own,
# and is loaded again when it is used: no other choice loads less often (Belady 1966). Leaves cost nothing: a machine
# reads numbers and symbols from memory where it uses them.


#: Registers for numbers: of 32, two are left for what is on its way.
REGISTERS: Final = 30


def loads(lines: Program, registers: int = REGISTERS) -> int:
    """Count the loads of operands that were evicted from registers.

    An operand leaves its register to the result at its last use.

    Parameters
    ----------
    lines : a program whose steps run in order
    registers : at least as many as the operands of one step
    """
    uses = _uses(lines)
    held: set[int] = set()
    farthest: list[tuple[int, int]] = []  # (-next use, place); entries of earlier uses are stale
    count = 0

    def hold(place: int, now: tuple[int, ...]) -> None:
        if len(held) == registers:
            kept = []
            while True:
                use, old = heappop(farthest)
                if old not in held or -use != uses[old][-1]:
                    continue
                if old not in now:
                    break
                kept.append((use, old))
            held.remove(old)
            for each in kept:
                heappush(farthest, each)
        held.add(place)
        heappush(farthest, (-uses[place][-1], place))

    for at, step in enumerate(lines.steps):
        operands = tuple(dict.fromkeys(arg for arg in step.args if uses[arg]))
        if not step.args or step.node.constant:
            continue
        for place in operands:
            if place not in held:
                count += 1
                hold(place, operands)
        for place in operands:
            uses[place].pop()
            if not uses[place]:
                held.remove(place)
            else:
                heappush(farthest, (-uses[place][-1], place))
        if uses[at]:
            hold(at, ())
    return count


def _uses(lines: Program) -> list[list[int]]:
    """List for each operation the steps that use it, the next one last; empty for leaves."""
    steps = lines.steps
    uses: list[list[int]] = [[] for _ in steps]
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        if step.node.constant:
            continue
        for place in set(step.args):
            if steps[place].args and not steps[place].node.constant:
                uses[place].append(at)
    return uses


#: Operations that are made together: one place, or those of a sine and a cosine.
Unit = tuple[int, ...]


def is_leaf(step: ProgramStep) -> bool:
    """Return True if a step is a number, a symbol, or computed beforehand: no operation at run time."""
    return not step.args or step.node.constant


@dataclass(frozen=True)
class Units:
    """Units of operations that are ordered: single ones, and pairs of sine and cosine.

    Attributes
    ----------
    members : places of the steps of each unit
    operands : places of the operations on which each unit depends
    users : place of an operation -> units that depend on it
    """

    members: Sequence[Unit]
    operands: Sequence[Sequence[int]]
    users: Mapping[int, Sequence[int]]


def units(lines: Program) -> Units:
    """Group the operations of a program into units, in order of first steps; sine and cosine of an angle are one."""
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
    """Keep the program's own order, with each cosine next to its sine."""
    found = units(lines)
    return _arrange(lines, (place for unit in found.members for place in unit))


def order_greedily(lines: Program) -> Program:
    """Order greedily: of the ready operations, the one that frees most operands; then the newest operand."""
    return _greedy(lines, lambda found: [0] * len(found.members))


def pressed_high(lines: Program) -> Program:
    """Order like :func:`order_greedily`; then by the longest chain of dependent operations."""
    return _greedy(lines, heights)


def heights(found: Units) -> list[int]:
    """Compute for each unit the longest chain of units that depend on it, including itself."""
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
    return _arrange(lines, order)


def _arrange(lines: Program, order: Iterator[int] | Sequence[int]) -> Program:
    """Return the program with the leaves first, then the operations in that order."""
    steps = lines.steps
    places = [place for place, step in enumerate(steps) if is_leaf(step)] + list(order)
    new = {place: i for i, place in enumerate(places)}
    return Program(
        tuple(
            ProgramStep(step.op, tuple(new[arg] for arg in step.args), step.node)
            for step in (steps[place] for place in places)
        ),
        tuple(new[place] for place in lines.outputs),
    )


#: Name -> order, the cheapest to compute first.
ORDERS: Final[Mapping[str, Callable[[Program], Program]]] = {
    "program": as_written,
    "press": order_greedily,
    "pressh": pressed_high,
}


def choose_order(lines: Program, among: Collection[str] = tuple(ORDERS)) -> tuple[str, Program]:
    """Choose the order with the fewest predicted loads, the first of equals; return its name and program."""
    tried = {name: ORDERS[name](lines) for name in among}
    if len(tried) == 1:
        return next(iter(tried.items()))
    best = min(tried, key=lambda name: loads(tried[name]))
    return best, tried[best]
