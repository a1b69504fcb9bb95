"""Whether expressions are equal for all values of their symbols: identical, different, or undecided and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..node import FUN, PI, PI_NODE, POW, SYM, ZERO, Expression
from ..traversal import topological
from .angles import NOTHING
from .chance import Chance, chance, difference, sizes
from .plan import ROOT, TURN, Plan, Step, radicand
from .point import NoRootError, Point, Values, points
from .roots import dependent

IDENTICAL: Final = "identical"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"

#: Signs of which all patterns are run, at the first point; with more, what depends on them is undecided.
MOST_SIGNS: Final = 8
#: Points that are tried where a root of a root is not in the field.
TRIES: Final = 40

_SIGNED: Final = frozenset(("sign", "abs"))
_BY_VALUE: Final = "{} is known by the values of its arguments only"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of two expressions.

    Attributes
    ----------
    kind : "identical", "differs" or "undecided"
        Identical: equal as functions, so for all states and parameters where both are defined.
    reason : why it is undecided
    chance : of an identity, that it is none
    """

    kind: str
    reason: str = ""
    chance: Chance | None = None

    def __str__(self) -> str:
        if self.kind == IDENTICAL:
            return f"identical (chance of error at most {self.chance})"
        return f"undecided: {self.reason}" if self.reason else self.kind


def vanish(
    expressions: Iterable[Expression], definitions: Mapping[Expression, Expression] | None = None, **how: int
) -> list[Verdict]:
    """Whether each expression is zero; see :func:`compare`."""
    return compare(((x, ZERO) for x in expressions), definitions, **how)


