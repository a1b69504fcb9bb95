"""The line below a table of coordinates with the units of its numbers."""

from __future__ import annotations

from typing import Any

from mbconcord.api.compare import describe_sameness
from mbconcord.model.system import System
from mbconcord.reports.description import units
from mbconcord.validation.compare import Sameness

from .. import DISAGREEMENT, NOT_CHECKED, SUCCESS
from ..output import say

# Whether two sources are the same machine, as ``compare`` and ``convert --verify`` tell it.


def verification(found: Sameness) -> dict[str, Any]:
    """Convert the result to JSON."""
    return found.to_json()


def exit_code(found: Sameness) -> int:
    """Return the exit code: 0 the same, 1 not the same, 3 not checked or with omissions that are not accepted."""
    if found.verdict == "disagrees":
        return DISAGREEMENT
    return SUCCESS if found.stands else NOT_CHECKED


def print_verification(found: Sameness, system: System, verb: str, brief: bool = False, error: bool = False) -> None:
    """Print the result of verifying a conversion, on standard error if ``error``; only the verdict if ``brief``."""
    say(found.headline if brief else describe_sameness(found, system, verb), error=error)


def in_units(system: System, *more: str) -> str:
    """Write the coordinates with their units: ``z1, z2 in rad; s in m``; ``more`` texts follow."""
    unit_of = units(system)
    known = [unit_of.get(name, "") for name in system.coordinate_names]
    pairs = list(zip(system.coordinate_names, known, strict=True))
    groups = (", ".join(name for name, own in pairs if own == unit) + f" in {unit}" for unit in dict.fromkeys(known))
    return "; ".join([*groups, *more])
