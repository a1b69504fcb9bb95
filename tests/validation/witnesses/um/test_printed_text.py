"""Tables of numbers as texts: units, headers, digits, cells, and what of them is refused with its place."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from mbconcord.model import ReadError
from mbconcord.validation.witnesses.printed.headings import (
    HeadingError,
    UnitError,
    heading,
    room,
    spell_dimension,
    unit,
)
from mbconcord.validation.witnesses.printed.reader import parse_table, read_table

UNITS = [
    ("m", 1, (1, 0, 0)), ("mm", 1e-3, (1, 0, 0)), ("rad", 1, (0, 0, 0)), ("deg", pi / 180, (0, 0, 0)),
    ("°/s^2", pi / 180, (0, 0, -2)), ("1", 1, (0, 0, 0)), ("1/s", 1, (0, 0, -1)), ("rad/s^2", 1, (0, 0, -2)),
    ("kg m^2", 1, (2, 1, 0)), ("kg*m²", 1, (2, 1, 0)), ("kg·mm^2", 1e-6, (2, 1, 0)), ("g", 1e-3, (0, 1, 0)),
    ("N", 1, (1, 1, -2)), ("kN", 1e3, (1, 1, -2)), ("N m", 1, (2, 1, -2)), ("N mm", 1e-3, (2, 1, -2)),
    ("kNm", 1e3, (2, 1, -2)), ("N m s/rad", 1, (2, 1, -1)), ("m s^-2", 1, (1, 0, -2)), ("m s⁻²", 1, (1, 0, -2)),
    ("mm/s**2", 1e-3, (1, 0, -2)), ("rpm", pi / 30, (0, 0, -1)), ("кг м^2", 1, (2, 1, 0)),
    ("град/с", pi / 180, (0, 0, -1)),
    ("m/s/s", 1, (1, 0, -2)), ("km/min", 1e3 / 60, (1, 0, -1)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "factor", "dimension"), UNITS)
def test_a_unit(text, factor, dimension):
    found = unit(text)
    assert (found.factor, found.dimension) == (pytest.approx(factor, rel=1e-15), dimension)
    assert unit(spell_dimension(dimension).removesuffix(" or 1")).dimension == dimension


@pytest.mark.parametrize("text", ["", "furlong", "m/s kg", "kg^", "m^2.5", "s^-", "rad//s", "1/"])
def test_no_unit(text):
    with pytest.raises(UnitError):
        unit(text)


HEADINGS = [
    ("z1 [rad]", "z1", (), "rad", None),
    ("z1' [deg/s]", "z1'", (), "deg/s", None),
    (" z1’’  [rad/s^2] ", "z1''", (), "rad/s^2", None),
    ("t[s]", "t", (), "s", None),
    ("M[z1, z2] [kg m^2]", "M", ("z1", "z2"), "kg m^2", None),
    ("M[z1,z2][kg m^2]", "M", ("z1", "z2"), "kg m^2", None),
    ("position[arm, x] [mm, 6 digits]", "position", ("arm", "x"), "mm", 6),
    ("m1 [kg, exact]", "m1", (), "kg", 0),
    ("m1 [kg exact]", "m1", (), "kg", 0),
]


@pytest.mark.parametrize(("text", "name", "index", "of", "digits"), HEADINGS)
def test_a_header(text, name, index, of, digits):
    found = heading(text)
    assert (found.name, found.index, found.unit.text, found.digits) == (name, index, of, digits)


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("z1", "no unit"),
        ("M[z1, z2]", "no unit"),
        ("z1 []", "empty"),
        ("z1 [furlong]", "'furlong' is no unit"),
        ("z1 [rad", "no name with a unit"),
        ("[rad]", "no name with a unit"),
        ("z1 [rad, 0 digits]", "no digits"),
        ("", "no name with a unit"),
    ],
)
def test_no_header(text, piece):
    with pytest.raises(HeadingError, match=piece) as caught:
        heading(text)
    assert caught.value.remedy


DIGITS = [
    (["0.25", "1.50", "-3.00"], None, [0.005] * 3),  # equally many decimals: the last
    (["0.5", "12.345", "100"], None, [5e-6, 5e-4, 5e-3]),  # five significant digits, zeros left out
    (["1.5e3", "2.25e-3"], None, [5, 5e-6]),
    (["1", "35", "-2"], None, [0, 0, 0]),
    (["0", "0.25", "1.125"], None, [0, 5e-5, 5e-4]),
    (["0.5", "12.345"], 0, [0, 0]),
    (["0.5", "12", "0"], 6, [5e-7, 5e-5, 0]),
]


@pytest.mark.parametrize(("texts", "digits", "expected"), DIGITS)
def test_half_a_unit_of_the_last_digit(texts, digits, expected):
    np.testing.assert_allclose(room(texts, digits), expected, rtol=1e-12)


HEAD = "z1 [deg];z1' [rad/s]"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n90.0;0.5\n-45.0;0.25\n",
        f"\n# printed by hand\n{HEAD}\n\n90.0;0.5\n# half\n-45.0;0.25\n",
        f"{HEAD}\n90,0;0,5\n-45,0;0,25\n".replace(";", "\t"),
        'z1 [deg],"z1\' [rad/s]"\n90.0,0.5\n-45.0,0.25\n',
        f"{HEAD}\r\n90.0;5.0E-1\r\n−45.0;2.5D-1\r\n",
    ],
    ids=["semicolons", "comments", "tabs and decimal commas", "commas", "exponents"],
)
def test_a_table_is_numbers_in_si(text):
    table = parse_table(text, "t.csv")
    angle, rate = table.columns
    np.testing.assert_allclose(angle.values, [pi / 2, -pi / 4], rtol=1e-15)
    np.testing.assert_allclose(angle.room, np.full(2, 0.05 * pi / 180), rtol=1e-9)
    np.testing.assert_allclose(rate.values, [0.5, 0.25], rtol=1e-15)
    assert table.lines == tuple(i for i, line in enumerate(text.splitlines(), 1) if "5" in line)


REFUSED = [
    ("", (1, 1), "empty"),
    ("# nothing\n", (1, 1), "empty"),
    (HEAD + "\n", (1, 1), "no rows"),
    ("z1;z1' [rad/s]\n1;2\n", (1, 1), "'z1' has no unit"),
    ("z1 [rad];z1'\n1;2\n", (1, 10), '"z1\'" has no unit'),
    ("z1 [rad];z1 [deg]\n1;2\n", (1, 10), "z1 stands in column 1 too"),
    ("z1 [rad],M[z1, z1] [kg m^2]\n1,2\n", (1, 10), "no name with a unit"),
    (HEAD + "\n1\n", (2, 1), "found 1 cell, expected 2"),
    (HEAD + "\n1;\n", (2, 3), "the cell is empty"),
    (HEAD + "\n1;2\n3;fast\n", (3, 3), "'fast'"),
    (HEAD + "\n1;1/3\n", (2, 3), "'1/3'"),
    (HEAD + "\n1;nan\n", (2, 3), "'nan'"),
    (HEAD + "\n1;1e999\n", (2, 3), "range"),
]


@pytest.mark.parametrize(("text", "at", "piece"), REFUSED)
def test_refused_with_place_and_remedy(text, at, piece):
    with pytest.raises(ReadError) as caught:
        parse_table(text, "t.csv")
    first = caught.value.diagnostics[0]
    assert (first.location.line, first.location.column) == at
    assert piece in first.message and first.remedy


def test_too_many_rows_are_refused_before_they_are_read():
    with pytest.raises(ReadError, match="10,001 rows"):
        parse_table(HEAD + "\n" + "x\n" * 10_001, "t.csv")


def test_a_binary_file_is_no_table(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b"PK\x03\x04\0\0\0")
    with pytest.raises(ReadError):
        read_table(str(file))


def test_a_table_in_cp1251(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes("z1 [рад]\n0.5\n".encode("cp1251"))
    assert read_table(str(file)).columns[0].heading.unit.factor == 1
