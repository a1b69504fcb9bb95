"""Group-by tables of a campaign: features, joints, claims and formalisms against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbconcord.model.features import FEATURES
from mbconcord.validation.claims import ALL

if TYPE_CHECKING:
    from pandas import DataFrame

#: What a model without any feature has.
PLAIN: Final = "plain tree"
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


def tables(found: DataFrame) -> list[Table]:
    """Claims, features and joints by formalisms, and features by claims."""
    compared = found[found["formalism"] != ""]
    features = _each(_sums(compared, ["features", "claim", "formalism"]), "features", PLAIN)
    joints = _each(_sums(compared, ["joints", "formalism"]), "joints", "")
    claims = [claim.name for claim in ALL]
    known = [*FEATURES, PLAIN]
    having = "comparisons of models that have a feature"
    kinds = sorted(set(joints["joints"]))
    return [
        _table(
            "Claims by formalisms", "comparisons with a formalism", compared, "claim", "formalism", claims
        ),
        _table("Features by formalisms", having, features, "features", "formalism", known),
        _table("Joints by formalisms", JOINTS, joints, "joints", "formalism", kinds),
        _table("Features by claims", having, features, "features", "claim", known, claims),
    ]


def models(found: DataFrame) -> list[tuple[str, int, int, int]]:
    """Of each feature, models that have it, those that agree, and those in which something disagrees or fails."""
    own = found.drop_duplicates("number")[["number", "verdict", "features"]]
    each = _each(own, "features", PLAIN)
    rows = []
    for name in (*FEATURES, PLAIN):
        own = each[each["features"] == name]["verdict"]
        bad = int(own.isin(("disagrees", "failed")).sum())
        rows.append((name, len(own), int((own == "agrees").sum()), bad))
    return rows


def _sums(found: DataFrame, by: list[str]) -> DataFrame:
    """Sums and the largest of what has the same names: of many models few lines, with the same columns."""
    return found.groupby(by, sort=False, as_index=False).agg(
        agrees=("agrees", "sum"), disagrees=("disagrees", "sum"), not_checked=("not_checked", "sum"),
        worst=("worst", "max"),
    )  # fmt: skip


def _each(found: DataFrame, column: str, none: str) -> DataFrame:
    """A line for every word of a column; ``none`` where it is empty."""
    words = found[column].str.split(",")
    return found.assign(**{column: words}).explode(column).replace({column: {"": none}})


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
