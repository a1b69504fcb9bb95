"""One walk over an expression for every printed style: formula text, LaTeX, MathML.

The walk decides what is a sum, a product, a quotient, the order of operands and the brackets; a :class:`PrintStyle`
turns each of these forms into pieces of text. Order is by structure and names only, so it depends neither on the
process nor on the order in which nodes were made.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from .algebra import neg, power
from .interpolant import Interpolant
from .node import ADD, CALL, FUN, MUL, NEG, NUM, PI, POW, SYM, Expression, ExpressionError, number
from .traversal import topological

# How tightly a printed form binds; an operand that binds less than its place asks for gets brackets.
SUM: Final = 1
PRODUCT: Final = 2
POWER: Final = 3
ATOM: Final = 4

#: Printed text, or an expression with how tightly it must bind where it stands.
Piece = str | tuple[Expression, int]
#: What a style makes of a form: how tightly it binds, and its pieces.
Form = tuple[int, list[Piece]]

#: Where an operand stands among others: kind, first name in it, function, rank.
Key = tuple[int, str, str, int]

#: Longest print, counted in operands and operations as they are written.
MAX_PRINTED: Final = 20_000_000


class PrintStyle(ABC):
    """Rules of one printed language for each form."""

    #: Whether a + (b + c) and a (b c) lose their brackets; False keeps the structure of the graph.
    flat: ClassVar[bool]
    #: Signs between terms, and of a first term that is subtracted.
    plus: ClassVar[str] = " + "
    minus: ClassVar[str] = " - "
    leading: ClassVar[str] = "-"

    @abstractmethod
    def name(self, name: str) -> Form:
        """Write a symbol, or the name of an intermediate."""

    @abstractmethod
    def number(self, value: Fraction) -> Form:
        """Write an exact number."""

    @abstractmethod
    def pi(self) -> Form:
        """Write the number pi."""

    def sum(self, terms: Sequence[tuple[bool, Expression]]) -> Form:
        """Write terms with their signs (True is minus)."""
        pieces: list[Piece] = []
        for i, (minus, term) in enumerate(terms):
            pieces.append((self.minus if minus else self.plus) if i else self.leading if minus else "")
            pieces.append((term, PRODUCT))
        return SUM, pieces

    @abstractmethod
    def product(self, coefficient: Fraction, factors: Sequence[tuple[bool, Expression]]) -> Form:
        """Write factors and divisors (True is a divisor) in order, times a positive number."""

    @abstractmethod
    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """Write a power that is not a quotient; ``shown``: True if the base is printed as a formula, not by a name."""

    @abstractmethod
    def function(self, name: str, args: Sequence[Expression]) -> Form:
        """Write an elementary function."""

    @abstractmethod
    def call(self, name: str, orders: Sequence[int], args: Sequence[Expression]) -> Form:
        """Write an undefined function or a derivative of it."""

    def table(self, table: Interpolant, args: Sequence[Expression]) -> Form:
        """Write a table as a function named by its content, with its derivatives."""
        return self.call(table.label, (table.order,), args)

    @abstractmethod
    def brackets(self, pieces: list[Piece]) -> list[Piece]:
        """Put the pieces in brackets."""


class Printer:
    """Prints one expression in a style; nodes in ``names`` are printed by name, except the output itself."""

    def __init__(self, output: Expression, names: Mapping[Expression, str] | None, style: PrintStyle) -> None:
        self.output = output
        self.names = {node: name for node, name in (names or {}).items() if node is not output}
        self.style = style
        if written_size(output, self._below) >= MAX_PRINTED:
            raise ExpressionError(
                "the formula repeats its shared parts too often to be written out; "
                "give names to intermediates, or write it as code or as a graph"
            )
        self._key: dict[Expression, Key] = {}
        for node in topological([output], self._below):
            self._key[node] = self._order(node)

    def _below(self, node: Expression) -> tuple[Expression, ...]:
        return () if node in self.names else node.args

    def _order(self, node: Expression) -> Key:
        """Return the sort key of operands: numbers, names, sums, functions; alphabetical, m2 before m10."""
        name, key = self.names.get(node), self._key
        op, args = node.op, node.args
        if name is None and op is SYM:
            name = node.data
        if name is not None:
            return 1, _natural(name), "", node.rank
        if op is NUM or op is PI:
            return 0, "", op, node.rank
        if op is CALL:
            return 1, _natural(node.data[0]), str(node.data[1]), node.rank
        if op is FUN:
            return 3, key[args[0]][1], str(node.data), node.rank
        if op is ADD or (op is MUL and args[0].op is not NUM):
            first = min(key[args[0]], key[args[1]])
        else:
            first = key[args[-1 if op is MUL else 0]]
        return 2 if op is ADD else first[0], first[1], first[2], node.rank

    def _place(self, node: Expression) -> Key:
        """Return the sort key of a node, also of a number that the walk did not visit, being printed with a minus."""
        return self._key.get(node) or self._order(node)

    def _is(self, node: Expression, op: str) -> bool:
        """Return True if the node is printed as this operation, and not by a name."""
        return node.op is op and node not in self.names

    def _split_sign(self, node: Expression) -> tuple[bool, Expression]:
        if self._is(node, NEG) or (self._is(node, NUM) and node.data < 0):
            return True, neg(node)
        return False, node

    def _divisor(self, node: Expression) -> Expression | None:
        """Return b^n for a node b^-n, n an integer."""
        if self._is(node, POW):
            exponent = node.args[1]
            if exponent.op is NUM and exponent.data < 0 and exponent.data.denominator == 1:
                return power(node.args[0], number(-exponent.data))
        return None

    def form(self, node: Expression) -> Form:
        """Format one node in the style."""
        style, name = self.style, self.names.get(node)
        if name is not None:
            return style.name(name)
        op, args = node.op, node.args
        if op is SYM:
            return style.name(node.data)
        if op is NUM:
            return style.number(node.data)
        if op is PI:
            return style.pi()
        if op is FUN:
            return (
                style.table(node.data, args) if isinstance(node.data, Interpolant) else style.function(node.data, args)
            )
        if op is CALL:
            return style.call(node.data[0], node.data[1], args)
        if op is ADD or op is NEG:
            return style.sum(self._flat_terms(node) if style.flat else self._terms(node))
        if op is POW and self._divisor(node) is None:
            return style.power(args[0], args[1], args[0] not in self.names)
        return style.product(*(self._flat_factors(node) if style.flat else self._factors(node)))

    def _terms(self, node: Expression) -> list[tuple[bool, Expression]]:
        """List the terms of a sum whose left-nested chain is exactly this node."""
        terms: list[tuple[bool, Expression]] = []
        while True:
            if node.op is NEG and self._is(node.args[0], ADD):
                p, q = node.args[0].args
                minus, body = self._split_sign(q)
                if not minus:
                    terms.append((True, node.args[0]))
                    break
                terms.append((True, p))
                node = body
            elif self._is(node, ADD):
                p, q = node.args
                minus, body = self._split_sign(q)
                if not minus and self._sum_key(body) < self._sum_key(p):
                    p, body = body, p
                terms.append((minus, body))
                node = p
            else:
                terms.append(self._split_sign(node))
                break
        return terms[::-1]

    def _sum_key(self, node: Expression) -> tuple[int, Key]:
        return 0 if self._is(node, ADD) else 2 if node.op is NUM else 1, self._place(node)

    def _flat_terms(self, node: Expression) -> list[tuple[bool, Expression]]:
        terms: list[tuple[bool, Expression]] = []
        if node.op is NEG and self._is(node.args[0], ADD) and not self._split_sign(node.args[0].args[1])[0]:
            return [(True, node.args[0])]
        stack = [(False, node)]
        while stack:
            minus, body = stack.pop()
            inner, body = self._split_sign(body)
            minus ^= inner
            if self._is(body, ADD):
                stack += [(minus, arg) for arg in body.args]
            else:
                terms.append((minus, body))
        terms.sort(key=lambda term: self._sum_key(term[1]))
        first = next((i for i, (minus, _) in enumerate(terms) if not minus), 0)
        return [terms[first], *terms[:first], *terms[first + 1 :]]

    def _factors(self, node: Expression) -> tuple[Fraction, list[tuple[bool, Expression]]]:
        """Return coefficient and factors of a product whose left-nested chain is exactly this node."""
        coefficient = Fraction(1)
        if node.op is MUL and self._is(node.args[0], NUM):
            coefficient, node = node.args[0].data, node.args[1]
        factors: list[tuple[bool, Expression]] = []
        while self._is(node, MUL) and not self._is(node.args[0], NUM):
            p, q = node.args
            if self._factor_key(q) < self._factor_key(p):
                p, q = q, p
            factors.append(self._factor(q))
            node = p
        factors.append(self._factor(node))
        return coefficient, factors[::-1]

    def _factor(self, node: Expression) -> tuple[bool, Expression]:
        divisor = self._divisor(node)
        return (False, node) if divisor is None else (True, divisor)

    def _factor_key(self, node: Expression) -> tuple[int, Key]:
        kind = 0 if self._is(node, MUL) else 1 if self._divisor(node) is None else 2
        return kind, self._place(node)

    def _flat_factors(self, node: Expression) -> tuple[Fraction, list[tuple[bool, Expression]]]:
        coefficient = Fraction(1)
        factors: list[Expression] = []
        stack = [node]
        while stack:
            body = stack.pop()
            if self._is(body, MUL):
                stack += body.args
            elif self._is(body, NUM):
                coefficient *= body.data
            else:
                factors.append(body)
        factors.sort(key=self._factor_key)
        return coefficient, [self._factor(factor) for factor in factors]

    def text(self) -> str:
        """Print the whole expression."""
        written: list[str] = []
        stack: list[Piece] = [(self.output, 0)]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                written.append(piece)
                continue
            node, level = piece
            binds, pieces = self.form(node)
            if binds < level:
                pieces = self.style.brackets(pieces)
            stack.extend(reversed(pieces))
        return "".join(written)


def written_size(output: Expression, below: Callable[[Expression], tuple[Expression, ...]]) -> int:
    """Count operands and operations of a printed expression, shared parts as often as printed, up to the limit."""
    size: dict[Expression, int] = {}
    for node in topological([output], below):
        size[node] = min(1 + sum([size[arg] for arg in below(node)]), MAX_PRINTED)
    return size[output]


def _natural(name: str) -> str:
    """Return the key of the alphabetical order in which m2 precedes m10."""
    return re.sub(r"[0-9]+", lambda digits: digits.group().zfill(12), name)
