"""Velocity constraints of own equations and of the model, and the speeds that solve them: the same motions, proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.expressions import ZERO, Expression, jacobian, rate, substitute, symbol
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, Plan, Point, Sample, Value
from mbconcord.model.expressions.field.linear import reduce_rows
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.limits import count
from mbconcord.model.system import System
from mbconcord.simulation.poses import express_rolling

from ...judge.evidence import Comparison
from ...judge.exact.equations import DRAWS, Points, SampledScalars, size_solution
from ...judge.exact.proof import Mode
from ...judge.exact.sameness import values
from ...judge.exactness import NOT_TRIED, Exactness
from .proof import skip_proof
from .tied import Exchange, Tie, list_symbols

#: The name of the witness.
YOURS: Final = "yours"
#: Where Kane's rows are tied by a matrix that is no solution of the constraints.
SOLVED: Final = "your velocity constraints"


def compare_constraints(
    system: System, tied: Tie, seed: int, inserted: Exchange, mode: Mode = "auto"
) -> Iterator[Comparison]:
    """Compare velocity constraints, if neither side has other constraints, and report those that are not compared.

    ``inserted``: values of parameters, as in the comparison of M and forcing. Constraints are compared only by proof.
    """
    system, own, ways = express_rolling(system), tied.own, len(system.coordinates)
    n, m = len(own.u), len(own.dependent.b) if own.dependent else 0
    free = [c for c in system.constraints if isinstance(c, Nonholonomic)]
    others = [c.name for c in system.constraints if c not in free]
    parts = [f"your {own.constraints}"] if own.constraints else []
    if tied.forward and (m or n < ways) and not others:
        exact, names, (yours, models) = _prove(system, free, tied, seed, inserted, mode)
        known = {symbol(p.name): p.value for p in system.parameters if p.value is not None and p.value.constant}
        if names and not _prove(system, free, tied, seed, known, mode)[1]:
            parts.append("your velocity constraints, which are the model's only with the values of its parameters")
        elif names:
            at = f"do not satisfy the model's {', '.join(names)}" if SOLVED not in names else f"do not solve {SOLVED}"
            said = f"your speeds {at}"
            yield Comparison(YOURS, "model", "velocity constraints", "disagrees", explanation=said, exact=exact)
        elif exact.kind == IDENTICAL and yours == models:
            yield Comparison(YOURS, "model", "velocity constraints", "agrees", exact=exact)
        else:
            what = f"what ties the model's {count(ways, 'coordinate')} to your {count(n, 'speed')}"
            tie = f"your {count(m, 'velocity constraint')}" if m else what
            left = f"{exact.reason}, and a proof alone compares them" if exact.kind == NOT_TRIED else exact.reason
            why = left or f"the model moves in {count(models, 'way')}, yours in {yours}"
            parts.append(f"{tie} ({why})")
    else:
        if system.constraints:
            parts.insert(0, f"the model's {', '.join(c.name for c in system.constraints)}")
        if m:
            parts.append(f"your {count(m, 'velocity constraint')}")
        if n != ways:
            parts.append(f"what ties the model's {count(ways, 'coordinate')} to your {count(n, 'speed')}")
    if parts:
        reason = f"only M and forcing of the open tree are compared; left out: {' and '.join(parts)}"
        yield Comparison(YOURS, "", "constraints", "not checked", explanation=reason)


def _prove(
    system: System, constraints: Sequence[Nonholonomic], tied: Tie, seed: int, inserted: Exchange, mode: Mode
) -> tuple[Exactness, list[str], tuple[int, int]]:
    """Prove that the model's constraint rows are linear combinations of the author's.

    Returns
    -------
    What is proved, the constraints of the model that the author's speeds break, and the ways in which both move.
    """
    names, u = system.coordinate_names, [symbol(x) for x in tied.u]
    at, v, _ = tied.find_positions()
    known = [*tied.phi, *tied.rates]
    new = dict(zip(map(symbol, known), at, strict=True)) | dict(zip(map(rate, known), v, strict=True))
    rows = [[c.coefficients.get(x, ZERO) for x in names] for c in constraints]
    sums = [
        sum((z * rate(x) for z, x in zip(row, names, strict=True) if z), c.rest)
        for row, c in zip(rows, constraints, strict=True)
    ]
    flat = define([*sums, *(z for row in rows for z in row)], system.functions)
    flat = substitute(substitute(flat, values(system, list_symbols(system))), new)
    flat = substitute(flat, inserted)
    ties = tied.own.with_formulas(substitute(tied.own.formulas, inserted)).dependent
    k, wide = len(sums), len(u) + 1
    theirs = _split(flat[:k], u)
    mine = [(*row, b) for row, b in zip(ties.B, ties.b, strict=True)] if ties else []
    solved = []
    if ties:  # the last columns of B times A are the first ones, reversed
        n = len(u) - len(ties.b)
        across = list(zip(*ties.A, strict=True))
        solved = [
            sum((x * y for x, y in zip(row[n:], column, strict=True) if x and y), row[i])
            for row in ties.B for i, column in enumerate(across)
        ]  # fmt: skip
    every = [x for row in (*mine, *theirs) for x in row] + flat[k:] + solved
    if skipped := skip_proof(mode, [program(every)]):
        return skipped, [], (0, 0)
    plan = Plan(every)
    points = Points(Sample(plan, DRAWS, seed))

    def sample(formulas: Sequence[Expression]) -> SampledScalars:
        return points.sample_steps([plan.place[x] for x in formulas])

    left, right = (sample([x for row in side for x in row]) for side in (mine, theirs))

    def reduce(point: Point, own: Sequence[Value], model: Sequence[Value]) -> list[Value]:
        p = point.field.p
        basis = reduce_rows(_cut(own, wide), p, wide - 1)
        found = []
        for row in _cut(model, wide):
            for base, pivot in zip(basis.rows, basis.pivots, strict=True):
                factor = row[pivot]
                row = [(x - factor * y) % p for x, y in zip(row, base, strict=True)]
            found += row
        return found

    rest = points.compute(reduce, [left, right], size_solution([left, right], wide))
    labels = [(c.name,) for c in constraints for _ in range(wide)] + [(SOLVED,) for _ in solved]
    whole = points.compute(lambda _, a, b: [*a, *b], [rest, sample(solved)], rest.size)
    zero = points.compute(lambda _, a: [0] * len(a), [whole], rest.size)
    exact = points.compare(whole, zero, labels) if labels else Exactness(IDENTICAL)
    broken = {name for run in whole.values for (name,), x in zip(labels, run, strict=True) if x != 0}
    moving = sample(flat[k:])
    p = next(iter(points))[0].field.p
    ranks = (
        reduce_rows(_cut(left.values[0], wide), p, wide - 1).rank,
        reduce_rows(_cut(moving.values[0], len(names)), p).rank,
    )
    found = [name for (name,) in dict.fromkeys(labels) if name in broken] if exact.kind == DIFFERS else []
    return exact, found, (len(u) - ranks[0], len(names) - ranks[1])


def _cut(flat: Sequence[Value], wide: int) -> list[list[Value]]:
    return [list(flat[i : i + wide]) for i in range(0, len(flat), wide)]


def _split(sums: Sequence[Expression], u: Sequence[Expression]) -> list[tuple[Expression, ...]]:
    """Return for each sum the coefficients of the speeds, and the rest without speeds."""
    still = substitute(sums, dict.fromkeys(u, ZERO))
    return [(*row, rest) for row, rest in zip(jacobian(sums, u), still, strict=True)]
