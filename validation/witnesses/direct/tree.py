"""The canonical quantities of an open tree by d'Alembert's principle, from poses and their series in time.

    M = Σ m J_vᵀJ_v + J_ωᵀ I J_ω ,   M a + h = Σ J_vᵀ m r̈ + J_ωᵀ (I α + ω × I ω) ,   Q_gravity = Σ J_vᵀ m g

over bodies, flywheels (bodies whose turn is prescribed) and the lumped masses of rods and bipolar elements; an armature
adds a c cᵀ to M and a c (cᵀ q'') to M a + h. The quantities
are those of the open tree: constraints enter only by the masses of rods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model.body import Body, Inertia
from mbconcord.model.constraint import Rod
from mbconcord.model.derivation import Obstacle
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.features import FEATURES, OPEN_TREES, features
from mbconcord.model.force import Bipolar, Point, find_words
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ...judge.comparison import ArrayDifference
from ...judge.witness import Answer, Question
from .elastic import DirectElasticBody, at_node, soft
from .formulas import SeriesFormulas, bind
from .loads import sum_applied_forces
from .motion import FrameMotion, fixed_frame, follow_joint
from .series import Array, Series, constant

NAME = "direct"
CONSTRAINTS = frozenset({"rods", "point_coincidences", "cut_joints", "holonomic_rows", "nonholonomic_rows"})
TAKES = OPEN_TREES | CONSTRAINTS | {
    "bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures", "follower_forces",
    "mapped_motion", "kinematic_words",
}  # fmt: skip


def obstacles(system: System) -> tuple[Obstacle, ...]:
    """List a model's features that the direct witness does not support."""
    return tuple(
        Obstacle(place, feature, f"{NAME} does not take {FEATURES[feature]}")
        for feature, place in features(system)
        if feature not in TAKES
    )


