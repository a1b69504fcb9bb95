"""The claims: sentences about every model, each with the function that checks it."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model.diagnostics import MbconcordError, among, error

from . import (
    changed_units,
    direct_evaluation,
    energies,
    fields,
    joint_forces,
    power_balance,
    reinsertion,
    same_motion,
    static_moments,
)  # fmt: skip
from .claim import Claim
from .derived import derivatives

#: Every claim, by name, with its sentence.
ALL: tuple[Claim, ...] = (
    Claim("agreement", fields.AGREEMENT, fields.agreement),
    Claim("float_evaluation", fields.FLOAT_EVALUATION, fields.floats_in_bounds),
    Claim("fields", fields.SENTENCE, fields.claim),
    Claim("second_reading", fields.SECOND_READING, fields.second_reading),
    Claim("maximal", fields.MAXIMAL, fields.free_bodies),
    Claim("kinematics", fields.MOTIONS, fields.motions),
    Claim("kinetic_energy", energies.KINETIC_ENERGY, energies.kinetic_energy),
    Claim(
        "symmetry_positive_definite", energies.SYMMETRY, energies.symmetry
    ),
    Claim("gravity_potential", energies.GRAVITY_POTENTIAL, energies.gravity_potential),
    Claim("static_moments", static_moments.SENTENCE, static_moments.claim),
    Claim("joint_forces", joint_forces.SENTENCE, joint_forces.claim),
    Claim("power_balance", power_balance.SENTENCE, power_balance.claim),
    Claim("forward_inverse", reinsertion.FORWARD_INVERSE, reinsertion.forward_inverse),
    Claim("reinsertion", reinsertion.SENTENCE, reinsertion.claim),
    Claim("reinsertion_once", reinsertion.REINSERTION_ONCE, reinsertion.reinsertion_once),
    Claim("passivity", power_balance.PASSIVITY, power_balance.passivity),
    Claim("direct_evaluation", direct_evaluation.SENTENCE, direct_evaluation.claim),
    Claim("permuted_bodies", same_motion.PERMUTED_BODIES, same_motion.permuted_bodies),
    Claim("welded_bodies", same_motion.WELDED_BODIES, same_motion.welded_bodies),
    Claim("moved_world", same_motion.MOVED_WORLD, same_motion.moved_world),
    Claim("changed_units", changed_units.SENTENCE, changed_units.claim),
    Claim("changed_together", changed_units.CHANGED_TOGETHER, changed_units.changed_together),
    Claim("derivatives_once", derivatives.DERIVATIVES_ONCE, derivatives.derivatives_once),
    Claim("derivatives", derivatives.SENTENCE, derivatives.claim),
    Claim("regressor", derivatives.LINEAR_IN_PARAMETERS, derivatives.linear_in_parameters),
)  # fmt: skip

#: Claims of every check beside the agreement of the formalisms; the others are asked for.
DEFAULT = (
    "float_evaluation", "fields", "second_reading", "maximal", "kinematics", "kinetic_energy", "gravity_potential",
    "joint_forces", "power_balance", "forward_inverse", "direct_evaluation", "derivatives_once",
)  # fmt: skip


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


def choose_claims(names: Iterable[str]) -> tuple[Claim, ...]:
    """Return the claims of these names; ``all`` excludes those that combine others and those of :data:`BY_NAME`.

    Raises
    ------
    MbconcordError
        A claim does not exist; the message lists the known ones.
    """
    asked, known = tuple(names), {claim.name: claim for claim in ALL if claim.name != "agreement"}
    for name in asked:
        if name not in known and name != "all":
            raise MbconcordError(error("--claims", f"there is no claim {name!r}", among(name, ("all", *known))))
    every = known.keys() - SOONER.keys() - set(BY_NAME) if "all" in asked else set()
    return tuple(claim for name, claim in known.items() if name in asked or name in every)


__all__ = ["ALL", "BY_NAME", "DEFAULT", "EVERY", "SOONER", "Claim", "choose_claims"]
