"""Balance of joint forces with the needs of the bodies carried: Newton's and Euler's equations of each subtree."""

from __future__ import annotations

from collections.abc import Collection

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.model.system import System

from ..judge.evidence import Comparison
from ..judge.trial import Trial
from ..witnesses.sums.joint_forces import compare_joint_forces, draw_joint, may_open
from .claim import not_checked

SENTENCE = "What a joint bears is Σ m (a - g) - Σ F of all bodies that it carries, with their moments and d(I ω)/dt."


def claim(made: Trial) -> list[Comparison]:
    """Compare joint forces of formalisms with each other and with sums over the bodies.

    For a model with constraints compare those of its motion, and the forces at the cuts. Formalisms without native
    forces open the joint of one body, which the seed draws.
    """
    if made.closed is not None:
        return _check_constrained(made, made.closed)
    asked = [f for f in _list_able(made) if f.name in made.evaluations]
    found = compare_joint_forces(made.kinematics, asked, draw_joint(made.system, made.seed))
    return [*found.comparisons] or [_silent(made, found.values)]


def _list_able(made: Trial) -> list[Formalism]:
    """List the formalisms with joint forces of their own, and those that may open one joint of this model."""
    return [f for f in made.formalisms if may_open(f, made.original, 1)]


def _silent(made: Trial, given: Collection[str]) -> Comparison:
    """Say why nothing is compared; ``given`` deliver the forces, perhaps the sums over the bodies too."""
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
