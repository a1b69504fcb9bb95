"""Numbers of the canonical quantities at a batch of states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .checks.quantities import Checked
from .derivation import EFFORT, Derivation, flatten
from .diagnostics import Diagnostic, NumbersError, error
from .expressions import Expression, ExpressionError, numpy_arithmetic
from .expressions.evaluate import run
from .expressions.program import Program, program
from .functions import define
from .instance import Array, bound
from .mixed import efforts, free, imposed, imposed_numbers, reduced
from .state import State
from .system import System

__all__ = [
    "Array",
    "ConstrainedMotion",
    "Evaluation",
    "ReactionsFromBodies",
    "accelerations",
    "at_states",
    "complete",
    "coordinates_without_inertia",
    "evaluate_derivation",
    "solve",
]  # fmt: skip


#: States that are evaluated together: a step's numbers of more of them leave the processor's cache.
BLOCK: Final = 512


#: Steps of a program that is kept for what is asked of it later; larger ones take most of the memory of a check.
KEPT: Final = 30_000


@dataclass(frozen=True)
class Evaluation:
    """Quantities of one formalism at N states of a system with n coordinates.

    ``quantities``: ``M`` (N, n, n), the others (N, n); absent when not delivered, NaN rows where
    they cannot be computed; ``diagnostics`` says why. ``bounds``, by quantity and of the same shapes: how far the
    floats may be from what the equations say, where that is known (infinite where no digit is sure).
    """

    formalism: str
    quantities: dict[str, Array]
    diagnostics: tuple[Diagnostic, ...] = ()
    bounds: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class ConstrainedMotion:
    """Solution of ``M q̈ + h = gravity + applied + Dᵀ λ``, ``D q̈ = -γ̃`` at N states, n coordinates, m rows.

    Attributes
    ----------
    tree : Evaluation
        M, h, gravity and applied of the open tree, rods lumped on the bodies.
    rows : names of the rows
    acceleration : (N, n)
    multipliers : (N, m)
        λ; NaN for rows that depend on each other, where λ is not unique.
    reactions : (N, n)
        Dᵀ λ, generalized reactions; unique even then.
    from_bodies : ReactionsFromBodies or None
        The same from the forces and moments on the bodies, by a formalism that has them.
    D : (N, m, n)
    rest : (N, m)
        γ̃.
    rank : (N,)
    redundant : names of the rows that depend on the rows before them, by state
    diagnostics : redundant rows, violated constraints, singular equations
    """

    tree: Evaluation
    rows: tuple[str, ...]
    acceleration: Array
    multipliers: Array
    reactions: Array
    D: Array
    rest: Array
    rank: Array
    redundant: tuple[tuple[str, ...], ...]
    diagnostics: tuple[Diagnostic, ...]
    from_bodies: ReactionsFromBodies | None = None


@dataclass(frozen=True)
class ReactionsFromBodies:
    """Generalized reactions from the wrenches of the reactions on the bodies: a second way to Dᵀ λ.

    Attributes
    ----------
    rows : names of the rows whose reactions act on bodies; rows of coordinates alone have no wrenches
    values : (N, n)
    residual : (N,)
        Largest difference from Dᵀ λ of the same rows, N or N m.
    """

    rows: tuple[str, ...]
    values: Array
    residual: Array


def evaluate_derivation(derivation: Derivation, states: Sequence[State]) -> Evaluation:
    """Evaluate the graph of a derivation at states, all states at once, and complete it."""
    system = derivation.system
    try:
        found = in_blocks(program_of(derivation), bound(system, states).values, len(states))
    except ExpressionError as problem:
        raise NumbersError(error(derivation.formalism, str(problem))) from None
    quantities, n, first = {}, len(system.coordinates), 0
    for name, value in derivation.quantities.items():
        last = first + sum(1 for _ in flatten(value))
        shape = (len(states), n, n) if name == "M" else (len(states), n)
        quantities[name] = found[:, first:last].reshape(shape)
        first = last
    return complete(Evaluation(derivation.formalism, quantities), system, states)


def program_of(derivation: Derivation) -> Program:
    """What computes all scalars of the canonical quantities, in their order, the model's formulas put in for functions.

    Raises
    ------
    NumbersError
        Functions are defined by each other in a cycle, or grow beyond the limit.
    """
    found = known_program(derivation)
    if found is None:
        functions, given = derivation.system.functions, derivation.quantities
        found = program(define(derivation.outputs(), functions))
        if isinstance(given, Checked) and len(found.steps) <= KEPT:
            given.kept[functions] = found
    return found


def known_program(derivation: Derivation) -> Program | None:
    """The same where it was made already, for these quantities and functions; else None."""
    given = derivation.quantities
    if isinstance(given, Checked) and given.unchanged:
        found: Program | None = given.kept.get(derivation.system.functions)
        return found
    return None


def at_states(roots: Iterable[Expression], values: Mapping[str, Any], count: int) -> Array:
    """Values (N, m) of m expressions at N states.

    Parameters
    ----------
    values : of every symbol, arrays (N,) or numbers

    Raises
    ------
    ExpressionError
        As :func:`.expressions.evaluate`.
    """
    return in_blocks(program(roots), values, count)


def in_blocks(lines: Program, values: Mapping[str, Any], count: int) -> Array:
    """Outputs (N, m) of a program at N states, :data:`BLOCK` of them at a time: what a step needs stays near."""
    found = np.empty((count, len(lines.outputs)))
    for first in range(0, count, BLOCK):
        part = slice(first, min(first + BLOCK, count))
        own = {name: x[part] if np.ndim(x) else x for name, x in values.items()}
        with np.errstate(all="ignore"):
            for column, value in zip(found[part].T, run(lines, own, numpy_arithmetic()), strict=True):
                column[:] = value
    return found


def complete(evaluation: Evaluation, system: System, states: Sequence[State]) -> Evaluation:
    """Add inverse dynamics, accelerations and efforts where M, h and the forces are known and they are not.

    Where M is singular the accelerations, added or delivered, are NaN, with a diagnostic that names the
    coordinate without inertia.
    """
    q = dict(evaluation.quantities)
    findings = list(evaluation.diagnostics)
    if all(name in q for name in ("M", "h", "gravity", "applied")):
        if "inverse_dynamics" not in q:
            a = np.array([[s.a.get(name, 0.0) for name in system.coordinate_names] for s in states])
            a = a.reshape(q["h"].shape)
            q["inverse_dynamics"] = np.einsum("sij,sj->si", q["M"], a) + q["h"] - q["gravity"] - q["applied"]
        findings += solve(q, system, bound(system, states).values if imposed(system) else {})
    return replace(evaluation, quantities=q, diagnostics=tuple(findings))


def solve(q: dict[str, Array], system: System, values: Mapping[str, Any]) -> list[Diagnostic]:
    """Add accelerations, and efforts where drives impose some, to M, h and the forces; see :mod:`.mixed`.

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
    if given is not None:
        mass, rhs = reduced(mass, rhs, given, places)
        names = tuple(names[i] for i in places)
    found, findings = _free_accelerations(
        mass, rhs, None if delivered is None else delivered[:, places], names
    )
    result[:, places] = found
    return result, findings


