"""``campaign run FILE…``: many files as one campaign, here or on a cluster, that goes on where it was stopped."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mbconcord.api.source import with_values
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.limits import cores, count
from mbconcord.reports.campaign import corpus as shown
from mbconcord.reports.campaign.page import corpus_page
from mbconcord.validation.many.campaign.corpus import CheckedModel, Corpus, CorpusModel, CorpusRequest, model
from mbconcord.validation.many.campaign.row import CampaignRun
from mbconcord.validation.many.campaign.survey import prepare, survey

from .. import BAD_INPUT, DISAGREEMENT, INTERRUPTED, NOT_CHECKED, SUCCESS
from ..check import claims_of, formalisms_of
from ..numbers import overrides
from ..options.accepted import find_accepted
from ..options.shared import CHECKED, join_cluster
from ..output import print_json, require_writable, say, write_file
from ..source import read, read_allowed, read_physics

SUFFIXES: Final = (".html", ".md", ".json")


def run(arguments: argparse.Namespace, files: Sequence[str]) -> int:
    """Check the files that are not checked yet, print the results, and return the exit code."""
    names = formalisms_of(arguments)
    if arguments.report:
        require_form(arguments.report)
        require_writable(arguments.report)
    wanted = CorpusRequest(
        None if names is None else tuple(names),
        arguments.states,
        arguments.seed or 0,
        claims_of(arguments),
        arguments.exact,
    )
    corpus = Corpus(Path(arguments.output or CHECKED), wanted)
    jobs = arguments.jobs or cores()
    left = corpus.take(prepare(lambda file: _model(arguments, file), files, jobs))
    if not arguments.json:
        there = len(files) - len(left)
        kept = f", {there} of them known from before or refused" if there else ""
        say(f"{count(len(files), 'model')} in {corpus.path}{kept}")
    done = CampaignRun(0.0, 0)
    if left:
        with join_cluster(arguments.cluster, jobs, arguments.json) as cluster:
            done = survey(corpus, left, jobs, cluster, _tell)
    return report(arguments, corpus, done)


def report(arguments: argparse.Namespace, corpus: Corpus, done: CampaignRun) -> int:
    """Print the results of a corpus, write its report, and return the exit code as ``check`` does."""
    found = corpus.list_checked()
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


def exit_code(found: Sequence[CheckedModel]) -> int:
    """Return the exit code of the worst model: bad input, disagreement, not checked or partly covered, success."""
    if any(c.verdict == "refused" for c in found):
        return BAD_INPUT
    if any(c.findings for c in found):
        return DISAGREEMENT
    return SUCCESS if all(c.stands for c in found) else NOT_CHECKED


def require_form(file: str) -> None:
    """Raise if no form of report has the suffix of this file name."""
    if Path(file).suffix.lower() not in SUFFIXES:
        message = f"{file}: no report of a campaign has this suffix"
        raise MbconcordError(error("--report", message, f"known: {' '.join(SUFFIXES)}"))


def page(corpus: Corpus, found: Sequence[CheckedModel], done: CampaignRun, file: str) -> str:
    """Write the report in the form that a file's name selects."""
    match Path(file).suffix.lower():
        case ".md":
            return shown.markdown(found, corpus.wanted)
        case ".json":
            return shown.dumps(found)
        case _:
            return corpus_page(corpus.wanted, found, done)


def _model(arguments: argparse.Namespace, file: str) -> CorpusModel:
    source = with_values(
        read(file, arguments.source_format, read_physics(arguments), read_allowed(arguments)), overrides(arguments)
    )
    known = find_accepted(arguments, file)
    return model(file, source.format, source.text, source.system, source.physics, known, source.changed)


def _tell(found: CheckedModel) -> None:
    for finding in found.findings:
        say(f"{found.file}: {finding.what}", error=True)
