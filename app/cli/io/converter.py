"""Converters of others: a command line with ``{in}`` and ``{out}``, run under limits."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

from mbconcord.converters.xacro import last_lines, run_limited
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import FILE_BYTES, read_within, too_many
from mbconcord.records import dataclass

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
