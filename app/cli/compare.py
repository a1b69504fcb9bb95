"""Tell whether two models are the same machine: their dynamics are compared, coordinates matched.

Exit code 0: the same, also to the digits printed, or with coordinates matched in the only way, proved; 1: not the same,
with the entry and the state of the largest difference; 3: not decided; 4: the same but for what the readers
left out; 5: the same after coordinates were matched by structure, neither confirmed nor proved.
Two certificates are compared by their verifier: the machines that they state, and what they claim.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from mbconcord.api.compare import (
    CompareRequest,
    Comparison,
    compare,
    comparison_code,
    describe_sameness,
    level_friction,
)
from mbconcord.certificate.pair import compare_certificates, is_certificate
from mbconcord.converters import registry
from mbconcord.converters.format import StateFile
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.comparison import contradict
from mbconcord.witnessed import with_constraints, with_evidence

from .io.json_files import read_state
from .numbers import add_parameters, add_states_or_file, overrides, state_file
from .options.accepted import add_accepted, find_accepted
from .options.numbers import add_seed, add_simulate, real, seconds
from .options.pairs import add_fleet, is_fleet
from .options.shared import pairs
from .output import add_detail, least, print_json, say, tell
from .source import add_allowed, read_pair, split_reading
from .tables.expected import judge_sides, read_compared, read_why

#: Seconds after which the search for causes stops.
WHY_SECONDS = 60.0


#: Options that two certificates have as well, and the verdict of each exit code.
OF_CERTIFICATES = {"a", "b", "coordinates", "json", "quiet", "verbose"}
#: Words that programs read of a stage, by their names in --read.
READERS = {
    "physics": "UsdPhysics alone", "newton": "UsdPhysics and the words of Newton",
    "mujoco": "UsdPhysics and the words of MuJoCo",
}  # fmt: skip
VERDICTS = {0: "agrees", 1: "disagrees", 3: "not checked", 4: "agrees in part"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: two files, and the states to compare them at."""
    add_fleet(parser)
    add_states_or_file(parser)
    add_seed(parser, "seed of the states (default: 0)", 0)
    parser.add_argument(
        "--coordinates", metavar="a=b,c=d",
        help="which coordinate of B each of A's is (default: that of the same name, then found by structure)",
    )  # fmt: skip
    parser.add_argument(
        "--why",
        action="store_true",
        help="the fields that differ, largest effect first, and the fault that turns A into B",
    )
    parser.add_argument(
        "--why-seconds", metavar="T", help="stop this search after T seconds, or 2m, at what is found (default: 60)"
    )
    add_simulate(parser)
    add_detail(parser, "the verdict alone", "the notes of both readers, too")
    add_allowed(parser)
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare two models or two certificates, or many pairs; print the result and return the exit code."""
    if is_fleet(arguments):
        from . import fleet  # not before: two files need no campaign

        with tempfile.TemporaryDirectory() as folder:
            return fleet.run(arguments, Path(folder) / "rows")
    if any(map(is_certificate, (arguments.a, arguments.b))):
        return _compare_certificates(arguments)
    limit = seconds("--why-seconds", arguments.why_seconds) or WHY_SECONDS
    request = CompareRequest(
        accept_omissions=find_accepted(arguments, arguments.a, arguments.b),
        coordinates=pairs(arguments.coordinates, "--coordinates"), parameters=overrides(arguments),
        states=read_state(file) if (file := state_file(arguments)) else arguments.states, seed=arguments.seed,
        simulate=real("--simulate", arguments.simulate),
    )  # fmt: skip
    a, b = read_pair(arguments, arguments.a, arguments.b)
    if arguments.a == arguments.b and "all" in {*split_reading(arguments.read)["as"]} & {
        *registry.format_named(a.format).words
    }:
        return _compare_readings(arguments, request, limit)
    found = compare(a, b, request)
    a, b = found.sources
    _tell(found, arguments)
    answer = found.why(limit) if arguments.why else None
    judged = (*answer.comparisons, *(answer.fields.comparisons if answer.fields else ())) if answer else ()
    if answer and answer.fields and not answer.converted:  # which are undone in the models of the table
        judged += (judge_sides([x.system for x in level_friction(a, b)], answer.fields.models),)
    wrong = list(contradict(judged, "why"))
    if arguments.json:
        head = {"a": a.file, "b": b.file, "seed": arguments.seed, "warnings": [str(d) for d in found.warnings]}
        text = print_json(
            head
            | with_evidence("compare", found.to_json(), with_constraints(a.system, "quantity"))
            | ({"why": answer.to_json()} if answer else {})
        )
        wrong += contradict([read_compared(found, answer, text)], "compare")
    else:
        say(found.headline if arguments.quiet else describe_sameness(found, a.system, "compare"))
        if answer and (text := str(answer)):
            say(text)
            wrong += contradict([read_why(answer, text)], "why")
    tell(wrong)
    return 1 if wrong else comparison_code(found)


def _compare_readings(arguments: argparse.Namespace, request: CompareRequest, limit: float) -> int:
    """Compare a file with itself as programs read it that know fewer words; return the exit code of the worst."""
    rows, codes = dict[str, Any](), list[int]()
    for program, words in READERS.items():
        read_so = [way.replace("as=all", f"as={program}") for way in arguments.read]
        a, b = read_pair(argparse.Namespace(**vars(arguments) | {"read": read_so}), arguments.a, arguments.b)
        found = compare(a, b, request)
        answer = found.why(limit) if arguments.why else None
        codes.append(comparison_code(found))
        if arguments.json:
            judged = with_evidence("compare", found.to_json(), with_constraints(a.system, "quantity"))
            rows[program] = judged | ({"why": answer.to_json()} if answer else {})
            continue
        said = found.headline.replace("not the same machine", "another machine", 1)
        lines = [] if arguments.quiet else [*str(found).splitlines()[1:], *str(answer or "").splitlines()]
        say("\n  ".join((f"for a program that reads {words} this is {said}", *lines)))
    if arguments.json:
        print_json({"a": arguments.a, "b": arguments.b, "seed": arguments.seed, "readings": rows})
    return 1 if 1 in codes else max(codes)


def _compare_certificates(asked: argparse.Namespace) -> int:
    """Compare two certificates, print the result, and return the exit code; refuse options about models."""
    parser = argparse.ArgumentParser(add_help=False)
    arguments(parser)
    for action in parser._actions:
        if action.dest not in OF_CERTIFICATES and getattr(asked, action.dest) != action.default:
            option = action.option_strings[0]
            message = "found certificates, whose equations alone are compared"
            raise MbconcordError(error(option, message, "leave it out"))
    found = compare_certificates(asked.a, asked.b, pairs(asked.coordinates, "--coordinates"))
    said = (found.headline, *(() if asked.quiet else found.said))
    if asked.json:
        verdict = VERDICTS[found.code]
        print_json({"a": asked.a, "b": asked.b, "verdict": verdict, "said": [found.headline, *found.said]})
    else:
        say("\n  ".join(said))
    return found.code


def _tell(found: Comparison, arguments: argparse.Namespace) -> None:
    """Print the remarks of the readers, warnings, and assumptions of the comparison."""
    states = found.request.states
    notes = states.notes(found.sources[0].system) if isinstance(states, StateFile) else ()
    remarks = [s.locate(d) for s in found.sources for d in s.diagnostics if d.severity == "note" and arguments.verbose]
    tell((*remarks, *found.warnings, *notes), least(arguments, "note"))
