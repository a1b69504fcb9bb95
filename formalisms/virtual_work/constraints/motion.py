"""Motion with constraints at states: virtual displacements that every row admits; reactions do no work on them.

Each row takes one direction from the displacements that rows before it leave, or none: then it depends on them.
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

from .admitted import DEPENDENT, Admitted, admitted, without_rounding
from .findings import NO_NUMBERS, SINGULAR, contradictions, dependencies, violations
from .row import Row


@dataclass(frozen=True)
class Numbers:
    """Numbers of m rows at N states: ``D`` (N, m, n), ``rest``, ``speed``, ``position``, ``facing`` (N, m).

    ``rates`` (N, n) are q'; ``work`` (N, m, n) is what reactions of λ = 1 on bodies do on their virtual displacements,
    zero for rows without such reactions. ``drives`` says how many of the rows, the last, are those of drives.
    """

    D: Array
    rest: Array
    speed: Array
    position: Array
    facing: Array
    rates: Array
    work: Array
    drives: int


@dataclass(frozen=True)
class Solution:
    """Equations of n coordinates and m rows at one state.

    Attributes
    ----------
    found : what the rows take and leave, of rows of length 1
    lengths (m,) : of the rows
    acceleration (n,), multipliers (m,) : q'' and one λ; None where a displacement that is left has no inertia
    """

    found: Admitted
    lengths: Array
    acceleration: Array | None = None
    multipliers: Array | None = None

    @property
    def free(self) -> Array:
        """What may be added to λ (m, m - r): Dᵀ of it is zero."""
        others = [i for i in range(len(self.lengths)) if i not in self.found.chosen]
        columns = np.eye(len(self.lengths))[:, others]
        shares = self.found.shares[others].T
        columns[self.found.chosen] -= np.where(np.abs(shares) > DEPENDENT, shares, 0.0)
        return columns / self.lengths[:, None]


def solutions(tree: Evaluation, numbers: Numbers) -> list[Solution | None]:
    """The solution at every state; None where there are no numbers."""
    q = tree.quantities
    force = q["gravity"] + q["applied"] - q["h"]
    parts = zip(q["M"], force, numbers.D, numbers.rest, strict=True)
    return [_solved(*each, numbers.drives) for each in parts]


def _solved(mass: Array, force: Array, D: Array, rest: Array, drives: int) -> Solution | None:
    if not all(np.isfinite(x).all() for x in (mass, force, D, rest)):
        return None
    D = without_rounding(D)
    own = np.diag(mass)
    rounding = np.finfo(float).eps * own.size * own.max(initial=0.0)
    units = np.sqrt(np.where(own > rounding, own, 1.0))
    lengths = np.linalg.norm(D / units, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    found = admitted(D / units / lengths[:, None], lengths, drives)
    B, N, chosen = found.B, found.left, found.chosen
    M, F = mass / np.outer(units, units), force / units
    x = B @ np.linalg.solve(found.L, -(rest / lengths)[chosen]) if chosen else np.zeros(len(F))
    inertia = N.T @ M @ N
    if len(inertia):
        sizes = np.linalg.eigvalsh(inertia)
        if sizes[0] <= len(sizes) * np.finfo(float).eps * sizes[-1]:
            return Solution(found, lengths)
        x = x + N @ np.linalg.solve(inertia, N.T @ (F - M @ x))
    multipliers = np.zeros(len(lengths))
    if chosen:
        multipliers[chosen] = np.linalg.solve(found.L.T, B.T @ (M @ x - F))
    return Solution(found, lengths, x / units, multipliers / lengths)


def constrained_motion(tree: Evaluation, rows: Sequence[Row], numbers: Numbers) -> ConstrainedMotion:
    """Solve at every state, and say what the rows are there."""
    count, m, n = numbers.D.shape
    acceleration, solved = np.full((count, n), np.nan), np.full((count, m), np.nan)
    multipliers, rank = np.full((count, m), np.nan), np.zeros(count)
    redundant: list[tuple[str, ...]] = [()] * count
    findings: dict[Diagnostic, None] = {}
    for s, solution in enumerate(solutions(tree, numbers)):
        if solution is None:
            rank[s] = _rank(numbers.D[s])
            findings[NO_NUMBERS] = None
            continue
        found = solution.found
        rank[s] = len(found.chosen)
        redundant[s] = tuple(row.name for i, row in enumerate(rows) if i not in found.chosen)
        findings |= dict.fromkeys(dependencies(rows, found))
        contrary = contradictions(rows, found, numbers.rest[s], solution.lengths, numbers.rates[s])
        findings |= dict.fromkeys(contrary)
        if solution.acceleration is None or solution.multipliers is None:
            findings[SINGULAR] = None
            continue
        acceleration[s], solved[s] = solution.acceleration, solution.multipliers
        multipliers[s] = np.where(found.unique, solved[s], np.nan)
    said = violations(rows, numbers.D, numbers.rates, numbers.position, numbers.speed, numbers.facing)
    sound = np.stack([without_rounding(D) for D in numbers.D]) if count else numbers.D
    return ConstrainedMotion(
        tree,
        tuple(row.name for row in rows),
        acceleration,
        multipliers,
        np.einsum("smn,sm->sn", sound, solved),
        numbers.D,
        numbers.rest,
        rank,
        tuple(redundant),
        (*findings, *said),
        from_bodies(rows, numbers, solved),
    )


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
    lengths = np.where(lengths > 0, lengths, 1.0)
    return len(admitted(without_rounding(D) / lengths, lengths[:, 0]).chosen)
