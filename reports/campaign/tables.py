"""Group-by tables of a campaign: features, joints, claims and formalisms against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbconcord.model.features import FEATURES
from mbconcord.validation.campaign.totals import ALL, FEATURE, JOINT, PLAIN, Totals
from mbconcord.validation.claims import ALL as CLAIMS

if TYPE_CHECKING:
    from pandas import DataFrame

JOINTS: Final = "comparisons of models with a joint of a kind, T of translations and R of rotations"


@dataclass(frozen=True)
class Entry:
    """Comparisons of a cell: how many, of them those that disagree or say nothing, the worst in units of its bound."""

    count: int
    disagrees: int = 0
    silent: int = 0
    worst: float | None = None


@dataclass(frozen=True)
class Table:
    """A table with names on both sides; a cell without comparisons is None."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Entry | None, ...]], ...]


def tables(found: Totals) -> list[Table]:
    """Claims, features and joints by formalisms, and features by claims."""
    every, features, joints = (found.cells[found.cells["by"] == by] for by in (ALL, FEATURE, JOINT))
    claims = [claim.name for claim in CLAIMS]
    known = [*FEATURES, PLAIN]
    having = "comparisons of models that have a feature"
    kinds = sorted(set(joints["name"]))
    return [
        _table("Claims by formalisms", "comparisons with a formalism", every, "claim", "formalism", claims),
        _table("Features by formalisms", having, features, "name", "formalism", known),
        _table("Joints by formalisms", JOINTS, joints, "name", "formalism", kinds),
        _table("Features by claims", having, features, "name", "claim", known, claims),
    ]


def models(found: Totals) -> list[tuple[str, int, int, int]]:
    """Of each feature, models that have it, those that agree, and those in which something disagrees or fails."""
    rows = []
    for name in (*FEATURES, PLAIN):
        own = {verdict: count for (feature, verdict), count in found.having.items() if feature == name}
        bad = own.get("disagrees", 0) + own.get("failed", 0)
        rows.append((name, sum(own.values()), own.get("agrees", 0), bad))
    return rows


def _table(
    title: str,
    about: str,
    found: DataFrame,
    down: str,
    across: str,
    known: list[str],
    columns: list[str] | None = None,
) -> Table:
    """Sums and the largest of every pair; rows that are known and columns that occur, in this order."""
    sums = found.groupby([down, across], sort=True).agg(
        agrees=("agrees", "sum"), disagrees=("disagrees", "sum"), silent=("not_checked", "sum"), worst=("worst", "max")
    )  # fmt: skip
    cells: dict[Any, Entry] = {
        key: Entry(int(a + d + s), int(d), int(s), None if w != w else float(w))
        for key, a, d, s, w in sums.itertuples()
    }
    there = {key[1] for key in cells}
    names = [name for name in columns or sorted(there) if name in there]
    rows = tuple(
        (row, tuple(cells.get((row, name)) for name in names))
        for row in known
        if any((row, name) in cells for name in names)
    )
    return Table(title, about, tuple(names), rows)
