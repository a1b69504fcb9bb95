"""The mass of a model's bodies and its first moment about the fixed origin, by validation's own kinematics."""

from __future__ import annotations

import numpy as np

from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.kinematics import Kinematics
from ..judge.motion import Array
from ..judge.tolerances import evaluation_tolerance


def first_moment(k: Kinematics) -> tuple[Array, Array, Array]:
    """Σ m (N,), Σ m r (N, 3), and what the latter is made of (N,)."""
    mass, moment, size = np.zeros(k.count), np.zeros((k.count, 3)), np.zeros(k.count)
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        centre = k.centre(body)
        mass += m
        moment += m[:, None] * centre.position
        size += np.abs(m) * centre.path
    return mass, moment, size


def compared(name: str, moment: Array, k: Kinematics) -> Comparison:
    """First moments (N, 3) of a witness against those of the bodies."""
    _, own, size = first_moment(k)
    ones = np.ones(k.count)
    scale = np.repeat(size[:, None], 3, axis=1)
    difference = Difference(moment, own, scale, ones * evaluation_tolerance(), ones)
    return worst(name, "bodies", "first moment", difference, k.states, ("x", "y", "z"))
