"""Products fused with the sums that use them: a b + c rounded once.

A product that is used once, by a sum, is fused with it; of two such products in one sum the right one. It is decided
here, for the whole program, so that the bits depend neither on how the program is split nor on a compiler.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from mbconcord.model.expressions.node import ADD, MUL
from mbconcord.model.expressions.program import SUB, Program, ProgramStep

#: Operations of steps (a, b, c): a b + c, a b - c, c - a b.
FMA: Final = "fma"
FMS: Final = "fms"
FNMA: Final = "fnma"


def fuse_products(lines: Program) -> Program:
    """Fuse products and sums; a fused product loses its own step."""
    steps = lines.steps
    uses = Counter(arg for step in steps if not step.node.constant for arg in step.args)
    uses.update(lines.outputs)
    alone = {
        place for place, step in enumerate(steps) if step.op is MUL and not step.node.constant and uses[place] == 1
    }
    done: dict[int, ProgramStep] = {}
    gone: set[int] = set()
    for place, step in enumerate(steps):
        if (step.op is ADD or step.op is SUB) and not step.node.constant:
            a, b = step.args
            product, other = (b, a) if b in alone else (a, b)
            if product in alone:
                op = FMA if step.op is ADD else FNMA if product == b else FMS
                done[place] = ProgramStep(op, (*steps[product].args, other), step.node)
                gone.add(product)
    new: dict[int, int] = {}
    kept: list[ProgramStep] = []
    for place, step in enumerate(steps):
        if place not in gone:
            step = done.get(place, step)
            new[place] = len(kept)
            kept.append(ProgramStep(step.op, tuple(new[arg] for arg in step.args), step.node))
    return Program(tuple(kept), tuple(new[place] for place in lines.outputs))
