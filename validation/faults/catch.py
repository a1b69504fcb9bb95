"""How a fault was noticed: by which claim, of which quantity, with what discrepancy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..judge.evidence import Comparison

#: The claim that witnesses agree, whose comparisons bear no name.
AGREEMENT = "agreement"


@dataclass(frozen=True)
class Catch:
    """A disagreement in numbers, |a - b| relative to the scale of what was compared."""

    claim: str
    quantity: str
    discrepancy: float


def catches(comparisons: Iterable[Comparison], claim: str = "") -> list[Catch]:
    """The disagreements in numbers, the largest first; ``claim`` is that of comparisons which do not say.

    A witness that crashed says nothing: where there are no two numbers there is no catch.
    """
    found = [
        Catch(c.claim or claim or AGREEMENT, c.quantity, c.discrepancy)
        for c in comparisons
        if c.verdict == "disagrees" and c.discrepancy is not None
    ]
    return sorted(found, key=lambda catch: -catch.discrepancy)
