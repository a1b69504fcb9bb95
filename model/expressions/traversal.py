"""Iterative walks over a graph, whose depth costs no recursion; topological orders of names, in linear time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any, TypeAlias

from .node import CALL, SYM, Expression

# Vectors and matrices as formalisms deliver them: nested tuples of expressions.


#: An expression, or nested tuples of expressions (rows of a matrix).
Nested: TypeAlias = "Expression | tuple[Nested, ...]"


def flatten(value: Nested) -> Iterator[Expression]:
    """Yield the scalars of nested tuples in order."""
    if isinstance(value, tuple):
        for item in value:
            yield from flatten(item)
    else:
        yield value


def restore(value: Nested, scalars: Iterator[Any]) -> Any:
    """Fill nested lists of the same shape as ``value`` from ``scalars``."""
    if isinstance(value, tuple):
        return [restore(item, scalars) for item in value]
    return next(scalars)


def topological(
    outputs: Iterable[Expression], operands: Callable[[Expression], tuple[Expression, ...]] = attrgetter("args")
) -> list[Expression]:
    """List all nodes at and below the outputs, each once, operands before their users.

    ``operands`` returns the nodes below a node; it is called once for every node.
    """
    order: list[Expression] = []
    seen: set[Expression] = set()
    stack: list[tuple[Expression, Iterator[Expression]]] = []
    for output in outputs:
        if output in seen:
            continue
        seen.add(output)
        stack.append((output, iter(operands(output))))
        while stack:
            node, rest = stack[-1]
            for arg in rest:
                if arg not in seen:
                    seen.add(arg)
                    below = operands(arg)
                    if below:
                        stack.append((arg, iter(below)))
                        break
                    order.append(arg)
            else:
                stack.pop()
                order.append(node)
    return order


class Below:
    """Search for nodes of some kind in formulas. Each node is visited once, even if shared."""

    def __init__(self, marked: Callable[[Expression], bool]) -> None:
        self.marked = marked
        self._known: dict[Expression, bool] = {}

    @property
    def count(self) -> int:
        """Number of nodes visited."""
        return len(self._known)

    def any(self, outputs: Iterable[Expression]) -> bool:
        """Return True if a node of the kind is at or below any of the outputs."""
        roots, known = list(outputs), self._known
        for node in topological(roots, lambda node: () if node in known else node.args):
            if node not in known:
                found = self.marked(node)
                for arg in node.args:  # in a generator this takes three times as long
                    if known[arg]:
                        found = True
                known[node] = found
        return any(known[root] for root in roots)

    def is_at_or_below(self, node: Expression) -> bool:
        """Return True if a node of the kind is at or below this node."""
        found = self._known.get(node)
        return self.any([node]) if found is None else found


def count_nodes(output: Expression, limit: int | None = None) -> int:
    """Count the different nodes at and below the output, up to the limit."""
    seen = {output}
    stack = [output]
    while stack and (limit is None or len(seen) < limit):
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return len(seen)


def unknowns(outputs: Iterable[Expression], seen: set[Expression] | None = None) -> list[Expression]:
    """List symbols and calls of undefined functions at and below the outputs, each once: all that needs a value.

    Nodes in ``seen`` are left out with all below them; visited nodes are added to it.
    """
    seen = set() if seen is None else seen
    waiting = [output for output in dict.fromkeys(outputs) if output not in seen and not output.constant]
    seen.update(waiting)
    found = []
    while waiting:
        node = waiting.pop()
        args = node.args
        if not args or node.op is CALL:
            found.append(node)
        for arg in args:
            if arg not in seen:
                seen.add(arg)
                if not arg.constant:
                    waiting.append(arg)
    return found


def symbols(outputs: Iterable[Expression]) -> frozenset[str]:
    """Return the names of the symbols at and below the outputs."""
    return frozenset(node.data for node in unknowns(outputs) if node.op is SYM)


def undefined_functions(outputs: Iterable[Expression]) -> frozenset[str]:
    """Return the names of the undefined functions at and below the outputs."""
    return frozenset(node.data[0] for node in unknowns(outputs) if node.op is CALL)


# The garbage collector of cycles: graphs have none, and the search takes as long as building them.


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """Suspend cyclic garbage collection while a graph or a plan is built, then skip its objects in later searches."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _age_objects()
            gc.enable()


def _age_objects() -> None:
    """Move all objects to the oldest generation, unless the program itself has frozen some.

    Nothing is done if too few objects were made for a search: counting frozen objects counts all of them.
    """
    if gc.get_count()[0] > gc.get_threshold()[0] and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def in_order(needs: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the names, each after those that it needs, otherwise in the given order.

    Names in a cycle, and those that need one of them, are left out.

    >>> list(in_order({"c": ["a"], "b": [], "a": [], "x": ["x"]}))
    ['b', 'a', 'c']
    """
    names = list(needs)
    waiting = {name: {need for need in needed if need in needs} for name, needed in needs.items()}
    users: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        for need in waiting[name]:
            users.setdefault(need, []).append(i)
    ready = [i for i, name in enumerate(names) if not waiting[name]]
    heapify(ready)
    while ready:
        found = names[heappop(ready)]
        yield found
        for i in users.get(found, ()):
            waiting[names[i]].discard(found)
            if not waiting[names[i]]:
                heappush(ready, i)


def generations(needs: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Group the names: the first group needs no others, each further one only names before it.

    >>> generations({"c": ["a", "b"], "b": ["a"], "a": [], "d": []})
    [['a', 'd'], ['b'], ['c']]
    """
    depth: dict[str, int] = {}
    groups: list[list[str]] = []
    for name in in_order(needs):
        depth[name] = max((depth[need] + 1 for need in needs[name] if need in depth), default=0)
        if depth[name] == len(groups):
            groups.append([])
        groups[depth[name]].append(name)
    return groups
