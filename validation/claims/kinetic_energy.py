"""The mass matrix is that of the kinetic energy."""

from __future__ import annotations

import numpy as np

from ..judge.elastic import soft_bodies
from ..judge.evidence import Comparison
from ..judge.kinematics import takes
from ..judge.medium import media
from ..judge.motion import Array
from ..judge.trial import Trial
from .claim import against, not_checked

SENTENCE = "½ q'ᵀ M q' is the kinetic energy of the motion that the rates q' alone make."


def claim(made: Trial) -> list[Comparison]:
    """½ q'ᵀ M q' against Σ ½ (m v² + ω·I ω + VᵀΛV + a (c·q')²) of validation's kinematics, prescribed motion still."""
    if not takes(made.system):
        return [
            not_checked(name, "kinetic energy", "not an open tree of rigid bodies")
            for name in made.evaluations
        ]
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
        against(
            made, name, "kinetic energy", half(e.quantities["M"], k.v), energy, scale,
            bound=half(e.bounds["M"], speed) if "M" in e.bounds else None,
        )
        for name, e in made.evaluations.items()
        if "M" in e.quantities
    ]  # fmt: skip
