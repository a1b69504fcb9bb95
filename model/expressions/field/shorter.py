"""Shorter forms of a graph: what vanishes, cancels or is there in a shorter form is decided in a prime field.

Nodes of equal value at random points are one class, up to their sign, and the shortest of them stands for all. Zero is
written 0, and terms of a sum whose values cancel are left out. Nothing is expanded and no form is invented: a graph
becomes a part of itself, so it costs no more than before.

Singularities stay. A divisor that only parameters are in may cancel: ``m r/m`` is r, as where m is zero ``r/m`` had no
meaning in the model. One with a coordinate, a rate, time or a function in it does not, nor does a root, a tangent, an
arc or a logarithm of such: what holds one is a class of its own, and no scalar loses the last one of its kind, even if
it is zero wherever it is defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final

from ..algebra import mul, neg
from ..calculus import rebuild
from ..node import ADD, NEG, POW, ZERO, Expression, ExpressionError
from .plan import ROOT, SAME, Plan, Step, radicand, whole
from .point import Point, points
from .singular import above, lost_places, singular, unsigned
from .sums import Class, Sums, class_of

#: Graphs of more nodes are left as they are.
MOST_NODES: Final = 40_000
#: Rounds in which shorter operands may make more equal, and the nodes of all rounds together, but for the first.
ROUNDS: Final = 4
MOST_WORK: Final = 40_000
#: Points at which nodes that are equal are one, and points that confirm the result.
DRAWS: Final = 2


class Shorter:
    """Puts shorter forms for expressions, the same for all that it is asked for.

    Parameters
    ----------
    parameters : names of the symbols by which may be divided
    definitions : symbol -> expression that it stands for
    merge : whether the shortest form of equal value stands for all; else only what vanishes or cancels goes
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

    def of(self, expressions: Iterable[Expression]) -> list[Expression]:
        """The expressions in their shortest forms, confirmed at points of other fields.

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
        self,
        plan: Plan,
        kinds: Sequence[tuple[Class, int]],
        held: Sequence[bool],
        sums: Sums,
        strict: Sequence[bool],
    ) -> list[Expression]:
        """New forms of all steps, of operands in their new forms; ``strict`` ones lose no singularity."""
        new: list[Expression] = []
        for place, step in enumerate(plan.steps):
            made = sums.made(place, new) if step.op is ADD else None
            if made is None:
                made = _rebuilt(step, [new[i] for i in step.args])
            if strict and strict[place]:
                operands = {unsigned(new[i]) for i in step.args if strict[i]}
                new.append(made if self._keeps(operands, made) else step.node)
            elif held[place]:
                new.append(made)
            else:
                new.append(self._shortest(made, kinds[place]))
        return new

    def _keeps(self, operands: Set[Expression], made: Expression) -> bool:
        """Whether a form is undefined wherever its operands are: what the graph folds is not, as x - x, or x/y y."""
        return operands <= {unsigned(x) for x in (made, *unsigned(made).args)} or self._partial(
            [made]
        ) >= self._partial(operands)

    def _partial(self, expressions: Iterable[Expression]) -> set[Expression]:
        """The divisors, roots and functions at and below that are not defined everywhere."""
        plan = Plan(expressions, self.definitions)
        return {plan.steps[place].node for place in singular(plan, self.parameters)}

    def _shortest(self, made: Expression, found: tuple[Class, int]) -> Expression:
        """The form made, or one of the same value that is known and no longer."""
        kind, sign = found
        if not any(kind):
            return ZERO
        if not self.merge:
            return made
        known = self._best.get(kind)
        if known is None or self._measure(made) < self._measure(known):
            known = self._best[kind] = _signed(made, sign)
        return _signed(known, sign)

    def _measure(self, x: Expression) -> tuple[int, float]:
        """Divisions and operands, written out; signs are free."""
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
    """Raise :class:`ExpressionError` where a form is not equal to what it was made of, at fresh points."""
    changed = [(a, b) for a, b in zip(given, found, strict=True) if a is not b]
    if not changed:
        return
    plan = Plan([x for pair in changed for x in pair], definitions)
    for point in points(plan, 1, seed, atoms=True):
        values = point.run(plan)
        for a, b in changed:
            if values[plan.place[a]] != values[plan.place[b]]:
                raise ExpressionError(f"{a!r} was written as {b!r}, which is not the same")


def _signed(x: Expression, sign: int) -> Expression:
    return x if sign > 0 else neg(x)


def _rebuilt(step: Step, args: Sequence[Expression]) -> Expression:
    node = step.node
    if not args or step.op is SAME:
        return node
    if step.op is ROOT:
        args = [mul(radicand(node)[0], args[0])]
    if all(a is b for a, b in zip(args, node.args, strict=True)):
        return node
    try:
        return rebuild(node, args)
    except ExpressionError:  # a divisor that is zero everywhere
        return node
