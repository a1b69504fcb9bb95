"""Shorter forms of a graph: vanishing, cancelling and repeated terms are found in a prime field.

Nodes of equal value at random points are one class, up to their sign, and the shortest of them represents all. Zero is
written 0, and terms of a sum whose values cancel are left out. Nothing is expanded and no form is invented: a graph
becomes a part of itself, so it costs no more than before.

Singularities stay. A divisor that only parameters are in may cancel: ``m r/m`` is r, as where m is zero ``r/m`` had no
meaning in the model. One with a coordinate, a rate, time or a function in it does not, nor does a root, a tangent, an
arc or a logarithm of such: an expression with one of these is a class of its own, and no scalar loses the last one of
a kind, even if the scalar is zero wherever it is defined.

Removal of terms that cancel in sums: terms of opposite values at random points, whatever their forms.
"""

from __future__ import annotations

# Where a graph is not defined for all states: quotients, roots and functions of other than parameters.
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from typing import Final

from ..algebra import add, is_short, mul, neg, power
from ..calculus import rebuild
from ..node import ADD, CALL, FUN, MUL, NEG, NUM, POW, SYM, TWO, ZERO, Expression, ExpressionError
from ..traversal import topological
from .plan import ROOT, SAME, SIZE, WHOLE, Plan, PlanStep, radicand, whole
from .point import Point, points

#: Longer sums are not looked through.
MOST_TERMS: Final = 200

#: Values at the points, up to a common sign.
Class = tuple[int, ...]


def class_of(values: Sequence[object], fields: Sequence[int]) -> tuple[Class, int]:
    """Return the same one of the values and their negatives for both, and the sign that gives the values."""
    own = tuple(int(v) for v in values)  # type: ignore[call-overload]
    other = tuple(-v % p for v, p in zip(own, fields, strict=True))
    return (own, 1) if own <= other else (other, -1)


class Sums:
    """Sums without the terms whose values cancel."""

    def __init__(
        self,
        plan: Plan,
        at: Sequence[Point],
        values: Sequence[Sequence[object]],
        kinds: Sequence[tuple[Class, int]],
        held: Sequence[bool],
    ) -> None:
        self._plan, self._points, self._values, self._kinds, self._held = plan, at, values, kinds, held
        self._factors = _factors(plan)
        self._uses = Counter(i for step in plan.steps for i in step.args)
        self._uses.update(plan.place[x] for x in plan.outputs)
        self._inner = {
            i
            for step in plan.steps
            if step.op is ADD or step.op is NEG or _is_scaling(step)
            for i in step.args
            if self._uses[i] == 1
        }

    def remake(self, place: int, new: Sequence[Expression]) -> Expression | None:
        """Return the sum at a place without cancelling terms; None if none cancel, or if it would be longer."""
        if place in self._inner:  # a part of a sum that is looked at as a whole
            return None
        tokens = self._tokens(place)
        terms: dict[Class, list[tuple[Fraction | int, int]]] = {}
        for at, (kind, i, factor) in enumerate(tokens):
            if kind == "term" and not self._held[i]:
                group, c = self._term(i)
                terms.setdefault(group, []).append((factor * c, at))
        gone = {at for group, found in terms.items() for at in _find_cancelling(found, any(group))}
        if not gone:
            return None
        terms_left = sum(kind == "term" for kind, _, _ in tokens) - len(gone)
        products = sum(kind == "times" for kind, _, _ in tokens)
        own = 1 + sum(kind in ("sum", "times") and i in self._inner for kind, i, _ in tokens)
        return self._write(tokens, gone, new) if terms_left - 1 + products <= own else None

    def _term(self, place: int) -> tuple[Class, Fraction | int]:
        """Return the class of a term's values without its numeric factor, and that factor."""
        c = self._factors[place]
        if c == 1:
            return self._kinds[place]
        values = [
            v[place] * pt.number(Fraction(1) / c) % pt.field.p  # type: ignore[operator]
            for v, pt in zip(self._values, self._points, strict=True)
        ]
        group, sign = class_of(values, [pt.field.p for pt in self._points])
        return group, c * sign

    def _tokens(self, place: int) -> list[tuple[str, int, Fraction | int]]:
        """Write the sum in reverse Polish notation: terms with their factors in front, sums, signs, factors."""
        steps = self._plan.steps
        tokens: list[tuple[str, int, Fraction | int]] = []
        waiting: list[tuple[str, int, Fraction | int]] = [("open", place, 1)]
        terms = 1
        while waiting:
            kind, i, factor = waiting.pop()
            step = steps[i]
            if kind != "open":
                tokens.append((kind, i, factor))
            elif step.op is ADD and terms < MOST_TERMS:
                terms += 1
                a, b = step.args
                waiting += [("sum", i, factor), ("open", b, factor), ("open", a, factor)]
            elif step.op is NEG:
                waiting += [("minus", i, factor), ("open", step.args[0], -factor)]
            elif _is_scaling(step):
                c: Fraction = step.node.args[0].data
                waiting += [("times", i, factor), ("open", step.args[1], c * factor)]
            else:
                tokens.append(("term", i, factor))
        return tokens

    def _write(
        self, tokens: Sequence[tuple[str, int, Fraction | int]], gone: Set[int], new: Sequence[Expression]
    ) -> Expression:
        stack: list[Expression] = []
        for at, (kind, i, _) in enumerate(tokens):
            if kind == "term":
                stack.append(ZERO if at in gone else new[i])
            elif kind == "sum":
                b = stack.pop()
                stack.append(add(stack.pop(), b))
            elif kind == "minus":
                stack.append(neg(stack.pop()))
            else:
                stack.append(mul(self._plan.steps[i].node.args[0], stack.pop()))
        return stack.pop()


