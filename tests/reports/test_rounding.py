"""The rounding of floats beside their bounds: a number for every formalism and quantity, seen in report and JSON."""

from __future__ import annotations

import re

import pytest

from mbconcord import reports
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.reports.html import rounding
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Comparison, Evidence

NAMES = ["lagrange", "newton_euler"]


def evidence(file: str) -> Evidence:
    system = read(folder() / file, physics="ignore").system
    return check(system, states=1, formalisms=NAMES, claims=["float_evaluation"], exact="off", physics="ignore")


@pytest.mark.parametrize(
    ("file", "quantities"),
    [
        ("mbsd/gimbal.mbsd", ("M", "h", "gravity", "applied")),
        ("mbsd/four_bar.mbsd", ("M", "h", "gravity", "applied", "D", "γ̃")),
    ],
)
def test_every_formalism_has_a_number_for_every_quantity(file: str, quantities: tuple[str, ...]) -> None:
    """Between none and all that the bound allows; of gimbals' rotations something is rounded."""
    found = evidence(file)
    table = rounding(found.comparisons)
    assert table is not None and [name for name, _ in table.rows] == NAMES
    assert set(quantities) <= set(table.quantities)
    known = {
        q: x for name, values in table.rows for q, x in zip(table.quantities, values, strict=True) if name == "lagrange"
    }
    assert all(0 <= known[q] <= 1 for q in quantities)
    assert known["M"] > 0
    text = reports.render([found], "out.html")
    assert "Rounding, in units of its bound" in text
    row = re.search(r'<table class="rounding">.*?<td class="name">lagrange</td>(.*?)</tr>', text, re.DOTALL)
    assert row is not None and row[1].count("<td") == len(table.quantities)
    (own,) = (c for c in found.comparisons if c.a == "lagrange" and "M" in dict(c.rounding))
    assert own.to_json()["rounding"]["M"] == dict(own.rounding)["M"]


def test_the_worst_entry_is_that_of_the_claim() -> None:
    """Where a float is compared with 50 digits its excess is the largest of all quantities."""
    for c in evidence("mbsd/gimbal.mbsd").comparisons:
        if c.rounding:
            assert max(dict(c.rounding).values()) == pytest.approx(c.excess, rel=1e-9)


def test_without_floats_there_is_no_table() -> None:
    assert rounding([Comparison("a", "b", "M", "agrees")]) is None
