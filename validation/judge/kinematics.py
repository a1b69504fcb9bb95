"""Validation's own kinematics of an open tree: NumPy, world frame, a batch of N states at once.

Shares nothing with the formalisms. Every vector has the sum of its terms' absolute values, which does not cancel:
rounding errors are proportional to it.

A flywheel is a body here, welded to its carrier but for the prescribed turn ψ(t) about axis 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.elastic import ElasticNode
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    derivative,
    mpmath_arithmetic,
    rate,
    symbol,
    time_derivative,
)
from mbconcord.model.expressions.bounds import U, run_bounds
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import part_of, program
from mbconcord.model.features import OPEN_TREES, features
from mbconcord.model.force import Point, PointForce, Wrench, find_words
from mbconcord.model.functions import define
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, Frame, Prescribed, rotation

from .motion import Array, MotionNumbers, cross, fixed_frame
from .sections import at_node
from .tolerances import REFEREE_DIGITS

#: What these kinematics, and the physics built on them, know.
KNOWN = OPEN_TREES | {
    "bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures", "follower_forces",
    "mapped_motion", "kinematic_words",
}  # fmt: skip


class TreeKinematics:
    """Motion of every body of a tree at N states, and the values of the model's expressions there.

    ``system`` has the masses of rods and bipolar elements on the bodies at their ends, ``given`` on the elements.
    ``rounded``: this many times a formula's rounding bound is added to its size, for witnesses without bounds.
    """

    def __init__(self, system: System, states: Sequence[State], rounded: float = 0.0) -> None:
        self.rounded = rounded
        #: Names of the model's own bodies, without those of flywheels.
        self.bodies = tuple(body.name for body in system.bodies)
        self.given = with_rotors(system)
        self.system = self.given.lump_masses()
        self.states = bind_states(system, states)
        self.values = self.states.values
        self.count, self.n = len(self.states), len(system.coordinates)
        self.q = self._coordinates("")
        self.v = self._coordinates("'")
        self.a = self._coordinates("''")
        self._known: dict[Expression, Array] = {}
        self.scalars(self._made_of())  # together: one by one they take ten times as long
        self._frames: dict[str | None, MotionNumbers] = {None: fixed_frame(self.count, self.n)}
        for body in self.system.bodies:
            self._frames[body.name] = self._carry_body(body)
        self.values = {**self.values, **dict(self._find_words())}

    def _made_of(self) -> Iterator[Expression]:
        """Yield the expressions evaluated first: axes and constant amounts of joints, and inertias of bodies."""
        for body in self.system.bodies:
            for et in body.joint:
                yield from et.axis
                if isinstance(et.motion, Constant):
                    yield et.amount
            if not body.inertia.is_zero:
                yield body.inertia.mass
                yield from body.inertia.centre
                yield from chain.from_iterable(body.inertia.matrix())

    @property
    def rigid_bodies(self) -> Iterator[Body]:
        """Bodies without elastic modes; bodies with modes are treated as points, by :mod:`.elastic`."""
        return (body for body in self.system.bodies if not body.modal)

    def frame(self, body: str | None) -> MotionNumbers:
        """Return the motion of a body's frame; None is the fixed frame."""
        return self._frames[body]

    def centre(self, body: Body) -> MotionNumbers:
        """Return the motion of a body's centre of mass."""
        return self._frames[body.name].shift(self.vectors(body.inertia.centre))

    def point(self, point: Point) -> MotionNumbers:
        """Return the motion of a point of a body; on an elastic body at its origin or an undeformed node."""
        body = next((b for b in self.system.bodies if b.name == point.body), None)
        if body is not None and body.modes and any(point.position):
            return self.node(body, next(n for n in body.modes.nodes if n.position == point.position))
        return self._frames[point.body].shift(self.vectors(point.position))

    def _find_words(self) -> Iterator[tuple[str, Array]]:
        """Yield the words in formulas that stand for a point's position or velocity, and their values (N,)."""
        system = self.system
        for word, (point, axes) in find_words(system.coordinates, system.forces, system.points).items():
            at = self.point(point)
            vector = {"r": at.position, "v": at.velocity, "w": at.spin}[word.kind]
            if axes is not None:
                vector = np.einsum("sji,sj->si", self._frames[axes].rotation, vector)
            yield (
                str(word),
                np.linalg.norm(vector, axis=1) if word.word == "speed" else vector[:, "xyz".index(word.word[1])],
            )

    def push(self, force: PointForce | Wrench) -> Array:
        """Return a force at a point (N, 3), world axes."""
        given = self.vectors(force.force)
        return self.turned(force.point.body, given) if force.follows else given

    def turned(self, body: str | None, own: Array) -> Array:
        """Return vectors (N, 3), given in axes of a body, in world axes."""
        return np.asarray(np.einsum("sij,sj->si", self._frames[body].rotation, own))

    def follow(self, end: Frame) -> MotionNumbers:
        """Return the motion of a frame at transformations from a body's frame."""
        motion = self._frames[end.body]
        for et in end.transformations:
            motion = self._transform(motion, et)
        return motion

    def node(self, body: Body, node: ElasticNode) -> MotionNumbers:
        """Return the motion of a section of an elastic body."""
        at = np.array([self.system.coordinate_names.index(name) for name in body.modal], dtype=int)
        moves, turns = self.matrix(node.translation), self.matrix(node.rotation)
        position = self.vectors(node.position)
        assert body.modes is not None
        q, v = self.q[:, at], self.v[:, at]
        return at_node(self._frames[body.name], body.modes, at, q, v, position, moves, turns)

    def matrix(self, rows: Sequence[Sequence[Expression]]) -> Array:
        """Evaluate a matrix of expressions (N, rows, columns)."""
        if not rows or not rows[0]:
            return np.zeros((self.count, len(rows), 0))
        return np.stack([self.vectors(row) for row in rows], axis=1)

    def armatures(self) -> Iterator[tuple[Array, Array]]:
        """Yield inertia (N,) and coefficients over the coordinates (N, n) of every armature."""
        for armature in self.system.armatures:
            row = np.zeros((self.count, self.n))
            inertia, *values = self.scalars(armature.expressions)
            for name, value in zip(armature.coefficients, values, strict=True):
                row[:, self.system.coordinate_names.index(name)] = value
            yield inertia, row

    def scalars(self, expressions: Iterable[Expression], extra: Mapping[str, Array] | None = None) -> list[Array]:
        """Evaluate expressions (N,), each computed once; ``extra`` gives further symbols."""
        wanted, known = list(expressions), {} if extra else self._known
        new = [x for x in dict.fromkeys(wanted) if x not in known]
        if new:
            roots = define(new, self.system.functions)
            found = evaluate_formulas(roots, {**self.values, **(extra or {})})
            known.update(zip(new, found, strict=True))
        return [known[x] for x in wanted]

    def sizes(self, expressions: Iterable[Expression], extra: Mapping[str, Array] | None = None) -> list[Array]:
        """Return absolute values of expressions (N,), with :attr:`rounded` times their bounds of rounding."""
        wanted = list(expressions)
        found = [np.abs(x) for x in self.scalars(wanted, extra)]
        if not self.rounded or all(x.constant for x in wanted):
            return found
        lines = levels(program(define(wanted, self.system.functions)))
        bounds = run_bounds(lines, {**self.values, **(extra or {})})[1]
        return [x + self.rounded * np.where(np.isfinite(e), e, 0.0) for x, e in zip(found, bounds, strict=True)]

    def vectors(self, expressions: Iterable[Expression], allow: Callable[[Array], Array] | None = None) -> Array:
        """Evaluate k expressions (N, k); with ``allow``, which of their floats (k, N) gives errors that do no harm."""
        if allow is None:
            return np.stack(self.scalars(expressions), axis=1)
        return np.stack(evaluate_formulas(define([*expressions], self.system.functions), self.values, allow), axis=1)

    def tensor(self, body: Body) -> Array:
        """Return the inertia tensor (N, 3, 3) about the centre of mass, world axes."""
        rows = np.stack([self.vectors(row) for row in body.inertia.matrix()], axis=1)
        r = self._frames[body.name].rotation
        turned: Array = np.einsum("sij,sjk,slk->sil", r, rows, r)
        return turned

    def _coordinates(self, suffix: str) -> Array:
        columns = [self.values[name + suffix] for name in self.system.coordinate_names]
        return np.stack(columns, axis=1) if columns else np.zeros((self.count, 0))

    def _carry_body(self, body: Body) -> MotionNumbers:
        motion = self._frames[body.parent]
        if body.parent_node is not None:
            parent = next(b for b in self.system.bodies if b.name == body.parent)
            nodes = parent.modes.nodes if parent.modes else ()
            motion = self.node(parent, next(n for n in nodes if n.name == body.parent_node))
        for et in body.joint:
            motion = self._transform(motion, et)
        return motion

    def _transform(self, m: MotionNumbers, et: ElementaryTransformation) -> MotionNumbers:
        """Return the motion of the frame after a transformation: a shift along or rotation about unit vector u by s."""
        axis = self.vectors(et.axis)
        u = np.einsum("sij,sj->si", m.rotation, axis)
        s, ds, dds, speed, shaking = self._amount(et)
        column = self._slopes(et)
        along = u[:, :, None] * column[:, None]
        if et.is_translation:
            m = m.shift(axis * s[:, None])
            return replace(
                m,
                velocity=m.velocity + u * ds,
                acceleration=m.acceleration + 2 * cross(m.spin, u) * ds + u * dds,
                moving=m.moving + along,
                speed=m.speed + speed,
                shaking=m.shaking + 2 * m.turn_speed * speed + shaking,
                lever=m.lever + np.abs(column),
            )
        return replace(
            m,
            rotation=m.rotation @ turn(axis, s),
            spin=m.spin + u * ds,
            spin_rate=m.spin_rate + cross(m.spin, u) * ds + u * dds,
            turning=m.turning + along,
            turn_speed=m.turn_speed + speed,
            turn_shaking=m.turn_shaking + m.turn_speed * speed + shaking,
            turns=m.turns + np.abs(column),
        )

    def _slopes(self, et: ElementaryTransformation) -> Array:
        """Return derivatives of a transformation's amount by coordinates (N, n): 1 by its own, or those of its map."""
        found = np.zeros((self.count, self.n))
        for name, slope in _list_slopes(et):
            found[:, self.system.coordinate_names.index(name)] = self.scalars([slope])[0]
        return found

    def _amount(self, et: ElementaryTransformation) -> tuple[Array, Array, Array, Array, Array]:
        """Return a transformation's amount (N,), rate and second rate at q'' = 0 (N, 1), and both rates' sizes (N,)."""
        amount = et.amount
        if et.coordinate is not None:
            s, ds, dds = self.values[et.coordinate], self.values[et.coordinate + "'"], np.zeros(self.count)
            sizes = [np.abs(ds), dds]
        elif et.moving:
            speeds = [derivative(amount, TIME), *(slope * rate(name) for name, slope in _list_slopes(et))]
            flow = {TIME: ONE, **{symbol(name): rate(name) for name in et.moving}}
            shares = [derivative(x, at) * by for x in speeds for at, by in flow.items()]
            s, ds, dds = self.scalars([amount, sum(speeds, ZERO), sum(shares, ZERO)])
            sizes = [np.sum(self.sizes(terms), axis=0) for terms in (speeds, shares)]
        else:
            speed = ZERO if amount.constant else time_derivative([amount], ())[0]
            rates = [speed, time_derivative([speed], ())[0]]
            s, ds, dds = self.scalars([amount, *rates])
            sizes = self.sizes(rates)
        return s, ds[:, None], dds[:, None], sizes[0], sizes[1]


