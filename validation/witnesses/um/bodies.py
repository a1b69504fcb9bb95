"""Matching of bodies in generated equations to a model's; their positions may be those of origins or mass centres.

Bodies have numbers in generated equations. A model of the same program has them too. Otherwise they are taken in the
model's order, without massless bodies if the counts require it; if that does not fit the motion and exactly one other
body does, that one is taken: this is a search, and part of the verdict until the user confirms it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.equations import UNNAMED, GeneratedEquations, GeneratedMotion
from mbconcord.model.expressions import symbols
from mbconcord.model.system import System
from mbconcord.records import dataclass
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.matching import short_list
from mbconcord.validation.judge.motion import Array, MotionNumbers
from mbconcord.validation.judge.tolerances import evaluation_tolerance

from .numbers import expected_motion, generated_numbers

LOAD = re.compile(r"_(?:force|moment)(\d+)_[xyz]")

#: Quantities of motion by which bodies are told apart.
TELLING = ("position", "orientation")


@dataclass(frozen=True)
class BodyPairing:
    """Names of the model's bodies by number (None: the fixed frame); ``centred``: positions are of mass centres.

    ``notes`` are remarks for the report; ``searched`` has the numbers whose bodies were found by their motion.
    """

    names: Mapping[int, str | None]
    centred: bool
    notes: tuple[Diagnostic, ...] = ()
    searched: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """Pairs found by search, in words: ``taking body 2 for tip``; empty if none were."""
        found = [f"{_name_body(number)} for {self.names[number]}" for number in self.searched]
        return f"taking {short_list(found)}" if found else ""


def numbers(equations: GeneratedEquations) -> list[int]:
    """Return numbers of the bodies in the equations, except the fixed frame."""
    loads = (LOAD.fullmatch(name) for name in symbols(equations.expressions()))
    loaded = {int(load[1]) for load in loads if load}
    return sorted(number for number in {*loaded, *equations.bodies} if number != 0)


def match_bodies(
    equations: GeneratedEquations, k: TreeKinematics, values: Mapping[str, Any],
    told: Mapping[int, str] | None = None,
) -> BodyPairing:  # fmt: skip
    """Match numbers to names as the user states (``told``), else by order and by the motion at the states of k."""
    wanted = numbers(equations)
    names: dict[int, str | None] = {**in_order(wanted, k, equations.program), **(told or {})}
    sure = names.keys() if f"{equations.program}:coordinates" in k.system.metadata else (told or {}).keys()
    fits = {
        centred: {number: _fitting(equations, number, k, values, centred) for number in wanted}
        for centred in (False, True)
    }
    centred = _count(names, fits[True]) > _count(names, fits[False])
    searched: list[int] = []
    for number in wanted:
        candidates = fits[centred][number]
        fresh = len(candidates) == 1 and candidates[0] not in names.values()
        if number not in sure and names.get(number) not in candidates and fresh:
            names[number] = candidates[0]
            searched.append(number)
    notes = tuple(_note_matching(equations.program, names, wanted, centred, k, searched))
    fixed: dict[int, str | None] = {0: None} if 0 in equations.bodies else {}
    return BodyPairing({**fixed, **names}, centred, notes, tuple(searched))


def told_bodies(settings: Mapping[str, str], equations: GeneratedEquations, system: System) -> dict[int, str]:
    """Return the bodies that a user states: number (or ``print``) -> name.

    Raises
    ------
    NumbersError
        A number that the equations lack, a name that the model lacks, or one that is repeated.
    """
    keys = {_name_body(number).removeprefix("body "): number for number in numbers(equations)}
    names = [body.name for body in system.bodies]
    findings = []
    for key, name in settings.items():
        place = f"--map bodies:{key}={name}"
        if key not in keys:
            findings.append(error(place, f"found {key!r}, expected one of {', '.join(keys)}"))
        if name not in names:
            findings.append(error(place, f"the model has no body {name!r}", f"known: {', '.join(names)}"))
        elif list(settings.values()).count(name) > 1:
            findings.append(error(place, f"the body {name} is named twice"))
    if findings:
        raise NumbersError(findings)
    return {keys[key]: name for key, name in settings.items()}


def _name_body(number: int) -> str:
    return "print" if number == UNNAMED else f"body {number}"


def in_order(wanted: list[int], k: TreeKinematics, program: str) -> dict[int, str | None]:
    """Return names of the model's bodies by number, in the program's order if known, else in the model's.

    Massless bodies are left out if the counts require it.
    """
    own = k.system.metadata.get(f"{program}:bodies")
    everybody = [str(name) for name in own] if own else [body.name for body in k.system.bodies]
    if wanted == [UNNAMED]:
        return {UNNAMED: everybody[-1]} if everybody else {}
    heavy = [name for name in everybody if not k.system.body(name).inertia.is_zero]
    chosen = heavy if len(wanted) == len(heavy) != len(everybody) else everybody
    return dict(zip(wanted, chosen, strict=False))


def _note_matching(
    program: str, names: Mapping[int, str | None], wanted: list[int], centred: bool, k: TreeKinematics,
    searched: list[int],
) -> list[Diagnostic]:  # fmt: skip
    said = [f"{'the print' if number == UNNAMED else number} = {name}" for number, name in names.items()]
    notes = [Diagnostic("note", f"{program}/bodies", f"matched: {', '.join(said)}")] if said else []
    if searched:
        setting = ",".join(f"{_name_body(n).removeprefix('body ')}={names[n]}" for n in searched)
        message = f"found by the motion: {', '.join(str(names[number]) for number in searched)}"
        remedy = f"where this is meant: --map bodies:{setting}"
        notes.append(Diagnostic("warning", f"{program}/bodies", message, remedy))
    left = [str(number) for number in wanted if number not in names]
    if left:
        message = f"the model has no body for number {', '.join(left)} of the equations"
        notes.append(Diagnostic("warning", f"{program}/bodies", message))
    if any(any(body.inertia.centre) for body in k.system.bodies):
        point = "centres of mass" if centred else "origins of the bodies' frames"
        notes.append(Diagnostic("note", f"{program}/bodies", f"positions are taken as those of the {point}"))
    return notes


def _count(names: Mapping[int, str | None], fits: Mapping[int, list[str]]) -> int:
    return sum(name in fits[number] for number, name in names.items())


def _fitting(
    equations: GeneratedEquations, number: int, k: TreeKinematics, values: Mapping[str, Any], centred: bool
) -> list[str]:
    """Return names of bodies whose position and orientation are those of a number in the equations."""
    motion = equations.bodies.get(number)
    if motion is None or (motion.position is None and motion.orientation is None):
        return []
    found = []
    for body in k.system.bodies:
        frame = k.centre(body) if centred else k.frame(body.name)
        if all(_same(quantity, motion, frame, k, values) for quantity in TELLING):
            found.append(body.name)
    return found


def _same(
    quantity: str, motion: GeneratedMotion, frame: MotionNumbers, k: TreeKinematics, values: Mapping[str, Any]
) -> bool:  # fmt: skip
    delivered = getattr(motion, quantity)
    if delivered is None:
        return True
    flat = [x for row in delivered for x in row] if quantity == "orientation" else list(delivered)
    expected, size = expected_motion(quantity, frame, k)
    own = generated_numbers(flat, values, k.count)
    gap: Array = np.abs(own.values - expected.reshape(k.count, -1))
    return bool(np.all(gap <= evaluation_tolerance() * size[:, None] + own.bounds))
