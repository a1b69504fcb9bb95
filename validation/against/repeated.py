"""What a set has once more, for threads, against the formulas that the model is checked with.

Both are formulas of the same symbols: the same node of the graph, or numbers that differ by rounding alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from random import Random

import numpy as np

from mbconcord.model.derivation import flatten
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.validation.judge.comparison import Difference, worst
from mbconcord.validation.judge.evidence import Comparison

from .explain import explained
from .matched import Matched
from .origin import Origin

#: Formulas by their names: of entries, rows and motions.
Formulas = Mapping[str, Expression]


def repeated(matched: Matched) -> Iterator[Comparison]:
    """Mass matrix, residual, motion: the second against the first; not checked where one has what the other lacks."""
    first = matched.sides.equations
    second = first.repeated
    if second is None:
        return
    for quantity, formulas in (("M", _mass), ("residual", _residual), ("motion", _motion)):
        one, other = formulas(first), formulas(second)
        if one.keys() == other.keys() and one:
            yield _compared(matched, f"parallel_{quantity}", one, other)
        elif one or other:
            lacking = ", ".join(sorted(one.keys() ^ other.keys())[:6])
            reason = f"not in both, the formulas and those for threads: {lacking}"
            yield Comparison(first.program, "", f"parallel_{quantity}", "not checked", explanation=reason)


def _mass(equations: GeneratedEquations) -> Formulas:
    rows = enumerate(equations.mass_matrix or (), 1)
    return {f"{i}, {j}": x for i, row in rows for j, x in enumerate(row, 1)}


def _residual(equations: GeneratedEquations) -> Formulas:
    return {str(i): x for i, x in enumerate(equations.residual or (), 1)}


def _motion(equations: GeneratedEquations) -> Formulas:
    found: dict[str, Expression] = {}
    for number, motion in equations.bodies.items():
        for item in fields(motion):
            value = getattr(motion, item.name)
            rows = value if isinstance(value, Mapping) else {"": value} if value is not None else {}
            for key, row in rows.items():
                cells = enumerate(flatten(row), 1)
                found |= {f"{item.name} of body {number} {key} {i}": x for i, x in cells}
    return found


def _compared(matched: Matched, quantity: str, first: Formulas, second: Formulas) -> Comparison:
    """Equal nodes are equal; of others the numbers at the states, with random forces, and their bounds of rounding."""
    states, random = matched.sides.states, Random(matched.sides.seed)
    values = dict(matched.values)
    roots = [*first.values(), *(second[name] for name in first)]
    for name in sorted(symbols(roots)):
        if name.startswith(("_force", "_moment", "_jf")):
            values[name] = np.array([random.uniform(-1, 1) for _ in states])
    numbers, off = run_bounds(levels(program(roots)), values)
    shape, n = (len(numbers), len(states)), len(first)
    numbers, off = (np.broadcast_to(x, shape).T for x in (numbers, off))
    same = np.array([x is second[name] for name, x in first.items()])
    bound = np.where(same, 0.0, off[:, :n] + off[:, n:])
    a, b, none = numbers[:, :n], numbers[:, n:], np.zeros(len(states))
    difference = Difference(a, b, np.fmax(np.abs(a), np.abs(b)), none, none + 1.0, bound=bound)
    c = worst(matched.generated.name, "for threads", quantity, difference, states, list(first))
    if c.verdict != "disagrees" or c.discrepancy is None:
        return c

    def both(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        return first[entry[0]], second[entry[0]]

    equations = matched.sides.equations
    origin = Origin(equations, lambda entry: first[entry[0]], lambda entry: None, list)
    names = [(name,) for name in first]
    return explained(c, difference, names, both, matched.sides.system, equations.used, origin)
