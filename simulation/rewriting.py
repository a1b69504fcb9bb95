"""Models with every formula changed in the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, Final

from mbconcord.model.expressions import TIME, Expression, number, substitute
from mbconcord.model.system import System

#: Directions are made of numbers, and are normalised: they stay.
DIRECTIONS: Final = frozenset({"axis", "direction"})
#: Fields of a system with formulas of its own.
PARTS: Final = ("coordinates", "bodies", "forces", "constraints", "gravity")


def rewritten(value: Any, change: Callable[[Expression], Expression]) -> Any:
    """Change every expression in a part of a system; return it unchanged if nothing changes."""
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple):
        return tuple(rewritten(x, change) for x in value)
    if isinstance(value, Mapping):
        return {key: rewritten(x, change) for key, x in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.init and f.name not in DIRECTIONS}
        new = {name: rewritten(x, change) for name, x in own.items()}
        same = all(new[name] is x for name, x in own.items())
        return value if same else replace(value, **new)
    return value


def standing_still(system: System, t: float) -> System:
    """Freeze the system at a time: prescribed motions stop, and time-dependent forces keep their values."""
    at = {TIME: number(Fraction(t))}
    parts = {name: rewritten(getattr(system, name), lambda x: substitute([x], at)[0]) for name in PARTS}
    return replace(system, **parts)
