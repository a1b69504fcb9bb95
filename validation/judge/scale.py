"""Scales: sizes of the entries of a result, as sums of absolute contributions of bodies and forces.

A difference is judged against what went into the number, not against what was left of it: a sum that cancels
to 1e-9 of its terms has 1e-9 of their digits. Computed by validation's own kinematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import derivative
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, JointEffort, Torsion, Wrench, law_at
from mbconcord.model.mixed import free, imposed_numbers
from mbconcord.model.turns import sum_of_turns
from mbconcord.records import dataclass

from .elastic import media, soft_bodies
from .kinematics import TreeKinematics
from .motion import Array, MotionNumbers, norm, rotate
from .tolerances import NO_INERTIA


@dataclass(frozen=True)
class Scales:
    """Scales at N states of n coordinates.

    Attributes
    ----------
    mass (N, n, n) : √(M_ii M_jj); the entry of ``contributions`` if M_ii is rounding only
    contributions (N, n, n) : sums of the absolute values of all products that M is summed from
    rows : scales of h, gravity, applied and inverse dynamics, (N, n) each
    roots (N, n) : √M_ii, by which the acceleration q''_i is multiplied for comparison
    forces (N,) : largest row of h, gravity and applied in units of the roots: the scale of √M_ii q''_i
    cond (N,) : condition number of M_ij / √(M_ii M_jj) of the coordinates whose accelerations are unknown
    """

    mass: Array
    contributions: Array
    rows: dict[str, Array]
    roots: Array
    forces: Array
    cond: Array

    def with_those_of(self, other: Scales, order: Sequence[int]) -> Scales:
        """Return the larger of these scales and another model's; ``order``: its places of these coordinates."""
        kept = list(order)
        square = np.ix_(range(len(other.cond)), kept, kept)
        with np.errstate(all="ignore"):
            return Scales(
                np.fmax(self.mass, other.mass[square]),
                np.fmax(self.contributions, other.contributions[square]),
                {name: np.fmax(own, other.rows[name][:, kept]) for name, own in self.rows.items()},
                np.fmax(self.roots, other.roots[:, kept]),
                np.fmax(self.forces, other.forces),
                np.fmax(self.cond, other.cond),
            )

    def scale_efforts(self, accelerations: Array) -> Array:
        """Return the scale (N, n) of the efforts for these accelerations (N, n)."""
        moved = np.einsum("sij,sj->si", self.contributions, np.abs(accelerations))
        return np.asarray(moved + self.rows["h"] + self.rows["gravity"] + self.rows["applied"])


def scales(k: TreeKinematics) -> Scales:
    """Compute scales of every canonical quantity at the states of the kinematics."""
    mass, parts = mass_matrix(k), mass_contributions(k)
    own = np.einsum("sii->si", mass)
    bound = np.einsum("sii->si", parts)
    diagonal = np.where(own > NO_INERTIA * bound, own, bound)
    roots = np.sqrt(diagonal)
    rows = scale_forces(k)
    forces = sum(rows.values(), np.zeros((k.count, k.n)))
    rows["inverse_dynamics"] = np.einsum("sij,sj->si", parts, np.abs(k.a)) + forces
    places = free(k.system)
    pushed = forces + _scale_imposed(k, parts)
    with np.errstate(all="ignore"):
        scaled = np.where(roots > 0, pushed / roots, np.where(pushed > 0, np.inf, 0.0))
    return Scales(
        roots[:, :, None] * roots[:, None, :],
        parts,
        rows,
        roots,
        np.max(scaled, axis=1, initial=0.0),
        condition(mass[:, places][:, :, places]),
    )


def scale_forces(k: TreeKinematics) -> dict[str, Array]:
    """Return the scales of h, gravity and applied forces (N, n); these do not depend on M."""
    return {"h": _inertial(k), "gravity": _weights(k), "applied": _scale_applied(k)}


