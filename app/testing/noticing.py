"""Detection of a fault: by the other formalisms, or by a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.evaluation import Evaluation
from mbconcord.records import dataclass, field
from mbconcord.validation.claims import ALL, BY_NAME, Claim
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import Scales
from mbconcord.validation.judge.trial import Trial, trial

from .injection import Fault, inject

#: Claims that are tried on every model first, and those that are tried on survivors only.
FIRST, *OTHERS = sorted(
    (claim for claim in ALL if claim.name not in BY_NAME), key=lambda claim: claim.name != "agreement"
)
#: The claim that witnesses agree, whose comparisons bear no name.
AGREEMENT = "agreement"


@dataclass(frozen=True)
class Catch:
    """A disagreement in numbers, |a - b| relative to the scale of the compared quantity."""

    claim: str
    quantity: str
    discrepancy: float


def catches(comparisons: Iterable[Comparison], claim: str = "") -> list[Catch]:
    """List the disagreements in numbers, the largest first; ``claim`` is the default for comparisons without one.

    A crashed witness does not count: a catch needs two numbers.
    """
    found = [
        Catch(c.claim or claim or AGREEMENT, c.quantity, c.discrepancy)
        for c in comparisons
        if c.verdict == "disagrees" and c.discrepancy is not None
    ]
    return sorted(found, key=lambda catch: -catch.discrepancy)


def catch(fault: Fault, honest: Sequence[Trial]) -> Catch | None:
    """Find how a fault is detected next to correct trials of models; None if it survives them all.

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
    """A trial of one formalism against correct ones, which are compared with it and not with each other."""

    honest: Trial = field(kw_only=True)

    @property
    def pairs(self) -> list[tuple[Evaluation, Evaluation]]:
        """The suspect with every other that gave numbers."""
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
    """Compare a suspect on a model with what the other formalisms say of it."""
    own = trial(rest.system, rest.states, [suspect])
    witnesses = tuple(w for w in rest.witnesses if w.name != suspect.name)
    others = {name: e for name, e in rest.evaluations.items() if name != suspect.name}
    return Suspected(
        own.system, own.states, own.formalisms, (*own.witnesses, *witnesses), {**own.evaluations, **others},
        equations=own.equations, honest=rest,
    )  # fmt: skip


def objections(claim: Claim, made: Trial, suspect: Formalism) -> list[Comparison]:
    """List the disagreements of a claim in which the suspect takes part."""
    return [c for c in claim.check(made) if c.verdict == "disagrees" and _involves(c.a, c.b, suspect.name)]


def _involves(a: str, b: str, name: str) -> bool:
    return any(side == name or side.startswith(f"{name}, ") for side in (a, b))
