"""Units of the columns of a table: what makes them SI and radians, and what they measure.

A unit is a product of names with whole powers, and divisions: ``kg m^2``, ``rad/s^2``, ``N*m``, ``1/s``. An angle is
a number: a radian is 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import pi
from typing import Final

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
    """A text that is no unit."""


@dataclass(frozen=True)
class Unit:
    """A unit as it is written, its size in SI units, and what it measures."""

    text: str
    factor: float
    dimension: Dimension


def unit(text: str) -> Unit:
    """The unit that a text names.

    Raises
    ------
    UnitError
        It names none, or it may be read in two ways.
    """
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text.strip())
    at, size, powers, divided = 0, 1.0, [0, 0, 0], False
    while at < len(plain):
        found = _FACTOR.match(plain, at)
        if found is None or found[2] not in _NAMES:
            raise UnitError(f"{plain[at:].strip()!r} is no unit")
        sign, name, power = found.groups()
        if divided and sign != "/":
            raise UnitError(
                "a product after a division may be read in two ways: write each divisor with its /"
            )
        divided = sign == "/"
        exponent = int(power or 1) * (-1 if divided else 1)
        factor, dimension = _NAMES[name]
        size *= factor**exponent
        powers = [p + exponent * d for p, d in zip(powers, dimension, strict=True)]
        at = found.end()
    if not plain:
        raise UnitError("it is empty")
    return Unit(text.strip(), size, (powers[0], powers[1], powers[2]))


def spelled(dimension: Dimension) -> str:
    """A dimension in SI units: ``kg m^2``; of a number ``rad or 1``."""
    if dimension == NUMBER:
        return "rad or 1"
    ordered = sorted(zip(_SI, dimension, strict=True), key=lambda pair: pair[0] != "kg")
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in ordered if power)
