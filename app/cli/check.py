"""Derive the equations of motion of models by every formalism that can take them, and compare the numbers.

A directory stands for all model files in it; a folder in it that holds a file which a format knows by its whole name
(see mbconcord formats) is a model. Each file gets a verdict: agrees, disagrees, or not checked (some quantity had
fewer than two witnesses). What a reader left out of the model stands in the verdict: exit code 3,
unless it is accepted.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbconcord import reports
from mbconcord.api.check import CheckRequest, check
from mbconcord.api.regression.project import model_files
from mbconcord.api.source import Source, locate_errors
from mbconcord.converters import registry as formats
from mbconcord.converters.inclusions import absolute
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, MbconcordError, error
from mbconcord.model.limits import cores
from mbconcord.records import dataclass, replace
from mbconcord.reports import text
from mbconcord.reports.part import (
    Digest,
    Refusal,
    ReportPart,
    ReportRequest,
    closing_line,
    digest,
    dumps,
    merge_assumptions,
)
from mbconcord.reports.summary import reproduction
from mbconcord.validation.claims import DEFAULT, choose_claims
from mbconcord.validation.judge.exact.proof import BUDGET, MODES
from mbconcord.validation.judge.progress import count_progress
from mbconcord.validation.judge.trial import require_distinct
from mbconcord.validation.witnesses.peers import PEERS, read_programs
from mbconcord.witnessed import with_constraints, with_evidence

from . import BAD_INPUT, DISAGREEMENT, NOT_CHECKED, SUCCESS, StoreOnce
from .io.jobs import each
from .io.json_files import read_state
from .numbers import add_states_or_file, overrides, state_file
from .options.accepted import add_accepted, find_accepted
from .options.numbers import add_jobs, add_seed, add_simulate, real
from .options.shared import MAP, add_map, read_maps, split_required_names
from .output import add_detail, complain, print_json_text, require_other, require_writable, say, tell, write_file
from .source import add_reading, is_allowed, read, read_allowed, read_physics

if TYPE_CHECKING:
    from mbconcord.reports.annotations import Annotation
    from mbconcord.validation.against.fmu import FmuEquations
    from mbconcord.validation.against.own.equations import OwnEquations
    from mbconcord.validation.judge.evidence import Evidence
    from mbconcord.validation.many.expectations import Catalog
    from mbconcord.validation.witnesses.um.sources import Other


#: The report for a job of GitHub, whose variable names the file of its summary.
GITHUB = "github"
SUMMARY = "GITHUB_STEP_SUMMARY"
#: Suffix of a certificate.
CERTIFICATE = ".cert"
#: Tables of --map that only own equations have, and all of them.
OWN = "rates", "symbols", "inputs"
NAMED = "coordinates", *OWN, "bodies"
#: Arguments that the command that repeats a check says itself, or that set no number.
ELSEWHERE = frozenset({
    "files", "formalisms", "states", "seed", "expect", "quiet", "verbose", "json", "report", "jobs",
})  # fmt: skip


class Report(StoreOnce):
    """Action of ``--report``: stores the file; ``github`` and files of certificates go to attributes of their own."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store a value under the attribute to which it belongs."""
        if values == GITHUB:
            namespace.github = True
        elif option == "--certificate" or values.lower().endswith(CERTIFICATE):
            if namespace.certificate not in (None, values):
                raise argparse.ArgumentError(self, f"found {namespace.certificate}, and {values}; give it once")
            namespace.certificate = values
        else:
            super().__call__(parser, namespace, values, option)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: files, formalisms, states, report."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="model file or directory; - is standard input")
    add_formalisms(parser)
    add_states_or_file(parser)
    add_seed(parser, "seed of the states (default: 0)", 0)
    parser.add_argument(
        "--against", metavar="FORMAT:PATH",
        help=f"compare with equations that another program generated{_example()}, or with numbers that it printed, "
        "table:FILE.csv (table:FOLDER settles laws of the probes that um writes); with your own equations, eqs:FILE, "
        "python:FILE:NAME or matlab:FILE; with an FMU, fmu:FILE, where --allow binary is given; or, by name, with "
        f"programs that read the model's file themselves: {', '.join(PEERS)}",
    )  # fmt: skip
    add_map(
        parser, NAMED,
        "with --against, what its names mean: coordinates:1=q,2=-r and bodies:1=b,2=a, which of the model each of the "
        "equations is (default: found); with your own equations also rates:x=-R*w, rates of coordinates of the model "
        "that you do not have, by your speeds; symbols:J=m*l^2/12, your parameters by the model's, or their numbers; "
        "inputs:F=0, your functions of time by the model's parameters",
    )  # fmt: skip
    add_claims(parser)
    add_simulate(parser)
    add_exact(parser)
    parser.add_argument(
        "--expect", metavar="CATALOG.toml",
        help="exit 0 when the check of each model gives the verdict and the witnesses that this catalog names",
    )  # fmt: skip
    add_detail(
        parser,
        "the verdict, and what does not agree",
        "a row for each quantity and claim; twice: for each pair of witnesses",
    )
    parser.add_argument(
        "--report", "--certificate", metavar="FILE|github", action=Report,
        help="write a report: .html, .md, .xml (JUnit), .sarif or .json. Also beside one: .cert, or --certificate "
        "FILE, of one model: what is proved as a certificate, what the format has no words for is refused; github: "
        "print annotations of lines of the models for a job of GitHub, and add a table to the summary of the job, "
        f"which ${SUMMARY} names",
    )  # fmt: skip
    parser.set_defaults(github=False, certificate=None)
    add_jobs(parser)
    add_accepted(parser)
    add_reading(parser, "binary")


