"""Evidence made readable: text, HTML, Markdown, JUnit XML, SARIF, JSON, annotations, pictures and equations."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.evidence import Evidence

from .part import PLAIN, Refusal, ReportPart, ReportRequest, digest

#: File suffix -> module with ``body(evidence, wanted) -> str`` of one model, ``page(parts, refusals) -> str`` of all,
#: and ``APPENDICES``, whether it shows what formalisms say once; imported when it is asked for.
FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".xml": "junit", ".sarif": "annotations", ".json": "part"}


def render(evidences: Sequence[Evidence], file: str, wanted: ReportRequest = PLAIN) -> str:
    """Write the report in the form that a file's name selects.

    Parameters
    ----------
    evidences : results of the checks
    file : name of the report: .html, .md, .xml (JUnit), .sarif or .json
    wanted : settings of the contents of the report

    Raises
    ------
    MbconcordError
        The suffix belongs to no known form.
    """
    return page([part(evidence, file, wanted) for evidence in evidences], file)


def part(evidence: Evidence, file: str, wanted: ReportRequest = PLAIN) -> ReportPart:
    """Return one model's part of the report, with its text, so that another process can write it."""
    from .part import appendices

    form = _form(file)
    said = appendices(evidence) if form.APPENDICES else ()
    return ReportPart(digest(evidence), form.body(evidence, wanted), said)


def page(parts: Sequence[ReportPart], file: str, refusals: Sequence[Refusal] = ()) -> str:
    """Combine the parts of models, and the models that were refused, to the text of a report."""
    text: str = _form(file).page(parts, refusals)
    return text


def _form(file: str) -> Any:
    return import_module(f"{__name__}.{form(file)}")


def form(file: str) -> str:
    """Return the name of the module that writes reports with the suffix of this file name.

    Raises
    ------
    MbconcordError
        The suffix has no known form.
    """
    found = FORMS.get(Path(file).suffix.lower())
    if found is None:
        raise MbconcordError(error("--report", f"{file}: no report has this suffix", f"known: {' '.join(FORMS)}"))
    return found
