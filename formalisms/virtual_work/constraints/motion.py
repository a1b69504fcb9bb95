"""Motion with constraints at states: virtual displacements that every row admits; reactions do no work on them.

Each row takes one direction from the displacements that the rows before it admit, or none: then it depends on them.
With N the displacements that are left, B those taken, orthonormal, and D = L Bᵀ, L triangular::

    q'' = B y + N z ,    L y = -γ̃ ,    Nᵀ M N z = Nᵀ (gravity + applied - h - M B y) ,
    Lᵀ λ = Bᵀ (M q'' + h - gravity - applied)

Coordinates are in units of √M_ii and rows of length 1, so that metres and radians compare. M may be singular where the
displacements that are left have inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation, ReactionsFromBodies

from .admitted import Admitted, admitted, without_rounding
from .findings import NO_NUMBERS, SINGULAR, contradictions, dependencies, violations
from .row import Row


@dataclass(frozen=True)
class Numbers:
    """Numbers of m rows at N states: ``D`` (N, m, n), ``rest``, ``speed``, ``position``, ``facing`` (N, m).

    ``rates`` (N, n) are q'; ``work`` (N, m, n) is what reactions of λ = 1 on bodies do on their virtual displacements,
    zero for rows without such reactions.
    """

    D: Array
    rest: Array
    speed: Array
    position: Array
    facing: Array
    rates: Array
    work: Array


def constrained_motion(tree: Evaluation, rows: Sequence[Row], numbers: Numbers) -> ConstrainedMotion:
    """Solve at every state."""
    q = tree.quantities
    force = q["gravity"] + q["applied"] - q["h"]
    count, m, n = numbers.D.shape
    acceleration, reactions = np.full((count, n), np.nan), np.full((count, n), np.nan)
    multipliers, solved, rank = np.full((count, m), np.nan), np.full((count, m), np.nan), np.zeros(count)
    redundant: list[tuple[str, ...]] = []
    findings: dict[Diagnostic, None] = {}
    for s in range(count):
        D, mass = without_rounding(numbers.D[s]), q["M"][s]
        if not all(np.isfinite(x).all() for x in (D, mass, force[s], numbers.rest[s])):
            findings[NO_NUMBERS] = None
            redundant.append(())
            continue
        units = np.sqrt(np.where(np.diag(mass) > 0, np.diag(mass), 1.0))
        lengths = np.linalg.norm(D / units, axis=1)
        lengths = np.where(lengths > 0, lengths, 1.0)
        found = admitted(D / units / lengths[:, None])
        rank[s] = len(found.chosen)
        redundant.append(tuple(row.name for i, row in enumerate(rows) if i not in found.chosen))
        findings |= dict.fromkeys(dependencies(rows, found))
        findings |= dict.fromkeys(contradictions(rows, found, numbers.rest[s], lengths, numbers.rates[s]))
        scaled, rest = mass / np.outer(units, units), (numbers.rest[s] / lengths)[found.chosen]
        solution = _solution(found, scaled, force[s] / units, rest)
        if solution is None:
            findings[SINGULAR] = None
            continue
        acceleration[s] = solution[0] / units
        solved[s] = 0.0
        solved[s][found.chosen] = solution[1] / lengths[found.chosen]
        multipliers[s] = np.where(found.unique, solved[s], np.nan)
        reactions[s] = D.T @ solved[s]
    said = violations(rows, numbers.D, numbers.rates, numbers.position, numbers.speed, numbers.facing)
    return ConstrainedMotion(
        tree,
        tuple(row.name for row in rows),
        acceleration,
        multipliers,
        reactions,
        numbers.D,
        numbers.rest,
        rank,
        tuple(redundant),
        (*findings, *said),
        from_bodies(rows, numbers, solved),
    )


def _solution(found: Admitted, mass: Array, force: Array, rest: Array) -> tuple[Array, Array] | None:
    """q'' and λ of the chosen rows; None where displacements that are left have no inertia."""
    x = found.B @ np.linalg.solve(found.L, -rest) if found.chosen else np.zeros(len(force))
    N = found.left
    inertia = N.T @ mass @ N
    if len(inertia):
        sizes = np.linalg.eigvalsh(inertia)
        if sizes[0] <= len(sizes) * np.finfo(float).eps * sizes[-1]:
            return None
        x = x + N @ np.linalg.solve(inertia, N.T @ (force - mass @ x))
    lacking = found.B.T @ (mass @ x - force)
    return x, np.linalg.solve(found.L.T, lacking) if found.chosen else lacking


def from_bodies(rows: Sequence[Row], numbers: Numbers, multipliers: Array) -> ReactionsFromBodies | None:
    """The virtual work of the reactions on the bodies, beside Dᵀ λ of the same rows; None where none is on bodies.

    The multipliers are any that solve the equations: of rows of bodies alone the work is unique.
    """
    touching = [i for i, row in enumerate(rows) if row.reactions]
    if not touching:
        return None
    own = multipliers[:, touching]
    values, expected = (np.einsum("smn,sm->sn", x[:, touching], own) for x in (numbers.work, numbers.D))
    others = [i for i in range(len(rows)) if i not in touching]
    if others:
        for s, D in enumerate(numbers.D):
            ranks = [_rank(D[which]) for which in ([*range(len(rows))], touching, others)]
            if ranks[0] < ranks[1] + ranks[2]:
                values[s] = np.nan
    residual = np.abs(values - expected).max(axis=1, initial=0.0)
    return ReactionsFromBodies(tuple(rows[i].name for i in touching), values, residual)


def _rank(D: Array) -> int:
    lengths = np.linalg.norm(without_rounding(D), axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        return 0
    return len(admitted(without_rounding(D) / np.where(lengths > 0, lengths, 1.0)).chosen)
