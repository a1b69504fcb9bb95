"""Explanations of why another program's numbers differ from the model's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.features import features
from mbconcord.model.system import System

from ..judge.evidence import Comparison
from ..judge.kinematics import TreeKinematics
from ..judge.motion import Array
from ..judge.states import complete_state
from ..judge.uncertainty import MOST
from ..judge.witness import Question
from ..witnesses.peers.known import FoundFault, find_known, read_as_taken
from ..witnesses.peers.peer import Peer, takes_model
from ..witnesses.peers.program import ProgramWitness, full_name
from ..witnesses.um.matched import Matched, MatchedSides
from .answer import Causes
from .numbers import INERTIAL, QUANTITIES, ROUNDING, NumberPair, Said, states
from .search import why_not_said


def why_not_of_program(question: Question, program: ProgramWitness) -> Iterator[str]:
    """Yield sentences on how the program's numbers follow from the model, at states of ordinary size.

    First come the program's known differences that act on this model, then a cause of the remaining difference.
    """
    peer = question.once(program.peer)
    system = program.take_model(question).lump_masses()
    at = tuple(complete_state(system, state, 0) for state in states(system, 0))
    k = TreeKinematics(system, at)
    peer.take_inputs(at)
    numbers = peer.numbers(k.q, k.v, k.a).quantities
    said = Said({name: numbers[name] for name in QUANTITIES if name in numbers and np.isfinite(numbers[name]).all()})
    if not said.quantities:
        return
    known, taken = _apply_known(program, peer, NumberPair(system, at, said, tuple(said.quantities), None, peer.slack))
    if known and taken is None:
        yield f"why: not searched: what is known of it ({'; '.join(known)}) is not applied here"
        return
    yield from (f"known of it: {one}" for one in known)
    pair = NumberPair(taken or system, at, said, tuple(said.quantities), None, peer.slack)
    if known and pair.equal(pair.system, pair.names):
        yield f"why: the model with what is known of it gives its {', '.join(pair.names)}"
        return
    answer = replace(why_not_said(pair.system, at, said, peer.slack), names=("the model", full_name(peer)))
    if cause := str(answer):
        yield f"{cause} (with what is known of it applied)" if known else cause


def _apply_known(program: ProgramWitness, peer: Peer, pair: NumberPair) -> tuple[list[str], System | None]:
    """Return the known differences that the program's numbers show, each with its own effect, and the model with all.

    The model is None if they are not known well enough to be applied; then all of them are listed.
    """
    found = [] if takes_model(peer.name) else find_known(peer, program.original.text)
    whole = _read_tree(program, found, pair.system) if found else None
    if whole is None:
        return [str(one) for one in found], None
    least = 100 * max(ROUNDING, peer.slack)
    shown, rest = [], _rest(pair, whole)
    for one in found:
        without = _read_tree(program, [other for other in found if other is not one], pair.system)
        if without is not None and _rest(pair, without) > rest + least:
            shown.append(one)
    acting = []
    for one in shown:
        alone = _read_tree(program, [one], pair.system) or pair.system
        gaps = {name: np.abs(pair.between(alone, name)).max(initial=0.0) for name in pair.names}
        effects = [f"{name} by {gap:.2g}" for name, gap in gaps.items() if gap > least]
        acting.append(f"{one}: alone it changes {', '.join(effects) or 'nothing'} of scale")
    return acting, _read_tree(program, shown, pair.system)


def _rest(pair: NumberPair, system: System) -> float:
    """Return the size of the difference that remains with a changed model."""
    return float(np.linalg.norm(pair.gap(system, pair.names)))


def _read_tree(program: ProgramWitness, faults: Sequence[FoundFault], system: System) -> System | None:
    """Read the text as the program does; return the open tree, or None if its coordinates differ."""
    made = read_as_taken(program.original, faults)
    if made is None or made.coordinate_names != system.coordinate_names:
        return None
    return made.open_loops().lump_masses()


#: Printed digits that are lost where terms of a formula cancel.
LOST = 3
CONTRADICTION = "M agrees, and h follows from M (Christoffel symbols): no machine has these equations"


def why_not_generated(matched: Matched, found: Sequence[Comparison]) -> tuple[Diagnostic, ...]:
    """Note the cause of disagreements of the equations' M and h with the model's.

    Weights and forces are passed from the model to the equations, so their numbers reveal no cause.
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
    """Return True if h follows from M: if nothing but the coordinates moves the tree."""
    return not any(name == "prescribed_motion" for name, _ in features(matched.sides.system))


def _search(matched: Matched) -> Causes:
    """Search causes at states of ordinary size, with the parameter values of the compared states."""
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
