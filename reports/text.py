"""Evidence as plain text: the agreement table of a file, and one row per file for several."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.model.limits import count
from mbconcord.validation.judge.evidence import OVERALL, Comparison, Evidence

from .against import Trouble, term_lines, troubles
from .part import Digest, assumptions
from .quantities import COLUMN, columns, describe_proof, group, kind, quantities, table_of, verdict_words
from .summary import defaults, describe_choices, left_out, notes, obstacles, open_tree_only, reproduction
from .table import short, table

#: So many disagreements are told whole, and so many more in a line each.
MOST_TROUBLES: Final = 3
MOST_LINES: Final = 20


def one_file(
    evidence: Evidence, options: Sequence[str] = (), brief: bool = False, detail: int = 0, headed: bool = True
) -> str:
    """Report everything a check found about one file; ``brief``: only what does not agree.

    ``headed``: with the assumptions under which its numbers hold, which otherwise stand before several models.

    ``options`` are those of the command that set numbers. ``detail`` 0 prints a row for each group of quantities,
    1 a row for each quantity and claim, 2 a row for each comparison.
    """
    return "\n".join(_sections(evidence, options, brief, detail, headed)) + "\n"


def summary(digests: Sequence[Digest]) -> str:
    """Tabulate one row per file: verdict, witnesses, and the comparison that came closest to its tolerance."""
    return table(("file", "verdict", "witnesses", "discrepancy", "tolerance", "quantity"), map(_row, digests))


def closing_line(digests: Sequence[Digest], unreadable: int) -> str:
    """Count the files by verdict."""
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
    """Yield the disagreements: whole, or the first few with the terms of one entry each, the others in one line."""
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
    """Say where two witnesses differ, by how much, in which monomials, and who is wrong; ``others`` side with b.

    Monomials are shown for at most ``entries`` entries; None: for all.
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
    """Name the worst entry: ``M[z1, z2]``."""
    return f"{c.quantity}[{', '.join(c.entry)}]" if c.entry else c.quantity


def state_line(c: Comparison) -> str:
    """Write the worst state in the form of a state file, without its empty parts."""
    data = c.state.to_json() if c.state else {}
    return json.dumps({key: value for key, value in data.items() if value or key == "t"}, ensure_ascii=False)
