"""The report of a campaign: its tables are sums over its rows, and its findings stand in it with their commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbconcord.reports.campaign.page import bins, facts, models, page, tables, throughput
from mbconcord.validation.many.campaign.campaign import CampaignRun, SavedFinding
from mbconcord.validation.many.campaign.folder import About
from mbconcord.validation.many.campaign.row import CampaignRow, ClaimCount, Finding
from mbconcord.validation.many.campaign.totals import COLUMNS, PLAIN, Totals, frame

ABOUT = About("ci", 3, "0.2.0", "6.1", "3.11")
FOUND = Finding("disagreement", "agreement: h of a & b", "farther <than> allowed", ("agreement", "h", "a", "b"))
ROWS = (
    CampaignRow(0, "agrees", 6, 7, 0, (), {"1R": 5, "1T": 1}, {}, {
        ("agreement", "lagrange"): ClaimCount(5, 0, 1, 0.25), ("agreement", "telegin"): ClaimCount(3, 0, 0, 0.5),
        ("fields", "lagrange"): ClaimCount(4, 0, 0, 0.001),
    }, {None: 3, -1: 8, 0: 1}, {"identical": 4}, (), (), 2.0),
    CampaignRow(1, "disagrees", 2, 2, 1, ("rods", "elastic_modes"), {"1R": 2}, {}, {
        ("agreement", "lagrange"): ClaimCount(2, 1, 0, 700.0),
    }, {-2: 2, 3: 1}, {}, (FOUND,), (), 1.0),
    CampaignRow(2, "failed", findings=(Finding("limit", "took more than 60 s", "", ("took",)),)),
)  # fmt: skip


def test_facts_are_counts_and_shares() -> None:
    known = facts(Totals.from_rows(ROWS), CampaignRun(30.0, 3))
    assert known.models == 3 and known.verdicts == {"failed": 1, "disagrees": 1, "agrees": 1}
    assert (known.bodies, known.closed, known.elastic) == (4.0, 0.5, 0.5)
    assert known.comparisons == 15 and known.minute == 6.0 and known.seconds == 1.5
    assert facts(Totals.from_rows(()), CampaignRun(0.0, 0)).minute is None


def test_tables_are_sums_and_the_worst() -> None:
    table = frame(ROWS)
    assert list(table.columns) == list(COLUMNS) and len(table) == 5
    claims, by_features, by_joints, crossed = tables(Totals.from_rows(ROWS))
    cells = {(row, column): cell for row, own in claims.rows for column, cell in zip(claims.columns, own, strict=True)}
    both = cells["agreement", "lagrange"]
    assert both is not None and (both.count, both.disagrees, both.silent, both.worst) == (9, 1, 1, 700.0)
    assert cells["fields", "telegin"] is None
    features = dict(by_features.rows)
    assert features["rods"][0] == features["elastic_modes"][0] and features[PLAIN][0].count == 10  # type: ignore[union-attr]
    assert dict(by_joints.rows)["1R"][0].count == 13 and dict(by_joints.rows)["1T"][0].count == 10  # type: ignore[union-attr]
    assert crossed.columns == ("agreement", "fields")
    counted = {name: rest for name, *rest in models(Totals.from_rows(ROWS))}
    assert counted["rods"] == [1, 0, 1] and counted[PLAIN] == [2, 1, 1] and counted["flywheels"] == [0, 0, 0]


def test_the_page_shows_findings_with_commands_and_loads_nothing() -> None:
    kept = SavedFinding(1, FOUND, Path("out/findings/1.mbs.json"), "mbconcord check out/findings/1.mbs.json")
    text = page(ABOUT, Totals.from_rows(ROWS), CampaignRun(30.0, 3, True), [kept])
    assert "agreement: h of a &amp; b" in text and "farther &lt;than&gt; allowed" in text
    assert kept.command in text and "interrupted" in text and "3 random models" in text
    assert '<rect class="over"' in text and "9, 7e+02 (1 not checked)" in text
    assert not re.search(r"(src|href)=[\"'](?!#)", text)
    assert page(ABOUT, Totals.from_rows(ROWS), CampaignRun(30.0, 3, True), [kept]) == text
    assert "None: nothing disagrees" in page(ABOUT, Totals.from_rows(ROWS[:1]), CampaignRun(1.0, 1), [])


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
