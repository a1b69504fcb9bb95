"""Totals of a campaign's rows for its report; except for times and names their size does not grow with the rows.

Totals can be added in any order: rows are read file by file, here or by the workers of a cluster, and then dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from mbconcord.records import dataclass, fields

from .row import CampaignRow

if TYPE_CHECKING:
    from pandas import DataFrame
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame
from itertools import islice
from pathlib import Path
from typing import TypeVar

from mbconcord.model.diagnostics import ReadError, error

from .folder import ABOUT, Folder, about_of, lines
from .parts import key, read, row_files
from .row import TaskRunner

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


def frame(rows: Sequence[CampaignRow]) -> DataFrame:
    """Make the table of :data:`COLUMNS`."""
    from pandas import DataFrame

    return DataFrame(list(_table_lines(rows)), columns=list(COLUMNS))


def _table_lines(rows: Sequence[CampaignRow]) -> Iterator[tuple[Any, ...]]:
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
    models : number of models
    verdicts : verdict -> number of models
    sizes : number of bodies -> number of drawn or read models
    closed, elastic : number of models with constraints, and with elastic bodies
    seconds : processor time of all models
    decades, exact : numbers of comparisons as in a row
    having : (feature, verdict) -> number of models
    cells : a line for each of :data:`KEYS`, with :data:`SUMS` and the largest discrepancy in units of its bound
    silent : number of models that were refused or not checked, by reason
    times : times of rows (s since 1970)
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
    def from_rows(rows: Iterable[CampaignRow], times: Iterable[float] = ()) -> Totals:
        """Return the totals of rows, each of a different model."""
        known = tuple(rows)
        made = [row for row in known if row.bodies]
        return Totals(
            len(known),
            Counter(row.verdict for row in known),
            Counter(row.bodies for row in made),
            sum(row.constraints > 0 for row in made),
            sum("elastic_modes" in row.features for row in made),
            sum(row.seconds for row in made),
            _add_counts(row.decades for row in known),
            _add_counts(row.exact for row in known),
            Counter((name, row.verdict) for row in known for name in row.features or (PLAIN,)),
            _cells(known),
            tuple(_silent(known)),
            tuple(times),
        )

    def __add__(self, other: Totals) -> Totals:
        """Add the totals of the rows of both."""
        both = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "cells"}
        return Totals(**both, cells=_add_tables([self.cells, other.cells]))

    def to_json(self) -> dict[str, Any]:
        """Convert to the form in which a worker sends them."""
        made = {f.name: getattr(self, f.name) for f in fields(self)}
        pairs = {name: [*value.items()] for name, value in made.items() if isinstance(value, Counter)}
        cells = self.cells.astype(object).where(self.cells.notna(), None)
        return made | pairs | {"cells": cells.to_numpy().tolist()}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Totals:
        """Return the totals that were sent."""
        from pandas import DataFrame

        made: dict[str, Any] = dict(data)
        for name in ("verdicts", "sizes", "decades", "exact"):
            made[name] = Counter(dict(data[name]))
        made["having"] = Counter({(feature, verdict): count for (feature, verdict), count in data["having"]})
        made["silent"] = tuple((number, why) for number, why in data["silent"])
        made["times"] = tuple(data["times"])
        made["cells"] = _set_types(DataFrame(data["cells"], columns=[*KEYS, *SUMS, WORST]))
        return Totals(**made)


def _add_counts(parts: Iterable[Mapping[Any, int]]) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for part in parts:
        found.update(part)
    return found


def _silent(rows: Iterable[CampaignRow]) -> Iterable[tuple[int, str]]:
    for row in rows:
        if row.verdict in ("refused", "not checked"):
            yield from ((row.number, what) for what in row.silent)


def _cells(rows: Iterable[CampaignRow]) -> DataFrame:
    """Sum over the cells of rows."""
    found = frame([*rows])
    found = found[found["formalism"] != ""]
    every = found.assign(by=ALL, name="")
    features = _each(_sums(found, ["features", "claim", "formalism"]), "features", PLAIN).assign(by=FEATURE)
    joints = _each(_sums(found, ["joints", "formalism"]), "joints", "").assign(by=JOINT, claim="")
    return _add_tables([every, features, joints])


def _add_tables(parts: Iterable[DataFrame]) -> DataFrame:
    """Sum rows to one for each of :data:`KEYS`."""
    from pandas import concat

    return _set_types(_sums(concat([part[[*KEYS, *SUMS, WORST]] for part in parts]), [*KEYS]))


def _set_types(found: DataFrame) -> DataFrame:
    return found.astype(dict.fromkeys(SUMS, "int64") | {WORST: "float64"})


def _sums(found: DataFrame, by: list[str]) -> DataFrame:
    """Sum counts, and take the maximum of discrepancies, over lines with equal values in columns ``by``."""
    return found.groupby(by, sort=False, as_index=False).agg(
        **{name: (name, "sum") for name in SUMS}, **{WORST: (WORST, "max")}
    )


def _each(found: DataFrame, column: str, none: str) -> DataFrame:
    """Split a column into one line per word, as ``name``; ``none`` if it is empty."""
    words = found[column].str.split(",")
    return found.assign(name=words).explode("name").replace({"name": {"": none}})


#: Files that are read at once, lines likewise.
FILES: Final = 100
LINES: Final = 1000

Item = TypeVar("Item")


def gather(path: Path, cluster: TaskRunner | None = None) -> tuple[Folder, Totals]:
    """Open a campaign's folder with only those rows that have findings, and total all its rows.

    Parameters
    ----------
    path
    cluster : runner whose workers read the files of rows, in a folder of the same name; None: read here

    Raises
    ------
    ReadError
        It is not a campaign, a row of it is damaged, or a worker cannot read it.
    """
    folder = Folder(path, about_of(path / ABOUT))
    total, seen = Totals.from_rows(()), set[int]()
    for answer in _answers(folder, cluster, seen):
        total += Totals.from_json(answer["totals"])
        seen.update(answer["numbers"])
        folder.rows |= {row["number"]: row for row in answer["found"]}
    return folder, total


def of_files(of: Mapping[str, Any], names: Sequence[str], known: Sequence[int] = ()) -> dict[str, Any]:
    """Return the totals of some files of a campaign's rows, without known models: a worker's task.

    ``of``: ``rows``, the folder of the files, and the campaign's ``seed``.
    """
    return _select_new_rows((row for name in names for row in _own(Path(of["rows"]) / name, of["seed"])), known)


def _own(file: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file; :class:`ReadError` for rows of another campaign, or damaged ones."""
    for row in read(file):
        if not isinstance(row, dict) or row.get("task") != key(["explore", seed, row.get("number")]):
            raise ReadError(error(str(file), "holds what is no row of this campaign", "move it away"))
        yield row


