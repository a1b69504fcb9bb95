"""Continuous integration says of each stage how long it took, and at its end what failed and how to repeat that."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKE = """#!/bin/sh
echo "$1" >> made
[ "$1" != "$WRONG" ] || { mkdir -p .pytest_cache/v/cache; cp failed .pytest_cache/v/cache/lastfailed || true; exit 2; }
"""
STAGES = ["lint", "check", "test", "docs", "test-rest", "mutants"]


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script of bash")


def run_stages(folder: Path, wrong: str, *stages: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a folder with a make that fails at one stage."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    (folder / "make").write_text(MAKE, "utf-8")
    (folder / "make").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "WRONG": wrong}
    return subprocess.run(
        ["bash", str(folder / ".ci" / "run"), *stages], env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("wrong", "names", "last"),
    [
        ("", [], ["== make mutants: N s, exit code 0"]),
        ("docs", None, ["== make docs: N s, exit code 2", "== again: make docs"]),
        (
            "test",
            ["tests/a.py::b", "tests/c.py::d[x - 'y']"],
            [
                "== make test: N s, exit code 2",
                "FAILED tests/a.py::b",
                """FAILED 'tests/c.py::d[x - '"'"'y'"'"']'""",
                """== again: .venv/bin/python -m pytest -m '' tests/a.py::b 'tests/c.py::d[x - '"'"'y'"'"']'""",
            ],
        ),
    ],
)
def test_stages_are_timed_and_failures_come_last(
    tmp_path: Path, wrong: str, names: list[str] | None, last: list[str]
) -> None:
    if names is not None:
        (tmp_path / "failed").write_text(json.dumps(dict.fromkeys(names, True)), "utf-8")
    done = run_stages(tmp_path, wrong)
    lines = [re.sub(r": \d+ s,", ": N s,", line).rstrip() for line in done.stdout.splitlines()]
    assert lines[-len(last) :] == last and done.returncode == (2 if wrong else 0), done.stderr
    made = (tmp_path / "made").read_text("utf-8").split()
    assert made == STAGES[: STAGES.index(wrong) + 1 if wrong else None]
    assert [line for line in lines if "exit code" in line][:-1] == [f"== make {s}: N s, exit code 0" for s in made[:-1]]


def test_every_stage_is_a_command_of_make() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    gate = re.search(r"^\tbash .ci/run (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert gate and targets >= {*STAGES, "gate", *gate[1].split()}


TABLES = """import pytest

def make(n): return pytest.mark.parametrize("row", range(n))
def test_alone(): ...
@make(3)
def test_short(row): ...
@make(8)
def test_eight(row): ...
@make(100)
def test_long(row): ...
@pytest.mark.slow
def test_slow(): ...
@pytest.mark.slow
@make(9)
def test_slow_table(row): ...
@pytest.mark.rest
@pytest.mark.slow
def test_slow_and_left(): ...
@pytest.mark.slow
@make(2)
def test_third_slow(row): ...
@pytest.mark.slow
def test_fourth_slow(): ...
@pytest.mark.slow
def test_fifth_slow(): ...
@pytest.mark.sampled(3)
@make(10)
def test_sampled(row): ...
@pytest.mark.slow
@pytest.mark.sampled(3)
@make(20)
def test_slow_and_sampled(row): ...
@pytest.mark.rest
def test_left(): ...
"""
#: A file whose tests are all slow has its first in the suite, and tests/house has all.
SLOW = """import pytest
pytestmark = pytest.mark.slow
def test_{0}_first(): ...
def test_{0}_second(): ...
"""


def test_the_suite_and_the_rest_are_every_test_once(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "tests/conftest.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "tests" / "house").mkdir()
    (tmp_path / "tests" / "test_tables.py").write_text(TABLES, "utf-8")
    (tmp_path / "tests" / "test_slow.py").write_text(SLOW.format("own"), "utf-8")
    (tmp_path / "tests" / "house" / "test_rules.py").write_text(SLOW.format("house"), "utf-8")

    def collect(target: str) -> list[str]:
        recipe = re.search(rf"^{target}:.*\n\t(.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert recipe
        words = shlex.split(recipe[1].partition("--dist worksteal")[2])
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return [line.partition("::")[2] for line in done.stdout.splitlines() if line.startswith("tests/")]

    suite, rest = collect("test"), collect("test-rest")
    rows = {
        "short": 3, "eight": 8, "long": 100, "slow_table": 9, "third_slow": 2, "sampled": 10, "slow_and_sampled": 20,
    }  # fmt: skip
    tables = [f"test_{name}[{i}]" for name, n in rows.items() for i in range(n)]
    kept = [f"test_{name}" for name in ("alone", "own_first", "house_first", "house_second")]
    left = [f"test_{name}" for name in ("slow", "slow_and_left", "fourth_slow", "fifth_slow", "left", "own_second")]
    assert sorted(suite + rest) == sorted([*kept, *left, *tables])
    # Of 100 rows 13 are eighths; of the three of the fast loop, 16, 50 and 83, the first is one of these.
    counts = {name: sum(test.startswith(f"test_{name}[") for test in suite) for name in rows}
    # Of the slow tests of the file the second and the sixth are in the suite: tables of nine and of twenty rows.
    assert counts == {
        "short": 3, "eight": 8, "long": 15, "slow_table": 2, "third_slow": 0, "sampled": 4, "slow_and_sampled": 3,
    }  # fmt: skip
    assert {*kept} <= {*suite} and {*left} <= {*rest}


def test_a_stage_can_be_named(tmp_path: Path) -> None:
    done = run_stages(tmp_path, "", "docs")
    assert done.stdout.startswith("== make docs: ") and (tmp_path / "made").read_text("utf-8") == "docs\n"
