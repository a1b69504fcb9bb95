"""Energies and powers: M is that of the kinetic energy, gravity's forces derive from the potential energy.

The power of generalized forces along q' is that of the forces on the bodies: the principle of virtual power.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbconcord.model.coordinate import Effort
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, directional, gradient, rate, sin, symbol
from mbconcord.model.features import is_prescribed
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Bushing, JointEffort, Torsion, Wrench
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Vector

from ..judge.elastic import media, soft_bodies
from ..judge.evidence import Comparison
from ..judge.kinematics import TreeKinematics, takes, with_rotors
from ..judge.motion import Array
from ..judge.scale import compute_bushing_wrench, compute_torsion_moment, line, push_along
from ..judge.trial import Trial
from .claim import compare_against, not_checked

POWER_BALANCE = "q'·(M a + h), q'·Q_gravity and q'·Q_applied are the powers of inertia, weights and applied forces."


def power_balance(made: Trial) -> list[Comparison]:
    """Compare each group's power along the velocities due to q' with a sum over bodies and forces."""
    if not takes(made.system):
        return [not_checked(name, "power", "not an open tree of rigid bodies") for name in made.evaluations]
    k, rows = made.kinematics, made.scales.rows
    speed = np.abs(k.v)
    powers = {"inertia": inertia_power(k), "gravity": gravity_power(k), "applied": applied_power(k)}
    scale = {key: np.sum(speed * rows[key], axis=1) for key in ("gravity", "applied")}
    scale["inertia"] = np.sum(speed * rows["inverse_dynamics"], axis=1)
    powers["inverse dynamics"], scale["inverse dynamics"] = powers["inertia"], scale["inertia"]
    found = []
    for name, e in made.evaluations.items():
        own, bounds = _groups(e.quantities, k.a), _groups(e.bounds, np.abs(k.a))
        found += [
            compare_against(
                made, name, f"power of {key}", np.sum(k.v * value, axis=1), powers[key], scale[key],
                bound=np.sum(speed * bounds[key], axis=1) if key in bounds else None,
            )
            for key, value in own.items()
        ]  # fmt: skip
    return found


def _groups(q: Mapping[str, Array], a: Array) -> dict[str, Array]:
    """Return a witness's generalized forces (N, n), or their bounds, in groups whose power is computed."""
    groups = {key: q[key] for key in ("gravity", "applied") if key in q}
    if "M" in q and "h" in q:
        groups["inertia"] = np.einsum("sij,sj->si", q["M"], a) + q["h"]
    if all(key in q for key in ("inverse_dynamics", "gravity", "applied")):
        groups["inverse dynamics"] = q["inverse_dynamics"] + q["gravity"] + q["applied"]
    return groups


def inertia_power(k: TreeKinematics) -> Array:
    """Compute Σ m a·v + (I α + ω × I ω)·ω' with v, ω' the velocities due to q' (N,); for fluid f·v + m·ω'."""
    total = np.zeros(k.count)
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        c, tensor = k.centre(body), k.tensor(body)
        a = c.acceleration + np.einsum("sai,si->sa", c.moving, k.a)
        alpha = c.spin_rate + np.einsum("sai,si->sa", c.turning, k.a)
        moment = np.einsum("sab,sb->sa", tensor, alpha)
        moment += np.cross(c.spin, np.einsum("sab,sb->sa", tensor, c.spin))
        total += m * _power(k, a, c.moving) + _power(k, moment, c.turning)
    for medium in media(k):
        total += _power(k, medium.wrench(k.a), medium.columns)
    for soft in soft_bodies(k):
        total += np.sum(k.v * soft.inertia(k.a), axis=1)
    for inertia, row in k.armatures():
        total += inertia * np.einsum("si,si->s", row, k.v) * np.einsum("si,si->s", row, k.a)
    return total


def gravity_power(k: TreeKinematics) -> Array:
    """Compute Σ m g·v (N,)."""
    g = k.vectors(k.system.gravity_vector)
    total = np.zeros(k.count)
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        total += m * _power(k, g, k.centre(body).moving)
    for soft in soft_bodies(k):
        total += np.sum(k.v * soft.weight(g), axis=1)
    return total


