"""Judgement of forces in joints: those of the formalisms, compared pairwise and with sums over the bodies.

The sums are Newton's and Euler's equations of all that a joint carries, by validation's own kinematics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import ClassVar, Final, TypeVar

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Obstacle, flatten
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import RangeError
from mbconcord.model.features import FEATURES, features
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, Force, Point, PointForce, Torsion, Wrench
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ...judge.agreement import compare
from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.kinematics import KNOWN, TreeKinematics
from ...judge.motion import Array, MotionNumbers, norm
from ...judge.scale import compute_bushing_wrench, compute_torsion_moment, line, push_along
from ...judge.tolerances import evaluation_tolerance
from ...judge.witness import Answer, Labelled, Question

T = TypeVar("T")

#: The name of the sums among the witnesses.
BODIES = "bodies"


#: What the sums over the bodies know nothing of.
UNKNOWN = frozenset({"added_inertia", "elastic_modes"})


def takes(system: System) -> bool:
    """Return True if the sums over the bodies support all features of a tree."""
    return not BodySums().obstacles(system)


@dataclass(frozen=True)
class JointForceSums:
    """Joint forces (N, 6 k) by witness, and their pairwise comparisons."""

    values: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]


class BodySums:
    """Newton's and Euler's equations of all that a joint carries, by validation's own kinematics."""

    name: ClassVar[str] = BODIES
    shares: ClassVar[frozenset[str]] = frozenset({"reader", "model", "kinematics"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return what of a tree the sums do not know."""
        return tuple(
            Obstacle(place, feature, f"sums over the bodies do not know {FEATURES[feature]}")
            for feature, place in features(model)
            if feature not in KNOWN - UNKNOWN
        )

    def answer(self, question: Question) -> Answer:
        """Return the joint forces, and the sums of absolute values that they are made of."""
        return _to_answer(BODIES, question.kinematics, *sums(question.kinematics))


def _to_answer(name: str, k: TreeKinematics, values: Array, scale: Array) -> Answer:
    """Return joint forces as an answer; skip sides without a number."""
    labels = [f"{body} {component}" for body in k.bodies for component in COMPONENTS]
    known = np.where(np.isfinite(scale), values, np.nan)
    beside = {JOINT_FORCES: Labelled(known, labels, scale)}
    return Answer(Evaluation(name, {}), beside=beside, allow=lambda _, d: d.first(len(d.a)))


#: Most coordinates of a model and its opened joints for which formalisms without native joint forces are asked.
MOST_OPENED: Final = 120


def may_open(formalism: Formalism, system: System) -> bool:
    """Return True if a formalism has joint forces natively, or the model is small enough to open all its joints."""
    return formalism.bears or len(system.coordinates) + len(COMPONENTS) * len(system.bodies) <= MOST_OPENED


def compare_joint_forces(k: TreeKinematics, asked: Sequence[Formalism]) -> JointForceSums:
    """Collect the joint forces of the formalisms, and the sums over the bodies if these are known."""
    found, failed = dict[str, Array](), list[Comparison]()
    for f in asked:
        x, failure = try_opening(f, partial(evaluate_joint_forces, f, k))
        found |= {} if x is None else {f.name: x}
        failed += failure
    if not found or not takes(k.system):
        return JointForceSums(found, tuple(failed))
    own, scale = sums(k)
    question = Question(k.system, k.states)
    answers = [_to_answer(name, k, values, scale) for name, values in {**found, BODIES: own}.items()]
    compared = (c for a, b in combinations(answers, 2) for c, _ in compare(a, b, question))
    return JointForceSums(found, (*failed, *compared))


def try_opening(by: Formalism, make: Callable[[], T]) -> tuple[T | None, tuple[Comparison, ...]]:
    """Return what a formalism makes, and no reason; of one that opens joints None and why it fails on the opened model.

    That is not the model that it was asked about, so such a failure is no disagreement.
    """
    try:
        return make(), ()
    except RangeError:
        raise
    except Exception as problem:
        if by.bears:
            raise
        first = problem.diagnostics[0].message if isinstance(problem, MbconcordError) else problem
        why = f"it does not take the model with joints opened: {type(problem).__name__}: {first}"
        return None, (Comparison(by.name, "", JOINT_FORCES, "not checked", explanation=why),)


def evaluate_joint_forces(formalism: Formalism, k: TreeKinematics) -> Array | None:
    """Compute a formalism's joint forces (N, 6 k); None if it has none."""
    if formalism.obstacles(k.given):
        return None
    found = formalism.forces_in_joints(k.given, k.bodies)
    return None if not found else k.vectors(flatten(found))


def sums(k: TreeKinematics) -> tuple[Array, Array]:
    """Compute joint forces from the bodies (N, 6 k), and the absolute sums of their terms."""
    return carried_sums(k, (*needs(k), *loads(k)))


def ground(k: TreeKinematics) -> Array:
    """Compute what the fixed frame exerts on the machine (N, 6), about its origin, in its axes, by the momenta.

    Point forces and wrenches are the only loads that come neither from the fixed frame nor from bodies.
    """
    total = np.zeros((k.count, 2, 3))
    outer = (force for force in k.system.forces if isinstance(force, (PointForce, Wrench)))
    for _, at, force, moment, _ in (*needs(k), *loads(k, outer)):
        total += np.stack([force, moment + np.cross(at.position, force)], axis=1)
    return total.reshape(k.count, 6)


def carried_sums(k: TreeKinematics, of: Iterable[Need]) -> tuple[Array, Array]:
    """Sum the needs (N, 6 k) of the bodies that each joint carries, about its body's origin, with their sizes."""
    found, sizes = [], []
    paths = {b.name: {p.name for p in k.system.path(b.name)} for b in k.system.bodies}
    every = [*of]
    for name in k.bodies:
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
Need = tuple[str, MotionNumbers, Array, Array, tuple[Array, Array]]


def needs(k: TreeKinematics) -> Iterator[Need]:
    """Yield for each body its centre, m (a - g), I α + ω × I ω, and their scales."""
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


def loads(k: TreeKinematics, forces: Iterable[Force] | None = None) -> Iterator[Need]:
    """Yield for each load on a body its point, minus its force and moment, and their scales; of all forces or some."""
    nothing = np.zeros((k.count, 3))

    def load(point: Point, force: Array, moment: Array, size: Array) -> Iterator[Need]:
        if point.body is not None:
            yield point.body, k.point(point), -force, -moment, (size, norm(moment))

    for force in k.system.forces if forces is None else forces:
        if isinstance(force, Bipolar):
            first, second = k.point(force.first), k.point(force.second)
            length, rate, unit = line(first, second)
            (f,) = k.scalars([force.force(LENGTH, LENGTH_RATE)], {"@": length, "@'": rate})
            with np.errstate(all="ignore"):
                size = np.where(f == 0, 0.0, np.abs(f) * (1 + (first.path + second.path) / length))
            push = push_along(f, unit)
            yield from load(force.first, -push, nothing, size)
            yield from load(force.second, push, nothing, size)
        elif isinstance(force, Bushing):
            w = compute_bushing_wrench(k, force)
            held = w.moment + np.cross(w.apart, w.force)
            arm = w.push * (w.first.path + w.second.path)
            if force.first.body is not None:
                yield force.first.body, w.first, w.force, held, (w.push, w.twist + arm)
            if force.second.body is not None:
                yield force.second.body, w.second, -w.force, -w.moment, (w.push, w.twist)
        elif isinstance(force, Torsion):
            t = compute_torsion_moment(k, force)
            for end, at, sign in ((force.first, t.first, 1), (force.second, t.second, -1)):
                if end.body is not None:
                    yield end.body, at, nothing, sign * t.moment, (np.zeros(k.count), t.size)
        elif isinstance(force, (PointForce, Wrench)):
            push, turning = k.push(force), nothing
            if isinstance(force, Wrench):
                turning = k.turned(force.point.body, k.vectors(force.moment))
            yield from load(force.point, push, turning, norm(push))


def first_moment(k: TreeKinematics) -> tuple[Array, Array, Array]:
    """Return Σ m (N,), Σ m r (N, 3), and the size of the latter's terms (N,)."""
    mass, moment, size = np.zeros(k.count), np.zeros((k.count, 3)), np.zeros(k.count)
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        centre = k.centre(body)
        mass += m
        moment += m[:, None] * centre.position
        size += np.abs(m) * centre.path
    return mass, moment, size


def compare_first_moment(name: str, moment: Array, k: TreeKinematics) -> Comparison:
    """Compare first moments (N, 3) of a witness with those of the bodies."""
    _, own, size = first_moment(k)
    ones = np.ones(k.count)
    scale = np.repeat(size[:, None], 3, axis=1)
    difference = ArrayDifference(moment, own, scale, ones * evaluation_tolerance(), ones)
    return worst(name, "bodies", "first moment", difference, k.states, ("x", "y", "z"))
