"""Try every seeded fault: who notices it, and how faintly?

Faults of shared code and of texts are tried by a check of one fixture each, faults of readers by the tests of
tests/readers, faults of printed numbers by the commands that print them, faults of formalisms by the claims. With
--results what was learned is kept, and the same command goes on from there. Exit code 1 when one is not caught.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.options.numbers import add_jobs
from mbconcord.cli.output import print_json, require_writable, say
from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.limits import cores
from mbconcord.testing import Fault
from mbconcord.validation.many.cluster.worker import Children

from .. import command
from ..mutants import report
from ..mutants.score import Score
from ..runner.apart import apart
from ..runner.change import run as run_changed
from ..runner.record import ChangeOutcome, ChangeRecord
from . import attempts, score
from .tables import numbers, texts
from .tables.shared import FAULTS, Watched

ROOT: Final = Path(__file__).resolve().parents[2]
#: Seconds of the processor that a fault may take.
SECONDS: Final = 600
#: What is tried beside formalisms.
SHARED, TEXTS, READERS, NUMBERS = "shared", "texts", "readers", "numbers"
KINDS: Final = (SHARED, TEXTS, READERS, NUMBERS, *registry.BUILT_IN)


@dataclass(frozen=True)
class SeededFaults:
    """A fault of a table, and how it is tried: its row of shared code or printed numbers, else its number there."""

    table: str
    fault: Fault
    row: Watched | None = None
    number: int = 0
    printed: numbers.PrintedFault | None = None

    @property
    def key(self) -> str:
        """The name that results are kept under."""
        return f"{self.table}: {self.fault.title} ({self.fault.module.partition('.')[2]} {self.fault.function})"

    def outcome(self, children: Children) -> ChangeOutcome:
        """Try it."""
        before = children.spent
        how, by = self._try_fault(children)
        model = self.row.model if self.row else ""
        seconds = round(children.spent - before, 3)
        return ChangeOutcome(self.key, self.fault.module, self.key, how, by, model, seconds)

    def _try_fault(self, children: Children) -> tuple[str, str]:
        if self.printed:
            return attempts.attempt_command(children, self.printed)
        if self.row:
            tried = attempts.attempt_check(children, self.row)
            catch: dict[str, Any] | None = asdict(tried.catch) if tried.catch else None
        elif self.table == READERS:
            watching = self.fault.module.split(".")[2]
            tests = sorted(str(file) for file in ROOT.glob(f"tests/readers/test_{watching}_*.py"))
            change = attempts.change(self.fault)
            options = ["-xq", "-m", "", "-p", "no:cacheprovider"]  # rows that a short run leaves out, too
            answer = run_changed(children, change, "pytest:main", [*options, *tests])
            return {0: "survived", 1: "tests"}.get(answer.value, "raised"), answer.failure or "tests/readers"
        else:
            answer = children.run(f"{score.__name__}:attempt", self.table, self.number)
            if answer.failure:
                raise MbconcordError(error("faults", f"{self.key}: {answer.failure}"))
            catch = answer.value
        if catch is None:
            return "survived", ""
        return "check", f"{catch['claim']}, {catch['quantity']}, {catch['discrepancy']:.1e}"


def list_faults(table: str) -> Iterator[SeededFaults]:
    """Give the faults of a table."""
    if table in (SHARED, TEXTS):
        yield from (SeededFaults(table, row.fault, row) for row in (FAULTS if table == SHARED else texts.FAULTS))
    elif table == NUMBERS:
        yield from (SeededFaults(table, row.fault, printed=row) for row in numbers.FAULTS)
    elif table == READERS:
        yield from (SeededFaults(table, fault) for faults in texts.READERS.values() for fault in faults)
    else:
        every = (*score.faults(table), *score.constraint_faults(table))
        yield from (SeededFaults(table, fault, number=n) for n, fault in enumerate(every))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: selection of faults, and the file of results."""
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(KINDS)} (default: all)")
    parser.add_argument("--results", metavar="FILE", help="keep what is learned in this file, and go on from it")
    add_jobs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Try the faults; exit code 1 where one is not caught."""
    for name in arguments.what:
        if name not in KINDS:
            raise MbconcordError(error("faults", f"there are no faults of {name!r}", among(name, KINDS)))
    if arguments.results:
        require_writable(arguments.results)
    record = ChangeRecord.from_file(Path(arguments.results) if arguments.results else None)
    every = [item for name in arguments.what or KINDS for item in list_faults(name)]
    left = [item for item in every if item.key not in record.outcomes]
    derived = [item for item in left if item.table in registry.BUILT_IN]
    for items, warm in (([i for i in left if i not in derived], ()), (derived, (f"{score.__name__}:derive_honest",))):
        jobs = arguments.jobs or cores()
        for outcome in apart(items, lambda c, i: i.outcome(c), jobs, "fault", lambda i: i.key, SECONDS, warm):
            record.add(outcome)
    found = Score([record.outcomes[item.key] for item in every])
    if arguments.json:
        print_json(report.as_json(found))
    else:
        say(report.faults(found))
    return DISAGREEMENT if found.list_ended("survived") else SUCCESS


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
