"""The page of performance says what its file of results says, and the results are such as a run gives."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from laboratory import performance as pages
from laboratory.bench.peers import AGREEMENT, CHAINS, LIMITS, LINKS, cases
from laboratory.bench.peers.mechanisms import mechanisms
from laboratory.bench.row import in_turn, ratio
from laboratory.performance import DOCS, PAGE, picture

RESULTS: dict[str, Any] = json.loads((DOCS / "performance.json").read_text("utf-8"))
MEASURED = [*RESULTS["batches"], *RESULTS["mechanisms"], *RESULTS["chains"]]


def test_the_page_and_its_picture_are_those_of_the_results() -> None:
    assert PAGE.read_text("utf-8") == pages.page(RESULTS)
    assert (DOCS / "pictures" / "performance.svg").read_text("utf-8") == picture(RESULTS["chains"])


def tables(text: str) -> Iterator[list[list[str]]]:
    """Cells of each table."""
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            yield rows
            rows = []


def test_tables_have_a_row_for_all_that_is_measured_and_a_cell_for_every_column() -> None:
    found = list(tables(pages.page(RESULTS)))
    assert all(len({len(row) for row in table}) == 1 for table in found)
    lengths = [len(table) - 2 for table in found]
    batches, closed = len([*cases()]), len([*mechanisms()])
    counts = [batches, batches + len(CHAINS), closed, closed, len(RESULTS["claims"]), batches + closed]
    assert lengths[2:] == [*counts, len(CHAINS), len(LINKS)]


def test_all_cases_and_chains_are_measured() -> None:
    assert [(m["model"], m["quantity"]) for m in RESULTS["batches"]] == [(c.name, c.quantity) for c in cases()]
    assert [(m["model"], m["quantity"]) for m in RESULTS["mechanisms"]] == [(c.name, c.quantity) for c in mechanisms()]
    assert [m["coordinates"] for m in RESULTS["chains"]] == list(CHAINS)
    assert {*LIMITS} <= {(m["model"], m["quantity"]) for m in MEASURED}


@pytest.mark.parametrize("measured", MEASURED, ids=lambda m: f"{m['model']}, {m['quantity']}")
def test_what_is_measured_has_agreed_and_ratios_are_those_of_the_times(measured: dict[str, Any]) -> None:
    for other in measured["others"].values():
        if other["time"] is None:
            assert other["note"] and other["faster"] is None
            continue
        assert 0 <= other["difference"] <= AGREEMENT
        for faster, layout in zip(other["faster"], ("columns", "rows"), strict=True):
            assert math.isclose(faster, other["time"] / measured[layout], rel_tol=0.5)


@pytest.mark.parametrize(("value", "shown"), [(27.9, "**27.9** (≥ 28)"), (28.0, "28 (≥ 28)"), (101.2, "101 (≥ 28)")])
def test_what_is_missed_is_bold(value: float, shown: str) -> None:
    assert pages.ratio(value, 28) == shown


@pytest.mark.slow
def test_works_have_their_turns() -> None:
    done: list[str] = []
    times = in_turn({name: lambda name=name: done.append(name) or np.ones(10**5).sum() for name in "ab"}, 3)
    assert [len(times[name]) for name in "ab"] == [3, 3]
    turns = [name for name, before in zip(done, ["", *done], strict=False) if name != before]
    assert "".join(turns[2:]) == "ababab"[: len(turns) - 2] and len(turns) in (7, 8)
    assert ratio([2.0, 4.0, 9.0], [1.0, 2.0, 3.0]) == 2
