"""The published score is what the command writes today of the outcomes that it names; its command is the Makefile's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from laboratory.mutants import report
from laboratory.mutants.score import Score
from laboratory.runner.record import ENDINGS, ChangeOutcome

ROOT = Path(__file__).parents[3]
PAGE = Path(__file__).with_name("score.md")


def of_a_run(line: str) -> bool:
    """Whether a line tells of versions or of the processor: it is another wherever the command is run."""
    return line.startswith("Written by ") or " tried in " in line


def read(page: str) -> Score:
    """The outcomes that a page names, and for every check that its table of modules counts one without a name."""
    outcomes = []
    for heading, part in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.M | re.S):
        if heading == "By module":
            for row in re.findall(r"^\| (\w+\.\S+) \|(.*)\|$", part, re.M):
                module, counts = row[0], [cell.strip() or "0" for cell in row[1].split("|")]
                caught = int(counts[1 + ENDINGS.index("check")])
                outcomes += [ChangeOutcome("", f"mbconcord.{module}", "", "check")] * caught
        elif heading.startswith("Those that ended so: "):
            how = heading.removeprefix("Those that ended so: ").rpartition(" (")[0]
            for name, why in re.findall(r"^\* `(.*?)`: (.*)$", part, re.M):
                outcomes.append(ChangeOutcome(name, f"mbconcord.{name.split()[0]}", name, how, why))
    return Score(outcomes)


def holds(page: str) -> bool:
    """Whether the command writes that page of the outcomes that stand in it."""
    honest, again = (
        [line for line in text.splitlines() if not of_a_run(line)] for text in (page, report.markdown(read(page), ""))
    )
    return honest == again


def test_the_page_is_what_the_command_writes() -> None:
    assert holds(PAGE.read_text("utf-8"))


def test_the_page_of_evidence_has_its_number() -> None:
    row = re.search(r"^\| formalisms \| \d+ \| (\d+) \|.*\| 100\.0% \|$", PAGE.read_text("utf-8"), re.M)
    page = (ROOT / "docs" / "evidence.md").read_text("utf-8")
    assert row and f"(`tests/laboratory/mutants/score.md`): of {row[1]} in formalisms `check` notices all." in " ".join(
        page.split()
    )


def test_the_page_is_of_the_command_of_the_makefile() -> None:
    """Of the same seed and modules; it may be of the first of the mutants that `make mutants` draws."""
    command = r"python -m laboratory.mutants --seed (\d+) --count (\d+) --modules (\S+?)"
    page = re.search(f"Written by `{command}`", PAGE.read_text("utf-8"))
    made = re.search(f"{command} --results", (ROOT / "Makefile").read_text("utf-8"))
    assert page is not None and made is not None
    assert (page[1], page[3]) == (made[1], made[3]) and int(page[2]) <= int(made[2])


@pytest.mark.parametrize("heading", ["## By kind", "## By part", "## By module", "## Those that ended so: raised"])
def test_a_page_that_is_changed_by_hand_is_noticed(heading: str) -> None:
    before, _, part = PAGE.read_text("utf-8").partition(heading)
    changed = re.sub(r" \d+ \||\* `\w+\.", lambda m: " 77 |" if "|" in m[0] else "* `other.", part, count=1)
    assert changed != part and not holds(before + heading + changed)
