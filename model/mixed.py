"""The mixed problem: along every coordinate either the effort is given or the acceleration, and the other is sought.

    M a + h = gravity + applied + u ,    u_i = 0 where the effort is given ,   a_i given where a drive imposes it

With F the coordinates whose accelerations are unknown, I those along which a drive imposes them, and
r = gravity + applied - h::

    M_FF a_F = r_F - M_FI a_I ,     u_I = (M a - r)_I

Nothing is imposed: forward dynamics, u = 0. Everything is: inverse dynamics, u = M a - r.

Beside constraints a drive that imposes an acceleration is one more row, q_i'' - a_i = 0, and its multiplier is u_i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coordinate import Motion
from .derivation import EFFORT, QUANTITIES
from .diagnostics import Diagnostic, error
from .expressions import Expression, evaluate, numpy_arithmetic
from .functions import define
from .system import System

Array = NDArray[np.float64]
#: Beside the largest inertia along coordinates that are solved for this part is none; beside any other, rounding is.
NOTHING, ROUNDING = 1e-13, float(np.finfo(float).eps)


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


def solve(q: dict[str, Array], system: System, values: Mapping[str, Any]) -> list[Diagnostic]:
    """Add accelerations, and efforts where drives impose some, to M, h and the forces.

    ``values`` are those of every symbol, (N,) each; they are needed where drives impose accelerations.
    """
    right = q["gravity"] + q["applied"] - q["h"]
    if not imposed(system):
        q["acceleration"], findings = accelerations(q["M"], right, q.get("acceleration"), system)
        return findings
    given = imposed_numbers(system, values, len(right))
    q["acceleration"], findings = accelerations(q["M"], right, q.get("acceleration"), system, given)
    needed = efforts(q["M"], right, q["acceleration"], free(system))
    q[EFFORT] = np.where(np.isfinite(needed), q.get(EFFORT, needed), needed)
    return findings


def accelerations(
    mass: Array, rhs: Array, delivered: Array | None, system: System, given: Array | None = None
) -> tuple[Array, list[Diagnostic]]:
    """Solutions a (N, n) of M a = rhs, or those that were delivered; NaN where M is singular, and why.

    Parameters
    ----------
    mass : (N, n, n)
    rhs, delivered : (N, n)
    system : names the coordinates
    given : (N, n)
        Accelerations that drives impose, along the coordinates that are not free; these need no inertia.
    """
    places, names = free(system), system.coordinate_names
    result = np.full_like(rhs, np.nan) if given is None else np.array(given)
    inertia = np.abs(np.einsum("sii->si", mass))
    whole = np.max(np.where(np.isfinite(inertia), inertia, 0.0), axis=1, initial=0.0)
    if given is not None:
        mass, rhs = reduced(mass, rhs, given, places)
        names = tuple(names[i] for i in places)
    found, findings = _free_accelerations(
        mass, rhs, None if delivered is None else delivered[:, places], names, whole
    )
    result[:, places] = found
    return result, findings


def _free_accelerations(
    mass: Array, rhs: Array, delivered: Array | None, names: Sequence[str], whole: Array
) -> tuple[Array, list[Diagnostic]]:
    """The same of coordinates that are free; ``whole`` (N,): the largest inertia along any, imposed ones among them."""
    result = np.full_like(rhs, np.nan)
    regular = _regular(mass, whole)
    findings: dict[str, Diagnostic] = {}
    for i in np.flatnonzero(~regular):
        without = coordinates_without_inertia(mass[i], names, float(whole[i]))
        if not without:
            regular[i] = True
        else:
            findings.setdefault(without, _singular(without, bool(np.isfinite(mass[i]).all())))
    if delivered is not None:
        result[regular] = delivered[regular]
    elif regular.any():
        scale = 1 / np.sqrt(np.einsum("sii->si", mass[regular]))
        scaled = mass[regular] * (scale[:, :, None] * scale[:, None, :])
        result[regular] = scale * np.linalg.solve(scaled, (scale * rhs[regular])[:, :, None])[:, :, 0]
    return result, list(findings.values())


def _regular(mass: Array, whole: Array) -> NDArray[np.bool_]:
    """Of which of N matrices it is sure that :func:`coordinates_without_inertia` names none, all at once (N,)."""
    diagonal = np.einsum("sii->si", mass)
    with np.errstate(all="ignore"):
        size = np.max(np.abs(diagonal), axis=1, initial=0.0)
        some = diagonal > np.maximum(NOTHING * size, ROUNDING * whole)[:, None]
        sure: NDArray[np.bool_] = np.isfinite(mass).all(axis=(1, 2)) & some.all(axis=1)
    scale = 1 / np.sqrt(diagonal[sure])
    values = np.linalg.eigvalsh(mass[sure] * (scale[:, :, None] * scale[:, None, :]))
    sure[sure] = np.min(values, axis=1, initial=np.inf) > 8 * mass.shape[1] * np.finfo(float).eps
    return sure


def _singular(without: str, finite: bool) -> Diagnostic:
    """Why there are no accelerations along these coordinates."""
    place = f"coordinates/{without.split(',')[0]}"
    if finite:
        remedy = "give the bodies it moves a mass or an inertia"
        return error(place, f"the mass matrix is singular: no inertia along {without}", remedy)
    remedy = "look for a division by zero, or for numbers beyond the range of floats"
    return error(place, f"the mass matrix has no numbers along {without}", remedy)


def coordinates_without_inertia(mass: Array, names: Sequence[str], whole: float = 0.0) -> str:
    """Names of the coordinates that make M singular, joined by commas; empty when M is regular.

    ``whole`` is the largest inertia of the model, where M has a part of its coordinates: what may be rounding of that
    is none.
    """
    diagonal = np.diag(mass)
    if not np.isfinite(mass).all():
        return ", ".join(n for n, row in zip(names, mass, strict=True) if not np.isfinite(row).all())
    size = float(np.max(np.abs(diagonal), initial=0.0))
    least = max(NOTHING * size, ROUNDING * whole)
    zero = [n for n, d in zip(names, diagonal, strict=True) if d <= least]
    if zero or not len(names):
        return ", ".join(zero)
    scale = 1 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(mass * np.outer(scale, scale))
    if values[0] > 4 * len(names) * np.finfo(float).eps:
        return ""
    involved = np.abs(vectors[:, 0])
    return ", ".join(n for n, w in zip(names, involved, strict=True) if w > 0.1 * involved.max())