def _free_accelerations(
    mass: Array, rhs: Array, delivered: Array | None, names: Sequence[str]
) -> tuple[Array, list[Diagnostic]]:
    result = np.full_like(rhs, np.nan)
    regular = _regular(mass)
    findings: dict[str, Diagnostic] = {}
    for i in np.flatnonzero(~regular):
        without = coordinates_without_inertia(mass[i], names)
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


def _regular(mass: Array) -> NDArray[np.bool_]:
    """Of which of N matrices it is sure that :func:`coordinates_without_inertia` names none, all at once (N,)."""
    diagonal = np.einsum("sii->si", mass)
    with np.errstate(all="ignore"):
        size = np.max(np.abs(diagonal), axis=1, initial=0.0, keepdims=True)
        sure: NDArray[np.bool_] = np.isfinite(mass).all(axis=(1, 2)) & (diagonal > 1e-13 * size).all(axis=1)
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


def coordinates_without_inertia(mass: Array, names: Sequence[str]) -> str:
    """Names of the coordinates that make M singular, joined by commas; empty when M is regular."""
    diagonal = np.diag(mass)
    if not np.isfinite(mass).all():
        return ", ".join(n for n, row in zip(names, mass, strict=True) if not np.isfinite(row).all())
    size = float(np.max(np.abs(diagonal), initial=0.0))
    zero = [n for n, d in zip(names, diagonal, strict=True) if d <= 1e-13 * size]
    if zero or not len(names):
        return ", ".join(zero)
    scale = 1 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(mass * np.outer(scale, scale))
    if values[0] > 4 * len(names) * np.finfo(float).eps:
        return ""
    involved = np.abs(vectors[:, 0])
    return ", ".join(n for n, w in zip(names, involved, strict=True) if w > 0.1 * involved.max())
