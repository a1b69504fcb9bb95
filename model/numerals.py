"""Numbers as people write them: corrections of units, decimal commas, separators of thousands.

A number of a model is plain, in SI and radians. Other notations are refused with a hint, and never guessed.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import pi
from typing import Final

from .expressions.node import ExpressionError, number

_DEGREE: Final = pi / 180
#: What a unit is in SI and radians, and the unit that a number stands in.
_UNITS: Final[dict[str, tuple[Fraction | float, str]]] = {
    name: (Fraction(factor) if isinstance(factor, str) else factor, si)
    for names, factor, si in (
        ("m м meter metre meters metres", "1", "m"), ("mm мм millimeter millimetre", "1e-3", "m"),
        ("cm см", "1e-2", "m"), ("dm дм", "1e-1", "m"), ("km км", "1e3", "m"), ("um µm μm мкм", "1e-6", "m"),
        ("in inch inches", "0.0254", "m"), ("ft feet", "0.3048", "m"), ("kg кг", "1", "kg"), ("g г", "1e-3", "kg"),
        ("mg мг", "1e-6", "kg"), ("t т", "1e3", "kg"), ("lb lbs", "0.45359237", "kg"),
        ("s с sec сек", "1", "s"), ("ms мс", "1e-3", "s"), ("min мин", "60", "s"),
        ("rad рад radian radians", "1", "rad"), ("deg ° º degree degrees град градус градусов", _DEGREE, "rad"),
        ("rad/s рад/с", "1", "rad/s"), ("deg/s °/s град/с", _DEGREE, "rad/s"), ("rpm об/мин", pi / 30, "rad/s"),
        ("m/s м/с", "1", "m/s"), ("km/h км/ч", "5/18", "m/s"), ("m/s^2 m/s² м/с² м/с^2", "1", "m/s²"),
        ("N Н", "1", "N"), ("kN кН", "1e3", "N"), ("Nm N*m N·m Н·м Нм", "1", "N m"),
        ("N/m Н/м", "1", "N/m"), ("N/mm Н/мм", "1e3", "N/m"), ("kg*m^2 kgm2 kg·m² кг·м²", "1", "kg m²"),
        ("%", "1e-2", "1"),
    )
    for name in names.split()
}  # fmt: skip
#: Names that a formula may hold and that are units: those of one letter are as often names of something else.
UNIT_NAMES: Final = frozenset(name for name in _UNITS if len(name) > 1 and name.isidentifier())
#: What to do about such a name that nothing defines.
UNIT: Final = "it is a unit's name: write numbers in SI and radians, without units"
_DECIMAL: Final = r"[+-]?(?:[0-9]+(?:[.,][0-9]+|\.)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_WITH_UNIT: Final = re.compile(
    rf"({_DECIMAL})[ \t\u00a0]*({'|'.join(map(re.escape, sorted(_UNITS, key=len, reverse=True)))})"
)
_COMMA: Final = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]{1,3})?")
_GROUPED: Final = re.compile(r"[+-]?[0-9]{1,3}(?:[ '_\u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?")
_MOST: Final = 60


def hint(text: str) -> str:
    """Suggest a number in place of a text that is not one; empty if there is no suggestion."""
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if len(plain) > _MOST:
        return ""
    unit = _WITH_UNIT.fullmatch(plain)
    if unit:
        factor, si = _UNITS[unit[2]]
        written = f"write {_decimal(unit[1].replace(',', '.'), factor)}"
        return f"{written}: numbers are in {si}" if si != "1" else written
    if _COMMA.fullmatch(plain):
        return f"write {plain.replace(',', '.')}, with a decimal point"
    if _GROUPED.fullmatch(plain):
        return f"write {re.sub('[^0-9.+-]', '', plain)}, without separators"
    return f"write {plain}" if plain != text.strip() and _is_number(plain) else ""


def units(text: str, position: int) -> str:
    """Return the hint for a number with a unit or a decimal comma that begins or ends at a position of a text."""
    start = max(0, position - _MOST)
    near, at = text[start : position + _MOST], position - start
    for found in (*_WITH_UNIT.finditer(near), *_COMMA.finditer(near)):
        alone = not re.match(r"\w", near[found.end() :]) and not re.search(r"(?:[\d.]|\w\w)$", near[: found.start()])
        if alone and (found.start() < at <= found.end() or found.end() == len(near[:at].rstrip())):
            return hint(found[0])
    return ""


def _decimal(shown: str, factor: Fraction | float) -> str:
    """Multiply a decimal by a factor: exactly, or with the digits of a float."""
    if isinstance(factor, float):
        return repr(float(shown) * factor)
    product = Fraction(shown) * factor
    return repr(float(product)) if product.denominator != 1 else str(product)


def _is_number(text: str) -> bool:
    try:
        number(text)
    except ExpressionError:
        return False
    return True