def applied_power(k: TreeKinematics) -> Array:
    """Sum the power of drives, efforts, bipolar forces, point forces and wrenches (N,)."""
    names = k.system.coordinate_names
    total = np.zeros(k.count)
    for soft in soft_bodies(k):
        total += np.sum(soft.rates * soft.resistance(), axis=1)
    for i, coordinate in enumerate(k.system.coordinates):
        if isinstance(coordinate.drive, Effort):
            total += k.scalars([coordinate.drive.value])[0] * k.v[:, i]
    for force in k.system.forces:
        if isinstance(force, JointEffort):
            total += k.scalars([force.expression()])[0] * k.v[:, names.index(force.coordinate)]
        elif isinstance(force, Bipolar):
            first, second = k.point(force.first), k.point(force.second)
            length, rate, unit = line(first, second)
            (f,) = k.scalars([force.force(LENGTH, LENGTH_RATE)], {"@": length, "@'": rate})
            total += _power(k, push_along(f, unit), second.moving - first.moving)
        elif isinstance(force, Bushing):
            total += _bushing_power(k, force)
        elif isinstance(force, Torsion):
            w = compute_torsion_moment(k, force)
            total += _power(k, w.moment, w.second.turning - w.first.turning)
        else:
            point = k.point(force.point)
            total += _power(k, k.push(force), point.moving)
            if isinstance(force, Wrench):
                total += _power(k, k.turned(force.point.body, k.vectors(force.moment)), point.turning)
    return total


def _bushing_power(k: TreeKinematics, force: Bushing) -> Array:
    """Compute the power of both wrenches along the velocities of q' (N,)."""
    w = compute_bushing_wrench(k, force)
    held = w.moment + np.cross(w.apart, w.force)
    given = _power(k, w.force, w.second.moving) + _power(k, w.moment, w.second.turning)
    return np.asarray(given - _power(k, w.force, w.first.moving) - _power(k, held, w.first.turning))


def _power(k: TreeKinematics, vector: Array, jacobian: Array) -> Array:
    return np.asarray(np.einsum("sa,sai,si->s", vector, jacobian, k.v))


PASSIVITY = "q'·(½ Ṁ q' - h) = 0 where nothing moves by a prescribed law (q'ᵀ(Ṁ - 2C)q' = 0)."


def passivity(made: Trial) -> list[Comparison]:
    """Compare ½ q'ᵀ Ṁ q', with Ṁ by differentiating the formalism's own graph, with q'·h."""
    bodies = with_rotors(made.system).bodies
    moved = [b.name for b in bodies if any(map(is_prescribed, b.joint))]
    if moved:
        reason = f"{moved[0]} moves by a prescribed law"
        return [not_checked(name, "q'·h", reason) for name in made.evaluations]
    k, n = made.kinematics, len(made.names)
    directions = {symbol(name): rate(name) for name in made.names}
    found = []
    for name, e in made.evaluations.items():
        if "M" in e.quantities and "h" in e.quantities and n:
            slopes = directional(flatten(made.derivations[name].quantities["M"]), directions)
            change = k.vectors(slopes).reshape(k.count, n, n)
            half = 0.5 * np.einsum("si,sij,sj->s", k.v, change, k.v)
            scale = np.sum(np.abs(k.v) * made.scales.rows["h"], axis=1)
            power = np.sum(k.v * e.quantities["h"], axis=1)
            found.append(compare_against(made, name, "q'·h", power, half, scale, "½ q'ᵀ Ṁ q'"))
    return found


KINETIC_ENERGY = "½ q'ᵀ M q' is the kinetic energy of the motion that the rates q' alone make."


def kinetic_energy(made: Trial) -> list[Comparison]:
    """Compare ½ q'ᵀ M q' with validation's Σ ½ (m v² + ω·I ω + VᵀΛV + a (c·q')²), prescribed motions at rest."""
    if not takes(made.system):
        return [not_checked(name, "kinetic energy", "not an open tree of rigid bodies") for name in made.evaluations]
    k = made.kinematics
    energy = np.zeros(k.count)
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        c = k.centre(body)
        v = np.einsum("sai,si->sa", c.moving, k.v)
        w = np.einsum("sai,si->sa", c.turning, k.v)
        energy += 0.5 * (m * np.einsum("sa,sa->s", v, v) + np.einsum("sa,sab,sb->s", w, k.tensor(body), w))
    for medium in media(k):
        twist = np.einsum("sai,si->sa", medium.columns, k.v)
        energy += 0.5 * np.einsum("sa,sab,sb->s", twist, medium.matrix, twist)
    for soft in soft_bodies(k):
        energy += 0.5 * np.einsum("si,sij,sj->s", k.v, soft.mass(), k.v)
    for inertia, row in k.armatures():
        energy += 0.5 * inertia * np.einsum("si,si->s", row, k.v) ** 2
    speed = np.abs(k.v)

    def half(matrix: Array, rates: Array) -> Array:
        return np.asarray(0.5 * np.einsum("si,sij,sj->s", rates, matrix, rates))

    scale = half(made.scales.contributions, speed)
    return [
        compare_against(
            made, name, "kinetic energy", half(e.quantities["M"], k.v), energy, scale,
            bound=half(e.bounds["M"], speed) if "M" in e.bounds else None,
        )
        for name, e in made.evaluations.items()
        if "M" in e.quantities
    ]  # fmt: skip


