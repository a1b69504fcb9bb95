"""The score of seeded faults, as reports show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbconcord.validation.progress import counted

from .digest import Digest
from .table import short

if TYPE_CHECKING:
    from mbconcord.validation.faults import score as faults

#: What is said in the place of a formalism's name for faults of what all of them are built on.
SHARED = "what all share"


@dataclass(frozen=True)
class Score:
    """How many seeded faults of a formalism the claims caught, by which of them, and which they did not.

    ``faintest``: the smallest discrepancy with which one was caught, in words.
    """

    formalism: str
    caught: int
    total: int
    missed: tuple[str, ...]
    claims: tuple[tuple[str, int], ...] = ()
    faintest: str = ""


def scores(digests: Sequence[Digest]) -> list[Score]:
    """Scores of the formalisms that took part in the checks, measured now; without faults there is none.

    The last is that of what all formalisms share, where more than one took part.
    """
    from mbconcord.validation.faults import score as faults  # not before: most runs measure none

    names = dict.fromkeys(name for found in digests for name in found.formalisms)
    measured = [(name, faults.score(name)) for name in counted("faults of formalism", names)]
    if len(names) > 1:
        measured.append((SHARED, faults.shared_score()))
    return [_shown(name, found) for name, found in measured if found.total]


def _shown(name: str, found: faults.Score) -> Score:
    faintest = ""
    if found.faintest:
        fault, catch = found.faintest
        faintest = f"{short(catch.discrepancy)} of {catch.quantity}: {fault.title}"
    missed = tuple(fault.title for fault in found.survivors)
    return Score(name, found.caught, found.total, missed, tuple(found.claims.items()), faintest)
