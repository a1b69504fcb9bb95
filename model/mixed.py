"""The mixed problem: along every coordinate either the effort is given or the acceleration, and the other is sought.

    M a + h = gravity + applied + u ,    u_i = 0 where the effort is given ,   a_i given where a drive imposes it

With F the coordinates whose accelerations are unknown, I those along which a drive imposes them, and
r = gravity + applied - h::

    M_FF a_F = r_F - M_FI a_I ,     u_I = (M a - r)_I

Nothing is imposed: forward dynamics, u = 0. Everything is: inverse dynamics, u = M a - r.

Beside constraints a drive that imposes an acceleration is one more row, q_i'' - a_i = 0, and its multiplier is u_i.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coordinate import Motion
from .derivation import EFFORT, QUANTITIES
from .expressions import Expression, evaluate, numpy_arithmetic
from .functions import define
from .system import System

Array = NDArray[np.float64]


def imposed(system: System) -> dict[str, Expression]:
    """Accelerations that drives impose, by coordinate in the order of the system."""
    return {c.name: c.drive.acceleration for c in system.coordinates if isinstance(c.drive, Motion)}


def drive_row(coordinate: str) -> str:
    """What the row of a drive that imposes an acceleration is called among those of constraints."""
    return f"drive of {coordinate}"


#: What to do about an acceleration that constraints fix.
FREE = "give the drive an effort, or impose the acceleration of a coordinate that the constraints leave free"


def fixed(coordinate: str) -> str:
    """What is wrong with a drive that imposes an acceleration which constraints and other drives fix already."""
    return f"it imposes the acceleration of {coordinate}, which the constraints and the drives before it fix already"


def asked(system: System) -> tuple[str, ...]:
    """The canonical quantities that this system has: efforts of imposed accelerations only where there are some."""
    return QUANTITIES if imposed(system) else tuple(q for q in QUANTITIES if q != EFFORT)


def free(system: System) -> list[int]:
    """Places of the coordinates whose accelerations are unknown."""
    return [i for i, c in enumerate(system.coordinates) if not isinstance(c.drive, Motion)]


def imposed_numbers(system: System, values: Mapping[str, Any], count: int) -> Array:
    """Imposed accelerations (N, n) at N values of every symbol; NaN where none is imposed."""
    found = np.full((count, len(system.coordinates)), np.nan)
    drives = imposed(system)
    if drives:
        numbers = evaluate(define(drives.values(), system.functions), values, numpy_arithmetic())
        for name, value in zip(drives, numbers, strict=True):
            found[:, system.coordinate_names.index(name)] = value
    return found


def reduced(mass: Array, right: Array, given: Array, places: list[int]) -> tuple[Array, Array]:
    """M_FF (N, f, f) and r_F - M_FI a_I (N, f); ``given`` (N, n) are the imposed accelerations, ``places`` F."""
    rest = [i for i in range(given.shape[1]) if i not in places]
    own = mass[:, places][:, :, places]
    if not rest:
        return own, right
    known = np.einsum("sij,sj->si", mass[:, places][:, :, rest], given[:, rest])
    return own, right[:, places] - known


def efforts(mass: Array, right: Array, accelerations: Array, places: list[int]) -> Array:
    """u (N, n): M a - r along the coordinates that are not free, exactly zero along those that are."""
    found: Array = np.einsum("sij,sj->si", mass, accelerations) - right
    found[:, places] = 0.0
    return found
