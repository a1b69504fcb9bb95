"""The mixed problem: along every coordinate either the effort or the acceleration is given, and the other is sought.

    M a + h = gravity + applied + u ,    u_i = 0 where the effort is given ,   a_i given where a drive imposes it

With F the coordinates whose accelerations are unknown, I those along which a drive imposes them, and
r = gravity + applied - h::

    M_FF a_F = r_F - M_FI a_I ,     u_I = (M a - r)_I

If nothing is imposed: forward dynamics, u = 0. If everything is: inverse dynamics, u = M a - r.

With constraints a drive that imposes an acceleration is one more row, q_i'' - a_i = 0, and its multiplier is u_i.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coordinate import Motion
from .derivation import EFFORT, QUANTITIES
from .diagnostics import Diagnostic, error
from .expressions import Expression, ExpressionError, evaluate, jacobian, numpy_arithmetic
from .expressions.field import Plan, linear, points
from .expressions.field.point import NoRootError
from .expressions.node import FUN, POW, number, symbol
from .features import has_maps
from .functions import define
from .limits import format_names
from .system import System
from .transformation import Mapped

Array = NDArray[np.float64]
#: Tells of a state and of the places that are solved for whether M is regular there, or None where that is not known.
Regular = Callable[[int, Sequence[int]], bool | None]
#: Of n coordinates that are solved for, n times this part of the largest inertia is none; of any other, rounding is.
NOTHING, ROUNDING = 8 * float(np.finfo(float).eps), float(np.finfo(float).eps)


def find_imposed_accelerations(system: System) -> dict[str, Expression]:
    """Return accelerations imposed by drives, by coordinate in the order of the system."""
    return {c.name: c.drive.acceleration for c in system.coordinates if isinstance(c.drive, Motion)}


def drive_row(coordinate: str) -> str:
    """Name the row of a drive that imposes an acceleration, among those of constraints."""
    return f"drive of {coordinate}"


#: What to do about an acceleration that constraints fix.
FREE = "give the drive an effort, or impose the acceleration of a coordinate that the constraints leave free"


def describe_fixed(coordinate: str) -> str:
    """Describe the error of a drive whose imposed acceleration constraints and other drives already fix."""
    return f"it imposes the acceleration of {coordinate}, which the constraints and the drives before it fix already"


def list_quantities(system: System) -> tuple[str, ...]:
    """List the canonical quantities of this system: efforts only if accelerations are imposed."""
    return QUANTITIES if find_imposed_accelerations(system) else tuple(q for q in QUANTITIES if q != EFFORT)


def free(system: System) -> list[int]:
    """List places of the coordinates whose accelerations are unknown."""
    return [i for i, c in enumerate(system.coordinates) if not isinstance(c.drive, Motion)]


def imposed_numbers(system: System, values: Mapping[str, Any], count: int) -> Array:
    """Evaluate imposed accelerations (N, n) at N values of every symbol; NaN where none is imposed."""
    found = np.full((count, len(system.coordinates)), np.nan)
    drives = find_imposed_accelerations(system)
    if drives:
        numbers = evaluate(define(drives.values(), system.functions), values, numpy_arithmetic())
        for name, value in zip(drives, numbers, strict=True):
            found[:, system.coordinate_names.index(name)] = value
    return found


def reduce_to_free(mass: Array, right: Array, given: Array, places: list[int]) -> tuple[Array, Array]:
    """Compute M_FF (N, f, f), r_F - M_FI a_I (N, f); ``given`` (N, n) are imposed accelerations, ``places`` F."""
    rest = [i for i in range(given.shape[1]) if i not in places]
    own = mass[:, places][:, :, places]
    if not rest:
        return own, right
    known = np.einsum("sij,sj->si", mass[:, places][:, :, rest], given[:, rest])
    return own, right[:, places] - known


def efforts(mass: Array, right: Array, accelerations: Array, places: list[int]) -> Array:
    """Compute u (N, n): M a - r along imposed coordinates, exactly zero along free ones."""
    with np.errstate(invalid="ignore"):  # what has no number is told of the effort
        found: Array = np.einsum("sij,sj->si", mass, accelerations) - right
    found[:, places] = 0.0
    return found


def solve(
    q: dict[str, Array],
    system: System,
    values: Mapping[str, Any],
    off: Array | None = None,
    regular: Regular | None = None,
) -> list[Diagnostic]:
    """Add to ``q``, which has M, h and the forces, accelerations, and efforts if drives impose any; return findings.

    ``values``: symbol name -> its values (N,), needed if drives impose accelerations or maps move bodies. ``off``
    (N, n, n): error bound of M, if known; ``regular`` tells whether the exact M is regular.
    """
    right = q["gravity"] + q["applied"] - q["h"]
    if not find_imposed_accelerations(system):
        q["acceleration"], findings = accelerations(q["M"], right, q.get("acceleration"), system, None, off, regular)
        return _name_maps(findings, q["acceleration"], system, values)
    given = imposed_numbers(system, values, len(right))
    q["acceleration"], findings = accelerations(q["M"], right, q.get("acceleration"), system, given, off, regular)
    needed = efforts(q["M"], right, q["acceleration"], free(system))
    q[EFFORT] = np.where(np.isfinite(needed), q.get(EFFORT, needed), needed)
    return _name_maps(findings, q["acceleration"], system, values)


def _name_maps(
    findings: list[Diagnostic], acceleration: Array, system: System, values: Mapping[str, Any]
) -> list[Diagnostic]:
    """Replace findings about M by findings about singular maps of coordinates, if these are the cause at all states."""
    lost = np.flatnonzero(~np.isfinite(acceleration).all(axis=1))
    if not findings or not lost.size or not has_maps(system):
        return findings
    columns = {name: np.broadcast_to(x, (len(acceleration),)) for name, x in values.items()}
    found = [find_singular_map(system, {name: float(x[s]) for name, x in columns.items()}) for s in lost]
    named = list(dict.fromkeys(x for x in found if x is not None))
    return named if all(found) else [*findings, *named]


def find_singular_map(system: System, values: Mapping[str, float]) -> Diagnostic | None:
    """Return an error if a map of coordinates has no slope at a state, or maps let coordinates move but no joint.

    ``values``: symbol name -> its value. None is returned if no map is singular.
    """
    maps = [
        (f"bodies/{body.name}/joint/{i}", step.motion)
        for body in system.bodies for i, step in enumerate(body.joint) if isinstance(step.motion, Mapped)
    ]  # fmt: skip
    if not maps:
        return None
    names = system.coordinate_names
    rows, jointed = [], {name for body in system.bodies for name in (*body.coordinates, *body.modal)}
    for place, motion in maps:
        (row,) = jacobian(define([motion.value], system.functions), [symbol(name) for name in names])
        with np.errstate(all="ignore"):
            slopes = evaluate(row, {n: np.array([x]) for n, x in values.items()}, numpy_arithmetic())
        numbers = np.array([float(np.ravel(x)[0]) for x in slopes])
        if not np.isfinite(numbers).all():
            name = names[int(np.flatnonzero(~np.isfinite(numbers))[0])]
            whole = ", ".join(motion.coordinates)
            verb = "do" if len(motion.coordinates) > 1 else "does"
            message = f"the map has no slope by {name} at the state, where {whole} {verb} not describe positions"
            return error(place, message, "move the state away")
        rows.append(numbers)
    rows += [np.array([float(n == name) for n in names]) for name in names if name in jointed]
    size = np.max(np.abs(rows), axis=1, initial=0.0, keepdims=True)
    _, sizes, turned = np.linalg.svd(np.array(rows) / np.where(size == 0, 1.0, size))
    null = turned[int(np.sum(sizes > NOTHING * len(names))) :]
    idle = [name for name, x in zip(names, np.abs(null).max(axis=0, initial=0.0), strict=True) if x > 0.1]
    if not idle:
        return None
    moved = [place for place, motion in maps if {*motion.coordinates} & {*idle}]
    message = f"a motion of {', '.join(idle)} moves no joint at the state (the map {', '.join(moved)} is singular)"
    return error(f"coordinates/{idle[0]}", f"{message}: no inertia along {', '.join(idle)}", "move the state away")


def accelerations(
    mass: Array,
    rhs: Array,
    delivered: Array | None,
    system: System,
    given: Array | None = None,
    off: Array | None = None,
    regular: Regular | None = None,
) -> tuple[Array, list[Diagnostic]]:
    """Return a (N, n), solved from M a = rhs or as delivered, NaN where M is singular; and findings that say why.

    Parameters
    ----------
    mass : (N, n, n)
    rhs, delivered : (N, n)
    system : names the coordinates
    given : (N, n)
        Accelerations that drives impose, along the coordinates that are not free; these need no inertia.
    off : (N, n, n) Error bound of M, if known: an inertia within it counts as zero.
    regular : tells whether the exact M is regular, if its formulas are known
    """
    places, names = free(system), system.coordinate_names
    result = np.full_like(rhs, np.nan) if given is None else np.array(given)
    inertia = np.abs(np.einsum("sii->si", mass))
    whole = np.max(np.where(np.isfinite(inertia), inertia, 0.0), axis=1, initial=0.0)
    if given is not None:
        mass, rhs = reduce_to_free(mass, rhs, given, places)
        names = tuple(names[i] for i in places)
    least = None if off is None else np.einsum("sii->si", off)[:, places]
    exact = None if regular is None else lambda s: regular(s, places)
    found, findings = _free_accelerations(
        mass, rhs, None if delivered is None else delivered[:, places], names, whole, least, exact
    )
    result[:, places] = found
    return result, findings


def _free_accelerations(
    mass: Array, rhs: Array, delivered: Array | None, names: Sequence[str], whole: Array, off: Array | None,
    exact: Callable[[int], bool | None] | None = None,
) -> tuple[Array, list[Diagnostic]]:  # fmt: skip
    """Solve for the accelerations of free coordinates; ``whole`` (N,): the largest inertia along any coordinate.

    ``off`` (N, f): error bounds of the inertias along the coordinates, if known.
    """
    result = np.full_like(rhs, np.nan)
    least = _least(mass, whole) if off is None else off
    regular = _regular(mass, least)
    findings: dict[str, Diagnostic] = {}
    for i in np.flatnonzero(~regular):
        without = _without_inertia(mass[i], names, least[i])
        if not without:
            regular[i] = True
        else:
            known = exact(int(i)) if exact is not None and np.isfinite(mass[i]).all() else None
            if known is None and not np.diag(mass[i])[[names.index(n) for n in without]].any():
                known = False
            said = _singular(without, bool(np.isfinite(mass[i]).all()), known)
            findings.setdefault("digits" if known else said.message, said)  # the same of every state, but for the names
    if delivered is not None:
        result[regular] = delivered[regular]
    elif regular.any():
        scale = 1 / np.sqrt(np.einsum("sii->si", mass[regular]))
        scaled = mass[regular] * (scale[:, :, None] * scale[:, None, :])
        result[regular] = scale * np.linalg.solve(scaled, (scale * rhs[regular])[:, :, None])[:, :, 0]
    return result, list(findings.values())


def _least(mass: Array, whole: Array) -> Array:
    """Return thresholds (N, n) for the coordinates: an inertia up to these may be mere rounding of the largest ones."""
    size = np.max(np.abs(np.einsum("sii->si", mass)), axis=1, initial=0.0)
    least = np.maximum(NOTHING * mass.shape[1] * size, ROUNDING * whole)
    return np.broadcast_to(least[:, None], mass.shape[:2])


def _regular(mass: Array, least: Array) -> NDArray[np.bool_]:
    """Mark the matrices (N,) that are certainly regular, for which :func:`_without_inertia` names no coordinate."""
    diagonal = np.einsum("sii->si", mass)
    with np.errstate(all="ignore"):
        sure: NDArray[np.bool_] = np.isfinite(mass).all(axis=(1, 2)) & (diagonal > least).all(axis=1)
    scale = 1 / np.sqrt(diagonal[sure])
    values = np.linalg.eigvalsh(mass[sure] * (scale[:, :, None] * scale[:, None, :]))
    sure[sure] = np.min(values, axis=1, initial=np.inf) > 8 * mass.shape[1] * np.finfo(float).eps
    return sure


def is_regular(
    mass: Any, system: System, places: Sequence[int], values: Mapping[str, Any] | None = None
) -> bool | None:
    """Decide by formulas of M, at one value (1,) of every symbol, whether M is regular along coordinates ``places``.

    Without ``values`` False means that M is singular at all of them, as its determinant is the zero function.

    They are evaluated in a prime field, where nothing is rounded: exponentials of different angles are independent
    numbers (Lindemann and Weierstrass), so random numbers replace them. Return None if this decides nothing: roots,
    signs, other functions, division by zero.
    """
    try:
        formulas = define([mass[i][j] for i in places for j in places], system.functions)
        numbers = {symbol(name): number(Fraction(float(x[0]))) for name, x in (values or {}).items()}
        plan = Plan(formulas, numbers)
        point = next(points(plan, 1))
        found = point.run(plan)
    except (ExpressionError, NoRootError, ValueError, OverflowError):
        return None
    if found.poles or found.signs or any(step.op in (FUN, POW) for step in plan.steps):
        return None
    n, own = len(places), [found[plan.place[x]] for x in formulas]
    return linear.solve([own[i * n : (i + 1) * n] for i in range(n)], [0] * n, point.field.p) is not None


def describe_singular(without: str, when: str = "") -> str:
    """Write that M is singular to rounding, without inertia along the coordinates ``without``."""
    return f"the mass matrix is singular to rounding{when}: double precision shows no inertia along {without}"


#: What to do about a mass matrix that is singular to rounding.
CLOSER = "bring masses and lengths closer to each other, or move away from a singular position"


def _singular(names: Sequence[str], finite: bool, regular: bool | None) -> Diagnostic:
    """Report why there are no accelerations along these coordinates; ``regular``: whether the exact M is, if known."""
    place, without = f"coordinates/{names[0]}", format_names(names)
    if finite and regular:
        return error(place, f"the mass matrix loses all digits in double precision along {without}", CLOSER)
    if finite:
        remedy = "give the bodies it moves a mass or an inertia"
        if regular is None:
            return error(place, describe_singular(without), f"{remedy}, or {CLOSER}")
        return error(place, f"the mass matrix is singular: no inertia along {without}", remedy)
    remedy = "look for a division by zero, or for numbers beyond the range of floats"
    return error(place, f"the mass matrix has no numbers along {without}", remedy)


def coordinates_without_inertia(mass: Array, names: Sequence[str]) -> str:
    """Name the coordinates that make M singular, joined by commas; empty if M is regular."""
    return format_names(_without_inertia(mass, names, _least(mass[None], np.zeros(1))[0]))


def _without_inertia(mass: Array, names: Sequence[str], least: Array) -> list[str]:
    """Name the coordinates whose inertias (n,) do not exceed ``least``."""
    diagonal = np.diag(mass)
    if not np.isfinite(mass).all():
        return [n for n, row in zip(names, mass, strict=True) if not np.isfinite(row).all()]
    zero = [n for n, d, x in zip(names, diagonal, least, strict=True) if not d > x]
    if zero or not len(names):
        return zero
    scale = 1 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(mass * np.outer(scale, scale))
    if values[0] > 4 * len(names) * np.finfo(float).eps:
        return []
    involved = np.abs(vectors[:, 0])
    return [n for n, w in zip(names, involved, strict=True) if w > 0.1 * involved.max()]
