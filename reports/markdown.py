"""The report as Markdown: summary, agreement tables, disagreements, obstacles, how to repeat."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mbconcord.model.notation.listing import ReportSection
from mbconcord.validation.judge.evidence import Evidence

from .part import Digest, Refusal, ReportPart, ReportRequest, assumptions, collect_sections, failures_first, once
from .quantities import COMPARED, MEANINGS, WITHOUT_BOUNDS, describe_proof, quantities, table_of
from .reactions import reactions
from .summary import (
    defaults,
    describe_choices,
    left_out,
    notes,
    obstacles,
    open_tree_only,
    read_back,
    reproduction,
    versions,
)
from .table import short
from .text import disagreement, troubles

#: What formalisms say once stands at its end.
APPENDICES = True
#: What begins a tag of HTML in Markdown.
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write one model's section; the same evidence gives the same bytes."""
    said = "\n".join(_model(evidence, wanted.options))
    return read_back(said, evidence, wanted.options, (*describe_choices(evidence), defaults(evidence)))


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write the whole report: summary of all models, their sections, appendices."""
    return "\n".join(_page(parts, refusals)) + "\n"


def _model(evidence: Evidence, options: Sequence[str]) -> Iterator[str]:
    yield plain(f"## {evidence.file}: {evidence.headline}")
    yield ""
    for line in describe_proof(evidence.comparisons):
        yield from (f"Exact: {line}", "")
    for line in assumptions(evidence):
        yield from (line, "")
    yield from _table(*table_of(quantities(evidence.comparisons)))
    for found in troubles(evidence):
        yield ""
        yield from ("```text", *disagreement(found.first, found.others), "```")
    remarks = [f"{evidence.left_out.title}: {line}" for line in left_out(evidence)]
    remarks += [f"cannot take it: {line}" for line in obstacles(evidence)]
    remarks += [f"takes its open tree only: {line}" for line in open_tree_only(evidence)]
    remarks += [f"how it is taken: {line}" for line in describe_choices(evidence)] + notes(evidence)
    if defaults(evidence):
        remarks.append(f"defaults: {defaults(evidence)}")
    if remarks:
        yield ""
        yield from (plain(f"* {remark}") for remark in remarks)
    borne = reactions(evidence)
    for section in [*([borne] if borne else []), *collect_sections(evidence)]:
        yield from ("", f"{section.title}:", *_section(section))
    yield ""
    yield from ("```sh", reproduction(evidence, options), "```")


def _page(parts: Sequence[ReportPart], refusals: Sequence[Refusal]) -> Iterator[str]:
    yield "# Agreement of equations of motion"
    yield from ("", COMPARED, "")
    yield from (f"* *{word}*: {meaning}" for word, meaning in MEANINGS)
    yield from ("", WITHOUT_BOUNDS, "")
    yield from summary_table(part.digest for part in parts)
    for refusal in refusals:
        yield from ("", plain(f"## {refusal.file}: refused"), "", *(plain(f"* {d}") for d in refusal.findings))
    for part in failures_first(parts):
        yield from ("", part.body)
    for section in once(parts):
        yield from ("", f"## {section.title}", *_section(section))
    yield ""
    yield ", ".join(f"{name} {version}" for name, version in versions().items())


def summary_table(digests: Iterable[Digest]) -> Iterator[str]:
    """Yield the lines of a table with a row for each model."""
    yield from _table(
        ("model", "verdict", "closest to its tolerance", "discrepancy", "tolerance"), map(_summary, digests)
    )


def _section(section: ReportSection) -> Iterator[str]:
    """Yield the lines of a formalism's section without its title."""
    if section.about:
        yield from ("", section.about)
    if section.table:
        yield from ("", *_table(section.table.headers, section.table.rows))
    if section.note:
        yield from ("", section.note)


def _summary(found: Digest) -> tuple[str, ...]:
    c = found.closest
    if c is None:
        return found.file, found.headline, "-", "-", "-"
    pair = ", ".join(filter(None, (c.a, c.b)))
    return found.file, found.headline, f"{c.quantity}: {pair}", short(c.discrepancy), short(c.tolerance)


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(headers)
    yield _row(["---"] * len(headers))
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(plain(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def plain(text: str) -> str:
    """Return a text on one line without HTML tags: names of models and files may contain both."""
    return _TAG.sub("&lt;", " ".join(text.splitlines()))
