"""Evidence as plain text: the agreement table of a file, and one row per file for several."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from mbconcord.model.limits import count
from mbconcord.records import dataclass
from mbconcord.validation.judge.evidence import Comparison, EntryTerms, Evidence

from .part import Digest, assumptions
from .quantities import COLUMN, columns, describe_proof, group, kind, quantities, table_of, verdict_words
from .summary import defaults, describe_choices, left_out, notes, obstacles, open_tree_only, read_back, reproduction
from .table import short, table

#: So many disagreements are told whole, and so many more in a line each.
MOST_TROUBLES: Final = 3
MOST_LINES: Final = 20


def one_file(
    evidence: Evidence, options: Sequence[str] = (), brief: bool = False, detail: int = 0, headed: bool = True
) -> str:
    """Write the report of a check of one file; if ``brief``, comparisons that agree are only counted.

    ``headed``: include the assumptions of the numbers, which for several models are printed once before them.

    ``options`` are options of the command that set numbers. ``detail`` 0 prints a row for each group of quantities,
    1 a row for each quantity and claim, 2 a row for each comparison.
    """
    said = "\n".join(_sections(evidence, options, brief, detail, headed)) + "\n"
    more = [*_closing(evidence, options), *(describe_choices(evidence) if detail else ())]
    return read_back(said, evidence, options, more)


def summary(digests: Sequence[Digest]) -> str:
    """Tabulate one row per file: verdict, witnesses, and the comparison that came closest to its tolerance."""
    return table(("file", "verdict", "witnesses", "discrepancy", "tolerance", "quantity"), map(_row, digests))


def _row(found: Digest) -> tuple[str, ...]:
    row = (found.file, found.headline, str(found.witnesses))
    c = found.closest
    return (*row, short(c.discrepancy), short(c.tolerance), c.quantity) if c else (*row, "-", "-", "-")


def _sections(evidence: Evidence, options: Sequence[str], brief: bool, detail: int, headed: bool) -> Iterator[str]:
    states = count(len(evidence.states), "state")
    yield f"{evidence.file}: {evidence.headline}  ({states}, seed {evidence.seed})"
    if not brief:
        yield from (f"  exact: {line}" for line in describe_proof(evidence.comparisons))
    yield from (f"  {line}" for line in (assumptions(evidence) if headed else ()))
    for paragraph in (
        _pairs(evidence.comparisons, brief) if detail > 1 or brief else _quantities(evidence.comparisons, detail),
        *_troubles(troubles(evidence), whole=detail > 1),
        _add_title(evidence.left_out.title, left_out(evidence)),
        _add_title("not checked", not_checked(evidence.comparisons)),
        _add_title("cannot take this model", obstacles(evidence)),
        _add_title("take its open tree only", open_tree_only(evidence)) if detail or brief else [],
        _add_title("how it is taken", describe_choices(evidence)) if detail else [],
        _add_title("notes", notes(evidence)),
        _closing(evidence, options),
    ):
        if paragraph:
            yield ""
            yield from (f"  {line}" if line else line for line in paragraph)


def _troubles(found: Sequence[Trouble], whole: bool) -> Iterator[list[str]]:
    """Yield paragraphs on disagreements: in full if ``whole``, else the first few shortened and the others as lines."""
    for trouble in found if whole else found[:MOST_TROUBLES]:
        yield list(disagreement(trouble.first, trouble.others, None if whole else 1))
    rest = () if whole else found[MOST_TROUBLES:]
    lines = [f"{where(t.first)}: {t.sentence}" for t in rest[:MOST_LINES]]
    if len(rest) > MOST_LINES:
        lines.append(f"and {len(rest) - MOST_LINES} more")
    yield _add_title("more disagreements (all of each: -vv, --json, --report)", lines)


def _quantities(comparisons: Sequence[Comparison], detail: int) -> list[str]:
    """Write the table of comparisons: a row for each group of quantities, or for each quantity."""
    found = [q for q in quantities(comparisons) if q.is_compared]
    headers, rows = table_of(found if detail else group(found), pairs=bool(detail))
    return table(headers, rows).split("\n") if rows else []


def _pairs(comparisons: Sequence[Comparison], brief: bool) -> list[str]:
    """Write the table of comparisons pair by pair; ``brief`` only counts those that agree."""
    compared = [c for c in by_quantity(comparisons) if c.verdict != "not checked"]
    shown = [c for c in compared if not (brief and c.verdict == "agrees")]
    lines = []
    if shown:
        headers = (
            "quantity", COLUMN, "a", "b", "difference", "tolerance", "sensitivity", "cond", "verdict"
        )  # fmt: skip
        lines = table(*columns(headers, map(_comparison, shown))).split("\n")
    hidden = len(compared) - len(shown)
    return [*lines, f"{count(hidden, 'comparison')} agree{'s' * (hidden == 1)}"] if hidden else lines


def not_checked(comparisons: Sequence[Comparison]) -> list[str]:
    """List quantities that were not checked, those with the same reason on one line."""
    reasons: dict[str, dict[str, None]] = {}
    for c in comparisons:
        if c.verdict == "not checked":
            reasons.setdefault(c.explanation, {})[c.quantity] = None
    return [f"{', '.join(quantities)}: {reason}" for reason, quantities in reasons.items()]


def _add_title(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _closing(evidence: Evidence, options: Sequence[str]) -> list[str]:
    lines = [f"defaults: {defaults(evidence)}"] if defaults(evidence) else []
    return [*lines, f"reproduce: {reproduction(evidence, options)}"]


def by_quantity(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Sort the comparisons by quantity, in order of first appearance."""
    order = list(dict.fromkeys(c.quantity for c in comparisons))
    return sorted(comparisons, key=lambda c: order.index(c.quantity))


