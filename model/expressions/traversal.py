"""Walks over a graph. None of them calls itself, so depth costs no recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from .node import CALL, SYM, Expression


def topological(
    outputs: Iterable[Expression],
    operands: Callable[[Expression], tuple[Expression, ...]] = attrgetter("args"),
) -> list[Expression]:
    """All nodes at and below the outputs, each once, operands before their users.

    ``operands`` says what stands below a node; it is called once for every node.
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
    """Whether a node of some kind stands at or below formulas. Each node is looked at once, however many share it."""

    def __init__(self, marked: Callable[[Expression], bool]) -> None:
        self.marked = marked
        self._known: dict[Expression, bool] = {}

    @property
    def count(self) -> int:
        """How many nodes were looked at."""
        return len(self._known)

    def any(self, outputs: Iterable[Expression]) -> bool:
        """Whether there is one at or below any of the outputs."""
        roots, known = list(outputs), self._known
        for node in topological(roots, lambda node: () if node in known else node.args):
            if node not in known:
                found = self.marked(node)
                for arg in node.args:  # in a generator this takes three times as long
                    if known[arg]:
                        found = True
                known[node] = found
        return any(known[root] for root in roots)

    def at(self, node: Expression) -> bool:
        """Whether there is one at or below the node."""
        found = self._known.get(node)
        return self.any([node]) if found is None else found


def count_nodes(output: Expression, limit: int | None = None) -> int:
    """Number of different nodes at and below the output; stops counting at the limit."""
    seen = {output}
    stack = [output]
    while stack and (limit is None or len(seen) < limit):
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return len(seen)


def unknowns(outputs: Iterable[Expression], seen: set[Expression] | None = None) -> list[Expression]:
    """Symbols and calls of undefined functions at and below the outputs, each once: what needs a meaning from outside.

    Nodes in ``seen`` are left out with all below them; those that are walked over are added to it.
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
    """Names of the symbols at and below the outputs."""
    return frozenset(node.data for node in unknowns(outputs) if node.op is SYM)


def undefined_functions(outputs: Iterable[Expression]) -> frozenset[str]:
    """Names of the undefined functions at and below the outputs."""
    return frozenset(node.data[0] for node in unknowns(outputs) if node.op is CALL)
