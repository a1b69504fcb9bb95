"""Numbers of the canonical quantities at a batch of states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np

from mbconcord.records import dataclass, field, replace

from .checks.model import CheckedQuantities
from .derivation import Derivation, flatten
from .diagnostics import Diagnostic, NumbersError, error
from .expressions import Expression, ExpressionError, numpy_arithmetic
from .expressions.evaluate import run
from .expressions.program import Program, program
from .features import has_maps
from .functions import define
from .mixed import Regular, find_imposed_accelerations, is_regular, solve
from .numbers import Array, bind_states
from .state import State
from .system import System

__all__ = [
    "Array",
    "ConstrainedMotion",
    "Evaluation",
    "ReactionsFromBodies",
    "at_states",
    "complete",
    "evaluate_derivation",
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
    floats may be from what the equations say, where that is known (infinite where no digit is sure). ``floats``:
    error bounds that double precision has, for quantities that were computed in more digits.
    """

    formalism: str
    quantities: dict[str, Array]
    diagnostics: tuple[Diagnostic, ...] = ()
    bounds: Mapping[str, Array] = field(default_factory=dict)
    floats: Mapping[str, Array] = field(default_factory=dict)


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
        The same reactions from the forces and moments on the bodies, by a formalism that has them.
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
    """Evaluate the quantities of a derivation at all states at once, and add what follows by :func:`complete`."""
    system = derivation.system
    try:
        found = in_blocks(program_of(derivation), bind_states(system, states).values, len(states))
    except ExpressionError as problem:
        raise NumbersError(error(derivation.formalism, str(problem))) from None
    quantities, n, first = {}, len(system.coordinates), 0
    for name, value in derivation.quantities.items():
        last = first + sum(1 for _ in flatten(value))
        shape = (len(states), n, n) if name == "M" else (len(states), n)
        quantities[name] = found[:, first:last].reshape(shape)
        first = last
    evaluation = Evaluation(derivation.formalism, quantities)
    return complete(evaluation, system, states, decide_regular(derivation, states))


def decide_regular(derivation: Derivation, states: Sequence[State]) -> Regular:
    """Return what decides by the formulas of M whether it is regular at a state along coordinates; None if unknown.

    What holds at every state is decided once.
    """
    mass, system = derivation.quantities.get("M"), derivation.system
    at_all = cache(partial(is_regular, mass, system))

    def decide(s: int, places: Sequence[int]) -> bool | None:
        if mass is None or at_all(tuple(places)) is False:
            return None if mass is None else False
        return is_regular(mass, system, places, bind_states(system, [states[s]]).values)

    return decide


def program_of(derivation: Derivation) -> Program:
    """Return the program that computes all scalars of the canonical quantities, in order, with functions expanded.

    Raises
    ------
    NumbersError
        Functions are defined by each other in a cycle, or grow beyond the limit.
    """
    found = known_program(derivation)
    if found is None:
        functions, given = derivation.system.functions, derivation.quantities
        found = program(define(derivation.outputs(), functions))
        if isinstance(given, CheckedQuantities) and len(found.steps) <= KEPT:
            given.kept[functions] = found
    return found


def known_program(derivation: Derivation) -> Program | None:
    """Return the program if it was already made for these quantities and functions; else None."""
    given = derivation.quantities
    if isinstance(given, CheckedQuantities) and given.is_unchanged:
        found: Program | None = given.kept.get(derivation.system.functions)
        return found
    return None


def at_states(roots: Iterable[Expression], values: Mapping[str, Any], count: int) -> Array:
    """Evaluate m expressions at N states (N, m).

    Parameters
    ----------
    values : symbol name -> its values (N,), or one number for all states

    Raises
    ------
    ExpressionError
        As :func:`.expressions.evaluate`.
    """
    return in_blocks(program(roots), values, count)


def in_blocks(lines: Program, values: Mapping[str, Any], count: int) -> Array:
    """Run a program at N states, :data:`BLOCK` at a time to stay in cache; return outputs (N, m)."""
    found = np.empty((count, len(lines.outputs)))
    for first in range(0, count, BLOCK):
        part = slice(first, min(first + BLOCK, count))
        own = {name: x[part] if np.ndim(x) else x for name, x in values.items()}
        with np.errstate(all="ignore"):
            for column, value in zip(found[part].T, run(lines, own, numpy_arithmetic()), strict=True):
                column[:] = value
    return found


def complete(
    evaluation: Evaluation, system: System, states: Sequence[State], regular: Regular | None = None
) -> Evaluation:
    """Add inverse dynamics, accelerations and efforts that are missing, if M, h and the forces are known.

    If M is singular the accelerations, added or delivered, are NaN, with a diagnostic that names the coordinate without
    inertia; ``regular`` tells, if known, whether the exact M is regular, so that only its floats are singular.
    """
    q = dict(evaluation.quantities)
    findings = list(evaluation.diagnostics)
    if all(name in q for name in ("M", "h", "gravity", "applied")):
        if "inverse_dynamics" not in q:
            a = np.array([[s.a.get(name, 0.0) for name in system.coordinate_names] for s in states])
            a = a.reshape(q["h"].shape)
            q["inverse_dynamics"] = np.einsum("sij,sj->si", q["M"], a) + q["h"] - q["gravity"] - q["applied"]
        needed = find_imposed_accelerations(system) or has_maps(system)
        values = bind_states(system, states).values if needed else {}
        findings += solve(q, system, values, evaluation.bounds.get("M"), regular)
    return replace(evaluation, quantities=q, diagnostics=tuple(findings))
