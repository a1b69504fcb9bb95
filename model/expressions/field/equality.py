"""Whether expressions are equal for all values of their symbols: identical, different, or undecided and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..node import ZERO, Expression
from .plan import Plan
from .sample import Sample
from .verdict import Verdict


def vanish(
    expressions: Iterable[Expression], definitions: Mapping[Expression, Expression] | None = None, **how: int
) -> list[Verdict]:
    """Whether each expression is zero; see :func:`compare`."""
    return compare(((x, ZERO) for x in expressions), definitions, **how)


def compare(
    pairs: Iterable[tuple[Expression, Expression]],
    definitions: Mapping[Expression, Expression] | None = None,
    *,
    draws: int = 2,
    seed: int = 0,
) -> list[Verdict]:
    """Whether the expressions of each pair are equal for all values of their symbols.

    Parameters
    ----------
    pairs : expressions
    definitions : symbol -> expression that it stands for; other symbols are independent
    draws : random points, each in a prime field of its own; more of them make the chance of an error smaller
    seed : of the random points

    Notes
    -----
    "Differs" rests on theorems: functions of coordinates are independent of their exponentials (Ax 1971), exponentials
    of rational radians of each other (Lindemann's). Whether pi depends on e^i is open: both in a scalar that is not
    zero at the point leave it undecided, as do functions known by their arguments only: arcs, exp, log, other powers.
    Not judged are points where a denominator is zero.

    Examples
    --------
    >>> from mbconcord.model.expressions import cos, sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> [found] = compare([(sin(x + y), sin(x) * cos(y) + cos(x) * sin(y))])
    >>> found.kind
    'identical'
    >>> [found] = compare([(sin(x + y), sin(x) + sin(y))])
    >>> found.kind
    'differs'
    """
    asked = list(pairs)
    plan = Plan([x for pair in asked for x in pair], definitions)
    sample = Sample(plan, draws, seed)
    return [sample.verdict(plan.place[a], plan.place[b]) for a, b in asked]
