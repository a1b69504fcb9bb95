"""Every hostile input is read or refused: exit code and place, 500 MB, no traceback, and an end.

A command that takes more than `worker.SECONDS` of the processor is ended, and the test of its row fails.
``python -m tests.hostile`` has the seconds themselves beside their aim.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from mbconcord.fixtures import folder

from .inputs import FILES, ROWS, SLOW, make
from .worker import Done, run_rows

BYTES = 500_000_000
#: Directories of the table, which stand for the files in them.
SETS = {path.name for path in FILES.iterdir() if path.is_dir()}


@pytest.fixture(scope="module")
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Done]:
    """Run the slow rows, or the others, of those that this run asks for: of others nobody looks at the end."""
    asked = {item.callspec.params["row"] for item in request.session.items if "row" in getattr(item, "fixturenames", ())
             and item.path == request.path}  # fmt: skip
    made = tmp_path_factory.mktemp("made")
    make(made, folder() / "um_equations" / "double_pendulum" / "C")
    return cache(lambda slow: run_rows([row for row in ROWS if row in asked and (row in SLOW) is slow], made))


@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=[pytest.mark.slow, pytest.mark.rest] if row in SLOW else []) for row in ROWS]
)
def test_a_hostile_input_is_read_or_refused(done: Callable[[bool], Done], row: str) -> None:
    code, words = ROWS[row]
    found = done(row in SLOW)[row]
    assert found["code"] == code, found["err"][:500]
    assert words in (found["err"] if code == 2 else found["out"]), (found["err"] + found["out"])[:1000]
    assert "Traceback" not in found["err"] and "internal error" not in found["err"]
    assert found["peak"] <= BYTES
    assert not any(sign < " " and sign != "\n" for sign in found["out"] + found["err"])


@pytest.mark.parametrize("file", sorted(path.name for path in FILES.iterdir()))
def test_every_file_of_the_folder_stands_in_the_table(file: str) -> None:
    assert any(f"/{file}" in row for row in ROWS)
