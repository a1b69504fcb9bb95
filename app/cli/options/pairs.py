"""Options of many pairs of models, and which pairs they name: a table, two folders, files that a program converts."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Final

from mbconcord.api.regression.project import model_files
from mbconcord.converters import registry
from mbconcord.converters.named_files import utf8_text
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import FILE_BYTES
from mbconcord.records import dataclass, replace

from ..io.converter import OPTION, Converter, read_converter
from .numbers import add_jobs, whole
from .shared import Instead

#: Seconds after which a converter is ended.
CONVERT_SECONDS: Final = 60


@dataclass(frozen=True)
class NamedPair:
    """A row before anything of it is read: files, or a file and its converter; ``refused`` says why it is no pair."""

    robot: str
    a: str = ""
    b: str = ""
    converter: str = ""
    program: Converter | None = None
    refused: str = ""


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Add two files or folders, and what is compared in their place."""
    a = parser.add_argument("a", metavar="A", help="model file, or a folder of them; - is standard input")
    b = parser.add_argument("b", metavar="B", help="model file, or a folder with files of the same names")
    own = parser.add_argument_group("many pairs")
    own.add_argument(
        "--pairs", metavar="FILE.csv", action=Instead, of=(a, b),
        help="a table with the columns robot, a, b and, if B was converted, converter; files are relative to it",
    )  # fmt: skip
    own.add_argument(
        OPTION, metavar="[NAME=]COMMAND", action=Instead, of=(b,), default=[],
        help="a program that makes B of A first, for example \"urdf2mjcf {in} {out}.xml\"; may be repeated",
    )  # fmt: skip
    own.add_argument(
        "--convert-seconds", type=whole(1, 3600), default=CONVERT_SECONDS, metavar="N",
        help=f"end a converter after N seconds (default: {CONVERT_SECONDS})",
    )  # fmt: skip
    own.add_argument("--report", metavar="FILE", help="write the table: .html .md .csv .json")
    add_jobs(parser)


def is_fleet(arguments: argparse.Namespace) -> bool:
    """Return True if more than two files are to be compared, or a report of the pair is asked for."""
    return bool(arguments.pairs or arguments.convert or arguments.report) or _is_folder(arguments.a)


def _is_folder(name: str | None) -> bool:
    """Return True for a folder that is no model itself."""
    if name is None or not Path(name).is_dir():
        return False
    try:
        registry.model_file(name)
    except ReadError:
        return True
    return False


# Which pairs there are.


def list_pairs(arguments: argparse.Namespace) -> dict[str, NamedPair]:
    """List the pairs by the names of their rows; a second one of a name is refused in a row of its own."""
    programs = [read_converter(text) for text in arguments.convert]
    names = [program.name for program in programs]
    if len({*names}) < len(names):
        raise MbconcordError(error(OPTION, f"two of {', '.join(names)} have one name", "name them: NAME=COMMAND"))
    if programs and arguments.b is not None:
        raise MbconcordError(error(OPTION, f"found {arguments.b}, too: it makes B of A", "leave one of them out"))
    if arguments.pairs and arguments.a is not None:
        raise MbconcordError(error("--pairs", f"found {arguments.a}, too", "leave one of them out"))
    if arguments.pairs:
        pairs = list(_read_table(arguments.pairs, ("a",) if programs else ("a", "b")))
    else:
        pairs = list(_pair_files(arguments.a, arguments.b))
    if programs:
        pairs = [replace(pair, converter=p.name, program=p) for p in programs for pair in pairs]
    found: dict[str, NamedPair] = {}
    for pair in pairs:
        name = f"{pair.robot} by {pair.converter}" if pair.converter else pair.robot
        if name in found:
            refused = pair.refused or f"an earlier row is named {name}: name each robot once"
            mark = next(mark for n in count(2) if name + (mark := f" ({n})") not in found)
            name, pair = name + mark, replace(pair, robot=pair.robot + mark, refused=refused)
        found[name] = pair
    return found


def _read_table(file: str, needed: Sequence[str]) -> Iterable[NamedPair]:
    """Read a table of pairs; where a converter makes B there is no column of it."""
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
        robot = cells.get("robot") or (_stem(a) if a else f"line {line}")
        yield NamedPair(robot, a, b, cells.get("converter") or "", refused=refused)


def _pair_files(a: str, b: str | None) -> Iterable[NamedPair]:
    """Pair two files, the files of two folders by their names without suffixes, or list what is to be converted."""
    if b is not None and not (_is_folder(a) and _is_folder(b)):
        yield NamedPair(_stem(a), a, b)
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
        found.setdefault(_stem(file), []).append(file)
    return found


def _stem(file: str) -> str:
    """Return a model's name: its file's without the suffix of the format, or that of the folder that it is."""
    format, path = registry.by_suffix(file), Path(file)
    fitting = [s for s in format.suffixes if path.name.lower().endswith(s)] if format else []
    suffix = max(fitting, key=len, default=path.suffix)
    return path.name[: -len(suffix)] if suffix and path.name[: -len(suffix)] else path.parent.name
