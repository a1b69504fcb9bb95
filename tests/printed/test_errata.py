"""The page of errata, and what differs in the prints of Golomazdin & Dmitrochenko."""

from __future__ import annotations

from pathlib import Path

from . import errata, errata_manipulator


def test_the_page_of_errata_is_what_is_found():
    page = Path(__file__).parents[2] / "docs" / "errata.md"
    assert page.read_text("utf-8") == errata.page()


def test_what_differs_in_the_prints_of_the_manipulator():
    found = {
        name: [{d.monomial: (d.first, d.second) for d in row} for row in rows]
        for name, rows in errata_manipulator.manipulator_differences().items()
    }
    assert found["fig11"] == [
        {"k5*cos(z1)*sin(x2)*sin(x3)*sin(z2)": (0, 1), "k5*cos(z1)*sin(x3)*sin(z2)": (1, 0)}, {}, {}
    ]  # fmt: skip
    assert found["fig12 read"] == [
        {"k5*cos(x1)*cos(x3)*sin(x2)*sin(z1)": (1, -1)},
        {
            "k5*cos(x1)*cos(x2)*cos(z1)*cos(z2)*sin(x3)": (-1, 1),
            "k5*cos(z1)*cos(z2)*sin(x1)*sin(x2)*sin(x3)": (1, -1),
        },
        {"base": (0, 1)},
    ]
    assert [len(row) for row in found["fig12"]] == [1, 8, 1]