def _scale_imposed(k: TreeKinematics, contributions: Array) -> Array:
    """Sum the absolute effects of imposed accelerations along every coordinate (N, n)."""
    given = imposed_numbers(k.system, k.values, k.count)
    return np.asarray(np.einsum("sij,sj->si", contributions, np.abs(np.where(np.isfinite(given), given, 0.0))))


def mass_matrix(k: TreeKinematics, weights: Mapping[str, float] | None = None) -> Array:
    """Compute M = Σ m JᵀJ + J_ωᵀ I J_ω (N, n, n) over the bodies, plus fluid and armatures.

    ``weights``: rigid body -> weight; then only the inertias of these bodies, times their weights, are summed.
    """
    total = np.zeros((k.count, k.n, k.n))
    for body in k.rigid_bodies if weights is None else (b for b in k.given.bodies if b.name in weights):
        if not body.inertia.is_zero:
            (m,), weight = k.scalars([body.inertia.mass]), 1.0 if weights is None else weights[body.name]
            c = k.centre(body)
            total += weight * m[:, None, None] * np.einsum("sai,saj->sij", c.moving, c.moving)
            total += weight * np.einsum("sai,sab,sbj->sij", c.turning, k.tensor(body), c.turning)
    if weights is not None:
        return total
    for medium in media(k):
        total += medium.mass()
    for soft in soft_bodies(k):
        total += soft.mass()
    for inertia, row in k.armatures():
        total += np.einsum("s,si,sj->sij", inertia, row, row)
    return total


def mass_contributions(k: TreeKinematics) -> Array:
    """Return M with every product taken absolutely (N, n, n)."""
    total = np.zeros((k.count, k.n, k.n))
    for body in k.rigid_bodies:
        if not body.inertia.is_zero:
            (m,) = k.scalars([body.inertia.mass])
            c = k.centre(body)
            total += np.abs(m)[:, None, None] * c.lever[:, :, None] * c.lever[:, None, :]
            total += _size(k.tensor(body))[:, None, None] * c.turns[:, :, None] * c.turns[:, None, :]
    for medium in media(k):
        total += medium.mass_contributions()
    for soft in soft_bodies(k):
        total += soft.mass_contributions()
    for inertia, row in k.armatures():
        total += np.einsum("s,si,sj->sij", np.abs(inertia), np.abs(row), np.abs(row))
    return total


def _inertial(k: TreeKinematics) -> Array:
    """Return the scale of h (N, n): contributions of every body's acceleration and kinetic energy, at q'' = 0.

    Inertia: m |a| along the lever, |I| (|α| + |ω|²) about the turns. Energy: d/dt ∂T/∂q' and ∂T/∂q have more
    terms each, which cancel between them: m |v| |ω| along the lever, and m |v|² about the turns, because a turn
    changes every component of the velocity in the body's axes (m v·(u × v) = 0 in exact arithmetic only).
    """
    total = np.zeros((k.count, k.n))
    for body in k.rigid_bodies:
        if not body.inertia.is_zero:
            (m,) = np.abs(k.scalars([body.inertia.mass]))
            c = k.centre(body)
            total += (m * (c.shaking + c.turn_speed * c.speed))[:, None] * c.lever
            turning = _size(k.tensor(body)) * (c.turn_shaking + c.turn_speed**2)
            total += (turning + m * c.speed**2)[:, None] * c.turns
    for medium in media(k):
        total += medium.inertial_size()
    for soft in soft_bodies(k):
        total += soft.inertial_size()
    return total


def _weights(k: TreeKinematics) -> Array:
    g = norm(np.stack(k.sizes(k.system.gravity_vector), axis=1))
    total = np.zeros((k.count, k.n))
    for body in k.rigid_bodies:
        if body.inertia.mass:
            (m,) = k.scalars([body.inertia.mass])
            total += (np.abs(m) * g)[:, None] * k.centre(body).lever
    for soft in soft_bodies(k):
        total += soft.weight_size(g)
    return total


