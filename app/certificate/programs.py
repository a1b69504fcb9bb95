"""Steps of a certificate: formulas as lines that refer to earlier lines; a shared part is written once.

The argument of a sine or cosine is a sum of rational multiples of symbols, 1, pi, and of steps for nonlinear terms.
Inverse functions and most fractions of pi in such a sum are split off by the addition theorems, so that equal angles
have equal steps. Nothing is rounded: numbers are the rationals of the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions import HALF, ONE, PI_NODE, ZERO, Expression, apply, cos, number, sin, sqrt
from mbconcord.model.expressions.field.angles import (
    HALF_TURN,
    NOTHING,
    TRIGONOMETRY,
    Angles,
    Monomial,
    arc_of,
    arc_parts,
)
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.node import ADD, CALL, FUN, MUL, NEG, NUM, PI, POW, SYM
from mbconcord.model.expressions.program import DIV, SUB, operation

SIGNS: Final = {ADD: "+", SUB: "-", MUL: "*", DIV: "/"}
#: The largest exponent of one step, and the largest prime whose root is one.
MOST_POWER: Final = 999
MOST_PRIME: Final = 10**6
#: Cosines of 0, 15, … 90 degrees.
COSINES: Final = (
    ONE, (sqrt(number(6)) + sqrt(number(2))) / 4, sqrt(number(3)) * HALF, sqrt(number(2)) * HALF, HALF,
    (sqrt(number(6)) - sqrt(number(2))) / 4, ZERO,
)  # fmt: skip
_PLAIN: Final = re.compile(r"[\w@.,()\[\]-]", re.ASCII)


class WordsError(MbconcordError):
    """Error of a part of a model or of equations for which the format of certificates has no words."""


def refuse(place: str, message: str, remedy: str = "") -> WordsError:
    """Return the error that refuses the part at a place."""
    return WordsError(error(place, message, remedy))


def write_name(name: str) -> str:
    """Return a name in the letters of the format, others as %xx; rates keep their primes."""
    stem = name.rstrip("'")
    reserved = stem in ("pi", "ground")
    letters = (
        x if _PLAIN.fullmatch(x) and (k or (not x.isdigit() and x not in ".,()[]-" and not reserved))
        else "".join(f"%{byte:02x}" for byte in x.encode())
        for k, x in enumerate(stem)
    )  # fmt: skip
    return "".join(letters) + name[len(stem) :]


def write_number(x: Fraction) -> str:
    """Return a rational exactly: as a fraction, or as a decimal if that is shorter."""
    rest, twos, fives = x.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    plain, places = str(x), max(twos, fives)
    if rest != 1 or not places:
        return plain
    digits = str(abs(x.numerator) * 10**places // x.denominator).rjust(places + 1, "0")
    decimal = f"{'-' if x < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return min(plain, decimal, key=lambda text: (len(text), text == plain))


class StepWriter:
    """Writer of steps: collects their lines, numbered from 0, and knows the number of each node's step."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        #: What is being written, which a refusal names.
        self.place = ""
        self._known: dict[str, int] = {}
        self._place: dict[Expression, int] = {}
        self._angles = Angles({})
        self._meant: dict[Expression, Expression] = {}
        self._lengths: dict[Expression, bool] = {}

    def atom(self, node: Expression) -> str:
        """Return a number or a symbol as it is, and another node as a reference to its step: ``#7``."""
        if node.op is NUM:
            return write_number(node.data)
        return write_name(node.data) if node.op is SYM else f"#{self.step(node)}"

    def pairs(self, angle: Expression) -> str:
        """Return an angle as pairs of a factor and an atom; all terms with roots or lengths are one step."""
        terms = self.sum(angle)
        lengths = [c * node for node, c in terms if self._is_of_length(node)]
        said = [
            (c, "1" if node is ONE else "pi" if node is PI_NODE else self.atom(node))
            for node, c in terms if not self._is_of_length(node)
        ]  # fmt: skip
        said += [(Fraction(1), f"#{self.step(sum(lengths[1:], lengths[0]))}")] if lengths else []
        return " ".join(f"{write_number(c)} {atom}" for c, atom in said) or "0 1"

    def _is_of_length(self, node: Expression) -> bool:
        """Return True if a term has a root or a length, for which a model has a symbol and a program a sum of terms."""
        if node not in self._lengths:
            waiting, found = [node], False
            while waiting and not found:
                x = waiting.pop()
                root = x.op is FUN and x.data == "sqrt" and x.args[0].op is not NUM
                found = root or (x.op is SYM and x.data[0] == "@")
                waiting += x.args
            self._lengths[node] = found
        return self._lengths[node]

    def step(self, node: Expression) -> int:
        """Return the number of a node's step; add lines for the node and all its operands."""
        place, waiting = self._place, [node]
        while waiting:
            top = waiting[-1]
            below = [x for x in self._operands(top) if x not in place] if top not in place else []
            if below:
                waiting += reversed(below)
                continue
            waiting.pop()
            if top not in place:
                place[top] = self._line(top)
        return place[node]

    def _add_line(self, line: str) -> int:
        if line not in self._known:
            self._known[line] = self.count
            self.lines.append(line)
            self.count += 1
        return self._known[line]

    def _operands(self, node: Expression) -> Sequence[Expression]:
        op = node.op
        if op is FUN or (op is POW and not _is_inverse(node)):
            meant = self._meaning(node)
            if meant is not node:
                return (meant,)
            if op is POW:
                return (node.args[0],)
            if node.data in TRIGONOMETRY:
                return [x for x, _ in self.sum(node.args[0]) if x.op not in (SYM, PI, NUM)]
            return node.args
        if op is NEG:
            return (ZERO, *node.args)
        return operation(node)[1]

    def _line(self, node: Expression) -> int:
        op, at = node.op, [self._place[x] for x in self._operands(node)]
        if op is NUM:
            return self._add_line(f"n {write_number(node.data)}")
        if op is SYM:
            return self._add_line(f"v {write_name(node.data)}")
        if op is PI:
            return self._add_line("v pi")
        if op is CALL:
            name, orders = node.data
            return self._add_line(f"f {write_name(name)}{_write_orders(orders)} {' '.join(map(str, at))}")
        if op is FUN or (op is POW and not _is_inverse(node)):
            if self._meaning(node) is not node:
                return at[0]
            if op is POW:
                return self._add_line(f"^ {at[0]} {node.args[1].data}")
            if node.data in TRIGONOMETRY:
                return self._add_line(f"{node.data[0]} {self.pairs(node.args[0])}")
            if node.data == "sqrt":
                return self._add_line(f"r {at[0]}")
            table = isinstance(node.data, Interpolant)
            name = f"table_{node.data.key:014x}{_write_orders((node.data.order,))}" if table else node.data
            return self._add_line(f"f {name} {' '.join(map(str, at))}")
        sign = "-" if op is NEG else SIGNS[operation(node)[0]]
        return self._add_line(f"{sign} {at[0]} {at[1]}")

    def _meaning(self, node: Expression) -> Expression:
        """Express a function or power by functions that the format has; return the node itself if the format has it."""
        found = self._meant.get(node)
        if found is None:
            found = self._meant[node] = _power(node, self.place) if node.op is POW else self._function(node)
        return found

    def _function(self, node: Expression) -> Expression:
        name, args = node.data, node.args
        if name == "tan":
            return sin(args[0]) / cos(args[0])
        if name == "abs":
            return args[0] * apply("sign", args[0])
        if name == "sqrt" and args[0].op is NUM:
            return _root(node, self.place)
        return self._turn(node) if name in TRIGONOMETRY else node

    def _terms(self, angle: Expression) -> Mapping[Monomial, Fraction]:
        for _ in self._angles.take(angle):
            pass
        return self._angles.terms[angle]

    def split(self, angle: Expression) -> tuple[Expression, Expression, Expression] | None:
        """Split fractions of pi and inverse functions off an angle; return the rest, cosine and sine of the split part.

        None if there is nothing to split off. Thereby equal angles have equal steps, in whatever form they are written.
        """
        terms = dict(self._terms(angle))
        turns = terms.get(HALF_TURN, Fraction(0))
        c, s = ONE, ZERO
        plain = len(terms) == 1 and 0 < turns < Fraction(1, 4) and (12 * turns).denominator != 1
        if (2 * turns).denominator != 1 and not plain:
            del terms[HALF_TURN]
            c, s = _cosine(turns), _cosine(turns - Fraction(1, 2))
        for monomial, count in list(terms.items()):
            arc = arc_of(monomial, count)
            if arc is not None and abs(count) <= MOST_POWER:
                del terms[monomial]
                x, y, r = arc_parts(arc)
                x, y = x / r, y / r if count > 0 else -y / r
                for _ in range(abs(count.numerator)):
                    c, s = c * x - s * y, s * x + c * y
        if len(terms) == len(self._terms(angle)):
            return None
        rest: Expression = ZERO
        for monomial, factor in terms.items():
            rest += number(factor) * _multiply(monomial)
        return rest, c, s

    def _turn(self, node: Expression) -> Expression:
        parts = self.split(node.args[0])
        if parts is None:
            return node
        rest, x, y = parts
        c, s = cos(rest), sin(rest)
        return c * x - s * y if node.data == "cos" else s * x + c * y

    def sum(self, angle: Expression) -> list[tuple[Expression, Fraction]]:
        """Return the terms of an angle as nodes with coefficients, in an order that depends on the angle only."""
        found = [(_multiply(monomial), c) for monomial, c in self._terms(angle).items()]
        return sorted(
            found, key=lambda term: (term[0].constant, term[0].op is not SYM, str(term[0].data), term[0].rank)
        )


