"""The canonical quantities of an open tree by d'Alembert's principle, from poses and their series in time.

    M = Σ m J_vᵀJ_v + J_ωᵀ I J_ω ,   M a + h = Σ J_vᵀ m r̈ + J_ωᵀ (I α + ω × I ω) ,   Q_gravity = Σ J_vᵀ m g

over bodies, flywheels (bodies whose turn is prescribed) and the lumped masses of rods and bipolar elements; an armature
adds a c cᵀ to M and a c (cᵀ q'') to M a + h. The quantities
are those of the open tree: constraints enter only by the masses of rods.

Elastic bodies by d'Alembert's principle: a point is at r + Σ A_k φ_k, with A_k = q_k R, φ_0 = r0 and q_0 = 1.

    M a + h = ∫ (r_q + Σ A_k,q φ_k)·(r̈ + Σ Ä_l φ_l) dm = r_q·(m r̈ + Σ Ä_l S_l) + Σ A_k,q S_k·r̈ + Σ tr(A_k,q P_kl
Ä_lᵀ)

with S_k = ∫φ_k dm and P_kl = ∫φ_k φ_lᵀ dm from the model. The rotary inertia of sections is the quadratic form of (ω;
q') in the body's axes. A section turns by the power series of its rotation vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model.body import Body, Inertia
from mbconcord.model.constraint import Rod
from mbconcord.model.derivation import Obstacle
from mbconcord.model.elastic import ElasticNode, Matrix
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.features import FEATURES, OPEN_TREES, features
from mbconcord.model.force import Bipolar, Point, find_words
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ...judge.comparison import ArrayDifference
from ...judge.witness import Answer, Question
from .formulas import SeriesFormulas, bind
from .loads import sum_applied_forces
from .motion import FrameMotion, fixed_frame, follow_joint
from .series import Array, Series, constant

#: Number of terms of a rotation's power series, and its largest angle (rad); larger ones are halved, results squared.
TERMS, PART = 44, 4.0


@dataclass(frozen=True)
class DirectElasticBody:
    """One elastic body at S states.

    Attributes
    ----------
    frame : motion of the body's frame
    q, dq, ddq (S, k) : 1, the modal coordinates and those products of them that move points, with two rates
    by_mode (S, modes, k) : derivatives of q by the modal coordinates
    numbers : places of the modal coordinates among all coordinates
    mass (S,), S (S, k, 3), P (S, k, k, 3, 3) : integrals over the body: mass, S_k and P_kl
    sections (S, 3 + modes, 3 + modes) : rotary inertia of sections [I_s D; Dᵀ R_ee], a quadratic form of (ω; q')
    stiffness, damping (S, modes, modes) : modal stiffness K and damping D
    """

    frame: FrameMotion
    q: Array
    dq: Array
    ddq: Array
    by_mode: Array
    numbers: tuple[int, ...]
    mass: Array
    S: Array
    P: Array
    sections: Array
    stiffness: Array
    damping: Array

    @property
    def moving_coordinates(self) -> tuple[int, ...]:
        """Numbers of the coordinates that move points of the body: those of its frame, then the modal ones."""
        return (*self.frame.moved, *(i for i in self.numbers if i not in self.frame.moved))

    def slopes(self) -> tuple[Array, Array]:
        """Compute r_q (S, m, 3) and A_k,q (S, m, k, 3, 3) by ``moving_coordinates``."""
        f, m = self.frame, len(self.moving_coordinates)
        count, k = self.q.shape
        r_q, A_q = np.zeros((count, m, 3)), np.zeros((count, m, k, 3, 3))
        r_q[:, : len(f.moved)] = f.r_q
        A_q[:, : len(f.moved)] = np.einsum("sk,smij->smkij", self.q, f.R_q)
        for mode, number in enumerate(self.numbers):
            A_q[:, self.moving_coordinates.index(number)] += np.einsum("sk,sij->skij", self.by_mode[:, mode], f.R)
        return r_q, A_q

    def force(self, second: Array, accelerations: Array) -> Array:
        """Compute generalized forces (S, m) for accelerations ``second`` + Σ ``accelerations``_l φ_l of points."""
        r_q, A_q = self.slopes()
        whole = self.mass[:, None] * second + np.einsum("slij,slj->si", accelerations, self.S)
        rows = np.einsum("sma,sa->sm", r_q, whole)
        rows = rows + np.einsum("smkij,skj,si->sm", A_q, self.S, second)
        inner = np.einsum("sklij,slaj->skia", self.P, accelerations)
        return np.asarray(rows + np.einsum("smkai,skia->sm", A_q, inner))

    def inertial(self) -> Array:
        """Return M a + h (S, m) along the motion."""
        f = self.frame
        second = (
            np.einsum("sk,sij->skij", self.ddq, f.R)
            + 2 * np.einsum("sk,sij->skij", self.dq, f.dR)
            + np.einsum("sk,sij->skij", self.q, f.ddR)
        )
        turned, faster, columns = self._spins()
        momentum = np.einsum("sab,sb->sa", self.sections, turned)
        moment = np.einsum("sab,sb->sa", self.sections, faster)
        moment[:, :3] += np.cross(turned[:, :3], momentum[:, :3])
        return np.asarray(self.force(f.ddr, second) + np.einsum("sam,sa->sm", columns, moment))

    def mass_matrix(self) -> Array:
        """Compute M (S, m, m): column i is the generalized force for points that accelerate by their slopes by q_i."""
        r_q, A_q = self.slopes()
        columns = [self.force(r_q[:, i], A_q[:, i]) for i in range(len(self.moving_coordinates))]
        *_, turning = self._spins()
        rotary = np.einsum("sai,sab,sbj->sij", turning, self.sections, turning)
        return np.asarray(np.stack(columns, axis=2) + rotary)

    def weight(self, g: Array) -> Array:
        """Return generalized forces of weight (S, m)."""
        r_q, A_q = self.slopes()
        rows = self.mass[:, None] * np.einsum("sma,sa->sm", r_q, g)
        return np.asarray(rows + np.einsum("smkij,skj,si->sm", A_q, self.S, g))

    def kinetic_energy(self) -> Array:
        """Compute the kinetic energy (S,): ½ ∫ |ṙ + Σ Ȧ_k φ_k|² dm, plus that of the turning sections."""
        f = self.frame
        rates = np.einsum("sk,sij->skij", self.dq, f.R) + np.einsum("sk,sij->skij", self.q, f.dR)
        turned = self._spins()[0]
        doubled = self.mass * np.einsum("sa,sa->s", f.dr, f.dr)
        doubled = doubled + 2 * np.einsum("sa,skai,ski->s", f.dr, rates, self.S)
        doubled = doubled + np.einsum("skai,sklij,slaj->s", rates, self.P, rates)
        return np.asarray(doubled + np.einsum("sa,sab,sb->s", turned, self.sections, turned)) / 2

    def first_moment(self) -> Array:
        """Compute the first moment of mass about the fixed origin ∫ (r + Σ q_k R φ_k) dm (S, 3)."""
        f = self.frame
        return np.asarray(self.mass[:, None] * f.r + np.einsum("sk,sij,skj->si", self.q, f.R, self.S))

    def resistance(self) -> Array:
        """Return the elastic and damping forces -K q - D q' along the modes (S, modes)."""
        own = np.einsum("sij,sj->si", self.stiffness, self.q[:, 1 : len(self.numbers) + 1])
        return np.asarray(-own - np.einsum("sij,sj->si", self.damping, self.dq[:, 1 : len(self.numbers) + 1]))

    def _spins(self) -> tuple[Array, Array, Array]:
        """Return (ω; q') in body axes (S, 3 + modes), its rate, and its derivatives by rates (S, 3 + modes, m)."""
        f, back = self.frame, np.swapaxes(self.frame.R, 1, 2)
        spin, rate = (np.einsum("sij,sj->si", back, w) for w in (f.spin, f.spin_rate))
        columns = np.zeros((len(spin), 3 + len(self.numbers), len(self.moving_coordinates)))
        columns[:, :3, : len(f.moved)] = back @ f.turns
        for mode, number in enumerate(self.numbers):
            columns[:, 3 + mode, self.moving_coordinates.index(number)] += 1
        turned = np.concatenate([spin, self.dq[:, 1 : len(self.numbers) + 1]], axis=1)
        return turned, np.concatenate([rate, self.ddq[:, 1 : len(self.numbers) + 1]], axis=1), columns


def soft(body: Body, frame: FrameMotion, names: list[str], f: SeriesFormulas) -> DirectElasticBody:
    """Build an elastic body at the states of f from the fields of the model's body; ``frame`` is its motion."""
    assert body.modes is not None
    modes, count, n = body.modes, f.count, len(body.modes.coordinates)
    series = [f.symbols[name] for name in modes.coordinates]
    series += [f.symbols[a] * f.symbols[b] for a, b in modes.products]
    slopes = np.zeros((count, n, 1 + len(series)))
    slopes[:, range(n), range(1, n + 1)] = 1.0
    for k, pair in enumerate(modes.products, n + 1):
        for one_of, other in (pair, pair[::-1]):
            slopes[:, modes.coordinates.index(one_of), k] += f.symbols[other].c[0]
    one = [np.ones(count), np.zeros(count), np.zeros(count)]
    q, dq, half = (np.stack([one[i], *(s.c[i] for s in series)], axis=1) for i in range(3))
    mass = f.value(body.inertia.mass)
    S = np.stack([f.values(body.inertia.centre) * mass[:, None], *map(f.values, modes.first_moments)], axis=1)
    P = np.stack([np.stack([_matrix(f, x) for x in row], axis=1) for row in modes.second_moments], axis=1)
    sections = np.zeros((count, 3 + n, 3 + n))
    if modes.section_inertia:
        own, mixed, twisting = (_matrix(f, part) for part in modes.section_inertia)
        sections[:, :3, :3], sections[:, 3:, 3:] = own, twisting
        sections[:, :3, 3:], sections[:, 3:, :3] = mixed, np.swapaxes(mixed, 1, 2)
    numbers = tuple(names.index(name) for name in modes.coordinates)
    return DirectElasticBody(
        frame, q, dq, 2 * half, slopes, numbers, mass, S, P, sections, _matrix(f, modes.stiffness),
        _matrix(f, modes.damping),
    )  # fmt: skip


def at_node(frame: FrameMotion, body: Body, node: ElasticNode, names: list[str], f: SeriesFormulas) -> FrameMotion:
    """Return the motion of a section's frame: the body's frame moved by r0 + Φ q and rotated by exp(Ψ q)."""
    assert body.modes is not None
    series = [(names.index(name), f.symbols[name]) for name in body.modes.coordinates]
    moved = frame.point(f.values(node.position))
    columns = [f.values(column) for column in zip(*node.translation, strict=True)]
    for (number, q), column in zip(series, columns, strict=False):
        moved = moved.shift(column, q, number)
    for (a, b), column in zip(body.modes.products, columns[len(series) :], strict=True):
        first, second = f.symbols[a], f.symbols[b]
        moved = moved.shift(column, first * second, None)
        along = np.einsum("sij,sj->si", frame.R, column)
        for name, factor in ((a, second), (b, first)):
            moved.r_q[:, moved.moved.index(names.index(name))] += along * factor.c[0][:, None]
    turns = [_hat(f.values(column)) for column in zip(*node.rotation, strict=True)]
    hats = [
        sum((t * q.c[i][:, None, None] for t, (_, q) in zip(turns, series, strict=True)), np.zeros_like(frame.R))
        for i in range(3)
    ]
    E, dE, ddE = _powers(hats[0], hats[1], 2 * hats[2])
    R_q = moved.R_q @ E[:, None]
    for (number, _), turn in zip(series, turns, strict=True):
        R_q[:, moved.moved.index(number)] += moved.R @ _powers(hats[0], turn, 0 * turn)[1]
    return replace(
        moved,
        R=moved.R @ E,
        dR=moved.dR @ E + moved.R @ dE,
        ddR=moved.ddR @ E + 2 * moved.dR @ dE + moved.R @ ddE,
        R_q=R_q,
    )


def _powers(x: Array, dx: Array, ddx: Array) -> tuple[Array, Array, Array]:
    """Compute the exponential of matrices x (S, 3, 3) and its two rates: Σ y^k/k! with y = x / 2^s, squared s times."""
    size = np.sqrt(np.einsum("sij,sij->s", x, x) / 2)
    halvings = np.ceil(np.log2(np.maximum(np.where(np.isfinite(size), size, 0.0), PART) / PART))
    x, dx, ddx = (np.ldexp(part, -halvings.astype(int)[:, None, None]) for part in (x, dx, ddx))
    term = np.broadcast_to(np.eye(3), x.shape)
    rate, second = np.zeros_like(x), np.zeros_like(x)
    E, dE, ddE = term, rate, second
    for k in range(1, TERMS + 1):
        second = (second @ x + 2 * rate @ dx + term @ ddx) / k
        rate = (rate @ x + term @ dx) / k
        term = term @ x / k
        E, dE, ddE = E + term, dE + rate, ddE + second
    for k in range(int(np.max(halvings, initial=0))):
        more = (k < halvings)[:, None, None]
        ddE = np.where(more, ddE @ E + 2 * dE @ dE + E @ ddE, ddE)
        dE = np.where(more, dE @ E + E @ dE, dE)
        E = np.where(more, E @ E, E)
    return E, dE, ddE


def _hat(w: Array) -> Array:
    x, y, z = w.T
    o = np.zeros_like(x)
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)


def _matrix(f: SeriesFormulas, rows: Matrix) -> Array:
    return np.stack([f.values(row) for row in rows], axis=1)


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
            total[:, np.array(places, dtype=int)[:, None], places] += own
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
