"""Every hostile input is read or refused: exit code and place, five seconds, 500 MB, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mbconcord.fixtures import folder

from .inputs import FILES, ROWS, SLOW, make

SECONDS, BYTES = 5.0, 500_000_000
ROOT = Path(__file__).resolve().parents[2]
#: Directories of the table, which stand for the files in them.
SETS = {path.name for path in FILES.iterdir() if path.is_dir()}


Done = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Done]:
    """What came of the slow rows, or of the others, in one process that is limited in memory and time."""
    made = tmp_path_factory.mktemp("made")
    make(made, folder() / "um_equations" / "double_pendulum" / "C")
    places = {"{files}": str(FILES), "{made}": str(made), "{fixtures}": str(folder())}

    @cache
    def of(slow: bool) -> Done:
        rows = [row for row in ROWS if (row in SLOW) is slow]
        commands = []
        for line in rows:
            for name, path in places.items():
                line = line.replace(name, path)
            commands.append(line.split(" "))
        run = subprocess.run(
            [sys.executable, "-m", "tests.hostile.worker"],
            input=json.dumps(commands), capture_output=True, text=True, cwd=ROOT,
        )  # fmt: skip
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        assert len(lines) == len(rows), f"{rows[len(lines)]}: the process ended with {run.returncode}\n{run.stderr}"
        return dict(zip(rows, lines, strict=True))

    return of


@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=[pytest.mark.slow, pytest.mark.rest] if row in SLOW else []) for row in ROWS]
)
def test_a_hostile_input_is_read_or_refused(done: Callable[[bool], Done], row: str) -> None:
    code, words = ROWS[row]
    found = done(row in SLOW)[row]
    assert found["code"] == code, found["err"][:500]
    assert words in (found["err"] if code == 2 else found["out"]), (found["err"] + found["out"])[:1000]
    assert "Traceback" not in found["err"] and "internal error" not in found["err"]
    assert found["seconds"] <= SECONDS
    assert found["peak"] <= BYTES
    assert not any(sign < " " and sign != "\n" for sign in found["out"] + found["err"])


@pytest.mark.parametrize("file", sorted(path.name for path in FILES.iterdir()))
def test_every_file_of_the_folder_stands_in_the_table(file: str) -> None:
    assert any(f"/{file}" in row for row in ROWS)