def _answers(folder: Folder, cluster: TaskRunner | None, seen: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the totals of the rows, part by part; ``seen`` has the numbers of models in earlier parts."""
    for some in _batch(lines(folder), LINES):
        yield _select_new_rows(some, seen)
    of = {"rows": str(folder.parts.path.resolve()), "seed": folder.about.seed}
    files = ([file.name for file in some] for some in _batch(row_files(folder.parts.path), FILES))
    for names, answer in _read(of, files, cluster):
        if isinstance(answer, str):
            found = f"a worker has not read {of['rows']}: {answer}"
            raise ReadError(error("--cluster", found, "have it where all workers see it, or leave --cluster out"))
        twice = seen.intersection(answer["numbers"])
        yield of_files(of, names, [*twice]) if twice else answer


def _read(
    of: Mapping[str, Any], files: Iterable[list[str]], cluster: TaskRunner | None
) -> Iterator[tuple[list[str], Any]]:
    """Yield names of files with the totals of their rows; a :class:`str` if a worker failed."""
    if cluster is None:
        yield from ((names, of_files(of, names)) for names in files)
    else:
        each = cluster.each(f"{__name__}:of_files", of, ([names] for names in files))
        yield from ((names, answer) for (names,), answer in each)


def _select_new_rows(rows: Iterable[Mapping[str, Any]], known: Iterable[int]) -> dict[str, Any]:
    """Total the first row of every model that is not known."""
    passed, own = {*known}, dict[int, Mapping[str, Any]]()
    for row in rows:
        number = row["number"]
        if number not in passed and (number not in own or row.get("at", 0.0) < own[number].get("at", 0.0)):
            own[number] = row
    times = [float(row["at"]) for row in own.values() if "at" in row]
    return {
        "numbers": [*own],
        "found": [row for row in own.values() if row["findings"]],
        "totals": Totals.from_rows(map(CampaignRow.from_json, own.values()), times).to_json(),
    }


def _batch(items: Iterable[Item], count: int) -> Iterator[list[Item]]:
    coming = iter(items)
    while some := list(islice(coming, count)):
        yield some
