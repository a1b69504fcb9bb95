"""What the report of a campaign needs of its rows, in a size that does not grow with them but for times and names.

Totals of some rows and of others are added, in any order: rows are read file by file, here or by the workers of a
cluster, and are gone then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from .row import Row
from .table import frame

if TYPE_CHECKING:
    from pandas import DataFrame

#: What a model without any feature has.
PLAIN: Final = "plain tree"
#: By what comparisons are summed up: all of them, those of models with a feature, with a kind of joints.
ALL, FEATURE, JOINT = "", "feature", "joint"
#: A line of sums: by what, which feature or kind, the claim (of joints all), the formalism.
KEYS: Final = ("by", "name", "claim", "formalism")
#: What is summed up, and the largest of.
SUMS, WORST = ("agrees", "disagrees", "not_checked"), "worst"


@dataclass(frozen=True)
class Totals:
    """Sums over rows.

    Attributes
    ----------
    models : how many
    verdicts : of them, how many of each
    sizes : bodies -> models, of those that were drawn or read
    closed, elastic : models with constraints, with elastic bodies
    seconds : of the processor, of all models
    decades, exact : as in a row
    having : (feature, verdict) -> models
    cells : a line for each of :data:`KEYS`, with :data:`SUMS` and the largest discrepancy in units of its bound
    silent : of models that were refused or not checked: their number, and why
    times : when rows came (s since 1970)
    """

    models: int
    verdicts: Counter[str]
    sizes: Counter[int]
    closed: int
    elastic: int
    seconds: float
    decades: Counter[int | None]
    exact: Counter[str]
    having: Counter[tuple[str, str]]
    cells: DataFrame
    silent: tuple[tuple[int, str], ...]
    times: tuple[float, ...]

    @staticmethod
    def of(rows: Iterable[Row], times: Iterable[float] = ()) -> Totals:
        """Of rows, each of another model."""
        known = tuple(rows)
        made = [row for row in known if row.bodies]
        return Totals(
            len(known),
            Counter(row.verdict for row in known),
            Counter(row.bodies for row in made),
            sum(row.constraints > 0 for row in made),
            sum("elastic_modes" in row.features for row in made),
            sum(row.seconds for row in made),
            _counted(row.decades for row in known),
            _counted(row.exact for row in known),
            Counter((name, row.verdict) for row in known for name in row.features or (PLAIN,)),
            _cells(known),
            tuple(_silent(known)),
            tuple(times),
        )

    def __add__(self, other: Totals) -> Totals:
        """Of the rows of both."""
        both = {
            f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "cells"
        }
        return Totals(**both, cells=_summed([self.cells, other.cells]))

    def to_json(self) -> dict[str, Any]:
        """The form in which a worker sends them."""
        made = {f.name: getattr(self, f.name) for f in fields(self)}
        pairs = {name: [*value.items()] for name, value in made.items() if isinstance(value, Counter)}
        cells = self.cells.astype(object).where(self.cells.notna(), None)
        return made | pairs | {"cells": cells.to_numpy().tolist()}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Totals:
        """Those that were sent."""
        from pandas import DataFrame

        made: dict[str, Any] = dict(data)
        for name in ("verdicts", "sizes", "decades", "exact"):
            made[name] = Counter(dict(data[name]))
        made["having"] = Counter({(feature, verdict): count for (feature, verdict), count in data["having"]})
        made["silent"] = tuple((number, why) for number, why in data["silent"])
        made["times"] = tuple(data["times"])
        made["cells"] = _typed(DataFrame(data["cells"], columns=[*KEYS, *SUMS, WORST]))
        return Totals(**made)


def _counted(parts: Iterable[Mapping[Any, int]]) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for part in parts:
        found.update(part)
    return found


def _silent(rows: Iterable[Row]) -> Iterable[tuple[int, str]]:
    for row in rows:
        if row.verdict in ("refused", "not checked"):
            yield from ((row.number, what) for what in row.silent)


def _cells(rows: Iterable[Row]) -> DataFrame:
    """The sums over the cells of rows."""
    found = frame([*rows])
    found = found[found["formalism"] != ""]
    every = found.assign(by=ALL, name="")
    features = _each(_sums(found, ["features", "claim", "formalism"]), "features", PLAIN).assign(by=FEATURE)
    joints = _each(_sums(found, ["joints", "formalism"]), "joints", "").assign(by=JOINT, claim="")
    return _summed([every, features, joints])


def _summed(parts: Iterable[DataFrame]) -> DataFrame:
    """One line of each of :data:`KEYS`."""
    from pandas import concat

    return _typed(_sums(concat([part[[*KEYS, *SUMS, WORST]] for part in parts]), [*KEYS]))


def _typed(found: DataFrame) -> DataFrame:
    return found.astype(dict.fromkeys(SUMS, "int64") | {WORST: "float64"})


def _sums(found: DataFrame, by: list[str]) -> DataFrame:
    """Sums and the largest of what has the same names."""
    return found.groupby(by, sort=False, as_index=False).agg(
        **{name: (name, "sum") for name in SUMS}, **{WORST: (WORST, "max")}
    )


def _each(found: DataFrame, column: str, none: str) -> DataFrame:
    """A line for every word of a column, as ``name``; ``none`` where it is empty."""
    words = found[column].str.split(",")
    return found.assign(name=words).explode("name").replace({"name": {"": none}})
