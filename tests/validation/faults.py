"""Every seeded fault, tried: which claim catches it, how faintly? Run from a checkout, it is no test.

    python -m tests.validation.faults [shared] [readers] [FORMALISM …]

Faults of shared code by ``check`` on one fixture each, faults of readers by the tests of ``tests/readers``, faults of
formalisms by the claims. The exit code is 1 where one is not caught.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from mbconcord.formalisms import registry
from mbconcord.validation.faults import shared
from mbconcord.validation.faults.injection import Fault
from mbconcord.validation.faults.processes import Answer, Children
from mbconcord.validation.faults.score import Score, score
from mbconcord.validation.faults.tables import readers
from mbconcord.validation.faults.tables.shared import FAULTS

ROOT = Path(__file__).resolve().parents[2]


def tests_with(children: Children, fault: Fault, *paths: str) -> Answer:
    """The exit code of pytest over tests of this checkout, with a fault in place."""
    files = sorted(str(file) for path in paths for file in ROOT.glob(path))
    assert files, paths
    return children.run(shared.change(fault), "pytest:main", ["-x", "-q", "-p", "no:cacheprovider", *files])


def of_shared_code() -> Iterator[tuple[str, str]]:
    """Each fault of shared code with how it is caught; empty when it is not."""
    for one in shared.tried(FAULTS):
        caught = f"{one.catch.claim}, {one.catch.quantity}, {one.catch.discrepancy:.1e}" if one.catch else ""
        yield f"{one.watched.fault.title} ({one.watched.model})", caught


def of_readers() -> Iterator[tuple[str, str]]:
    """Each fault of a reader with the tests that notice it."""
    with Children() as children:
        for name, table in readers.FAULTS.items():
            for fault in table:
                answer = tests_with(children, fault, f"tests/readers/test_{name}_*.py")
                yield f"{name}: {fault.title}", "" if answer.value == 0 else "tests/readers"


def shown(name: str, found: Score) -> str:
    """The score of a formalism in a line."""
    claims = ", ".join(f"{claim} {count}" for claim, count in found.claims.items())
    faint = ""
    if found.faintest:
        fault, catch = found.faintest
        faint = f"; the faintest with {catch.discrepancy:.1e} of {catch.quantity} ({fault.title})"
    return f"{name}: {found.caught} of {found.total} (by {claims}{faint})"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validation.faults")
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="shared, readers, names of formalisms (default: all)"
    )
    asked = parser.parse_args(arguments).what or ["shared", "readers", *registry.BUILT_IN]
    missed = 0
    for name in asked:
        if name in ("shared", "readers"):
            for title, caught in of_shared_code() if name == "shared" else of_readers():
                missed += not caught
                print(f"{name}: {title}: {caught or 'NOT CAUGHT'}", flush=True)
        else:
            found = score(name)
            missed += len(found.survivors)
            print(
                shown(name, found),
                *(f"  NOT CAUGHT: {f.title}" for f in found.survivors),
                sep="\n",
                flush=True,
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
