"""Coriolis and centrifugal forces do no work beyond what changes the mass matrix."""

from __future__ import annotations

import numpy as np

from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import directional, rate, symbol
from mbconcord.model.transformation import Prescribed

from ..judge.evidence import Comparison
from ..judge.kinematics import with_rotors
from ..judge.trial import Trial
from .claim import against, not_checked

SENTENCE = "q'·(½ Ṁ q' - h) = 0 where nothing moves by a prescribed law (q'ᵀ(Ṁ - 2C)q' = 0)."


def claim(made: Trial) -> list[Comparison]:
    """½ q'ᵀ Ṁ q', with Ṁ by differentiating the formalism's own graph, against q'·h."""
    bodies = with_rotors(made.system).bodies
    moved = [b.name for b in bodies if any(isinstance(et.motion, Prescribed) for et in b.joint)]
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
            found.append(against(made, name, "q'·h", power, half, scale, "½ q'ᵀ Ṁ q'"))
    return found
