"""What every command prints and writes: JSON, complaints, files."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mbconcord.api.writing import write
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, Severity, WriteError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.reports.as_json import dumps
from mbconcord.reports.diagnostics import remarks

from .io.streams import SHOWN, Shown, put
from .terminal.colour import painted
from .terminal.narrow import narrowed

#: What is told at least of findings: all of them, or those of this severity and worse.
_RANKS: dict[Severity, int] = {"note": 0, "warning": 1, "error": 2}


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output; floats with all the digits that tell them apart."""
    print_json_text(dumps(value))


def print_json_text(text: str) -> None:
    """A JSON text on standard output, never with colours; in escapes what its code page may not have."""
    encoding = getattr(getattr(sys.stdout, "raw", sys.stdout), "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") != "utf8":
        text = re.sub(r"[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], text)
    print(text)


def say(text: str = "", error: bool = False) -> None:
    """A text on standard output, or on standard error: verdicts in colour, tables as wide as the screen."""
    stream: Any = sys.stderr if error else sys.stdout
    if not isinstance(stream, Shown):
        print(text, file=stream)
        return
    shown = text.translate(SHOWN)
    if stream.width is not None:
        shown = narrowed(shown, stream.width)
    stream.write_exactly((painted(shown) if stream.coloured else shown) + "\n")


def add_detail(parser: argparse.ArgumentParser, quiet: str, verbose: str) -> None:
    """The options that say how much is told: what is folded, and what is unfolded."""
    detail = parser.add_mutually_exclusive_group()
    detail.add_argument("-q", "--quiet", action="store_true", help=quiet)
    detail.add_argument("-v", "--verbose", action="store_true", help=verbose)


def add_quiet(parser: argparse.ArgumentParser, what: str) -> None:
    """The option that says that less is told, of a command that tells all it knows."""
    parser.add_argument("-q", "--quiet", action="store_true", help=what)


def least(arguments: argparse.Namespace, usual: Severity = "warning") -> Severity:
    """From which severity on findings are told: of errors with --quiet, of all with --verbose."""
    return "error" if arguments.quiet else "note" if arguments.verbose else usual


def is_ours(problem: Exception) -> bool:
    """Whether an error is about the user's input, said in the project's own words."""
    return isinstance(problem, (MbconcordError, ExpressionError))


def complain(problem: Exception) -> None:
    """The findings of an error on standard error, one per line."""
    if isinstance(problem, MbconcordError):
        tell(problem.diagnostics)
    else:
        say(f"error: {problem}", error=True)


def tell(findings: Iterable[Diagnostic], least: Severity = "note") -> None:
    """Findings of that severity and worse on standard error, one per line."""
    for line in remarks(d for d in findings if _RANKS[d.severity] >= _RANKS[least]):
        say(line.replace("\n", "\n  "), error=True)


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
    write(Path(file), text.encode("utf-8") if data is None else data)


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
