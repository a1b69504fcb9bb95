"""Verdicts and severities in colour, where a person reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Choice = Literal["auto", "always", "never"]
CHOICES: Final[tuple[Choice, ...]] = ("auto", "always", "never")

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


def wanted(choice: Choice, terminal: bool, environment: Mapping[str, str]) -> bool:
    """Whether a stream has colours: as the option says, NO_COLOR, FORCE_COLOR; else on a terminal that is not dumb."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and environment.get("TERM") != "dumb"


def painted(text: str) -> str:
    """The text with colours (SGR sequences) around verdicts and severities."""
    return _WORD.sub(lambda found: f"\x1b[{_STYLES[found[0]]}m{found[0]}\x1b[0m", text)
