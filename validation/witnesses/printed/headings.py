"""Headings of a table's columns: a name, the indices of an entry, the unit, and the number of significant digits.

``z1 [rad]``, ``z1'' [rad/s^2]``, ``M[z1, z2] [kg m^2]``, ``position[arm, x] [mm, 6 digits]``, ``m1 [kg, exact]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from math import pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass

#: Names that take indices: entries of quantities of the model, motion of bodies, values of forces.
CANONICAL: Final = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration", "effort")
MOTIONS: Final = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")
CENTRES: Final = ("centre_position", "centre_velocity", "centre_acceleration")
INDEXED: Final = (*CANONICAL, *(name for name in MOTIONS if name not in CANONICAL), *CENTRES, "force")

_FORM: Final = re.compile(r"([^\[\]]+?)\s*(?:\[([^\[\]]*)\])?\s*(?:\[([^\[\]]*)\])?")
_MEANT: Final = re.compile(r"(.*?)[,\s]+(?:(exact)|(\d{1,2})\s*digits?)")
_UNIT_REMEDY: Final = "as in z1 [rad], M[z1, z2] [kg m^2]; 1 for a number without unit"


class HeadingError(ValueError):
    """Error of a heading that is incomplete or wrong; ``remedy`` says how to write it."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True)
class PrintedHeading:
    """A column's heading; ``index`` is empty for coordinates, rates, parameters and time; ``digits`` may be None."""

    text: str
    name: str
    index: tuple[str, ...]
    unit: PrintedUnit
    digits: int | None

    @property
    def key(self) -> str:
        """Name with indices in one standard spelling, without the unit."""
        return f"{self.name}[{', '.join(self.index)}]" if self.index else self.name


def heading(text: str) -> PrintedHeading:
    """Parse a cell of the header.

    Raises
    ------
    HeadingError
        The unit is missing or unknown; brackets do not close.
    """
    plain = " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    found = _FORM.fullmatch(plain)
    if found is None:
        remedy = "a name, indices in brackets, and the unit in brackets; where commas separate, in quotation marks"
        raise HeadingError(f"found {text!r}, which is no name with a unit", remedy)
    name, first, second = found[1], found[2], found[3]
    if name in INDEXED:
        index, measured = first, second
    else:
        index, measured = (None, first) if second is None else (first, second)
    if measured is None:
        lacks = "no unit, or no index" if name in INDEXED else "no unit"
        raise HeadingError(f"{plain!r} has {lacks}", _UNIT_REMEDY)
    meant = _MEANT.fullmatch(measured.strip())
    digits = None
    if meant is not None:
        measured, digits = meant[1], EXACT if meant[2] else int(meant[3])
        if digits == 0 and not meant[2]:
            raise HeadingError(f"{plain!r} has no digits", "exact, or how many digits, as in [rad, 6 digits]")
    try:
        of = unit(measured)
    except UnitError as problem:
        raise HeadingError(f"the unit [{measured}] of {name}: {problem}", _UNIT_REMEDY) from None
    indices = tuple(part.strip() for part in index.split(",")) if index is not None else ()
    return PrintedHeading(plain, name, indices, of, digits)


#: Digits of a number that are declared to be exact.
EXACT: Final = 0


def room(texts: Sequence[str], digits: int | None) -> NDArray[np.float64]:
    """Return the rounding error of every number of a column: half a unit of its last digit, in the column's unit.

    Parameters
    ----------
    texts : decimal numbers
    digits : number of significant digits, :data:`EXACT`, or None: found from the texts
    """
    if digits == EXACT:
        return np.zeros(len(texts))
    numbers = [Decimal(text) for text in texts]
    if digits is None:
        if all(text.strip("+-").isdecimal() for text in texts):
            return np.zeros(len(texts))
        decimals = {int(x.as_tuple().exponent) for x in numbers}
        if len(decimals) == 1 and not any("e" in text.lower() for text in texts):
            return np.full(len(texts), _half(decimals.pop()))
        digits = max(len(x.as_tuple().digits) for x in numbers)
    return np.array([_half(x.adjusted() + 1 - digits) if x else 0.0 for x in numbers])


