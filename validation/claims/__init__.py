"""The claims: sentences about every model, each with the function that checks it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation

from ..judge.evidence import Comparison
from ..judge.kinematics import TreeKinematics, takes
from ..judge.motion import Array
from ..judge.trial import Trial
from ..witnesses.sums.joint_forces import compare_joint_forces, draw_joint, draw_openers, may_open
from . import changed_units, energies, fields, reinsertion, same_motion
from .claim import DIRECTLY, Claim, claim_direct_evaluation, compare_against, not_checked
from .derived import derivatives

IN_JOINTS = "What a joint bears is Σ m (a - g) - Σ F of all bodies that it carries, with their moments and d(I ω)/dt."


def joint_forces(made: Trial) -> list[Comparison]:
    """Compare joint forces of formalisms with each other and with sums over the bodies.

    For a model with constraints compare those of its motion, and the forces at the cuts. One formalism without native
    forces opens the joint of one body; the seed draws both.
    """
    if made.closed is not None:
        return _check_constrained(made, made.closed)
    asked = [f for f in _list_able(made) if f.name in made.evaluations]
    found = compare_joint_forces(made.kinematics, asked, draw_joint(made.system, made.seed))
    return [*found.comparisons] or [_silent(made, found.values)]


def _list_able(made: Trial) -> list[Formalism]:
    """List the formalisms with joint forces of their own, then those that may open one joint of this model."""
    return draw_openers([f for f in made.formalisms if may_open(f, made.original, 1)], made.seed)


def _silent(made: Trial, given: Collection[str]) -> Comparison:
    """Report that joint forces are not compared, and why; ``given`` names the witnesses that deliver them."""
    by = [formalism.name for formalism in made.formalisms if formalism.name in given]
    unknown = f"sums over the bodies, beside {', '.join(by)}, know neither fluids nor elastic bodies"
    return not_checked("", JOINT_FORCES, unknown if by else "nobody delivers them of this model")


def _check_constrained(made: Trial, system: System) -> list[Comparison]:
    from ..witnesses.sums import constrained_forces  # not before: most models have no constraints

    if made.assembly is None:
        return [not_checked("", JOINT_FORCES, "the states do not satisfy the constraints")]
    found = constrained_forces.compare_constrained_forces(
        system, made.assembly, _list_able(made), made.derivations, made.measure, draw_joint(system, made.seed)
    )
    return [*found.comparisons] or [_silent(made, found.at_joints)]


STATIC_MOMENTS = "Static moments are Lagrange's gravity terms: n·(m̄ × g) of a revolute joint, m n·g of a prismatic one."

#: The native quantity: a vector m̄ (kg m, fixed axes) of each moving transformation, in the model's order.
MOMENTS = "static_moments"


def static_moments(made: Trial) -> list[Comparison]:
    """Compare every formalism's rows of gravity with those of static moments m̄ by validation's own axes and masses.

    The static moments come from every formalism that delivers them.
    """
    writers = {name: derivation for name, derivation in made.derivations.items() if MOMENTS in derivation.native}
    if not writers or not takes(made.system):
        reason = "not an open tree of rigid bodies" if writers else "no static moments"
        return [not_checked(name, "gravity", reason) for name in made.evaluations]
    return [
        compare_against(
            made, name, "gravity", e.quantities["gravity"], rows, made.scales.rows["gravity"], writer,
            bound=e.bounds.get("gravity"),
        )
        for writer, rows in ((writer, statics(made.kinematics, d)) for writer, d in writers.items())
        for name, e in made.evaluations.items()
        if "gravity" in e.quantities
    ]  # fmt: skip


def statics(k: TreeKinematics, derivation: Derivation) -> Array:
    """Compute generalized forces of gravity (N, n): moment and force of all that each joint carries, along n."""
    g = k.vectors(k.system.gravity_vector)
    rows = np.zeros((k.count, k.n))
    if not k.n:
        return rows
    moments = k.vectors(flatten(derivation.native[MOMENTS])).reshape(k.count, -1, 3)
    for i, (body, et) in enumerate(joints(k.system)):
        column = k.system.coordinate_names.index(et.coordinate or "")
        frame = k.frame(body)
        if et.is_translation:
            axis, pull = frame.moving[:, :, column], carried_mass(k, body)[:, None] * g
        else:
            axis, pull = frame.turning[:, :, column], np.cross(moments[:, i], g)
        rows[:, column] = np.einsum("sa,sa->s", axis, pull)
    return rows


def joints(system: System) -> list[tuple[str, ElementaryTransformation]]:
    """Return each moving transformation with its body, in the order of the static moments."""
    return [(body.name, et) for body in system.bodies for et in body.joint if et.coordinate]


def carried_mass(k: TreeKinematics, name: str) -> Array:
    """Return the mass (N,) of a body and of all that it carries."""
    carried = [b for b in k.system.bodies if any(p.name == name for p in k.system.path(b.name))]
    total: Array = k.vectors(b.inertia.mass for b in carried).sum(axis=1)
    return total


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
    Claim("static_moments", STATIC_MOMENTS, static_moments),
    Claim("joint_forces", IN_JOINTS, joint_forces),
    Claim("power_balance", energies.POWER_BALANCE, energies.power_balance),
    Claim("forward_inverse", reinsertion.FORWARD_INVERSE, reinsertion.forward_inverse),
    Claim("reinsertion", reinsertion.SENTENCE, reinsertion.claim),
    Claim("reinsertion_once", reinsertion.REINSERTION_ONCE, reinsertion.reinsertion_once),
    Claim("passivity", energies.PASSIVITY, energies.passivity),
    Claim("direct_evaluation", DIRECTLY, claim_direct_evaluation),
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
