"""The texts with a second reading, and that reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from .machine import At, SecondMachine, UnreadError

#: Formats and the modules that read them, each imported when a text is of its format.
READERS: Final[Mapping[str, str]] = {
    "mbsd": "mbsd", "tp": "tp", "um": "um", "urdf": "robots.urdf", "sdf": "robots.sdf", "mjcf": "robots.mjcf",
}  # fmt: skip


def machine(text: str, format: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state.

    Raises
    ------
    UnreadError
        The format has no second reading, or the text contains something unknown to it.
    """
    if format not in READERS:
        raise UnreadError(f"texts of {format}, which have no second reading")
    read: Callable[[str, At], SecondMachine] = import_module(f"{__package__}.{READERS[format]}").read
    try:
        return read(text, at)
    except (ArithmeticError, AssertionError, LookupError, RecursionError, TypeError, ValueError) as problem:
        raise UnreadError(f"this text: {type(problem).__name__}: {problem}") from None
