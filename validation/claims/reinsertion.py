"""The mixed problem inverted: computed values are prescribed, and prescribed values are computed.

Inverse dynamics at the accelerations of forward dynamics needs no further force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from random import Random

import numpy as np

from mbconcord.model.coordinate import Effort, Motion, Parameter
from mbconcord.model.derivation import EFFORT
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import Expression, symbol
from mbconcord.model.force import JointEffort
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.naming import Namer
from mbconcord.model.system import System

from ..judge.bounds import BoundedEquations
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.scale import condition, mass_matrix
from ..judge.tolerances import solution_tolerance
from ..judge.trial import Trial, trial
from ..judge.uncertainty import inputs
from .claim import compare_against, not_checked

SENTENCE = (
    "Re-insertion: accelerations that were found, imposed, need the efforts that were given, and efforts that were "
    "found, given, make the accelerations that were imposed."
)

#: What stands against the solution with other quantities given.
WITNESS = "re-inserted"
#: Which coordinates are given by their accelerations the second time.
ALL, NONE, DRAWN = "all accelerations given", "all efforts given", "drawn ones given"


def claim(made: Trial) -> list[Comparison]:
    """Solve each formalism's problem again from its own solution: all, no and some random accelerations imposed."""
    return reinsert(made, choices(made))


def reinsert(made: Trial, parts: Iterable[tuple[str, frozenset[str]]]) -> list[Comparison]:
    """Solve again with accelerations of these sets of coordinates imposed, each set with a name."""
    found: list[Comparison] = []
    cond = condition(mass_matrix(made.kinematics))
    for what, chosen in parts:
        system, efforts, motions = given_instead(made.system, chosen)
        for formalism in made.formalisms:
            own = made.evaluations.get(formalism.name)
            if own is None or "acceleration" not in own.quantities:
                continue
            if not np.isfinite(own.quantities["acceleration"]).all():
                found.append(not_checked(formalism.name, "re-insertion", "a state has no accelerations"))
                continue
            at = [
                replace(state, parameters={**state.parameters, **_numbers(made, own, s, efforts, motions)})
                for s, state in enumerate(made.states)
            ]
            other = trial(system, at, [formalism], told=False)
            found += other.failures()
            for again in other.evaluations.values():
                found += _compare(made, own, again, chosen, what, cond)
    return found


def choices(made: Trial) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the choices of imposed accelerations: all, none, and a new random part."""
    names, before = made.names, frozenset(find_imposed_accelerations(made.system))
    random = Random(", ".join(names))
    drawn = frozenset(name for name in names if random.random() < 0.5)
    tried: list[frozenset[str]] = [frozenset(before)]
    for what, chosen in ((ALL, frozenset(names)), (NONE, frozenset[str]()), (DRAWN, drawn)):
        if chosen not in tried:
            tried.append(chosen)
            yield what, chosen


def given_instead(system: System, chosen: Set[str]) -> tuple[System, dict[str, str], dict[str, str]]:
    """Impose the accelerations of the chosen coordinates, and give the efforts of all others.

    Returns
    -------
    system : existing efforts stay, as joint forces
    efforts, motions : by coordinate the parameter with its required effort, or its acceleration
    """
    namer, before = Namer(system.names), find_imposed_accelerations(system)
    motions = {name: namer.fresh(f"{name}_acceleration") for name in system.coordinate_names if name in chosen}
    efforts = {name: namer.fresh(f"{name}_effort") for name in before if name not in chosen}
    drives: dict[str, Effort | Motion] = {name: Motion(symbol(own)) for name, own in motions.items()}
    drives |= {name: Effort(symbol(own)) for name, own in efforts.items()}
    kept: dict[str, Expression] = {c.name: c.drive.value for c in system.coordinates if isinstance(c.drive, Effort)}
    forces = (JointEffort(namer.fresh(f"{name}_drive"), name, value) for name, value in kept.items())
    changed = replace(
        system,
        parameters=(*system.parameters, *map(Parameter, (*motions.values(), *efforts.values()))),
        coordinates=tuple(replace(c, drive=drives.get(c.name)) for c in system.coordinates),
        forces=(*system.forces, *forces),
    )
    return changed, efforts, motions


def _numbers(
    made: Trial, own: Evaluation, s: int, efforts: Mapping[str, str], motions: Mapping[str, str]
) -> dict[str, float]:
    """Return the new parameters at state number s, from the formalism's own solution."""
    place = {name: i for i, name in enumerate(made.names)}
    a, u = own.quantities["acceleration"][s], _efforts(own)[s]
    return {motions[n]: float(a[place[n]]) for n in motions} | {efforts[n]: float(u[place[n]]) for n in efforts}


