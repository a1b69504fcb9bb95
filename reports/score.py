"""The score of seeded faults, as reports show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbconcord.validation.faults.score import score
from mbconcord.validation.judge.evidence import Evidence


@dataclass(frozen=True)
class Score:
    """How many seeded faults of a formalism the claims caught, and which they did not."""

    formalism: str
    caught: int
    total: int
    missed: tuple[str, ...]


def scores(evidences: Sequence[Evidence]) -> list[Score]:
    """Scores of the formalisms that took part in the checks, measured now; without faults there is none."""
    names = dict.fromkeys(
        w.name
        for e in evidences
        for w in e.witnesses
        if not w.obstacles and not (e.against and w.name == e.against.witness)
    )
    measured = ((name, score(name)) for name in names)
    return [
        Score(name, found.caught, found.total, tuple(fault.title for fault in found.survivors))
        for name, found in measured
        if found.total
    ]
