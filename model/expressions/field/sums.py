"""Removal of terms that cancel in sums: terms of opposite values at random points, whatever their forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from fractions import Fraction
from typing import Final

from ..algebra import add, is_short, mul, neg
from ..node import ADD, MUL, NEG, NUM, ZERO, Expression
from .plan import Plan, PlanStep
from .point import Point

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
