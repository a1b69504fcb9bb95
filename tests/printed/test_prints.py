"""The page of prints side by side: it is what is generated, and its verdicts are those that were found by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.validation.judge.monomials import differences

from . import prints
from .errata_manipulator import manipulator_differences

#: What is not the same: both Q of fig. 7 have the sign of +∂Π/∂q, and UM's height in fig. 9 b has a minus.
OPPOSITE = {("fig. 7", "zig", "Q[z1]"), ("fig. 7", "zjg", "Q[z1]"), ("fig. 9 b", "xkg", "r[z]")}
PRINTED = 23


def test_the_page_is_what_is_generated() -> None:
    page = Path(__file__).with_name("prints.md")
    assert page.read_text("utf-8") == prints.page()


def test_verdicts_are_those_found_by_hand() -> None:
    found = list(prints.short_lines())
    assert len(found) == PRINTED
    assert {(x.place, x.line, x.of) for x in found if x.verdict == prints.OPPOSITE} == OPPOSITE
    assert {x.verdict for x in found} == {prints.SAME, prints.OPPOSITE}


def test_another_formula_is_neither_the_same_nor_its_opposite() -> None:
    a, b = map(parse_formula, ("i1*cos(z1)", "i1*sin(z1)"))
    assert prints.Print("", "", "", "", a, b).verdict == prints.OTHER


def test_what_is_written_is_what_was_derived() -> None:
    for each in prints.short_lines():
        assert not differences(parse_formula(prints.written(each.derived)), each.derived)


def test_the_arms_marks_are_its_errata() -> None:
    """A coefficient that differs stands in the errata, and every one of the errata is marked."""
    errata = manipulator_differences()
    for place, figure in enumerate(("fig11", "fig12"), 2):
        for (_, rows), expected in zip(prints.arm(), errata[figure], strict=True):
            marked = {row[0]: (row[1], row[place]) for row in rows if row[1] != row[place]}
            assert marked == {d.monomial: (d.first, d.second) for d in expected}


@pytest.mark.parametrize("by", BUILT_IN)
@pytest.mark.parametrize("line", ["xkg", "zk>xk>xk>zk>xk>zk"])
def test_every_formalism_derives_the_same_position(line: str, by: str) -> None:
    system = prints.system(line)
    expected = prints.position(formalism("lagrange").derive(system))
    found = prints.position(formalism(by).derive(system))
    assert not any(differences(a, b) for a, b in zip(found, expected, strict=True))