def _half(power: int) -> float:
    return 0.5 * 10.0**power


#: Powers of metre, kilogram and second.
Dimension = tuple[int, int, int]
NUMBER: Final[Dimension] = (0, 0, 0)
LENGTH: Final[Dimension] = (1, 0, 0)
MASS: Final[Dimension] = (0, 1, 0)
TIME: Final[Dimension] = (0, 0, 1)
_SPEED: Final[Dimension] = (0, 0, -1)
_FORCE: Final[Dimension] = (1, 1, -2)
_TORQUE: Final[Dimension] = (2, 1, -2)

_NAMES: Final[dict[str, tuple[float, Dimension]]] = {
    "1": (1.0, NUMBER), "rad": (1.0, NUMBER), "deg": (pi / 180, NUMBER), "°": (pi / 180, NUMBER),
    "m": (1.0, LENGTH), "mm": (1e-3, LENGTH), "cm": (1e-2, LENGTH), "km": (1e3, LENGTH),
    "kg": (1.0, MASS), "g": (1e-3, MASS), "t": (1e3, MASS),
    "s": (1.0, TIME), "ms": (1e-3, TIME), "min": (60.0, TIME),
    "N": (1.0, _FORCE), "kN": (1e3, _FORCE), "Nm": (1.0, _TORQUE), "kNm": (1e3, _TORQUE), "rpm": (pi / 30, _SPEED),
    "рад": (1.0, NUMBER), "град": (pi / 180, NUMBER), "м": (1.0, LENGTH), "мм": (1e-3, LENGTH), "см": (1e-2, LENGTH),
    "км": (1e3, LENGTH), "кг": (1.0, MASS), "г": (1e-3, MASS), "т": (1e3, MASS), "с": (1.0, TIME), "мс": (1e-3, TIME),
    "мин": (60.0, TIME), "Н": (1.0, _FORCE), "кН": (1e3, _FORCE), "Нм": (1.0, _TORQUE), "кНм": (1e3, _TORQUE),
}  # fmt: skip
_SI: Final = ("m", "kg", "s")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_FACTOR: Final = re.compile(r"\s*([*·/])?\s*([^\W\d_]+|°|1)(?:(?:\^|\*\*)?(-?\d))?(?=[\s*·/]|$)")


class UnitError(ValueError):
    """Error of a text that is not a unit."""


@dataclass(frozen=True)
class PrintedUnit:
    """A unit: its text, its size in SI units (``factor``), and its dimension."""

    text: str
    factor: float
    dimension: Dimension


def unit(text: str) -> PrintedUnit:
    """Return the unit that a text denotes.

    Raises
    ------
    UnitError
        It is not a unit, or is ambiguous.
    """
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text.strip())
    at, size, powers, divided = 0, 1.0, [0, 0, 0], False
    while at < len(plain):
        found = _FACTOR.match(plain, at)
        if found is None or found[2] not in _NAMES:
            raise UnitError(f"{plain[at:].strip()!r} is no unit")
        sign, name, power = found.groups()
        if divided and sign != "/":
            raise UnitError("a product after a division may be read in two ways: write each divisor with its /")
        divided = sign == "/"
        exponent = int(power or 1) * (-1 if divided else 1)
        factor, dimension = _NAMES[name]
        size *= factor**exponent
        powers = [p + exponent * d for p, d in zip(powers, dimension, strict=True)]
        at = found.end()
    if not plain:
        raise UnitError("it is empty")
    return PrintedUnit(text.strip(), size, (powers[0], powers[1], powers[2]))


def spell_dimension(dimension: Dimension) -> str:
    """Write a dimension in SI units: ``kg m^2``; for a number ``rad or 1``."""
    if dimension == NUMBER:
        return "rad or 1"
    ordered = sorted(zip(_SI, dimension, strict=True), key=lambda pair: pair[0] != "kg")
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in ordered if power)
