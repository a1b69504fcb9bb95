"""Change a source in one small place, a sign, an index, a term, and see who notices: the checks, or only the tests.

Changes are drawn from a seed and tried in processes of their own, on a fixed set of small models. With --results what
was learned is kept in a file of JSON lines, and the same command goes on from there. Exit code 1 when fewer are
noticed than are wanted, and chance does not explain it; where it may, a warning says so.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.options.numbers import add_seed, whole
from mbconcord.cli.options.shared import add_cluster, join_cluster, split_required_names
from mbconcord.cli.output import add_detail, print_json, require_writable, say, write_file
from mbconcord.model.limits import cores

from .. import command
from ..runner.record import ChangeRecord
from . import report, rooms
from .campaign import MutationRequest, campaign
from .places import choose_modules, possible
from .score import Score

#: So many mutants can be asked for.
MOST = 1_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: mutants, their number, and the record's place."""
    add_seed(parser, "seed of the draw (default: 0)", 0)
    parser.add_argument(
        "--count", type=whole(1, MOST), metavar="N", help="try so many (default: all, which takes hours)"
    )
    parser.add_argument(
        "--modules", metavar="A,B",
        help="only these parts of the source: formalisms, model.force, converters.mbsd, validation.judge; all: every "
        "one of these, and by the commands that print their numbers simulation, kernels, reports and the program",
    )  # fmt: skip
    parser.add_argument(
        "--results", metavar="FILE", help="keep what is learned in this file of JSON lines, and go on from it"
    )
    parser.add_argument(
        "--unreached", action="store_true", help="ask the tests of a checkout about lines that no model runs, too"
    )
    parser.add_argument(
        "--at-least", type=whole(0, 100), metavar="N",
        help="so many per cent of those that change a result a check must notice by itself; the exit code is 1 where "
        "fewer are noticed than chance explains (default: 97 of formalisms, 90 of the model and readers)",
    )  # fmt: skip
    parser.add_argument(
        "--words", type=whole(0, MOST), default=0, metavar="N",
        help="change so many texts, too: messages, names, titles, which tests of a checkout notice or nobody "
        "(default: 0)",
    )  # fmt: skip
    parser.add_argument("--report", metavar="FILE", help="write a report: .md or .json")
    parser.add_argument(
        "--jobs", type=whole(1, 256), metavar="N", help="so many at a time (default: as many as there are processors)"
    )
    add_cluster(parser)
    add_detail(parser, "whether it is enough, and the survivors", "every part, and all that no check notices")


def run(arguments: argparse.Namespace) -> int:
    """Try the mutants; exit code 1 if fewer are detected than required."""
    if arguments.report:
        command.require_report(arguments.report, report.FORMS, "mutants")
    if arguments.results:
        require_writable(arguments.results)
    chosen = None if arguments.modules == "all" else arguments.modules
    modules = None if chosen is None else tuple(split_required_names(chosen, "--modules"))
    asked = MutationRequest(arguments.seed, arguments.count, modules, arguments.jobs or cores(), arguments.unreached)
    asked = replace(asked, words=arguments.words)
    record = ChangeRecord.from_file(Path(arguments.results) if arguments.results else None)
    for note in record.notes:
        say(f"note: {note}", error=True)
    least = None if arguments.at_least is None else arguments.at_least / 100
    with join_cluster(arguments.cluster, asked.jobs, arguments.json) as cluster:
        score = Score(campaign(asked, record, cluster), len(possible(choose_modules(modules))), least)
    if arguments.json:
        print_json(report.as_json(score))
    else:
        say(report.text(score, arguments.verbose))
    if arguments.report:
        write_file(arguments.report, report.page(score, arguments.report, _command(arguments)))
    silent = SUCCESS
    if arguments.modules == "all":
        silent = rooms.run(argparse.Namespace(seed=arguments.seed, count=arguments.count or MOST))
    return DISAGREEMENT if score.short else silent


def _command(arguments: argparse.Namespace) -> str:
    """Write the command that gives the same score."""
    words = ["python", "-m", "laboratory.mutants", "--seed", str(arguments.seed)]
    words += ["--count", str(arguments.count)] if arguments.count else []
    words += ["--modules", arguments.modules] if arguments.modules else []
    words += ["--unreached"] if arguments.unreached else []
    words += ["--words", str(arguments.words)] if arguments.words else []
    words += [] if arguments.at_least is None else ["--at-least", str(arguments.at_least)]
    return shlex.join(words)


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
