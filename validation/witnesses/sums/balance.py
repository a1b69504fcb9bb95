"""Witnesses of joint forces by the motion: efforts along coordinates, and the balance of each body.

The sums over the bodies (:mod:`.joint_forces`) are an identity in q'': they hold at any accelerations. Here the motion
itself takes part. Along each coordinate the wrench of the joint does the work of the drive and the joint efforts, less
what accelerates armatures: where a coordinate is free, of the model's own alone. And about the centre of each body what
its joint bears, less what the joints of the bodies that it carries bear, moves it as another formalism's poses say,
derived twice by time, at the accelerations of that formalism.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.evaluation import at_states
from mbconcord.model.expressions import time_derivative
from mbconcord.model.force import JointEffort, Point
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES
from mbconcord.model.kinematics import PointMotion

from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.kinematics import TreeKinematics
from ...judge.motion import Array, norm
from ...judge.scale import scales
from ...judge.tolerances import solution_tolerance
from .joint_forces import loads, sums

#: The names of the two among the witnesses.
EFFORTS, BALANCE = "efforts", "balance"
#: Components whose share in a work is smaller have no part in it, be they open or not.
NO_PART = 1e-9


def compare_efforts(
    k: TreeKinematics, values: Mapping[str, Array], efforts: Array, cond: Array | None = None, size: Array | None = None
) -> Iterator[Comparison]:
    """Yield comparisons of the work of joint forces (N, 6 k) by witness, along each coordinate, with its efforts.

    Parameters
    ----------
    efforts (N, n) : efforts of drives: the model's if a coordinate is free, else that which imposes its acceleration
    cond (N,) : condition number of the equations with constraints that gave the motion; None: that of M
    size (N, 6 k) : scales of joint forces that reactions make, too; None: the sums over the bodies
    """
    moving = {b.name: dict.fromkeys(name for et in b.joint for name in et.moving) for b in k.system.bodies}
    joints = [(i, name) for i, name in enumerate(k.bodies) if moving[name]]
    places = [j for j, each in enumerate(k.system.coordinate_names) if any(each in names for names in moving.values())]
    if not places:
        return
    size = sums(k)[1] if size is None else size
    needed, made_of = efforts.copy(), np.abs(efforts)
    own = [f for f in k.system.forces if isinstance(f, JointEffort)]
    for force, value in zip(own, k.scalars(f.expression() for f in own), strict=True):
        j = k.system.coordinate_names.index(force.coordinate)
        with np.errstate(invalid="ignore"):
            needed[:, j] += value
        made_of[:, j] += np.abs(value)
    for inertia, row in k.armatures():
        part = row * (inertia * np.einsum("si,si->s", row, k.a))[:, None]
        needed -= part
        made_of += np.abs(part)
    cond = scales(k).cond if cond is None else cond
    tolerance = np.array([solution_tolerance(float(max(1.0, c))) for c in cond])
    for name, six in values.items():
        work, terms = np.zeros_like(needed), made_of.copy()
        for i, body in joints:
            frame, carrier = k.frame(body), k.frame(k.system.body(body).parent)
            for j in map(k.system.coordinate_names.index, moving[body]):
                turned = frame.turning[:, :, j] - carrier.turning[:, :, j]
                moved = frame.moving[:, :, j] - carrier.moving[:, :, j]
                moved = moved - np.cross(carrier.turning[:, :, j], frame.position - carrier.position)
                along = np.concatenate([np.einsum("sji,sj->si", frame.rotation, x) for x in (moved, turned)], axis=1)
                own_six, part = six[:, 6 * i : 6 * i + 6], np.abs(along) > NO_PART
                work[:, j] += np.where(part, own_six * along, 0.0).sum(axis=1)
                terms[:, j] += (size[:, 6 * i : 6 * i + 6] * np.abs(along)).sum(axis=1)
        known = np.isfinite(needed)
        x, y, scale = (np.where(known, each, np.nan)[:, places] for each in (work, needed, terms))
        names = [k.system.coordinate_names[j] for j in places]
        yield worst(name, EFFORTS, JOINT_FORCES, ArrayDifference(x, y, scale, tolerance, cond), k.states, names)


def compare_balance(k: TreeKinematics, values: Mapping[str, Array], asked: Sequence[Formalism]) -> Iterator[Comparison]:
    """Yield comparisons of joint forces (N, 6 k) with rates of momenta, by the first other formalism with motions."""
    for by in asked:
        frames = [Point(body.name) for body in k.system.bodies]
        motions = None if by.obstacles(k.given) else by.motions(k.given, frames)
        if motions is None or not any(name != by.name for name in values):
            continue
        acceleration = by.evaluate(k.given, k.states).quantities.get("acceleration")
        if acceleration is None or not np.isfinite(acceleration).all():
            continue
        bodies = _Bodies(k, motions, acceleration)
        cond = scales(k).cond
        tolerance = np.array([solution_tolerance(float(max(1.0, c))) for c in cond])
        labels = [f"{name} {component}" for name in k.bodies for component in COMPONENTS]
        for name, six in values.items():
            if name != by.name:
                difference = ArrayDifference(*bodies.weigh(six), tolerance, cond)
                yield worst(name, BALANCE, JOINT_FORCES, difference, k.states, labels)
        return


class _Bodies:
    """Centres, axes and their second derivatives at N states, from the poses of a formalism."""

    def __init__(self, k: TreeKinematics, motions: Sequence[PointMotion], acceleration: Array) -> None:
        self.k, names = k, k.system.coordinate_names
        at = {**k.values, **{f"{name}''": acceleration[:, i] for i, name in enumerate(names)}}
        roots, count = [], len(k.system.bodies)
        for body, motion in zip(k.system.bodies, motions, strict=True):
            A, r = motion.R, motion.r
            centre = [
                sum((a * x for a, x in zip(row, body.inertia.centre, strict=True)), y)
                for row, y in zip(A, r, strict=True)
            ]
            roots += [*r, *centre, *chain.from_iterable(A)]
        twice = time_derivative(time_derivative(roots, names), names)
        numbers = at_states(define([*roots, *twice], k.system.functions), at, k.count)
        self.numbers = numbers.reshape(k.count, 2, count, 15)
        _, size = sums(k)
        self.size = size.reshape(k.count, -1, 6)[:, :, ::3]

    def weigh(self, six: Array) -> tuple[Array, Array, Array]:
        """Return wrenches of joints on each body about its centre (N, 6 k), wrenches that its motion needs, scales."""
        k, (exerted, needed) = self.k, (np.zeros((self.k.count, len(self.k.bodies), 6)) for _ in range(2))
        size = self.size.copy()
        place = {name: i for i, name in enumerate(k.bodies)}
        owner = {b.name: place[b.name if b.name in place else b.parent or ""] for b in k.system.bodies}
        at = dict(zip(owner, np.moveaxis(self.numbers, 2, 0), strict=True))
        for name, i in place.items():
            now = at[name][:, 0]
            turned = np.einsum("sij,skj->ski", now[:, 6:].reshape(-1, 3, 3), six.reshape(k.count, -1, 2, 3)[:, i])
            carrier = k.system.body(name).parent
            for j, sign in ((i, 1), (None if carrier is None else owner[carrier], -1)):
                if j is not None:
                    arm = now[:, :3] - at[k.bodies[j]][:, 0, 3:6]
                    exerted[:, j] += sign * np.concatenate(
                        [turned[:, 0], turned[:, 1] + np.cross(arm, turned[:, 0])], axis=1
                    )
                    size[:, j, 0] += self.size[:, i, 0]
                    size[:, j, 1] += self.size[:, i, 1] + norm(arm) * self.size[:, i, 0]
        for name, centre, force, moment in chain(self._momenta(at), self._loads()):
            arm = centre - at[k.bodies[owner[name]]][:, 0, 3:6]
            needed[:, owner[name]] += np.concatenate([force, moment + np.cross(arm, force)], axis=1)
        flat = (k.count, -1)
        return exerted.reshape(flat), needed.reshape(flat), np.repeat(size, 3, axis=2).reshape(flat)

    def _momenta(self, at: Mapping[str, Array]) -> Iterator[tuple[str, Array, Array, Array]]:
        """Yield for each body its centre, m (c'' - g) and Σ P_ij e_i × e_j'', P = tr(I) E / 2 - I about the centre."""
        k, g = self.k, self.k.vectors(self.k.system.gravity_vector)
        for body in k.system.bodies:
            now, then = at[body.name][:, 0], at[body.name][:, 1]
            (mass,) = k.scalars([body.inertia.mass])
            tensor = k.matrix(body.inertia.matrix())
            P = np.einsum("sii->s", tensor)[:, None, None] * np.eye(3) / 2 - tensor
            axes, moved = now[:, 6:].reshape(-1, 3, 3), then[:, 6:].reshape(-1, 3, 3)
            moment = sum(np.cross(P[:, i, j, None] * axes[:, :, i], moved[:, :, j]) for i in range(3) for j in range(3))
            yield body.name, now[:, 3:6], mass[:, None] * (then[:, 3:6] - g), np.asarray(moment)

    def _loads(self) -> Iterator[tuple[str, Array, Array, Array]]:
        for name, point, force, moment, _ in loads(self.k):
            yield name, point.position, force, moment
