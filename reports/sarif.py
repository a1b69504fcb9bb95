"""Evidence as SARIF 2.1.0, the format in which code hosts and editors take findings: a result for each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any

from mbconcord.validation.judge.evidence import Evidence

from .annotations import RULES, Annotation, annotate, annotate_findings
from .part import Refusal, ReportPart, ReportRequest
from .summary import versions

#: Formalisms add nothing to it.
APPENDICES = False


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write the results of one model, with commas between them."""
    return _results(annotate(evidence, wanted.options))


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write one run of the program with all results."""
    rules = [{"id": rule, "shortDescription": {"text": sentence}} for rule, sentence in RULES.items()]
    driver = {"name": "mbconcord", "version": versions()["mbconcord"], "rules": rules}
    texts = [
        *(part.body for part in parts),
        *(_results(annotate_findings(refusal.file, refusal.findings)) for refusal in refusals),
    ]
    results = json.loads(f"[{','.join(filter(None, texts))}]")
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
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
    """Return a reference to a file, relative as it was given."""
    from urllib.parse import quote  # not before: it is seldom asked for

    return Path(file).as_uri() if Path(file).is_absolute() else quote(PurePath(file).as_posix())
