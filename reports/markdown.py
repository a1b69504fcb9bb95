"""The report as Markdown: summary, agreement tables, disagreements, obstacles, how to repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mbconcord.model.section import Section
from mbconcord.validation.judge.evidence import Evidence

from .against import troubles
from .score import scores
from .sections import added, appendices
from .summary import (
    defaults,
    left_out,
    notes,
    obstacles,
    open_tree_only,
    reproduction,
    taken,
    versions,
    worst,
)
from .table import short
from .text import disagreement


def render(evidences: Sequence[Evidence], options: Sequence[str] = (), faults: bool = False) -> str:
    """The text; the same evidence gives the same bytes."""
    return "\n".join(_lines(evidences, options, faults)) + "\n"


def _lines(evidences: Sequence[Evidence], options: Sequence[str], faults: bool) -> Iterator[str]:
    yield "# Agreement of equations of motion"
    yield ""
    yield from _table(
        ("model", "verdict", "closest to its tolerance", "discrepancy", "tolerance"), map(_summary, evidences)
    )
    for evidence in evidences:
        yield ""
        yield f"## {evidence.file}: {evidence.headline}"
        yield ""
        compared = (
            (c.quantity, c.a or "-", c.b or "-", c.verdict, short(c.discrepancy), short(c.tolerance))
            for c in evidence.comparisons
        )
        yield from _table(("quantity", "a", "b", "verdict", "discrepancy", "tolerance"), compared)
        for found in troubles(evidence):
            yield ""
            yield from ("```text", *disagreement(found.first, found.others), "```")
        remarks = [f"left out of the model: {line}" for line in left_out(evidence)]
        remarks += [f"cannot take it: {line}" for line in obstacles(evidence)]
        remarks += [f"takes its open tree only: {line}" for line in open_tree_only(evidence)]
        remarks += [f"how it is taken: {line}" for line in taken(evidence)] + notes(evidence)
        if defaults(evidence):
            remarks.append(f"defaults: {defaults(evidence)}")
        if remarks:
            yield ""
            yield from (f"* {remark}" for remark in remarks)
        for section in added(evidence):
            yield from ("", f"{section.title}:", *_section(section))
        yield ""
        yield from ("```sh", reproduction(evidence, options), "```")
    for section in appendices(evidences):
        yield from ("", f"## {section.title}", *_section(section))
    if faults:
        yield ""
        yield "## Seeded faults"
        yield ""
        caught = (
            (
                s.formalism,
                f"{s.caught} of {s.total}",
                ", ".join(f"{claim} {count}" for claim, count in s.claims),
                s.faintest,
                ", ".join(s.missed) or "none",
            )
            for s in scores(evidences)
        )
        yield from _table(("formalism", "caught", "by", "the faintest", "not caught"), caught)
    yield ""
    yield ", ".join(f"{name} {version}" for name, version in versions().items())


def _section(section: Section) -> Iterator[str]:
    """What a formalism adds, below its title."""
    if section.about:
        yield from ("", section.about)
    if section.table:
        yield from ("", *_table(section.table.headers, section.table.rows))
    if section.note:
        yield from ("", section.note)


def _summary(evidence: Evidence) -> tuple[str, ...]:
    found = worst(evidence)
    if found is None:
        return evidence.file, evidence.headline, "-", "-", "-"
    pair = f"{found.quantity}: {found.a}, {found.b}"
    return evidence.file, evidence.headline, pair, short(found.discrepancy), short(found.tolerance)


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(headers)
    yield _row(["---"] * len(headers))
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
