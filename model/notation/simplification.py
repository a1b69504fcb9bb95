"""Equations as short as identities allow: vanishing and cancelling terms are found in a prime field.

The same equations with the same names, each formula equal to the one that was derived for all states and all values of
parameters; their singularities stay (:mod:`mbconcord.model.expressions.field.shorter`). Only printed equations are
simplified; computations, comparisons and counts use the equations that the formalism derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from ..derivation import Assignment, Derivation, Lazy, Stage
from ..expressions import ZERO, Expression, symbol
from ..expressions.field.shorter import Shorter
from ..expressions.traversal import Nested, flatten
from ..naming import Namer, is_operation, strip_sign
from ..system import System
from .listing import BalanceLine, Listing, Product


def simplify(derivation: Derivation) -> Derivation:
    """Return a simplified derivation; a :class:`Listing` is returned as it is: see :func:`without_zeros`.

    An intermediate that becomes a number, a symbol or another intermediate is left out, unless its stage is written in
    the source's own notation. One that is shorter with the opposite sign is renamed: ``minus_h1``.
    """
    if isinstance(derivation, Listing):
        return derivation
    shorter = Shorter(_parameters(derivation.system))
    quantities = derivation.quantities
    eager = {} if isinstance(quantities, Lazy) else dict(quantities)
    assigned = [a.expression for a in derivation.assignments]
    found = iter(shorter.shorten([*assigned, *(x for value in eager.values() for x in flatten(value))]))
    stages = tuple(_stages(derivation, found))
    made = {name: _shape_like(value, found) for name, value in eager.items()}
    return replace(
        derivation,
        stages=stages,
        quantities=made or _lazily(shorter, quantities),
        native=_lazily(shorter, derivation.native),
    )


def without_zeros(listing: Listing) -> Listing:
    """Replace names that vanish by 0 throughout a list, and cancel terms in its sums.

    Names keep their meaning, as in the source.
    """
    definitions = {symbol(a.name): a.expression for a in listing.assignments}
    shorter = Shorter(_parameters(listing.system), definitions, merge=False)
    factors = [f for each in listing.balances for f in _factors(each)]
    values = {**listing.quantities, **listing.native}
    given = [a.expression for a in listing.assignments]
    given += [x for value in values.values() for x in flatten(value)]
    found = iter(shorter.shorten([*given, *factors]))
    stages = tuple(
        replace(stage, assignments=tuple(Assignment(a.name, next(found)) for a in stage.assignments))
        for stage in listing.stages
    )
    made = {name: _shape_like(value, found) for name, value in values.items()}
    short = dict(zip(factors, found, strict=True))
    return replace(
        listing,
        stages=stages,
        quantities={name: made[name] for name in listing.quantities},
        native={name: made[name] for name in listing.native},
        balances=tuple(_balance(each, short) for each in listing.balances),
    )


def _parameters(system: System) -> frozenset[str]:
    return frozenset(p.name for p in system.parameters)


def _stages(derivation: Derivation, found: Iterator[Expression]) -> Iterator[Stage]:
    """Yield the stages with the shorter formulas ``found``; formulas that differ at most in sign get one name."""
    namer = Namer((*derivation.system.names, *(a.name for a in derivation.assignments)))
    named: set[Expression] = set()
    for stage in derivation.stages:
        kept = []
        for a in stage.assignments:
            x = next(found)
            if stage.written:
                kept.append(Assignment(a.name, x))
            elif is_operation(strip_sign(x)) and strip_sign(x) not in named:
                turned = x is not strip_sign(x) and a.expression is strip_sign(a.expression)
                kept.append(
                    Assignment(namer.fresh(opposite(a.name)), strip_sign(x)) if turned else Assignment(a.name, x)
                )
            named.add(strip_sign(x))
        yield replace(stage, assignments=tuple(kept))


def opposite(name: str) -> str:
    """Return the name of -x, given that of x."""
    plain = name.removeprefix("minus_")
    return plain if plain != name else f"minus_{name}"


def _shape_like(value: Nested, found: Iterator[Expression]) -> Nested:
    return tuple(_shape_like(item, found) for item in value) if isinstance(value, tuple) else next(found)


def _lazily(shorter: Shorter, values: Mapping[str, Nested]) -> Lazy:
    def compute_shorter(name: str) -> Nested:
        return _shape_like(values[name], iter(shorter.shorten(flatten(values[name]))))

    return Lazy({name: partial(compute_shorter, name) for name in values})


def _factors(balance: BalanceLine) -> Iterator[Expression]:
    for term in (*balance.left, *balance.right):
        yield from term.factors


def _balance(balance: BalanceLine, short: Mapping[Expression, Expression]) -> BalanceLine:
    left, right = (
        tuple(
            Product(tuple(short[f] for f in term.factors), term.minus)
            for term in side
            if all(short[f] is not ZERO for f in term.factors)
        )
        for side in (balance.left, balance.right)
    )
    return BalanceLine(balance.name, left, right)
