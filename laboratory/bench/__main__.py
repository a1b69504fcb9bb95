"""Measure the numbers that are claimed of this program, each beside its limit."""

from __future__ import annotations

import argparse
import sys

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.output import print_json, say
from mbconcord.reports.table import table

from .. import command
from . import runner


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of benchmarks."""
    parser.add_argument("names", metavar="NAME", nargs="*", help="benchmark (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmarks; exit code 1 when a limit is not met."""
    measured = list(runner.run(arguments.names or None))
    if arguments.json:
        print_json({"rows": [{"benchmark": name} | row.to_json() for name, row in measured]})
    else:
        words = {None: "", True: "met", False: "NOT MET"}
        rows = [
            (
                name,
                row.claim,
                f"{row.measured:.4g} {row.unit}",
                _limit(row.limit, row.at_most, row.unit),
                words[row.is_met],
                row.note,
            )
            for name, row in measured
        ]
        say(table(("benchmark", "claim", "measured", "limit", "", "note"), rows))
    return DISAGREEMENT if any(row.is_met is False for _, row in measured) else SUCCESS


def _limit(limit: float | None, at_most: bool, unit: str) -> str:
    return "" if limit is None else f"{'≤' if at_most else '≥'} {limit:g} {unit}"


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
