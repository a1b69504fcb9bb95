"""The mixed problem undone: what was found is given, what was given is found."""

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
from mbconcord.model.mixed import imposed
from mbconcord.model.naming import Namer
from mbconcord.model.system import System

from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.scale import condition, mass_matrix
from ..judge.tolerances import solution_tolerance
from ..judge.trial import Trial, trial
from .claim import against, not_checked

SENTENCE = (
    "Re-insertion: accelerations that were found, imposed, need the efforts that were given, and efforts that were "
    "found, given, make the accelerations that were imposed."
)

#: What stands against the solution with other quantities given.
WITNESS = "re-inserted"
#: Which coordinates are given by their accelerations the second time.
ALL, NONE, DRAWN = "all accelerations given", "all efforts given", "drawn ones given"


def claim(made: Trial) -> list[Comparison]:
    """Each formalism's own solution, put in again with all, none and a drawn part of the accelerations imposed."""
    return reinserted(made, choices(made))


def reinserted(made: Trial, parts: Iterable[tuple[str, frozenset[str]]]) -> list[Comparison]:
    """The same with these parts of the accelerations imposed, each with what it is called."""
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
                found += _compared(made, own, again, chosen, what, cond)
    return found


def choices(made: Trial) -> Iterator[tuple[str, frozenset[str]]]:
    """What is imposed the second time: all, none, and a part that is drawn and another than before."""
    names, before = made.names, frozenset(imposed(made.system))
    random = Random(", ".join(names))
    drawn = frozenset(name for name in names if random.random() < 0.5)
    tried: list[frozenset[str]] = [frozenset(before)]
    for what, chosen in ((ALL, frozenset(names)), (NONE, frozenset[str]()), (DRAWN, drawn)):
        if chosen not in tried:
            tried.append(chosen)
            yield what, chosen


def given_instead(system: System, chosen: Set[str]) -> tuple[System, dict[str, str], dict[str, str]]:
    """The system with the accelerations of the chosen coordinates imposed, and the efforts of all others given.

    Returns
    -------
    system : efforts that it had stay, as joint forces
    efforts, motions : by coordinate the parameter whose value is the effort that it needs, or its acceleration
    """
    namer, before = Namer(system.names), imposed(system)
    motions = {
        name: namer.fresh(f"{name}_acceleration") for name in system.coordinate_names if name in chosen
    }
    efforts = {name: namer.fresh(f"{name}_effort") for name in before if name not in chosen}
    drives: dict[str, Effort | Motion] = {name: Motion(symbol(own)) for name, own in motions.items()}
    drives |= {name: Effort(symbol(own)) for name, own in efforts.items()}
    kept: dict[str, Expression] = {
        c.name: c.drive.value for c in system.coordinates if isinstance(c.drive, Effort)
    }
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
    """Values of the new parameters at state number s, from the formalism's own solution."""
    place = {name: i for i, name in enumerate(made.names)}
    a, u = own.quantities["acceleration"][s], _efforts(own)[s]
    return {motions[n]: float(a[place[n]]) for n in motions} | {
        efforts[n]: float(u[place[n]]) for n in efforts
    }


def _efforts(own: Evaluation) -> Array:
    """Efforts (N, n); zero where nothing is imposed."""
    return own.quantities.get(EFFORT, np.zeros_like(own.quantities["acceleration"]))


def _compared(
    made: Trial, own: Evaluation, again: Evaluation, chosen: Set[str], what: str, cond: Array
) -> Iterator[Comparison]:
    """Accelerations of both, and the efforts that both need along the coordinates that are imposed now.

    What is imposed now has the rounding of the first solution, which is an effort by the inertia it moves.
    """
    size, a = made.scales, own.quantities["acceleration"]
    tolerance = np.array([solution_tolerance(c) for c in cond])
    name, roots = f"{own.formalism}, {what}", size.roots
    scale = np.fmax(np.max(np.abs(a * roots), axis=1, initial=0.0), size.forces)
    both = a * roots, again.quantities["acceleration"] * roots
    yield against(
        made, name, "acceleration", *both, np.repeat(scale[:, None], a.shape[1], 1), WITNESS, cond, tolerance
    )
    if EFFORT in again.quantities:
        now = np.array([n in chosen for n in made.names])
        needed = np.where(now, _efforts(own), 0.0)
        moved = size.needed(np.abs(a))
        found, unsure = again.quantities[EFFORT], own.bounds.get("acceleration", np.zeros_like(a))
        bound = np.einsum("sij,sj->si", size.contributions, np.where(np.isfinite(unsure), unsure, 0.0))
        yield against(made, name, EFFORT, needed, found, moved, WITNESS, cond, tolerance, bound)
