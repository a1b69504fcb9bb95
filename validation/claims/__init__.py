"""The claims: sentences about every model, each with the function that checks it."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model.diagnostics import MbconcordError, among, error

from . import (
    agreement,
    changed_units,
    direct_evaluation,
    fields,
    float_evaluation,
    forward_inverse,
    gravity_potential,
    joint_forces,
    kinetic_energy,
    moved_world,
    passivity,
    permuted_bodies,
    power_balance,
    reinsertion,
    static_moments,
    symmetry_positive_definite,
    welded_bodies,
)  # fmt: skip
from .claim import Claim

_MODULES = (
    agreement, float_evaluation, fields, kinetic_energy, symmetry_positive_definite, gravity_potential,
    static_moments, joint_forces, power_balance, forward_inverse, reinsertion, passivity, direct_evaluation,
    permuted_bodies,
    welded_bodies, moved_world, changed_units,
)  # fmt: skip

#: Every claim, by name (its module's), with its sentence.
ALL: tuple[Claim, ...] = tuple(
    Claim(module.__name__.rpartition(".")[2], module.SENTENCE, module.claim) for module in _MODULES
)

#: Claims of every check beside the agreement of the formalisms; the others are asked for.
DEFAULT = (
    "float_evaluation",
    "fields",
    "kinetic_energy",
    "gravity_potential",
    "power_balance",
    "forward_inverse",
)


def chosen(names: Iterable[str]) -> tuple[Claim, ...]:
    """The claims of these names; ``all`` is every one.

    Raises
    ------
    MbconcordError
        There is no claim of a name; the known ones are listed.
    """
    asked, known = tuple(names), {claim.name: claim for claim in ALL if claim.name != "agreement"}
    for name in asked:
        if name not in known and name != "all":
            raise MbconcordError(
                error("--claims", f"there is no claim {name!r}", among(name, ("all", *known)))
            )
    return tuple(claim for name, claim in known.items() if name in asked or "all" in asked)


__all__ = ["ALL", "DEFAULT", "Claim", "chosen"]