def compare(
    pairs: Iterable[tuple[Expression, Expression]],
    definitions: Mapping[Expression, Expression] | None = None,
    *,
    draws: int = 2,
    seed: int = 0,
) -> list[Verdict]:
    """Whether the expressions of each pair are equal for all values of their symbols.

    Parameters
    ----------
    pairs : expressions
    definitions : symbol -> expression that it stands for; other symbols are independent
    draws : random points, each in a prime field of its own; more of them make the chance of an error smaller
    seed : of the random points

    Notes
    -----
    "Differs" rests on theorems: functions of coordinates are independent of their exponentials (Ax 1971), exponentials
    of rational radians of each other (Lindemann's). Whether pi depends on e^i is open: both in a scalar that is not
    zero at the point leave it undecided, as do functions known by their arguments only: arcs, exp, log, other powers.
    Not judged are points where a denominator is zero.

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
    places = [(plan.place[a], plan.place[b]) for a, b in asked]
    bound = dependent(plan, seed + 1)
    below = _Below(plan, bound)
    equal: list[list[set[bool]]] = [[] for _ in asked]
    for turn, point in enumerate(_good(plan, draws, seed)):
        for found in equal:
            found.append(set())
        for values in _patterns(point, plan, bound, below) if turn == 0 else [point.run(plan, (), bound)]:
            below.poles.update(plan.steps[place].node for place in values.poles)
            for found, (i, k) in zip(equal, places, strict=True):
                found[-1].add(values[i] == values[k])
    known = sizes(plan)
    verdicts = []
    for found, at in zip(equal, places, strict=True):
        why = below.of(at)
        kind, reason = _judged(found, why)
        size = difference(known[at[0]], known[at[1]])
        counted = 1 if "signs" in why else draws
        verdicts.append(
            Verdict(kind, reason, chance(plan, known, size, counted) if kind == IDENTICAL else None)
        )
    return verdicts


def _judged(equal: Sequence[set[bool]], below: Mapping[str, str]) -> tuple[str, str]:
    """The verdict, and why it is undecided, from what was equal at each point and what stands below."""
    if "pole" in below:
        return UNDECIDED, below["pole"]
    if all(found == {True} for found in equal):
        return (UNDECIDED, below["many"]) if "many" in below else (IDENTICAL, "")
    for cause in ("many", "open"):
        if cause in below:
            return UNDECIDED, below[cause]
    if "signs" in below and equal[0] != {False}:
        return UNDECIDED, below["signs"]
    return DIFFERS, ""


def _good(plan: Plan, draws: int, seed: int) -> Iterator[Point]:
    """Points at which every root is found; without such, the last one, which takes roots by their values."""
    left = draws
    for tried, point in enumerate(points(plan, TRIES * draws, seed), 1):
        try:
            point.run(plan)
        except NoRootError:
            if tried + left <= TRIES * draws:
                continue
            point.atoms = True
        yield point
        left -= 1
        if not left:
            return


def _patterns(point: Point, plan: Plan, bound: frozenset[object], below: _Below) -> Iterator[Values]:
    """Values for every choice of signs at a point; for one choice where there are too many."""
    pattern: list[int] = []
    below.by_value |= point.atoms
    while True:
        values = point.run(plan, tuple(pattern), bound)
        yield values
        if values.signs > MOST_SIGNS:
            below.many = True
            return
        pattern += [0] * (values.signs - len(pattern))
        while pattern and pattern[-1]:
            pattern.pop()
        if not pattern:
            return
        pattern[-1] = 1


class _Below:
    """What stands below expressions that may leave them undecided: poles, signs, what is known by its values only."""

    def __init__(self, plan: Plan, bound: frozenset[object]) -> None:
        self._plan, self._bound = plan, bound
        self.poles: set[Expression] = set()
        self.many = self.by_value = False

    def of(self, places: Iterable[int]) -> dict[str, str]:
        """Reasons by their kind: ``pole``, ``many`` signs, ``signs``, ``open``."""
        found: dict[str, str] = {}
        steps, place = self._plan.steps, self._plan.place
        nodes = topological([steps[i].node for i in places], self._operands)
        for node in nodes:
            step = steps[place[node]]
            if node in self.poles:
                found["pole"] = "a divisor is zero everywhere"
            if self._signed(step):
                found["signs"] = "it depends on the signs of roots, or of arguments of sign() and abs()"
                if self.many:
                    found["many"] = f"more than {MOST_SIGNS} signs"
            reason = self._reason(step)
            if reason is not None:
                found["open"] = reason
        turned = any(step.op is TURN and self._constant(step) for step in (steps[place[n]] for n in nodes))
        if turned and PI_NODE in nodes:
            found.setdefault("open", "pi beside sines of numbers: whether they are independent is not known")
        return found

    def _operands(self, node: Expression) -> tuple[Expression, ...]:
        """Below a sine, the atoms of its angle."""
        step = self._plan.steps[self._plan.place[node]]
        if step.op is not TURN:
            return self._plan.operands(node)
        angle = self._plan.angles.terms[node.args[0]]
        atoms = (atom for monomial in angle for atom, _ in monomial)
        return tuple(dict.fromkeys(a for a in atoms if a.op is not SYM and a.op is not PI))

    def _constant(self, step: Step) -> bool:
        return NOTHING in self._plan.angles.terms[step.node.args[0]]

    def _signed(self, step: Step) -> bool:
        node = step.node
        if step.op is ROOT:
            factor, rest = radicand(node)
            surds = self._plan.surds.parts[factor.data][1]
            return rest in self._bound or any(q in self._bound for q in surds)
        return step.op is FUN and node.data in _SIGNED

    def _reason(self, step: Step) -> str | None:
        """Why values that differ may be of functions that do not."""
        node = step.node
        if step.op is TURN:
            return self._plan.angles.undecided(node.args[0])
        if step.op is FUN and node.data not in _SIGNED:
            return _BY_VALUE.format(node.data)
        if step.op is POW:
            return _BY_VALUE.format("a power that is not whole")
        if self.by_value and (step.op is ROOT or step.op is FUN):
            return _BY_VALUE.format("a root within a root")
        return None
