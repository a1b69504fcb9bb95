"""Check many models as one campaign, whose rows are kept: files, or with --random models that Hypothesis draws.

Rows are written as they come; what is there is not checked again, and a campaign that was stopped goes on when it is
run again. Of files every model has its row, exit codes are those of check. Random models are trees, closed and elastic
ones, with springs, rotors, flywheels, fluid and imposed accelerations, checked with all claims; what disagrees or fails
is made as small as it can be and kept as a file with the command that shows it again, exit code 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mbconcord.api.regression.project import model_files
from mbconcord.api.source import with_values
from mbconcord.api.tables import write_table
from mbconcord.converters.inclusions import absolute
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import cores, count
from mbconcord.reports.campaign import corpus as shown
from mbconcord.reports.campaign.page import Facts, corpus_page, facts, page
from mbconcord.reports.extras import is_installed, require
from mbconcord.validation.many.campaign.corpus import CheckedModel, Corpus, CorpusModel, CorpusRequest, model
from mbconcord.validation.many.campaign.row import CampaignRun, SavedFinding
from mbconcord.validation.many.campaign.subject import PROFILES, profile
from mbconcord.validation.many.campaign.survey import prepare, survey
from mbconcord.validation.many.campaign.totals import Totals, frame

from .. import BAD_INPUT, DISAGREEMENT, INTERRUPTED, NOT_CHECKED, SUCCESS
from ..check import add_claims, add_exact, add_formalisms, claims_of, formalisms_of
from ..numbers import overrides
from ..options.accepted import add_accepted, find_accepted
from ..options.numbers import add_jobs, add_seed, add_states, seconds, whole
from ..options.shared import CHECKED, Instead, add_cluster, join_cluster
from ..output import print_json, require_writable, say, tell, write_file
from ..source import add_reading, read, read_allowed, read_physics

SUFFIXES: Final = (".html", ".md", ".json")
#: Where rows and findings go when nobody says it, and the profile.
EXPLORED, PROFILE = "explored", "ci"
#: The table of a campaign, where Parquet can be written.
TABLE = "table.parquet"
#: Most models of a campaign.
MOST = 10_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: files or random models, results, workers."""
    named = parser.add_argument("files", metavar="FILE", nargs="+", help="model file or directory")
    parser.add_argument(
        "--random", action=Instead, of=(named,), nargs=0, const=True, default=False,
        help="random models, in place of files",
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="FOLDER",
        help=f"folder of rows and findings (default: {CHECKED}, of random models {EXPLORED})",
    )  # fmt: skip
    parser.add_argument("--report", metavar="FILE", help="write a report: .html; of files .md or .json, too")
    add_jobs(parser)
    add_cluster(parser)
    add_seed(parser, "seed of the states (default: 0), or of the random models (default: the profile's)", None)
    drawn = parser.add_argument_group("random models")
    profiles = "; ".join(f"{p.name}, {p.title}" for p in PROFILES)
    drawn.add_argument("--profile", choices=[p.name for p in PROFILES], help=f"{profiles} (default: ci)")
    drawn.add_argument("--count", type=whole(1, MOST), metavar="N", help="so many models altogether")
    drawn.add_argument(
        "--for", dest="duration", metavar="TIME",
        help="begin no model after so long: 90s, 10m, 2h (default: no end)",
    )  # fmt: skip
    own = parser.add_argument_group("files")
    add_formalisms(own)
    add_states(own)
    add_claims(own)
    add_exact(own)
    own.add_argument("-q", "--quiet", action="store_true", help="only those that do not agree")
    add_accepted(own)
    add_reading(parser)
    parser.set_defaults(kinds={group.title: _usual(group) for group in parser._action_groups if group.title in KINDS})


#: Titles of groups of options -> whether they are of random models.
KINDS = {"random models": True, "files": False, "reading models": False}


def _usual(group: argparse._ArgumentGroup) -> dict[str, tuple[str, object]]:
    """Map the attribute of each option of a group to its spelling and its default."""
    return {a.dest: (a.option_strings[-1], a.default) for a in group._group_actions}


def run(arguments: argparse.Namespace) -> int:
    """Run a campaign over files or over random models; return the exit code."""
    chosen = arguments.random
    other, instead = ("files", "--random") if chosen else ("random models", "files")
    for title, options in arguments.kinds.items():
        for dest, (option, usual) in options.items():
            if KINDS[title] is not chosen and getattr(arguments, dest) != usual:
                raise MbconcordError(
                    error(option, f"it is of a campaign over {other}, found {instead}", "leave it out")
                )
    if chosen:
        if arguments.files:
            raise MbconcordError(error("--random", f"found files, {arguments.files[0]}, too", "give one of them"))
        return _run_random(arguments)
    return _run_files(arguments, model_files(arguments.files))


