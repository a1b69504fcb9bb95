"""Arguments of sine and cosine as polynomials in atoms: the basis of their exponentials.

An angle is a polynomial ``{monomial: coefficient}`` with rational coefficients. Monomials, with negative powers too,
are over symbols, pi, calls of undefined functions, and any other node of an angle, which is an atom as a whole. The
exponentials of different monomials over symbols and calls are algebraically independent of each other and of the
symbols (Ax 1971). So e^(i angle) is a product over monomials of a base to the power of the coefficient; for the
monomial 1 the base is e^i, and pi alone is a root of unity. An arc to a whole multiple has no base: e^(i atan2(y, x))
is (x + i y)/√(x² + y²).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from ..functions import sqrt
from ..node import ADD, CALL, FUN, MUL, NEG, NUM, ONE, PI, PI_NODE, POW, SYM, Expression
from ..traversal import topological
from .primes import prime_factors

#: Atoms and their powers.
Monomial = frozenset[tuple[Expression, int]]
Angle = Mapping[Monomial, Fraction]

#: An angle of more terms, and a whole power above, is an atom.
MOST_TERMS: Final = 64
MOST_POWER: Final = 20
#: Bits of all denominators of multiples of pi together; an angle beyond is an atom.
MOST_TURNS: Final = 400
NOTHING: Final[Monomial] = frozenset()
HALF_TURN: Final[Monomial] = frozenset([(PI_NODE, 1)])
TRIGONOMETRY: Final = frozenset(("sin", "cos", "tan"))
ARCS: Final = frozenset(("asin", "acos", "atan", "atan2"))


class Angles:
    """The arguments of sines, cosines and tangents of a graph, and their classification.

    Attributes
    ----------
    terms : argument -> its polynomial
    divisor : int
        Least common multiple of the denominators of multiples of pi: S must be a multiple of it.
    """

    def __init__(self, definitions: Mapping[Expression, Expression]) -> None:
        self._definitions = definitions
        self.terms: dict[Expression, Angle] = {}
        self.divisor = 1
        self._known: dict[Expression, Angle] = {}
        self._open: dict[Expression, frozenset[Monomial]] = {}

    def take(self, argument: Expression) -> Iterator[Expression]:
        """Expand an argument; yield the nodes whose values its exponential needs: atoms, and the parts of arcs."""
        if argument not in self.terms:
            self._expand(argument)
        for monomial, c in self.terms[argument].items():
            arc = arc_of(monomial, c)
            if arc is not None:
                yield from arc_parts(arc)
                continue
            yield from (atom for atom, _ in monomial if atom.op is not SYM and atom.op is not PI)

    def _expand(self, argument: Expression) -> None:
        known = self._known
        for node in topological([argument], lambda node: () if node in known else self._operands(node)):
            if node not in known:
                meant = self._definitions.get(node)
                found = _expand_node(node, known) if meant is None else known[meant]
                known[node] = found if len(found) <= MOST_TERMS else _atom(node)
        found, turns = known[argument], known[argument].get(HALF_TURN)
        if turns is not None:
            divisor = math.lcm(self.divisor, turns.denominator)
            if divisor.bit_length() > MOST_TURNS or prime_factors(turns.denominator) is None:
                found = _atom(argument)
            else:
                self.divisor = divisor
        self.terms[argument] = found

    def _operands(self, node: Expression) -> tuple[Expression, ...]:
        """Return the operands over which an angle is expanded; all other nodes are atoms."""
        meant = self._definitions.get(node)
        if meant is not None:
            return (meant,)
        return node.args if node.op in (ADD, MUL, NEG, POW) else ()

    def explain_undecided(self, argument: Expression) -> str | None:
        """Return the reason why exponentials of this angle may depend on others, or None."""
        return "an angle that is no polynomial" if self.open_terms(argument) else None

    def open_terms(self, argument: Expression) -> frozenset[Monomial]:
        """Return the monomials of an angle that may depend on others.

        A sine or cosine in an angle is an independent atom if it is alone in its monomial to the first power, apart
        from symbols and calls, and its own angle has neither a constant nor pi.
        """
        if argument not in self._open:
            waiting = [argument]
            while waiting:
                inner = [
                    atom.args[0]
                    for monomial in self.terms[waiting[-1]]
                    for atom, _ in monomial
                    if atom.op is FUN and atom.data in TRIGONOMETRY and atom.args[0] not in self._open
                ]
                if inner:
                    waiting.append(inner[0])
                else:
                    done = waiting.pop()
                    terms = self.terms[done].items()
                    self._open[done] = frozenset(monomial for monomial, c in terms if self._is_open(monomial, c))
        return self._open[argument]

    def _is_open(self, monomial: Monomial, c: Fraction) -> bool:
        if arc_of(monomial, c) is not None:
            return False
        others = [(atom, n) for atom, n in monomial if atom.op not in (SYM, PI, CALL)]
        if not others:
            return False
        (atom, n), *more = others
        plain = atom.op is FUN and atom.data in ("sin", "cos") and n == 1 and not more
        inner = self.terms[atom.args[0]] if plain else {}
        constant = NOTHING in inner or any(a is PI_NODE for m in inner for a, _ in m)
        return not plain or constant or bool(self._open[atom.args[0]])


def arc_of(monomial: Monomial, c: Fraction) -> Expression | None:
    """Return the arc (asin, atan2, …) of which a term of an angle is an integer multiple; None for any other term."""
    if len(monomial) != 1 or c.denominator != 1:
        return None
    ((atom, n),) = monomial
    return atom if n == 1 and atom.op is FUN and atom.data in ARCS else None


def arc_parts(arc: Expression) -> tuple[Expression, Expression, Expression]:
    """Return c, s, r of e^(i arc) = (c + i s)/r."""
    if arc.data == "atan2":
        y, x = arc.args
        return x, y, sqrt(x * x + y * y)
    (u,) = arc.args
    if arc.data == "atan":
        return ONE, u, sqrt(ONE + u * u)
    other = sqrt(ONE - u * u)
    return (other, u, ONE) if arc.data == "asin" else (u, other, ONE)


def _atom(node: Expression) -> Angle:
    return {frozenset([(node, 1)]): Fraction(1)}


def _expand_node(node: Expression, known: Mapping[Expression, Angle]) -> Angle:
    op, args = node.op, node.args
    if op is NUM:
        return {NOTHING: node.data} if node.data else {}
    if op is NEG:
        return {m: -c for m, c in known[args[0]].items()}
    if op is ADD:
        return _sum(known[args[0]], known[args[1]])
    if op is MUL:
        return _product(known[args[0]], known[args[1]]) or _atom(node)
    if op is POW and args[1].op is NUM and args[1].data.denominator == 1:
        return _power(known[args[0]], args[1].data.numerator) or _atom(node)
    return _atom(node)


def _sum(a: Angle, b: Angle) -> Angle:
    total = dict(a)
    for monomial, c in b.items():
        c += total.pop(monomial, 0)
        if c:
            total[monomial] = c
    return total


def _product(a: Angle, b: Angle) -> Angle | None:
    """Multiply two angles; None if the product is too long."""
    if len(a) * len(b) > MOST_TERMS:
        return None
    total: dict[Monomial, Fraction] = {}
    for m, c in a.items():
        for n, d in b.items():
            powers = dict(m)
            for atom, k in n:
                powers[atom] = powers.get(atom, 0) + k
            both = frozenset((atom, k) for atom, k in powers.items() if k)
            total[both] = total.get(both, 0) + c * d
    return {m: c for m, c in total.items() if c}


def _power(a: Angle, n: int) -> Angle | None:
    """Raise to an integer power, a negative one of a single term only; None if impossible or too long."""
    if abs(n) > MOST_POWER:
        return None
    if n < 0:
        if len(a) != 1:
            return None
        ((monomial, c),) = a.items()
        return {frozenset((atom, k * n) for atom, k in monomial): c**n}
    found: Angle | None = {NOTHING: Fraction(1)}
    for _ in range(n):
        found = None if found is None else _product(found, a)
    return found
