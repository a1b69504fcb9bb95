"""Reactions of constraints by validation's own rows, and what they exert on the bodies.

A cut joint is taken as it stands, with six rows and coordinates of its own: bodies without mass, to which no force may
be left over. So the multipliers of its six rows are the force and the moment that it transmits, found as no formalism
finds them: M q'' + r = Dᵀ λ, D q'' = -γ̃ in least squares, for all coordinates at once, and of λ the shortest. Rows in
units of what they are made of and coordinates in √M_ii make the numbers comparable: what rounding has left of a row is
no row.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np

from mbconcord.model.constraint import FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.coordinate import Effort
from mbconcord.model.force import JointEffort
from mbconcord.model.joint_forces import cuts
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..constraints.measure import Measure, measured
from ..constraints.rows import RowsByConstraint, frames_of
from ..judge.kinematics import Kinematics
from ..judge.motion import Array, Motion
from ..judge.scale import line
from ..judge.tolerances import SINGULAR
from .joint_forces import Need, loads, needs

#: Singular values of the equations below this part of the largest are those of massless motions of a cut alone: those
#: of independent rows that nearly depend on each other are squares of theirs.
MASSLESS = 1e-14


@dataclass(frozen=True)
class Side:
    """What a cut exerts on its second body per unit of the multipliers: ``force``, ``moment`` (N, 3, m), world axes.

    Of the first body it is the opposite, each at its own point.
    """

    name: str
    bodies: tuple[str | None, str | None]
    points: tuple[Motion, Motion]
    force: Array
    moment: Array

    def needs(self, multipliers: Array) -> Iterator[Need]:
        """What the bodies need against the reactions of multipliers (N, m)."""
        force, moment = (np.einsum("sim,sm->si", x, multipliers) for x in (self.force, self.moment))
        size = tuple(np.einsum("sm,sm->s", norms(x), np.abs(multipliers)) for x in (self.force, self.moment))
        for body, at, sign in zip(self.bodies, self.points, (1, -1), strict=True):
            if body is not None:
                yield body, at, sign * force, sign * moment, (size[0], size[1])


def norms(columns: Array) -> Array:
    """Lengths (N, m) of columns (N, 3, m)."""
    return np.asarray(np.linalg.norm(columns, axis=1))


@dataclass(frozen=True)
class Reactions:
    """Solution at N states of n coordinates and m rows.

    Attributes
    ----------
    system : the closed one
    k : kinematics of the open tree, accelerated
    measure : of the equations
    sides : of the cuts between bodies
    multipliers, sizes (N, m) : λ, and how large the equations make it in the worst case
    pushed (N, n) : the same of the accelerations
    unit (N, m) : of the multipliers, those of rows of length one
    open (N, m, r) : what may be added to λ, in these units of length one; columns are zero where fewer may
    """

    system: System
    k: Kinematics
    measure: Measure
    sides: tuple[Side, ...]
    multipliers: Array
    sizes: Array
    pushed: Array
    unit: Array
    open: Array


def reactions(system: System, assembly: Assembly, measure: Measure | None = None) -> Reactions:
    """The reactions of a closed system at assembled states; ``measure`` is that of both, where it is known."""
    measure, made = measure or measured(system, assembly), RowsByConstraint(system, assembly.extended)
    k = Kinematics(system.opened(), assembly.states)
    k.a = np.zeros_like(k.a)
    right, rows, n = -_unbalanced(k) / measure.units, made.rows, k.n
    count, m, wide = rows.D.shape
    x, z = np.zeros((count, n)), np.zeros((count, m))
    units = np.concatenate([measure.units, np.ones((count, wide - n))], axis=1)
    lengths = np.linalg.norm(rows.lever / units[:, None, :], axis=2)
    lengths = np.where((lengths > 0) & np.isfinite(lengths), lengths, 1.0)
    D, rest = rows.D / units[:, None, :] / lengths[:, :, None], rows.rest / lengths
    free = np.zeros((count, m, m))
    for s in range(count):
        left, values, _ = np.linalg.svd(D[s])
        rank = int((values > SINGULAR).sum())
        free[s, :, : m - rank], independent = left[:, rank:], left[:, :rank]
        own = independent.T @ D[s]
        whole = np.zeros((wide + rank, wide + rank))
        whole[:n, :n], whole[:wide, wide:], whole[wide:, :wide] = measure.mass[s], -own.T, own
        sought = np.concatenate([right[s], np.zeros(wide - n), -independent.T @ rest[s]])
        found = np.linalg.lstsq(whole, sought, rcond=MASSLESS)[0]
        x[s], z[s] = found[:n], independent @ found[wide:]
    k.a = x / measure.units
    size = np.max(np.abs(np.concatenate([x, z, measure.scale[:, None]], axis=1)), axis=1)[:, None]
    return Reactions(
        system, k, measure, tuple(_sides(system, made)), z / lengths, size / lengths, size / measure.units,
        1 / lengths, free,
    )  # fmt: skip


def _unbalanced(k: Kinematics) -> Array:
    """h - gravity - applied (N, n): generalized forces of all that the bodies need, less efforts along coordinates."""
    found = np.zeros((k.count, k.n))
    for _, at, force, moment, _ in (*needs(k), *loads(k)):
        found += np.einsum("sij,si->sj", at.moving, force) + np.einsum("sij,si->sj", at.turning, moment)
    efforts = [(c.name, c.drive.value) for c in k.system.coordinates if isinstance(c.drive, Effort)]
    efforts += [(f.coordinate, f.expression()) for f in k.system.forces if isinstance(f, JointEffort)]
    for (name, _), value in zip(efforts, k.scalars(e for _, e in efforts), strict=True):
        found[:, k.system.coordinate_names.index(name)] -= value
    return found


def _sides(system: System, made: RowsByConstraint) -> Iterator[Side]:
    k, m = made.k, len(made.names)
    for cut in cuts(system):
        first = made.names.index(cut.name)
        force, moment = np.zeros((k.count, 3, m)), np.zeros((k.count, 3, m))
        if isinstance(cut, FrameCoincidence):
            names = frames_of(cut)
            points = k.frame(names[0]), k.frame(names[1])
            for i in range(3):
                force[:, i, first + i] = moment[:, i, first + 3 + i] = -1.0
        else:
            points = k.point(cut.first), k.point(cut.second)
            if isinstance(cut, Rod):
                force[:, :, first] = line(*points)[2]
            elif isinstance(cut, PointCoincidence):
                for i in range(3):
                    force[:, i, first + i] = -1.0
        yield Side(cut.name, (cut.first.body, cut.second.body), points, force, moment)


def accelerated(found: Reactions) -> Kinematics:
    """Kinematics for sizes: accelerations as large as the equations make them in the worst case."""
    k = copy(found.k)
    k.a = found.pushed
    return k
