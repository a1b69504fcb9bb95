"""The search: kinematics, then inertia, gravity, forces; each stage on the model that the ones before it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.model.expressions import as_expression
from mbconcord.model.gravity import Gravity
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES

from ..direct.witness import obstacles
from ..judge.matching import Matching, match
from ..judge.states import complete_state, draw
from ..left_open import informed, unlike_functions
from ..same_machine import same_machine
from .answer import Answer, Cause, Step
from .bodies import armature, bodies, unseen, weighed
from .forces import force_changes, gravity_changes
from .inertia import Terms
from .kinematics import jointed, kinematics
from .numbers import QUANTITIES, Said, explained, said, states
from .pair import Pair
from .turned import turned

#: Causes of a step, at most; those that are found first are the commonest.
MOST: Final = 8
OF_CONSTRAINTS: Final = "the open trees say the same, and what constraints say is not searched"


def why(a: System, b: System, seed: int = 0, coordinates: Mapping[str, str] | None = None) -> Answer:
    """Why B is not A: what makes B of A, or else A of B.

    Parameters
    ----------
    a, b : the models; what their constraints say is not looked at
    seed : of the states at which they are looked at, and of what they leave open
    coordinates : which coordinate of B each of A's is, where that was told
    """
    unknown = (*obstacles(a), *obstacles(b))
    if unknown:
        return Answer(reason=str(unknown[0]))
    matching = match(a, b, coordinates)
    if matching.reason:
        other_kind = tuple(_other_kind(a, b, seed, coordinates))
        return Answer((Step(other_kind),)) if other_kind else Answer(reason=matching.reason)
    forth = _pair(a, b, matching, seed)
    found = _one_way(forth, turned(a))
    if found.found:
        return found
    if forth.equal(forth.system, forth.names):
        unlike = (a.constraints or b.constraints) and forth.same and not forth.same(forth.system)
        return Answer(reason=OF_CONSTRAINTS) if unlike else Answer(invisible=unseen(forth, b))
    turned_round = Matching(tuple((y, x) for x, y in matching.pairs), matching.by)
    back = _one_way(_pair(b, a, turned_round, seed), turned(b))
    return replace(back, backwards=True) if back.found else found


def why_not_said(a: System, at: Sequence[State], other: Said, slack: float) -> Answer:
    """Why the numbers of another program at these states, which may be so far off, are not those of the model."""
    unknown = obstacles(a)
    if unknown:
        return Answer(reason=str(unknown[0]))
    names = tuple(name for name in QUANTITIES if name in other.quantities)
    found = _one_way(Pair(a, tuple(at), other, names, None, slack), turned(a))
    return replace(found, compared=names)


def _pair(a: System, b: System, matching: Matching, seed: int) -> Pair:
    first = draw(informed(a, b), 0, seed).system
    second = draw(informed(b, first, unlike_functions(a, b)), 0, seed).system
    ours = tuple(complete_state(first, s, seed) for s in states(first, seed))
    theirs = tuple(complete_state(second, matching.translated(s, second), seed) for s in ours)
    told = dict(matching.pairs)

    def same(changed: System) -> bool:
        return same_machine(changed, second, ours, seed, coordinates=told, printed=True).verdict == "agrees"

    return Pair(first, ours, said(second, theirs, matching.order(second)), QUANTITIES, same)


def _other_kind(a: System, b: System, seed: int, coordinates: Mapping[str, str] | None) -> Iterator[Cause]:
    """Coordinates that turn in one model and shift in the other."""
    for cause in jointed(a, a.bodies):
        if not match(cause.system, b, coordinates).reason:
            found = same_machine(cause.system, b, 3, seed, coordinates=coordinates, printed=True)
            if found.verdict in ("agrees", "agrees after matching"):
                yield cause


def _one_way(pair: Pair, turns: Mapping[str, Terms]) -> Answer:
    """What makes the other of the model."""
    if pair.equal(pair.system, pair.names):
        return Answer()
    steps: list[Step] = []
    system, located = pair.system, ""
    if not pair.equal(system, pair.inertial):
        moved, located = kinematics(pair)
        found, shares = bodies(pair, moved, turns)
        if not found:
            rotor = armature(pair)
            causes = [rotor] if rotor else _forces(pair, system, turns)
            found = [Step(tuple(causes))] if causes else []
        if not found:
            return Answer(shares=shares, located=located)
        steps += _whole(pair, found)
        system = steps[-1].causes[0].system
    for name, fault in (("gravity", _gravity), ("applied", _forces)):
        if name in pair.names and not pair.equal(system, [name]):
            fitting = fault(pair, system, turns)
            if not fitting:
                return Answer(located=_unnamed(name, pair, system, steps))
            steps += _whole(pair, [Step(tuple(fitting))])
            system = steps[-1].causes[0].system
    if not steps:
        return Answer(located=located)
    return _verified(pair, steps)


def _whole(pair: Pair, steps: Sequence[Step]) -> list[Step]:
    """The steps with those causes of the last that leave no difference at all, where there are such."""
    *first, last = steps
    whole = tuple(cause for cause in last.causes if pair.equal(cause.system, pair.names))
    return [*first, Step(whole) if whole else last]


def _verified(pair: Pair, steps: list[Step]) -> Answer:
    """The answer with the causes that make all quantities the other's."""
    before = pair.gap(pair.system, pair.names)
    *first, last = steps
    right = [
        cause
        for cause in last.causes[:MOST]
        if explained(pair.gap(cause.system, pair.names), before, pair.slack)
        and (pair.same is None or pair.same(cause.system))
    ]
    if not right:
        said_ = " and ".join(map(str, steps))
        return Answer(located=f"{said_}: that is nearly, and not wholly, the difference")
    kept = [Step(step.causes[:MOST]) for step in first]
    return Answer((*kept, Step(tuple(right))))


