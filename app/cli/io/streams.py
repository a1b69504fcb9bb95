"""Standard streams: control characters are shown and not obeyed, and what cannot be written is a refusal of its own."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from ..terminal import plain

#: Characters that steer a terminal or hide what stands there: C0 but for tab and line end, DEL, C1, what turns the
#: direction of writing, line ends of Unicode; each as an escape that shows it.
_STEERING = [
    *range(0x20),
    *range(0x7F, 0xA0),
    0x61C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
]
SHOWN = {c: f"\\x{c:02x}" if c < 256 else f"\\u{c:04x}" for c in _STEERING if chr(c) not in "\t\n"}


class OutputError(Exception):
    """Standard output takes nothing: it is full, closed, or a pipe that nobody reads (``broken``)."""

    def __init__(self, problem: OSError | ValueError) -> None:
        super().__init__(getattr(problem, "strerror", None) or str(problem))
        self.broken = isinstance(problem, BrokenPipeError)


class Shown(io.TextIOBase):
    """A text stream on which control characters are shown. ``raw`` is the stream itself; None: it is closed.

    What cannot be written is an :class:`OutputError`, or nothing where the stream is ``lenient``: when messages cannot
    be told, the exit code still is.

    Attributes
    ----------
    coloured : whether verdicts are in colour
    width : columns of the screen; None where it is none
    before : called before anything is written
    """

    def __init__(self, raw: TextIO | None, lenient: bool) -> None:
        self.raw = raw
        self.lenient = lenient
        self.coloured = False
        self.width: int | None = None
        self.before: Callable[[], None] | None = None

    def write(self, text: str) -> int:
        """Write a text, its control characters as escapes."""
        return self.write_exactly(text.translate(SHOWN))

    def write_exactly(self, text: str) -> int:
        """Write a text as it is."""
        if self.before is not None:
            self.before()
        if self.raw is None:
            self._failed(ValueError("it is closed"))
        else:
            try:
                self.raw.write(text)
            except (OSError, ValueError) as problem:
                self._failed(problem)
        return len(text)

    def write_bytes(self, data: bytes) -> None:
        """Write the bytes of a file, where the stream takes bytes."""
        buffer = getattr(self.raw, "buffer", None)
        if buffer is None:
            self.write_exactly(data.decode("utf-8", "backslashreplace"))
            return
        self.flush()
        try:
            buffer.write(data)
        except (OSError, ValueError) as problem:
            self._failed(problem)

    def flush(self) -> None:
        """Hand on what was written."""
        if self.raw is not None:
            try:
                self.raw.flush()
            except (OSError, ValueError) as problem:
                self._failed(problem)

    def isatty(self) -> bool:
        """Whether a person reads it."""
        return self.raw is not None and self.raw.isatty()

    def _failed(self, problem: OSError | ValueError) -> None:
        if self.raw is not None:
            _drop(self.raw)
        if not self.lenient:
            raise OutputError(problem) from None


def _drop(stream: TextIO) -> None:
    """Send what a stream still holds nowhere: else the interpreter tries it again at its end, and complains."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def shown() -> Iterator[None]:
    """Standard output and standard error show control characters, and fail as :class:`Shown` says."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=plain.register())
    streams: tuple[Any, Any] = Shown(sys.stdout, lenient=False), Shown(sys.stderr, lenient=True)
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def put(text: str, data: bytes | None = None) -> None:
    """Write a file to standard output: its bytes, but where a person reads it. ``data`` are they, if not UTF-8."""
    stream = sys.stdout
    if not isinstance(stream, Shown) or stream.isatty():
        stream.write(text)
    else:
        stream.write_bytes(text.encode("utf-8", "backslashreplace") if data is None else data)
