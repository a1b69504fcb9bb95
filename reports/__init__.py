"""Evidence made readable: text, HTML, Markdown, JUnit XML, JSON, pictures and equations."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.evidence import Evidence

from .digest import digest
from .part import PLAIN, Part, Wanted

#: File suffix -> module with ``body(evidence, wanted) -> str`` of one model, ``page(parts, scores) -> str`` of all,
#: and ``APPENDICES``, whether it shows what formalisms say once; imported when it is asked for.
FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".xml": "junit", ".json": "as_json"}


def render(evidences: Sequence[Evidence], file: str, wanted: Wanted = PLAIN) -> str:
    """The report in the form that a file's name asks for.

    Parameters
    ----------
    evidences : what the checks found
    file : name of the report: .html, .md, .xml (JUnit) or .json
    wanted : what it shall hold

    Raises
    ------
    MbconcordError
        The suffix asks for no known form.
    """
    return page([part(evidence, file, wanted) for evidence in evidences], file, wanted)


def part(evidence: Evidence, file: str, wanted: Wanted = PLAIN) -> Part:
    """One model's part of the report: text alone, so that it can be made in another process."""
    from .sections import appendices

    form = _form(file)
    said = appendices(evidence) if form.APPENDICES else ()
    return Part(digest(evidence), form.body(evidence, wanted), said)


def page(parts: Sequence[Part], file: str, wanted: Wanted = PLAIN) -> str:
    """The report of these parts."""
    from .score import scores

    form = _form(file)
    measured = scores([p.digest for p in parts]) if wanted.faults and form.APPENDICES else []
    text: str = form.page(parts, measured)
    return text


def _form(file: str) -> Any:
    return import_module(f"{__name__}.{form(file)}")


def form(file: str) -> str:
    """Name of the module that writes the report of a file's name.

    Raises
    ------
    MbconcordError
        The suffix asks for no known form.
    """
    found = FORMS.get(Path(file).suffix.lower())
    if found is None:
        raise MbconcordError(
            error("--report", f"{file}: no report has this suffix", f"known: {' '.join(FORMS)}")
        )
    return found
