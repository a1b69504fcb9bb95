"""Options of many pairs of models, and which pairs they name: a table, two folders, files that a program converts."""

from __future__ import annotations

import argparse
from typing import Final

from mbconcord.api.pairs import NamedPair, is_folder, name_rows, pair_files, read_pairs
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.records import replace

from ..io.converter import OPTION, read_converter
from .numbers import add_jobs, whole
from .shared import Instead

#: Seconds after which a converter is ended.
CONVERT_SECONDS: Final = 60


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Add arguments for two files or folders, and options that name pairs in their place."""
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
    """Return True if the arguments name many pairs (a table, a converter, a folder), or a report is wanted."""
    return bool(arguments.pairs or arguments.convert or arguments.report) or is_folder(arguments.a)


def list_pairs(arguments: argparse.Namespace) -> dict[str, NamedPair]:
    """Map names of rows to pairs of models; a second pair with the same name becomes a row with an error."""
    programs = [read_converter(text) for text in arguments.convert]
    names = [program.name for program in programs]
    if len({*names}) < len(names):
        raise MbconcordError(error(OPTION, f"two of {', '.join(names)} have one name", "name them: NAME=COMMAND"))
    if arguments.pairs and arguments.a is not None and is_folder(arguments.pairs):  # compare --pairs FOLDER FOLDER
        arguments.pairs, arguments.a, arguments.b = None, arguments.pairs, arguments.a
    if programs and arguments.b is not None:
        raise MbconcordError(error(OPTION, f"found {arguments.b}, too: it makes B of A", "leave one of them out"))
    if arguments.pairs and arguments.a is not None:
        raise MbconcordError(error("--pairs", f"found {arguments.a}, too", "leave one of them out"))
    if arguments.pairs:
        pairs = list(read_pairs(arguments.pairs, ("a",) if programs else ("a", "b")))
    else:
        pairs = list(pair_files(arguments.a, arguments.b))
    if programs:
        pairs = [replace(pair, converter=p.name) for p in programs for pair in pairs]
    return name_rows(pairs)
