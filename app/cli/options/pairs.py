"""Options of many pairs of models, and which pairs they name: a table, two folders, files that a program converts.

Converters of others: a command line with ``{in}`` and ``{out}``, run under limits.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

from mbconcord.api.pairs import NamedPair, is_folder, name_rows, pair_files, read_pairs
from mbconcord.converters.xacro import last_lines, run_limited
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import FILE_BYTES, read_within, too_many
from mbconcord.records import dataclass, replace

from .numbers import add_jobs, whole
from .shared import Instead

OPTION: Final = "--convert"
EXAMPLE: Final = f'for example {OPTION} "urdf2mjcf {{in}} {{out}}.xml"'
#: Bytes of addresses, and of each file that it writes.
MEMORY, BYTES = 4 << 30, 1 << 30
_NAMED: Final = re.compile(r"(\w[\w.+-]*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Converter:
    """A program that converts a file to another: its name, and the words of its command line."""

    name: str
    words: tuple[str, ...]


def read_converter(text: str) -> Converter:
    """Parse a converter: ``NAME=COMMAND``, or ``COMMAND`` alone, whose program gives the name.

    Raises
    ------
    MbconcordError
        The text is no command line, or lacks ``{in}`` or ``{out}``.
    """
    named = _NAMED.match(text.strip())
    name, command = named.groups() if named else ("", text)
    try:
        words = tuple(shlex.split(command))
    except ValueError as problem:
        raise MbconcordError(error(OPTION, f"{command}: {problem}", EXAMPLE)) from None
    lacking = [place for place in ("{in}", "{out}") if not any(place in word for word in words)]
    if lacking:
        raise MbconcordError(error(OPTION, f"found {text!r} without {' and '.join(lacking)}", EXAMPLE))
    return Converter(name or Path(words[0]).stem, words)


def convert_file(converter: Converter, file: str, folder: Path, seconds: int) -> str:
    """Empty the folder, run a converter that writes into it, and return the path of the written file.

    Raises
    ------
    ReadError
        The program is missing, fails, takes too long, changes the file that it reads, or does not write the expected
        file.
    """
    before, program = _digest(file), shutil.which(converter.words[0])
    if program is None:
        raise _failure(converter, f"there is no program {converter.words[0]}", "install it, or write its path")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stem = str(folder.resolve() / (Path(file).name.lstrip(".").partition(".")[0] or "model"))
    places = {"{in}": str(Path(file).resolve()), "{out}": stem}
    command = [re.sub("{in}|{out}", lambda place: places[place[0]], word) for word in converter.words]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        code = run_limited([os.path.abspath(program), *command[1:]], (seconds, MEMORY, BYTES), out, said)  # noqa: PTH100
        own = (folder.resolve(), Path(file).resolve().parent)
        words = last_lines(said, own) or last_lines(out, own)
    if code is None or code == -getattr(signal, "SIGXCPU", 0):
        raise _failure(converter, f"took more than {seconds} s", "give it more: --convert-seconds")
    if code:
        how = f"is ended by signal {-code}" if code < 0 else f"ends with exit code {code}"
        raise _failure(converter, f"{how}: {words or 'it says nothing'}")
    if _digest(file) != before:
        raise _failure(converter, f"changed {file}, which it was to read", "restore it")
    word = next(word for word in converter.words if "{out}" in word)
    expected = Path(stem + word.partition("{out}")[2])
    if not expected.is_file():
        there = ", ".join(sorted(path.name for path in folder.rglob("*") if path.is_file())) or "nothing"
        raise _failure(
            converter, f"wrote {there}, expected {expected.name}", "write {out} with the suffix that it takes"
        )
    return os.path.relpath(expected)


def _digest(file: str) -> bytes:
    try:
        data = read_within(file)
    except OSError as problem:
        raise ReadError(error(str(file), f"{problem.strerror}", "name a file that is there")) from None
    if data is None:
        raise ReadError(error(str(file), f"{too_many('more', 'bytes', FILE_BYTES)}", "name a model"))
    return sha256(data).digest()


def _failure(converter: Converter, message: str, remedy: str = "") -> ReadError:
    return ReadError(error("", f"{converter.name} {message}", remedy))


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
