"""The claims: sentences about every model, each with the function that checks it."""

from __future__ import annotations

from . import (
    agreement,
    changed_units,
    direct_evaluation,
    forward_inverse,
    gravity_potential,
    kinetic_energy,
    moved_world,
    passivity,
    permuted_bodies,
    power_balance,
    static_moments,
    symmetry_positive_definite,
    welded_bodies,
)  # fmt: skip
from .claim import Claim

_MODULES = (
    agreement, kinetic_energy, symmetry_positive_definite, gravity_potential, static_moments, power_balance,
    forward_inverse, passivity, direct_evaluation, permuted_bodies, welded_bodies, moved_world, changed_units,
)  # fmt: skip

#: Every claim, by name (its module's), with its sentence.
ALL: tuple[Claim, ...] = tuple(
    Claim(module.__name__.rpartition(".")[2], module.SENTENCE, module.claim) for module in _MODULES
)

__all__ = ["ALL", "Claim"]
