"""Protection of input: no command overwrites a file that it reads, under any name, unless ``--force`` is given."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from mbconcord.model.diagnostics import WriteError, error

#: Subfolders of a model's folder that are read too.
INSIDE = ("C", "c")


def add_force(parser: argparse.ArgumentParser, also: str = "") -> None:
    """Add the option that permits writing a refused output; ``also`` names further effects."""
    parser.add_argument("--force", action="store_true", help=f"write onto a file that is read, too{also}")


def require_other(out: str, inputs: Iterable[str | None], force: bool | None = None) -> None:
    """Refuse to write onto a file that is read, or onto one of a folder that is; ``force`` None: nothing forces it.

    Links, other spellings of a path and standard input are the file that they lead to.

    Raises
    ------
    WriteError
        It is such a file, and it was not forced.
    """
    path = Path(out)
    if force or out == "-" or not path.is_file():
        return
    target = path.stat()
    for name in inputs:
        if name and any(os.path.samestat(target, found) for found in _files(name)):
            read = "standard input" if name == "-" else name
            remedy = "name another file" if force is None else "name another file, or say --force"
            raise WriteError(error(str(out), f"it is read as {read}, and would be written over", remedy))


def _files(name: str) -> Iterator[os.stat_result]:
    """Yield the files of an input: itself, or those of the folder."""
    try:
        if name == "-":
            yield os.fstat(sys.stdin.fileno())
        elif Path(name).is_dir():
            folders = (Path(name), *(Path(name) / inside for inside in INSIDE))
            yield from (p.stat() for folder in folders if folder.is_dir() for p in folder.iterdir() if p.is_file())
        else:
            yield Path(name).stat()
    except (OSError, ValueError):
        return  # it is not there, which who reads it says
