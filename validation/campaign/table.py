"""Rows of a campaign as a table of pandas: a line for every model, claim and formalism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from .row import Row

if TYPE_CHECKING:
    from pandas import DataFrame

#: Columns, and what stands in them.
COLUMNS: Final = {
    "number": "of the model in the campaign",
    "verdict": "of the model: agrees, disagrees, not checked, refused, failed",
    "bodies": "how many",
    "coordinates": "how many",
    "constraints": "how many",
    "features": "what the model has, by names of features, with commas",
    "joints": "kinds of its joints by translations and rotations, with commas: 1R,1T2R",
    "seconds": "of the processor for the whole model (s)",
    "claim": "agreement (of formalisms), or the name of a claim; empty where the check came to no end",
    "formalism": "that takes part; empty where none does",
    "agrees": "comparisons that agree",
    "disagrees": "comparisons that disagree",
    "not_checked": "comparisons that were not checked",
    "worst": "largest discrepancy in units of its bound (1); none where nothing was measured",
}


def frame(rows: Sequence[Row]) -> DataFrame:
    """The table of :data:`COLUMNS`."""
    from pandas import DataFrame

    return DataFrame(list(_lines(rows)), columns=list(COLUMNS))


def _lines(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        own = (
            row.number, row.verdict, row.bodies, row.coordinates, row.constraints, ",".join(row.features),
            ",".join(row.joints), row.seconds,
        )  # fmt: skip
        for (claim, name), cell in row.cells.items():
            worst = None if cell.worst < 0 else cell.worst
            yield *own, claim, name, cell.agrees, cell.disagrees, cell.not_checked, worst
        if not row.cells:
            yield *own, "", "", 0, 0, 0, None
