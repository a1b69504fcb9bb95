"""The mass matrix and the residual that a set has once more, for threads, against those that the model is checked with.

Both are formulas of the same symbols: the same node of the graph, or numbers that differ by rounding alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import numpy as np

from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.validation.judge.comparison import Difference, worst
from mbconcord.validation.judge.evidence import Comparison

from .matched import Matched


def repeated(matched: Matched) -> Iterator[Comparison]:
    """Of both quantities that there are twice: the second against the first."""
    equations = matched.sides.equations
    if equations.repeated is None:
        return
    numbers = [str(i + 1) for i in range(equations.count or 0)]
    mass, residual = equations.repeated
    for quantity, first, second, names in (
        ("M", equations.mass_matrix, mass, [f"{i}, {j}" for i, j in product(numbers, numbers)]),
        ("residual", equations.residual, residual, numbers),
    ):
        if second is None or first is None:
            reason = f"{'the formulas' if first is None else 'those for threads'} are not delivered"
            yield Comparison(equations.program, "", f"parallel_{quantity}", "not checked", explanation=reason)
            continue
        yield _compared(matched, f"parallel_{quantity}", list(flatten(first)), list(flatten(second)), names)


def _compared(
    matched: Matched,
    quantity: str,
    first: Sequence[Expression],
    second: Sequence[Expression],
    names: Sequence[str],
) -> Comparison:
    """Equal nodes are equal; of others the numbers at the states, with random forces, and their bounds of rounding."""
    states, random = matched.sides.states, Random(matched.sides.seed)
    values = dict(matched.values)
    for name in sorted(symbols([*first, *second])):
        if name.startswith(("_force", "_moment", "_jf")):
            values[name] = np.array([random.uniform(-1, 1) for _ in states])
    numbers, off = run_bounds(levels(program([*first, *second])), values)
    shape, n = (len(numbers), len(states)), len(first)
    numbers, off = (np.broadcast_to(x, shape).T for x in (numbers, off))
    a, b = numbers[:, :n], numbers[:, n:]
    same = np.array([x is y for x, y in zip(first, second, strict=True)])
    bound = np.where(same, 0.0, off[:, :n] + off[:, n:])
    scale, none = np.fmax(np.abs(a), np.abs(b)), np.zeros(len(states))
    difference = Difference(a, b, scale, none, none + 1.0, bound=bound)
    return worst(matched.generated.name, "for threads", quantity, difference, states, names)
