"""``check --output FOLDER``: many files as one campaign, here or on a cluster, that goes on where it was stopped."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mbconcord.api.source import with_values
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.shown import count
from mbconcord.reports.campaign import corpus as shown
from mbconcord.reports.campaign.page import corpus_page
from mbconcord.validation.campaign.corpus import Checked, Corpus, Model, Wanted, model
from mbconcord.validation.campaign.run import Run
from mbconcord.validation.campaign.survey import prepared, survey

from .. import BAD_INPUT, DISAGREEMENT, INTERRUPTED, NOT_CHECKED, SUCCESS
from ..io.jobs import cores
from ..numbers import overrides
from ..options.accepted import accepted
from ..options.clusters import CHECKED, joined
from ..output import print_json, require_writable, say, write_file
from ..source import allowed, read

#: Options of check that a campaign does not take, and what they are when nobody gives them.
OF_ONE: Final[dict[str, Any]] = {
    "reference": None, "against": None, "coordinates": None, "bodies": None, "expect": None, "simulate": None,
    "closed_forms": False, "faults": False, "state": None,
}  # fmt: skip
SUFFIXES: Final = (".html", ".md", ".json")


def run(
    arguments: argparse.Namespace, files: Sequence[str], claims: Sequence[str], names: list[str] | None
) -> int:
    """Check what is not checked yet, and tell what there is."""
    given = [name for name, usual in OF_ONE.items() if getattr(arguments, name) != usual]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise MbconcordError(
            error(option, "a campaign over files does not take it", "check the file without --output")
        )
    if arguments.report:
        require_form(arguments.report)
        require_writable(arguments.report)
    wanted = Wanted(
        None if names is None else tuple(names),
        arguments.states,
        arguments.seed,
        tuple(claims),
        arguments.exact,
    )
    corpus = Corpus(Path(arguments.output or CHECKED), wanted)
    jobs = arguments.jobs or cores()
    left = corpus.take(prepared(lambda file: _model(arguments, file), files, jobs))
    if not arguments.json:
        there = len(files) - len(left)
        kept = f", {there} of them known from before or refused" if there else ""
        say(f"{count(len(files), 'model')} in {corpus.path}{kept}")
    done = Run(0.0, 0)
    if left:
        with joined(arguments.cluster, jobs, arguments.json) as cluster:
            done = survey(corpus, left, jobs, cluster, _tell)
    return told(arguments, corpus, done)


def told(arguments: argparse.Namespace, corpus: Corpus, done: Run) -> int:
    """Say what there is of a corpus, write its report; the exit code of ``check``."""
    found = corpus.checked()
    if arguments.report:
        write_file(arguments.report, page(corpus, found, done, arguments.report))
    if arguments.json:
        print_json({"models": shown.as_json(found)})
    else:
        rows = [c for c in found if not (getattr(arguments, "quiet", False) and c.stands)]
        if rows:
            say(shown.text(rows) + "\n")
        for c in found:
            if c.refused:
                say(c.refused, error=True)
        say(f"{count(len(found), 'model')}: {shown.verdicts(found)}")
        if arguments.report:
            say(f"report: {Path(arguments.report).absolute()}")
    return INTERRUPTED if done.stopped else exit_code(found)


def exit_code(found: Sequence[Checked]) -> int:
    """Bad input before disagreement before not checked, or covered in part, before success."""
    if any(c.verdict == "refused" for c in found):
        return BAD_INPUT
    if any(c.findings for c in found):
        return DISAGREEMENT
    return SUCCESS if all(c.stands for c in found) else NOT_CHECKED


def require_form(file: str) -> None:
    """Refuse a name that asks for no form."""
    if Path(file).suffix.lower() not in SUFFIXES:
        message = f"{file}: no report of a campaign has this suffix"
        raise MbconcordError(error("--report", message, f"known: {' '.join(SUFFIXES)}"))


def page(corpus: Corpus, found: Sequence[Checked], done: Run, file: str) -> str:
    """The report in the form that a file's name asks for."""
    match Path(file).suffix.lower():
        case ".md":
            return shown.markdown(found, corpus.wanted)
        case ".json":
            return shown.dumps(found)
        case _:
            return corpus_page(corpus.wanted, found, done)


def _model(arguments: argparse.Namespace, file: str) -> Model:
    source = with_values(
        read(file, arguments.source_format, arguments.physics, allowed(arguments)), overrides(arguments)
    )
    known = accepted(arguments, file)
    return model(file, source.format, source.text, source.system, source.physics, known, source.changed)


def _tell(found: Checked) -> None:
    for finding in found.findings:
        say(f"{found.file}: {finding.what}", error=True)
