"""How large a model may be that is checked: witnesses are compared in matrices of so many rows."""

from __future__ import annotations

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.limits import CHECKED_COORDINATES, too_many
from mbconcord.model.system import System


def require_size(system: System) -> None:
    """Refuse a model of too many coordinates before anything is derived (NumbersError, at the first too many)."""
    names = system.coordinate_names
    if len(names) > CHECKED_COORDINATES:
        found = f"a model of {too_many(len(names), 'coordinates', CHECKED_COORDINATES)} to be checked"
        remedy = "evaluate it by one formalism, or check its parts"
        raise NumbersError(error(f"coordinates/{names[CHECKED_COORDINATES]}", found, remedy))
