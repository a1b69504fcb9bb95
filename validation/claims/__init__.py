"""The claims: sentences about every model, each with the function that checks it."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model.diagnostics import MbconcordError, among, error

from . import (
    agreement,
    changed_together,
    changed_units,
    direct_evaluation,
    fields,
    float_evaluation,
    forward_inverse,
    gravity_potential,
    joint_forces,
    kinetic_energy,
    maximal,
    moved_world,
    passivity,
    permuted_bodies,
    power_balance,
    reinsertion,
    reinsertion_once,
    second_reading,
    static_moments,
    symmetry_positive_definite,
    welded_bodies,
)  # fmt: skip
from .claim import Claim
from .derived import derivatives, derivatives_once, regressor

_MODULES = (
    agreement, float_evaluation, fields, second_reading, maximal, kinetic_energy,
    symmetry_positive_definite, gravity_potential, static_moments, joint_forces, power_balance, forward_inverse,
    reinsertion, reinsertion_once, passivity, direct_evaluation, permuted_bodies, welded_bodies, moved_world,
    changed_units, changed_together, derivatives_once, derivatives, regressor,
)  # fmt: skip

#: Every claim, by name (its module's), with its sentence.
ALL: tuple[Claim, ...] = tuple(
    Claim(module.__name__.rpartition(".")[2], module.SENTENCE, module.claim) for module in _MODULES
)

#: Claims of every check beside the agreement of the formalisms; the others are asked for.
DEFAULT = (
    "float_evaluation",
    "fields",
    "second_reading",
    "maximal",
    "kinetic_energy",
    "gravity_potential",
    "joint_forces",
    "power_balance",
    "forward_inverse",
    "direct_evaluation",
    "derivatives_once",
)


#: Claims that say sooner what others say in full, and these: ``all`` has those, a campaign the former.
SOONER = {
    "changed_together": ("permuted_bodies", "welded_bodies", "moved_world", "changed_units"),
    "reinsertion_once": ("reinsertion",),
}
#: Claims that cost more than all others together: asked for by their names alone.
BY_NAME = ("derivatives", "regressor")
#: Every claim once, the fast way.
EVERY = tuple(
    claim.name
    for claim in ALL
    if claim.name not in ("agreement", *BY_NAME, *(name for names in SOONER.values() for name in names))
)


def chosen(names: Iterable[str]) -> tuple[Claim, ...]:
    """The claims of these names; ``all`` is every one, but for those that say others at once and
    those of :data:`BY_NAME`.

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
    every = known.keys() - SOONER.keys() - set(BY_NAME) if "all" in asked else set()
    return tuple(claim for name, claim in known.items() if name in asked or name in every)


__all__ = ["ALL", "BY_NAME", "DEFAULT", "EVERY", "SOONER", "Claim", "chosen"]
