"""Equations as short as identities make them: what vanishes or cancels is decided in a prime field.

The same equations with the same names, each formula equal to the one that was derived for all states and all values of
parameters; where they have singularities is kept (:mod:`mbconcord.model.expressions.field.shorter`). What is printed is
simplified; what is computed with, compared and counted is what the formalism derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from ..derivation import Assignment, Derivation, Stage
from ..expressions import ZERO, Expression, symbol
from ..expressions.field.shorter import Shorter
from ..expressions.nested import Nested, flatten
from ..lazy import Lazy
from ..naming import Namer, is_operation, unsigned
from ..system import System
from .balance import Balance, Product
from .listing import Listing


def simplified(derivation: Derivation) -> Derivation:
    """A derivation in shorter formulas. A :class:`Listing` is as its formalism wrote it: see :func:`without_zeros`.

    An intermediate that is a number, a symbol or another intermediate then, is left out, unless its stage is written
    in the source's own notation. One that is shorter with the other sign changes its name: ``minus_h1``.
    """
    if isinstance(derivation, Listing):
        return derivation
    shorter = Shorter(_parameters(derivation.system))
    quantities = derivation.quantities
    eager = {} if isinstance(quantities, Lazy) else dict(quantities)
    assigned = [a.expression for a in derivation.assignments]
    found = iter(shorter.of([*assigned, *(x for value in eager.values() for x in flatten(value))]))
    stages = tuple(_stages(derivation, found))
    made = {name: _shaped(value, found) for name, value in eager.items()}
    return replace(
        derivation,
        stages=stages,
        quantities=made or _lazily(shorter, quantities),
        native=_lazily(shorter, derivation.native),
    )


def without_zeros(listing: Listing) -> Listing:
    """A list over names, in which what vanishes is 0 wherever it is named, and no sum has terms that cancel.

    Names stay with what they stand for, as the source has them.
    """
    definitions = {symbol(a.name): a.expression for a in listing.assignments}
    shorter = Shorter(_parameters(listing.system), definitions, merge=False)
    factors = [f for each in listing.balances for f in _factors(each)]
    values = {**listing.quantities, **listing.native}
    given = [a.expression for a in listing.assignments]
    given += [x for value in values.values() for x in flatten(value)]
    found = iter(shorter.of([*given, *factors]))
    stages = tuple(
        replace(stage, assignments=tuple(Assignment(a.name, next(found)) for a in stage.assignments))
        for stage in listing.stages
    )
    made = {name: _shaped(value, found) for name, value in values.items()}
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
    """The stages with formulas of ``found``, one name for each up to its sign."""
    namer = Namer((*derivation.system.names, *(a.name for a in derivation.assignments)))
    named: set[Expression] = set()
    for stage in derivation.stages:
        kept = []
        for a in stage.assignments:
            x = next(found)
            if stage.written:
                kept.append(Assignment(a.name, x))
            elif is_operation(unsigned(x)) and unsigned(x) not in named:
                turned = x is not unsigned(x) and a.expression is unsigned(a.expression)
                kept.append(
                    Assignment(namer.fresh(opposite(a.name)), unsigned(x))
                    if turned
                    else Assignment(a.name, x)
                )
            named.add(unsigned(x))
        yield replace(stage, assignments=tuple(kept))


def opposite(name: str) -> str:
    """The name of -x where this is that of x."""
    plain = name.removeprefix("minus_")
    return plain if plain != name else f"minus_{name}"


def _shaped(value: Nested, found: Iterator[Expression]) -> Nested:
    return tuple(_shaped(item, found) for item in value) if isinstance(value, tuple) else next(found)


def _lazily(shorter: Shorter, values: Mapping[str, Nested]) -> Lazy:
    def made(name: str) -> Nested:
        return _shaped(values[name], iter(shorter.of(flatten(values[name]))))

    return Lazy({name: partial(made, name) for name in values})


def _factors(balance: Balance) -> Iterator[Expression]:
    for term in (*balance.left, *balance.right):
        yield from term.factors


def _balance(balance: Balance, short: Mapping[Expression, Expression]) -> Balance:
    left, right = (
        tuple(
            Product(tuple(short[f] for f in term.factors), term.minus)
            for term in side
            if all(short[f] is not ZERO for f in term.factors)
        )
        for side in (balance.left, balance.right)
    )
    return Balance(balance.name, left, right)
