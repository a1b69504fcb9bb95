"""Gathering of like terms, «приведение подобных», in the scalars of a static moment.

Graphs never expand. The first moment of an augmented body, m_o1 ((m_1 d_1 - m_2 R_2)/m_o1) + m_2 R_2, is
m_1 d_1 only after expansion; so sums of a few terms are expanded here, and the mass taken out where it
divides.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..expressions import ONE, ZERO, Expression, number, topological

#: A product of powers: base -> exponent.
Monomial = frozenset[tuple[Expression, int]]
Polynomial = dict[Monomial, Fraction]

#: Terms above which nothing is expanded, and the highest power that is.
TERMS, POWER = 400, 4


def collect_terms(total: Expression, mass: Expression) -> Expression:
    """Simplify a quantity: zero if its terms cancel, and ``mass * x`` if the mass is a factor."""
    if total.constant:
        return total
    terms = polynomial(total)
    if terms is None:
        return total
    if not terms:
        return ZERO
    divisor = None if mass.constant else polynomial(mass)
    quotient = _quotient(terms, divisor) if divisor else None
    if quotient is not None:
        return _times(mass, quotient)
    return _expression(terms) if len(terms) < _summands(total) else total


def polynomial(root: Expression) -> Polynomial | None:
    """Expand an expression; None if it has too many terms."""
    found: dict[Expression, Polynomial] = {}
    for node in topological([root]):
        made = _expand_node(node, found)
        if made is None:
            return None
        found[node] = made
    return found[root]


def _expand_node(node: Expression, found: Mapping[Expression, Polynomial]) -> Polynomial | None:
    op, parts = node.op, [found[arg] for arg in node.args]
    if op == "num":
        return {frozenset(): node.data} if node.data else {}
    if op == "neg":
        return {m: -c for m, c in parts[0].items()}
    if op == "add":
        return _sum(parts[0], parts[1])
    if op == "mul":
        return _product(parts[0], parts[1])
    if op == "pow" and node.args[1].op == "num" and node.args[1].data.denominator == 1:
        exponent = node.args[1].data.numerator
        if len(parts[0]) == 1:
            ((m, c),) = parts[0].items()
            return {frozenset((base, n * exponent) for base, n in m): c**exponent}
        if 0 < exponent <= POWER:
            made: Polynomial | None = {frozenset(): Fraction(1)}
            for _ in range(exponent):
                made = None if made is None else _product(made, parts[0])
            return made
    return {frozenset([(node, 1)]): Fraction(1)}


def _sum(a: Polynomial, b: Polynomial) -> Polynomial | None:
    total = dict(a)
    for m, c in b.items():
        total[m] = total.get(m, Fraction(0)) + c
    return {m: c for m, c in total.items() if c} if len(total) <= TERMS else None


def _product(a: Polynomial, b: Polynomial) -> Polynomial | None:
    if len(a) * len(b) > TERMS:
        return None
    total: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            powers = dict(m)
            for base, exponent in n:
                powers[base] = powers.get(base, 0) + exponent
            joined = frozenset((base, e) for base, e in powers.items() if e)
            total[joined] = total.get(joined, Fraction(0)) + c * d
    return {m: c for m, c in total.items() if c}


def _quotient(terms: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Return x with x * divisor = terms, if the divisor's terms are single masses, or None."""
    lead = min(divisor, key=lambda m: sorted(str(base) for base, _ in m))
    if len(lead) != 1:
        return None
    ((mass, power),) = lead
    found: Polynomial = {}
    for m, c in terms.items():
        powers = dict(m)
        if powers.get(mass, 0) == power:
            del powers[mass]
            found[frozenset(powers.items())] = c / divisor[lead]
    return found if found and _product(found, divisor) == terms else None


def _expression(terms: Polynomial) -> Expression:
    """Return the sum of the terms, in alphabetical order."""
    total, text = ZERO, {base: str(base) for m in terms for base, _ in m}
    for m in sorted(terms, key=lambda m: sorted((text[base], n) for base, n in m)):
        factor = ONE
        for base, n in sorted(m, key=lambda pair: text[pair[0]]):
            factor = factor * base**n
        total = total + number(terms[m]) * factor
    return total


def _times(mass: Expression, quotient: Polynomial) -> Expression:
    """Multiply the mass by the quotient; the number of a single term precedes both."""
    number_before = Fraction(1)
    if len(quotient) == 1:
        ((term, number_before),) = quotient.items()
        quotient = {term: Fraction(1)}
    return number(number_before) * (mass * _expression(quotient))


def _summands(total: Expression) -> int:
    """Count the summands of a sum."""
    stack, count = [total], 0
    while stack:
        node = stack.pop()
        if node.op in ("add", "neg"):
            stack += node.args
        else:
            count += 1
    return count
