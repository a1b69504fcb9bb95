"""What a graph needs at every point of every field: its nodes in order, its angles, its roots of rationals.

A plan is made of a graph, or of straight-line programs that there are already: steps that they have in common are
taken once. What they compute is what the plan computes, operation by operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from ..algebra import coefficient
from ..node import ADD, FUN, MUL, NEG, NUM, POW, SYM, Expression, number
from ..program import SUB, Program
from ..traversal import topological
from .angles import TRIGONOMETRY, Angles
from .surds import Surds

#: Kinds of steps beside those of nodes.
WHOLE: Final = "whole power"
TURN: Final = "sine or cosine"
ROOT: Final = "root"
SAME: Final = "definition"
#: Kinds of a program's steps that a field has its own way with.
_OWN: Final = frozenset((FUN, POW))
#: Kinds of most steps, of which there is nothing to say.
_PLAIN: Final = frozenset((ADD, SUB, MUL, NEG))


class Step(NamedTuple):
    """One node: what is done, the places of its operands, and the node."""

    op: str
    args: tuple[int, ...]
    node: Expression


class Plan:
    """A graph made ready for a field.

    Parameters
    ----------
    outputs : expressions
    definitions : symbol -> expression
        Symbols that stand for expressions, as the names of a list do; the others are independent.

    Attributes
    ----------
    steps : operands before their users
    place : node -> its place among the steps
    """

    def __init__(
        self, outputs: Iterable[Expression], definitions: Mapping[Expression, Expression] | None = None
    ) -> None:
        self.outputs = tuple(outputs)
        self.definitions = definitions or {}
        self.place: dict[Expression, int] = {}
        self.steps: list[Step] = []
        self.angles = Angles(self.definitions)
        self._enter(self.outputs)

    @classmethod
    def of_programs(
        cls, programs: Iterable[Program], definitions: Mapping[Expression, Expression] | None = None
    ) -> tuple[Plan, list[list[int]]]:
        """A plan of all steps of some programs, and the places of the outputs of each."""
        plan = cls((), definitions)
        return plan, [plan._add(lines) for lines in programs]

    def operands(self, node: Expression) -> tuple[Expression, ...]:
        """What stands below a node; below the root of 4 x, x."""
        if node.op is SYM:
            meant = self.definitions.get(node)
            return () if meant is None else (meant,)
        if node.op is FUN and node.data == "sqrt":
            rest = radicand(node)[1]
            return () if rest is None else (rest,)
        return node.args

    def _enter(self, nodes: Iterable[Expression]) -> None:
        """Nodes of a graph that are not there yet, and what stands below them."""
        known = self.place
        for node in topological(nodes, lambda node: () if node in known else self.operands(node)):
            if node not in known:
                step = self._step(node)
                known[node] = len(self.steps)
                self.steps.append(step)

    def _add(self, lines: Program) -> list[int]:
        """The steps of a program that are not there yet; the places of its outputs."""
        known, steps, new = self.place, self.steps, tuple.__new__
        places: list[int] = []
        put, keep, take = places.append, steps.append, known.setdefault
        here = len(steps)
        for op, args, node in lines.steps:
            if op in _OWN or (op is SYM and node in self.definitions):
                if node not in known:
                    step = self._step(node)
                    known[node] = len(steps)
                    keep(step)
                    here = len(steps)
                put(known[node])
                continue
            at = take(node, here)
            put(at)
            if at == here:
                here += 1
                if len(args) == 2:
                    a, b = args
                    keep(new(Step, (op, (places[a], places[b]), node)))
                else:
                    keep(new(Step, (op, tuple([places[i] for i in args]), node)))
        return [places[i] for i in lines.outputs]

    def _step(self, node: Expression) -> Step:
        """The step of a node whose operands are there; what else its value needs is entered."""
        op, place = node.op, self.place
        if op is ADD or op is MUL:
            a, b = node.args
            return Step(op, (place[a], place[b]), node)
        below = self.operands(node)
        if op is SYM and below:
            self._enter(below)
            op = SAME
        elif op is FUN and node.data in TRIGONOMETRY:
            self._enter(self.angles.take(node.args[0]))
            op = TURN
        elif op is FUN and node.data == "sqrt":
            self._enter(below)
            op = ROOT
        elif op is POW and whole(node) is not None:
            op = WHOLE
        return Step(op, tuple([place[arg] for arg in below]), node)

    @cached_property
    def special(self) -> tuple[tuple[int, Step], ...]:
        """The places and steps that are no sum, difference, product or negative."""
        return tuple([(i, step) for i, step in enumerate(self.steps) if step[0] not in _PLAIN])

    @cached_property
    def surds(self) -> Surds:
        """Roots of rationals."""
        return Surds(radicand(s.node)[0].data for _, s in self.special if s.op is ROOT)

    @cached_property
    def roots(self) -> tuple[Expression, ...]:
        """What roots are taken of that is no rational, in the order of the steps."""
        found = (radicand(s.node)[1] for _, s in self.special if s.op is ROOT)
        return tuple(dict.fromkeys(x for x in found if x is not None))


def radicand(node: Expression) -> tuple[Expression, Expression | None]:
    """A positive rational c, and x, of a root of c x; None of the root of a rational."""
    (inside,) = node.args
    if inside.op is NUM:
        return inside, None
    factor, rest = coefficient(inside)
    return number(factor), rest


def whole(node: Expression) -> int | None:
    """The exponent of a whole power."""
    exponent = node.args[1]
    if exponent.op is NUM and exponent.data.denominator == 1:
        n: int = exponent.data.numerator
        return n
    return None
