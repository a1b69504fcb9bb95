"""Expressions in a prime field: equality for all states and parameters without a tolerance; dependent square roots.

A graph of rationals, symbols, + - x /, whole powers, sines and cosines is a rational function of its symbols and of
exponentials. Two are equal exactly when they are equal as such functions, and that a random point of a large prime
field decides (Schwartz 1980, Zippel 1979): :func:`compare`, :func:`vanish`. Many scalars at the same points:
:class:`Sample`. The values themselves, of every node: :class:`Plan`, :class:`Point`.

Dependent square roots of a graph are √a √b and √(a b), √(x²) and x.

A product of radicands that is a square has a root in the field at every point, so its Legendre symbol is 1 there. Over
some points more than there are radicands the symbols are collected; products that are 1 at all of them are a null space
over the field of two elements. Radicands outside of it are independent: any choice of their signs is an automorphism,
and one choice represents all. A square is always found; a false one (chance 2^-24) is enumerated in vain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain, combinations, product
from random import Random
from typing import Final

from ..algebra import neg
from ..node import FUN, ZERO, Expression, symbol
from ..text import short_text
from ..traversal import symbols, topological
from .extension import inverse, is_square
from .linear import find_slope, insert, is_whole, meet, null_space, rational, reduce_rows
from .plan import MANY, OPEN, POLE, ROOT, SIGNS, SIZE, Plan, Taint, find_sign, is_positive, radicand, split_offset
from .point import FieldValues, NoRootError, Point, Value, points, strip_sign
from .primes import SMOOTH, prime_of
from .sizes import CERTAINTY, DIFFERS, IDENTICAL, UNDECIDED, Chance, Size, Sizes, Verdict

#: Points beyond the number of radicands, and fields that they are drawn in where roots of numbers are among them.
MORE: Final = 24
FIELDS: Final = 5


def dependent(plan: Plan, seed: int) -> frozenset[object]:
    """Find radicands, nodes or integers, whose roots may depend on others.

    Radicands that contain a root or a sign count too, with the roots in them: conjugates of these are conjugates of all
    others, so a free choice of the other signs still covers all.
    """
    atoms = plan.surds.atoms(SMOOTH * plan.angles.divisor)
    if not (plan.roots or atoms):
        return frozenset()
    nested = [x for x in plan.roots if _signs_within(x, plan, atoms)]
    bound: set[object] = {*nested, *(r for x in nested for r in _signs_within(x, plan, atoms))}
    plain: list[object] = [*(x for x in plan.roots if x not in nested), *atoms]
    return frozenset(bound | _dependent(plain, plan, atoms, seed))


def _signs_within(radicand_: Expression, plan: Plan, atoms: list[int]) -> list[object]:
    """List radicands of the roots below a radicand; itself if it contains sign(x) or |x|."""
    found: list[object] = []
    waiting, met = [plan.place[radicand_]], {plan.place[radicand_]}
    while waiting:
        step = plan.steps[waiting.pop()]
        if step.op is ROOT or step.op is SIZE:
            factor, rest = radicand(step.node)
            found += [radicand_ if step.op is SIZE else rest] * (rest is not None)
            found += [q for q in plan.surds.parts[factor.data][1] if q in atoms]
        elif step.op is FUN and step.node.data in ("sign", "abs"):
            found.append(radicand_)
        waiting += [i for i in step.args if i not in met]
        met.update(step.args)
    return found


def _dependent(plain: list[object], plan: Plan, atoms: list[int], seed: int) -> set[object]:
    """Return the radicands that occur in a product that is a square."""
    below = Plan([x for x in plain if isinstance(x, Expression)], plan.definitions)
    dice = Random(seed)
    fields = [prime_of(dice.getrandbits(64), plan.angles.divisor) for _ in range(FIELDS if atoms else 1)]
    columns: dict[object, int] = dict.fromkeys(plain, 0)
    same: dict[object, object] = {}
    for k in range(len(plain) + MORE):
        field = fields[k % len(fields)]
        values = Point(dice, field).run(below)
        first: dict[object, object] = {}
        for each in plain:
            value = values[below.place[each]] if isinstance(each, Expression) else each
            if k == 0:
                same[each] = first.setdefault(value, each)
            columns[each] |= (not is_square(value % field.p, field.p)) << k  # type: ignore[operator]
    kept = [each for each in plain if same[each] is each]
    found = {kept[i] for i in _null_support([columns[each] for each in kept])}
    return {each for each in plain if same[each] in found}


def _null_support(columns: list[int]) -> set[int]:
    """Return the columns that occur in a combination that is zero over the field of two elements."""
    pivots: dict[int, tuple[int, int]] = {}
    found: set[int] = set()
    for i, column in enumerate(columns):
        members = 1 << i
        while column:
            top = column.bit_length()
            if top not in pivots:
                pivots[top] = column, members
                break
            column ^= pivots[top][0]
            members ^= pivots[top][1]
        else:
            found |= {k for k in range(i + 1) if members >> k & 1}
    return found


__all__ = [
    "CERTAINTY", "DIFFERS", "IDENTICAL", "UNDECIDED", "Chance", "Plan", "Point", "Sample", "Size", "Value", "Verdict",
    "compare", "points", "vanish",
]  # fmt: skip

# Whether expressions are equal for all values of their symbols: identical, different, or undecided and why.


def vanish(
    expressions: Iterable[Expression], definitions: Mapping[Expression, Expression] | None = None, **how: int
) -> list[Verdict]:
    """Decide for each expression whether it is zero; see :func:`compare`."""
    return compare(((x, ZERO) for x in expressions), definitions, **how)


def compare(
    pairs: Iterable[tuple[Expression, Expression]],
    definitions: Mapping[Expression, Expression] | None = None,
    *,
    draws: int = 2,
    seed: int = 0,
) -> list[Verdict]:
    """Decide whether the expressions of each pair are equal for all values of their symbols.

    Parameters
    ----------
    pairs : expressions
    definitions : symbol -> its expression; other symbols are independent
    draws : random points, each in a prime field of its own; more of them make the chance of an error smaller
    seed : of the random points

    Notes
    -----
    "Differs" rests on theorems: functions of coordinates are independent of their exponentials (Ax 1971), exponentials
    of rational radians of each other (Lindemann). Whether pi depends on e^i is open: a nonzero scalar that contains
    both is undecided, and so are functions known only by their arguments: arcs, exp, log, other powers. Points where a
    denominator is zero are not judged.

    Examples
    --------
    >>> from mbconcord.model.expressions import cos, sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> [found] = compare([(sin(x + y), sin(x) * cos(y) + cos(x) * sin(y))])
    >>> found.kind
    'identical'
    >>> [found] = compare([(sin(x + y), sin(x) + sin(y))])
    >>> found.kind
    'differs'
    """
    asked = list(pairs)
    plan = Plan([x for pair in asked for x in pair], definitions)
    sample = Sample(plan, draws, seed)
    return [sample.verdict(plan.place[a], plan.place[b]) for a, b in asked]


#: Independent signs of which all patterns are run, or as many patterns of signs that follow from each other, at the
#: first point; of large plans fewer, so that all patterns together are no more than so many values. More signs, and
#: roots, are random values of what they are of: what is equal for any values is equal, what is not is undecided.
MOST_SIGNS: Final = 8
MOST_VALUES: Final = 2_000_000
#: Values at states where several arguments of signs are zero.
MOST_MET: Final = 4 * MOST_VALUES
#: Points that are tried where a root of a root is not in the field.
TRIES: Final = 40
#: Signs within an argument of sign() for each choice of which its zero is placed.
MOST_PLACED: Final = 4
#: So many arguments of signs, of which one may be what numbers times the others and a number add up to; states of one
#: field at which they do; bits of these numbers; log2 of how many elements of a field are such.
RELATED: Final = 3
#: Sets of so many arguments that are looked through; with fewer of them left out, more choices of signs are run.
MOST_RELATED: Final = 100
STATES: Final = RELATED + 2
SHORT: Final = 32
SEEMING: Final = 2 * SHORT + 1


class Sample:
    """Values of all steps of a plan at random points.

    ``prepare`` is called with every point before it is used: it may assign values that are not random;
    :class:`NoRootError` refuses the point. With ``real``, choices of signs that no real state has are left out.
    ``joined`` are places of steps that others are multiplied by after the plan.

    Attributes
    ----------
    plan : Plan
    runs : pairs of a point and the values there, for every choice of signs; for one choice at all but the first
    """

    def __init__(
        self, plan: Plan, draws: int = 2, seed: int = 0, prepare: Callable[[Point], None] | None = None,
        real: bool = False, joined: Iterable[int] = (),
    ) -> None:  # fmt: skip
        self._joined = tuple(joined)
        self.plan, self.draws, self._prepare, self._real, self._seen = plan, draws, prepare, real, 0
        self._bound = bound = dependent(plan, seed + 1)
        self._most = MOST_SIGNS
        while self._most and len(plan.steps) << self._most > MOST_VALUES:
            self._most -= 1
        self.runs: list[tuple[Point, list[FieldValues]]] = []
        self._many = ""
        self._draw(seed)
        every = [values for _, patterns in self.runs[:draws] for values in patterns]
        many = self._many
        by_value = any(point.atoms for point, _ in self.runs)
        self.taint = Taint(plan, bound, {i for values in every for i in values.poles}, many, by_value)

    @cached_property
    def sizes(self) -> Sizes:
        """Sizes of all steps, for the chance of an error."""
        return Sizes(self.plan, bool(self._many))

    def verdict(self, a: int, b: int) -> Verdict:
        """Decide whether two steps are equal."""
        equal = [{v[a] == v[b] or a in v.unknown or b in v.unknown for v in patterns} for _, patterns in self.runs]
        return self.judge(equal, (a, b), self.sizes.find_size(a) - self.sizes.find_size(b))

    def judge(self, equal: Sequence[Set[bool]], places: Iterable[int], size: Size) -> Verdict:
        """Return the verdict on two scalars.

        Parameters
        ----------
        equal : for every point, whether they were equal for the choices of signs there
        places : places of the steps from which the scalars are computed
        size : size of the difference of the scalars
        """
        below = self.taint.find_reasons(places)
        kind, reason = _judge(equal, below)
        if kind != IDENTICAL:
            unequal = (point.zero for (point, _), found in zip(self.runs, equal, strict=False) if False in found)
            zero = next(unequal, ()) if reason == below.get(SIGNS) else ()
            named = {
                split_offset(x)[:2]: short_text(x, 60) for x in zero if x.rank <= neg(x).rank or neg(x) not in zero
            }
            where = f": where {' = '.join(sorted(named.values(), key=lambda x: (len(x), x))[:RELATED])} = 0"
            return Verdict(kind, f"{reason}{where}" if named else reason)
        chance = self.sizes.chance(size, 1 if SIGNS in below else self.draws)
        if SIGNS in below and self._seen:
            chance = Chance(max(chance.degree, math.log2(self._seen) + SEEMING) + 1, 1)
        return Verdict(kind, reason, chance)

    def _has_state(self, values: FieldValues, point: Point, pattern: tuple[int, ...]) -> bool:
        """Return False if a real state cannot have the signs taken: x cannot be below 0 where x - 3 is above 0.

        Such signs are found by linear relations Σ r x + c = 0 of some arguments x, which hold at :data:`STATES` states:
        if r times the sign of x, for all x, and c have one sign and are not all zero, no state has these signs.
        """
        p, signs = point.field.p, [s for _, s in values.taken.values()]
        beside: list[list[Value]] = [[x for x, _ in values.taken.values()]]
        for other in point.beside or self._gather(point):
            other.zero, other.given, other.factored = point.zero, point.given, point.factored
            try:
                found = other.run(self.plan, pattern, self._bound).taken.values()
            except NoRootError:
                return True
            if [s for _, s in found] != signs:
                return True
            beside.append([x for x, _ in found])
        for size in range(1, RELATED + 1):
            for chosen in combinations(range(len(signs)), size) if math.comb(len(signs), size) <= MOST_RELATED else ():
                self._seen += 1
                rows = [[*(at[k] for k in chosen), 1] for at in beside]
                spanned = null_space(reduce_rows(rows, p), size + 1, p)
                numbers = [rational(x, p, 1 << SHORT) for x in spanned[0]] if len(spanned) == 1 else []
                own = [s * x for s, x in zip((*(signs[k] for k in chosen), 1), numbers, strict=False) if x is not None]
                if own and len(own) == len(numbers) and (min(own) < 0) != (max(own) > 0):
                    return False
        return True

    def _gather(self, point: Point) -> list[Point]:
        """Return other prepared points of the same field, and keep them in the point as ``beside``."""
        point.beside = [Point(Random(k), point.field) for k in range(1, STATES)]
        if self._prepare is not None:
            for other in point.beside:
                self._prepare(other)
        return point.beside

    def _draw(self, seed: int) -> None:
        """Draw points at which every root exists; if too few do, the last ones have random roots by their values."""
        most = TRIES * self.draws
        for tried, point in enumerate(points(self.plan, most, seed), 1):
            try:
                patterns = self._patterns(point)
            except NoRootError:
                if tried + self.draws - len(self.runs) <= most:
                    continue
                point.atoms = True
                patterns = self._patterns(point)
            self.runs.append((point, patterns))
            if len(self.runs) == self.draws:
                break
        if not any(point.atoms for point, _ in self.runs):
            self.runs += list(self._zeros(seed))
            if self._many:
                self.runs = [(point, self._patterns(point)) for point in points(self.plan, self.draws, seed)]

    def _zeros(self, seed: int) -> Iterator[tuple[Point, list[FieldValues]]]:
        """Yield points where a factor of an argument of sign() is zero, for every choice of the other signs.

        If a factor is linear in a symbol, its zero is computed; otherwise sign() is just set to 0 at a random point:
        scalars equal there are equal wherever the factor is zero. Steps without a value at a zero are not judged.
        """
        plan, (_, first) = self.plan, self.runs[0]
        known = {i for _, patterns in self.runs for values in patterns for i in values.poles}
        kinds: dict[tuple[object, ...], dict[Expression, None]] = {}
        for factor in plan.factors:
            kind = tuple([strip_sign(values[plan.place[factor]], self.runs[0][0].field.p)[0] for values in first])
            jumping = any(x.op is FUN and x.data == "sign" for x in topological([factor], lambda x: x.args))
            kinds.setdefault((kind, factor if jumping else None), {})[factor] = None  # it may leap where others are 0
        signed = [s.node.args[0] for _, s in plan.special if s.op is FUN and s.node.data == "sign"]
        jumps = {x for each in signed for x in plan.split(each)}
        met = []
        for k, alike in enumerate(kinds.values()):
            if jumps.isdisjoint(alike) or any(is_positive(x) or is_positive(neg(x)) for x in alike):
                continue
            met.append(list(alike))
            own = plan.place[next(iter(alike))]
            placed = self._on_zero(alike, seed + 1 + k)
            for point in placed:
                point.zero = frozenset(alike)
            found = [(point, [v for v in each if v[own] == 0]) for point, each in self._with_patterns(placed, known)]
            if not found or len(found) < len(placed) or not all(each for _, each in found):
                found = self._at_zero(points(plan, TRIES, seed + 1 + k), frozenset(alike), known)
            yield from found
        yield from self._meetings(met, known, seed)

    def _meetings(
        self, kinds: Sequence[Sequence[Expression]], known: Set[int], seed: int
    ) -> Iterator[tuple[Point, list[FieldValues]]]:
        """Yield points where several kinds of factors are zero together; if these are too many, set ``_many``.

        Kinds without a common symbol, whose signs are nowhere multiplied, need none: what is equal where each of them
        is zero alone is equal where they are zero together. Zeros are computed as :func:`~.linear.meet` finds them.
        """
        seen, cost = set[frozenset[Expression]](), 0
        for group in self.plan.group(kinds, self._joined):
            for placed, zero in meet(group, self.plan):
                if zero in seen or self._many:
                    continue
                seen.add(zero)
                forms = {x: insert(x, placed) for x in self.plan.factors}
                first = Point(Random((seed << 16) + STATES + len(seen)), self.runs[0][0].field)
                first.given = {x: find_sign(form) for x, form in forms.items() if form is not None}
                for at in (first, *(self._gather(first) if self._real else ())) if self._prepare is None else ():
                    line = Plan(placed.values())
                    values = at.run(line)
                    for own, value in placed.items():
                        self._place(at, own, values[line.place[value]])
                found = self._at_zero(chain([first], points(self.plan, TRIES, seed)), zero, known)
                cost += sum(len(patterns) for _, patterns in found) * len(self.plan.steps)
                yield from found
                if len(seen) > 1 << MOST_SIGNS or cost > MOST_MET:
                    self._many = f"more than {1 << MOST_SIGNS} sets of arguments of signs that may be zero together"

    def _at_zero(
        self, at: Iterable[Point], zero: frozenset[Expression], known: Set[int]
    ) -> list[tuple[Point, list[FieldValues]]]:
        """Set signs to 0 at the first of some points where all roots exist; if there is none, set ``_many``."""
        for point in at:
            point.zero = zero
            found = list(self._with_patterns([point], known))
            if found:
                return found
        self._many = "roots at a zero of sign() that are in no field drawn"
        return []

    def _with_patterns(self, at: Iterable[Point], known: Set[int]) -> Iterator[tuple[Point, list[FieldValues]]]:
        """Yield those of the points at which all roots exist, with the values for every choice of signs."""
        for point in at:
            try:
                patterns = self._patterns(point, every=True)
            except NoRootError:
                continue
            for values in patterns:
                values.drop_poles(self.plan, known)
            yield point, patterns

    def _on_zero(self, alike: Iterable[Expression], seed: int) -> list[Point]:
        """List points where equal forms are zero, for each symbol in which one is linear and each choice of signs."""
        found: list[Point] = []
        done: set[str] = set()
        named = {x.data for x in self.plan.definitions}
        for factor in alike if self._prepare is None else ():
            for name in () if named.intersection(symbols([factor])) else sorted(symbols([factor]) - done):
                own = symbol(name)
                slope = find_slope(factor, own)
                rest = None if slope is None else insert(factor, {own: ZERO})
                if slope is None or rest is None or not is_whole(slope, rest, self.plan):
                    continue
                line = Plan([rest, slope])
                (point,) = points(self.plan, 1, seed)
                try:
                    signs = point.run(line, (), self._bound, ordered=False).signs
                    for pattern in product((0, 1), repeat=signs) if signs <= MOST_PLACED else ():
                        (point,) = points(self.plan, 1, seed)
                        for at in (point, *(self._gather(point) if self._real else ())):
                            values = at.run(line, pattern, self._bound, ordered=False)
                            there, steep = (values[line.place[x]] for x in line.outputs)
                            self._place(at, own, -there * inverse(steep, point.field.p) % point.field.p)
                        found.append(point)
                        done.add(name)
                except (NoRootError, ZeroDivisionError):
                    return []
        return found

    def _place(self, point: Point, own: Expression, value: Value) -> None:
        """Assign a value to a symbol at a point; for the value 0, also e^(i 0) = 1.

        Radicands with the symbol may be squares there, or depend on others: signs of their roots follow the pattern.
        """
        point.assign(own, value)
        if not value:
            point.assign_turn(own, 1)
        point.bound |= {root for root in self.plan.roots if own in topological([root], self.plan.operands)}

    def _patterns(self, point: Point, every: bool = False) -> list[FieldValues]:
        """Return values for every choice of signs at the first point, for one at others; if too many, random signs."""
        if self._prepare is not None:
            self._prepare(point)
        if self._many:
            point.atoms = True
        found: list[FieldValues] = []
        pattern: list[int] = []
        while True:
            values = point.run(self.plan, tuple(pattern), self._bound)
            many = values.patterns > 1 << self._most
            if many and point.factored:
                point.factored, found, pattern = False, [], []
                continue
            if point.atoms or not self._real or self._has_state(values, point, tuple(pattern)):
                found.append(values)
            if many and point.bound:
                raise NoRootError
            if many and not point.atoms:
                self._many = f"more than {1 << self._most} choices of signs"
                return self._patterns(point)
            if found and (point.atoms or (self.runs and not every)):
                return found
            pattern += [0] * (values.signs - len(pattern))
            while pattern and pattern[-1]:
                pattern.pop()
            if not pattern:
                return found or [values]
            pattern[-1] = 1


def _judge(equal: Sequence[Set[bool]], below: dict[str, str]) -> tuple[str, str]:
    """Return the verdict and why it is undecided, from equalities at each point and the reasons ``below`` (by kind)."""
    if POLE in below:
        return UNDECIDED, below[POLE]
    if all(found == {True} for found in equal):
        return IDENTICAL, ""
    for cause in (MANY, OPEN):
        if cause in below:
            return UNDECIDED, below[cause]
    if SIGNS in below and equal[0] != {False}:
        return UNDECIDED, below[SIGNS]
    return DIFFERS, ""
