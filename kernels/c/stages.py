"""A program in parts that a C compiler turns into vector code.

Each part is a loop over the lanes of a block of states, and a compiler vectorises such a loop where nothing but
sums, products and quotients stand in it. So elementary functions have parts of their own: first what the arguments
of the first functions need, then these functions, then what the arguments of the functions of those need, and so on;
what no function waits for comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbconcord.model.expressions.node import FUN, POW
from mbconcord.model.expressions.program import Program, Step

from ..order import is_leaf
from ..split import LENGTH, Split, parted

#: Functions that C has as operations of vectors.
PLAIN: Final = ("abs", "sign")


def is_function(step: Step) -> bool:
    """Whether a step has a part of its own kind: sine, root, power …"""
    return step.op is POW or (step.op is FUN and step.node.data not in PLAIN)


def staged(lines: Program, length: int = LENGTH) -> Split:
    """The parts, of at most ``length`` steps, in each of which either all steps are functions or none is."""
    steps = lines.steps
    stage = _stages(lines)
    groups: dict[tuple[int, bool], list[int]] = {}
    for place, step in enumerate(steps):
        if not is_leaf(step):
            groups.setdefault((stage[place], is_function(step)), []).append(place)
    cut = [part for key in sorted(groups) for part in _cut(groups[key], length)]
    return parted(lines, cut)


def _stages(lines: Program) -> Sequence[int]:
    """Of a function how many it waits for, one after the other; of other steps the first that waits for them."""
    steps = lines.steps
    depth = [0] * len(steps)  # functions on the way to a step, itself included
    for place, step in enumerate(steps):
        below = max((depth[arg] for arg in step.args), default=0)
        depth[place] = below + (is_function(step) and not is_leaf(step))
    last = max(depth, default=0)
    stage = [last] * len(steps)
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        if is_leaf(step):
            continue
        if is_function(step):
            stage[place] = depth[place] - 1
        for arg in step.args:
            stage[arg] = min(stage[arg], stage[place])
    return stage


def _cut(group: Sequence[int], length: int) -> list[Sequence[int]]:
    return [group[first : first + length] for first in range(0, len(group), length)]