def _scale_applied(k: TreeKinematics) -> Array:
    total = np.zeros((k.count, k.n))
    for soft in soft_bodies(k):
        total[:, soft.at] += soft.resistance_size()
    for i, coordinate in enumerate(k.system.coordinates):
        if isinstance(coordinate.drive, Effort):
            total[:, i] += k.sizes([coordinate.drive.value])[0]
    for force in k.system.forces:
        if isinstance(force, JointEffort):
            i = k.system.coordinate_names.index(force.coordinate)
            total[:, i] += k.sizes([force.expression()])[0]
        elif isinstance(force, Bipolar):
            total += _bipolar(k, force)
        elif isinstance(force, Bushing):
            total += _bushing(k, force)
        elif isinstance(force, Torsion):
            w = compute_torsion_moment(k, force)
            total += w.size[:, None] * (w.first.turns + w.second.turns)
        else:
            point = k.point(force.point)
            total += norm(np.stack(k.sizes(force.force), axis=1))[:, None] * point.lever
            if isinstance(force, Wrench):
                total += norm(np.stack(k.sizes(force.moment), axis=1))[:, None] * point.turns
    return total


def _bipolar(k: TreeKinematics, force: Bipolar) -> Array:
    """Return the scale (N, n) of a bipolar force: |F| and errors of length, rate and direction, times both levers."""
    first, second = k.point(force.first), k.point(force.second)
    length, rate, _ = line(first, second)
    law = force.force(LENGTH, LENGTH_RATE)
    slopes = [derivative(law, LENGTH), derivative(law, LENGTH_RATE)]
    f, stiffness, damping = k.sizes([law, *slopes], {"@": length, "@'": rate})
    path, speed = first.path + second.path, first.speed + second.speed
    with np.errstate(all="ignore"):
        turned = path / length
        parts = (f * (1 + turned), stiffness * path, damping * speed * (1 + turned))
    size = np.sum([np.where(x == 0, 0.0, y) for x, y in zip((f, stiffness, damping), parts, strict=True)], axis=0)
    return np.asarray(size[:, None] * (first.lever + second.lever))


def _bushing(k: TreeKinematics, force: Bushing) -> Array:
    """Return the scale (N, n) of a bushing: sizes of force, of moment, and of force times arm, on both frames."""
    w = compute_bushing_wrench(k, force)
    path = (w.first.path + w.second.path)[:, None]
    levers = w.first.lever + w.second.lever + path * w.first.turns
    return np.asarray(w.push[:, None] * levers + w.twist[:, None] * (w.first.turns + w.second.turns))


@dataclass(frozen=True)
class Wrenched:
    """Load of a bushing: both frames, and force (N, 3) at the second's origin and moment (N, 3) on it, world axes.

    The first gets the opposite force at the origin of the second, and the opposite moment. ``push``, ``twist`` (N,):
    what their sizes are made of.
    """

    first: MotionNumbers
    second: MotionNumbers
    force: Array
    moment: Array
    push: Array
    twist: Array

    @property
    def apart(self) -> Array:
        """Vector from the first frame's origin to the second's (N, 3)."""
        return np.asarray(self.second.position - self.first.position)


