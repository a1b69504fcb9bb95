"""The mass matrix is that of the kinetic energy; gravity's forces derive from the potential energy."""

from __future__ import annotations

import numpy as np

from mbconcord.model.expressions import ONE, ZERO, Expression, cos, gradient, sin, symbol
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Vector

from ..judge.elastic import media, soft_bodies
from ..judge.evidence import Comparison
from ..judge.kinematics import takes
from ..judge.motion import Array
from ..judge.trial import Trial
from .claim import compare_against, not_checked

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
