"""Measure the numbers that are claimed of this program, each beside its limit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.output import print_json, say
from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.reports.table import table

from .. import command
from .row import BenchmarkRow

#: Modules of this package that measure nothing: what the others stand on.
HELPERS = frozenset({"__main__", "row"})


def names() -> tuple[str, ...]:
    """Return names of benchmarks: this package's modules except its machinery."""
    package = import_module(__package__)
    return tuple(sorted(m.name for m in iter_modules(package.__path__) if m.name not in HELPERS))


def measure(chosen: Iterable[str] | None = None) -> Iterator[tuple[str, BenchmarkRow]]:
    """Yield (benchmark, row) as they are measured.

    :class:`MbconcordError`: there is no benchmark of that name; the known ones are listed.
    """
    wanted = list(chosen or names())
    for name in wanted:
        if name not in names():
            raise MbconcordError(error("bench", f"there is no benchmark {name!r}", among(name, names())))
    for name in wanted:
        for row in _module(name).rows():
            yield name, row


def _module(name: str) -> ModuleType:
    """Import the benchmark; :class:`MbconcordError` if a package that it needs is not installed."""
    try:
        return import_module(f"{__package__}.{name}")
    except ModuleNotFoundError as problem:
        if problem.name is None or problem.name.startswith("mbconcord"):
            raise
        message = f"{problem.name}, which {name} needs, is not installed"
        raise MbconcordError(error("bench", message, "pip install 'mbconcord[sim]'")) from None


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of benchmarks."""
    parser.add_argument("names", metavar="NAME", nargs="*", help="benchmark (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmarks; exit code 1 when a limit is not met."""
    measured = list(measure(arguments.names or None))
    if arguments.json:
        print_json({"rows": [{"benchmark": name} | row.to_json() for name, row in measured]})
    else:
        words = {None: "", True: "met", False: "NOT MET"}
        rows = []
        for name, row in measured:
            limit = "" if row.limit is None else f"{'≤' if row.at_most else '≥'} {row.limit:g} {row.unit}"
            rows.append((name, row.claim, f"{row.measured:.4g} {row.unit}", limit, words[row.is_met], row.note))
        say(table(("benchmark", "claim", "measured", "limit", "", "note"), rows))
    return DISAGREEMENT if any(row.is_met is False for _, row in measured) else SUCCESS


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
