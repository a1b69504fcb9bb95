"""Verdict on two scalars: identical, different, or undecided and why."""

from __future__ import annotations

import math
from typing import Final

from mbconcord.records import dataclass

# How likely a random point hides a difference: degree over the size of what is drawn (Schwartz 1980, Zippel 1979).
#
# A scalar is A/B of polynomials in the symbols and the bases of exponentials, with negative powers. Where the
# exponents of a monomial add up to a at most, A other than zero vanishes at no more than the part 2 a/l of the
# points, l the order of the subgroup that bases are drawn from. Its coefficients are numbers: one of h bits and more
# vanishes in no more than h fields, of the more than 2^130 that are drawn from. Both are counted of 2^130 here, which
# is less than either.


#: Bits of what points and fields are drawn from.
CERTAINTY: Final = 130


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance that equality at random points is no identity: at most 2^log2 (1 where it is above 0).

    ``degree``: log2 of the degree, and of all else that a point is drawn against.
    """

    degree: float
    draws: int

    @property
    def log2(self) -> float:
        """Log2 of the bound of the chance, for all draws together."""
        return min(0.0, self.degree - CERTAINTY) * self.draws

    def __str__(self) -> str:
        return f"2^{math.ceil(self.log2)}" if self.log2 > -math.inf else "0"


IDENTICAL: Final = "identical"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on two expressions.

    Attributes
    ----------
    kind : "identical", "differs" or "undecided"
        Identical: equal as functions, so for all states and parameters where both are defined.
    reason : why it is undecided
    chance : probability that an "identical" is wrong
    """

    kind: str
    reason: str = ""
    chance: Chance | None = None

    def __str__(self) -> str:
        if self.kind == IDENTICAL:
            return f"identical (chance of error at most {self.chance})"
        return f"undecided: {self.reason}" if self.reason else self.kind
