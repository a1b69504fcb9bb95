"""No test depends on how busy the machine is: work is limited by calls or by the processor, never by a clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CLOCKS = {"time", "times", "monotonic", "perf_counter", "process_time", "thread_time", "now", "utcnow"}
#: Seconds after which something that runs is taken to hang: less may end it on a busy machine.
PATIENCE = 300
#: file -> what it reads clocks or waits a short time for
KEPT = {
    "work.py": "the limit of the processor's time itself",
    "cli/io/test_replaced_files.py": "sets the age of files",
    "fuzz/test_fuzz.py": "a reader that hangs, for some time of the processor",
    "hostile/worker.py": "measures time of the processor, which the process is limited in",
    "hostile/test_cost.py": "compares times of the processor with one another",
    "reports/browser.py": "waits for a browser, and kills it where it does not end",
    "validation/many/cluster/test_tls.py": "no answer comes, however long it waits",
    "hostile/kills.py": "draws the moment of a kill",
}


def list_clocks(text: str) -> Iterator[str]:
    """Yield what reads a clock, or ends what takes longer than a short time."""
    nodes = [*ast.walk(ast.parse(text))]
    clocks = {
        alias.asname or alias.name
        for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "time"
        for alias in node.names
    }  # fmt: skip
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        owner, _, last = name.rpartition(".")
        if last.removesuffix("_ns") in CLOCKS and (
            owner in ("time", "os", "datetime", "datetime.datetime") or name in clocks
        ):
            yield f"{node.lineno}: {name}()"
        waits = [k.value for k in node.keywords if k.arg == "timeout"]
        waits += node.args[:1] if last == "wait" and node.args else ()
        for value in waits:
            if not isinstance(value, ast.Constant) or (value.value is not None and value.value < PATIENCE):
                yield f"{node.lineno}: {name} waits {ast.unparse(value)} s"


@pytest.mark.slow
def test_no_test_depends_on_a_clock() -> None:
    """All files in one test: rows of a long table are no part of the fast loop."""
    found = {
        path.relative_to(TESTS).as_posix(): [*list_clocks(path.read_text("utf-8"))] for path in TESTS.rglob("*.py")
    }
    found = {name: clocks for name, clocks in found.items() if clocks}
    more = {name: clocks for name, clocks in found.items() if name not in KEPT}
    assert more == {}, "limit work by tests/work.py, or say in KEPT what the clock is for"
    assert KEPT.keys() - found.keys() == set(), "KEPT excuses files without clocks"


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("import time\nassert time.monotonic() - began < 5", 1),
        ("from time import perf_counter as now\nassert now() < 5", 1),
        ("assert datetime.now() > began", 1),
        ("assert time.perf_counter_ns() < 5", 1),
        ("run(words, timeout=60)", 1),
        ("process.wait(10)", 1),
        ("process.communicate(timeout=patience)", 1),
        ("run(words, timeout=600)", 0),
        ("process.wait()", 0),
        ("time.sleep(1)", 0),
        ("monkeypatch.setattr(module.time, 'monotonic', lambda: now[0])", 0),
    ],
)
def test_clocks_are_found(text: str, many: int) -> None:
    assert len([*list_clocks(text)]) == many
