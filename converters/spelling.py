"""How a text stands in a file: its code page and its line ends.

A model that is read from a file says so, as omissions without effect on the motion, where they are not UTF-8 and LF:
a format that can write them does, for another they are losses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mbconcord.model.omission import Omission
from mbconcord.model.system import System

#: Kinds of omissions.
ENCODING, LINE_END = "encoding", "line-end"
UTF8: Final = "utf-8"
#: Line ends by the words for them; those of a file with several are ``mixed``.
NEWLINES: Final = {"CR LF": "\r\n"}
MIXED: Final = "mixed"


def of_encoding(encoding: str) -> tuple[Omission, ...]:
    """What a model says of the code page of its file: nothing where it is UTF-8."""
    return () if encoding == UTF8 else (Omission(f"file/{ENCODING}", ENCODING, encoding, "none"),)


def with_line_feeds(text: str) -> tuple[str, tuple[Omission, ...]]:
    """The text with LF at the ends of its lines, and what a model says of them; a text with several stays as it is."""
    if "\r" not in text:
        return text, ()
    alike = text.count("\r\n") == text.count("\n") == text.count("\r")
    said = Omission(f"file/{LINE_END}", LINE_END, "CR LF" if alike else MIXED, "none")
    return (text.replace("\r\n", "\n") if alike else text), (said,)


def spelled(system: System, said: Iterable[Omission]) -> System:
    """The model that says how its file is spelled; what the file says itself of another file stands."""
    known = {omission.kind for omission in system.omissions}
    new = tuple(omission for omission in said if omission.kind not in known)
    return replace(system, omissions=(*system.omissions, *new)) if new else system


def encoding(system: System) -> str:
    """The code page of the file that a model was read from."""
    return next((o.what for o in system.omissions if o.kind == ENCODING), UTF8)


def newline(system: System) -> str:
    """The line end of the file that a model was read from; LF where there were several."""
    return NEWLINES.get(next((o.what for o in system.omissions if o.kind == LINE_END), ""), "\n")
