"""Which body of generated equations is which of a model, and whether positions are of origins or of centres.

Bodies have numbers in generated equations. They are taken in the model's order, massless bodies left out where the
counts ask for it; where that does not fit the motion and exactly one other body does, that one is taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.equations import UNNAMED, GeneratedEquations, GeneratedMotion
from mbconcord.model.expressions import symbols
from mbconcord.validation.judge.kinematics import Array, Kinematics, Motion
from mbconcord.validation.judge.tolerances import evaluation_tolerance

from .numbers import expected_motion, generated_values

LOAD = re.compile(r"_(?:force|moment)(\d+)_[xyz]")

#: What tells bodies apart.
TELLING = ("position", "orientation")


@dataclass(frozen=True)
class Bodies:
    """Name of the model's body by number (None: the fixed frame), the point of positions, and remarks."""

    names: Mapping[int, str | None]
    centred: bool
    notes: tuple[Diagnostic, ...] = ()


def numbers(equations: GeneratedEquations) -> list[int]:
    """Numbers of the bodies that the equations speak of, the fixed frame left out."""
    loads = (LOAD.fullmatch(name) for name in symbols(equations.expressions()))
    loaded = {int(load[1]) for load in loads if load}
    return sorted(number for number in {*loaded, *equations.bodies} if number != 0)


def match_bodies(equations: GeneratedEquations, k: Kinematics, values: Mapping[str, Any]) -> Bodies:
    """Names for the numbers, by order and by the motion at the states of the kinematics."""
    wanted = numbers(equations)
    names = in_order(wanted, k)
    fits = {
        centred: {number: _fitting(equations.bodies.get(number), k, values, centred) for number in wanted}
        for centred in (False, True)
    }
    centred = _count(names, fits[True]) > _count(names, fits[False])
    notes: list[Diagnostic] = []
    for number in wanted:
        candidates = fits[centred][number]
        if (
            names.get(number) not in candidates
            and len(candidates) == 1
            and candidates[0] not in names.values()
        ):
            names[number] = candidates[0]
    notes += _said(equations.program, names, wanted, centred, k)
    if 0 in equations.bodies:
        return Bodies({0: None, **names}, centred, tuple(notes))
    return Bodies(names, centred, tuple(notes))


def in_order(wanted: list[int], k: Kinematics) -> dict[int, str | None]:
    """The bodies of the model in order; those without mass are left out where the counts ask for it."""
    everybody = [body.name for body in k.system.bodies]
    if wanted == [UNNAMED]:
        return {UNNAMED: everybody[-1]} if everybody else {}
    heavy = [body.name for body in k.system.bodies if not body.inertia.is_zero]
    chosen = heavy if len(wanted) == len(heavy) != len(everybody) else everybody
    return dict(zip(wanted, chosen, strict=False))


def _said(
    program: str, names: Mapping[int, str | None], wanted: list[int], centred: bool, k: Kinematics
) -> list[Diagnostic]:
    said = [f"{'the print' if number == UNNAMED else number} = {name}" for number, name in names.items()]
    notes = [Diagnostic("note", f"{program}/bodies", f"matched: {', '.join(said)}")] if said else []
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
    motion: GeneratedMotion | None, k: Kinematics, values: Mapping[str, Any], centred: bool
) -> list[str]:
    """Bodies that move as the equations say."""
    if motion is None or (motion.position is None and motion.orientation is None):
        return []
    found = []
    for body in k.system.bodies:
        frame = k.centre(body) if centred else k.frame(body.name)
        if all(_same(quantity, motion, frame, k, values) for quantity in TELLING):
            found.append(body.name)
    return found


def _same(
    quantity: str, motion: GeneratedMotion, frame: Motion, k: Kinematics, values: Mapping[str, Any]
) -> bool:
    delivered = getattr(motion, quantity)
    if delivered is None:
        return True
    flat = [x for row in delivered for x in row] if quantity == "orientation" else list(delivered)
    expected, size = expected_motion(quantity, frame, k)
    gap: Array = np.abs(generated_values(flat, values, k.count) - expected.reshape(k.count, -1))
    return bool(np.all(gap <= evaluation_tolerance() * size[:, None]))
