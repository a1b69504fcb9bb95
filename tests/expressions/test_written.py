"""Numbers as people write them: the hint says the number in SI and radians, or nothing."""

from __future__ import annotations

import pytest

from mbconcord.converters.floats import NumeralError, exact, number_hint
from mbconcord.model.numerals import UNIT_NAMES, units

from ..work import at_most


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2kg", "write 2: numbers are in kg"),
        ("2,5 кг", "write 2.5: numbers are in kg"),
        ("250 g", "write 0.25: numbers are in kg"),
        ("-3 т", "write -3000: numbers are in kg"),
        ("10cm", "write 0.1: numbers are in m"),
        ("5 мм", "write 0.005: numbers are in m"),
        ("2in", "write 0.0508: numbers are in m"),
        ("1e3 mm", "write 1: numbers are in m"),
        (".5m", "write 0.5: numbers are in m"),
        ("180 deg", "write 3.141592653589793: numbers are in rad"),
        ("-90°", "write -1.5707963267948966: numbers are in rad"),
        ("60 rpm", "write 6.283185307179586: numbers are in rad/s"),
        ("18 km/h", "write 5: numbers are in m/s"),
        ("3 kN", "write 3000: numbers are in N"),
        ("50%", "write 0.5"),
        ("0,5", "write 0.5, with a decimal point"),
        ("-0,5e-3", "write -0.5e-3, with a decimal point"),
        ("−0.5", "write -0.5"),
        ("1 000.5", "write 1000.5, without separators"),
        ("1'000'000", "write 1000000, without separators"),
        ("1/3*3", "a number, no formula: write 1.0"),
        ("sqrt(4)", "a number, no formula: write 2.0"),
        ("1_0", ""),
        ("two", ""),
        ("x + 1", ""),
        ("0,5,3", ""),
        ("2 furlongs", ""),
        ("1/0", ""),
        ("9^9^9", ""),
        ("", ""),
        ("1" * 5000 + "kg", ""),
    ],
)
def test_what_was_meant(text: str, said: str) -> None:
    assert number_hint(text) == said


@pytest.mark.parametrize("text", ["2.5", "-1e-3", "1/2", ".5", "+3"])
def test_a_number_has_no_hint(text: str) -> None:
    assert number_hint(text) in ("", f"a number, no formula: write {float(exact(text))!r}")


def test_what_is_no_number_says_its_hint() -> None:
    with pytest.raises(NumeralError, match="'2kg' is not a finite number") as caught:
        exact("2kg")
    assert caught.value.remedy == "write 2: numbers are in kg"


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ('{"q": 0,3}', 8, "write 0.3, with a decimal point"),
        ('{"q": 30 deg}', 9, "write 0.5235987755982988: numbers are in rad"),
        ("z $2kg g9", 7, "write 2: numbers are in kg"),
        ("g9,81-y", 2, "write 9.81, with a decimal point"),
        ("f(m_12,5) +", 11, ""),
        ("1.2,5", 3, ""),
        ("2 kgx +", 6, ""),
        ("2 kg\n\n\n+ *", 10, ""),
        ("a + b", 3, ""),
    ],
)
def test_a_number_beside_a_place_of_a_text(text: str, position: int, said: str) -> None:
    assert units(text, position) == said


def test_a_long_text_is_not_searched() -> None:
    with at_most(0.5):
        for position in (0, 500_000, 1_000_000):
            assert units("1" * 1_000_000, position) == ""


def test_names_of_units_are_no_letters_of_models() -> None:
    assert {"cm", "mm", "kg", "deg", "мм", "кг"} <= UNIT_NAMES
    assert not UNIT_NAMES & {"m", "g", "s", "t", "N"}
