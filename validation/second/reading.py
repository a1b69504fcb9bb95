"""Which texts have a second reading, and that reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from . import mbsd, tp, um
from .machine import At, Machine, UnreadError
from .robots import mjcf, sdf, urdf

READERS: Final[Mapping[str, Callable[[str, At], Machine]]] = {
    "mbsd": mbsd.read, "tp": tp.read, "um": um.read, "urdf": urdf.read, "sdf": sdf.read,
    "mjcf": mjcf.read,
}  # fmt: skip


def machine(text: str, format: str, at: At) -> Machine:
    """The machine of a text at a state.

    Raises
    ------
    UnreadError
        The format has no second reading, or something in the text is not known to it.
    """
    if format not in READERS:
        raise UnreadError(f"texts of {format}, which have no second reading")
    try:
        return READERS[format](text, at)
    except (ArithmeticError, AssertionError, LookupError, RecursionError, TypeError, ValueError) as problem:
        raise UnreadError(f"this text: {type(problem).__name__}: {problem}") from None
