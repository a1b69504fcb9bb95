"""Evidence made readable: text, HTML, Markdown, JUnit XML, JSON, pictures and equations."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.evidence import Evidence

#: File suffix -> module with ``render(evidences, options, faults) -> str``, imported when it is asked for.
FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".xml": "junit", ".json": "as_json"}


def render(
    evidences: Sequence[Evidence], file: str, options: Sequence[str] = (), faults: bool = False
) -> str:
    """The report in the form that a file's name asks for.

    Parameters
    ----------
    evidences : what the checks found
    file : name of the report: .html, .md, .xml (JUnit) or .json
    options : options of the command that set numbers, for the reproduction command
    faults : whether to seed physical faults and report the score

    Raises
    ------
    MbconcordError
        The suffix asks for no known form.
    """
    text: str = import_module(f"{__name__}.{form(file)}").render(evidences, options, faults)
    return text


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