def _factors(plan: Plan) -> list[Fraction | int]:
    """Return the numeric factor of every step; 1 if it has none or one with many digits."""
    found: list[Fraction | int] = []
    for op, args, node in plan.steps:
        if op is MUL:
            a, b = found[args[0]], found[args[1]]
            c = a if b == 1 else b if a == 1 else a * b
        elif op is NUM:
            c = node.data or 1
        else:
            c = -found[args[0]] if op is NEG else 1
        found.append(c if c == 1 or is_short(Fraction(c)) else 1)
    return found


def _is_scaling(step: PlanStep) -> bool:
    """Return True if a step multiplies by a number."""
    return step.op is MUL and step.node.args[0].op is NUM


def _find_cancelling(found: Sequence[tuple[Fraction | int, int]], nonzero: bool) -> list[int]:
    """List the multiples of one term that sum to zero: all of them, or pairs."""
    if nonzero and len(found) == 1:
        return []
    if not nonzero or sum(c for c, _ in found) == 0:
        return [at for _, at in found]
    open_: dict[Fraction | int, list[int]] = {}
    gone: list[int] = []
    for c, at in found:
        opposite = open_.get(-c)
        if opposite:
            gone += [opposite.pop(), at]
        else:
            open_.setdefault(c, []).append(at)
    return gone


#: Functions that are not defined, or not smooth, everywhere.
_PARTIAL: Final = frozenset(("tan", "asin", "acos", "atan2", "log", "sqrt"))


def above(plan: Plan, places: Set[int]) -> list[bool]:
    """Return for each step of a plan True if it is, or uses, a step at one of the places."""
    found: list[bool] = []
    for place, step in enumerate(plan.steps):
        found.append(place in places or any(found[i] for i in step.args))
    return found


