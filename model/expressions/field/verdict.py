"""What is known of two scalars: that they are identical, that they differ, or neither and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .chance import Chance

IDENTICAL: Final = "identical"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"


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
