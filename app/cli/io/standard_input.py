"""What standard input holds."""

from __future__ import annotations

import sys

from mbconcord.converters.registry import all_of
from mbconcord.model.diagnostics import ReadError, error

STANDARD_INPUT = "-"


def read_standard_input() -> bytes:
    """All bytes of standard input.

    Raises
    ------
    ReadError
        It is closed, cannot be read, or holds more than the limit of a file.
    """
    if sys.stdin is None:
        raise ReadError(error("", "standard input is closed", "name a file, or send one"))
    try:
        return all_of(sys.stdin.buffer, STANDARD_INPUT)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error("", f"standard input: {reason}", "name a file, or send one")) from None
