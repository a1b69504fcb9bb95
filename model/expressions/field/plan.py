"""Plan for evaluating a graph at points of fields: its nodes in order, its angles, its roots of rationals.

A plan is made from a graph or from existing straight-line programs, whose common steps are taken once. It repeats their
computation operation by operation.

:class:`Taint` finds why a verdict is undecided: poles, signs, and functions known only by their values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cached_property, reduce
from operator import or_
from typing import Final, NamedTuple

from ..algebra import coefficient, mul, power, square_root
from ..interpolant import Interpolant
from ..node import ADD, FUN, MUL, NEG, NUM, ONE, PI, POW, SYM, Expression, number
from ..program import DIV, SUB, Program
from ..traversal import topological
from .angles import NOTHING, TRIGONOMETRY, Angles
from .primes import Surds

#: Kinds of steps beside those of nodes.
WHOLE: Final = "whole power"
TURN: Final = "sine or cosine"
ROOT: Final = "root"
SIZE: Final = "root of a square"
SAME: Final = "definition"
#: Kinds of a program's steps that a field has its own way with.
_OWN: Final = frozenset((FUN, POW))
#: Kinds of most steps, of which there is nothing to say.
_PLAIN: Final = frozenset((ADD, SUB, MUL, NEG))


#: Products of more factors are not looked through for squares.
MOST_FACTORS: Final = 16


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
    definitions : symbol -> the expression that it names, as in a list; other symbols are independent.

    Attributes
    ----------
    steps : one for each node, operands before their users
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
        self._factors: dict[Expression, tuple[Expression, ...]] = {}
        self._enter(self.outputs)

    @classmethod
    def of_programs(
        cls, programs: Iterable[Program], definitions: Mapping[Expression, Expression] | None = None
    ) -> tuple[Plan, list[list[int]]]:
        """Make a plan of all steps of some programs, and the places of the outputs of each."""
        plan = cls((), definitions)
        return plan, [plan._add(lines) for lines in programs]

    def operands(self, node: Expression) -> tuple[Expression, ...]:
        """Return the operands of a node: for a defined symbol its expression, for the root of 4 x x."""
        if node.op is SYM:
            meant = self.definitions.get(node)
            return () if meant is None else (meant,)
        if node.op is FUN and node.data == "sqrt":
            rest = radicand(node)[1]
            return () if rest is None else (find_base(rest) or rest,)
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
            op = SIZE if below and below[0] is not radicand(node)[1] else ROOT
        elif op is POW and whole(node) is not None:
            op = WHOLE
        return PlanStep(op, tuple([place[arg] for arg in below]), node)

    @cached_property
    def special(self) -> tuple[tuple[int, PlanStep], ...]:
        """Steps, with their places, other than sums, differences, products and negatives."""
        return tuple([(i, step) for i, step in enumerate(self.steps) if step[0] not in _PLAIN])

    @cached_property
    def factors(self) -> tuple[Expression, ...]:
        """Expressions that the plan takes signs of, and their factors."""
        signed = [s.node.args[0] for _, s in self.special if s.op is FUN and s.node.data in _SIGNED]
        signed += [x for _, s in self.special if s.op is SIZE for x in self.operands(s.node)]
        return tuple(dict.fromkeys(x for each in signed for x in (each, *self.split(each))))

    def split(self, node: Expression) -> tuple[Expression, ...]:
        """Return factors of a node: where the node is zero, one of them is zero."""
        found = self._factors.get(node)
        if found is None:
            waiting, each = [node], dict[Expression, None]()
            while waiting:
                x = waiting.pop()
                n = whole(x) if x.op is POW else None
                if x.op is MUL and len(each) + len(waiting) < MOST_FACTORS:
                    waiting += [part for part in x.args if part.op is not NUM]
                elif x.op is NEG or n is not None or (x.op is FUN and x.data in _SIGNED):
                    waiting += x.args[:1] if n is None or n > 0 else ()
                elif x in self.definitions:
                    waiting.append(self.definitions[x])
                else:
                    each[x] = None
            found = self._factors[node] = tuple(each)
        return found

    def group(
        self, kinds: Sequence[Sequence[Expression]], joined: Iterable[int] = ()
    ) -> Iterator[list[Sequence[Expression]]]:
        """Yield those of the kinds of factors, two or more, that share a symbol, or whose signs meet in more than sums.

        ``joined``: places of steps whose values are multiplied by those of others outside of the plan.
        """
        groups = [1 << k for k in range(len(kinds))]

        def join(mask: int) -> None:
            if mask & (mask - 1):
                rest = [group for group in groups if not group & mask]
                groups[:] = [*rest, sum(group for group in groups if group & mask)]

        by_symbol: dict[Expression, int] = {}
        for k, alike in enumerate(kinds):
            for x in topological(alike, self.operands):
                by_symbol[x] = by_symbol.get(x, 0) | (x.op is SYM) << k
        bits = {x: 1 << k for k, alike in enumerate(kinds) for x in alike}
        masks: list[int] = []
        for op, args, node in self.steps if len(kinds) > 1 else ():
            places = [self.place[x] for x in self.angles.take(node.args[0])] if op is TURN else args
            below = [masks[i] for i in places]
            mask = reduce(or_, below, 0)
            if op is SIZE or (op is FUN and node.data in _SIGNED):
                mask = reduce(or_, (bits.get(x, 0) for x in self.split(self.operands(node)[0])), mask)
            if op not in (ADD, SUB, NEG, SAME) and (op not in (MUL, DIV) or sum(map(bool, below)) > 1):
                join(mask)
            masks.append(mask)
        for mask in by_symbol.values():
            join(mask)
        if masks and any(masks[i] for i in joined):
            join((1 << len(kinds)) - 1)
        for group in groups:
            if group & (group - 1):
                yield [alike for k, alike in enumerate(kinds) if group >> k & 1]

    @cached_property
    def offsets(self) -> dict[Expression, dict[Expression, Fraction]]:
        """Those of the factors that are a base and a number: base -> factor -> the number, see :func:`split_offset`."""
        found: dict[Expression, dict[Expression, Fraction]] = {}
        for factor in self.factors:
            base, number_, _ = split_offset(factor)
            found.setdefault(base, {})[factor] = number_
        return found

    @cached_property
    def surds(self) -> Surds:
        """Roots of rationals that occur in the plan."""
        return Surds(radicand(s.node)[0].data for _, s in self.special if s.op in (ROOT, SIZE))

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


def split_offset(x: Expression) -> tuple[Expression, Fraction, int]:
    """Return a base, a number c and a sign with x = sign r (base + c), r > 0: q, -2 and -1 of 6 - 3 q."""
    scale, total = Fraction(1), Fraction(0)  # it is scale x + total, for ever smaller x
    while True:
        r, rest = (Fraction(-1), x.args[0]) if x.op is NEG else coefficient(x)
        if r == 1 and x.op is ADD:
            for one, other in (x.args, x.args[::-1]):
                c, base = (-1, one.args[0]) if one.op is NEG else (1, one)
                if base.op is NUM:
                    total, rest = total + scale * c * base.data, other
                    break
        if rest is x:
            return x, total / scale, 1 if scale > 0 else -1
        scale, x = scale * r, rest


def find_base(x: Expression) -> Expression | None:
    """Return b with x = b², so that √x is |b|, if x is a product of even powers; else None."""
    exponents: dict[Expression, int] = {}
    waiting, found = [x], ONE
    while waiting:
        factor = waiting.pop()
        if factor.op is MUL and len(exponents) + len(waiting) < MOST_FACTORS:
            waiting += factor.args
            continue
        n = whole(factor) if factor.op is POW else None
        base = factor if n is None else factor.args[0]
        exponents[base] = exponents.get(base, 0) + (1 if n is None else n)
    for base, n in exponents.items():
        root = square_root(base) if base.op is NUM and n == 1 and base.data > 0 else None
        if n % 2 and (root is None or root.op is not NUM):
            return None
        found = mul(found, root if n % 2 and root is not None else power(base, number(n // 2)))
    return found


def is_never_negative(x: Expression, depth: int = 8) -> bool:
    """Return True if the form of a node shows that it is nowhere below zero."""
    if x.op is ADD or x.op is NEG:
        below = find_least(x, depth)
        return below is not None and below >= 0
    if x.op is MUL:
        return depth > 0 and all(is_never_negative(part, depth - 1) for part in x.args)
    if x.op is POW:
        base, exponent = x.args
        if exponent.op is NUM and exponent.data.denominator == 1 and exponent.data.numerator % 2:
            return depth > 0 and is_never_negative(base, depth - 1)
        return exponent.op is NUM  # even, or a fraction, which negative numbers have no power of
    if x.op is FUN:
        return x.data in ("abs", "sqrt", "exp")
    return x.op is PI or (x.op is NUM and x.data >= 0)


def find_sign(x: Expression) -> int:
    """Return 1 or -1 for a node that by its form is nowhere below or nowhere above zero, else 0."""
    if is_never_negative(x):
        return 1
    above = find_least(x, sign=-1)
    return -1 if above is not None and above >= 0 else 0


def is_positive(x: Expression, depth: int = 8) -> bool:
    """Return True if the form of a node shows that it is nowhere zero nor below."""
    if x.op is MUL:
        return depth > 0 and all(is_positive(part, depth - 1) for part in x.args)
    if x.op is ADD or x.op is NEG:
        below = find_least(x, depth)
        strict = x.op is ADD and any(is_positive(p, depth - 1) and find_least(p, depth - 1) == 0 for p in x.args)
        return below is not None and (below > 0 or (below == 0 and strict))  # exp(x) + y² is positive, 1 + sin x not
    return x.op is PI or (x.op is NUM and x.data > 0) or (x.op is FUN and x.data == "exp")


def find_least(x: Expression, depth: int = 8, sign: int = 1) -> Fraction | None:
    """Return a number that a node, or its negative, is nowhere below, by its form; None if none is known.

    Of 2 + x² + sin y it is 2 + 0 - 1: a sum is nowhere below the sum of such numbers of its terms, since terms that are
    smallest at different states only make it larger. A term whose size is at most b is nowhere below -b.
    """
    if x.op is NUM or x.op is PI:
        return Fraction(sign * x.data if x.op is NUM else 3 if sign > 0 else -4)
    if x.op is NEG:
        return find_least(x.args[0], depth, -sign)
    if x.op is ADD:
        own = [find_least(part, depth - 1, sign) for part in x.args] if depth > 0 else [None]
        return None if None in own else sum(filter(None, own), Fraction(0))
    if sign > 0 and is_never_negative(x, depth):
        return Fraction(0)
    size = _find_most(x, depth)
    return None if size is None else -size


def _find_most(x: Expression, depth: int) -> Fraction | None:
    """Return a number that the size |x| of a node nowhere exceeds, or None."""
    if x.op is FUN:
        return Fraction(1 if x.data != "atan" else 2) if x.data in _BOUNDED else None
    n = whole(x) if x.op is POW else 1
    if x.op is NUM or depth <= 0 or x.op not in (ADD, MUL, NEG, POW) or n is None or not 0 < n <= MOST_FACTORS:
        return Fraction(abs(x.data)) if x.op is NUM else None
    own = [_find_most(part, depth - 1) for part in (x.args[:1] if x.op is POW else x.args)]
    known = [size for size in own if size is not None]
    if len(known) < len(own):
        return None
    return sum(known, Fraction(0)) if x.op is ADD else math.prod(known, start=Fraction(1)) ** n


def whole(node: Expression) -> int | None:
    """Return the exponent of an integer power, or None."""
    exponent = node.args[1]
    if exponent.op is NUM and exponent.data.denominator == 1:
        n: int = exponent.data.numerator
        return n
    return None


_SIGNED: Final = frozenset(("sign", "abs"))
#: Functions of a size of 1 at most; of an arc tangent it is below 2.
_BOUNDED: Final = frozenset(("sin", "cos", "sign", "atan"))
_BY_VALUE: Final = "{} is known by the values of its arguments only"

SIGNED: Final = "it depends on the signs of roots, or of arguments of sign() and abs()"
#: Kinds of reasons, and what is said of them.
POLE, SIGNS, MANY, OPEN = "pole", "signs", "many", "open"
_SAID: Final = {POLE: "a divisor is zero everywhere", SIGNS: SIGNED}
_PI_BESIDE: Final = "pi beside sines of numbers: whether they are independent is not known"


class Taint:
    """Reasons why verdicts on steps of a plan may be undecided, collected in one pass.

    Parameters
    ----------
    plan : Plan
    bound : radicands for whose roots every sign is tried
    poles : places of steps that divide by zero
    many : why not all patterns of signs were run; empty where all were
    by_value : whether roots and functions of roots were random by their arguments' values
    """

    def __init__(self, plan: Plan, bound: Set[object], poles: Set[int], many: str = "", by_value: bool = False) -> None:
        self._plan, self._bound, self._many, self._by_value = plan, bound, many, by_value
        self._bits: dict[tuple[str, str], int] = {}
        own = {i: mask for i, s in plan.special if s.op in _LOOKED_AT and (mask := self._own(s))}
        for place in poles:
            own[place] = own.get(place, 0) | self._bit(POLE, _SAID[POLE])
        self._masks = self._spread_reasons(own) if own else []

    def find_reasons(self, places: Iterable[int]) -> dict[str, str]:
        """Return the reasons at and below these places, by kind: ``pole``, ``many`` signs, ``signs``, ``open``."""
        if not self._masks:
            return {}
        mask = 0
        for place in places:
            mask |= self._masks[place]
        found = {kind: text for (kind, text), bit in self._bits.items() if mask & bit}
        if found.pop(_CONSTANT, None) is not None and _PI in found:
            found.setdefault(OPEN, _PI_BESIDE)
        found.pop(_PI, None)
        return found

    def _bit(self, kind: str, text: str) -> int:
        return self._bits.setdefault((kind, text), 1 << len(self._bits))

    def _spread_reasons(self, own: dict[int, int]) -> list[int]:
        """Collect the causes at and below every step; below a sine, those of the atoms of its angle."""
        masks: list[int] = []
        for i, (op, args, node) in enumerate(self._plan.steps):
            mask = own.get(i, 0)
            if op is TURN:
                args = tuple([self._plan.place[atom] for atom in self._plan.angles.take(node.args[0])])
            for k in args:
                mask |= masks[k]
            masks.append(mask)
        return masks

    def _own(self, step: PlanStep) -> int:
        """Return the causes that a step itself adds."""
        mask = 0
        if self._is_signed(step):
            mask |= self._bit(SIGNS, _SAID[SIGNS])
            if self._many:
                mask |= self._bit(MANY, self._many)
        reason = self._reason(step)
        if reason is not None:
            mask |= self._bit(OPEN, reason)
        if step.op is PI:
            mask |= self._bit(_PI, "")
        if step.op is TURN and NOTHING in self._plan.angles.terms[step.node.args[0]]:
            mask |= self._bit(_CONSTANT, "")
        return mask

    def _is_signed(self, step: PlanStep) -> bool:
        node = step.node
        if step.op is ROOT or step.op is SIZE:
            factor, rest = radicand(node)
            surds = self._plan.surds.parts[factor.data][1]
            return step.op is SIZE or rest in self._bound or any(q in self._bound for q in surds)
        return step.op is FUN and node.data in _SIGNED

    def _reason(self, step: PlanStep) -> str | None:
        """Return the reason why differing values may belong to equal functions, or None."""
        node = step.node
        if step.op is TURN:
            return self._plan.angles.explain_undecided(node.args[0])
        if step.op is FUN and node.data not in _SIGNED:
            return _BY_VALUE.format("a table" if isinstance(node.data, Interpolant) else node.data)
        if step.op is POW:
            return _BY_VALUE.format("a power that is not whole")
        if self._by_value and (step.op is ROOT or step.op is FUN):
            return _BY_VALUE.format("a root within a root")
        return None


#: Kinds that give a reason together only.
_PI, _CONSTANT = "pi", "sine of a number"
_LOOKED_AT: Final = frozenset((PI, TURN, ROOT, SIZE, FUN, POW))
