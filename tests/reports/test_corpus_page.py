"""The table of the corpus is true: its models are the fixtures, and a sample of its rows is what is found now."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pytest

from mbconcord.api.regression.project import model_files
from mbconcord.converters.registry import read
from mbconcord.reports.campaign.corpus import LAST, lines, markdown, text
from mbconcord.validation.many.campaign.corpus import CheckedModel, CorpusRequest, model
from mbconcord.validation.many.campaign.row import CampaignRow
from mbconcord.validation.many.campaign.survey import judge

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("corpus.md").read_text("utf-8")
SAMPLE = ("fixtures/mbsd/zjg.mbsd", "fixtures/tp/polar.tp.csv", "fixtures/urdf/gripper.urdf")


def rows() -> dict[str, list[str]]:
    """The cells of the page by the first of each row."""
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "]
    return {first: rest for first, *rest in found}


def test_every_fixture_has_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    folders = re.search(r"^CORPUS := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert folders is not None
    files = [name for folder in folders[1].split() for name in model_files([folder])]
    assert [*rows()] == ["model", "---", *files]


@pytest.mark.slow
@pytest.mark.parametrize("file", SAMPLE)
def test_a_row_is_what_is_found(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    reading = read(file, physics="ignore")
    of = model(file, reading.format, reading.text, reading.system, "ignore", None, ())
    data = judge(CorpusRequest().to_json(), asdict(of))
    found = CheckedModel(file, data["format"], CampaignRow.from_json(data), tuple(data["witnesses"]), data["omissions"])
    (line,) = lines([found])
    told = rows()[file][: -len(LAST)]
    assert counts(told) == counts(line.texts[1:-2])


def counts(cells: Iterable[str]) -> list[str]:
    """Cells that say something, without the worst discrepancy: its digits are those of one machine."""
    return [cell.partition(",")[0] for cell in cells if cell]


def test_names_of_files_are_no_html_and_end_no_cell() -> None:
    evil = "<img src=x onerror=evil()>|a\nb.mbsd"
    page = markdown([CheckedModel(evil, "mbsd", None, refused="found </b>\nhere")], CorpusRequest())
    assert "<img" not in page and "</b>" not in page and "\nb.mbsd" not in page
    (row,) = (line for line in page.splitlines() if line.startswith("| &lt;img"))
    assert re.split(r"(?<!\\)\|", row)[1].strip() == "&lt;img src=x onerror=evil()>\\|a b.mbsd"


def test_a_name_with_the_end_of_a_line_is_no_row_of_its_own() -> None:
    shown = text([CheckedModel("a.mbsd\nb.mbsd  agrees", "mbsd", None, refused="found nothing")])
    assert len(shown.splitlines()) == 3 and "a.mbsd\\nb.mbsd  agrees" in shown
