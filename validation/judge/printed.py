"""Numbers of a model that another program may have printed, as parameters: what is made of them knows them again.

A graph computes with numbers when it is built: 0.70710678² stands in M as a number of sixteen digits, and nothing
tells that the last eight of them are not known. A parameter stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import Expression, substitute, symbol, topological
from mbconcord.model.naming import Namer
from mbconcord.model.system import System

from .uncertainty import rounded

#: Directions are made of numbers, and are normalised.
DIRECTIONS = frozenset({"axis", "direction"})
#: Fields of a system with numbers of its own.
PARTS = ("coordinates", "bodies", "forces", "constraints", "gravity")


def with_named_numbers(system: System) -> System:
    """The system with a parameter for each number that was rounded when it was printed, directions apart."""
    used: dict[Expression, None] = {}
    parts = {name: getattr(system, name) for name in PARTS}

    def noted(x: Expression) -> Expression:
        used.update(dict.fromkeys(topological([x])))
        return x

    for part in parts.values():
        _changed(part, noted)
    numbers = [node for node in used if node.op == "num" and rounded(node.data)]
    if not numbers:
        return system
    namer = Namer(system.names)
    names = {node: symbol(namer.fresh(f"printed{i}")) for i, node in enumerate(numbers, 1)}
    new = {name: _changed(part, lambda x: substitute([x], names)[0]) for name, part in parts.items()}
    own = tuple(Parameter(names[node].data, node) for node in numbers)
    return replace(system, parameters=(*system.parameters, *own), **new)


def _changed(value: Any, change: Callable[[Expression], Expression]) -> Any:
    """A part of a system with every expression in it changed."""
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_changed(x, change) for x in value)
    if isinstance(value, Mapping):
        return {key: _changed(x, change) for key, x in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.init and f.name not in DIRECTIONS}
        new = {name: _changed(x, change) for name, x in own.items()}
        same = all(new[name] is x for name, x in own.items())
        return value if same else replace(value, **new)
    return value
