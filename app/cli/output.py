"""What every command prints and writes: JSON, complaints, files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mbconcord.model.diagnostics import Diagnostic, MbconcordError, WriteError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.reports.as_json import dumps
from mbconcord.reports.diagnostics import remarks

from .io.files import replace_file
from .io.streams import put


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output; floats with all the digits that tell them apart."""
    print(dumps(value))


def is_ours(problem: Exception) -> bool:
    """Whether an error is about the user's input, said in the project's own words."""
    return isinstance(problem, (MbconcordError, ExpressionError))


def complain(problem: Exception) -> None:
    """The findings of an error on standard error, one per line."""
    if isinstance(problem, MbconcordError):
        tell(problem.diagnostics)
    else:
        print(f"error: {problem}", file=sys.stderr)


def tell(findings: Iterable[Diagnostic]) -> None:
    """Findings on standard error, one per line."""
    for line in remarks(findings):
        print(line.replace("\n", "\n  "), file=sys.stderr)


def write_file(file: str, text: str, data: bytes | None = None) -> None:
    """Write a text to a file, or to standard output for ``-``; a file is replaced in one step or not at all.

    ``data`` are the bytes of the file where they are not the text in UTF-8.

    Raises
    ------
    WriteError
        The file cannot be written.
    """
    if file == "-":
        put(text, data)
        return
    try:
        replace_file(Path(file), text.encode("utf-8") if data is None else data)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise WriteError(error("", f"{file}: {reason}", "name a file that can be written")) from None


def require_writable(file: str) -> None:
    """Nothing when a file of this name can be written, as far as can be told without writing it.

    Raises
    ------
    WriteError
        Its folder is not there or takes no files, or the name is a folder's.
    """
    path = Path(file)
    if file == "-":
        return
    if path.is_dir():
        raise WriteError(error("", f"{file}: a folder", "name a file"))
    if not path.parent.is_dir():
        raise WriteError(error("", f"{file}: there is no folder {path.parent}", "make it, or name another"))
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise WriteError(error("", f"{file}: Permission denied", "name a file that can be written"))
