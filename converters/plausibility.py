"""Masses and inertias of a file that no body has: refused, told as warnings, or taken without a word.

What rests on values that the author gave is looked at. Values by default are there to be replaced: they are looked at
when numbers are needed.
"""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model.checks.physics import Policy, physics
from mbconcord.model.coordinate import WANTED
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError
from mbconcord.model.numbers import known_values
from mbconcord.model.system import System

from .findings import nearest
from .format import Reading


def implausible(system: System, policy: Policy) -> list[Diagnostic]:
    """Findings about the masses and inertias that follow from the author's values."""
    if policy == "ignore":
        return []
    try:
        values = known_values(system, origins=WANTED)
    except NumbersError:
        return []  # who needs these numbers says so
    found = physics(system, values, policy)
    return found if policy == "error" else [d for d in found if d.severity == "warning"]


def judged(reading: Reading, policy: Policy, file: str) -> Reading:
    """The reading with what is told of its masses and inertias among its diagnostics.

    Raises
    ------
    ReadError
        The policy is to refuse, and there is something that no body has.
    """
    start = Location(file, 1, 1)
    found = [d.at(nearest(d.place, reading.locations) or start) for d in implausible(reading.system, policy)]
    if any(d.severity == "error" for d in found):
        raise ReadError(found)
    return replace(reading, diagnostics=(*reading.diagnostics, *found)) if found else reading
