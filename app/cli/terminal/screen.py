"""Standard output and standard error while a command runs: their colours, their width, the line of progress."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final

from mbconcord.validation.judge.progress import find_listener, listen

from ..io.streams import SHOWN, Shown

# Verdicts and severities in colour, where a person reads them.


RED, GREEN, YELLOW, DIM = "1;31", "32", "33", "2"
_STYLES: Final = {
    "disagrees": RED, "not the same machine": RED, "error": RED, "NOT MET": RED,
    "not checked": YELLOW, "agrees in part": YELLOW, "agrees after": YELLOW, "agrees without": YELLOW,
    "the same machine after": YELLOW, "the same machine without": YELLOW, "warning": YELLOW,
    "agrees": GREEN, "the same machine": GREEN, "met": GREEN, "note": DIM,
}  # fmt: skip
#: A verdict begins a line, a cell of a table, or what stands after a file's name; a severity has a colon behind it.
_WORD = re.compile(
    r"(?:(?<=^)|(?<=  )|(?<=: ))(?:(?P<severity>error|warning|note)(?=: )"
    rf"|(?P<verdict>{'|'.join(w for w in _STYLES if w not in ('error', 'warning', 'note'))})\b)",
    re.MULTILINE,
)


def wants_colour(terminal: bool, environment: Mapping[str, str]) -> bool:
    """Return True if output is coloured: by NO_COLOR or FORCE_COLOR; else on any terminal that is not dumb."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and environment.get("TERM") != "dumb"


def paint(text: str) -> str:
    """Return a text with its verdicts and severities in colour (SGR sequences)."""
    return _WORD.sub(lambda found: f"\x1b[{_STYLES[found[0]]}m{found[0]}\x1b[0m", text)


# Where a long run is: one line on standard error that is wiped before anything else is written.


_WIPE: Final = "\r\x1b[K"


class Line:
    """The line of progress, innermost first: ``claim 2 of 6: fields, model 3 of 63: arm.mbsd``."""

    def __init__(self, stream: Shown) -> None:
        self.stream = stream
        self.parts: dict[str, str] = {}
        self.there = False

    def __call__(self, what: str, number: int, of: int, name: str) -> None:
        """Show that item ``number`` of ``of`` has begun; if ``of`` is 0, remove this kind of work from the line."""
        self.parts.pop(what, None)
        if of:
            self.parts[what] = f"{what} {number} of {of}: {name}" if of > 1 else f"{what} {name}"
        text = ", ".join(reversed(self.parts.values())).translate(SHOWN).replace("\n", " ")
        self._put(_WIPE + text[: shutil.get_terminal_size().columns - 1])
        self.there = bool(text)

    def wipe(self) -> None:
        """Erase the line of progress."""
        if self.there:
            self.there = False
            self._put(_WIPE)

    def _put(self, text: str) -> None:
        before, self.stream.before = self.stream.before, None
        self.stream.write_exactly(text)
        self.stream.flush()
        self.stream.before = before


def print_progress(kinds: Collection[str], what: str, number: int, of: int, name: str) -> None:
    """Print a line on standard error at once if an item is of one of these kinds."""
    if of and what in kinds:
        print(f"{what} {number} of {of}: {name}", file=sys.stderr, flush=True)


@contextmanager
def progress(quiet: bool, kinds: Collection[str] = ()) -> Iterator[None]:
    """Show progress inside the context as one line of a terminal; on other outputs, print lines for these ``kinds``."""
    stream = sys.stderr
    if quiet or not isinstance(stream, Shown) or not stream.isatty() or os.environ.get("TERM") == "dumb":
        with listen(None if quiet else partial(print_progress, kinds) if kinds else find_listener()):
            yield
        return
    line = Line(stream)
    both = [s for s in (sys.stdout, sys.stderr) if isinstance(s, Shown)]
    for one in both:
        one.before = line.wipe
    try:
        with listen(line):
            yield
    finally:
        line.wipe()
        for one in both:
            one.before = None


@contextmanager
def screen(quiet: bool) -> Iterator[None]:
    """Set colours and width of the streams by environment and terminal, and show progress unless ``quiet``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Shown):
            terminal = stream.isatty()
            stream.coloured = wants_colour(terminal, os.environ)
            stream.width = shutil.get_terminal_size().columns if terminal else None
    with progress(quiet):
        yield