def _gravity(pair: Pair, system: System, turns: Mapping[str, Terms]) -> list[Cause]:
    names = [name for name in QUANTITIES[:3] if name in pair.names]
    ground = [body for body in system.bodies if body.parent is None]
    pulled = (Cause(*made) for made in gravity_changes(system))
    found = pair.fitting((*pulled, *jointed(system, ground)), system, names)
    return (
        found or weighed(pair, system, turns) or pair.fitting(jointed(system, system.bodies), system, names)
    )


def _forces(pair: Pair, system: System, _: Mapping[str, Terms]) -> list[Cause]:
    found = pair.fitting((Cause(*made) for made in force_changes(system)), system, pair.names)
    return found or pair.fitting(jointed(system, system.bodies), system, pair.names)


def _unnamed(name: str, pair: Pair, system: System, steps: Sequence[Step]) -> str:
    """Where gravity or forces differ, and no cause was found."""
    before = f"{' and '.join(map(str, steps))}; then " if steps else ""
    pull = _pull(pair, system) if name == "gravity" else ""
    if pull:
        return f"{before}{pull}"
    rows = np.abs(pair.gap(system, [name]).reshape(pair.other.quantities[name].shape)).max(axis=0)
    along = ", ".join(system.coordinate_names[i] for i in np.argsort(-rows)[:3] if rows[i] > 1e-9)
    return f"{before}only {'the weights' if name == 'gravity' else 'applied forces'} differ, along {along}"


def _pull(pair: Pair, system: System) -> str:
    """The acceleration of gravity that the other has: weights are linear in it."""
    columns = []
    for axis in AXES.values():
        unit = replace(system, gravity=Gravity(as_expression(1), axis))
        columns.append(said(unit, pair.states).quantities["gravity"].ravel())
    target, by = pair.other.quantities["gravity"].ravel(), np.stack(columns, axis=1)
    g, _, rank, _ = np.linalg.lstsq(by, target)
    if not explained(target - by @ g, target, pair.slack):
        return ""
    words = ", ".join(f"{x:.6g}" for x in g)
    return f"gravity is ({words}) m/s²" + ("" if rank == 3 else ", as far as the motion shows it")