def _multiply(monomial: Monomial) -> Expression:
    if monomial == NOTHING:
        return ONE
    product = ONE
    for atom, power in sorted(monomial, key=lambda pair: pair[0].rank):
        product = product * atom**power
    return product


def _cosine(turns: Fraction) -> Expression:
    """Return cos(pi turns): roots for twelfths, else the sine or cosine of an angle of less than 45 degrees."""
    turns = abs(turns) % 2
    turns = min(turns, 2 - turns)
    if turns > Fraction(1, 2):
        return -_cosine(1 - turns)
    if (12 * turns).denominator == 1:
        return COSINES[int(12 * turns)]
    if turns < Fraction(1, 4):
        return cos(number(turns) * PI_NODE)
    return sin(number(Fraction(1, 2) - turns) * PI_NODE)


def _is_inverse(node: Expression) -> bool:
    exponent = node.args[1]
    return bool(exponent.op is NUM and exponent.data.denominator == 1 and exponent.data < 0)


def _power(node: Expression, place: str) -> Expression:
    """Express a power by integer powers, square roots, or exp(exponent log(base))."""
    base, exponent = node.args
    if exponent.op is not NUM:
        return apply("exp", exponent * apply("log", base))
    n, q = exponent.data.numerator, exponent.data.denominator
    if q > 2:
        return apply("exp", exponent * apply("log", base))
    if q == 2:
        return sqrt(base) ** number(n)
    if n > MOST_POWER:
        raise refuse(place, f"the format has no words for the power {n}; its largest is {MOST_POWER}")
    return node


def _root(node: Expression, place: str) -> Expression:
    """Return the square root of a rational as a rational times square roots of primes."""
    value: Fraction = node.args[0].data
    rest, outside, primes, q = value.numerator * value.denominator, Fraction(1, value.denominator), [], 2
    while q <= MOST_PRIME and q * q <= rest:
        if rest % q:
            q += 1
            continue
        rest //= q
        if rest % q == 0:
            rest //= q
            outside *= q
        else:
            primes.append(q)
    if rest > MOST_PRIME:
        remedy = "write an axis or a length with fewer digits"
        raise refuse(place, f"the format has no words for the root of {value}: a prime above {MOST_PRIME:,}", remedy)
    primes += [rest] * (rest > 1)
    if not primes or (outside == 1 and len(primes) == 1):
        return node
    product = number(outside)
    for q in primes:
        product = product * sqrt(number(q))
    return product


def _write_orders(orders: Iterable[int]) -> str:
    found = tuple(orders)
    if not any(found):
        return ""
    if len(found) > 1:
        return "%d" + ",".join(map(str, found))
    return f":{found[0]}"
