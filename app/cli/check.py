"""Derive the equations of motion of models by every formalism that can take them, and compare the numbers.

A directory stands for all model files in it; a folder in it that holds a file which a format knows by its whole name
(see mbconcord formats) is a model. Each file gets a verdict: agrees, disagrees, or not checked (some quantity had
fewer than two witnesses). What a reader left out of the model stands in the verdict: exit code 3,
unless it is accepted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mbconcord import reports
from mbconcord.api.regression.model_files import model_files
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.reports import text
from mbconcord.reports.digest import Digest
from mbconcord.reports.part import Wanted
from mbconcord.reports.score import scores
from mbconcord.validation.catalogs import read_catalog
from mbconcord.validation.claims import DEFAULT, chosen
from mbconcord.validation.exact.agreement import BUDGET, MODES
from mbconcord.validation.expectations import Catalog
from mbconcord.validation.judge.trial import require_distinct
from mbconcord.validation.named_files import absolute
from mbconcord.validation.peers import PEERS, asked
from mbconcord.validation.progress import counted

from . import BAD_INPUT, DISAGREEMENT, NOT_CHECKED, SUCCESS, reference
from .io.checking import Outcome, Task
from .io.jobs import cores, each
from .io.own_input import add_force, require_other
from .io.state_files import read_state
from .numbers import add_parameters, add_state, overrides
from .options.accepted import accepted, add_accepted
from .options.clusters import CHECKED, add_cluster
from .options.coordinates import named, pairs
from .options.instead import Instead
from .options.real_numbers import add_simulate, real
from .options.whole_numbers import add_jobs, add_states
from .output import add_detail, complain, print_json_text, require_writable, say, tell, write_file
from .source import add_allowed, add_physics, allowed

if TYPE_CHECKING:
    from mbconcord.validation.against.sources import Other


def arguments(parser: argparse.ArgumentParser) -> None:
    """Files, formalisms, states and the report."""
    files = parser.add_argument(
        "files", metavar="FILE", nargs="+", help="model file or directory; - is standard input"
    )
    parser.add_argument(
        "--reference", metavar="FOLDER", action=Instead, of=files,
        help="follow the reference problems of a folder instead, such as fixtures/reference: the error of each motion "
        "against processor time; exit 1 when a limit is missed",
    )  # fmt: skip
    parser.add_argument("--from", dest="source_format", metavar="FORMAT", help="format of the files")
    add_physics(parser)
    add_allowed(parser)
    parser.add_argument(
        "--formalisms", "--formalism", metavar="A,B", help="only these formalisms (default: all)"
    )
    parser.add_argument(
        "--form",
        metavar="FORM",
        help="ask the formalism that has this form to use it, see mbconcord formalisms",
    )
    add_states(parser)
    parser.add_argument(
        "--against", metavar="FORMAT:PATH",
        help=f"compare with equations that another program generated{_example()}, or with numbers that it printed, "
        f"table:FILE.csv; or, by name, with programs that read the model's file themselves: {', '.join(PEERS)}",
    )  # fmt: skip
    parser.add_argument(
        "--coordinates", metavar="1=q,2=-r",
        help="with --against: which coordinate of the model each of the equations is (default: found)",
    )  # fmt: skip
    parser.add_argument(
        "--bodies", metavar="1=b,2=a",
        help="with --against: which body of the model each of the equations is (default: by order, then found)",
    )  # fmt: skip
    parser.add_argument(
        "--claims", metavar="A,B", default=",".join(DEFAULT),
        help="which claims are checked beside the agreement of the formalisms: names, 'all' (but derivatives "
        "and regressor, which cost more than all others) or 'none' (default: %(default)s)",
    )  # fmt: skip
    add_simulate(parser)
    parser.add_argument(
        "--exact", choices=MODES, default="auto",
        help="prove that the equations of all formalisms are the same functions, without tolerance: auto, where that "
        f"takes no more than {BUDGET:,} operations (about a second); on, whatever it takes; off (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--per-link", action="store_true",
        help="compare recursions link by link, in time linear in the bodies, and derive no equations: inverse "
        "dynamics, h and gravity of open trees, in floats and in prime fields (without it: of models of more "
        "coordinates than are checked otherwise)",
    )  # fmt: skip
    parser.add_argument(
        "--expect", metavar="CATALOG.toml",
        help="exit 0 when the check of each model gives the verdict and the witnesses that this catalog names",
    )  # fmt: skip
    add_detail(
        parser,
        "the verdict, and what does not agree",
        "a line for every pair of witnesses, of every file",
    )
    parser.add_argument("--report", metavar="FILE", help="write a report: .html, .md, .xml (JUnit) or .json")
    parser.add_argument(
        "--closed-forms", action="store_true",
        help="simplify the equations of small models in the report by SymPy, which takes its time",
    )  # fmt: skip
    parser.add_argument(
        "--faults", action="store_true",
        help="seed physical faults and show how many are noticed, in the report where one is written",
    )  # fmt: skip
    add_jobs(parser)
    add_cluster(parser)
    parser.add_argument(
        "--output", metavar="FOLDER",
        help="check the files as one campaign: rows are kept in this folder, and what is there is not checked again "
        f"(default with --cluster: {CHECKED})",
    )  # fmt: skip
    add_force(parser)
    add_accepted(parser)
    add_parameters(parser)
    add_state(parser)


def _example() -> str:
    able = formats.with_equations()
    return f", for example {able[0]}:FOLDER" if able else ""


def run(arguments: argparse.Namespace) -> int:
    """Check every file; a file that is refused does not stop the others."""
    if arguments.reference is not None:
        return reference.run(arguments)
    files = model_files(arguments.files)
    if arguments.output or arguments.cluster:
        from .campaign import corpus  # not before: a single check needs no campaign

        return corpus.run(arguments, files, _claims(arguments.claims), _formalisms(arguments))
    if arguments.report:
        generated = (arguments.against or "").partition(":")[2]
        beside = (arguments.parameters, arguments.state, arguments.expect, generated)
        require_other(arguments.report, (*files, *beside), arguments.force)
    task = _task(arguments, files)
    accepted(arguments)  # a wrong option is found before anything is read
    outcomes: list[Outcome] = []
    results = each(task.outcome, files, arguments.jobs or cores())
    for _ in counted("model", files):
        _, found = next(results)
        if isinstance(found, MbconcordError):
            complain(found)
            continue
        outcomes.append(found)
        if found.printed:
            (print_json_text if task.json else say)(found.printed)
    _told(outcomes, task, len(files))
    refused = len(files) - len(outcomes)
    digests = [outcome.digest for outcome in outcomes]
    if task.catalog is None:
        return exit_code(digests, refused)
    as_expected = _as_expected(task.catalog, arguments, files, outcomes)
    return BAD_INPUT if refused else SUCCESS if as_expected else DISAGREEMENT


def _told(outcomes: Sequence[Outcome], task: Task, count: int) -> None:
    """What is said after the last file: of several the summary, how many came out how, the score, the report."""
    digests = [outcome.digest for outcome in outcomes]
    if not task.json:
        if count > 1 and outcomes:
            details = [outcome.details.rstrip("\n") for outcome in outcomes if outcome.details]
            rows = [d for d in digests if not (task.detail == "quiet" and d.stands)]
            said = [text.summary(rows), *details] if rows else details
            if said:
                say("\n\n".join(said) + "\n")
        say(text.closing_line(digests, count - len(outcomes)))
    if task.wanted.faults and not task.report and not task.json:
        say("\n" + text.score_table(scores(digests)))
    if task.report and outcomes:
        write_file(task.report, reports.page([o.part for o in outcomes if o.part], task.report, task.wanted))
        if not task.json:
            say(f"report: {absolute(task.report).as_uri()}")


def _as_expected(
    catalog: Catalog, arguments: argparse.Namespace, files: Sequence[str], outcomes: Sequence[Outcome]
) -> bool:
    """Tell where the models and their evidence depart from the catalog, and whether nothing does."""
    folders = [name for name in arguments.files if Path(name).is_dir()]
    found = [*(d for outcome in outcomes for d in outcome.departures), *catalog.absent(folders, files)]
    tell(found)
    departures = sum(d.severity == "error" for d in found)
    if not arguments.json:
        word = "departure" if departures == 1 else "departures"
        say(f"{departures} {word} from {catalog.file}" if departures else f"as expected by {catalog.file}")
    return not departures


def exit_code(digests: Sequence[Digest], refused: int) -> int:
    """Bad input before disagreement before not checked, or covered in part, before success."""
    if refused:
        return BAD_INPUT
    if any(digest.verdict == "disagrees" for digest in digests):
        return DISAGREEMENT
    return SUCCESS if all(digest.stands for digest in digests) else NOT_CHECKED


def _task(arguments: argparse.Namespace, files: Sequence[str]) -> Task:
    """The task, with everything read that does not depend on the file."""
    names = _formalisms(arguments)
    if arguments.report:
        reports.form(arguments.report)
        require_writable(arguments.report)
    options = _options(arguments)
    state = read_state(arguments.state) if arguments.state else None
    equations = _equations(arguments, files)
    return Task(
        arguments.source_format, names, arguments.states, arguments.seed, overrides(arguments), state,
        options, equations, pairs(arguments.coordinates, "--coordinates"), pairs(arguments.bodies, "--bodies"),
        _claims(arguments.claims),
        partial(accepted, arguments), read_catalog(arguments.expect) if arguments.expect else None,
        arguments.report, Wanted(tuple(options), arguments.closed_forms, arguments.faults),
        arguments.json, "quiet" if arguments.quiet else "whole" if arguments.verbose else "usual",
        len(files) == 1, arguments.physics, asked(arguments.against), arguments.exact,
        real("--simulate", arguments.simulate), allowed(arguments), arguments.per_link or None,
    )  # fmt: skip


def _formalisms(arguments: argparse.Namespace) -> list[str] | None:
    """Names of formalisms, each of which there is once; None: all."""
    names = None if arguments.formalisms is None else named(arguments.formalisms, "--formalisms")
    if arguments.form:
        names = list(formalisms.in_form(names or formalisms.names(), arguments.form))
    require_distinct(map(formalisms.formalism, names or ()))
    return names


def _claims(text: str) -> tuple[str, ...]:
    """Names of claims, each of which there is."""
    names = () if text == "none" else named(text, "--claims")
    if "none" in names:
        raise MbconcordError(error("--claims", f"found 'none' beside others in {text!r}", "say none alone"))
    chosen(names)
    return tuple(names)


def _equations(arguments: argparse.Namespace, files: Sequence[str]) -> Other | None:
    """The equations, or the table of numbers, to compare one model with."""
    if not arguments.against or asked(arguments.against):
        for option, value in (("--coordinates", arguments.coordinates), ("--bodies", arguments.bodies)):
            if value:
                message = "found no --against with equations: these are of them"
                raise MbconcordError(
                    error(option, message, f"add --against{_example()}, or leave out {option}")
                )
        return None
    if len(files) != 1:
        message = f"found {len(files)} models, expected the one that the equations were generated from"
        raise MbconcordError(error("--against", message, "check them one by one"))
    from mbconcord.validation.against.sources import read_source  # not before: it brings readers of equations

    return read_source(arguments.against)


def _options(arguments: argparse.Namespace) -> list[str]:
    """The options that set numbers, as the command that repeats the check needs them."""
    words = [word for setting in arguments.settings for word in ("--set", setting)]
    for option, value in (
        ("--parameters", arguments.parameters),
        ("--state", arguments.state),
        ("--from", arguments.source_format),
        ("--against", arguments.against),
        ("--coordinates", arguments.coordinates),
        ("--bodies", arguments.bodies),
        ("--physics", arguments.physics),
        ("--accept-omissions", arguments.accept_omissions),
        ("--exact", None if arguments.exact == "auto" else arguments.exact),
        ("--simulate", arguments.simulate),
        ("--claims", None if arguments.claims == ",".join(DEFAULT) else arguments.claims),
    ):
        words += [option, value] if value else []
    words += [
        f"--{name}" for name in ("allow-xacro", "free-base") if getattr(arguments, name.replace("-", "_"))
    ]
    words += [word for folder in arguments.package_path for word in ("--package-path", folder)]
    words += [word for text in arguments.xacro_arg for word in ("--xacro-arg", text)]
    return words