def _list_slopes(et: ElementaryTransformation) -> Iterator[tuple[str, Expression]]:
    """Yield the coordinates that move a transformation, each with the derivative of the amount by it."""
    return ((name, ONE if et.coordinate else derivative(et.amount, symbol(name))) for name in et.moving)


def turn(axis: Array, angle: Array) -> Array:
    """Return rotation matrices (N, 3, 3) about unit vectors (N, 3): E + sin K + (1 - cos) K², K = axis ×."""
    x, y, z = axis.T
    zero = np.zeros_like(x)
    k = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    rotation: Array = np.eye(3) + sin * k + (1 - cos) * (k @ k)
    return rotation


def with_rotors(system: System) -> System:
    """Convert every flywheel to a body that rotates by a prescribed law.

    The flywheel's frame is the carrier's, the mounting, then Rz(ψ): the joint of a body. ψ(t) is a prescribed motion,
    and the equations for the coordinates stay the same.
    """
    if not any(body.flywheels for body in system.bodies):
        return system
    bodies: list[Body] = []
    for body in system.bodies:
        bodies.append(replace(body, flywheels=()))
        for wheel in body.flywheels:
            joint = (*wheel.mounting, rotation("z", Prescribed(wheel.angle)))
            bodies.append(Body(f"{body.name}/flywheels/{wheel.name}", body.name, joint, wheel.inertia))
    return replace(system, bodies=tuple(bodies))


