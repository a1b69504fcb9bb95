"""Detection of seeded faults, with the faulty formalism against the honest others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.testing import Catch, Fault, catch, catches, inject
from mbconcord.validation.judge.agreement import judge_motions
from mbconcord.validation.judge.closed.motion import SolvedMotion, closed_inputs
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import ClosedStates
from mbconcord.validation.judge.trial import Trial, constrained_trial, trial
from mbconcord.validation.judge.uncertainty import Inputs
from mbconcord.validation.witnesses.sums.constrained_forces import compare_constrained_forces

from .models import closed_subjects, subjects
from .tables import FOLDER, read_table


def faults(formalism: str) -> tuple[Fault, ...]:
    """List the faults of a formalism: those of its table, of armatures and the subtle ones; empty if it has none."""
    tables = (formalism, "armatures", "subtle") if (FOLDER / f"{formalism}.txt").is_file() else ("armatures", "subtle")
    return tuple(fault for table in tables for fault in read_faults(table) if fault.formalism == formalism)


def read_faults(table: str) -> tuple[Fault, ...]:
    """Read the faults of formalisms of a table, each in the form that its last column names."""
    return tuple(replace(row.fault, form=row.more[0]) if row.more else row.fault for row in read_table(table, ""))


def constraint_faults(formalism: str) -> tuple[Fault, ...]:
    """Return faults of the constrained motion by a formalism."""
    return tuple(fault for fault in read_faults("constraints") if fault.formalism == formalism)


def derive_honest() -> None:
    """Try all honest formalisms on all models, before processes fork for faults."""
    for i in by_size():
        honest(i)


def attempt(formalism: str, number: int) -> dict[str, Any] | None:
    """Say how a fault is caught, by its number among those of a formalism, in the process that has forked for it."""
    own = faults(formalism)
    closed = constraint_faults(formalism)
    catch = catcher(own[number]) if number < len(own) else constraint_catcher(closed[number - len(own)])
    return asdict(catch) if catch else None


def catcher(fault: Fault) -> Catch | None:
    """Return how the fault is caught on one of the models, small ones first; None if it survives them all."""
    return catch(fault, [honest(i) for i in by_size()])


@cache
def by_size() -> tuple[int, ...]:
    """Return the models' numbers, the smallest first."""
    return tuple(sorted(range(len(subjects())), key=lambda i: len(subjects()[i].system.coordinates)))


def constraint_catcher(fault: Fault) -> Catch | None:
    """Return how a fault of constrained motion is caught on one of the closed models, by comparison with others."""
    with inject(fault) as faulty:
        for closed in closed_subjects():
            if not faulty.constraint_obstacles(closed.system):
                for compared in (motions_against_honest, forces_against_honest):
                    found = catches(compared(faulty, closed))
                    if found:
                        return found[0]
    return None


def forces_against_honest(suspect: Formalism, closed: ClosedStates) -> list[Comparison]:
    """Compare the suspect's forces at cuts and in joints, if it has them, with the sums over the bodies."""
    if type(suspect).constrained_forces is Formalism.constrained_forces or closed.assembly is None:
        return []
    return [*compare_constrained_forces(closed.system, closed.assembly, [suspect]).comparisons]


#: What is known of a closed model, by its place in memory: itself, its inputs, motions by formalism.
_KNOWN: dict[int, tuple[ClosedStates, Inputs, dict[str, Mapping[str, SolvedMotion]]]] = {}


def motions_against_honest(suspect: Formalism, closed: ClosedStates) -> list[Comparison]:
    """Compare the suspect's constrained motion with all other formalisms that take the model, each asked once."""
    assert closed.assembly is not None
    if id(closed) not in _KNOWN:
        _KNOWN[id(closed)] = closed, closed_inputs(closed.system, closed.assembly), {}
    _, numbers, known = _KNOWN[id(closed)]
    own = motions(closed, (suspect,), numbers)
    found = dict(own.motions)
    for name in registry.BUILT_IN:
        if name != suspect.name:  # whose own fault is in place now
            known[name] = known.get(name) or motions(closed, (registry.formalism(name),), numbers).motions
            found |= known[name]
    return judge_motions(replace(own, motions=found))


def motions(closed: ClosedStates, formalisms: Sequence[Formalism], numbers: Inputs | None = None) -> Trial:
    """Compute the motion with constraints by those formalisms that take the model."""
    assert closed.assembly is not None
    return constrained_trial(closed.system, closed.assembly, formalisms, numbers)


@cache
def honest(index: int) -> Trial:
    """Return a trial of all honest formalisms on a model."""
    drawn = subjects()[index]
    return trial(drawn.system, drawn.states, map(registry.formalism, registry.BUILT_IN))
