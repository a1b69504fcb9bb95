"""The mass matrix is symmetric, and no motion has negative kinetic energy."""

from __future__ import annotations

import numpy as np

from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.trial import Trial
from .claim import against

SENTENCE = "M is symmetric, and positive definite where every coordinate moves inertia."


def claim(made: Trial) -> list[Comparison]:
    """M against Mᵀ, and the smallest eigenvalue of the equilibrated M against its non-negative part."""
    found = []
    for name, e in made.evaluations.items():
        if "M" in e.quantities:
            mass, own = e.quantities["M"], e.bounds.get("M")
            found.append(
                against(
                    made, name, "M", mass, mass.transpose(0, 2, 1), made.scales.mass, "its transpose",
                    bound=None if own is None else own + own.transpose(0, 2, 1),
                )
            )  # fmt: skip
            least = _least(mass, made.scales.roots)
            ones = np.ones(len(least))
            found.append(
                against(made, name, "eigenvalues of M", least, np.maximum(least, 0.0), ones, "non-negative")
            )
    return found


def _least(mass: Array, roots: Array) -> Array:
    """Smallest eigenvalue (N,) of M_ij / √(M_ii M_jj)."""
    result = np.full(len(mass), np.nan)
    for s, (m, r) in enumerate(zip(mass, roots, strict=True)):
        unit = np.where(r > 0, r, 1.0)
        if np.isfinite(m).all() and len(m):
            result[s] = np.linalg.eigvalsh(m / np.outer(unit, unit))[0]
    return result
