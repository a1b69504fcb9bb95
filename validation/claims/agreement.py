"""All formalisms give the same equations."""

from __future__ import annotations

from ..judge.agreement import compare
from ..judge.evidence import Comparison
from ..judge.trial import Trial

SENTENCE = "Independent formalisms give the same mass matrix, forces, inverse dynamics and accelerations."


def claim(made: Trial) -> list[Comparison]:
    """All pairs, quantity by quantity; what has fewer than two witnesses is not checked."""
    return compare(made)
