"""Pairs of models to compare, from rows of a table, files of two folders, or arguments in Python."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from os import PathLike, fspath
from pathlib import Path

from mbconcord.converters import registry
from mbconcord.converters.inclusions import utf8_text
from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.limits import FILE_BYTES
from mbconcord.records import dataclass, replace

from .regression.project import model_files

#: Forms in which pairs are given: a table, a folder, a file, ``{robot: (a, b)}``, rows ``(a, b)`` or ``(robot, a, b)``.
Pairs = str | PathLike[str] | Mapping[str, Sequence[str | PathLike[str]]] | Iterable[Sequence[str | PathLike[str]]]


@dataclass(frozen=True)
class NamedPair:
    """A pair of files, or a file and a converter, before these are read; ``refused`` says why a row is no pair."""

    robot: str
    a: str = ""
    b: str = ""
    converter: str = ""
    refused: str = ""

    @property
    def name(self) -> str:
        """Name of the pair's row: the robot, and the converter if there is one."""
        return f"{self.robot} by {self.converter}" if self.converter else self.robot


def name_rows(pairs: Iterable[NamedPair]) -> dict[str, NamedPair]:
    """Return the pairs by the names of their rows; a pair with a repeated name gets a new name, and is refused."""
    found: dict[str, NamedPair] = {}
    for pair in pairs:
        if (name := pair.name) in found:
            refused = pair.refused or f"an earlier row is named {name}: name each robot once"
            mark = next(mark for n in count(2) if name + (mark := f" ({n})") not in found)
            name, pair = name + mark, replace(pair, robot=pair.robot + mark, refused=refused)
        found[name] = pair
    return found


def find_pairs(pairs: Pairs, b: str | PathLike[str] | None = None) -> dict[str, NamedPair]:
    """Return the pairs that arguments in Python name, by the names of their rows."""
    if isinstance(pairs, str | PathLike):
        return name_rows(read_pairs(fspath(pairs), ("a", "b")) if b is None else pair_files(fspath(pairs), fspath(b)))
    rows = pairs.items() if isinstance(pairs, Mapping) else enumerate(pairs, 1)
    return name_rows(_name_row(key, files) for key, files in rows)


def _name_row(key: str | int, given: str | PathLike[str] | Sequence[str | PathLike[str]]) -> NamedPair:
    """Return a pair from files ``(a, b)`` of robot ``key``, or from ``(a, b)`` or ``(robot, a, b)`` in row ``key``."""
    parts = [given] if isinstance(given, str | PathLike) else [*given]
    if wrong := [x for x in parts if not isinstance(x, str | PathLike)]:
        message = f"found {type(wrong[0]).__name__}, expected paths of two files"
        raise ReadError(error(f"pairs/{key}", message, "mbconcord.compare compares models"))
    row = (fspath(given),) if isinstance(given, str | PathLike) else tuple(fspath(x) for x in given)
    row = (key, *row) if isinstance(key, str) else (name_file(row[0]), *row) if len(row) == 2 else row
    if len(row) != 3:
        robot = key if isinstance(key, str) else f"row {key}"
        return NamedPair(robot, refused=f"expected robot, a, b, found {', '.join(row) or 'nothing'}")
    return NamedPair(*row)


def is_folder(name: str | None) -> bool:
    """Return True if a path is that of a folder which is not itself a model."""
    if name is None or not os.path.isdir(name):  # noqa: PTH112 - also of a name that is too long
        return False
    try:
        registry.model_file(name)
    except ReadError:
        return True
    return False


def read_pairs(file: str, needed: Sequence[str]) -> Iterable[NamedPair]:
    """Yield the pairs in a table with the columns ``needed``; if a converter makes B, there is no column for B."""
    try:
        table = csv.DictReader(utf8_text(file, FILE_BYTES).splitlines(), skipinitialspace=True)
        heads, rows = table.fieldnames or (), [(table.line_num, cells) for cells in table]
    except (ReadError, csv.Error) as problem:
        said = problem.diagnostics[0].message if isinstance(problem, ReadError) else "no table in UTF-8"
        raise ReadError(error("--pairs", f"{file}: {said}", "name a table in CSV")) from None
    more = ("converter",) if "b" in needed else ()
    if sorted(heads) not in [sorted((*needed, *some)) for some in ((), ("robot",), more, ("robot", *more))]:
        expected = ",".join(("robot", *needed)) + (" and converter where B was converted" if more else "")
        raise ReadError(error("--pairs", f"{file}: its columns are {','.join(heads) or 'none'}, expected {expected}"))
    for line, cells in rows:
        place = f"{file}, line {line}"
        a, b = (str(Path(file).parent / cells[name]) if cells.get(name) else "" for name in ("a", "b"))
        lacking = [name for name in needed if not cells.get(name)]
        refused = f"{place}: {' and '.join(lacking)} is empty" if lacking else ""
        refused = f"{place}: has more cells than the table has columns" if None in cells else refused
        robot = cells.get("robot") or (name_file(a) if a else f"line {line}")
        yield NamedPair(robot, a, b, cells.get("converter") or "", refused=refused)


def pair_files(a: str, b: str | None) -> Iterable[NamedPair]:
    """Yield a pair of two files, or pairs of files of two folders with equal names; without ``b`` files to convert."""
    if b is not None and not (is_folder(a) and is_folder(b)):
        yield NamedPair(name_file(a), a, b)
        return
    ours, theirs = _by_stem(a), {} if b is None else _by_stem(b)
    for stem in sorted({*ours, *theirs}):
        one, other = ours.get(stem, []), theirs.get(stem, [])
        wrong = [f"{folder} has no {stem}" for folder, files in ((a, one), (b, other)) if folder and not files]
        wrong += [
            f"{len(files)} files are named {stem}: {', '.join(files)}" for files in (one, other) if len(files) > 1
        ]
        yield NamedPair(stem, one[0] if one else "", other[0] if other else "", refused="; ".join(wrong))


def _by_stem(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in model_files([name]):
        found.setdefault(name_file(file), []).append(file)
    return found


def name_file(file: str) -> str:
    """Return a model's name: its file's name without the format's suffix, or the name of the model's folder."""
    format, path = registry.by_suffix(file), Path(file)
    fitting = [s for s in format.suffixes if path.name.lower().endswith(s)] if format else []
    suffix = max(fitting, key=len, default=path.suffix)
    stem = path.name[: -len(suffix)] if suffix else ""
    return stem or path.parent.name or path.name or file
