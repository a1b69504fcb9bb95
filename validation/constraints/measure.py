"""Scale, condition and rank of motions with constraints, by validation's own kinematics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..judge.kinematics import Kinematics
from ..judge.motion import Array
from ..judge.scale import Scales, mass_matrix, scales
from ..judge.tolerances import CLEAR, SINGULAR, evaluation_tolerance
from .rows import Rows, constraint_rows


@dataclass(frozen=True)
class Measure:
    """What motions with constraints are judged by at N states of n coordinates.

    Attributes
    ----------
    units (N, n) : √M_ii, as for accelerations of an open tree; 1 where the tree has no inertia
    scale (N,) : largest force in these units, or acceleration that the constraints alone force
    cond (N,) : condition number of the equations for q'' and λ with both in these units, rows independent
    rank (N,) : of D
    clear (N,) : whether no singular value of D is in doubt
    mass (N, n, n), D (N, m, n), rest (N, m) : M, D and γ̃ in these units, by validation's own kinematics
    regular (N,) : whether the rank is clear and that of the states around
    """

    units: Array
    scale: Array
    cond: Array
    rank: Array
    clear: Array
    mass: Array
    D: Array
    rest: Array
    regular: Array


def measured(system: System, assembly: Assembly) -> Measure:
    """The measure of a system at assembled states, by validation's own kinematics."""
    k = Kinematics(system.opened(), assembly.states)
    return measured_at(system, assembly, k, scales(k))


def measured_at(system: System, assembly: Assembly, k: Kinematics, tree: Scales) -> Measure:
    """The same by kinematics of the open tree at these states, and its scales there."""
    units = np.where(tree.roots > 0, tree.roots, 1.0)
    mass = mass_matrix(k) / (units[:, :, None] * units[:, None, :])
    forces = sum((tree.rows[name] for name in ("h", "gravity", "applied")), np.zeros_like(units)) / units
    rows = constraint_rows(system, assembly.extended)
    D, rest, forced = generalized(rows, units)
    known = np.isfinite(rows.lever).all(axis=(1, 2))  # a rod without length has no direction
    known &= units.max(axis=1, initial=1.0) * SINGULAR < units.min(
        axis=1, initial=1.0
    )  # units hide coordinates
    cond, rank, clear = np.zeros(k.count), np.zeros(k.count), np.zeros(k.count, dtype=bool)
    for s in range(k.count):
        _, sizes, right = np.linalg.svd(D[s], full_matrices=False)
        kept = sizes > SINGULAR
        rank[s] = kept.sum()
        clear[s] = bool(((sizes < SINGULAR / CLEAR) | (sizes > SINGULAR * CLEAR)).all() and known[s])
        across = sizes[kept, None] * right[kept]
        whole = np.block([[mass[s], -across.T], [across, np.zeros((len(across), len(across)))]])
        cond[s] = np.linalg.cond(whole) if np.isfinite(whole).all() else np.inf
    size = np.fmax(forces.max(axis=1, initial=0.0), forced)
    return Measure(units, size, cond, rank, clear, mass, D, rest, clear & assembly.regular)


def generalized(rows: Rows, units: Array) -> tuple[Array, Array, Array]:
    """D (N, m, n) and γ̃ (N, m), coordinates and rows in units of what they are made of, and the size of γ̃ (N,).

    Auxiliary coordinates of cut joints are projected out: what is left of the rows does not move with them.
    """
    n = units.shape[1]
    own, auxiliary = rows.D[:, :, :n], rows.D[:, :, n:]
    free = np.eye(rows.D.shape[1]) - auxiliary @ np.linalg.pinv(auxiliary, rcond=SINGULAR)
    lever = rows.lever[:, :, :n]
    reach = np.fmax(np.abs(free) @ lever, lever) / units[:, None, :]
    length = np.linalg.norm(reach, axis=2)
    length = np.where(length > 0, length, 1.0)
    D = free @ own / units[:, None, :] / length[:, :, None]
    rest = np.einsum("sij,sj->si", free, rows.rest) / length
    forced = np.einsum("sij,sj->si", np.abs(free), rows.shaking) / length
    return D, rest, forced.max(axis=1, initial=0.0)


def broken(motion: ConstrainedMotion, measure: Measure, s: int) -> list[str]:
    """Which of the equations a motion breaks at state number s, by validation's own M, D and γ̃."""
    name, units = motion.tree.formalism, measure.units[s]
    q = {key: value[s] for key, value in motion.tree.quantities.items()}
    x, reactions = motion.acceleration[s] * units, motion.reactions[s] / units
    inertia = measure.mass[s] @ x
    balance = inertia + (q["h"] - q["gravity"] - q["applied"]) / units - reactions
    _, sizes, right = np.linalg.svd(measure.D[s])
    admitted = right[int((sizes > SINGULAR).sum()) :]
    size = max(measure.scale[s], *np.abs([x, reactions, inertia]).max(axis=1, initial=0.0))
    return [
        f"{name}'s {what}, by {gap:.2g} of its scale"
        for what, rows in (
            ("accelerations break the constraints", measure.D[s] @ x + measure.rest[s]),
            ("reactions do work on motions that the constraints admit", admitted @ reactions),
            ("equations of motion are not balanced", balance),
        )
        if (gap := float(np.abs(rows).max(initial=0.0)) / size) > evaluation_tolerance()
    ]