class Direct:
    """The canonical quantities of a model from its fields.

    Its numbers have no error bounds, but a tolerance relative to their scale; for M relative to the terms of which an
    entry is the sum, since small entries may be differences of large terms.
    """

    name = NAME
    shares = frozenset({"reader", "functions"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the features of a model that the direct witness does not support."""
        return obstacles(model)

    def answer(self, question: Question) -> Answer:
        """Return the quantities of the open tree at the question's states, with the tolerances' scales."""

        def allow(quantity: str, found: ArrayDifference) -> ArrayDifference:
            judged = replace(found, scale=question.scales.contributions) if quantity == "M" else found
            return judged.first(len(found.a))

        return Answer(direct(question.original, question.states), allow=allow)


def direct(system: System, states: Sequence[State]) -> Evaluation:
    """Compute M, h, gravity, applied and inverse dynamics of the open tree at N states.

    Raises
    ------
    NumbersError
        A symbol has no value, or a function no formula.
    """
    coasting = DirectTree(system, bind(system, states, at_rest=True))
    moving = DirectTree(system, bind(system, states, at_rest=False))
    gravity, forces = coasting.gravity(), coasting.sum_applied_forces()
    quantities = {
        "M": coasting.mass(),
        "h": coasting.inertial(),
        "gravity": gravity,
        "applied": forces,
        "inverse_dynamics": moving.inertial() - gravity - forces,
    }
    return Evaluation(NAME, quantities)


@dataclass(frozen=True)
class MassAtFrame:
    """Mass (S,) at a frame's origin, tensor (S, 3, 3) about it in world axes; ``body`` is None for lumped masses."""

    frame: FrameMotion
    mass: Array
    tensor: Array
    body: str | None = None


class DirectTree:
    """Motions of the frames of all bodies at S states, and quantities of the open tree computed from them."""

    def __init__(self, system: System, formulas: SeriesFormulas) -> None:
        self.system, self.f = system, formulas
        self.names = [c.name for c in system.coordinates]
        self.frames: dict[str | None, FrameMotion] = {None: fixed_frame(formulas.count)}
        for body in system.bodies:
            self.frames[body.name] = follow_joint(self.carrier(body), body.joint, self.names, formulas)
        formulas.symbols = {**formulas.symbols, **dict(self._expand_words())}
        self.solids = [s for s in self._solids() if s.mass.any() or s.tensor.any()]

    def locate(self, point: Point) -> FrameMotion:
        """Return the frame at a body's point; on an elastic body the point is its origin, or a node when undeformed."""
        body = next((b for b in self.system.bodies if b.name == point.body), None)
        if body is not None and body.modes and any(point.position):
            node = next(n for n in body.modes.nodes if n.position == point.position)
            return at_node(self.frames[body.name], body, node, self.names, self.f)
        return self.frames[point.body].point(self.f.values(point.position))

    def _expand_words(self) -> Iterator[tuple[str, Series]]:
        """Yield words of formulas for a point's position, velocity or spin, with their values as constant series."""
        system = self.system
        for word, (point, axes) in find_words(system.coordinates, system.forces, system.points).items():
            at = self.locate(point)
            seen = {"r": at.r, "v": at.dr, "w": at.spin}[word.kind]
            if axes is not None:
                seen = np.einsum("sij,si->sj", self.frames[axes].R, seen)
            size = np.sqrt(np.sum(seen**2, axis=1))
            yield (
                str(word),
                constant(size if word.word == "speed" else seen[:, "xyz".index(word.word[-1])], self.f.orders),
            )

    def carrier(self, body: Body) -> FrameMotion:
        """Return the frame that carries a body: that of its parent, or of a section (node) of an elastic parent."""
        frame = self.frames[body.parent]
        if body.parent_node is None:
            return frame
        parent = next(b for b in self.system.bodies if b.name == body.parent)
        nodes = parent.modes.nodes if parent.modes else ()
        node = next(n for n in nodes if n.name == body.parent_node)
        return at_node(frame, parent, node, self.names, self.f)

    @cached_property
    def soft(self) -> list[DirectElasticBody]:
        """The elastic bodies of the tree at the states."""
        return [soft(b, self.frames[b.name], self.names, self.f) for b in self.system.bodies if b.modal]

    def _solids(self) -> Iterator[MassAtFrame]:
        for body in self.system.bodies:
            if body.modal:
                continue
            yield self._solid(self.frames[body.name], body.inertia, body.name)
            for wheel in body.flywheels:
                mounted = follow_joint(self.frames[body.name], wheel.mounting, self.names, self.f)
                axis = np.tile([0.0, 0.0, 1.0], (self.f.count, 1))
                yield self._solid(mounted.rotate(axis, self.f.expand(wheel.angle), None), wheel.inertia, body.name)
        for element in (*self.system.forces, *self.system.constraints):
            if isinstance(element, (Bipolar, Rod)):
                half = self.f.value(element.mass) / 2
                for end in (element.first, element.second):
                    yield MassAtFrame(self.locate(end), half, np.zeros((self.f.count, 3, 3)))

    def _solid(self, frame: FrameMotion, inertia: Inertia, body: str) -> MassAtFrame:
        xx, yy, zz, xy, xz, yz = self.f.values(inertia.tensor).T
        own = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
        turned = np.einsum("sij,sjk,slk->sil", frame.R, own, frame.R)
        return MassAtFrame(frame.point(self.f.values(inertia.centre)), self.f.value(inertia.mass), turned, body)

    def mass(self) -> Array:
        """Return M (S, n, n)."""
        n = len(self.names)
        total = np.zeros((self.f.count, n, n))
        for _, places, own in self.split_mass():
            total[np.ix_(range(self.f.count), places, places)] += own
        return total

    def split_mass(self) -> Iterator[tuple[str | None, Sequence[int], Array]]:
        """Yield terms of M: a body's name (None: element or rotor), numbers of k coordinates, its matrix (S, k, k)."""
        for s in self.solids:
            own = np.einsum("s,saj,sak->sjk", s.mass, s.frame.moves, s.frame.moves)
            yield s.body, s.frame.moved, own + np.einsum("saj,sab,sbk->sjk", s.frame.turns, s.tensor, s.frame.turns)
        for frame, added in self.media():
            twists = self._twists(frame)
            body = next(name for name, own in self.frames.items() if own is frame)
            yield body, frame.moved, np.einsum("saj,sab,sbk->sjk", twists, added, twists)
        for soft_body in self.soft:
            body = next(name for name, own in self.frames.items() if own is soft_body.frame)
            yield body, soft_body.moving_coordinates, soft_body.mass_matrix()
        for inertia, row, _ in self.rotors():
            yield None, range(len(self.names)), np.einsum("s,si,sj->sij", inertia, row, row)

    def inertial(self) -> Array:
        """Return M a + h (S, n) at the accelerations a of the motion."""
        total = np.zeros((self.f.count, len(self.names)))
        for s in self.solids:
            force = s.mass[:, None] * s.frame.ddr
            w = s.frame.spin
            momentum = np.einsum("sij,sj->si", s.tensor, w)
            moment = np.einsum("sij,sj->si", s.tensor, s.frame.spin_rate) + np.cross(w, momentum)
            self._put(total, s.frame, force, moment)
        for frame, added in self.media():
            self._put(total, frame, *_fluid(frame, added))
        for body in self.soft:
            total[:, list(body.moving_coordinates)] += body.inertial()
        for inertia, row, turning in self.rotors():
            total += (inertia * turning)[:, None] * row
        return total

    def gravity(self) -> Array:
        """Return generalized forces of weight (S, n)."""
        total = np.zeros((self.f.count, len(self.names)))
        if self.system.gravity is not None:
            size = self.f.value(self.system.gravity.value)[:, None]
            g = size * self.f.values(self.system.gravity.direction)
            for s in self.solids:
                self._put(total, s.frame, s.mass[:, None] * g, np.zeros_like(g))
            for body in self.soft:
                total[:, list(body.moving_coordinates)] += body.weight(g)
        return total

    def sum_applied_forces(self) -> Array:
        """Return generalized forces of drives and forces (S, n)."""
        total = sum_applied_forces(self.system, self.f, self.locate, self.frames)
        for body in self.soft:
            total[:, list(body.numbers)] += body.resistance()
        return total

    def _put(self, total: Array, frame: FrameMotion, force: Array, moment: Array) -> None:
        rows = np.einsum("sa,sak->sk", force, frame.moves) + np.einsum("sa,sak->sk", moment, frame.turns)
        total[:, list(frame.moved)] += rows

    def media(self) -> Iterator[tuple[FrameMotion, Array]]:
        """Yield frames of bodies in a fluid, with their added inertia Λ (S, 6, 6) of twists (v; ω) in world axes."""
        for body in self.system.bodies:
            if body.added_inertia is not None:
                own = np.stack([self.f.values(row) for row in body.added_inertia.rows], axis=1)
                frame = self.frames[body.name]
                twice = np.zeros_like(own)
                twice[:, :3, :3] = twice[:, 3:, 3:] = frame.R
                yield frame, twice @ own @ np.swapaxes(twice, 1, 2)

    def rotors(self) -> Iterator[tuple[Array, Array, Array]]:
        """Yield inertia a (S,), coefficients c over the coordinates (S, n), and the second rate of c·q (S,)."""
        for armature in self.system.armatures:
            row, turning = np.zeros((self.f.count, len(self.names))), np.zeros(self.f.count)
            for name, coefficient in armature.coefficients.items():
                row[:, self.names.index(name)] = self.f.value(coefficient)
                turning = turning + self.f.value(coefficient) * (2 * self.f.symbols[name].c[2])
            yield self.f.value(armature.inertia), row, turning

    def _twists(self, frame: FrameMotion) -> Array:
        return np.concatenate([frame.moves, frame.turns], axis=1)


def _fluid(frame: FrameMotion, added: Array) -> tuple[Array, Array]:
    """Compute force and moment about the origin that accelerate the fluid: rates of its momenta P, H (Kirchhoff).

    (P; H) = Λ (v; ω) in world axes. The force is P' = Λ_f (v̊; ω̊) + ω × P; the moment about the moving origin is
    H' + v × P, H' = Λ_m (v̊; ω̊) + ω × H. v̊ and ω̊ are rates in the body's axes.
    """
    v, w = frame.dr, frame.spin
    twist = np.concatenate([v, w], axis=1)
    relative = np.concatenate([frame.ddr - np.cross(w, v), frame.spin_rate], axis=1)
    p = np.einsum("sab,sb->sa", added, twist)
    rate = np.einsum("sab,sb->sa", added, relative)
    force = rate[:, :3] + np.cross(w, p[:, :3])
    moment = rate[:, 3:] + np.cross(w, p[:, 3:]) + np.cross(v, p[:, :3])
    return force, moment
