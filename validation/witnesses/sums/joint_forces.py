"""Judgement of forces in joints: those of the formalisms, compared pairwise and with sums over the bodies.

The sums are Newton's and Euler's equations over all bodies that a joint carries, by validation's own kinematics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from random import Random
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
from mbconcord.records import dataclass, replace

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
#: The forces in one joint, where formalisms without native ones open no other.
ONE_JOINT: Final = "joint_forces of one body"


#: Features that the sums over the bodies do not support.
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
    """Witness of joint forces: Newton's and Euler's equations over all bodies that a joint carries."""

    name: ClassVar[str] = BODIES
    shares: ClassVar[frozenset[str]] = frozenset({"reader", "model", "kinematics"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the features of a tree that the sums do not support."""
        return tuple(
            Obstacle(place, feature, f"sums over the bodies do not know {FEATURES[feature]}")
            for feature, place in features(model)
            if feature not in KNOWN - UNKNOWN
        )

    def answer(self, question: Question) -> Answer:
        """Return the joint forces, with sums of absolute values of their terms as scales."""
        return _to_answer(BODIES, question.kinematics.bodies, *sums(question.kinematics))


def _to_answer(name: str, bodies: Sequence[str], values: Array, scale: Array, what: str = JOINT_FORCES) -> Answer:
    """Return joint forces as a witness's answer, NaN where their scale is not a number."""
    labels = [f"{body} {component}" for body in bodies for component in COMPONENTS]
    known = np.where(np.isfinite(scale), values, np.nan)
    beside = {what: Labelled(known, labels, scale)}
    return Answer(Evaluation(name, {}), beside=beside, allow=lambda _, d: d.first(len(d.a)))


#: The part of a comparison's tolerance that the rounding of a formalism's floats may take.
FLOATS: Final = 0.25
#: Most coordinates of a model and its opened joints for which formalisms without native joint forces are asked.
MOST_OPENED: Final = 120


def may_open(formalism: Formalism, system: System, joints: int | None = None) -> bool:
    """Return True if a formalism has joint forces natively, or may open so many joints of the model; None: all."""
    opened = len(system.bodies) if joints is None else joints
    return formalism.bears or len(system.coordinates) + len(COMPONENTS) * opened <= MOST_OPENED


def draw_openers(able: Sequence[Formalism], seed: int) -> list[Formalism]:
    """Return the formalisms with native joint forces, then the others, in an order that the seed draws."""
    openers = [f for f in able if not f.bears]
    return [*(f for f in able if f.bears), *Random(f"{seed} opens").sample(openers, len(openers))]


def draw_joint(system: System, seed: int) -> str | None:
    """Draw a body whose joint bears the inertia of a body; None if there is none."""
    heavy = [body.name for body in system.bodies if not body.inertia.is_zero]
    bearing = {body.name for name in heavy for body in system.path(name)}
    names = [body.name for body in system.bodies if body.name in bearing]
    return Random(seed).choice(names) if names else None


def compare_joint_forces(k: TreeKinematics, asked: Sequence[Formalism], opened: str | None = None) -> JointForceSums:
    """Compare the joint forces of formalisms in pairs, and with sums over the bodies if these support the model.

    ``opened`` is the body whose joint alone the first formalism without native forces opens (:data:`ONE_JOINT`), or the
    first two if nobody else answers; None: each opens all. If the sums do not support the model, scales are the largest
    force and the largest moment of each state.
    """
    found, few, failed = dict[str, Array](), dict[str, Array](), list[Comparison]()
    own, scale = sums(k) if k.bodies and takes(k.system) else (None, None)
    for f in asked:
        into, bodies = (few, [opened]) if opened and not f.bears else (found, k.bodies)
        if into is few and len(few) == (2 if own is None and not found else 1):
            continue
        sizes = scale if scale is None or into is found else select_joint(k.bodies, bodies[0], scale)
        x, failure = try_opening(f, partial(evaluate_joint_forces, f, k, bodies, sizes, whole=not opened))
        into |= {} if x is None else {f.name: x}
        failed += failure
    if not found and not few:
        return JointForceSums(found, tuple(failed))
    every = found if own is None else {**found, BODIES: own}
    if scale is None:
        scale = find_largest([*found.values(), *few.values()], len(k.bodies))
    question = Question(k.system, k.states)
    answers = [_to_answer(name, k.bodies, values, scale) for name, values in every.items()]
    compared = [c for a, b in combinations(answers, 2) for c, _ in compare(a, b, question)]
    if few and opened:
        one = partial(select_joint, k.bodies, opened)
        sixes = {**few, **{name: one(values) for name, values in choose_partners(every).items()}}
        answers = [_to_answer(name, [opened], values, one(scale), ONE_JOINT) for name, values in sixes.items()]
        pairs = (compare(a, b, question) for a, b in combinations(answers, 2) if a.name in few)
        compared += (name_joint(c, opened) for pair in pairs for c, _ in pair)
    return JointForceSums(found, (*failed, *compared))


