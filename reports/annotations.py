"""Findings of checks with level, rule and place in the model's text, as SARIF or as annotations of GitHub jobs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final, Literal

from mbconcord.converters.inclusions import absolute
from mbconcord.model.diagnostics import Diagnostic, Location
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.evidence import Comparison, Evidence

from .markdown import plain, summary_table
from .part import Digest, Refusal, ReportPart, ReportRequest, merge_assumptions
from .summary import list_omissions, reproduction, versions
from .text import disagreement, not_checked, troubles

Level = Literal["error", "warning"]
#: Rule -> its sentence.
RULES: Final[Mapping[str, str]] = {
    "disagreement": "two witnesses of the equations of motion disagree",
    "not-checked": "a quantity has fewer than two witnesses",
    "left-out": "the reader left out what acts on the motion",
    "refused": "the model cannot be checked",
    "unexpected": "the check differs from the catalog",
    "remark": "the model deserves a look",
}
#: Parts of a model after which entries of quantities and omissions are named.
NAMED: Final = ("coordinates", "bodies")


@dataclass(frozen=True)
class Annotation:
    """A finding: an error if the check fails because of it, else a warning; ``rule`` is a key of ``RULES``."""

    level: Level
    rule: str
    location: Location
    message: str


def annotate(evidence: Evidence, options: Sequence[str] = ()) -> tuple[Annotation, ...]:
    """List the findings of a check with their places; ``options`` belong to the command that repeats the check."""
    return tuple(_annotations(evidence, options))


def _annotations(evidence: Evidence, options: Sequence[str]) -> Iterator[Annotation]:
    start = Location(evidence.file, 1, 1)
    for trouble in troubles(evidence):
        lines = [*disagreement(trouble.first, trouble.others, 1), f"reproduce: {reproduction(evidence, options)}"]
        yield Annotation("error", "disagreement", locate(evidence, trouble.first), "\n".join(lines))
    for line in not_checked(evidence.comparisons):
        yield Annotation("error" if evidence.verdict == "not checked" else "warning", "not-checked", start, line)
    left_out = evidence.left_out
    for kind in left_out.counts:
        own = tuple(o for o in left_out.touching if o.kind == kind)
        names = [("omissions", o.place) for o in own] + [(k, o.place.partition("/")[2]) for o in own for k in NAMED]
        at = _first(evidence, names)
        said = "; ".join(list_omissions(replace(left_out, omissions=own, accepted=None))[:1])
        answer = left_out.describe_acceptance()
        yield Annotation("warning" if left_out.stands else "error", "left-out", at, f"{said}; {answer}")
    yield from annotate_findings(evidence.file, evidence.diagnostics, "remark")


def annotate_findings(file: str, findings: Iterable[Diagnostic], rule: str = "refused") -> tuple[Annotation, ...]:
    """Convert errors and warnings about a model to annotations; the default rule is that of a refused model."""
    start = Location(file, 1, 1)
    return tuple(
        Annotation(
            d.severity, rule, d.location or start, str(replace(d, location=None)).replace(f"{d.severity}: ", "", 1)
        )
        for d in findings
        if d.severity != "note"
    )


def locate(evidence: Evidence, c: Comparison) -> Location:
    """Return the place in the text of the coordinate or body of a comparison's worst entry; else the first line."""
    return _first(evidence, [(kind, name) for name in c.entry for kind in NAMED])


def _first(evidence: Evidence, names: Iterable[tuple[str, str]]) -> Location:
    found = (evidence.locations.get(f"{kind}/{name}") for kind, name in names)
    return next(filter(None, found), Location(evidence.file, 1, 1))


# What a job of GitHub shows.


def commands(found: Iterable[Annotation]) -> list[str]:
    """Write a command line for each finding, which GitHub turns from the log of a job into an annotation."""
    return [
        f"::{a.level} file={_escape(_from_root(a.location.file), ':,')},line={a.location.line},col={a.location.column},"
        f"title={_escape(f'mbconcord: {RULES[a.rule]}', ':,')}::{_escape(a.message)}"
        for a in found
    ]


def _from_root(file: str) -> str:
    """Return a path relative to the checkout if this is a GitHub job and the file is in it; else unchanged."""
    root, path = os.environ.get("GITHUB_WORKSPACE"), absolute(file)
    return path.relative_to(absolute(root)).as_posix() if root and path.is_relative_to(absolute(root)) else file


def summary(digests: Sequence[Digest], found: Sequence[Annotation], closing: str) -> str:
    """Write the summary of a job: a row for each model, then the findings, errors first."""
    lines = ["## Models checked by mbconcord", "", plain(closing), ""]
    lines += [*map(plain, merge_assumptions(digests)), "", *summary_table(digests), ""]
    for a in sorted(found, key=lambda a: a.level):
        head, *rest = a.message.splitlines()
        lines.append(plain(f"* {a.level}: {a.location}: {head}"))
        lines += ["", "  ```text", *(f"  {line}" for line in rest), "  ```", ""] if rest else []
    return "\n".join(lines) + "\n"


def _escape(text: str, also: str = "") -> str:
    """Escape characters that would end a command of GitHub; ``also`` are those that would end a property."""
    for mark in f"%\r\n{also}":
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text


# SARIF 2.1.0, the format in which code hosts and editors take findings: a result for each.


#: Formalisms add nothing to it.
APPENDICES = False


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write the results of one model as SARIF, with commas between them."""
    return _results(annotate(evidence, wanted.options))


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write the SARIF document: one run of the program with all results."""
    rules = [{"id": rule, "shortDescription": {"text": sentence}} for rule, sentence in RULES.items()]
    driver = {"name": "mbconcord", "version": versions()["mbconcord"], "rules": rules}
    texts = [
        *(part.body for part in parts),
        *(_results(annotate_findings(refusal.file, refusal.findings)) for refusal in refusals),
    ]
    results = json.loads(f"[{','.join(filter(None, texts))}]")
    assumed = {"assumes": merge_assumptions(part.digest for part in parts)}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results, "properties": assumed}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    document = {"$schema": schema, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _results(found: Iterable[Annotation]) -> str:
    return ",".join(json.dumps(_result(a), ensure_ascii=False) for a in found)


def _result(a: Annotation) -> dict[str, Any]:
    region = {"startLine": a.location.line, "startColumn": a.location.column}
    place = {"artifactLocation": {"uri": _address(a.location.file)}, "region": region}
    return {
        "ruleId": a.rule, "level": a.level, "message": {"text": a.message}, "locations": [{"physicalLocation": place}],
    }  # fmt: skip


def _address(file: str) -> str:
    """Return the URI of a file, relative to the checkout if it lies in it."""
    from urllib.parse import quote  # not before: it is seldom asked for

    file = _from_root(file)
    return Path(file).as_uri() if Path(file).is_absolute() else quote(PurePath(file).as_posix())
