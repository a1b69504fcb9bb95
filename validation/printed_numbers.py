"""Numbers of a model that another program may have printed, as parameters: what is made of them knows them again.

A graph computes with numbers when it is built: 0.70710678² stands in M as a number of sixteen digits, and nothing
tells that the last eight of them are not known. A parameter stays what it is.
"""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import Expression, substitute, symbol, topological
from mbconcord.model.naming import Namer
from mbconcord.model.system import System
from mbconcord.simulation.rewriting import PARTS, rewritten

from .judge.uncertainty import rounded


def with_named_numbers(system: System) -> System:
    """The system with a parameter for each number that was rounded when it was printed, directions apart."""
    used: dict[Expression, None] = {}
    parts = {name: getattr(system, name) for name in PARTS}

    def noted(x: Expression) -> Expression:
        used.update(dict.fromkeys(topological([x])))
        return x

    for part in parts.values():
        rewritten(part, noted)
    numbers = [node for node in used if node.op == "num" and rounded(node.data)]
    if not numbers:
        return system
    namer = Namer(system.names)
    names = {node: symbol(namer.fresh(f"printed{i}")) for i, node in enumerate(numbers, 1)}
    new = {name: rewritten(part, lambda x: substitute([x], names)[0]) for name, part in parts.items()}
    own = tuple(Parameter(names[node].data, node) for node in numbers)
    return replace(system, parameters=(*system.parameters, *own), **new)
