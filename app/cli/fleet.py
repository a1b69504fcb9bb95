"""Many pairs of models in one command: what becomes of each, one table, one exit code."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from mbconcord.api.fleet import WHY_SECONDS, compare_rows, label_rows, read_files
from mbconcord.api.pairs import NamedPair
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.limits import cores
from mbconcord.records import replace
from mbconcord.reports.campaign import fleet as shown
from mbconcord.validation.many.campaign.corpus import EXITS, Fleet, FleetPair, FleetRequest
from mbconcord.validation.many.campaign.row import CampaignRun

from . import INTERRUPTED
from .numbers import state_file
from .options.accepted import find_accepted
from .options.numbers import real, seconds
from .options.pairs import Converter, convert_file, list_pairs, read_converter
from .options.shared import join_cluster
from .output import print_json, require_writable, say, write_file
from .source import read_pair
from .terminal.screen import progress

#: Options of compare that are of two files.
OF_ONE_PAIR: Final = ("coordinates", "settings")


def _prepare(
    arguments: argparse.Namespace, folder: Path, pairs: Mapping[str, NamedPair], programs: Mapping[str, Converter],
    name: str,
) -> FleetPair:  # fmt: skip
    """Read both files of a pair, after converting one if a converter is named; return the pair."""
    pair, wrote = pairs[name], "A and B are one text"
    program = programs.get(pair.converter)
    if program and not pair.refused:
        told = repr((program.words, str(Path(pair.a).resolve())))  # two campaigns share no file of a folder
        own = folder / program.name / sha256(told.encode()).hexdigest()[:12]
        pair = replace(pair, b=convert_file(program, pair.a, own, arguments.convert_seconds))
        wrote = f"{program.name} wrote its input again"
    return read_files(pair, partial(read_pair, arguments), find_accepted(arguments, pair.a, pair.b), wrote)


def run(arguments: argparse.Namespace, folder: Path, cluster: str | None = None) -> int:
    """Compare the pairs that have no row in a folder yet, print the table, and return the exit code."""
    wrong = [*["state"] * bool(state_file(arguments)), *(n for n in OF_ONE_PAIR if getattr(arguments, n, None))]
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
    fleet, jobs = Fleet(folder, wanted, label_rows(pairs)), arguments.jobs or cores()
    programs = {program.name: program for program in map(read_converter, arguments.convert)}
    reading = partial(_prepare, arguments, folder / "converted", pairs, programs)
    workers = partial(join_cluster, cluster, jobs, arguments.json)
    with progress(arguments.quiet, ("reading", Fleet.UNIT)):
        done = compare_rows(fleet, [*pairs], reading, jobs, arguments.convert_seconds, workers)
    return report(arguments, fleet, done)


def require_form(file: str) -> None:
    """Raise if no form of report has the suffix of this name."""
    if Path(file).suffix.lower() not in shown.SUFFIXES:
        message = f"{file}: no table of pairs has this suffix"
        raise MbconcordError(error("--report", message, f"known: {' '.join(shown.SUFFIXES)}"))
    require_writable(file)


def report(arguments: argparse.Namespace, fleet: Fleet, done: CampaignRun) -> int:
    """Print the table of a fleet, write its report, and return the worst exit code of its pairs."""
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
