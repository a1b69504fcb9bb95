"""Hypothesis profiles. ``ci`` (the default) is the same on every run; ``dev`` looks for new examples each time.

MBCONCORD_PROFILE chooses the profile, MBCONCORD_EXAMPLES how many random models the agreement property tries.

The fast loop (``make test-fast``) leaves out tests marked slow, and all but a few rows of every table. The suite
(``make test``) runs every fourth of the tests of a file that are marked slow (of tests/house all), of tables marked
``sampled(n)`` every n-th row, of those marked slow every eighth, and of other tables with more than eight rows every
eighth and those of the fast loop. What it leaves is marked ``rest``, and ``make test-rest`` runs it.
"""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, settings

from mbconcord.cli import main
from mbconcord.kernels.llvm.cache import VARIABLE

_COMMON = {
    "deadline": None,
    "print_blob": True,
    "report_multiple_bugs": False,
    # Explaining which choices matter traces every line: it makes shrinking fifty times slower.
    "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
}
settings.register_profile("ci", derandomize=True, **_COMMON)
settings.register_profile("dev", derandomize=False, **_COMMON)
settings.load_profile(os.environ.get("MBCONCORD_PROFILE", "ci"))

#: So many rows of a table, spread over it, are in the fast loop.
FAST_ROWS = 3
#: Of tables with more rows than this the suite runs these, and of the others every so many, as of all that are slow.
EVERY = 8
#: Of the tests of a file that are marked slow the suite runs every so many, but of house rules all.
EVERY_SLOW = 4


def choose_left(tables: dict[str, list[pytest.Item]]) -> set[str]:
    """Return the names of slow tests that the suite leaves; each file begins at a place of its own, to share evenly."""
    files: dict[str, list[str]] = defaultdict(list)
    for name in tables:
        files[name.partition("::")[0]].append(name)
    left = set()
    for file, names in files.items():
        marks = {name: [{mark.name for mark in item.iter_markers()} for item in tables[name]] for name in names}
        slow = [name for name in names if all("slow" in m and "rest" not in m for m in marks[name])]
        first = 0 if len(slow) == len(names) else crc32(file.encode()) % EVERY_SLOW
        if "/house/" not in file:
            left |= {*slow} - {*slow[first::EVERY_SLOW]}
    return left


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the rows of every table slow that the fast loop leaves, and ``rest`` those that the suite leaves."""
    tables: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tables[item.nodeid.partition("[")[0]].append(item)
    left = choose_left(tables)
    for name, rows in tables.items():
        fast = {(2 * i + 1) * len(rows) // (2 * FAST_ROWS) for i in range(FAST_ROWS)}
        for i, item in enumerate(rows):
            sampled = item.get_closest_marker("sampled")
            every = sampled.args[0] if sampled else 1
            if item.get_closest_marker("slow") or (not sampled and len(rows) > EVERY and i not in fast):
                every = max(every, EVERY)
            if len(rows) > FAST_ROWS and i not in fast:
                item.add_marker(pytest.mark.slow)
            if name in left or i % every:
                item.add_marker(pytest.mark.slow)
                item.add_marker(pytest.mark.rest)


def pytest_configure(config: pytest.Config) -> None:
    """The collector of cycles, which graphs have none of, looks at every 500,000 new objects, not at every 700.

    Machine code is kept beside what pytest keeps, not among the user's.
    """
    gc.set_threshold(500_000, 10, 10)
    os.environ[VARIABLE] = str(config.rootpath / ".pytest_cache" / "kernels")


def pytest_collection_finish() -> None:
    """Nor does it look again and again at what stays: at all modules and tests. That took two fifths of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line; both streams, once the exit code is the expected one."""

    def call(*arguments: object, code: int = 0) -> tuple[str, str]:
        found = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        assert found == code, captured.err
        return captured.out, captured.err

    return call