def takes(system: System) -> bool:
    """Return True if these kinematics and the physics built on them support all features of the model."""
    return all(feature in KNOWN for feature, _ in features(system))


#: A float that may be off by so many roundings of its own size is computed again in more digits.
LOST = 64


def evaluate_formulas(
    formulas: Sequence[Expression], values: Mapping[str, Array], allow: Callable[[Array], Array] = np.zeros_like
) -> list[Array]:
    """Evaluate formulas (N,) at N states, rounded once where floats would have lost digits.

    Parameters
    ----------
    formulas : without undefined functions
    values : symbol name -> (N,)
    allow : gives, from the k formulas' floats (k, N), errors that do no harm

    Raises
    ------
    ExpressionError
        A symbol has no value.
    """
    found, bounds = run_bounds(levels(program(formulas)), values)
    count = len(values["t"])
    found = np.array(np.broadcast_to(found, (len(formulas), count)))
    allowed = np.fmax(LOST * U * np.abs(found), allow(found))
    lossy = np.isfinite(found) & ~(np.broadcast_to(bounds, found.shape) <= allowed)
    again = np.flatnonzero(lossy.any(axis=1)).tolist()
    if not again:
        return list(found)
    whole, digits = program([formulas[i] for i in again]), mpmath_arithmetic(REFEREE_DIGITS)
    for s in np.flatnonzero(lossy.any(axis=0)).tolist():
        at = {name: float(x[s]) for name, x in values.items()}
        # together, since they share most of their steps; apart where one of them has no value
        pending = [[(i, place) for i, place in zip(again, whole.outputs, strict=True) if lossy[i, s]]]
        while pending:
            part = pending.pop()
            try:
                exact = [float(x) for x in run(part_of(whole, [place for _, place in part]), at, digits)]
            except (ExpressionError, ArithmeticError, ValueError):  # it has a value in floats alone
                half = len(part) // 2
                pending += [part[:half], part[half:]] if half else []
                continue
            found[[i for i, _ in part], s] = exact
    return list(found)