def _run_files(arguments: argparse.Namespace, files: Sequence[str]) -> int:
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
            done = survey(corpus, left, jobs, cluster, _tell_file)
    return report_files(arguments, corpus, done)


def report_files(arguments: argparse.Namespace, corpus: Corpus, done: CampaignRun) -> int:
    """Print the results of a corpus, write its report, and return the exit code as ``check`` does."""
    found = corpus.list_checked()
    if arguments.report:
        write_file(arguments.report, _write_page(corpus, found, done, arguments.report))
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
    return INTERRUPTED if done.stopped else _exit_code(found)


def _exit_code(found: Sequence[CheckedModel]) -> int:
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


def _write_page(corpus: Corpus, found: Sequence[CheckedModel], done: CampaignRun, file: str) -> str:
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


def _tell_file(found: CheckedModel) -> None:
    for finding in found.findings:
        say(f"{found.file}: {finding.what}", error=True)


def _run_random(arguments: argparse.Namespace) -> int:
    """Run a campaign of random models, print coverage and findings, and return the exit code."""
    asked, limit = profile(arguments.profile or PROFILE), seconds("--for", arguments.duration)
    output = arguments.output or EXPLORED
    if arguments.report:
        require_page(arguments.report)
        require_writable(arguments.report)
    require("hypothesis", "drawing random models")
    from mbconcord.validation.many.campaign.campaign import explore, list_findings  # not before: they need Hypothesis
    from mbconcord.validation.many.campaign.folder import ROWS, open_folder
    from mbconcord.validation.many.campaign.parts import PARTS

    folder = open_folder(Path(output), asked.name, arguments.seed, asked.new_seed())
    tell(folder.notes)
    most = arguments.count or (asked.count if limit is None else None)
    limit = asked.seconds if limit is None and arguments.count is None else limit
    if not arguments.json:
        say(_describe_start(len(folder.rows), folder.about.profile, folder.about.seed, output))
    jobs = arguments.jobs or cores()
    with join_cluster(arguments.cluster, jobs, arguments.json) as cluster:
        if cluster is not None:
            folder.by_parts()
        done = explore(folder, most, limit, jobs, _tell, cluster)
    rows = folder.list_rows()
    found = [one for row in rows for one in list_findings(folder, row.number)]
    totals = Totals.from_rows(rows, folder.times())
    known = facts(totals, done)
    written = {"rows": folder.path / (PARTS if arguments.cluster else ROWS)}
    if is_installed("pyarrow"):
        written["table"] = write_table(folder.path / TABLE, frame(rows))
    if arguments.report:
        write_file(arguments.report, page(folder.about, totals, done, found))
        written["report"] = absolute(arguments.report)
    if arguments.json:
        print_json(known.to_json() | {
            "profile": folder.about.profile, "seed": folder.about.seed, **findings_json(found),
        })  # fmt: skip
    else:
        say_facts(known, len(found))
        for what, file in written.items():
            say(f"{what}: {file}")
    return INTERRUPTED if done.stopped else DISAGREEMENT if found else SUCCESS


def _describe_start(there: int, name: str, seed: int, folder: str) -> str:
    which = "it goes on: models drawn before are not checked again" if there else "a new campaign"
    return f"profile {name}, seed {seed}, in {folder}: {which}"


def _tell(found: SavedFinding) -> None:
    say(f"{found.finding.what}\n  {found.command}", error=True)


def require_page(file: str) -> None:
    """Raise if the report of random models is to be anything but a page of HTML."""
    if not file.lower().endswith(".html"):
        raise ReadError(error("--report", f"{file}: of random models there is a page", "name it .html"))


def say_facts(known: Facts, findings: int) -> None:
    """Print verdicts, sizes, time and the number of findings."""
    verdicts = ", ".join(f"{count} {name}" for name, count in known.verdicts.items())
    say(f"{count(known.models, 'model')}: {verdicts or 'none'}")
    shares = f"{known.closed:.0%} closed, {known.elastic:.0%} elastic"
    say(f"bodies: {known.bodies:g} by the median, {shares}; {count(known.comparisons, 'comparison')}")
    speed = f", {known.minute:.0f} a minute" if known.minute else ""
    say(f"{known.seconds:.2f} s of the processor for a model{speed}")
    say(f"findings: {findings or 'none'}")


def findings_json(found: Sequence[SavedFinding]) -> dict[str, Any]:
    """Convert findings to the form of ``--json``."""
    return {"findings": [{"number": k.number, "what": k.finding.what, "command": k.command} for k in found]}
