"""Details of a disagreement: every entry that disagrees, and the monomials in which its formulas differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import Expression, ExpressionError, evaluate_float, substitute, symbol, symbols
from mbconcord.model.numbers import define
from mbconcord.model.system import System
from mbconcord.validation.judge.comparison import ArrayDifference, excess
from mbconcord.validation.judge.evidence import Comparison, EntryTerms
from mbconcord.validation.judge.monomials import Monomial, Polynomial, TermDifference, monomial_text, monomials

from ..witnesses.um.body_formulas import Formulas, Origin, WrittenPlace

#: Most entries and monomials that are listed.
ENTRIES, MONOMIALS = 6, 8
#: Products of more monomials are given up: no reader would use the list.
LARGEST = 4_000
#: Coefficients that differ by less, relative to their sizes, are the same: a program prints 15 digits.
SAME = Fraction(1, 10**12)
#: Where all are the same, what differs by more than this is shown: doubles hold sixteen digits.
FINEST = Fraction(1, 10**14)

Differences = dict[Monomial, tuple[Fraction, Fraction]]


def in_terms(
    found: Iterable[WrittenPlace | Comparison], system: System, identifiers: Iterable[str]
) -> Iterator[Comparison]:
    """Yield comparisons, with explanations of those that disagree; for each quantity one gets a list of terms."""
    listed: set[str] = set()
    for each in found:
        if isinstance(each, Comparison):
            yield each
            continue
        c = each.comparison
        if c.verdict == "disagrees" and c.discrepancy is not None and c.quantity not in listed:
            c = explain_terms(c, each.difference, each.entries, each.formulas, system, identifiers, each.origin)
            listed |= {c.quantity} if any(entry.terms for entry in c.terms) else set()
        yield c


def explain_terms(
    comparison: Comparison, difference: ArrayDifference, names: Sequence[tuple[str, ...]], formulas: Formulas,
    system: System, identifiers: Iterable[str], origin: Origin | None = None,
) -> Comparison:  # fmt: skip
    """Add the other entries and the monomials of each to a disagreement.

    Parameters
    ----------
    comparison : a disagreement of numbers
    difference : the numbers (N, …) of K entries in which the disagreement was found
    names : names of the K entries
    formulas : function that returns both sides' formulas of an entry
    system : model; its values replace parameters that the generated equations do not name
    identifiers : parameters that the generated equations name
    origin : source text of the generated formulas, for locations
    """
    with np.errstate(all="ignore"):
        beyond = excess(difference).reshape(len(difference.a), -1)
    largest = np.max(np.where(np.isfinite(difference.a.reshape(beyond.shape)), beyond, 0.0), axis=0)
    order = [int(i) for i in np.argsort(-largest, kind="stable") if largest[i] > 1.0]
    wrong = [names[i] for i in order]
    shown = list(dict.fromkeys(n for n in wrong if _is_upper(n, names)))
    named = frozenset(identifiers)
    found = tuple(_terms(system, named, name, *formulas(name), origin) for name in shown[:ENTRIES])
    others = [f"[{', '.join(name)}]" for name in shown[1:]]
    explanation = comparison.explanation
    if others:
        listed = ", ".join(others[: 2 * ENTRIES]) + (", …" if len(others) > 2 * ENTRIES else "")
        explanation = f"{explanation}{'; ' if explanation else ''}entries that disagree too: {listed}"
    return replace(comparison, terms=found, explanation=explanation)


def _is_upper(name: tuple[str, ...], names: Sequence[tuple[str, ...]]) -> bool:
    """Return False for an entry in the lower half of a symmetric matrix, which repeats the upper half."""
    if len(name) != 2 or name[::-1] not in names or name[0] == name[1]:
        return True
    return names.index(name) < names.index(name[::-1])


def _terms(
    system: System, identifiers: frozenset[str], entry: tuple[str, ...],
    first: Expression | None, second: Expression | None, origin: Origin | None,
) -> EntryTerms:  # fmt: skip
    at = origin.of_entry(entry) if origin else None
    if first is None or second is None:
        return EntryTerms(entry, reason="there is no formula to compare term by term", location=at)
    try:
        found, kept = _find_differences(system, identifiers, first, second)
    except (MbconcordError, ExpressionError) as problem:
        return EntryTerms(entry, reason=f"no list of monomials: {problem}", location=at)
    if not found:
        reason = "the monomials are the same: the formulas differ in digits only"
        return EntryTerms(entry, reason=reason, location=at)
    ordered = sorted(found, key=lambda m: (-abs(found[m][0] - found[m][1]), monomial_text(m)))
    terms = [TermDifference(monomial_text(m), *found[m]) for m in ordered[:MONOMIALS]]
    written, first_at = next((m for m in ordered if found[m][0]), None), None
    if origin and written is not None:
        first_at = origin.of_term(
            entry, written, found[written][0], LARGEST, lambda values: with_numbers(system, values, kept), _numeric
        )
    return EntryTerms(entry, tuple(terms), max(0, len(ordered) - MONOMIALS), "", at, first_at)


def _find_differences(
    system: System, identifiers: frozenset[str], first: Expression, second: Expression
) -> tuple[Differences, frozenset[str]]:
    """Return differing monomials, and the names of parameters that stay symbols in them.

    Parameters are symbols, or numbers where the first side has numbers for some: ``m1 x + y`` and ``m1 x + m1 y``
    differ in symbols, but not in numbers with m1 = 1. If all coefficients agree to the printed digits, those that
    differ in more digits are shown.
    """
    kept = symbols([first]) | identifiers
    none: frozenset[str] = frozenset()
    (a, b), (x, y) = (with_numbers(system, (first, second), names) for names in (kept, none))
    for same in (SAME, FINEST):
        named, numbers = differences(a, b, same), differences(x, y, same)
        if named or numbers:
            break
    parameters = {symbol(p.name) for p in system.parameters if p.value is not None}
    groups = {tuple((f, n) for f, n in monomial if f not in parameters) for monomial in named}
    return (numbers, none) if len(groups) > len(numbers) else (named, kept)


def differences(first: Expression, second: Expression, same: Fraction = SAME) -> Differences:
    """Return monomials with coefficients that differ beyond printed digits, with both coefficients.

    Raises
    ------
    MbconcordError
        A side is no polynomial in symbols, sines and cosines, or too long.
    """
    a, b = (_numeric(monomials(side, LARGEST)) for side in (first, second))
    size = max(map(abs, (*a.values(), *b.values())), default=Fraction(0))
    found = {}
    for monomial in {*a, *b}:
        x, y = a.get(monomial, Fraction(0)), b.get(monomial, Fraction(0))
        if abs(x - y) > same * max(abs(x), abs(y)) and abs(x - y) > same / 1000 * size:
            found[monomial] = x, y
    return found


def _numeric(polynomial: Polynomial) -> Polynomial:
    """Move constant factors such as sqrt(2) of the polynomial into the coefficients."""
    result: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        kept: Monomial = tuple((f, n) for f, n in monomial if not f.constant)
        for f, n in monomial:
            if f.constant:
                coefficient = coefficient * Fraction(evaluate_float(f, {})) ** n
        result[kept] = result.get(kept, Fraction(0)) + coefficient
    return result


def with_numbers(system: System, formulas: Iterable[Expression], kept: frozenset[str]) -> tuple[Expression, ...]:
    """Substitute the model's numbers for its parameters; those in ``kept`` stay symbolic."""
    roots = define(formulas, system.functions)
    values = {symbol(p.name): p.value for p in system.parameters if p.value is not None and p.name not in kept}
    for _ in range(len(values) + 1):
        replaced = substitute(roots, values)
        if all(x is y for x, y in zip(replaced, roots, strict=True)):
            break
        roots = replaced
    return tuple(roots)
