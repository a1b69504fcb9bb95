"""What heads a column: a name, the indices of an entry, the unit, and how many digits are meant.

``z1 [rad]``, ``z1'' [rad/s^2]``, ``M[z1, z2] [kg m^2]``, ``position[arm, x] [mm, 6 digits]``, ``m1 [kg, exact]``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .digits import EXACT
from .units import Unit, UnitError, unit

#: Names that take indices: entries of quantities of the model, motion of bodies, values of forces.
CANONICAL: Final = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration", "effort")
MOTIONS: Final = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")
CENTRES: Final = ("centre_position", "centre_velocity", "centre_acceleration")
INDEXED: Final = (*CANONICAL, *(name for name in MOTIONS if name not in CANONICAL), *CENTRES, "force")

_FORM: Final = re.compile(r"([^\[\]]+?)\s*(?:\[([^\[\]]*)\])?\s*(?:\[([^\[\]]*)\])?")
_MEANT: Final = re.compile(r"(.*?)[,\s]+(?:(exact)|(\d{1,2})\s*digits?)")
_UNIT_REMEDY: Final = "as in z1 [rad], M[z1, z2] [kg m^2]; 1 for a number without unit"


class HeadingError(ValueError):
    """A header that says too little; ``remedy`` is what to write."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True)
class Heading:
    """A column's header; ``index`` is empty for a coordinate, a rate, a parameter and the time."""

    text: str
    name: str
    index: tuple[str, ...]
    unit: Unit
    digits: int | None

    @property
    def key(self) -> str:
        """The same of any way of writing the entry."""
        return f"{self.name}[{', '.join(self.index)}]" if self.index else self.name


def heading(text: str) -> Heading:
    """What a cell of the header names.

    Raises
    ------
    HeadingError
        It has no unit, or one that is none; brackets that do not close.
    """
    plain = " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    found = _FORM.fullmatch(plain)
    if found is None:
        remedy = (
            "a name, indices in brackets, and the unit in brackets; where commas separate, in quotation marks"
        )
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
    return Heading(plain, name, indices, of, digits)
