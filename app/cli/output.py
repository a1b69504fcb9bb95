"""Output of every command: JSON, complaints, files."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from mbconcord.api.files import write
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, MbconcordError, Severity, WriteError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.reports.part import dumps
from mbconcord.reports.summary import remarks
from mbconcord.witnessed import list_head

from .io.streams import SHOWN, Shown, put
from .terminal.screen import paint

# Tables on a screen that is narrower than they are: each row becomes a few lines, ``header: cell`` after its name.


#: The line below the headers, which shows how wide each column is.
_RULE = re.compile(r" *-+(?:  -+)+$")


def narrow(text: str, width: int) -> str:
    """Return a text in which tables wider than the screen are written as lists of cells."""
    return "\n".join(_lines(text.split("\n"), width))


def _lines(lines: Sequence[str], width: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        rule = lines[at + 1] if at + 1 < len(lines) else ""
        end = _end(lines, at) if _RULE.match(rule) else at
        if max(map(len, lines[at:end]), default=0) > width:
            columns = [match.span() for match in re.finditer("-+", rule)]
            headers, _, *rows = (_cells(line, columns) for line in lines[at:end])
            for row in rows:
                yield from _row(headers, row, columns[0][0], width)
        else:
            end = max(end, at + 1)
            yield from lines[at:end]
        at = end


def _end(lines: Sequence[str], at: int) -> int:
    """Return the index after the last line of the table that begins at line ``at``: that of the next empty line."""
    return next((i for i in range(at + 2, len(lines)) if not lines[i].strip()), len(lines))


def _cells(line: str, columns: Sequence[tuple[int, int]]) -> list[str]:
    starts = [start for start, _ in columns]
    ends = [*starts[1:], None]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _row(headers: Sequence[str], cells: Sequence[str], indent: int, width: int) -> Iterator[str]:
    said = [f"{header}: {cell}" if header else cell for header, cell in zip(headers[1:], cells[1:]) if cell]
    yield " " * indent + cells[0]
    inner = " " * (indent + 2)
    yield from textwrap.wrap("; ".join(said), max(width, 20), initial_indent=inner, subsequent_indent=inner)


#: What is told at least of findings: all of them, or those of this severity and worse.
_RANKS: dict[Severity, int] = {"note": 0, "warning": 1, "error": 2}


def print_json(value: Any) -> str:
    """Print a JSON value on one line, floats with all digits that distinguish them; return the text."""
    print_json_text(text := dumps(value))
    return text


def print_json_text(text: str) -> None:
    """Print a JSON text on standard output, never with colours; escape characters that its code page may lack."""
    encoding = getattr(getattr(sys.stdout, "raw", sys.stdout), "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") != "utf8":
        text = re.sub(r"[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], text)
    print(text)


def say(text: str = "", error: bool = False) -> None:
    """Print a text on standard output or standard error: verdicts in colour, tables as wide as the screen."""
    stream: Any = sys.stderr if error else sys.stdout
    if not isinstance(stream, Shown):
        print(text, file=stream)
        return
    shown = text.translate(SHOWN)
    if stream.width is not None:
        shown = narrow(shown, stream.width)
    stream.write_exactly((paint(shown) if stream.coloured else shown) + "\n")


def capture(show: Callable[[], object]) -> str:
    """Return the text that a function prints on standard output, so that it can be checked before it is shown."""
    with redirect_stdout(io.StringIO()) as shown:
        show()
    return shown.getvalue().removesuffix("\n")


def with_head(text: str, head: Iterable[str]) -> str:
    """Return a text with the lines of :func:`mbconcord.witnessed.list_head` added to its first paragraph.

    Raises
    ------
    ValueError
        A part of the text, which has been checked already, would be lost.
    """
    lines = [*head]
    first, blank, rest = text.partition("\n\n")
    found = "\n".join((first, *lines)) + blank + rest
    if not (found.startswith(first) and found.endswith(rest) and len(found) >= len(text) + sum(map(len, lines))):
        raise ValueError("a part of the text is lost below its head")
    return found


def say_head(verb: str, fields: Iterable[str], judged: Iterable[Any] = (), witnesses: bool = True) -> None:
    """Print the assumptions under which numbers of a command hold, and the names of unchecked numbers."""
    for line in list_head(verb, fields, judged, witnesses):
        say(line)


def add_detail(parser: argparse.ArgumentParser, quiet: str, verbose: str) -> None:
    """Add the options ``--quiet`` and ``--verbose``, with these texts of help."""
    detail = parser.add_mutually_exclusive_group()
    detail.add_argument("-q", "--quiet", action="store_true", help=quiet)
    detail.add_argument("-v", "--verbose", action="count", default=0, help=verbose)


def add_quiet(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option for less output, for a command that prints everything by default."""
    parser.add_argument("-q", "--quiet", action="store_true", help=what)


def least(arguments: argparse.Namespace, usual: Severity = "warning") -> Severity:
    """Return the least severity to report: error with --quiet, note with --verbose."""
    return "error" if arguments.quiet else "note" if arguments.verbose else usual


def is_ours(problem: Exception) -> bool:
    """Return True if an error is about the user's input, in the project's own words."""
    return isinstance(problem, (MbconcordError, ExpressionError))


def is_disagreement(problem: Exception) -> bool:
    """Return whether an error reports that two computations of the same numbers disagree."""
    return isinstance(problem, DisagreementError)


def complain(problem: Exception) -> None:
    """Print the findings of an error on standard error, one per line."""
    if isinstance(problem, MbconcordError):
        tell(problem.diagnostics)
    else:
        say(f"error: {problem}", error=True)


def tell(findings: Iterable[Diagnostic], least: Severity = "note") -> None:
    """Print findings of that severity or worse on standard error, one per line."""
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
    """Raise if a file of this name evidently cannot be written.

    Raises
    ------
    WriteError
        The folder of the file is missing or not writable, or the name is that of a folder.
    """
    path = Path(file)
    if file == "-":
        return
    if path.is_dir():
        raise WriteError(error(str(file), "a folder", "name a file"))
    if not path.parent.is_dir():
        raise WriteError(error(str(file), f"there is no folder {path.parent}", "make it, or name another"))
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise WriteError(error(str(file), "Permission denied", "name a file that can be written"))


# Protection of input: no command overwrites a file that it reads, under any name, unless ``--force`` is given.


#: Subfolders of a model's folder that are read too.
INSIDE = ("C", "c")


def add_force(parser: argparse.ArgumentParser, also: str = "") -> None:
    """Add the option that permits writing a refused output; ``also`` names further effects."""
    parser.add_argument("--force", action="store_true", help=f"write onto a file that is read, too{also}")


def require_other(out: str, inputs: Iterable[str | None], force: bool | None = None) -> None:
    """Raise if an output is an input or a file in a folder that is read, unless ``force``; None: there is no --force.

    Links, other spellings of a path and standard input count as the file that they lead to.

    Raises
    ------
    WriteError
        The output is such a file, and ``force`` is not set.
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
    """Yield the status of the file of an input, or of all files of a folder."""
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
