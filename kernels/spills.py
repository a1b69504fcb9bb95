"""How often registers must be refilled: Belady's choice of what to give up, over a whole program.

What is computed takes a register. Where none is free, the number whose next use is farthest away gives up its own,
and is loaded again when it is used: no other choice loads less often (Belady 1966). Leaves cost nothing: a machine
reads numbers and symbols from memory where it uses them.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final

from mbconcord.model.expressions.program import Program

#: Registers for numbers: of 32, two are left for what is on its way.
REGISTERS: Final = 30


def loads(lines: Program, registers: int = REGISTERS) -> int:
    """Loads of operands that had to give up their registers.

    An operand that is used for the last time leaves its register to the result.

    Parameters
    ----------
    lines : a program whose steps are done in their order
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
    """For each operation the steps that use it, the next one last; nothing for leaves."""
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


def alive(lines: Program) -> int:
    """Most numbers that wait for a use at once, leaves apart."""
    uses = _uses(lines)
    now = most = 0
    for at, step in enumerate(lines.steps):
        for place in set(step.args):
            if uses[place] and uses[place][0] == at:
                now -= 1
        now += bool(uses[at])
        most = max(most, now)
    return most
