"""A long program as functions of so many steps: compilers take more than their share of time for long ones.

The functions are called one after the other. What one computes and another uses crosses in a slot of an array,
*scratch*; a slot is used again when the number in it is used no more. Leaves (numbers, symbols) cross nothing: each
function reads them where it uses them. Results go out in the function that computes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

from mbconcord.model.expressions.node import FUN
from mbconcord.model.expressions.program import Program

from .order import is_leaf, ordered

#: Operations of a function; 250 to 2000 make no difference.
LENGTH: Final = 1000
#: Programs of fewer operations are one function in the order in which they were written.
SHORT: Final = 1500
#: Programs whose own order is the best are one function up to so many operations.
WHOLE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Part:
    """What one function does.

    Attributes
    ----------
    places : the steps that it does, in their order
    taken : place of a step of another part that it uses -> slot that holds the number
    given : place of a step of its own that another part uses -> slot that it puts the number in, none of ``taken``:
        so a number may be taken whenever it is used
    results : (which result, place) of what it computes
    """

    places: tuple[int, ...]
    taken: Mapping[int, int]
    given: Mapping[int, int]
    results: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A program in parts.

    Attributes
    ----------
    program : what they compute together
    parts : in the order in which they are called
    slots : length of scratch
    leaves : (which result, place) of results that are leaves, which no part computes
    """

    program: Program
    parts: tuple[Part, ...]
    slots: int
    leaves: tuple[tuple[int, int], ...]


def split(lines: Program, length: int = LENGTH) -> Split:
    """Parts of ``length`` operations in their order; of neighbours, a sine and a cosine of an angle stay together."""
    places = [place for place, step in enumerate(lines.steps) if not is_leaf(step)]
    edges = [0]
    while edges[-1] < len(places):
        edge = min(edges[-1] + length, len(places))
        if edge < len(places) and _pair(lines, places[edge - 1], places[edge]):
            edge += 1
        edges.append(edge)
    return parted(lines, [places[first:last] for first, last in pairwise(edges)])


def parted(lines: Program, groups: Sequence[Sequence[int]]) -> Split:
    """The parts that do these groups of operations, each after those whose numbers it uses."""
    steps = lines.steps
    owner = {place: part for part, group in enumerate(groups) for place in group}
    last: dict[int, int] = {}  # place of what crosses -> the last part that uses it
    for part, group in enumerate(groups):
        for place in group:
            last |= {arg: part for arg in steps[place].args if owner.get(arg, part) != part}
    results: list[list[tuple[int, int]]] = [[] for _ in groups]
    leaves: list[tuple[int, int]] = []
    for i, place in enumerate(lines.outputs):
        (results[owner[place]] if place in owner else leaves).append((i, place))
    free: list[int] = []
    slots = 0
    slot: dict[int, int] = {}
    parts = []
    for part, group in enumerate(groups):
        args = (arg for place in group for arg in steps[place].args)
        used = dict.fromkeys(arg for arg in args if owner.get(arg, part) != part)
        given = [place for place in group if place in last]
        for place in given:
            if not free:
                heappush(free, slots)
                slots += 1
            slot[place] = heappop(free)
        parts.append(
            Part(
                tuple(group),
                {place: slot[place] for place in used},
                {place: slot[place] for place in given},
                tuple(results[part]),
            )
        )
        for place in used:
            if last[place] == part:
                heappush(free, slot[place])
    return Split(lines, tuple(parts), slots, tuple(leaves))


def _pair(lines: Program, one: int, other: int) -> bool:
    """Whether these are a sine and a cosine of an angle."""
    steps = (lines.steps[one], lines.steps[other])
    return (
        all(step.op is FUN and step.node.data in ("sin", "cos") for step in steps)
        and steps[0].args == steps[1].args
    )


def arranged(lines: Program) -> Split:
    """A program as compilers take it best: in which order, and in how long functions."""
    count = sum(not is_leaf(step) for step in lines.steps)
    if count < SHORT:
        return split(ordered(lines, ("program",))[1], max(count, 1))
    order, found = ordered(lines)
    return split(found, count if order == "program" and count < WHOLE else LENGTH)
