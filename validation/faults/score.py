"""How many seeded faults the claims catch, with the mutated formalism against the honest others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import NamedTuple

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.evaluation import Evaluation

from ..claims import ALL, Claim
from ..judge.kinematics import Kinematics
from ..judge.scale import Scales
from ..judge.trial import Trial, trial
from .injection import Fault, injected
from .models import subjects

#: What is asked on every model first, and what of survivors only.
AGREEMENT, *OTHERS = sorted(ALL, key=lambda claim: claim.name != "agreement")

#: Entry points of tables of faults, each by the name of its formalism.
GROUP = "mbconcord.faults"


class Score(NamedTuple):
    """How many faults of a formalism were caught, of how many, and which were not."""

    caught: int
    total: int
    survivors: tuple[Fault, ...]


def faults(formalism: str) -> tuple[Fault, ...]:
    """The table of faults of a formalism; empty when it has none.

    Of one that another distribution brings it is the entry point of its name in the group :data:`GROUP`.
    """
    if formalism in registry.BUILT_IN:
        name = f"{__package__}.tables.{formalism}"
        table: tuple[Fault, ...] = import_module(name).FAULTS if find_spec(name) else ()
        return table
    found = [entry.load() for entry in entry_points(group=GROUP) if entry.name == formalism]
    return tuple(replace(fault, owner=formalism) for table in found for fault in table)


def score(formalism: str) -> Score:
    """Inject every fault of a formalism in turn, and count those that some claim catches."""
    table = faults(formalism)
    survivors = tuple(fault for fault in table if catcher(fault) is None)
    return Score(len(table) - len(survivors), len(table), survivors)


def catcher(fault: Fault) -> Claim | None:
    """A claim that catches the fault on one of the models; None when it survives them all.

    Most faults fall by the comparison with the other formalisms. That is asked on every model first; the other
    claims, which derive changed models anew, are asked only for what survives it.
    """
    for i in range(len(subjects())):
        honest(i)  # derived before the fault is there
    with injected(fault) as faulty:
        made: list[Trial] = []
        for i, drawn in enumerate(subjects()):
            if not faulty.obstacles(drawn.system):
                made.append(against_honest(faulty, i))
                if objects(AGREEMENT, made[-1], faulty):
                    return AGREEMENT
        for one in made:
            for claim in OTHERS:
                if objects(claim, one, faulty):
                    return claim
    return None


@dataclass(frozen=True)
class Suspected(Trial):
    """A trial of one formalism against honest ones, which are compared with it and not with each other."""

    honest: Trial = field(kw_only=True)

    @property
    def pairs(self) -> list[tuple[Evaluation, Evaluation]]:
        """The suspect with every other that gave numbers."""
        own = [self.evaluations[f.name] for f in self.formalisms if f.name in self.evaluations]
        return [(one, other) for one in own for other in self.evaluations.values() if other is not one]

    @cached_property
    def kinematics(self) -> Kinematics:
        """Validation's own kinematics at the states."""
        return self.honest.kinematics

    @cached_property
    def scales(self) -> Scales:
        """Scales of every quantity at the states."""
        return self.honest.scales


def against_honest(suspect: Formalism, index: int) -> Suspected:
    """A trial of the suspect on a model, with what the other formalisms say of it."""
    rest = honest(index)
    own = trial(rest.system, rest.states, [suspect])
    witnesses = tuple(w for w in rest.witnesses if w.name != suspect.name)
    others = {name: e for name, e in rest.evaluations.items() if name != suspect.name}
    return Suspected(
        own.system, own.states, own.formalisms, (*own.witnesses, *witnesses), {**own.evaluations, **others},
        equations=own.equations, honest=rest,
    )  # fmt: skip


@cache
def honest(index: int) -> Trial:
    """A trial of all honest formalisms on a model."""
    drawn = subjects()[index]
    return trial(drawn.system, drawn.states, map(registry.formalism, registry.BUILT_IN))


def objects(claim: Claim, made: Trial, suspect: Formalism) -> bool:
    """Whether the claim finds a disagreement in which the suspect takes part."""
    found = claim.check(made)
    return any(c.verdict == "disagrees" and _involves(c.a, c.b, suspect.name) for c in found)


def _involves(a: str, b: str, name: str) -> bool:
    return any(side == name or side.startswith(f"{name}, ") for side in (a, b))
