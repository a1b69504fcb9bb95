"""Functions in functions: how many calls a formula comes to, once the formulas of what it calls are put in."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic, error
from ..expressions import topological
from ..limits import NESTED_CALLS, too_many
from ..order import in_order
from .model import Model


def nested(system: Model) -> Iterator[Diagnostic]:
    """The functions whose formulas come to more calls than the limit; those in a cycle are left to who meets it."""
    calls: dict[str, list[str]] = {}
    for function in system.functions:
        if function.formula is not None:
            nodes = topological([function.formula])
            calls[function.name] = [node.data[0] for node in nodes if node.op == "call"]
    counts: dict[str, int] = {}
    for name in in_order(calls):
        counts[name] = sum(1 + counts.get(called, 0) for called in calls[name])
        if counts[name] > NESTED_CALLS:
            things = "calls of functions, those within functions and all"
            remedy = "write it with fewer functions within functions"
            yield error(f"functions/{name}", too_many(counts[name], things, NESTED_CALLS), remedy)
            return