def add_formalisms(parser: argparse._ActionsContainer) -> None:
    """Add the option that chooses formalisms."""
    parser.add_argument(
        "--formalisms", "--formalism", metavar="A,B",
        help="only these formalisms (default: all), of one with several forms NAME:FORM, see mbconcord formalisms",
    )  # fmt: skip


def add_claims(parser: argparse._ActionsContainer) -> None:
    """Add the option that chooses claims."""
    parser.add_argument(
        "--claims", metavar="A,B", default=",".join(DEFAULT),
        help="which claims are checked beside the agreement of the formalisms: names, 'all' (but derivatives "
        "and regressor, which cost more than all others) or 'none' (default: %(default)s)",
    )  # fmt: skip


def add_exact(parser: argparse._ActionsContainer) -> None:
    """Add the option of exact proofs."""
    parser.add_argument(
        "--exact", choices=MODES, default="auto",
        help="prove that the equations of all formalisms are the same functions, without tolerance: auto, where that "
        f"takes no more than {BUDGET:,} operations (about a second); on, whatever it takes; off (default: %(default)s)",
    )  # fmt: skip


def _example() -> str:
    able = formats.with_equations()
    return f", for example {able[0]}:FOLDER" if able else ""


@dataclass(frozen=True)
class Outcome:
    """The check of one file as text and small values, to be sent between processes.

    Attributes
    ----------
    digest : row of the file in the summary
    printed : text that is printed at once: the JSON of the file, or everything if it is the only file
    details : text about quantities that do not agree, if several files are checked
    part : part of the report about this file; None if no report is written
    departures : differences from the catalog
    annotations : comments on lines of the model, if requested
    certificate : the certificate if requested, or the error that prevents it
    """

    digest: Digest
    printed: str = ""
    details: str = ""
    part: ReportPart | None = None
    departures: tuple[Diagnostic, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    certificate: Certified | MbconcordError | None = None


@dataclass(frozen=True)
class Certified:
    """Text of a certificate, and lines to print: what it proves, and which proofs of the check it leaves out."""

    text: str
    said: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """The request to check any file, and the options for printing the result; it can be sent to other processes."""

    arguments: argparse.Namespace
    request: CheckRequest
    catalog: Catalog | None
    wanted: ReportRequest
    alone: bool

    def outcome(self, file: str) -> Outcome:
        """Check one file, and return the result as texts."""
        arguments, options = self.arguments, self.wanted.options
        request = replace(self.request, accept_omissions=find_accepted(arguments, file))
        model = read(file, arguments.source_format, read_physics(arguments), read_allowed(arguments))
        evidence = check(model, request)
        if arguments.report:
            from mbconcord.reports.reactions import confirm  # which needs what integrates

            evidence = confirm(evidence)
        printed = details = ""
        if arguments.json:
            fields = with_constraints(model.system, "quantity")
            printed = dumps(with_evidence("check", evidence.to_json(), fields))
        elif self.alone and not (arguments.quiet and evidence.stands):
            printed = text.one_file(evidence, options, brief=arguments.quiet, detail=arguments.verbose)
        elif arguments.verbose:
            details = text.one_file(evidence, options, detail=arguments.verbose, headed=False)
        elif evidence.verdict != "agrees":
            details = text.one_file(evidence, options, brief=True, headed=False)
        part = reports.part(evidence, arguments.report, self.wanted) if arguments.report else None
        if part or details or (printed and not arguments.json):  # they end with the command
            _require_repeats(reproduction(evidence, options), arguments, evidence)
        departures = tuple(self.catalog.departures(evidence)) if self.catalog else ()
        found: tuple[Annotation, ...] = ()
        if arguments.github:
            from mbconcord.reports.annotations import annotate, annotate_findings  # not before: seldom asked for

            expected = annotate_findings(file, departures, "unexpected")
            found = annotate(evidence, options) if self.catalog is None else expected
        certificate = certify_evidence(model, evidence, request) if arguments.certificate else None
        return Outcome(digest(evidence), printed, details, part, departures, found, certificate)


def certify_evidence(model: Source, evidence: Evidence, request: CheckRequest) -> Certified | MbconcordError:
    """Write a certificate of the equations that a check proved identical; return it, or the error that prevents it."""
    from mbconcord.certificate.emit import write_certificate  # not before: few checks write one
    from mbconcord.certificate.pair import read_claims
    from mbconcord.certificate.process import PROVED
    from mbconcord.validation.against.own.equations import OwnEquations

    own = request.against if isinstance(request.against, OwnEquations) else None
    try:
        with locate_errors(model):
            names = [f if isinstance(f, str) else f.name for f in request.formalisms or ()]
            text, found = write_certificate(model.system, names, own=own)
    except MbconcordError as problem:
        return problem
    if found is None or found.code != PROVED:
        return MbconcordError(error("certificate", found.said[-1] if found else "", "leave out --certificate"))
    claims = read_claims(found)
    apart = {*claims["M"]} - {*claims.get("rows", ())}
    follows = {"acceleration"} | (set() if apart else {"constrained acceleration", "rank", "reactions"})
    identical = {c.quantity for c in evidence.comparisons if c.exact and c.exact.kind == "identical"}
    rest = ", ".join(sorted(identical - {*claims} - follows))
    said = [f"{line.partition(', seed')[0]})" for line in found.said if line.startswith("proved (")]
    if rest:
        why = f"constraint rows of {', '.join(sorted(apart))} are not those of the file" if apart else "it has no words"
        said.append(f"not certified: {rest}: {why}")
    said += [line.removeprefix("note ") for line in text.splitlines() if line.startswith("note without mechanics")]
    return Certified(text, tuple(said))


def _write_certificate(found: Certified | MbconcordError | None, file: str, silent: bool) -> int:
    """Write a certificate to a file, or print the error that prevents it; return the exit code."""
    if isinstance(found, MbconcordError):
        complain(found)
        return DISAGREEMENT if isinstance(found, DisagreementError) else NOT_CHECKED
    if found is None:  # the model was refused
        return SUCCESS
    write_file(file, found.text)
    say(f"certificate: {file}: {'; '.join(found.said)}", error=silent)
    return SUCCESS


def run(arguments: argparse.Namespace) -> int:
    """Check every file, also after one that is refused, and print the results; return the exit code."""
    files = model_files(arguments.files)
    prefix, _, folder = (arguments.against or "").partition(":")
    if prefix == "table" and Path(folder).is_dir():
        from .um import settle_laws  # not before: seldom asked for

        kept = {"files", "against", "json", "quiet", "jobs"}
        return settle_laws(arguments, files, folder, _options(arguments, kept))
    if arguments.report:
        generated = (arguments.against or "").partition(":")[2]
        beside = (*arguments.settings, state_file(arguments), arguments.expect, generated)
        require_other(arguments.report, (*files, *beside))
    if arguments.certificate:
        if len(files) != 1:
            message = f"found {len(files)} models, expected the one that it is of"
            raise MbconcordError(error("--report", message, "check them one by one"))
        require_writable(arguments.certificate)
        require_other(arguments.certificate, (*files, *arguments.settings, state_file(arguments), arguments.expect))
    task = _task(arguments, files)
    find_accepted(arguments)  # a wrong option is found before anything is read
    outcomes: list[Outcome] = []
    refusals: list[Refusal] = []
    differing = 0  # files whose picture, say, disagrees with their model
    results = each(task.outcome, files, arguments.jobs or cores())
    for _ in count_progress("model", files):
        file, found = next(results)
        if isinstance(found, MbconcordError):
            complain(found)
            differing += isinstance(found, DisagreementError)
            refusals.append(Refusal(file, found.diagnostics))
            continue
        outcomes.append(found)
        if found.printed:
            (print_json_text if arguments.json else say)(found.printed)
    _report_outcomes(outcomes, task, refusals)
    certificate = outcomes[0].certificate if outcomes else None
    certified = _write_certificate(certificate, arguments.certificate, arguments.json or arguments.quiet)
    refused = len(refusals) - differing
    digests = [outcome.digest for outcome in outcomes]
    if task.catalog is None:
        code = exit_code(digests, refused)
    else:
        as_expected = _as_expected(task.catalog, arguments, files, outcomes)
        code = BAD_INPUT if refused else SUCCESS if as_expected else DISAGREEMENT
    worst = DISAGREEMENT if differing else certified
    return next(x for x in (BAD_INPUT, DISAGREEMENT, NOT_CHECKED, SUCCESS) if x in (code, worst))


def _report_outcomes(outcomes: Sequence[Outcome], task: Task, refusals: Sequence[Refusal]) -> None:
    """Print the end of the output: for several files the summary, the counts by verdict, the report, annotations."""
    arguments = task.arguments
    digests = [outcome.digest for outcome in outcomes]
    closing = closing_line(digests, len(refusals))
    if not arguments.json:
        if not task.alone and outcomes:
            details = [outcome.details.rstrip("\n") for outcome in outcomes if outcome.details]
            rows = [d for d in digests if not (arguments.quiet and d.stands)]
            said = [text.summary(rows), *details] if rows else details
            if said:
                for line in merge_assumptions(digests):
                    say(line)
                say("\n" + "\n\n".join(said) + "\n")
        say(closing)
    if arguments.report:
        write_file(arguments.report, reports.page([o.part for o in outcomes if o.part], arguments.report, refusals))
        if not arguments.json:
            say(f"report: {absolute(arguments.report).as_uri()}")
    if arguments.github:
        from mbconcord.reports.annotations import annotate_findings, commands, summary

        found = [a for outcome in outcomes for a in outcome.annotations]
        found += [a for refusal in refusals for a in annotate_findings(refusal.file, refusal.findings)]
        for line in commands(found):
            say(line, error=arguments.json)
        if os.environ.get(SUMMARY):
            with Path(os.environ[SUMMARY]).open("a", encoding="utf-8") as file:
                file.write(summary(digests, found, closing))


def _as_expected(
    catalog: Catalog, arguments: argparse.Namespace, files: Sequence[str], outcomes: Sequence[Outcome]
) -> bool:
    """Print the differences of models and evidence from the catalog; return True if there are none."""
    folders = [name for name in arguments.files if Path(name).is_dir()]
    found = [*(d for outcome in outcomes for d in outcome.departures), *catalog.absent(folders, files)]
    tell(found)
    departures = sum(d.severity == "error" for d in found)
    if not arguments.json:
        word = "departure" if departures == 1 else "departures"
        say(f"{departures} {word} from {catalog.file}" if departures else f"as expected by {catalog.file}")
    return not departures


def exit_code(digests: Sequence[Digest], refused: int) -> int:
    """Return the exit code of the worst file: bad input, disagreement, not checked or partly covered, success."""
    if refused:
        return BAD_INPUT
    if any(digest.verdict == "disagrees" for digest in digests):
        return DISAGREEMENT
    return SUCCESS if all(digest.stands for digest in digests) else NOT_CHECKED


def _task(arguments: argparse.Namespace, files: Sequence[str]) -> Task:
    """Return the task, after reading all inputs that are the same for all files."""
    names = formalisms_of(arguments)
    if arguments.report:
        reports.form(arguments.report)
        require_writable(arguments.report)
    wanted = ReportRequest(tuple(_options(arguments)))
    named = read_maps(arguments.map, NAMED)
    request = CheckRequest(
        formalisms=names, parameters=overrides(arguments), seed=arguments.seed,
        states=read_state(file) if (file := state_file(arguments)) else arguments.states,
        against=_read_against(arguments, files, named),
        coordinates=None if _names_own(arguments) else named.get("coordinates"), bodies=named.get("bodies"),
        claims=claims_of(arguments), exact=arguments.exact, simulate=real("--simulate", arguments.simulate),
        count=arguments.json or arguments.report is not None,
    )  # fmt: skip
    catalog = None
    if arguments.expect:
        from mbconcord.validation.many.expectations import read_catalog  # not before: few checks have a catalog

        catalog = read_catalog(arguments.expect)
    return Task(arguments, request, catalog, wanted, len(files) == 1)


def formalisms_of(arguments: argparse.Namespace) -> list[str] | None:
    """Return the names of --formalisms, None for all; refuse unknown and repeated names."""
    names = None if arguments.formalisms is None else split_required_names(arguments.formalisms, "--formalisms")
    require_distinct(map(formalisms.formalism, names or ()))
    return names


def claims_of(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the names of --claims, empty for ``none``; refuse unknown names."""
    text = arguments.claims
    names = () if text == "none" else split_required_names(text, "--claims")
    if "none" in names:
        raise MbconcordError(error("--claims", f"found 'none' beside others in {text!r}", "say none alone"))
    choose_claims(names)
    return tuple(names)


def _names_own(arguments: argparse.Namespace) -> bool:
    """Return True if --against names own equations."""
    if ":" not in (arguments.against or ""):
        return False
    from mbconcord.validation.against.own.files import PREFIXES  # not before: it brings readers of equations

    return bool(arguments.against.startswith(PREFIXES))


def _read_against(
    arguments: argparse.Namespace, files: Sequence[str], named: Mapping[str, dict[str, str]]
) -> str | Other | OwnEquations | FmuEquations | None:
    """Return what --against names: other programs, or equations or a table of numbers to compare one model with."""
    programs = not arguments.against or bool(read_programs(arguments.against))
    own = _names_own(arguments)
    for name, value in named.items():
        option, ours = f"{MAP} {name}", name in OWN
        if value and (programs or (ours and not own)):
            example = " eqs:FILE" if ours else _example()
            message = f"found no --against with equations{' of your own' if ours else ''}: these are of them"
            raise MbconcordError(error(option, message, f"add --against{example}, or leave out {option}"))
    if programs:
        return arguments.against or None
    if len(files) != 1:
        message = f"found {len(files)} models, expected the one that the equations were generated from"
        raise MbconcordError(error("--against", message, "check them one by one"))
    if own:
        from mbconcord.api.own import own as read_own

        given: dict[str, Any] = {name: named.get(name) for name in NAMED if name != "bodies"}
        return read_own(arguments.against, allow_binary=is_allowed(arguments, "binary"), **given)
    from mbconcord.validation.witnesses.um.sources import read_source  # not before: it brings readers of equations

    return read_source(arguments.against)


def _require_repeats(command: str, asked: argparse.Namespace, evidence: Evidence) -> None:
    """Raise :class:`DisagreementError` unless a command, which its own parser reads, asks for the check that was made.

    What chooses the numbers in other ways than the arguments do, is compared with the evidence.
    """
    parser = argparse.ArgumentParser(add_help=False)
    arguments(parser)
    again = vars(parser.parse_args(shlex.split(command)[2:]))
    again["files"] = [file.removeprefix("./") for file in again["files"]]
    other = evidence.against.witness if evidence.against else ""
    names = ",".join(w.full_name for w in evidence.witnesses if w.name != other) or None
    made = vars(asked) | {"files": [evidence.file.removeprefix("./")], "formalisms": names, "seed": evidence.seed}
    made["states"] = state_file(asked) or len(evidence.states)
    again["read"] = [x for x in again["read"] if x in asked.read or not x.startswith("assume=")]  # or of the model
    compared = {x.dest for x in parser._actions} - (ELSEWHERE - {"files", "formalisms", "seed", "states"})
    wrong = [x for x in sorted(compared) if again[x] != made[x]]
    if wrong or evidence.seed != asked.seed:
        found = ", ".join(f"{x} {again[x]}, not {made[x]}" for x in wrong) or f"seed {evidence.seed}, not {asked.seed}"
        remedy = "do not trust it; please report the model and the command"
        raise DisagreementError(error("reproduce", f"the command that repeats the check has {found}", remedy))


def _options(asked: argparse.Namespace, elsewhere: Collection[str] = ELSEWHERE) -> list[str]:
    """List the options that affect numbers and differ from their defaults, for the command that repeats the check."""
    parser, words = argparse.ArgumentParser(add_help=False), list[str]()
    arguments(parser)
    for action in parser._actions:
        value = getattr(asked, action.dest)
        in_file = action.dest == "states" and isinstance(value, str)
        if (action.dest in elsewhere and not in_file) or not value or value == action.default:
            continue
        name = "--state" if in_file else action.option_strings[0]
        if action.nargs == 0:
            words.append(name)
        for one in () if action.nargs == 0 else value if isinstance(value, list) else [value]:
            words += [f"{name}={one}"] if str(one).startswith("-") else [name, str(one)]
    return words
