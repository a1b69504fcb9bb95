"""The page of converters is what its rows give: no converter is run here."""

from __future__ import annotations

from typing import Any

import pytest

from laboratory.converters import COUNTS, HEADS, PAGE, UNCHANGED, count, known, page, read


def test_the_page_is_what_its_rows_give() -> None:
    assert PAGE.read_text("utf-8") == "\n".join(page(read(), known()["cause"])) + "\n"


def test_every_cause_is_of_a_row_and_every_row_has_one() -> None:
    lines = "\n".join(page(read(), known()["cause"]))
    assert all(cause["says"] in lines for cause in known()["cause"]) and "not verified" not in lines


def test_each_converter_has_a_row_for_each_robot() -> None:
    rows = read()
    robots = {(r["format"], r["robot"]) for r in rows if r["robot"]}
    for c in known()["converter"]:
        own = [(r["format"], r["robot"]) for r in rows if r["converter"] == c["name"]]
        assert sorted(own) == sorted(robots) or [r for _, r in own] == [""], c["name"]


def row(**cells: str) -> dict[str, str]:
    return dict.fromkeys(HEADS, "") | {"converter": "c", "robot": "r"} | cells


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"verdict": "agrees", "exit": "0"}, COUNTS[0]),
        ({"verdict": "agrees", "exit": "0", "cause": f"c {UNCHANGED}, byte for byte"}, UNCHANGED),
        ({"verdict": "agrees to digits", "exit": "0"}, "the same to digits"),
        ({"verdict": "agrees in part", "exit": "4"}, "the same but for omissions"),
        ({"verdict": "disagrees", "exit": "1"}, "not the same"),
        ({"verdict": "refused", "exit": "2"}, "refused or failed"),
        ({"verdict": "cannot take this format"}, "cannot take this format"),
    ],
)
def test_a_row_counts_in_one_column(cells: dict[str, str], said: str) -> None:
    assert count(row(**cells)) == said


@pytest.mark.parametrize(
    "cells",
    [{"verdict": "agrees", "exit": "0", "cause": "the same machine (A's was freed)"},
     {"verdict": "disagrees", "exit": "1"}, {"verdict": "refused", "exit": "2", "cause": "no axis"},
     {"verdict": "not installed"}, {"verdict": "agrees after matching", "exit": "5"}],
)  # fmt: skip
def test_a_row_without_a_known_cause_is_not_verified(cells: Any) -> None:
    assert any("not verified" in line for line in page([row(**cells)], known()["cause"]))
