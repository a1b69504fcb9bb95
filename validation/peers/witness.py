"""Numbers of other programs beside those of every formalism, at the states of a check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import number
from mbconcord.model.system import System
from mbconcord.validation.judge.comparison import Difference, difference_of, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.tolerances import EPSILON, FOREIGN_SCALE, FOREIGN_ZEROS, evaluation_tolerance
from mbconcord.validation.judge.trial import Trial

from ..judge.kinematics import Kinematics
from ..judge.states import complete_state
from ..why.numbers import QUANTITIES as COMPARED
from ..why.numbers import Said, states
from ..why.search import why_not_said
from .derivatives import derivatives
from .known import known_causes, known_elements
from .peer import Numbers, Peer, PeerError, opened, takes_model

#: Validation's own kinematics.
OWN = "physics"
#: Entries of a pose: rows of the rotation matrix, each with a component of the position.
PARTS = tuple(x for row in "xyz" for x in (*(f"R[{row},{column}]" for column in "xyz"), f"p[{row}]"))


@dataclass(frozen=True)
class Original:
    """The text that a model was read from, its format, the programs that are asked about it, and its file.

    Of the model's parameters ``changed`` have other values than the text says.
    """

    text: str
    format: str
    programs: tuple[str, ...]
    file: str = "-"
    changed: frozenset[str] = frozenset()


def witnessed(
    made: Trial, original: Original | None, derived: bool = False
) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """What each program says of a trial, and notes on how it read the text; of derivatives where they are asked for.

    One that is not there, refuses the text or reads other joints in it is ``not checked``, with the reason.
    """
    found: list[Comparison] = []
    notes: list[Diagnostic] = []
    for name in () if original is None else original.programs:
        assert original is not None
        try:
            peer = _peer(name, made, original)
            found += _compared(made, peer, original.text)
        except Exception as problem:  # whatever it raises, it is no witness
            reason = (
                str(problem) if isinstance(problem, PeerError) else f"{type(problem).__name__}: {problem}"
            )
            found.append(Comparison(name, "", name, "not checked", explanation=reason, claim=name))
            continue
        said = f"version {peer.version}, {peer.reads}"
        notes += (Diagnostic("note", name, note) for note in (said, *peer.notes))
        if derived:
            try:
                found += derivatives(made, peer, called(peer))
            except PeerError as problem:
                notes.append(Diagnostic("note", name, f"{problem}; none are compared with it"))
        if any(c.a == called(peer) or c.b == called(peer) for c in found if c.verdict == "disagrees"):
            notes.append(Diagnostic("note", name, _why(made, peer, original.text)))
    return tuple(found), tuple(notes)


def _peer(name: str, made: Trial, original: Original) -> Peer:
    peer = opened(name, original.text, original.format, original.file)
    peer.fit(_taken(made, name))
    return peer


def _taken(made: Trial, program: str) -> System:
    """The model; where a program takes it, with the values of its parameters at the states, the same at all of them."""
    if not takes_model(program):
        return made.system
    first = dict(made.states[0].parameters)
    if any(dict(state.parameters) != first for state in made.states):
        raise PeerError("is given numbers, and parameters change from state to state")
    parameters = (
        replace(p, value=number(Fraction(first[p.name]))) if p.name in first else p
        for p in made.system.parameters
    )
    return replace(made.system, parameters=tuple(parameters))


def _compared(made: Trial, peer: Peer, text: str) -> Iterator[Comparison]:
    kinematics = made.kinematics
    with np.errstate(all="ignore"):
        numbers = peer.numbers(kinematics.q, kinematics.v, kinematics.a)
    theirs = Evaluation(called(peer), dict(numbers.quantities))
    causes = "" if takes_model(peer.name) else known_causes(peer, text)
    for found in (*_poses(made, peer, numbers, called(peer)), *_quantities(made, peer, theirs)):
        if found.verdict == "disagrees" and causes:
            said = "; ".join(filter(None, (found.explanation, f"known of it: {causes}")))
            found = replace(found, explanation=said)
        yield found


def called(peer: Peer) -> str:
    """A program as it stands beside formalisms."""
    return f"{peer.name} {peer.version}"


def _why(made: Trial, peer: Peer, text: str) -> str:
    """What makes the program's numbers of the model's, at states of ordinary size.

    Where several elements are known to be read otherwise no single fault does, and none is looked for.
    """
    several = 0 if takes_model(peer.name) else known_elements(peer, text)
    if several > 1:
        return (
            f"why: not searched: what is known of it is of {several} elements, and a search finds one fault"
        )
    system = _taken(made, peer.name).lumped()
    at = tuple(complete_state(system, state, 0) for state in states(system, 0))
    k = Kinematics(system, at)
    numbers = peer.numbers(k.q, k.v, k.a).quantities
    kept = {name: numbers[name] for name in COMPARED if name in numbers and np.isfinite(numbers[name]).all()}
    answer = why_not_said(system, at, Said(kept), peer.slack)
    return str(replace(answer, names=("the model", called(peer))))


def _quantities(made: Trial, peer: Peer, theirs: Evaluation) -> Iterator[Comparison]:
    for quantity in QUANTITIES:
        for own in made.evaluations.values():
            if quantity not in own.quantities or quantity not in theirs.quantities:
                continue
            difference = difference_of(own, _known(theirs, own, quantity), quantity, made.scales)
            found = worst(
                own.formalism,
                theirs.formalism,
                quantity,
                _loosened(difference, peer),
                made.states,
                made.names,
            )
            yield replace(found, claim=peer.name)


def _loosened(difference: Difference, peer: Peer) -> Difference:
    """The difference with what the program's numbers may be off by: of what is solved, times the condition number.

    What we know to be zero it computes: some ε of the largest scale at the state.
    """
    scales, shape = difference.scales, difference.a.shape
    flat = scales.reshape(len(scales), -1)
    largest = np.max(flat, axis=1, initial=0.0, where=np.isfinite(flat)).reshape(
        (-1,) + (1,) * (len(shape) - 1)
    )
    zeros = FOREIGN_ZEROS * EPSILON * largest
    bound = np.broadcast_to(zeros + (0.0 if difference.bound is None else difference.bound), shape)
    scale = np.maximum(scales, FOREIGN_SCALE * largest)
    tolerance = difference.tolerance + peer.slack * difference.cond
    return replace(difference, scale=scale, tolerance=tolerance, bound=bound)


def _known(theirs: Evaluation, own: Evaluation, quantity: str) -> Evaluation:
    """Their numbers where the formalism has some: what a singular mass matrix makes of accelerations is no witness."""
    values, known = theirs.quantities[quantity], np.isfinite(own.quantities[quantity])
    return replace(theirs, quantities={quantity: np.where(known, values, np.nan)})


def _poses(made: Trial, peer: Peer, numbers: Numbers, called: str) -> Iterator[Comparison]:
    """Rotations and positions of links by validation's own kinematics and by the program, the worst of all."""
    links = sorted(numbers.poses)
    if not links:
        return
    frames = [made.kinematics.frame(link) for link in links]
    own = [np.concatenate([f.rotation, f.position[:, :, None]], axis=2) for f in frames]
    x, y = (
        np.concatenate([pose.reshape(-1, len(PARTS)) for pose in poses], axis=1)
        for poses in (own, [numbers.poses[link] for link in links])
    )
    reach = np.fmax(1.0, np.abs(x).max(axis=1, initial=0.0))[:, None]
    ones = np.ones(len(x))
    difference = Difference(x, y, reach, ones * evaluation_tolerance(), ones)
    entries = [f"{link} {part}" for link in links for part in PARTS]
    yield replace(
        worst(OWN, called, f"{peer.name}: poses", difference, made.states, entries), claim=peer.name
    )
