"""Dependent square roots of a graph: √a √b and √(a b), √(x²) and x.

A product of radicands that is a square has a root in the field at every point, so its Legendre symbol is 1 there. Over
some points more than there are radicands the symbols are collected; products that are 1 at all of them are a null space
over the field of two elements. Radicands outside of it are independent: any choice of their signs is an automorphism,
and one choice represents all. A square is always found; a false one (chance 2^-24) is enumerated in vain.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ..node import FUN, Expression
from .extension import is_square
from .plan import ROOT, SIZE, Plan, radicand
from .point import Point
from .primes import SMOOTH, prime_of

#: Points beyond the number of radicands, and fields that they are drawn in where roots of numbers are among them.
MORE: Final = 24
FIELDS: Final = 5


def dependent(plan: Plan, seed: int) -> frozenset[object]:
    """Find radicands, nodes or integers, whose roots may depend on others.

    Radicands that contain a root or a sign count too, with the roots in them: conjugates of these are conjugates of all
    others, so a free choice of the other signs still covers all.
    """
    atoms = plan.surds.atoms(SMOOTH * plan.angles.divisor)
    if not (plan.roots or atoms):
        return frozenset()
    nested = [x for x in plan.roots if _signs_within(x, plan, atoms)]
    bound: set[object] = {*nested, *(r for x in nested for r in _signs_within(x, plan, atoms))}
    plain: list[object] = [*(x for x in plan.roots if x not in nested), *atoms]
    return frozenset(bound | _dependent(plain, plan, atoms, seed))


def _signs_within(radicand_: Expression, plan: Plan, atoms: list[int]) -> list[object]:
    """List radicands of the roots below a radicand; itself if it contains sign(x) or |x|."""
    found: list[object] = []
    waiting, met = [plan.place[radicand_]], {plan.place[radicand_]}
    while waiting:
        step = plan.steps[waiting.pop()]
        if step.op is ROOT or step.op is SIZE:
            factor, rest = radicand(step.node)
            found += [radicand_ if step.op is SIZE else rest] * (rest is not None)
            found += [q for q in plan.surds.parts[factor.data][1] if q in atoms]
        elif step.op is FUN and step.node.data in ("sign", "abs"):
            found.append(radicand_)
        waiting += [i for i in step.args if i not in met]
        met.update(step.args)
    return found


def _dependent(plain: list[object], plan: Plan, atoms: list[int], seed: int) -> set[object]:
    """Return the radicands that occur in a product that is a square."""
    below = Plan([x for x in plain if isinstance(x, Expression)], plan.definitions)
    dice = Random(seed)
    fields = [prime_of(dice.getrandbits(64), plan.angles.divisor) for _ in range(FIELDS if atoms else 1)]
    columns: dict[object, int] = dict.fromkeys(plain, 0)
    same: dict[object, object] = {}
    for k in range(len(plain) + MORE):
        field = fields[k % len(fields)]
        values = Point(dice, field).run(below)
        first: dict[object, object] = {}
        for each in plain:
            value = values[below.place[each]] if isinstance(each, Expression) else each
            if k == 0:
                same[each] = first.setdefault(value, each)
            columns[each] |= (not is_square(value % field.p, field.p)) << k  # type: ignore[operator]
    kept = [each for each in plain if same[each] is each]
    found = {kept[i] for i in _null_support([columns[each] for each in kept])}
    return {each for each in plain if same[each] in found}


def _null_support(columns: list[int]) -> set[int]:
    """Return the columns that occur in a combination that is zero over the field of two elements."""
    pivots: dict[int, tuple[int, int]] = {}
    found: set[int] = set()
    for i, column in enumerate(columns):
        members = 1 << i
        while column:
            top = column.bit_length()
            if top not in pivots:
                pivots[top] = column, members
                break
            column ^= pivots[top][0]
            members ^= pivots[top][1]
        else:
            found |= {k for k in range(i + 1) if members >> k & 1}
    return found
