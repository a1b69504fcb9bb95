"""Plan for evaluating a graph at points of fields: its nodes in order, its angles, its roots of rationals.

A plan is made from a graph or from existing straight-line programs, whose common steps are taken once. It repeats their
computation operation by operation.
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
from .primes import Surds

#: Kinds of steps beside those of nodes.
WHOLE: Final = "whole power"
TURN: Final = "sine or cosine"
ROOT: Final = "root"
SAME: Final = "definition"
#: Kinds of a program's steps that a field has its own way with.
_OWN: Final = frozenset((FUN, POW))
#: Kinds of most steps, of which there is nothing to say.
_PLAIN: Final = frozenset((ADD, SUB, MUL, NEG))


class PlanStep(NamedTuple):
    """One node: its operation, the places of its operands, and the node."""

    op: str
    args: tuple[int, ...]
    node: Expression


class Plan:
    """A graph prepared for evaluation in a field.

    Parameters
    ----------
    outputs : expressions
    definitions : symbol -> expression Symbols that name expressions, as in a list; the others are independent.

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
        self.steps: list[PlanStep] = []
        self.angles = Angles(self.definitions)
        self._enter(self.outputs)

    @classmethod
    def of_programs(
        cls, programs: Iterable[Program], definitions: Mapping[Expression, Expression] | None = None
    ) -> tuple[Plan, list[list[int]]]:
        """Make a plan of all steps of some programs, and the places of the outputs of each."""
        plan = cls((), definitions)
        return plan, [plan._add(lines) for lines in programs]

    def operands(self, node: Expression) -> tuple[Expression, ...]:
        """Return the operands of a node; for the root of 4 x, x."""
        if node.op is SYM:
            meant = self.definitions.get(node)
            return () if meant is None else (meant,)
        if node.op is FUN and node.data == "sqrt":
            rest = radicand(node)[1]
            return () if rest is None else (rest,)
        return node.args

    def _enter(self, nodes: Iterable[Expression]) -> None:
        """Enter new nodes of a graph, with all below them."""
        known = self.place
        for node in topological(nodes, lambda node: () if node in known else self.operands(node)):
            if node not in known:
                step = self._step(node)
                known[node] = len(self.steps)
                self.steps.append(step)

    def _add(self, lines: Program) -> list[int]:
        """Add the new steps of a program, and return the places of its outputs."""
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
                    keep(new(PlanStep, (op, (places[a], places[b]), node)))
                else:
                    keep(new(PlanStep, (op, tuple([places[i] for i in args]), node)))
        return [places[i] for i in lines.outputs]

    def _step(self, node: Expression) -> PlanStep:
        """Make the step of a node whose operands are known, and record all else that its value needs."""
        op, place = node.op, self.place
        if op is ADD or op is MUL:
            a, b = node.args
            return PlanStep(op, (place[a], place[b]), node)
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
        return PlanStep(op, tuple([place[arg] for arg in below]), node)

    @cached_property
    def special(self) -> tuple[tuple[int, PlanStep], ...]:
        """The places and steps that are no sum, difference, product or negative."""
        return tuple([(i, step) for i, step in enumerate(self.steps) if step[0] not in _PLAIN])

    @cached_property
    def surds(self) -> Surds:
        """Roots of rationals."""
        return Surds(radicand(s.node)[0].data for _, s in self.special if s.op is ROOT)

    @cached_property
    def roots(self) -> tuple[Expression, ...]:
        """Irrational radicands, in the order of the steps."""
        found = (radicand(s.node)[1] for _, s in self.special if s.op is ROOT)
        return tuple(dict.fromkeys(x for x in found if x is not None))


def radicand(node: Expression) -> tuple[Expression, Expression | None]:
    """Split a root of c x into a positive rational c and x; x is None for the root of a rational."""
    (inside,) = node.args
    if inside.op is NUM:
        return inside, None
    factor, rest = coefficient(inside)
    return number(factor), rest


def whole(node: Expression) -> int | None:
    """Return the exponent of an integer power, or None."""
    exponent = node.args[1]
    if exponent.op is NUM and exponent.data.denominator == 1:
        n: int = exponent.data.numerator
        return n
    return None
