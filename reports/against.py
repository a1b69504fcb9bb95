"""Reports on a check against another program's equations: which witness differs, where, and in which monomials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from mbconcord.records import dataclass
from mbconcord.validation.judge.evidence import Comparison, EntryTerms, Evidence


@dataclass(frozen=True)
class Trouble:
    """A disagreement, and the witnesses with which the same witness disagrees in the same entry, worst at any state."""

    first: Comparison
    others: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Say which witness disagrees with which."""
        c = self.first
        if self.others:
            return f"{c.a} disagrees with {', '.join((c.b, *self.others))}"
        return f"{c.a} and {c.b} disagree" if c.a and c.b else f"{c.a}{c.b} disagrees"


def troubles(evidence: Evidence) -> list[Trouble]:
    """Group the disagreements; against another program's equations, by entry."""
    found = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    if evidence.against is None:
        return [Trouble(c) for c in found]
    groups: dict[object, list[Comparison]] = {}
    for number, c in enumerate(found):
        groups.setdefault((c.a, c.quantity, c.entry) if c.state else number, []).append(c)
    return [_together(group) for group in groups.values()]


def _together(group: Sequence[Comparison]) -> Trouble:
    """Combine several disagreements to one trouble, represented by the most informative."""
    first = next((c for c in group if any(found.terms for found in c.terms)), group[0])
    return Trouble(first, tuple(c.b for c in group if c is not first))


def term_lines(c: Comparison, entries: int | None = None) -> Iterator[str]:
    """Yield the monomials in which the entries of a disagreement differ: all, or the first ``entries``."""
    for found in c.terms[:entries]:
        at = f"{c.quantity}[{', '.join(found.entry)}]"
        if found.reason:
            yield f"{at}: {found.reason}"
        else:
            yield f"{at}, monomials that differ ({c.a} and {c.b}):"
            yield from (f"  {line}" for line in monomial_lines(found))
        if where := describe_places(found):
            yield f"  {where}"


def describe_places(found: EntryTerms) -> str:
    """Describe where the entry is written, and its first term if on another line; empty if unknown."""
    places = {"written at": found.location, "first term at": found.term_location}
    shown = {f"{at.file}:{at.line}": what for what, at in reversed(places.items()) if at}
    return ", ".join(f"{what} {at}" for at, what in reversed(shown.items()))


def monomial_lines(found: EntryTerms) -> Iterator[str]:
    """Yield one line per monomial: its two coefficients."""
    rows = [(*_coefficients(t.first, t.second), t.monomial) for t in found.terms]
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    for first, second, monomial in rows:
        yield f"{first:>{widths[0]}}  {second:>{widths[1]}}  {monomial}"
    if found.more:
        yield f"and {found.more} more"


def _coefficients(first: Fraction, second: Fraction) -> tuple[str, str]:
    """Write two coefficients with enough digits to show their difference."""
    short = coefficient(first), coefficient(second)
    return short if short[0] != short[1] else (_write(first, repr), _write(second, repr))


def coefficient(value: Fraction) -> str:
    """Write a coefficient exactly if that is short, else with 12 digits."""
    if value.denominator == 1 and abs(value) < 10**12:
        return str(value)
    return _write(value, "{:.12g}".format)


def _write(value: Fraction, of_float: Callable[[float], str]) -> str:
    """Write a coefficient as its float, or with 17 digits where it is beyond their range."""
    try:
        return of_float(float(value))
    except OverflowError:
        return str(Context(prec=17).divide(Decimal(value.numerator), Decimal(value.denominator)))
