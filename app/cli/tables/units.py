"""The line below a table of coordinates that says in which units its numbers are."""

from __future__ import annotations

from mbconcord.model.system import System
from mbconcord.reports.description import units


def in_units(system: System, *more: str) -> str:
    """``z1, z2 in rad; s in m``, and what else there is."""
    unit_of = units(system)
    known = [unit_of.get(name, "") for name in system.coordinate_names]
    pairs = list(zip(system.coordinate_names, known, strict=True))
    groups = (
        ", ".join(name for name, own in pairs if own == unit) + f" in {unit}" for unit in dict.fromkeys(known)
    )
    return "; ".join([*groups, *more])