def _efforts(own: Evaluation) -> Array:
    """Return efforts (N, n); zero where nothing is imposed."""
    return own.quantities.get(EFFORT, np.zeros_like(own.quantities["acceleration"]))


def _compare(
    made: Trial, own: Evaluation, again: Evaluation, chosen: Set[str], what: str, cond: Array
) -> Iterator[Comparison]:
    """Compare accelerations of both, and the efforts along the coordinates that are now imposed.

    Imposed values have the rounding of the first solution, which changes efforts by the inertia that they move.
    """
    size, a = made.scales, own.quantities["acceleration"]
    tolerance = np.array([solution_tolerance(c) for c in cond])
    name, roots = f"{own.formalism}, {what}", size.roots
    scale = np.fmax(np.max(np.abs(a * roots), axis=1, initial=0.0), size.forces)
    both = a * roots, again.quantities["acceleration"] * roots
    bound = (_rounding(own, "acceleration") + _rounding(again, "acceleration")) * roots
    scale = np.repeat(scale[:, None], a.shape[1], 1)
    yield compare_against(made, name, "acceleration", *both, scale, WITNESS, cond, tolerance, bound)
    if EFFORT in again.quantities:
        needed = np.where([n in chosen for n in made.names], _efforts(own), 0.0)
        moved = size.scale_efforts(np.abs(a))
        bound = np.einsum("sij,sj->si", size.contributions, _rounding(own, "acceleration")) + _rounding(again, EFFORT)
        found = again.quantities[EFFORT]
        yield compare_against(made, name, EFFORT, needed, found, moved, WITNESS, cond, tolerance, bound)


def _rounding(of: Evaluation, quantity: str) -> Array:
    """Return bounds (N, n) of the rounding of a quantity; zero where none is known."""
    bounds = of.bounds.get(quantity, np.zeros_like(of.quantities["acceleration"]))
    return np.where(np.isfinite(bounds), bounds, 0.0)


REINSERTION_ONCE = "Re-insertion with a drawn part of the accelerations imposed, another one than the model imposes."


def reinsertion_once(made: Trial) -> list[Comparison]:
    """Check ``reinsertion`` for its last choice, the random one if it is new."""
    return reinsert(made, list(choices(made))[-1:])


FORWARD_INVERSE = (
    "Forward dynamics undoes inverse dynamics: at the accelerations it gives, inverse dynamics is zero, or the effort "
    "of the drive that imposes them."
)


QUANTITY = "forward and inverse dynamics"
#: What stands against it.
NOTHING = "zero"


def forward_inverse(made: Trial) -> list[Comparison]:
    """Compare M a + h - gravity - applied - effort at a = acceleration with zero, relative to its terms."""
    return [
        _undone(made, name, equations)
        for name, equations in made.equations.items()
        if {"acceleration", "inverse_dynamics"} <= made.evaluations[name].quantities.keys()
    ]


def _undone(made: Trial, name: str, equations: BoundedEquations) -> Comparison:
    """Compare a formalism's inverse dynamics at its own accelerations with zero.

    Recursions leave larger residuals than solved equations: entries that differ at first are allowed the effect of the
    bounds of the accelerations.
    """
    found = made.evaluations[name].quantities["acceleration"]
    solved = np.flatnonzero(np.isfinite(found).all(axis=1))
    if not solved.size:
        return not_checked(name, QUANTITY, "no state has accelerations")
    a = found[solved]
    states = [
        replace(made.states[s], a=dict(zip(made.names, map(float, row), strict=True)))
        for s, row in zip(solved.tolist(), a, strict=True)
    ]
    there = equations.evaluate(inputs(made.system, states))["inverse_dynamics"]
    size, rows = made.scales, made.scales.rows
    forces = (rows["h"] + rows["gravity"] + rows["applied"])[solved]
    scale = forces + np.einsum("sij,sj->si", size.contributions[solved], np.abs(a))
    cond = size.cond[solved]
    tolerance = np.array([solution_tolerance(c) for c in cond])
    at = replace(made, states=tuple(states))
    own = made.evaluations[name]
    known = own.quantities[EFFORT][solved] if EFFORT in own.quantities else np.zeros_like(there.values)
    room = there.bounds + (own.bounds[EFFORT][solved] if EFFORT in own.bounds else 0.0)
    left = there.values - known
    zeros = np.zeros_like(left)
    first = compare_against(at, name, QUANTITY, left, zeros, scale, NOTHING, cond, tolerance, room)
    if first.verdict != "disagrees" or "acceleration" not in own.bounds:
        return first
    unsure = np.einsum("sij,sj->si", size.contributions[solved], own.bounds["acceleration"][solved])
    room = room + np.where(np.isfinite(unsure), unsure, 0.0)
    return compare_against(at, name, QUANTITY, left, zeros, scale, NOTHING, cond, tolerance, room)
