"""What joints bear is what the bodies behind them need: Newton's and Euler's equations of all that a joint carries."""

from __future__ import annotations

from collections.abc import Collection

from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.model.system import System

from ..bodies import constrained_forces
from ..bodies.joint_forces import witnessed
from ..judge.evidence import Comparison
from ..judge.trial import Trial
from .claim import not_checked

SENTENCE = (
    "What a joint bears is Σ m (a - g) - Σ F of all bodies that it carries, with their moments and d(I ω)/dt."
)


def claim(made: Trial) -> list[Comparison]:
    """Joint forces of every formalism that has them, against each other's and against sums over the bodies.

    Of a model with constraints those of its motion, and the forces at the cuts.
    """
    if made.closed is not None:
        return _constrained(made, made.closed)
    asked = [f for f in made.formalisms if f.name in made.evaluations]
    found = witnessed(made.kinematics, asked)
    return [*found.comparisons] or [_silent(made, found.values)]


def _silent(made: Trial, given: Collection[str]) -> Comparison:
    """Why nothing is compared; ``given`` deliver the forces, the sums over the bodies perhaps among them."""
    by = [formalism.name for formalism in made.formalisms if formalism.name in given]
    unknown = f"sums over the bodies, beside {', '.join(by)}, know neither fluids nor elastic bodies"
    return not_checked("", JOINT_FORCES, unknown if by else "nobody delivers them of this model")


def _constrained(made: Trial, system: System) -> list[Comparison]:
    if made.assembly is None:
        return [not_checked("", JOINT_FORCES, "the states do not satisfy the constraints")]
    found = constrained_forces.witnessed(
        system, made.assembly, made.formalisms, made.derivations, made.measure
    )
    return [*found.comparisons] or [_silent(made, found.at_joints)]