def find_largest(values: Sequence[Array], count: int) -> Array:
    """Return the largest force and moment of each state, repeated as scales for ``count`` joints (N, 6 count)."""
    six = np.abs(np.concatenate([x.reshape(len(x), -1, 2, 3) for x in values], axis=1))
    return np.tile(np.repeat(np.fmax.reduce(six, axis=(1, 3), initial=0.0), 3, axis=1), count)


def choose_partners(by: Mapping[str, Array]) -> Mapping[str, Array]:
    """Return the witnesses to compare with: the sums over the bodies alone, or all if there are no sums."""
    return {BODIES: by[BODIES]} if BODIES in by else by


def select_joint(bodies: Sequence[str], name: str, values: Array) -> Array:
    """Return the six numbers (N, 6) of the joint of one of the bodies."""
    first = len(COMPONENTS) * bodies.index(name)
    return values[:, first : first + len(COMPONENTS)]


def name_joint(c: Comparison, body: str) -> Comparison:
    """Return a comparison of the forces in one joint with the joint's body named in its explanation."""
    return replace(c, explanation="; ".join(filter(None, (f"the joint of {body}, drawn by the seed", c.explanation))))


def try_opening(by: Formalism, make: Callable[[], T]) -> tuple[T | None, tuple[Comparison, ...]]:
    """Return the result of ``make``; if a formalism that opens joints fails there, None and a not-checked comparison.

    The opened model is not the one to be judged, so such a failure is no disagreement.
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


def evaluate_joint_forces(
    formalism: Formalism, k: TreeKinematics, bodies: Sequence[str] | None = None, sizes: Array | None = None,
    whole: bool = True,
) -> Array | None:  # fmt: skip
    """Compute a formalism's joint forces (N, 6 k) of given bodies (None: all); None if it has none.

    ``whole``: with all their digits; else those that a comparison relative to ``sizes`` (N, 6 k) needs (None: relative
    to the largest force and moment).
    """
    if formalism.obstacles(k.given):
        return None
    found = formalism.forces_in_joints(k.given, k.bodies if bodies is None else bodies)
    if not found or whole:
        return k.vectors(flatten(found)) if found else None

    def allow(floats: Array) -> Array:
        scale = find_largest([floats.T], len(floats) // len(COMPONENTS)) if sizes is None else sizes
        return FLOATS * evaluation_tolerance() * scale.T

    return k.vectors(flatten(found), allow)


def sums(k: TreeKinematics) -> tuple[Array, Array]:
    """Compute joint forces from the bodies (N, 6 k), and the absolute sums of their terms."""
    return carried_sums(k, (*needs(k), *loads(k)))


def ground(k: TreeKinematics) -> Array:
    """Compute the wrench of the fixed frame on the machine (N, 6), about its origin, in its axes, from momenta.

    Point forces and wrenches are the only loads that come neither from the fixed frame nor from bodies.
    """
    total = np.zeros((k.count, 2, 3))
    outer = (force for force in k.system.forces if isinstance(force, (PointForce, Wrench)))
    for _, at, force, moment, _ in (*needs(k), *loads(k, outer)):
        total += np.stack([force, moment + np.cross(at.position, force)], axis=1)
    return total.reshape(k.count, 6)


def carried_sums(k: TreeKinematics, of: Iterable[Need]) -> tuple[Array, Array]:
    """Return for each joint the sum of needs of the bodies it carries, about its body's origin (N, 6 k); and sizes."""
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


#: Need of a body or load: body's name, its point, force and moment that a joint must bear, and sizes of their terms.
Need = tuple[str, MotionNumbers, Array, Array, tuple[Array, Array]]


def needs(k: TreeKinematics) -> Iterator[Need]:
    """Yield the need of each body: its name, centre, force m (a - g), moment I α + ω × I ω, and their scales."""
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
    """Yield the need of each load of ``forces`` (None: all): body, point, minus its force and moment, scales."""
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
    """Return the mass Σ m (N,), the first moment Σ m r (N, 3), and the size of its terms (N,)."""
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
