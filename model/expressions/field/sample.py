"""Scalars of a plan at random points: the values that verdicts are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property
from typing import Final

from .plan import Plan
from .point import NoRootError, Point, Values, points
from .roots import dependent
from .sizes import Size, Sizes
from .taint import MANY, OPEN, POLE, SIGNS, Taint
from .verdict import DIFFERS, IDENTICAL, UNDECIDED, Verdict

#: Signs of which all patterns are run, at the first point; with more, what depends on them is undecided. Of large
#: plans fewer are: all patterns together are no more than so many values.
MOST_SIGNS: Final = 8
MOST_VALUES: Final = 2_000_000
#: Points that are tried where a root of a root is not in the field.
TRIES: Final = 40


class Sample:
    """Values of all steps of a plan at random points.

    ``prepare`` is called with every point before it is used: it may assign values that are not random;
    :class:`NoRootError` refuses the point.

    Attributes
    ----------
    plan : Plan
    runs : for every point, it and the values for every choice of signs; at all points but the first for one choice
    """

    def __init__(
        self, plan: Plan, draws: int = 2, seed: int = 0, prepare: Callable[[Point], None] | None = None
    ) -> None:
        self.plan, self.draws, self._prepare = plan, draws, prepare
        self._bound = bound = dependent(plan, seed + 1)
        self._most = MOST_SIGNS
        while self._most and len(plan.steps) << self._most > MOST_VALUES:
            self._most -= 1
        self.runs: list[tuple[Point, list[Values]]] = []
        self._draw(seed)
        every = [values for _, patterns in self.runs for values in patterns]
        many = f"more than {self._most} signs" if every and every[0].signs > self._most else ""
        by_value = any(point.atoms for point, _ in self.runs)
        self.taint = Taint(plan, bound, {i for values in every for i in values.poles}, many, by_value)

    @cached_property
    def sizes(self) -> Sizes:
        """Degrees of all steps."""
        return Sizes(self.plan)

    def verdict(self, a: int, b: int) -> Verdict:
        """Whether two steps are equal."""
        equal = [{values[a] == values[b] for values in patterns} for _, patterns in self.runs]
        return self.judged(equal, (a, b), self.sizes.of(a) - self.sizes.of(b))

    def judged(self, equal: Sequence[Set[bool]], places: Iterable[int], size: Size) -> Verdict:
        """The verdict on two scalars.

        Parameters
        ----------
        equal : for every point, whether they were equal for the choices of signs there
        places : of the steps that they are computed from
        size : of their difference
        """
        below = self.taint.of(places)
        kind, reason = _judged(equal, below)
        if kind != IDENTICAL:
            return Verdict(kind, reason)
        return Verdict(kind, reason, self.sizes.chance(size, 1 if SIGNS in below else self.draws))

    def _draw(self, seed: int) -> None:
        """Points at which every root is found; without such, the last ones take roots by their values."""
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
                return

    def _patterns(self, point: Point) -> list[Values]:
        """Values for every choice of signs at the first point; for one at others, and where there are too many."""
        if self._prepare is not None:
            self._prepare(point)
        found: list[Values] = []
        pattern: list[int] = []
        while True:
            values = point.run(self.plan, tuple(pattern), self._bound)
            found.append(values)
            if self.runs or values.signs > self._most:
                return found
            pattern += [0] * (values.signs - len(pattern))
            while pattern and pattern[-1]:
                pattern.pop()
            if not pattern:
                return found
            pattern[-1] = 1


def _judged(equal: Sequence[Set[bool]], below: dict[str, str]) -> tuple[str, str]:
    """The verdict, and why it is undecided, from what was equal at each point and what stands below."""
    if POLE in below:
        return UNDECIDED, below[POLE]
    if all(found == {True} for found in equal):
        return (UNDECIDED, below[MANY]) if MANY in below else (IDENTICAL, "")
    for cause in (MANY, OPEN):
        if cause in below:
            return UNDECIDED, below[cause]
    if SIGNS in below and equal[0] != {False}:
        return UNDECIDED, below[SIGNS]
    return DIFFERS, ""
