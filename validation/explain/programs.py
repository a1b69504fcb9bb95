"""Explanations of why another program's numbers differ from the model's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.features import features

from ..judge.evidence import Comparison
from ..judge.kinematics import TreeKinematics
from ..judge.motion import Array
from ..judge.states import complete_state
from ..judge.uncertainty import MOST
from ..judge.witness import Question
from ..witnesses.peers.peer import takes_model
from ..witnesses.peers.program import ProgramWitness, full_name, known_elements
from ..witnesses.um.matched import Matched, MatchedSides
from .answer import Causes
from .numbers import INERTIAL, QUANTITIES, Said, states
from .search import why_not_said


def why_not_of_program(question: Question, program: ProgramWitness) -> str:
    """Return what makes the program's numbers of the model's, at states of ordinary size.

    If several elements are known to be misread, no single fault explains the difference, and none is searched.
    """
    peer = question.once(program.peer)
    several = 0 if takes_model(peer.name) else known_elements(peer, program.original.text)
    if several > 1:
        return f"why: not searched: what is known of it is of {several} elements, and a search finds one fault"
    system = program.take_model(question).lump_masses()
    at = tuple(complete_state(system, state, 0) for state in states(system, 0))
    k = TreeKinematics(system, at)
    peer.take_inputs(at)
    numbers = peer.numbers(k.q, k.v, k.a).quantities
    kept = {name: numbers[name] for name in QUANTITIES if name in numbers and np.isfinite(numbers[name]).all()}
    answer = why_not_said(system, at, Said(kept), peer.slack)
    return str(replace(answer, names=("the model", full_name(peer))))


#: Printed digits that are lost where terms of a formula cancel.
LOST = 3
CONTRADICTION = "M agrees, and h follows from M (Christoffel symbols): no machine has these equations"


def why_not_generated(matched: Matched, found: Sequence[Comparison]) -> tuple[Diagnostic, ...]:
    """Note the cause of disagreements of the equations' M and h with the model's.

    Weights and forces are passed to the equations as the model has them: their numbers reveal no cause.
    """
    wrong = {c.quantity for c in found if c.verdict == "disagrees" and c.discrepancy is not None}
    if wrong.isdisjoint(INERTIAL):
        return ()
    program = matched.sides.equations.program
    if "M" not in wrong and _follows(matched) and any(c.quantity == "M" for c in found):
        answer = Causes(reason=CONTRADICTION)
    else:
        answer = replace(_search(matched), names=("the model", program))
    return (Diagnostic("note", f"{program}/why", str(answer)),)


def _follows(matched: Matched) -> bool:
    """Return True if h follows from M: for trees in which only the coordinates move."""
    return not any(name == "prescribed_motion" for name, _ in features(matched.sides.system))


def _search(matched: Matched) -> Causes:
    """Search at states of ordinary size, with the parameters of those that were compared."""
    sides, parameters = matched.sides, dict(matched.sides.states[0].parameters)
    at = tuple(
        complete_state(sides.system, replace(state, parameters=parameters), sides.seed)
        for state in states(sides.system, sides.seed)
    )
    again = Matched(MatchedSides(sides.system, sides.equations, at, (), sides.seed, sides.bodies), matched.pairing)
    numbers = again.trial.evaluations[matched.generated_witness.name].quantities
    kept: dict[str, Array] = {
        name: numbers[name] for name in INERTIAL if name in numbers and np.isfinite(numbers[name]).all()
    }
    return why_not_said(sides.system, at, Said(kept), 10.0 ** (LOST - MOST))
