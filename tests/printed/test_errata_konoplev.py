"""The errata of Konoplev's paper: each number was found independently, with another program."""

from __future__ import annotations

import pytest

from .errata_konoplev_notation import ROWS
from .errata_konoplev_notation import section as notation
from .errata_konoplev_section import errata, section, whose

#: number -> (value of the printed expression, value of the correct one), None where it was not recorded.
KNOWN = {
    7: (0.2955, 0), 11: (-1.19008 - 1.06, None), 30: (-0.4, 0), 31: (1198.18, 1191),
    34: (-3.27659, 3.5), 35: (-1.53417, 0.41802), 36: (2.20337, 1.72071), 37: (0.3825, 0.39),
    40: (2.92058, -2.92058), 41: (-0.042332, -1.210563), 43: (0, 0.658533), 45: (1.241798, 1.720708),
    10: (1.720707709895, 1.845707709895), 24: (-1.1, 1.7), 44: (0.38779, -0.8531378826341), 46: (None, 1.24389546162),
    # by hand: the state is s_2 = 0.3, θ_5 = 0.5, θ_6 = -0.8 with the rates 0.9, -1.1, 1.7; p_1³ = 0.7, r_c1³ = 0.4
    47: (1, 0), 48: (-1.1, 0), 49: (-0.7663774, 0.7890917), 50: (0.3070360, 1.3070360), 51: (0.3, 0.9), 52: (0.5, -1.1),
    53: (-0.1109880, 1.3070360), 54: (-0.4893413, 1.0765510), 55: (-0.3586780, 0.7890917), 56: (0.3483534, -0.7663774),
    57: (-0.8, 1.7), 60: (-0.5573654, 1.1844014), 61: (-0.5738849, 1.2195054), 62: (0.2295540, -0.4878021),
    63: (-0.5573654, 1.1844014), 64: (-0.5738849, 1.2195054), 65: (3.2786820, 1.2438955),
    # the brackets of equations 2 and 3 are 0.9124459 and -0.4562230 by hand; θ̈_5 = 8.3364648, θ̈_6 = 8.0126940
    66: (60.94921, -1.706274), 67: (-31.70610, -0.552030),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("number", KNOWN)
def test_values(number):
    (row,) = (e for e in errata() if e.number == number)
    for found, expected in zip((row.printed_value, row.correct_value), KNOWN[number], strict=True):
        if expected is not None:
            assert found == pytest.approx(expected, rel=1e-2 if number == 11 else 1e-4, abs=1e-12)


def test_no_correct_expression_errs_and_every_printed_one_does():
    rows = errata()
    assert len(rows) >= 30 and len({row.number for row in rows}) == len(rows)
    for row in rows:
        assert abs(row.printed_value - row.correct_value) > 1e-3, row.place
        if "error" in row.state:
            assert abs(row.correct_value) < 1e-11, row.place


def test_rows_that_differ_in_dots_alone_are_told_from_the_others():
    found = {kind: {e.number for e in errata() if whose(e) == kind} for kind in ("paper", "dots", "either")}
    assert found["paper"] == {7, 10, 28, 30, 31}
    assert found["dots"] == {2, 11, 20, 22, 25, 27, 42, 44, 46, *range(50, 58), *range(60, 65), 66, 67}


def test_the_section_lists_every_row():
    text = section()
    assert text.count("\n| ") == len(errata()) + 1
    assert "b-V, b_32" in text and "0.658533" in text


def test_every_row_is_on_the_page():
    """Sixty-eight rows, with a number or as errors of notation."""
    numbered, others = {row.number for row in errata()}, {row[0] for row in ROWS}
    assert numbered.isdisjoint(others) and numbered | others == set(range(1, 69))
    assert notation().count("\n| ") == len(ROWS) + 1