def lost_places(plan: Plan, partial: Set[int], new: Sequence[Expression]) -> set[int]:
    """Return places of singularities of some output that occur nowhere in its new form."""
    order = sorted(partial)
    if not order:
        return set()
    own = {place: 1 << k for k, place in enumerate(order)}
    before: list[int] = []
    for place, step in enumerate(plan.steps):
        mask = own.get(place, 0)
        for i in step.args:
            mask |= before[i]
        before.append(mask)
    forms: dict[Expression, int] = {}
    for place, bit in own.items():
        form = strip_sign(new[place])
        forms[form] = forms.get(form, 0) | bit
    roots = [new[plan.place[x]] for x in plan.outputs]
    after: dict[Expression, int] = {}
    for node in topological(roots):
        mask = forms.get(node, 0)
        for arg in node.args:
            mask |= after[arg]
        after[node] = mask
    lost = 0
    for x, root in zip(plan.outputs, roots, strict=True):
        lost |= before[plan.place[x]] & ~after[root]
    return {place for place, bit in own.items() if lost & bit}


def singular(plan: Plan, parameters: Set[str]) -> set[int]:
    """Return places of quotients, roots and functions that are not defined everywhere and use more than parameters."""
    moving: list[bool] = []
    found: set[int] = set()
    for place, (op, args, node) in enumerate(plan.steps):
        moves = any(moving[i] for i in args)
        if op is SYM:
            moves = node.data not in parameters
        elif op is CALL:
            moves = True
        elif moves and (op is POW or op is WHOLE or node.op is FUN):
            whole_power = op is WHOLE and (whole(node) or 0) >= 0
            if not whole_power and (
                node.op is POW or node.data in _PARTIAL or getattr(node.data, "beyond", "") == "refuse"
            ):
                found.add(place)
        moving.append(moves)
    return found


def strip_sign(x: Expression) -> Expression:
    """Return the operand of a sign."""
    return x.args[0] if x.op is NEG else x


#: Graphs of more nodes are left as they are.
MOST_NODES: Final = 40_000
#: Rounds in which shorter operands may make more equal, and the nodes of all rounds together, but for the first.
ROUNDS: Final = 4
MOST_WORK: Final = 40_000
#: Points at which nodes that are equal are one, and points that confirm the result.
DRAWS: Final = 2