def _comparison(c: Comparison) -> tuple[str, ...]:
    cond = "-" if c.cond is None else f"{c.cond:.2g}"
    return (
        c.quantity, kind([c]), c.a or "-", c.b or "-", short(c.discrepancy), short(c.tolerance),
        short(c.noticeable), cond, verdict_words(c),
    )  # fmt: skip


def disagreement(c: Comparison, others: Sequence[str] = (), entries: int | None = None) -> Iterator[str]:
    """Yield lines on a disagreement: entry, values, state, cause, monomials; ``others`` are witnesses that confirm b.

    Monomials are shown for at most ``entries`` entries; None: for all entries.
    """
    yield f"{where(c)}: {Trouble(c, tuple(others)).sentence}"
    if c.values is not None:
        yield f"  {c.a} = {c.values[0]!r}"
        yield f"  {c.b} = {c.values[1]!r}"
    if c.scale is not None:
        relative = f"discrepancy {short(c.discrepancy)} of it, tolerance {short(c.tolerance)}"
        yield f"  scale {c.scale:.6g}, {relative}"
    if c.state is not None:
        yield f"  state {state_line(c)}"
    if c.explanation:
        yield f"  {c.explanation}"
    yield from (f"  {line}" for line in term_lines(c, entries))


def where(c: Comparison) -> str:
    """Return the name of the worst entry of a comparison: ``M[z1, z2]``."""
    return f"{c.quantity}[{', '.join(c.entry)}]" if c.entry else c.quantity


def state_line(c: Comparison) -> str:
    """Write the worst state in the form of a state file, without its empty parts."""
    data = c.state.to_json() if c.state else {}
    return json.dumps({key: value for key, value in data.items() if value or key == "t"}, ensure_ascii=False)


# Reports on a check against another program's equations: which witness differs, where, and in which monomials.


@dataclass(frozen=True)
class Trouble:
    """A disagreement ``first`` of witnesses a and b; ``others`` are witnesses that contradict a in the same entry."""

    first: Comparison
    others: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Sentence that names the witnesses which disagree."""
        c = self.first
        if self.others:
            return f"{c.a} disagrees with {', '.join((c.b, *self.others))}"
        return f"{c.a} and {c.b} disagree" if c.a and c.b else f"{c.a}{c.b} disagrees"


def troubles(evidence: Evidence) -> list[Trouble]:
    """Return the disagreements; those with another program's equations in the same entry are combined."""
    found = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    if evidence.against is None:
        return [Trouble(c) for c in found]
    groups: dict[object, list[Comparison]] = {}
    for number, c in enumerate(found):
        groups.setdefault((c.a, c.quantity, c.entry) if c.state else number, []).append(c)
    return [_together(group) for group in groups.values()]


def _together(group: Sequence[Comparison]) -> Trouble:
    """Combine several disagreements to one, represented by the first that has monomials."""
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
    """Return file and line of an entry, and of its first term if on another line; empty if unknown."""
    places = {"written at": found.location, "first term at": found.term_location}
    shown = {f"{at.file}:{at.line}": what for what, at in reversed(places.items()) if at}
    return ", ".join(f"{what} {at}" for at, what in reversed(shown.items()))


def monomial_lines(found: EntryTerms) -> Iterator[str]:
    """Yield one line per monomial, with its coefficients by both witnesses."""
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
    """Write a coefficient as a float, or with 17 digits if it is beyond the range of floats."""
    try:
        return of_float(float(value))
    except OverflowError:
        return str(Context(prec=17).divide(Decimal(value.numerator), Decimal(value.denominator)))
