"""Divisors used twice or more are divided by once: a division costs a machine as much as a dozen products.

The rewritten program is what every backend runs, the interpreter included, so that all have the same bits. They are
other bits than those of the divisions: ``a·(1/b)`` is rounded twice. Where 1/b is beyond the range of floats (b below
2⁻¹⁰²²) a quotient within it is lost.
"""

from __future__ import annotations

from mbconcord.model.expressions.algebra import power
from mbconcord.model.expressions.node import MINUS_ONE, MUL, NUM, ONE
from mbconcord.model.expressions.program import DIV, Program, Step


def reciprocals(lines: Program) -> Program:
    """The program in which each divisor of several quotients has one reciprocal, made where it is first needed."""
    shared = _shared(lines)
    if not shared:
        return lines
    steps: list[Step] = [Step(NUM, (), ONE)]
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
                steps.append(Step(DIV, (0, divisor), power(lines.steps[step.args[1]].node, MINUS_ONE)))
            if not dividend:
                new.append(inverse[divisor])
                continue
            step, args = Step(MUL, (), step.node), (dividend, inverse[divisor])
        new.append(len(steps))
        steps.append(Step(step.op, args, step.node))
    return Program(tuple(steps), tuple(new[place] for place in lines.outputs))


def _shared(lines: Program) -> frozenset[int]:
    """Places of divisors that several steps divide by."""
    once: set[int] = set()
    again: set[int] = set()
    for step in lines.steps:
        if step.op is DIV:
            (again if step.args[1] in once else once).add(step.args[1])
    return frozenset(again)
