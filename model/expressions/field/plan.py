"""What a graph needs at every point of every field: its nodes in order, its angles, its roots of rationals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from ..algebra import coefficient
from ..node import ADD, FUN, MUL, NUM, POW, SYM, Expression, number
from ..traversal import topological
from .angles import TRIGONOMETRY, Angles
from .surds import Surds

#: Kinds of steps beside those of nodes.
WHOLE: Final = "whole power"
TURN: Final = "sine or cosine"
ROOT: Final = "root"
SAME: Final = "definition"


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
        nodes = topological(self.outputs, self.operands)
        self.place = {node: i for i, node in enumerate(nodes)}
        self.angles = Angles(self.definitions)
        self.steps = [self._step(node) for node in nodes]
        self.surds = Surds(radicand(s.node)[0].data for s in self.steps if s.op is ROOT)

    def operands(self, node: Expression) -> tuple[Expression, ...]:
        """What stands below a node; below the root of 4 x, x."""
        if node.op is SYM:
            meant = self.definitions.get(node)
            return () if meant is None else (meant,)
        if node.op is FUN and node.data == "sqrt":
            rest = radicand(node)[1]
            return () if rest is None else (rest,)
        return node.args

    def _step(self, node: Expression) -> Step:
        op, place = node.op, self.place
        if op is ADD or op is MUL:
            a, b = node.args
            return Step(op, (place[a], place[b]), node)
        args = tuple([place[arg] for arg in self.operands(node)])
        if op is SYM and args:
            op = SAME
        elif op is FUN and node.data in TRIGONOMETRY:
            self.angles.take(node.args[0])
            op = TURN
        elif op is FUN and node.data == "sqrt":
            op = ROOT
        elif op is POW and whole(node) is not None:
            op = WHOLE
        return Step(op, args, node)

    @cached_property
    def roots(self) -> tuple[Expression, ...]:
        """What roots are taken of that is no rational, in the order of the steps."""
        found = (radicand(s.node)[1] for s in self.steps if s.op is ROOT)
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
