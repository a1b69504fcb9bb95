"""How many seeded faults the claims catch, with the mutated formalism against the honest others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import NamedTuple

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism

from ..claims import ALL, Claim
from ..judge.trial import Trial, trial
from .injection import Fault, injected
from .models import subjects

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
    """The first claim that catches the fault on one of the models; None when it survives them all."""
    for i in range(len(subjects())):
        honest(i)  # derived before the fault is there
    with injected(fault) as faulty:
        for i, drawn in enumerate(subjects()):
            if faulty.obstacles(drawn.system):
                continue
            made = against_honest(faulty, i)
            for claim in ALL:
                if objects(claim, made, faulty):
                    return claim
    return None


def against_honest(suspect: Formalism, index: int) -> Trial:
    """A trial of the suspect on a model, with what the other formalisms say of it."""
    drawn = subjects()[index]
    own = trial(drawn.system, drawn.states, [suspect])
    rest = honest(index)
    witnesses = tuple(w for w in rest.witnesses if w.name != suspect.name)
    evaluations = {name: e for name, e in rest.evaluations.items() if name != suspect.name}
    return replace(
        own, witnesses=(*own.witnesses, *witnesses), evaluations={**own.evaluations, **evaluations}
    )


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
