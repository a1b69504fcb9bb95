"""What a text consists of: bodies and connectors, in an order that gives default names their own numbers back.

Counters run over the whole text. A model lists bodies, forces and constraints apart; where default-named shifts stand
in the offsets of connectors, these are written between the bodies so that every letter counts as it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mbconcord.model import Bipolar, Body, ElementaryTransformation, FrameCoincidence, Parameter, Rod, System
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import Vector, shift

from .letters import SHIFTS, TURNS, on_axes

Link = Rod | Bipolar | FrameCoincidence
Unit = Body | Link
_STEMS = {"i": "i", "j": "j", "k": "k", "l": "l", "mu": "m", "nu": "n"}
_DEFAULT = re.compile(r"(i|j|k|l|mu|nu)([1-9]\d*)")


def default_letter(name: str, parameters: Mapping[str, Parameter]) -> tuple[str, int] | None:
    """Letter and number of a default-named shift or rotation whose value is its default."""
    match = _DEFAULT.fullmatch(name)
    parameter = parameters.get(name)
    if match is None or parameter is None or parameter.origin != "default":
        return None
    value = ONE if match[1] in SHIFTS else ZERO
    return (_STEMS[match[1]], int(match[2])) if parameter.value is value else None


def core(amount: Expression) -> tuple[str, str] | None:
    """Factor and symbol of an amount that a bare letter can have: ``i1``, ``-i1``, ``2*i1``."""
    sign = ""
    if amount.op == "neg":
        sign, amount = "-", amount.args[0]
    if amount.op == "mul" and amount.args[0].op == "num" and amount.args[1].op == "sym":
        factor = str(amount.args[0])
        return None if "/" in factor else (f"{sign}{factor}*", amount.args[1].data)
    return (sign, amount.data) if amount.op == "sym" else None


def letter_of(et: ElementaryTransformation) -> str:
    """The letter of a constant or prescribed transformation along or about a coordinate axis."""
    index = next(i for i, part in enumerate(et.axis) if part)
    return (SHIFTS if et.is_translation else TURNS)[index]


def units(system: System) -> list[Unit]:
    """Bodies, connectors: each after the bodies that it needs, default numbers of a letter ascending."""
    parameters = {p.name: p for p in system.parameters}
    queues: list[list[Unit]] = [
        list(system.bodies),
        [f for f in system.forces if isinstance(f, Bipolar)],
        [c for c in system.constraints if isinstance(c, (Rod, FrameCoincidence))],
    ]
    least = [[_least(unit, parameters) for unit in queue] for queue in queues]
    ahead = [_ahead(numbers) for numbers in least]
    at = [0, 0, 0]
    done: set[str | None] = {None}
    order: list[Unit] = []
    while any(at[q] < len(queues[q]) for q in range(3)):
        ready = [q for q in range(3) if at[q] < len(queues[q]) and needs(queues[q][at[q]]) <= done]
        chosen = next((q for q in ready if _first(q, at, least, ahead)), ready[0])
        unit = queues[chosen][at[chosen]]
        at[chosen] += 1
        order.append(unit)
        if isinstance(unit, Body):
            done.add(unit.name)
    return order


def needs(unit: Unit) -> set[str | None]:
    """Bodies that must stand before a unit."""
    if isinstance(unit, Body):
        return {unit.parent}
    return {unit.first.body, unit.second.body}


def _first(
    q: int, at: list[int], least: Sequence[list[dict[str, int]]], ahead: Sequence[list[dict[str, int]]]
) -> bool:
    """Whether no other unit that is still to come has a smaller number of a letter that this one has."""
    mine = least[q][at[q]]
    others = [ahead[o][at[o] + (o == q)] for o in range(3)]
    return all(number < other.get(letter, number + 1) for letter, number in mine.items() for other in others)


def _least(unit: Unit, parameters: Mapping[str, Parameter]) -> dict[str, int]:
    """Smallest default number of each letter in a unit."""
    found: dict[str, int] = {}
    for et in transformations(unit):
        name = core(et.amount) if et.coordinate is None else None
        letter = default_letter(name[1], parameters) if name else None
        if letter is not None and letter[0] == letter_of(et):
            found[letter[0]] = min(letter[1], found.get(letter[0], letter[1]))
    return found


def _ahead(numbers: list[dict[str, int]]) -> list[dict[str, int]]:
    """For each place of a queue the smallest numbers from there on."""
    ahead: list[dict[str, int]] = [{}]
    for here in reversed(numbers):
        merged = dict(ahead[-1])
        for letter, number in here.items():
            merged[letter] = min(number, merged.get(letter, number))
        ahead.append(merged)
    return ahead[::-1]


def transformations(unit: Unit) -> Iterator[ElementaryTransformation]:
    """All transformations of a unit as its text shows them, along and about coordinate axes."""
    if isinstance(unit, Body):
        sides: Sequence[Sequence[ElementaryTransformation]] = (unit.joint,)
    elif isinstance(unit, FrameCoincidence):
        sides = (unit.first.transformations, unit.second.transformations)
    else:
        sides = (offset(unit.first.position), offset(unit.second.position))
    for side in sides:
        for et in side:
            yield from on_axes(et)


def offset(position: Vector) -> tuple[ElementaryTransformation, ...]:
    """The shift that leads to a point."""
    return shift(position)
