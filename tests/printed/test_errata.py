"""The page of errata, and what differs in the prints of Golomazdin & Dmitrochenko."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from . import errata, errata_manipulator
from .errata_short_line import IN_LINE, IN_TABLE, NOTATION, boom_angles, lengths, section
from .errata_short_line import errata as short_line


@pytest.mark.slow
def test_the_page_of_errata_is_what_is_found():
    page = Path(__file__).with_name("errata.md")
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
        {"k5*cos(x1)*cos(x2)*cos(z1)*cos(z2)*sin(x3)": (-1, 1), "k5*cos(z1)*cos(z2)*sin(x1)*sin(x2)*sin(x3)": (1, -1)},
        {"base": (0, 1)},
    ]
    assert [len(row) for row in found["fig12"]] == [1, 8, 1]


#: By hand: 9.81 cos 0.3, 9.81 sin 0.3, cos 0.3, sin 0.3.
WEIGHT_C, WEIGHT_S, C, S = 9.371851, 2.899053, 0.9553365, 0.2955202
SHORT_LINE = {
    "fig. 7, zig": (WEIGHT_C, -WEIGHT_C),
    "fig. 7, zjg": (-WEIGHT_S, WEIGHT_S),
    "fig. 9 b, row 3": (-C, C),
    "pendulums, shift along x": (-S, C),
    "pendulums, shift along -y": (C, -C),
}


def test_what_is_printed_of_the_short_lines():
    found = {row.place: (row.printed_value, row.correct_value) for row in short_line()}
    assert found == {place: pytest.approx(pair, rel=1e-6) for place, pair in SHORT_LINE.items()}
    assert section().count("\n| ") == len(found) + 1
    assert section().count("\n* ") == len(NOTATION)


@pytest.mark.parametrize(("depth", "angles"), [(IN_LINE, (-117.66, -62.06)), (IN_TABLE, (-101.03, 171.69))])
def test_either_length_lets_the_cylinder_be_as_long_as_printed(depth, angles):
    assert sorted(boom_angles(depth)) == pytest.approx(angles, abs=0.005)
    p = lengths()
    for angle in map(math.radians, boom_angles(depth)):
        x = -p["ABx"] + math.cos(angle) * p["BDx"] - math.sin(angle) * depth - p["ACx"]
        y = p["ABy"] + math.sin(angle) * p["BDx"] + math.cos(angle) * depth - p["ACy"]
        assert math.hypot(x, y) == pytest.approx(0.8, abs=1e-12)
    assert p["BDy"] == IN_LINE
