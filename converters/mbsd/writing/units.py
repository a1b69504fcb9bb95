"""What a text consists of: bodies and connectors, transformations, default names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mbconcord.model import Bipolar, Body, ElementaryTransformation, FrameCoincidence, Parameter, Rod, System
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import Vector, shift

from ..defaults import STEMS
from ..letters import SHIFTS, TURNS, on_axes

Link = Rod | Bipolar | FrameCoincidence
Unit = Body | Link
_DEFAULT = re.compile(r"(i|j|k|l|mu|nu)([1-9][0-9]{0,8})")


def default_letter(name: str, parameters: Mapping[str, Parameter]) -> tuple[str, int] | None:
    """Letter and number of a default-named shift or rotation whose value is its default."""
    match = _DEFAULT.fullmatch(name)
    parameter = parameters.get(name)
    if match is None or parameter is None or parameter.origin != "default":
        return None
    value = ONE if match[1] in SHIFTS else ZERO
    letter = next((letter for letter, stem in STEMS.items() if stem == match[1]), match[1])
    return (letter, int(match[2])) if parameter.value is value else None


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
    """Bodies, then connectors: bipolar forces, rods and closures."""
    bipolars = [f for f in system.forces if isinstance(f, Bipolar)]
    return [
        *system.bodies,
        *bipolars,
        *(c for c in system.constraints if isinstance(c, (Rod, FrameCoincidence))),
    ]


def needs(unit: Unit) -> set[str]:
    """Bodies that a unit refers to."""
    ends = (unit.parent,) if isinstance(unit, Body) else (unit.first.body, unit.second.body)
    return {name for name in ends if name is not None}


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
