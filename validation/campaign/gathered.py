"""The totals of a campaign from the files of its rows, some files at a time: here, or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from mbconcord.model.diagnostics import ReadError, error

from .folder import ABOUT, Folder, about_of, lines
from .parts import key, read, row_files
from .row import Row
from .run import Cluster
from .totals import Totals

#: Files that are read at once, lines likewise.
FILES: Final = 100
LINES: Final = 1000

Item = TypeVar("Item")


def gathered(path: Path, cluster: Cluster | None = None) -> tuple[Folder, Totals]:
    """A campaign's folder, with those rows alone that have findings, and the totals of all its rows.

    Parameters
    ----------
    path
    cluster : whose workers read the files of rows, and see the folder under the same name

    Raises
    ------
    ReadError
        It is none, a row of it is damaged, or a worker cannot read it.
    """
    folder = Folder(path, about_of(path / ABOUT))
    total, seen = Totals.of(()), set[int]()
    for answer in _answers(folder, cluster, seen):
        total += Totals.from_json(answer["totals"])
        seen.update(answer["numbers"])
        folder.rows |= {row["number"]: row for row in answer["found"]}
    return folder, total


def of_files(of: Mapping[str, Any], names: Sequence[str], known: Sequence[int] = ()) -> dict[str, Any]:
    """What some files of rows of a campaign come to, but for models that are known: what a worker is asked.

    ``of``: ``rows``, the folder of the files, and the campaign's ``seed``.
    """
    return _of((row for name in names for row in _own(Path(of["rows"]) / name, of["seed"])), known)


def _own(file: Path, seed: int) -> Iterator[dict[str, Any]]:
    """The rows of a file; :class:`ReadError` where one is of another campaign, or none."""
    for row in read(file):
        if not isinstance(row, dict) or row.get("task") != key(["explore", seed, row.get("number")]):
            raise ReadError(error("", f"{file}: holds what is no row of this campaign", "move it away"))
        yield row


def _answers(folder: Folder, cluster: Cluster | None, seen: set[int]) -> Iterator[dict[str, Any]]:
    """What the rows come to, part by part; ``seen`` are the models of those that were given before."""
    for some in _batched(lines(folder), LINES):
        yield _of(some, seen)
    of = {"rows": str(folder.parts.path.resolve()), "seed": folder.about.seed}
    files = ([file.name for file in some] for some in _batched(row_files(folder.parts.path), FILES))
    for names, answer in _read(of, files, cluster):
        if isinstance(answer, str):
            found = f"a worker has not read {of['rows']}: {answer}"
            raise ReadError(
                error("--cluster", found, "have it where all workers see it, or leave --cluster out")
            )
        twice = seen.intersection(answer["numbers"])
        yield of_files(of, names, [*twice]) if twice else answer


def _read(
    of: Mapping[str, Any], files: Iterable[list[str]], cluster: Cluster | None
) -> Iterator[tuple[list[str], Any]]:
    """Names of files with what their rows come to; :class:`str` where a worker could not say."""
    if cluster is None:
        yield from ((names, of_files(of, names)) for names in files)
    else:
        each = cluster.each(f"{__name__}:of_files", of, ([names] for names in files))
        yield from ((names, answer) for (names,), answer in each)


def _of(rows: Iterable[Mapping[str, Any]], known: Iterable[int]) -> dict[str, Any]:
    """The first row of every model that is not known."""
    passed, own = {*known}, dict[int, Mapping[str, Any]]()
    for row in rows:
        number = row["number"]
        if number not in passed and (number not in own or row.get("at", 0.0) < own[number].get("at", 0.0)):
            own[number] = row
    times = [float(row["at"]) for row in own.values() if "at" in row]
    return {
        "numbers": [*own],
        "found": [row for row in own.values() if row["findings"]],
        "totals": Totals.of(map(Row.from_json, own.values()), times).to_json(),
    }


def _batched(items: Iterable[Item], count: int) -> Iterator[list[Item]]:
    coming = iter(items)
    while some := list(islice(coming, count)):
        yield some
