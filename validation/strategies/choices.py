"""Sources of choices: a seeded generator, or Hypothesis. The construction of random models is the same for both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Final, Protocol, TypeVar

Item = TypeVar("Item")

#: The axes of a frame and their opposites.
AXES: Final = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1), (-1, 0, 0), (0, -1, 0))


class ChoiceSource(Protocol):
    """A source of whole numbers; smaller ones are simpler."""

    def integer(self, low: int, high: int) -> int:
        """Choose an integer from low to high, both included."""


class Seeded:
    """Whole numbers from a seed, equal on every platform."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def integer(self, low: int, high: int) -> int:
        """Choose an integer from low to high, both included."""
        return self._random.randint(low, high)


class Choices:
    """Choices of various kinds, made from a source of whole numbers. The first item of a sequence is the simplest."""

    def __init__(self, source: ChoiceSource) -> None:
        self.integer = source.integer

    def pick(self, items: Sequence[Item]) -> Item:
        """Pick one of the items."""
        return items[self.integer(0, len(items) - 1)]

    def once_in(self, n: int) -> bool:
        """Return True about once in n times; False is the simpler."""
        return self.integer(0, n - 1) == n - 1

    def decimal(self, low: int, high: int, digits: int = 1) -> Fraction:
        """Choose a nonzero number with ``digits`` decimals between two integers."""
        unit = 10**digits
        value = self.integer(low * unit, high * unit)
        return Fraction(value or 1, unit)

    def positive(self) -> Fraction:
        """Choose a positive number between 0.01 and 99."""
        return Fraction(self.integer(1, 99), self.pick((10, 1, 100)))

    def direction(self) -> tuple[int, int, int]:
        """Choose a nonzero vector of small integers: an axis of the frame or a general one."""
        if self.once_in(2):
            x, y, z = (self.integer(-3, 3) for _ in range(3))
            if x or y or z:
                return x, y, z
        return self.pick(AXES)

    def point(self) -> tuple[Fraction, Fraction, Fraction]:
        """Pick three numbers between -1 and 1, none zero."""
        return self.decimal(-1, 1), self.decimal(-1, 1, 2), self.decimal(-1, 1)


#: What machines are built with: units, halves, right angles as files have them, in five digits or in all.
PLAIN: Final = (
    Fraction(1), Fraction(-1), Fraction(1, 2),
    Fraction("1.5708"), Fraction("-1.5708"), Fraction(math.pi / 2), Fraction(-math.pi / 2),
)  # fmt: skip


class Aligned(Choices):
    """Choices for machines as people build them, with alignments that random numbers never have.

    Axes lie along those of the frame, turned by right angles that are written with few digits; points at origins and on
    axes. So levers vanish, rows repeat each other or nearly do, and entries are zero but for rounding.
    """

    def decimal(self, low: int, high: int, digits: int = 1) -> Fraction:
        """Choose a number as in :class:`Choices`, or one of :data:`PLAIN`."""
        value = super().decimal(low, high, digits)
        plain = [x for x in PLAIN if low <= x <= high]
        return value if self.once_in(2) or not plain else self.pick(plain)

    def direction(self) -> tuple[int, int, int]:
        """Choose an axis of the frame, or sometimes a general one."""
        return super().direction() if self.once_in(6) else self.pick(AXES)

    def point(self) -> tuple[Fraction, Fraction, Fraction]:
        """Pick three numbers between -1 and 1, most of them zero or a half."""
        x, y, z = (self.pick((Fraction(0), Fraction(0), Fraction(1, 2), value)) for value in super().point())
        return x, y, z
