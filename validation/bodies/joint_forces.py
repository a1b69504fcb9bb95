"""Forces in joints judged: those of the formalisms against each other, and against sums over the bodies.

The sums are Newton's and Euler's equations of all that a joint carries, by validation's own kinematics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.features import features
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, Point, PointForce, Torsion, Wrench
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, jointed
from mbconcord.model.system import System

from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.kinematics import KNOWN, Kinematics
from ..judge.motion import Array, Motion, norm
from ..judge.scale import line, twisted, wrenched
from ..judge.tolerances import evaluation_tolerance

#: The name of the sums among the witnesses.
BODIES = "bodies"


#: What the sums over the bodies know nothing of.
UNKNOWN = frozenset({"added_inertia", "elastic_modes"})


def takes(system: System) -> bool:
    """Whether the sums over the bodies know everything that a tree uses."""
    return all(feature in KNOWN - UNKNOWN for feature, _ in features(system))


@dataclass(frozen=True)
class JointForces:
    """Joint forces (N, 6 k) by witness, of those that have them, and every two of them compared."""

    values: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]


def witnessed(k: Kinematics, asked: Sequence[Formalism]) -> JointForces:
    """What the formalisms say of the joint forces, and the sums over the bodies where these are known."""
    found = {f.name: x for f in asked for x in [delivered(f, k)] if x is not None}
    if not found or not takes(k.system):
        return JointForces(found, ())
    own, scale = sums(k)
    all_of = {**found, BODIES: own}
    return JointForces(found, tuple(_judged(a, b, all_of, scale, k) for a, b in combinations(all_of, 2)))


def _judged(a: str, b: str, values: Mapping[str, Array], scale: Array, k: Kinematics) -> Comparison:
    names = [f"{body} {component}" for body in jointed(k.system) for component in COMPONENTS]
    x, y = values[a], values[b]
    known, ones = np.isfinite(x) & np.isfinite(y) & np.isfinite(scale), np.ones(k.count)
    x, y = np.where(known, x, np.nan), np.where(known, y, np.nan)
    return worst(
        a, b, JOINT_FORCES, Difference(x, y, scale, ones * evaluation_tolerance(), ones), k.states, names
    )


def delivered(formalism: Formalism, k: Kinematics) -> Array | None:
    """What a formalism says of the joint forces (N, 6 k); None where it says nothing."""
    if formalism.obstacles(k.given):
        return None
    found = formalism.joint_forces(k.given)
    return None if not found else k.vectors(flatten(found))


def sums(k: Kinematics) -> tuple[Array, Array]:
    """Joint forces from the bodies (N, 6 k), and the sums of absolute values that they are made of."""
    return carried_sums(k, (*needs(k), *loads(k)))


def carried_sums(k: Kinematics, of: Iterable[Need]) -> tuple[Array, Array]:
    """Sums (N, 6 k) of what the bodies need that each joint carries, about its body's origin, and their sizes."""
    found, sizes = [], []
    paths = {b.name: {p.name for p in k.system.path(b.name)} for b in k.system.bodies}
    every = [*of]
    for name in jointed(k.system):
        frame = k.frame(name)
        total, size = np.zeros((k.count, 2, 3)), np.zeros((k.count, 2))
        for body, at, force, moment, parts in every:
            if name not in paths[body]:
                continue
            arm, reach = at.position - frame.position, at.path + frame.path
            total += np.stack([force, moment + np.cross(arm, force)], axis=1)
            size += np.stack([parts[0], parts[1] + parts[0] * reach], axis=1)
        found.append(np.einsum("sji,skj->ski", frame.rotation, total).reshape(k.count, 6))
        sizes.append(np.repeat(size, 3, axis=1))
    return np.concatenate(found, axis=1), np.concatenate(sizes, axis=1)


#: Of a body or a load on it: its name, where, the force and the moment that it needs, and what these are made of.
Need = tuple[str, Motion, Array, Array, tuple[Array, Array]]


def needs(k: Kinematics) -> Iterator[Need]:
    """Of each body: its centre, m (a - g), I α + ω × I ω, and what these are made of."""
    g = k.vectors(k.system.gravity_vector)
    for body in k.rigid_bodies:
        if body.inertia.is_zero:
            continue
        (m,) = k.scalars([body.inertia.mass])
        c, tensor, pushed = k.centre(body), k.tensor(body), np.abs(k.a)
        a = c.acceleration + np.einsum("sai,si->sa", c.moving, k.a)
        alpha = c.spin_rate + np.einsum("sai,si->sa", c.turning, k.a)
        turning = np.einsum("sab,sb->sa", tensor, alpha)
        turning += np.cross(c.spin, np.einsum("sab,sb->sa", tensor, c.spin))
        shaken = c.shaking + np.sum(c.lever * pushed, axis=1) + norm(g)
        spun = c.turn_shaking + np.sum(c.turns * pushed, axis=1) + c.turn_speed**2
        parts = np.abs(m) * shaken, norm(tensor.reshape(k.count, -1)) * spun
        yield body.name, c, m[:, None] * (a - g), turning, parts


def loads(k: Kinematics) -> Iterator[Need]:
    """Of each load on a body: its point, minus its force and moment, and what these are made of."""
    nothing = np.zeros((k.count, 3))

    def load(point: Point, force: Array, moment: Array, size: Array) -> Iterator[Need]:
        if point.body is not None:
            yield point.body, k.point(point), -force, -moment, (size, norm(moment))

    for force in k.system.forces:
        if isinstance(force, Bipolar):
            first, second = k.point(force.first), k.point(force.second)
            length, rate, unit = line(first, second)
            (f,) = k.scalars([force.force(LENGTH, LENGTH_RATE)], {"@": length, "@'": rate})
            with np.errstate(all="ignore"):
                size = np.abs(f) * (1 + (first.path + second.path) / length)
            yield from load(force.first, -f[:, None] * unit, nothing, size)
            yield from load(force.second, f[:, None] * unit, nothing, size)
        elif isinstance(force, Bushing):
            w = wrenched(k, force)
            held = w.moment + np.cross(w.apart, w.force)
            arm = w.push * (w.first.path + w.second.path)
            if force.first.body is not None:
                yield force.first.body, w.first, w.force, held, (w.push, w.twist + arm)
            if force.second.body is not None:
                yield force.second.body, w.second, -w.force, -w.moment, (w.push, w.twist)
        elif isinstance(force, Torsion):
            t = twisted(k, force)
            for end, at, sign in ((force.first, t.first, 1), (force.second, t.second, -1)):
                if end.body is not None:
                    yield end.body, at, nothing, sign * t.moment, (np.zeros(k.count), t.size)
        elif isinstance(force, (PointForce, Wrench)):
            push, turning = k.vectors(force.force), nothing
            if isinstance(force, Wrench):
                axes = k.frame(force.point.body).rotation
                turning = np.einsum("sij,sj->si", axes, k.vectors(force.moment))
            yield from load(force.point, push, turning, norm(push))
