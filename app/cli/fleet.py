"""Many pairs of models in one command: what becomes of each, one table, one exit code."""

from __future__ import annotations

import argparse
import filecmp
import time
from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mbconcord.api.compare import CompareRequest, Comparison, compare, list_warnings
from mbconcord.api.source import Source
from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import format_names
from mbconcord.model.shown import count
from mbconcord.reports.campaign import fleet as shown
from mbconcord.validation.explain import Causes
from mbconcord.validation.judge.evidence import ROUNDING
from mbconcord.validation.many.campaign.apart import SECONDS
from mbconcord.validation.many.campaign.corpus import CorpusModel, model
from mbconcord.validation.many.campaign.fleet import EXITS, Fleet, FleetPair, FleetRequest, say_errors, to_row
from mbconcord.validation.many.campaign.parts import working_alone
from mbconcord.validation.many.campaign.row import CampaignRun
from mbconcord.validation.many.campaign.subject import crash
from mbconcord.validation.many.campaign.survey import prepare, survey

from . import INTERNAL_ERROR, INTERRUPTED
from .io.converter import convert_file
from .io.jobs import cores
from .options.accepted import find_accepted
from .options.numbers import real, seconds
from .options.pairs import NamedPair, list_pairs
from .options.shared import join_cluster
from .output import print_json, require_writable, say, write_file
from .source import read_pair
from .tables.units import comparison_code
from .terminal.screen import progress

#: Seconds after which the search for causes stops.
WHY_SECONDS: Final = 60.0
#: Options of compare that are of two files.
OF_ONE_PAIR: Final = ("coordinates", "state", "parameters", "settings")


# What becomes of a pair.


def _prepare(arguments: argparse.Namespace, folder: Path, pairs: Mapping[str, NamedPair], name: str) -> FleetPair:
    """Convert, where that is wanted, and read both files."""
    pair = pairs[name]
    if pair.refused:
        raise ReadError(error("", pair.refused))
    b = pair.b
    if pair.program:
        told = repr((pair.program.words, str(Path(pair.a).resolve())))  # two campaigns share no file of a folder
        own = folder / pair.program.name / sha256(told.encode()).hexdigest()[:12]
        b = convert_file(pair.program, pair.a, own, arguments.convert_seconds)
    known = find_accepted(arguments, pair.a, b)
    sources = read_pair(arguments, pair.a, b)
    first, second = (model(s.file, s.format, s.text, s.system, s.physics, known, s.changed) for s in sources)
    warnings = tuple(str(d) for d in list_warnings(*sources))
    same = Path(pair.a).is_file() and Path(b).is_file() and filecmp.cmp(pair.a, b, shallow=False)
    wrote = f"{pair.program.name} wrote its input again" if pair.program else "A and B are one text"
    return FleetPair(name, first, second, warnings, f"{wrote}, byte for byte" if same else "")


