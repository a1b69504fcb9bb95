"""What reports say about a check against another program's equations: who differs, where, and in which monomials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mbconcord.validation.judge.evidence import Comparison, EntryTerms, Evidence


@dataclass(frozen=True)
class Trouble:
    """A disagreement, and the witnesses with whom the same witness disagrees in the same entry, worst at any state."""

    first: Comparison
    others: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Who disagrees with whom."""
        c = self.first
        if self.others:
            return f"{c.a} disagrees with {', '.join((c.b, *self.others))}"
        return f"{c.a} and {c.b} disagree" if c.a and c.b else f"{c.a}{c.b} disagrees"


def troubles(evidence: Evidence) -> list[Trouble]:
    """The disagreements; against another program's equations those of one entry stand together."""
    found = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    if evidence.against is None:
        return [Trouble(c) for c in found]
    groups: dict[object, list[Comparison]] = {}
    for number, c in enumerate(found):
        groups.setdefault((c.a, c.quantity, c.entry) if c.state else number, []).append(c)
    return [_together(group) for group in groups.values()]


def _together(group: Sequence[Comparison]) -> Trouble:
    """One trouble of several disagreements: the one that says most stands for them."""
    first = next((c for c in group if any(found.terms for found in c.terms)), group[0])
    return Trouble(first, tuple(c.b for c in group if c is not first))


def term_lines(c: Comparison, entries: int | None = None) -> Iterator[str]:
    """The monomials in which the entries of a disagreement differ: of all entries, or of so many."""
    for found in c.terms[:entries]:
        at = f"{c.quantity}[{', '.join(found.entry)}]"
        if found.reason:
            yield f"{at}: {found.reason}"
        else:
            yield f"{at}, monomials that differ ({c.a} and {c.b}):"
            yield from (f"  {line}" for line in monomial_lines(found))
        if where := written(found):
            yield f"  {where}"


def written(found: EntryTerms) -> str:
    """Where the entry is written, and its first term where that is another line; empty where nothing is known of it."""
    places = {"written at": found.location, "first term at": found.term_location}
    shown = {f"{at.file}:{at.line}": what for what, at in reversed(places.items()) if at}
    return ", ".join(f"{what} {at}" for at, what in reversed(shown.items()))


def monomial_lines(found: EntryTerms) -> Iterator[str]:
    """One line per monomial: its two coefficients."""
    rows = [(*_coefficients(t.first, t.second), t.monomial) for t in found.terms]
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    for first, second, monomial in rows:
        yield f"{first:>{widths[0]}}  {second:>{widths[1]}}  {monomial}"
    if found.more:
        yield f"and {found.more} more"


def _coefficients(first: Fraction, second: Fraction) -> tuple[str, str]:
    """Two coefficients with so many digits that they are seen to differ."""
    short = coefficient(first), coefficient(second)
    return short if short[0] != short[1] else (repr(float(first)), repr(float(second)))


def coefficient(value: Fraction) -> str:
    """A coefficient as short as it is exact, else with 12 digits."""
    if value.denominator == 1 and abs(value) < 10**12:
        return str(value)
    return f"{float(value):.12g}"
