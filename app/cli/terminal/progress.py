"""Where a long run is: one line on standard error that is wiped before anything else is written."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mbconcord.validation.progress import told

from ..io.streams import SHOWN, Shown

_WIPE: Final = "\r\x1b[K"


class Line:
    """The line, what is innermost first: ``claim 2 of 6: fields, model 3 of 63: arm.mbsd``."""

    def __init__(self, stream: Shown) -> None:
        self.stream = stream
        self.parts: dict[str, str] = {}
        self.there = False

    def __call__(self, what: str, number: int, of: int, name: str) -> None:
        """Tell which one of how many is begun; of none: it is over."""
        self.parts.pop(what, None)
        if of:
            self.parts[what] = f"{what} {number} of {of}: {name}" if of > 1 else f"{what} {name}"
        text = ", ".join(reversed(self.parts.values())).translate(SHOWN).replace("\n", " ")
        self._put(_WIPE + text[: shutil.get_terminal_size().columns - 1])
        self.there = bool(text)

    def wipe(self) -> None:
        """Take it away."""
        if self.there:
            self.there = False
            self._put(_WIPE)

    def _put(self, text: str) -> None:
        before, self.stream.before = self.stream.before, None
        self.stream.write_exactly(text)
        self.stream.flush()
        self.stream.before = before


@contextmanager
def progress(quiet: bool) -> Iterator[None]:
    """Inside, what counts tells where it is; nothing unless standard error is a terminal that can wipe a line."""
    stream = sys.stderr
    if quiet or not isinstance(stream, Shown) or not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    line = Line(stream)
    both = [s for s in (sys.stdout, sys.stderr) if isinstance(s, Shown)]
    for one in both:
        one.before = line.wipe
    try:
        with told(line):
            yield
    finally:
        line.wipe()
        for one in both:
            one.before = None