def judge(wanted: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a pair, search causes where it differs, and return its row; a worker calls it by its name."""
    asked, pair, begin = FleetRequest.from_json(wanted), FleetPair.from_json(of), time.process_time()
    try:
        a, b = (_restore(one) for one in (pair.a, pair.b))
        request = CompareRequest(
            states=asked.states, seed=asked.seed, simulate=asked.simulate, accept_omissions=pair.a.accepted
        )
        found = compare(a, b, request)
        answer = describe(found, found.why(asked.seconds) if found.verdict == "disagrees" else None, pair)
    except MbconcordError as problem:
        answer = {"verdict": "refused", "exit": 2, "cause": say_errors(str(problem))}
    except MemoryError:
        raise
    except Exception as problem:  # a fault of the program, whatever it is
        answer = {"verdict": "failed", "exit": INTERNAL_ERROR, "cause": crash(problem, "compare").words}
    return to_row(pair.file, answer, time.process_time() - begin)


def _restore(of: CorpusModel) -> Source:
    system = registry.read_text(of.native, of.file, "native", "ignore").system
    return Source(of.file, system, (), {}, of.physics, of.format, of.text, frozenset(of.changed))


def describe(found: Comparison, why: Causes | None, pair: FleetPair) -> dict[str, Any]:
    """Return the row of a comparison: verdict, exit code, largest entry, cause, and all that ``compare`` prints."""
    largest = max(found.largest, key=lambda d: d.of_scale, default=None)
    a, b = found.sources
    head = {"a": a.file, "b": b.file, "seed": found.request.seed, "warnings": list(pair.warnings)}
    return {
        "verdict": found.verdict,
        "exit": comparison_code(found),
        "largest": str(largest) if largest else "",
        "cause": "; ".join(_list_causes(found, why, pair)),
        "found": head | found.to_json() | ({"why": why.to_json()} if why else {}),
    }


def _list_causes(found: Comparison, why: Causes | None, pair: FleetPair) -> Iterable[str]:
    """Yield the words of the verdict that are no verdict, what is left out, why, and what the readers warn of."""
    if pair.unchanged:
        yield pair.unchanged
    if found.headline not in ("the same machine", "not the same machine", "not checked"):
        yield found.headline
    if not found.left_out.stands:
        yield f"left out: {format_names(o.place for o in found.left_out.touching)}"
    acting = [str(d) for d in found.differences if d.acts]
    if acting:
        more = f" and {len(acting) - 1} more" if len(acting) > 1 else ""
        yield f"not the same is left out of the two: {acting[0]}{more}"
    if found.verdict == "not checked" and found.worst.explanation:
        yield found.worst.explanation
    if why is not None:
        worst, seen = found.worst, any(d.of_scale >= ROUNDING for d in found.largest)
        brief = why.brief or "no cause was found"
        yield brief if seen else f"{worst.quantity}: {worst.explanation or 'differs'}; {brief}"
    if pair.warnings:
        yield f"{count(len(pair.warnings), 'warning')} of the readers"


def warm_up() -> None:
    """Import what a comparison needs before there are processes that share it."""
    from mbconcord.validation.many.campaign.survey import warm_up as warm

    one, other = (registry.read_text(f"z j-2 ${m} g", "", "mbsd").system for m in (3, 4))
    compare(one, other, CompareRequest(states=1)).why(1.0)
    warm()


# The command.


def run(arguments: argparse.Namespace, folder: Path, cluster: str | None = None) -> int:
    """Compare the pairs that are not compared yet in a folder of rows, and print the table."""
    wrong = [name for name in OF_ONE_PAIR if getattr(arguments, name, None)]
    if wrong:
        option = {"settings": "--set"}.get(wrong[0], f"--{wrong[0]}")
        raise MbconcordError(error(option, "it is of one pair: mbconcord compare A B", "leave it out"))
    if arguments.report:
        require_form(arguments.report)
    limit = seconds("--why-seconds", arguments.why_seconds) or WHY_SECONDS
    wanted = FleetRequest(arguments.states, arguments.seed or 0, real("--simulate", arguments.simulate), limit)
    find_accepted(arguments)  # a wrong option is found before anything is read
    pairs = list_pairs(arguments)
    if not pairs:
        raise MbconcordError(error("--pairs", f"{arguments.pairs}: holds no pair", "add a row for each pair"))
    fleet = Fleet(folder, wanted, {name: (pair.robot, pair.converter) for name, pair in pairs.items()})
    jobs, converted = arguments.jobs or cores(), folder / "converted"
    reading = partial(_prepare, arguments, converted, pairs)
    done = CampaignRun(0.0, 0)
    with progress(arguments.quiet, ("reading", Fleet.UNIT)):
        with working_alone(folder):
            limit_of_reading = SECONDS + arguments.convert_seconds
            left = fleet.take(prepare(reading, [*pairs], jobs, FleetPair.from_json, limit_of_reading))
        if left:
            with join_cluster(cluster, jobs, arguments.json) as workers:
                done = survey(fleet, left, jobs, workers)
    return report(arguments, fleet, done)


def require_form(file: str) -> None:
    """Refuse a name with a form that there is not."""
    if Path(file).suffix.lower() not in shown.SUFFIXES:
        message = f"{file}: no table of pairs has this suffix"
        raise MbconcordError(error("--report", message, f"known: {' '.join(shown.SUFFIXES)}"))
    require_writable(file)


def report(arguments: argparse.Namespace, fleet: Fleet, done: CampaignRun) -> int:
    """Print the table of a fleet, write its report; the worst of the exit codes of its pairs."""
    found = fleet.list_checked()
    if arguments.report:
        write_file(arguments.report, shown.page(found, fleet.wanted, arguments.report))
    if arguments.json:
        print_json(shown.as_json(found))
    else:
        rows = [c for c in found if not (arguments.quiet and c.exit == 0)]
        say(f"{shown.text(rows)}\n\n{shown.describe_counts(found)}" if rows else shown.describe_counts(found))
        if arguments.report:
            say(f"report: {Path(arguments.report).absolute()}")
    codes = {c.exit for c in found}
    return INTERRUPTED if done.stopped or None in codes else next(code for code in EXITS if code in codes)
