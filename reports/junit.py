"""Evidence as JUnit XML, for CI systems: a suite per file, a case per comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mbconcord.validation.judge.evidence import Comparison, Evidence

from .annotations import annotate_findings, locate
from .part import Refusal, ReportPart, ReportRequest, assumptions
from .summary import left_out, reproduction
from .text import disagreement

#: Formalisms add nothing to it.
APPENDICES = False
#: Characters that XML has no way to write.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write the suite of a model: a disagreement is a failure. Skipped cases are unchecked comparisons, omissions, a
    matching found by search, and the values of parameters to which a comparison with other equations is restricted.
    Notes on other equations go to standard output, warnings to standard error.
    """
    counts = {v: sum(1 for c in evidence.comparisons if c.verdict == v) for v in ("disagrees", "not checked")}
    notes = {evidence.left_out.title: "; ".join(left_out(evidence)), "matching": _matching(evidence)}
    against = evidence.against
    notes["values"] = f"compared only where {against.where}" if against and against.where else ""
    skipped = {name: message for name, message in notes.items() if message}
    suite = Element(
        "testsuite", name=evidence.file, tests=str(len(evidence.comparisons) + len(skipped)),
        failures=str(counts["disagrees"]), skipped=str(counts["not checked"] + len(skipped)), errors="0",
    )  # fmt: skip
    properties = SubElement(suite, "properties")
    for line in assumptions(evidence):
        SubElement(properties, "property", name="assumes", value=line)
    for comparison in evidence.comparisons:
        _case(suite, evidence, comparison, wanted.options)
    for name, message in skipped.items():
        case = SubElement(suite, "testcase", classname=evidence.file, name=name, file=evidence.file, line="1")
        SubElement(case, "skipped", message=message)
    told = [d.message for d in evidence.diagnostics if against and d.place == against.witness]
    if told:
        SubElement(suite, "system-out").text = "\n".join(told)
    warnings = [str(d) for d in evidence.diagnostics if d.severity == "warning"]
    if warnings:
        SubElement(suite, "system-err").text = "\n".join(warnings)
    return _write(suite)


def _write(suite: Element) -> str:
    indent(suite, level=1)
    return _NO_XML.sub("?", tostring(suite, encoding="unicode").rstrip())


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write the XML text of all suites."""
    suites = "".join(f"\n  {text}" for text in (*(part.body for part in parts), *map(_refuse, refusals)))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="mbconcord">{suites}\n</testsuites>\n'


def _refuse(refusal: Refusal) -> str:
    """Write the suite of a model that was refused: one case with an error."""
    suite = Element("testsuite", name=refusal.file, tests="1", failures="0", skipped="0", errors="1")
    first = annotate_findings(refusal.file, refusal.findings)[0]
    at = first.location
    case = SubElement(suite, "testcase", classname=refusal.file, name="reads", file=at.file, line=str(at.line))
    SubElement(case, "error", message=first.message).text = "\n".join(map(str, refusal.findings))
    return _write(suite)


def _matching(evidence: Evidence) -> str:
    """Describe the matching of coordinates if it was found by search; else return an empty text."""
    return f"agreement only after {evidence.search_note}: nobody told it" if evidence.search_note else ""


def _case(suite: Element, evidence: Evidence, c: Comparison, options: Sequence[str]) -> None:
    pair = " = ".join(filter(None, (c.a, c.b))) or "no witness"
    at = locate(evidence, c)
    name = f"{c.quantity}: {pair}"
    case = SubElement(suite, "testcase", classname=evidence.file, name=name, file=at.file, line=str(at.line))
    if c.verdict == "disagrees":
        lines = list(disagreement(c))
        failure = SubElement(case, "failure", message=lines[0])
        failure.text = "\n".join([*lines[1:], f"  reproduce: {reproduction(evidence, options)}"])
    elif c.verdict == "not checked":
        SubElement(case, "skipped", message=c.explanation or "fewer than two witnesses")
