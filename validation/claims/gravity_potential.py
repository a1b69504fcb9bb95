"""Gravity's generalized forces derive from the potential energy."""

from __future__ import annotations

import numpy as np

from mbconcord.model.expressions import ONE, ZERO, Expression, cos, gradient, sin, symbol
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Vector

from ..judge.evidence import Comparison
from ..judge.kinematics import takes
from ..judge.trial import Trial
from .claim import against, not_checked

SENTENCE = "Q_gravity = -∂Π/∂q with Π = -Σ m g·r of the centres of mass."

Matrix = tuple[Vector, Vector, Vector]
UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def claim(made: Trial) -> list[Comparison]:
    """Gravity's rows against the gradient of the potential, written down from positions alone."""
    soft = any(body.modal for body in made.system.bodies)
    if soft or not takes(made.system):
        why = (
            "positions of elastic bodies are not written out here"
            if soft
            else "not an open tree of rigid bodies"
        )
        return [not_checked(name, "gravity", why) for name in made.evaluations]
    k = made.kinematics
    slopes = gradient(potential(k.system), [symbol(name) for name in made.names])
    rows = -k.vectors(slopes) if slopes else np.zeros((k.count, 0))
    return [
        against(
            made, name, "gravity", e.quantities["gravity"], rows, made.scales.rows["gravity"],
            bound=e.bounds.get("gravity"),
        )
        for name, e in made.evaluations.items()
        if "gravity" in e.quantities
    ]  # fmt: skip


def potential(system: System) -> Expression:
    """Π = -Σ m g·r (J), from the positions of the centres of mass in world axes."""
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
        total = total - body.inertia.mass * _dot(
            system.gravity_vector, _point(turned, at, body.inertia.centre)
        )
    return total


def _rotation(et: ElementaryTransformation) -> Matrix:
    """Rodrigues: cos E + (1 - cos) u uᵀ + sin u×."""
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
