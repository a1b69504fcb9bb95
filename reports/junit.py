"""Evidence as JUnit XML, which CI systems show: a suite per file, a case per comparison."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mbconcord.validation.judge.evidence import Comparison, Evidence

from .part import Part, Wanted
from .score import Score
from .summary import left_out, reproduction
from .text import disagreement

#: Formalisms add nothing to it.
APPENDICES = False


def body(evidence: Evidence, wanted: Wanted) -> str:
    """A suite. A disagreement is a failure, ``not checked`` a skipped case, and so is what is left out."""
    counts = {v: sum(1 for c in evidence.comparisons if c.verdict == v) for v in ("disagrees", "not checked")}
    omitted = left_out(evidence)
    suite = Element(
        "testsuite", name=evidence.file, tests=str(len(evidence.comparisons) + bool(omitted)),
        failures=str(counts["disagrees"]), skipped=str(counts["not checked"] + bool(omitted)), errors="0",
    )  # fmt: skip
    for comparison in evidence.comparisons:
        _case(suite, evidence, comparison, wanted.options)
    if omitted:
        case = SubElement(suite, "testcase", classname=evidence.file, name="left out of the model")
        SubElement(case, "skipped", message="; ".join(omitted))
    indent(suite, level=1)
    return tostring(suite, encoding="unicode").rstrip()


def page(parts: Sequence[Part], scores: Sequence[Score]) -> str:
    """The XML text."""
    suites = "".join(f"\n  {part.body}" for part in parts)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="mbconcord">{suites}\n</testsuites>\n'


def _case(suite: Element, evidence: Evidence, c: Comparison, options: Sequence[str]) -> None:
    pair = " = ".join(filter(None, (c.a, c.b))) or "no witness"
    case = SubElement(suite, "testcase", classname=evidence.file, name=f"{c.quantity}: {pair}")
    if c.verdict == "disagrees":
        lines = list(disagreement(c))
        failure = SubElement(case, "failure", message=lines[0])
        failure.text = "\n".join([*lines[1:], f"  reproduce: {reproduction(evidence, options)}"])
    elif c.verdict == "not checked":
        SubElement(case, "skipped", message=c.explanation or "fewer than two witnesses")
