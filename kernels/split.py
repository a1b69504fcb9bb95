"""A long program as functions of limited length: compile time grows faster than length.

The functions are called one after the other. What one computes and another uses crosses in a slot of an array,
*scratch*; a slot is used again when the number in it is used no more. Leaves (numbers, symbols) cross nothing: each
function reads them where it uses them. Results go out in the function that computes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

from mbconcord.model.expressions.algebra import power
from mbconcord.model.expressions.node import FUN, MINUS_ONE, MUL, NUM, ONE
from mbconcord.model.expressions.program import DIV, Program, ProgramStep
from mbconcord.records import dataclass

from .order import choose_order, is_leaf

# Divisors used twice or more are divided by once: a division costs a machine as much as a dozen products.
#
# The rewritten program is what every backend runs, the interpreter included, so that all have the same bits. They are
# other bits than those of the divisions: ``a·(1/b)`` is rounded twice. Where 1/b is beyond the range of floats (b below
# 2⁻¹⁰²²) a quotient within it is lost.


def reciprocals(lines: Program) -> Program:
    """Replace each divisor of several quotients by one reciprocal, computed at its first use."""
    shared = _find_shared_divisors(lines)
    if not shared:
        return lines
    steps: list[ProgramStep] = [ProgramStep(NUM, (), ONE)]
    new: list[int] = []  # place in the given program -> place in the new one
    inverse: dict[int, int] = {}  # place of a divisor in the new program -> of its reciprocal
    for step in lines.steps:
        args = tuple(new[arg] for arg in step.args)
        if step.node is ONE:
            new.append(0)
            continue
        if step.op is DIV and step.args[1] in shared:
            dividend, divisor = args
            if divisor not in inverse:
                inverse[divisor] = len(steps)
                steps.append(ProgramStep(DIV, (0, divisor), power(lines.steps[step.args[1]].node, MINUS_ONE)))
            if not dividend:
                new.append(inverse[divisor])
                continue
            step, args = ProgramStep(MUL, (), step.node), (dividend, inverse[divisor])
        new.append(len(steps))
        steps.append(ProgramStep(step.op, args, step.node))
    return Program(tuple(steps), tuple(new[place] for place in lines.outputs))


def _find_shared_divisors(lines: Program) -> frozenset[int]:
    """Return places of divisors shared by several steps."""
    once: set[int] = set()
    again: set[int] = set()
    for step in lines.steps:
        if step.op is DIV:
            (again if step.args[1] in once else once).add(step.args[1])
    return frozenset(again)


#: Operations of a function; 250 to 2000 make no difference.
LENGTH: Final = 1000
#: Programs of fewer operations are one function in the order in which they were written.
SHORT: Final = 1500
#: Programs whose own order is the best are one function up to so many operations.
WHOLE: Final = 10_000


@dataclass(frozen=True, slots=True)
class ProgramPart:
    """One part of a program: the content of one function.

    Attributes
    ----------
    places : places of its steps, in order
    taken : place of a step of another part that it uses -> slot that holds the number
    given : place of its own step that another part uses -> slot for the number, none of ``taken``: so a number may
        be taken at any time
    results : pairs (index of a result, place of its step) that this part writes
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
    program : the program that the parts compute together
    parts : in the order in which they are called
    slots : length of scratch
    leaves : pairs (index of a result, place) of results that are leaves, which no part computes
    """

    program: Program
    parts: tuple[ProgramPart, ...]
    slots: int
    leaves: tuple[tuple[int, int], ...]


def split_program(lines: Program, length: int = LENGTH) -> Split:
    """Split into parts of ``length`` operations in order; neighbouring sine and cosine of an angle stay together."""
    places = [place for place, step in enumerate(lines.steps) if not is_leaf(step)]
    edges = [0]
    while edges[-1] < len(places):
        edge = min(edges[-1] + length, len(places))
        if edge < len(places) and _pair(lines, places[edge - 1], places[edge]):
            edge += 1
        edges.append(edge)
    return split_groups(lines, [places[first:last] for first, last in pairwise(edges)])


def split_groups(lines: Program, groups: Sequence[Sequence[int]]) -> Split:
    """Split a program into parts that run these groups of operations, each after those whose numbers it uses."""
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
            ProgramPart(
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
    """Return True for a sine and a cosine of one angle."""
    steps = (lines.steps[one], lines.steps[other])
    return all(step.op is FUN and step.node.data in ("sin", "cos") for step in steps) and steps[0].args == steps[1].args


def arrange(lines: Program) -> Split:
    """Arrange a program as compilers handle it best: the order, and the length of functions."""
    count = sum(not is_leaf(step) for step in lines.steps)
    if count < SHORT:
        return split_program(choose_order(lines, ("program",))[1], max(count, 1))
    order, found = choose_order(lines)
    return split_program(found, count if order == "program" and count < WHOLE else LENGTH)