def compute_bushing_wrench(k: TreeKinematics, force: Bushing) -> Wrenched:
    """Compute w = preload - K u - D u' in the first frame's axes, and the sizes of its terms."""
    first, second = k.follow(force.first), k.follow(force.second)
    back = np.swapaxes(first.rotation, 1, 2)
    d = second.position - first.position
    T = back @ second.rotation
    s = np.stack([T[:, 2, 1] - T[:, 1, 2], T[:, 0, 2] - T[:, 2, 0], T[:, 1, 0] - T[:, 0, 1]], axis=1) / 2
    u = np.concatenate([rotate(back, d), s], axis=1)
    drift = second.velocity - first.velocity - np.cross(first.spin, d)
    rates = np.concatenate([rotate(back, drift), rotate(back, second.spin - first.spin)], axis=1)
    K, D, preload = k.matrix(force.stiffness), k.matrix(force.damping), k.vectors(force.preload)
    w = preload - rotate(K, u) - rotate(D, rates)
    path, turning = first.path + second.path, first.turn_speed + second.turn_speed
    speed = first.speed + second.speed + first.turn_speed * path
    sizes = np.stack([path] * 3 + [np.ones(k.count)] * 3, axis=1)
    quick = np.stack([speed] * 3 + [turning] * 3, axis=1)
    size = np.abs(preload) + rotate(np.abs(K), sizes) + rotate(np.abs(D), quick)
    return Wrenched(
        first, second, rotate(first.rotation, w[:, :3]), rotate(first.rotation, w[:, 3:]),
        norm(size[:, :3]), norm(size[:, 3:]),
    )  # fmt: skip


#: An axis that is seen so near the jump of its angle, or so short, has either angle.
CUT = 1e-13


@dataclass(frozen=True)
class Twisted:
    """Both frames of a torsion, the moment on the second in world axes (N, 3), and the size of its terms (N,).

    The size is infinite at the angles π and -π, where the angle jumps.
    """

    first: MotionNumbers
    second: MotionNumbers
    moment: Array
    size: Array


def compute_torsion_moment(k: TreeKinematics, force: Torsion) -> Twisted:
    """Compute M n: n the first frame's z axis, M at the angle of the second's x axis in the first frame."""
    first, second = k.follow(force.first), k.follow(force.second)
    x, y, n = (first.rotation[:, :, i] for i in range(3))
    e = second.rotation[:, :, 0]
    across, along = np.einsum("si,si->s", y, e), np.einsum("si,si->s", x, e)
    angle, rate = np.arctan2(across, along), np.einsum("si,si->s", n, second.spin - first.spin)
    turns = sum_of_turns(k.system, force)
    if turns is not None:
        angle += 2 * np.pi * np.round((k.scalars([turns])[0] - angle) / (2 * np.pi))
    law = law_at(force.law, LENGTH, LENGTH_RATE)
    slopes = [derivative(law, LENGTH), derivative(law, LENGTH_RATE)]
    M, stiffness, damping = k.scalars([law, *slopes], {"@": angle, "@'": rate})
    with np.errstate(all="ignore"):
        turned = 1 / np.hypot(across, along)
    quick = first.turn_speed + second.turn_speed
    size = np.abs(M) + np.abs(stiffness) * (1 + turned) + np.abs(damping) * quick
    if turns is None:
        size = np.where((np.abs(across) <= CUT) & (along < CUT), np.inf, size)
    return Twisted(first, second, M[:, None] * n, size)


def line(first: MotionNumbers, second: MotionNumbers) -> tuple[Array, Array, Array]:
    """Return the distance (N,) of two points, its rate (N,), and the unit vector (N, 3) from first to second."""
    apart = second.position - first.position
    length = norm(apart)
    with np.errstate(all="ignore"):
        unit = apart / length[:, None]
    return length, np.einsum("si,si->s", unit, second.velocity - first.velocity), unit


def push_along(force: Array, unit: Array) -> Array:
    """Return force (N,) times unit vectors (N, 3); zero where the force is, even if the direction is undefined."""
    with np.errstate(invalid="ignore"):
        return np.where(force[:, None] == 0, 0.0, force[:, None] * unit)


def _size(matrices: Array) -> Array:
    return norm(matrices.reshape(len(matrices), -1))


def condition(mass: Array) -> Array:
    """Compute condition numbers (N,) of the equilibrated matrices; infinite unless the diagonal is positive."""
    result = np.full(len(mass), np.inf)
    for s, m in enumerate(mass):
        diagonal = np.diag(m)
        if np.isfinite(m).all() and (diagonal > 0).all():
            root = 1 / np.sqrt(diagonal)
            result[s] = np.linalg.cond(m * np.outer(root, root)) if len(m) else 1.0
    return result
