"""Options of walking machines: how many legs, masses at points of the hull, a point of the foot."""

from __future__ import annotations

import re

from mbconcord.api.walk import Triple, Weight
from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error


def counts(text: str) -> list[int | None]:
    """How many legs: ``4,6``."""
    found: list[int | None] = []
    for word in text.split(","):
        if not re.fullmatch(r"[1-9]\d{0,2}", word.strip()):
            raise NumbersError(
                error(
                    "--legs", f"{word.strip()!r:.40} is no number of legs", "from 1 to 999, for example 4,6"
                )
            )
        found.append(int(word))
    return found


def _numbers(option: str, text: str, count: int | None = None) -> list[float]:
    """Numbers apart by commas; ``count``: how many they have to be."""
    try:
        found = [float(exact(word.strip())) for word in text.split(",")]
    except NumeralError as problem:
        raise NumbersError(error(option, str(problem), problem.remedy or "numbers apart by commas")) from None
    if count is not None and len(found) != count:
        raise NumbersError(error(option, f"{len(found)} numbers, expected {count}", "x,y,z in m"))
    return found


def _at(option: str, text: str) -> Triple:
    x, y, z = _numbers(option, text, 3)
    return x, y, z


def foot(text: str | None) -> Triple:
    """A point of a leg's last body: ``0,-0.4,0``; its origin where none is given."""
    return _at("--foot", text) if text else (0.0, 0.0, 0.0)


def hull(text: str | None) -> Weight:
    """One mass at a point: ``30@0,0.05,0``; none where none is given."""
    found = _weights("--hull", text)
    if len(found) != 1:
        raise NumbersError(error("--hull", f"{len(found)} masses, expected one", "for example 30@0,0.05,0"))
    return found[0]


def payloads(text: str | None) -> list[Weight]:
    """Masses to be tried one after the other at one point: ``0,5,10@0,0.2,0``."""
    return _weights("--payload", text)


def _weights(option: str, text: str | None) -> list[Weight]:
    """Masses at one point: ``0,5,10@0,0.2,0``; none is no mass."""
    if text is None:
        return [Weight(0.0)]
    masses, at, place = text.partition("@")
    where = _at(option, place) if at else (0.0, 0.0, 0.0)
    found = [Weight(mass, where) for mass in _numbers(option, masses)]
    if any(w.mass < 0 for w in found):
        raise NumbersError(error(option, "a mass is negative", "kg, zero or more"))
    return found