SYMMETRY = "M is symmetric, and positive definite where every coordinate moves inertia."


def symmetry(made: Trial) -> list[Comparison]:
    """Compare M with Mᵀ, and check that the smallest eigenvalue of the equilibrated M is not negative."""
    found = []
    for name, e in made.evaluations.items():
        if "M" in e.quantities:
            mass, own = e.quantities["M"], e.bounds.get("M")
            found.append(
                compare_against(
                    made, name, "M", mass, mass.transpose(0, 2, 1), made.scales.mass, "its transpose",
                    bound=None if own is None else own + own.transpose(0, 2, 1),
                )
            )  # fmt: skip
            least = _least(mass, made.scales.roots)
            ones = np.ones(len(least))
            found.append(
                compare_against(made, name, "eigenvalues of M", least, np.maximum(least, 0.0), ones, "non-negative")
            )
    return found


def _least(mass: Array, roots: Array) -> Array:
    """Compute the smallest eigenvalue (N,) of M_ij / √(M_ii M_jj)."""
    result = np.full(len(mass), np.nan)
    for s, (m, r) in enumerate(zip(mass, roots, strict=True)):
        unit = np.where(r > 0, r, 1.0)
        if np.isfinite(m).all() and len(m):
            result[s] = np.linalg.eigvalsh(m / np.outer(unit, unit))[0]
    return result


GRAVITY_POTENTIAL = "Q_gravity = -∂Π/∂q with Π = -Σ m g·r of the centres of mass."

Matrix = tuple[Vector, Vector, Vector]
UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def gravity_potential(made: Trial) -> list[Comparison]:
    """Compare gravity's rows with the gradient of the potential energy, which is built from positions alone."""
    soft = any(body.modal for body in made.system.bodies)
    if soft or not takes(made.system):
        why = "positions of elastic bodies are not written out here" if soft else "not an open tree of rigid bodies"
        return [not_checked(name, "gravity", why) for name in made.evaluations]
    k = made.kinematics
    slopes = gradient(potential(k.system), [symbol(name) for name in made.names])
    rows = -k.vectors(slopes) if slopes else np.zeros((k.count, 0))
    return [
        compare_against(
            made, name, "gravity", e.quantities["gravity"], rows, made.scales.rows["gravity"],
            bound=e.bounds.get("gravity"),
        )
        for name, e in made.evaluations.items()
        if "gravity" in e.quantities
    ]  # fmt: skip


def potential(system: System) -> Expression:
    """Return Π = -Σ m g·r (J), from the positions of the centres of mass in world axes."""
    frames: dict[str | None, tuple[Matrix, Vector]] = {None: (UNIT, (ZERO, ZERO, ZERO))}
    total = ZERO
    for body in system.bodies:
        turned, at = frames[body.parent]
        for et in body.joint:
            if et.is_translation:
                x, y, z = et.axis
                s = et.amount
                at = _point(turned, at, (s * x, s * y, s * z))
            else:
                turned = _product(turned, _rotation(et))
        frames[body.name] = turned, at
        total = total - body.inertia.mass * _dot(system.gravity_vector, _point(turned, at, body.inertia.centre))
    return total


def _rotation(et: ElementaryTransformation) -> Matrix:
    """Return Rodrigues' matrix: cos E + (1 - cos) u uᵀ + sin u×."""
    x, y, z = et.axis
    c, s = cos(et.amount), sin(et.amount)
    d = ONE - c
    return (
        (c + d * x * x, d * x * y - s * z, d * x * z + s * y),
        (d * y * x + s * z, c + d * y * y, d * y * z - s * x),
        (d * z * x - s * y, d * z * y + s * x, c + d * z * z),
    )


def _dot(a: Vector, b: Vector) -> Expression:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _point(turned: Matrix, at: Vector, arm: Vector) -> Vector:
    return at[0] + _dot(turned[0], arm), at[1] + _dot(turned[1], arm), at[2] + _dot(turned[2], arm)


def _product(a: Matrix, b: Matrix) -> Matrix:
    x, y, z = zip(*b, strict=True)
    return (
        (_dot(a[0], x), _dot(a[0], y), _dot(a[0], z)),
        (_dot(a[1], x), _dot(a[1], y), _dot(a[1], z)),
        (_dot(a[2], x), _dot(a[2], y), _dot(a[2], z)),
    )
