"""SECURITY.md is true: every test that it names is there, and its limits are those of the page of limits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbconcord.model import limits

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
ROWS = re.findall(r"^\| (?!promise|---)(.+?) \| (.+) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("file", "test"), NAMED, ids=[test for _, test in NAMED])
def test_a_test_that_is_named_is_there(file: str, test: str) -> None:
    assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_promise_names_a_test() -> None:
    assert len(ROWS) > 10
    assert [promise for promise, tests in ROWS if "::" not in tests] == []


def test_every_hostile_test_stands_in_the_list() -> None:
    """Of the files whose subject is an attack; tests of the tests themselves are not promises."""
    files = {file for file, _ in NAMED}
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "hostile").glob("test_*.py")}
    assert there <= files


def test_limits_are_positive_whole_numbers() -> None:
    found = {name: value for name, value in vars(limits).items() if name.isupper() and name != "TYPE_CHECKING"}
    assert len(found) > 15 and all(type(value) is int and value > 0 for value in found.values())
    assert f"more than {limits.CHECKED_COORDINATES:,}" in PAGE
