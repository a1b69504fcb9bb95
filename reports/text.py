"""Evidence as plain text: the agreement table of a file, and one row per file for several."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.validation.judge.evidence import OVERALL, Comparison, Evidence

from .against import Trouble, term_lines, troubles
from .digest import Digest
from .exactness import columns, kind, proved
from .quantities import quantities, table_of
from .score import Score
from .summary import defaults, left_out, notes, obstacles, open_tree_only, reproduction, taken
from .table import short, table
from .wording import verdict_words

#: So many disagreements are told whole, and so many more in a line each.
MOST_TROUBLES: Final = 3
MOST_LINES: Final = 20


def one_file(
    evidence: Evidence, options: Sequence[str] = (), brief: bool = False, pairs: bool = False
) -> str:
    """Everything a check found about one file; ``brief``: only what does not agree.

    ``options`` are those of the command that set numbers; with ``pairs`` every comparison has its line, else every
    quantity, and every claim, has one.
    """
    return "\n".join(_sections(evidence, options, brief, pairs)) + "\n"


def score_table(scores: Sequence[Score]) -> str:
    """The score of seeded faults: how many of each formalism were noticed, by which claims, and which were not."""
    rows = (
        (s.formalism, f"{s.caught} of {s.total}", ", ".join(f"{claim} {n}" for claim, n in s.claims),
         s.faintest, ", ".join(s.missed) or "none")
        for s in scores
    )  # fmt: skip
    return table(("formalism", "caught", "by", "the faintest", "not caught"), rows)


def summary(digests: Sequence[Digest]) -> str:
    """One row per file: verdict, witnesses, and the comparison that came closest to its tolerance."""
    return table(("file", "verdict", "witnesses", "discrepancy", "tolerance", "quantity"), map(_row, digests))


def closing_line(digests: Sequence[Digest], unreadable: int) -> str:
    """How many files came out how."""
    counts = dict.fromkeys(OVERALL, 0)
    for found in digests:
        counts[found.verdict] += 1
    words = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    if unreadable:
        words.append(f"{unreadable} refused")
    total = len(digests) + unreadable
    return f"{total} {'file' if total == 1 else 'files'}: {', '.join(words)}"


def _row(found: Digest) -> tuple[str, ...]:
    row = (found.file, found.headline, str(found.witnesses))
    c = found.closest
    return (*row, short(c.discrepancy), short(c.tolerance), c.quantity) if c else (*row, "-", "-", "-")


def _sections(evidence: Evidence, options: Sequence[str], brief: bool, pairs: bool) -> Iterator[str]:
    states = "1 state" if len(evidence.states) == 1 else f"{len(evidence.states)} states"
    yield f"{evidence.file}: {evidence.headline}  ({states}, seed {evidence.seed})"
    if not brief:
        yield from (f"  exact: {line}" for line in proved(evidence.comparisons))
    for paragraph in (
        _pairs(evidence.comparisons, brief) if pairs or brief else _quantities(evidence.comparisons),
        *_troubles(troubles(evidence), whole=pairs),
        _titled("left out of the model", left_out(evidence)),
        _titled("not checked", not_checked(evidence.comparisons)),
        _titled("cannot take this model", obstacles(evidence)),
        _titled("take its open tree only", open_tree_only(evidence)),
        [] if brief else _titled("how it is taken", taken(evidence)),
        _titled("notes", notes(evidence)),
        _closing(evidence, options),
    ):
        if paragraph:
            yield ""
            yield from (f"  {line}" if line else line for line in paragraph)


def _troubles(found: Sequence[Trouble], whole: bool) -> Iterator[list[str]]:
    """The disagreements: whole, or the first few with the terms of one entry each, the others in a line each."""
    for trouble in found if whole else found[:MOST_TROUBLES]:
        yield list(disagreement(trouble.first, trouble.others, None if whole else 1))
    rest = () if whole else found[MOST_TROUBLES:]
    lines = [f"{where(t.first)}: {t.said}" for t in rest[:MOST_LINES]]
    if len(rest) > MOST_LINES:
        lines.append(f"and {len(rest) - MOST_LINES} more")
    yield _titled("more disagreements (all of each: --verbose, --json, --report)", lines)


def _quantities(comparisons: Sequence[Comparison]) -> list[str]:
    """The table of what was compared: a line for every quantity, and for every claim's."""
    headers, rows = table_of(found for found in quantities(comparisons) if found.compared)
    return table(headers, rows).split("\n") if rows else []


def _pairs(comparisons: Sequence[Comparison], brief: bool) -> list[str]:
    """The table of what was compared, pair by pair; ``brief``: how much of it agrees."""
    compared = [c for c in by_quantity(comparisons) if c.verdict != "not checked"]
    shown = [c for c in compared if not (brief and c.verdict == "agrees")]
    lines = []
    if shown:
        headers = (
            "quantity",
            "exact",
            "a",
            "b",
            "discrepancy",
            "tolerance",
            "noticed from",
            "cond",
            "verdict",
        )
        lines = table(*columns(headers, map(_comparison, shown))).split("\n")
    hidden = len(compared) - len(shown)
    return [*lines, f"{hidden} comparisons agree"] if hidden else lines


def not_checked(comparisons: Sequence[Comparison]) -> list[str]:
    """Quantities that were not checked, those for the same reason on one line."""
    reasons: dict[str, dict[str, None]] = {}
    for c in comparisons:
        if c.verdict == "not checked":
            reasons.setdefault(c.explanation, {})[c.quantity] = None
    return [f"{', '.join(quantities)}: {reason}" for reason, quantities in reasons.items()]


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _closing(evidence: Evidence, options: Sequence[str]) -> list[str]:
    lines = [f"defaults: {defaults(evidence)}"] if defaults(evidence) else []
    return [*lines, f"reproduce: {reproduction(evidence, options)}"]


def by_quantity(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with those of one quantity together, in the order in which quantities first stand."""
    order = list(dict.fromkeys(c.quantity for c in comparisons))
    return sorted(comparisons, key=lambda c: order.index(c.quantity))


def _comparison(c: Comparison) -> tuple[str, ...]:
    cond = "-" if c.cond is None else f"{c.cond:.2g}"
    return (
        c.quantity, kind([c]), c.a or "-", c.b or "-", short(c.discrepancy), short(c.tolerance),
        short(c.noticeable), cond, verdict_words(c),
    )  # fmt: skip


def disagreement(c: Comparison, others: Sequence[str] = (), entries: int | None = None) -> Iterator[str]:
    """Where two witnesses differ, by how much, in which monomials, and who is wrong; ``others`` side with b.

    Monomials are those of so many entries; None: of all.
    """
    yield f"{where(c)}: {Trouble(c, tuple(others)).said}"
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
    """The worst entry: ``M[z1, z2]``."""
    return f"{c.quantity}[{', '.join(c.entry)}]" if c.entry else c.quantity


def state_line(c: Comparison) -> str:
    """The worst state in the form of a state file, without its empty parts."""
    data = c.state.to_json() if c.state else {}
    return json.dumps({key: value for key, value in data.items() if value or key == "t"}, ensure_ascii=False)