class Shorter:
    """Replacement of expressions by shorter forms, the same ones for all calls.

    Parameters
    ----------
    parameters : names of the parameters; a divisor with other symbols may not cancel
    definitions : symbol -> its expression
    merge : whether the shortest of equal forms replaces the others; else only vanishing and cancelling terms go
    seed : of the random points
    """

    def __init__(
        self,
        parameters: Set[str] = frozenset(),
        definitions: Mapping[Expression, Expression] | None = None,
        *,
        merge: bool = True,
        seed: int = 0,
    ) -> None:
        self.parameters, self.definitions = parameters, definitions or {}
        self.merge, self.seed = merge, seed
        self._points: list[Point] = []
        self._best: dict[Class, Expression] = {}
        self._length: dict[Expression, tuple[int, float]] = {}

    def shorten(self, expressions: Iterable[Expression]) -> list[Expression]:
        """Shorten the expressions, and confirm the forms at points of other fields.

        Raises
        ------
        ExpressionError
            A form is not the expression: an error of this program.
        """
        given = list(expressions)
        found, work = given, 0
        for turn in range(ROUNDS):
            plan = Plan(found, self.definitions)
            work += len(plan.steps)
            if work > (MOST_WORK if turn else MOST_NODES):
                break
            before, found = found, self._round(plan)
            if all(a is b for a, b in zip(before, found, strict=True)):
                break
        confirm(given, found, self.definitions, self.seed + 1)
        return found

    def _round(self, plan: Plan) -> list[Expression]:
        if not self._points or any(pt.field.smooth % plan.angles.divisor for pt in self._points):
            self._points = list(points(plan, DRAWS, self.seed, atoms=True))
            self._best = {}
        values = [point.run(plan) for point in self._points]
        fields = [point.field.p for point in self._points]
        partial = singular(plan, self.parameters) | {place for v in values for place in v.poles}
        held = above(plan, partial)
        kinds = [class_of(found, fields) for found in zip(*values, strict=True)]
        sums = Sums(plan, self._points, values, kinds, held)
        self._pass(plan, kinds, held, sums, ())  # what comes later may be shorter
        new = self._pass(plan, kinds, held, sums, ())
        lost = lost_places(plan, partial, new)
        if lost:
            new = self._pass(plan, kinds, held, sums, above(plan, lost))
        return [new[plan.place[x]] for x in plan.outputs]

    def _pass(
        self, plan: Plan, kinds: Sequence[tuple[Class, int]], held: Sequence[bool], sums: Sums, strict: Sequence[bool]
    ) -> list[Expression]:
        """Return new forms of all steps, rebuilt from those of operands; ``strict`` steps keep their singularities."""
        new: list[Expression] = []
        for place, step in enumerate(plan.steps):
            made = sums.remake(place, new) if step.op is ADD else None
            if made is None:
                made = _rebuilt(step, [new[i] for i in step.args])
            if strict and strict[place]:
                operands = {strip_sign(new[i]) for i in step.args if strict[i]}
                new.append(made if self._keeps(operands, made) else step.node)
            elif held[place]:
                new.append(made)
            else:
                new.append(self._shortest(made, kinds[place]))
        return new

    def _keeps(self, operands: Set[Expression], made: Expression) -> bool:
        """Return True if a form is undefined wherever its operands are; x - x or x/y y may be simplified to less."""
        return operands <= {strip_sign(x) for x in (made, *strip_sign(made).args)} or self._partial(
            [made]
        ) >= self._partial(operands)

    def _partial(self, expressions: Iterable[Expression]) -> set[Expression]:
        """Return the divisors, roots and functions in expressions that are not defined everywhere."""
        plan = Plan(expressions, self.definitions)
        return {plan.steps[place].node for place in singular(plan, self.parameters)}

    def _shortest(self, made: Expression, found: tuple[Class, int]) -> Expression:
        """Return the form ``made``, or a known form of equal value that is not longer."""
        kind, sign = found
        if not any(kind):
            return ZERO
        if not self.merge:
            return made
        known = self._best.get(kind)
        if known is None or self._measure(made) < self._measure(known):
            known = self._best[kind] = _apply_sign(made, sign)
        return _apply_sign(known, sign)

    def _measure(self, x: Expression) -> tuple[int, float]:
        """Count the divisions and operands of an expression written out in full; signs count nothing."""
        known = self._length
        waiting = [x]
        while waiting:
            node = waiting[-1]
            below = [arg for arg in node.args if arg not in known]
            if below:
                waiting += below
                continue
            waiting.pop()
            divisions, operands = 0, 0.0 if node.op is NEG else 1.0
            for arg in node.args:
                divisions += known[arg][0]
                operands += known[arg][1]
            divides = node.op is POW and (whole(node) or 0) < 0
            known[node] = min(divisions, 1 << 60) + divides, operands
        return known[x]


def confirm(
    given: Sequence[Expression],
    found: Sequence[Expression],
    definitions: Mapping[Expression, Expression] | None = None,
    seed: int = 1,
) -> None:
    """Raise :class:`ExpressionError` if an expression ``found`` does not equal the ``given`` one at new points."""
    changed = [(a, b) for a, b in zip(given, found, strict=True) if a is not b]
    if not changed:
        return
    plan = Plan([x for pair in changed for x in pair], definitions)
    for point in points(plan, 1, seed, atoms=True):
        values = point.run(plan)
        for a, b in changed:
            if values[plan.place[a]] != values[plan.place[b]]:
                raise ExpressionError(f"{a!r} was written as {b!r}, which is not the same")


def _apply_sign(x: Expression, sign: int) -> Expression:
    return x if sign > 0 else neg(x)


def _rebuilt(step: PlanStep, args: Sequence[Expression]) -> Expression:
    node = step.node
    if not args or step.op is SAME:
        return node
    if step.op is ROOT or step.op is SIZE:
        args = [mul(radicand(node)[0], power(args[0], TWO) if step.op is SIZE else args[0])]
    if all(a is b for a, b in zip(args, node.args, strict=True)):
        return node
    try:
        return rebuild(node, args)
    except ExpressionError:  # a divisor that is zero everywhere
        return node
