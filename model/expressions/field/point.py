"""A random point of a random field, and the values of a graph there."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set
from fractions import Fraction
from random import Random
from typing import Any

from ..node import ADD, CALL, FUN, MUL, NEG, NUM, PI, POW, SYM, Expression
from ..program import DIV, SUB
from .angles import HALF_TURN, NOTHING, arc_of, arc_parts
from .extension import Extended, inverse, power, square_root
from .plan import ROOT, SAME, SIZE, TURN, WHOLE, Plan, find_sign, radicand, split_offset, whole
from .primes import Prime, prime_of, smooth_root

#: A scalar: of F_p, or of its quadratic extension.
Value = int | Extended


class NoRootError(Exception):
    """A root within a root that is not in the field of this point: another point may have it."""


class FieldValues(list[Value]):
    """Values of a plan's steps at a point.

    Attributes
    ----------
    poles : places of the steps that divide by zero; their values are random
    signs : how many signs were chosen
    patterns : number of choices of signs that there are, at most
    unknown : places of steps that have no value, as they divide by zero at this point
    taken : ±value of an argument of sign() or abs() -> its value, and its sign -1, 0, 1 that was chosen
    """

    def __init__(self) -> None:
        super().__init__()
        self.poles: list[int] = []
        self.signs, self.patterns = 0, 1
        self.unknown: set[int] = set()
        self.taken: dict[Value, tuple[Value, int]] = {}

    def drop_poles(self, plan: Plan, known: Set[int]) -> None:
        """Set steps without a value here (they divide by zero, or use such a step) to 0; poles in ``known`` stay."""
        self.unknown = {*self.poles} - known
        if not self.unknown:
            return
        for i, (op, args, node) in enumerate(plan.steps):
            below = (plan.place[x] for x in plan.angles.take(node.args[0])) if op is TURN else args
            if i in self.unknown or not self.unknown.isdisjoint(below):
                self.unknown.add(i)
                self[i] = 0


class Point:
    """Random values of symbols, pi, exponentials and undefined functions.

    A call f(a), an arc tangent, or a part of an angle that is not a polynomial has a random value that depends only on
    the values of its arguments, so forms with equal arguments are equal.

    Attributes
    ----------
    atoms : bool
        Roots, sign(x) and |x| too have random values by the value of x: scalars equal then are equal for all signs.
    factored : bool
        The sign of a product is computed from the signs of its factors; these may be more numerous than the products.
    zero : nodes whose signs are 0, whatever their values
    given : nodes whose signs are known, 1 or -1; 0 of others
    bound : radicands whose roots may depend on others at this point
    beside : other points of the same field, where the same nodes are placed at zero
    """

    def __init__(self, dice: Random, field: Prime, atoms: bool = False) -> None:
        self.dice, self.field, self.atoms, self.factored = dice, field, atoms, True
        self.zero: frozenset[Expression] = frozenset()
        self.given: dict[Expression, int] = {}
        self.bound: frozenset[object] = frozenset()
        self.beside: list[Point] = []
        self._numbers: dict[Fraction, int] = {}
        self._drawn: dict[Hashable, Value] = {}
        self._bits: dict[Hashable, int] = {}
        self._turns: dict[Any, tuple[Value, Value]] = {}
        self._roots: dict[Value, Value | None] = {}

    def draw(self, key: Hashable) -> Value:
        """Return a random nonzero element of the field, always the same one for a key."""
        if key not in self._drawn:
            self._drawn[key] = self.dice.randrange(1, self.field.p)
        return self._drawn[key]

    def assign(self, symbol: Expression, value: Value) -> None:
        """Give a symbol this value in place of a random one."""
        self._drawn[symbol] = value

    def assign_turn(self, symbol: Expression, value: Value) -> None:
        """Give e^(i symbol) this value in place of a random one."""
        self._drawn["base", frozenset([(symbol, 1)])] = value
        self._turns.clear()

    def redraw(self, moving: Set[Expression]) -> None:
        """Forget the values of symbols, and of angles that depend on them: the next run is at another state."""
        self._turns.clear()
        for key in [*self._drawn]:
            angle = isinstance(key, tuple) and key[0] == "base" and any(atom in moving for atom, _ in key[1])
            if angle or key in moving:
                del self._drawn[key]

    def bit(self, key: Hashable) -> int:
        """Return a random 0 or 1, always the same one for a key."""
        if key not in self._bits:
            self._bits[key] = self.dice.getrandbits(1)
        return self._bits[key]

    def number(self, value: Fraction) -> int:
        """Return a rational as an element of the field."""
        found = self._numbers.get(value)
        if found is None:
            p = self.field.p
            found = self._numbers[value] = value.numerator * pow(value.denominator, -1, p) % p
        return found

    def square_root(self, x: Value) -> Value:
        """Return always the same root of x; :class:`NoRootError` if there is none."""
        if x not in self._roots:
            self._roots[x] = square_root(x, self.field)
        found = self._roots[x]
        if found is None:
            raise NoRootError
        return found

    def run(
        self, plan: Plan, pattern: tuple[int, ...] = (), bound: frozenset[object] = frozenset(), ordered: bool = True
    ) -> FieldValues:
        """Evaluate all steps.

        Parameters
        ----------
        plan : Plan
        pattern : 0 (plus) or 1 (minus) for each sign(x), |x| and bound root in the order in which they occur; then 0
        bound : radicands whose roots depend on others, so that their signs follow the pattern and are not random
        ordered : choose no sign that follows from others: x - 1 is below 0 where x - 2 is 0 or x - 0.5 below 0

        Raises
        ------
        NoRootError
            A root of a root does not exist in the quadratic extension of this field.
        """
        values = FieldValues()
        put, p, own = values.append, self.field.p, _Signs(self, values, pattern, bound, ordered)
        for op, args, node in plan.steps:
            if op is MUL:
                a, b = args
                put(values[a] * values[b] % p)
            elif op is ADD:
                a, b = args
                put((values[a] + values[b]) % p)
            elif op is SUB:
                a, b = args
                put((values[a] - values[b]) % p)
            elif op is NEG:
                put(-values[args[0]] % p)
            elif op is NUM:
                put(self.number(node.data))
            elif op is SYM or op is PI:
                put(self.draw(node))
            elif op is SAME:
                put(values[args[0]])
            else:
                try:
                    put(self._other(plan, op, [values[i] for i in args], node, values, own))
                except ZeroDivisionError:
                    values.poles.append(len(values))
                    put(self.draw((node, "pole")))
        return values

    def _other(
        self, plan: Plan, op: str, args: list[Value], node: Expression, values: FieldValues, own: _Signs
    ) -> Value:
        p = self.field.p
        if op is DIV:
            return args[0] * inverse(args[1], p) % p
        if op is WHOLE:
            return power(args[0], whole(node) or 0, p)
        if op is TURN:
            forth, back = self._turn(plan, node.args[0], values)
            half = pow(2, -1, p)
            cosine = (forth + back) * half % p
            if node.data == "cos":
                return cosine
            sine = (forth + -back) * half % p * pow(self.field.unit, -1, p) % p
            return sine if node.data == "sin" else sine * inverse(cosine, p) % p
        if op is ROOT:
            factor = self._surd(plan, radicand(node)[0].data, own)
            rest = radicand(node)[1]
            return factor * own.root(args[0], rest) % p if args else factor
        if op is SIZE:
            (base,) = plan.operands(node)
            return self._surd(plan, radicand(node)[0].data, own) * own.sign(args[0], base, plan) * args[0] % p
        if op is FUN and node.data in ("sign", "abs"):
            sign = own.sign(args[0], node.args[0], plan)
            return sign if node.data == "sign" else sign * args[0] % p
        return self.draw((op, node.data, *args) if op in (FUN, CALL) else (op, *args))

    def _surd(self, plan: Plan, value: Fraction, own: _Signs) -> Value:
        """Return the root of a positive rational."""
        factor, primes = plan.surds.parts[value]
        found: Value = self.number(factor)
        for q in primes:
            found = found * (own.root(q, q) if self.field.smooth % q else self._smooth(q)) % self.field.p
        return found

    def _smooth(self, q: int) -> Value:
        key = ("root", q)
        if key not in self._drawn:
            self._drawn[key] = smooth_root(q, self.field)
        return self._drawn[key]

    def _turn(self, plan: Plan, argument: Expression, values: FieldValues) -> tuple[Value, Value]:
        """Return e^(i angle) and its inverse."""
        angle = self._with_atoms(argument, plan, values)
        key = frozenset(angle.items())
        found = self._turns.get(key)
        if found is None:
            p, order = self.field.p, self.field.order
            forth: Value = 1
            for monomial, c in angle.items():
                if monomial == HALF_TURN:
                    turns = 2 * self.field.smooth * c
                    forth = forth * pow(self.field.root, turns.numerator, p) % p
                else:
                    whole = c.denominator == 1
                    exponent = c.numerator if whole else c.numerator * pow(c.denominator, -1, order) % order
                    forth = forth * power(self._base(monomial), exponent, p) % p
            found = self._turns[key] = forth, inverse(forth, p)
        return found

    def _base(self, monomial: frozenset[Any]) -> Value:
        """Return e^(i monomial): a random element of the subgroup of prime order, other than 1."""
        key, p = ("base", monomial), self.field.p
        ((kind, value),) = monomial if len(monomial) == 1 else ((None, 0),)
        if kind is _ARC:
            return value
        while key not in self._drawn:
            base = pow(self.dice.randrange(2, p), (p - 1) // self.field.order, p)
            if base != 1:
                self._drawn[key] = base
        return self._drawn[key]

    def _arc(self, arc: Expression, plan: Plan, values: FieldValues) -> Value:
        """Return e^(i arc)."""
        p = self.field.p
        c, s, r = (values[plan.place[x]] for x in arc_parts(arc))
        return (c + self.field.unit * s) * inverse(r, p) % p

    def _with_atoms(self, argument: Expression, plan: Plan, values: FieldValues) -> dict[frozenset[Any], Fraction]:
        """Expand the angle, with non-symbols represented by their values, up to its sign.

        Terms that may depend on others form one atom together, as formulas may split them in several ways.
        """
        p = self.field.p
        found: dict[frozenset[Any], Fraction] = {}
        rest: Value = 0
        open_ = plan.angles.open_terms(argument)
        for monomial, c in plan.angles.terms[argument].items():
            if monomial in open_:
                term: Value = self.number(c)
                for atom, n in monomial:
                    own = atom.op is SYM or atom.op is PI
                    value = self.draw(atom) if own else values[plan.place[atom]]
                    term = term * power(value, n, p) % p
                rest = (rest + term) % p
                continue
            arc = arc_of(monomial, c)
            if arc is not None:
                found[frozenset([(_ARC, self._arc(arc, plan, values))])] = c
                continue
            powers: dict[Any, int] = {}
            for atom, n in monomial:
                key: Any = atom
                if atom.op is not SYM and atom.op is not PI:
                    value = values[plan.place[atom]]
                    if value == 0 and n > 0:
                        break
                    key, sign = strip_sign(value, p)
                    c *= sign ** (n % 2)
                powers[key] = powers.get(key, 0) + n
            else:
                merged = frozenset((key, n) for key, n in powers.items() if n) or NOTHING
                found[merged] = found.get(merged, Fraction(0)) + c
        if rest != 0:
            key, sign = strip_sign(rest, p)
            found[frozenset([("rest", key)])] = Fraction(sign)
        return {monomial: c for monomial, c in found.items() if c}


#: Stands before the exponential of an arc in the place of an atom.
_ARC = "arc"


class _Signs:
    """Chosen signs of roots, of sign(x) and of |x|, remembered by the value of x."""

    def __init__(
        self, point: Point, values: FieldValues, pattern: tuple[int, ...], bound: frozenset[object], ordered: bool
    ) -> None:
        self._point, self._values, self._pattern, self._bound = point, values, pattern, bound
        self._ordered = ordered
        self._known: dict[Hashable, Value] = {}
        #: Base -> number c -> sign of base + c.
        self._along: dict[Expression, dict[Fraction, int]] = {}

    def root(self, x: Value, radicand: object) -> Value:
        """Return one of the two roots of x, the value of the node or integer ``radicand``."""
        point, key = self._point, ("sqrt", x)
        if x == 0:
            return 0
        if point.atoms:
            return point.draw(key)
        if key not in self._known:
            found = point.square_root(x)
            chosen = self._choose_sign() if radicand in self._bound | point.bound else 1 - 2 * point.bit(("bit", x))
            self._known[key] = found * chosen % point.field.p
        return self._known[key]

    def sign(self, x: Value, node: Expression, plan: Plan, depth: int = 8) -> Value:
        """Return the sign ±1 (odd in x) of a node of value x, 0 for 0; a product's is the product of its factors'."""
        if x == 0:
            return 0
        p = self._point.field.p
        size, sign = strip_sign(x, p)
        if not self._point.zero.isdisjoint((node, *plan.split(node))):
            self._values.taken.setdefault(size, (x, 0))
            return 0
        key = ("sign", size)
        if key not in self._known:
            if self._point.atoms:
                self._known[key] = self._point.draw(key)
            else:
                made = self._make_sign(node, plan, depth) if self._point.factored and depth else None
                own, before = made, self._values.signs
                if own is None:
                    own = (self._order_sign(node, plan) if self._ordered else self._choose_sign()) % p
                self._known[key] = own * sign % p
                follows = made is None and before == self._values.signs
                if not follows and not find_sign(node):  # which may be 0
                    self._values.taken[size] = x, -1 if own == p - 1 else int(own != 0)
        return self._known[key] * sign % p

    def _make_sign(self, node: Expression, plan: Plan, depth: int) -> Value | None:
        """Return the sign that follows from the form of a node; None if none follows."""
        fixed = find_sign(node) or self._point.given.get(node, 0)
        if fixed:
            return fixed % self._point.field.p
        if node.op is FUN and node.data == "sign":
            return self._values[plan.place[node]]
        if node.op is MUL or (node.op is POW and whole(node) is not None):
            parts = node.args if node.op is MUL else node.args[:1]
            parts = tuple(part for part in parts if part.op is not NUM)  # factors that are numbers are positive
            if all(part in plan.place for part in parts):
                signs = [self.sign(self._values[plan.place[part]], part, plan, depth - 1) for part in parts]
                return signs[0] if len(signs) == 1 else signs[0] * signs[1] % self._point.field.p
        return None

    def _order_sign(self, node: Expression, plan: Plan) -> int:
        """Return the sign of a node r (base + c); the next one of the pattern, if the order of numbers leaves it open.

        Where base + c is not below 0, base + d is above 0 for all d > c; where it is not above 0, base + d is below 0
        for all d < c. This holds of real numbers, and so at every state. The base is the same node, no equal value: no
        chance takes part. Of n such forms there are n + 1 choices of signs and not 2ⁿ, and no state has any other.
        """
        base, c, sense = split_offset(node)
        known, point = self._along.get(base), self._point
        if known is None:
            known = self._along[base] = {}
            at = plan.place.get(base, len(self._values))
            for factor, d in plan.offsets.get(base, {}).items():
                here = at < len(self._values) and (self._values[at] + point.number(d)) % point.field.p == 0
                if here or factor in point.zero:
                    known[d] = 0
        found = known.get(c)
        if found is None:
            above = any(d < c and s >= 0 for d, s in known.items())
            below = any(d > c and s <= 0 for d, s in known.items())
            count, n = self._values.patterns, len(known) + 1
            found = known[c] = 1 if above else -1 if below else sense * self._choose_sign()
            self._values.patterns = count if 0 in known.values() else count * (n + 1) // n
        return sense * found

    def _choose_sign(self) -> int:
        """Return the next sign of the pattern, 1 or -1."""
        place = self._values.signs
        self._values.signs += 1
        self._values.patterns *= 2
        return -1 if place < len(self._pattern) and self._pattern[place] else 1


def strip_sign(x: Value, p: int) -> tuple[Value, int]:
    """Return the same one of x and -x for both, and the sign by which x is obtained from it."""
    other = -x % p
    if isinstance(x, Extended) and isinstance(other, Extended):
        first = (x.a, x.b) < (other.a, other.b)
    else:
        first = x < other  # type: ignore[operator]
    return (x, 1) if first else (other, -1)


def points(plan: Plan, count: int, seed: int = 0, atoms: bool = False) -> Iterator[Point]:
    """Yield random points, each in a field of its own with the roots of unity of the plan's angles."""
    dice = Random(seed)
    for _ in range(count):
        field = prime_of(dice.getrandbits(64), plan.angles.divisor)
        yield Point(Random(dice.getrandbits(64)), field, atoms)
