"""Tests by seeded faults: each is put into a copy of a formalism in memory, which other formalisms must contradict.

For authors of formalisms outside this project: their tests call :func:`try_faults`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from mbconcord.converters.format import Buildable, Reading, find_system
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.evaluation import Evaluation
from mbconcord.records import dataclass, field, replace
from mbconcord.validation.claims import ALL, BY_NAME, Claim
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import Scales
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.strategies.special_trees import ball_joints, gyrostats, planar_system, sprung_system
from mbconcord.validation.strategies.trees import random_system

from .injection import Fault, inject

__all__ = ["Catch", "Fault", "Tried", "inject", "try_faults"]

#: States at which every model is compared.
STATES = 3
#: Claims that are tried on every model first, and those that are tried on survivors only.
FIRST, *OTHERS = sorted(
    (claim for claim in ALL if claim.name not in BY_NAME), key=lambda claim: claim.name != "agreement"
)
#: The claim that witnesses agree, whose comparisons bear no name.
AGREEMENT = "agreement"


@dataclass(frozen=True)
class Catch:
    """A disagreement: its claim and quantity, and |a - b| relative to the scale of the quantity."""

    claim: str
    quantity: str
    discrepancy: float


@dataclass(frozen=True)
class Tried:
    """A fault, and the disagreement that detects it; None if the fault survived."""

    fault: Fault
    catch: Catch | None


def try_faults(
    formalism: str, faults: Iterable[Fault], models: Sequence[System | Reading | Buildable] | None = None, seed: int = 0
) -> tuple[Tried, ...]:
    """Seed faults into a formalism one after another, and return for each the disagreement that detects it.

    Parameters
    ----------
    formalism : its name, as ``mbconcord formalisms`` lists it
    faults : each with its place in a module of the formalism, the original and the faulty text
    models : models for the trials, at three random states each (default: :func:`default_models`)
    seed : seed of the random states

    Raises
    ------
    MbconcordError
        There is no such formalism, or the text of a fault is not found in it.
    """
    drawn = (draw(find_system(model), STATES, seed) for model in models or default_models())
    honest = [trial(d.system, d.states, map(registry.formalism, registry.BUILT_IN)) for d in drawn]
    honest.sort(key=lambda made: len(made.system.coordinates))
    owned = (replace(fault, owner=formalism) for fault in faults)
    return tuple(Tried(fault, catch(fault, honest)) for fault in owned)


def default_models() -> tuple[System, ...]:
    """Return models without symmetry: trees, ball joints, springs between frames, flywheels, a planar linkage."""
    trees = random_system(2, 4), random_system(11, 5)
    return (*trees, ball_joints(), sprung_system(9, 3), gyrostats(), planar_system(5, 6))


def catches(comparisons: Iterable[Comparison], claim: str = "") -> list[Catch]:
    """List disagreements with a discrepancy, largest first; ``claim`` names the claim of comparisons without one.

    A crashed witness does not count: a catch needs two numbers.
    """
    found = [
        Catch(c.claim or claim or AGREEMENT, c.quantity, c.discrepancy)
        for c in comparisons
        if c.verdict == "disagrees" and c.discrepancy is not None
    ]
    return sorted(found, key=lambda catch: -catch.discrepancy)


def catch(fault: Fault, honest: Sequence[Trial]) -> Catch | None:
    """Return the disagreement of a faulty formalism with correct ``honest`` trials of models; None if it survives all.

    Most faults are caught by comparison with the other formalisms, which runs on every model first; the other claims,
    which derive changed models anew, only run for survivors.
    """
    with inject(fault) as faulty:
        made: list[Trial] = []
        for rest in honest:
            if not faulty.obstacles(rest.system):
                made.append(compare_suspect(faulty, rest))
                found = catches(objections(FIRST, made[-1], faulty), FIRST.name)
                if found:
                    return found[0]
        for one in made:
            for claim in OTHERS:
                found = catches(objections(claim, one, faulty), claim.name)
                if found:
                    return found[0]
    return None


@dataclass(frozen=True)
class Suspected(Trial):
    """A trial of a faulty formalism: others are compared with it, and not with each other."""

    honest: Trial = field(kw_only=True)

    @property
    def pairs(self) -> list[tuple[Evaluation, Evaluation]]:
        """Pairs of the faulty formalism's numbers and those of every other formalism."""
        own = [self.evaluations[f.name] for f in self.formalisms if f.name in self.evaluations]
        return [(one, other) for one in own for other in self.evaluations.values() if other is not one]

    @cached_property
    def kinematics(self) -> TreeKinematics:
        """Validation's own kinematics at the states."""
        return self.honest.kinematics

    @cached_property
    def scales(self) -> Scales:
        """Scales of every quantity at the states."""
        return self.honest.scales


def compare_suspect(suspect: Formalism, rest: Trial) -> Suspected:
    """Return the trial of a suspect on the model and states of ``rest``, with the numbers of its other formalisms."""
    own = trial(rest.system, rest.states, [suspect])
    witnesses = tuple(w for w in rest.witnesses if w.name != suspect.name)
    others = {name: e for name, e in rest.evaluations.items() if name != suspect.name}
    return Suspected(
        own.system, own.states, own.formalisms, (*own.witnesses, *witnesses), {**own.evaluations, **others},
        equations=own.equations, honest=rest,
    )  # fmt: skip


def objections(claim: Claim, made: Trial, suspect: Formalism) -> list[Comparison]:
    """Check a claim, and list the disagreements in which the suspect takes part."""
    return [c for c in claim.check(made) if c.verdict == "disagrees" and _involves(c.a, c.b, suspect.name)]


def _involves(a: str, b: str, name: str) -> bool:
    return any(side == name or side.startswith(f"{name}, ") for side in (a, b))
