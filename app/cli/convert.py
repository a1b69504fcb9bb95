"""Write a model in another format. What that format cannot hold is listed as losses on standard error.

Where the motion depends on what is lost, the result is another machine: it is written, and the exit code is 3 until the
losses are accepted. --strict refuses any loss; --verify reads the result back and compares its dynamics with the
original's; without it, the result is not compared, and that is said.
When either objects, nothing is written and the exit code is 1; nor is it where --verify could not check it all, exit
code 3, but with --force.
An OUT with the suffix of a format's files of states or parameters becomes such a file: the initial state (or that of
--state), or the parameters.
--at t=0 holds what the model has in time as it is at this instant, s: functions and motions of time become parameters,
each a loss, and --verify compares with the machine held there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mbconcord.api.compare import describe_sameness
from mbconcord.api.convert import ConvertRequest, convert
from mbconcord.api.source import locate_errors
from mbconcord.converters import registry
from mbconcord.converters.format import Companion
from mbconcord.model.diagnostics import Loss, MbconcordError, error
from mbconcord.model.limits import format_names
from mbconcord.model.omission import FRICTION
from mbconcord.model.state import State
from mbconcord.reports.table import table
from mbconcord.validation.judge.comparison import note_unchecked
from mbconcord.witnessed import with_constraints, with_evidence

from . import DISAGREEMENT, NOT_CHECKED, SUCCESS
from .io.json_files import read_state
from .numbers import add_parameters, add_state
from .options.accepted import OMISSIONS, accepted_losses, add_accepted, add_accepted_losses, find_accepted, judge_losses
from .options.numbers import add_seed, real
from .output import add_detail, add_force, least, print_json, require_other, require_writable, say, tell, write_file
from .source import add_file, load, read_physics


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: input, output, formats, requirements."""
    add_file(parser, "in")
    companions: tuple[Companion[Any], ...] = (*registry.state_companions(), *registry.parameter_companions())
    listed = "".join(f"; {c.suffix}: {c.title}" for c in companions)
    parser.add_argument("out", metavar="OUT", help=f"file to write; - is standard output (then --to is needed){listed}")
    parser.add_argument("--to", dest="target_format", metavar="FORMAT", help="format of OUT (default: by its name)")
    parser.add_argument("--strict", action="store_true", help="refuse any loss")
    parser.add_argument("--verify", action="store_true", help="read the result back and compare the dynamics")
    add_seed(parser, "seed of the states that --verify compares at (default: 0)", 0)
    add_detail(parser, "only the number of losses, no warnings", "the reader's notes, too")
    add_force(parser, ", and what --verify could not check; never what it finds to differ")
    add_accepted(parser)
    add_accepted_losses(parser)
    add_parameters(parser)
    add_state(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert a model and print the losses; return the exit code, which says if the result was accepted."""
    inputs = (getattr(arguments, "in"), *arguments.settings, arguments.state)
    require_other(arguments.out, inputs, arguments.force)
    require_writable(arguments.out)
    companion = registry.state_companion(arguments.out) or registry.parameter_companion(arguments.out)
    if companion is not None:
        return _companion(arguments, companion)
    instant = _read_instant(arguments.state)
    if arguments.state and instant is None:
        written = " or ".join(f"OUT{c.suffix}" for c in registry.state_companions())
        remedy = f"a state is written to {written}" if written else "leave out --state"
        raise MbconcordError(error("--state", f"{arguments.out} holds a model", remedy))
    for read_option in (find_accepted, accepted_losses):  # a wrong option is found before anything is read
        read_option(arguments)
    model = load(arguments, getattr(arguments, "in"))
    request = ConvertRequest(
        place=arguments.out, to=arguments.target_format or _told_by(arguments.out), seed=arguments.seed,
        physics=read_physics(arguments), at=instant,
        accept_omissions=find_accepted(arguments, model.file) if arguments.verify else None,
    )  # fmt: skip
    made = convert(model, request)
    source, writing, target, notes = made.source, made.writing, made.format, made.diagnostics
    report: dict[str, Any] = {
        "in": source.file,
        "out": arguments.out,
        "format": target,
        "losses": _to_json(writing.losses),
        "diagnostics": [str(d) for d in notes],
    } | ({} if arguments.verify else {"not_checked": ["text"]})
    code = DISAGREEMENT if arguments.strict and writing.losses else SUCCESS
    if arguments.verify and code == SUCCESS:
        found = made.verify(arguments.out)
        notes = (*notes, *note_unchecked(made.rereading, source.file))
        if not arguments.json:
            say(found.headline if arguments.quiet else describe_sameness(found, source.system, "convert"), error=True)
        code = DISAGREEMENT if found.verdict == "disagrees" else SUCCESS if found.stands else NOT_CHECKED
        report["verification"] = found.to_json()
        report["comparisons"] = [c.to_json() for c in made.rereading]
        report["refused"] = refused_by = made.open(arguments.out)
        if refused_by and code == SUCCESS:
            code = NOT_CHECKED
    report["written"] = code == SUCCESS or (code == NOT_CHECKED and arguments.force)
    acting = refused = ""
    if code != SUCCESS or not arguments.verify:  # else it is proved to be the same machine
        acting, refused = judge_losses(arguments, writing.losses, source.system, source.file)
    elif limits := made.list_limits(found):
        acting, refused = judge_losses(arguments, limits, source.system, source.file)
        if not any(x.place.endswith((FRICTION, "/law")) for x in limits):  # no comparison has two laws of dry friction
            alone = f"at t = {instant:g}" if made.held else f"with {found.freed}"
            acting = acting.replace("not the same machine", f"the same machine {alone} alone", 1)
    if code == SUCCESS and refused:
        acting, code = f"{acting} ({refused})", NOT_CHECKED
    report["stands"] = code == SUCCESS
    if arguments.json and arguments.out == "-":
        report["text"] = writing.text if report["written"] else None
    elif report["written"]:
        write_file(arguments.out, writing.text, registry.encode(writing, arguments.out, target))
    if arguments.json:
        more = with_constraints(source.system, "quantity") if "verification" in report else []
        print_json(with_evidence("convert", report, more))
    else:
        tell(notes, least(arguments))
        _tell_losses(report, arguments.quiet, arguments.verbose)
        if acting:
            say(f"{arguments.out}: {acting}", error=True)
        elif report["written"] and not arguments.verify and not arguments.quiet:
            say(f"{arguments.out}: not compared with {source.file} (--verify compares them)", error=True)
    return code


def _read_instant(given: str | None) -> float | None:
    """Return the instant t of ``--at t=0``; None if --at is not given or names a file."""
    name, equals, value = (given or "").partition("=")
    return real("--at", value) if name.strip() == "t" and equals else None


def _companion(arguments: argparse.Namespace, companion: Companion[Any]) -> int:
    """Write a state or the parameters of a model to a file that a format has for these; return the exit code."""
    for option, value in (("--verify", arguments.verify), ("--to", arguments.target_format)):
        if value:
            raise MbconcordError(error(option, f"{arguments.out} holds no model", f"leave out {option}"))
    source = load(arguments, getattr(arguments, "in")).plausible()
    if _read_instant(arguments.state) is not None:
        raise MbconcordError(error("--at", f"{arguments.out} holds no time", "leave out --at"))
    file = read_state(arguments.state) if arguments.state else None
    with locate_errors(source, *([file] if file else [])):
        state = file.to_state(source.system) if file else State()
        stored = companion.write(source.system, state, arguments.out)
    notes = [source.locate(d) for d in (*source.diagnostics, *(file.notes(source.system) if file else ()))]
    written = not (arguments.strict and stored.losses)
    report: dict[str, Any] = {
        "in": source.file,
        "out": arguments.out,
        "format": companion.title,
        "losses": _to_json(stored.losses),
        "diagnostics": [str(d) for d in notes],
        "written": written,
    }
    if written:
        write_file(arguments.out, "", stored.data)
    if arguments.json:
        print_json(report)
    else:
        told = (d for d in notes if arguments.verbose or d.severity != "note" or d.place == "state")
        tell(told, least(arguments, "note"))
        _tell_losses(report, arguments.quiet, arguments.verbose)
    return SUCCESS if written else DISAGREEMENT


def _told_by(out: str) -> str:
    """Return the name of the format to which the suffix of the output belongs."""
    if out == "-":
        raise MbconcordError(
            error("--to", "the format of standard output is not known", f"name it: {', '.join(_written())}")
        )
    try:
        return registry.detect(out).name
    except MbconcordError as problem:
        finding = problem.diagnostics[0]
        message = finding.message.replace("is not read", "is not written")
        remedy = finding.remedy.replace("--from", "--to")
        raise MbconcordError(replace(finding, message=message, remedy=remedy)) from None


def _written() -> list[str]:
    """List the names of the formats that can be written."""
    return [name for name in registry.names() if registry.format_named(name).write is not None]


def _to_json(losses: Iterable[Loss]) -> list[dict[str, Any]]:
    return [{"place": x.place, "what": x.what, "reason": x.reason, "acts": x.acts} for x in losses]


def _tell_losses(report: dict[str, Any], brief: bool, each: bool) -> None:
    """Print on standard error the losses (only their number if ``brief``), and the reason if the result is refused."""
    losses = report["losses"]
    if losses:
        say(f"{len(losses)} lost in {report['format']}{'' if brief else ':'}", error=True)
    if losses and not brief:
        rows = [(x["place"], x["what"], x["reason"]) for x in losses] if each else _by_kind(losses)
        say(table(("place", "lost", "reason"), rows), error=True)
    if not report["written"]:
        verdict = report.get("verification", {}).get("verdict")
        differs = "the result is not the same machine"
        unsure = f"{report.get('refused') or 'the result could not be checked in full'} (--force writes it)"
        why = "losses are refused (--strict)" if verdict is None else differs if verdict == "disagrees" else unsure
        say(f"{report['out']}: not written: {why}", error=True)


def _by_kind(losses: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield a row of a table for each kind of loss; losses on which the motion depends come first."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for loss in sorted(losses, key=lambda loss: not loss["acts"]):
        part, *path = loss["place"].split("/")
        kind = f"{part}/{path[0]}" if part == OMISSIONS and len(path) > 1 else part
        groups.setdefault((loss["acts"], kind, loss["reason"], *path[2:]), []).append(loss)
    for (_, kind, reason, *_), found in groups.items():
        whats = dict.fromkeys(loss["what"] for loss in found)
        names = dict.fromkeys(loss["place"].removeprefix(kind).lstrip("/") for loss in found)
        place = found[0]["place"] if len(found) == 1 else f"{kind}: {format_names(names)}"
        yield place, format_names(whats), reason
