"""Standard streams: control characters are shown, not executed, and failed writes are errors of their own."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO

# Signs that a stream's code page does not have, by others that are read alike: ``<=`` for ≤, ``^2`` for ².


NAME: Final = "mbconcord-plain"
_SIGNS: Final = {
    "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+-", "×": "x", "·": "*", "−": "-", "–": "-", "—": "-", "…": "...",
    "√": "sqrt", "∂": "d", "∞": "inf", "°": " deg", "²": "^2", "³": "^3", "⁴": "^4", "ᵀ": "^T", "′": "'", "″": '"',
    "’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "№": "No.", "→": "->", "µ": "u", "\u00a0": " ",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "eps", "θ": "theta", "λ": "lambda", "μ": "mu",
    "π": "pi", "ρ": "rho", "τ": "tau", "φ": "phi", "ψ": "psi", "ω": "omega", "Λ": "Lambda", "Π": "Pi", "Σ": "Sum",
}  # fmt: skip
#: Russian letters as they are commonly written in Latin ones.
_RUSSIAN: Final = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "yo", "ж": "zh", "з": "z", "и": "i", "й": "y",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "'", "ы": "y", "ь": "'", "э": "e", "ю": "yu",
    "я": "ya",
}  # fmt: skip


def _replace(problem: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error: return a substitute of the character, or its code as an escape."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    sign = problem.object[problem.start]
    end = problem.start + 1
    substitute = _SIGNS.get(sign) or _letter(sign)
    if substitute is None:
        code = ord(sign)
        substitute = f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return substitute, end


def _letter(sign: str) -> str | None:
    """Transliterate a Russian letter to Latin ones; None for another character."""
    lower = sign.lower()
    if lower not in _RUSSIAN:
        return None
    found = _RUSSIAN[lower]
    return found if sign == lower else found.capitalize()


def register() -> str:
    """Register the handler of encoding errors, and return its name."""
    codecs.register_error(NAME, _replace)
    return NAME


#: Characters that steer a terminal or hide what stands there: C0 but for tab and line end, DEL, C1, what turns the
#: direction of writing, line ends of Unicode; each as an escape that shows it.
_STEERING = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
SHOWN = {c: f"\\x{c:02x}" if c < 256 else f"\\u{c:04x}" for c in _STEERING if chr(c) not in "\t\n"}


class OutputError(Exception):
    """Error of writing to standard output: it is full, closed, or a pipe without reader (``broken``)."""

    def __init__(self, problem: OSError | ValueError) -> None:
        super().__init__(getattr(problem, "strerror", None) or str(problem))
        self.broken = isinstance(problem, BrokenPipeError)


class Shown(io.TextIOBase):
    """A text stream that writes control characters as escapes to the stream ``raw``; None: that is closed.

    A failed write raises :class:`OutputError`, but is ignored if the stream is ``lenient``: then messages are lost,
    but not the exit code.

    Attributes
    ----------
    coloured : True if verdicts are in colour
    width : columns of the screen; None without a screen
    before : function that is called before each write
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
            self._fail(ValueError("it is closed"))
        else:
            try:
                self.raw.write(text)
            except (OSError, ValueError) as problem:
                self._fail(problem)
        return len(text)

    def write_bytes(self, data: bytes) -> None:
        """Write the bytes of a file unchanged, or as text if the stream takes no bytes."""
        buffer = getattr(self.raw, "buffer", None)
        if buffer is None:
            self.write_exactly(data.decode("utf-8", "backslashreplace"))
            return
        self.flush()
        try:
            buffer.write(data)
        except (OSError, ValueError) as problem:
            self._fail(problem)

    def flush(self) -> None:
        """Flush the stream below."""
        if self.raw is not None:
            try:
                self.raw.flush()
            except (OSError, ValueError) as problem:
                self._fail(problem)

    def isatty(self) -> bool:
        """Return True if the stream is a terminal."""
        return self.raw is not None and self.raw.isatty()

    def _fail(self, problem: OSError | ValueError) -> None:
        if self.raw is not None:
            _drop(self.raw)
        if not self.lenient:
            raise OutputError(problem) from None


def _drop(stream: TextIO) -> None:
    """Redirect a stream to nowhere: else the interpreter writes its remaining text at exit, which fails again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def show_control_characters() -> Iterator[None]:
    """Replace standard output and standard error by :class:`Shown` streams for the duration of the context."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=register())
    streams: tuple[Any, Any] = Shown(sys.stdout, lenient=False), Shown(sys.stderr, lenient=True)
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def put(text: str, data: bytes | None = None) -> None:
    """Write a file to standard output: as text on a terminal, else its bytes, which are ``data`` if not UTF-8."""
    stream = sys.stdout
    if not isinstance(stream, Shown) or stream.isatty():
        stream.write(text)
    else:
        stream.write_bytes(text.encode("utf-8", "backslashreplace") if data is None else data)
