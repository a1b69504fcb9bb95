"""The report of a campaign: its tables are sums over its rows, and its findings stand in it with their commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbconcord.reports.campaign.page import facts, page
from mbconcord.reports.campaign.tables import models, tables
from mbconcord.reports.plots.throughput import bins, throughput
from mbconcord.validation.campaign.campaign import Kept, Run
from mbconcord.validation.campaign.folder import About
from mbconcord.validation.campaign.row import Cell, Finding, Row
from mbconcord.validation.campaign.table import COLUMNS, frame
from mbconcord.validation.campaign.totals import PLAIN, Totals

ABOUT = About("ci", 3, "0.2.0", "6.1", "3.11")
FOUND = Finding(
    "disagreement", "agreement: h of a & b", "farther <than> allowed", ("agreement", "h", "a", "b")
)
ROWS = (
    Row(0, "agrees", 6, 7, 0, (), {"1R": 5, "1T": 1}, {}, {
        ("agreement", "lagrange"): Cell(5, 0, 1, 0.25), ("agreement", "telegin"): Cell(3, 0, 0, 0.5),
        ("fields", "lagrange"): Cell(4, 0, 0, 0.001),
    }, {None: 3, -1: 8, 0: 1}, {"identical": 4}, (), (), 2.0),
    Row(1, "disagrees", 2, 2, 1, ("rods", "elastic_modes"), {"1R": 2}, {}, {
        ("agreement", "lagrange"): Cell(2, 1, 0, 700.0),
    }, {-2: 2, 3: 1}, {}, (FOUND,), (), 1.0),
    Row(2, "failed", findings=(Finding("limit", "took more than 60 s", "", ("took",)),)),
)  # fmt: skip


def test_facts_are_counts_and_shares() -> None:
    known = facts(Totals.of(ROWS), Run(30.0, 3))
    assert known.models == 3 and known.verdicts == {"failed": 1, "disagrees": 1, "agrees": 1}
    assert (known.bodies, known.closed, known.elastic) == (4.0, 0.5, 0.5)
    assert known.comparisons == 15 and known.minute == 6.0 and known.seconds == 1.5
    assert facts(Totals.of(()), Run(0.0, 0)).minute is None


def test_tables_are_sums_and_the_worst() -> None:
    table = frame(ROWS)
    assert list(table.columns) == list(COLUMNS) and len(table) == 5
    claims, by_features, by_joints, crossed = tables(Totals.of(ROWS))
    cells = {
        (row, column): cell
        for row, own in claims.rows
        for column, cell in zip(claims.columns, own, strict=True)
    }
    both = cells["agreement", "lagrange"]
    assert both is not None and (both.count, both.disagrees, both.silent, both.worst) == (9, 1, 1, 700.0)
    assert cells["fields", "telegin"] is None
    features = dict(by_features.rows)
    assert features["rods"][0] == features["elastic_modes"][0] and features[PLAIN][0].count == 10  # type: ignore[union-attr]
    assert dict(by_joints.rows)["1R"][0].count == 13 and dict(by_joints.rows)["1T"][0].count == 10  # type: ignore[union-attr]
    assert crossed.columns == ("agreement", "fields")
    counted = {name: rest for name, *rest in models(Totals.of(ROWS))}
    assert counted["rods"] == [1, 0, 1] and counted[PLAIN] == [2, 1, 1] and counted["flywheels"] == [0, 0, 0]


def test_the_page_shows_findings_with_commands_and_loads_nothing() -> None:
    kept = Kept(1, FOUND, Path("out/findings/1.mbs.json"), "mbconcord check out/findings/1.mbs.json")
    text = page(ABOUT, Totals.of(ROWS), Run(30.0, 3, True), [kept])
    assert "agreement: h of a &amp; b" in text and "farther &lt;than&gt; allowed" in text
    assert kept.command in text and "interrupted" in text and "3 random models" in text
    assert '<rect class="over"' in text and "9, 7e+02 (1 not checked)" in text
    assert not re.search(r"(src|href)=[\"'](?!#)", text)
    assert page(ABOUT, Totals.of(ROWS), Run(30.0, 3, True), [kept]) == text
    assert "None: nothing disagrees" in page(ABOUT, Totals.of(ROWS[:1]), Run(1.0, 1), [])


@pytest.mark.parametrize(
    ("times", "found", "span"),
    [
        ((5.0, 5.2, 7.9), [2, 0, 1], 1.0),
        ((0.0, 480.0, 479.0, 10.0), [1, 1, *[0] * 45, 2], 10.0),
        ((3.0, 3.0), [2], 1.0),
    ],
)
def test_models_over_time_are_counted(times: tuple[float, ...], found: list[int], span: float) -> None:
    assert bins(times) == (found, span)
    picture = throughput(times)
    assert picture.count("<rect") == sum(n > 0 for n in found) and f"{len(times)} models" in picture


def test_a_clock_that_was_set_only_stretches_the_picture() -> None:
    counts, _ = bins((1e9, 2e9, 2e9 + 1, 1e9 + 1))
    assert sum(counts) == 4 and len(counts) <= 48
    assert throughput(()) == throughput((1.0,)) == ""
