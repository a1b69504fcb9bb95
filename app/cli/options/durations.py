"""Durations of options: ``90s``, ``10m``, ``2h``; a number alone is seconds."""

from __future__ import annotations

from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error

UNITS = {"s": 1, "m": 60, "h": 3600}
#: A month: who wants more has no end in mind.
MOST = 31 * 24 * 3600


def seconds(option: str, text: str | None) -> float | None:
    """The seconds of a duration; None where it was not given.

    Raises
    ------
    NumbersError
        It is none, or not above zero.
    """
    if text is None:
        return None
    given = text.strip()
    unit = UNITS.get(given[-1:], 0)
    try:
        found = float(exact(given[:-1] if unit else given)) * (unit or 1)
    except (NumeralError, OverflowError):
        found = 0.0
    if not 0 < found <= MOST:
        raise NumbersError(
            error(option, f"found {text[:40]!r}, expected a time above zero", f"for example {option} 10m")
        )
    return found
