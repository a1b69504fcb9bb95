"""Comparisons as a table of pandas: a row for each, which is one quantity by two witnesses at its worst entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from mbconcord.model.limits import frame

if TYPE_CHECKING:
    from pandas import DataFrame


class HasRow(Protocol):
    """Value with a table row."""

    def row(self) -> Mapping[str, object]:
        """Return its values of :data:`COLUMNS`."""


#: Columns and what stands in them; numbers without a unit are relative.
COLUMNS: Final = {
    "claim": "name of the claim; empty where witnesses of the canonical quantities are compared",
    "quantity": "what is compared",
    "a": "one witness",
    "b": "the other one; empty where there is none",
    "verdict": "agrees, disagrees, not checked",
    "discrepancy": "|a - b| / scale of the worst entry over all states (1)",
    "tolerance": "what it may be there (1)",
    "scale": "of the worst entry, in the quantity's own unit",
    "entry": "coordinates of the worst entry, with commas",
    "value_a": "of a there, in the quantity's own unit",
    "value_b": "of b there, in the quantity's own unit",
    "noticed_from": "relative change of an entry that would have been noticed, in the median (1)",
    "explanation": "who is wrong, or why it was not checked",
    "excess": "discrepancy in units of the tolerance (1): above one they disagree; none where nothing was measured",
    "exact": "identical, differs, undecided, not tried; empty where functions were not compared",
    "t": "time of the worst state (s)",
}


def comparisons_frame(comparisons: Iterable[HasRow]) -> DataFrame:
    """Tabulate comparisons, in order."""
    return frame((c.row() for c in comparisons), list(COLUMNS))
