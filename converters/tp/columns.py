"""The columns of a table by name, in the language of the paper or in English."""

from __future__ import annotations

import json
import re
import unicodedata
from importlib.resources import files
from itertools import islice
from typing import Final, Literal

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location, ReadError, Severity
from mbconcord.records import dataclass

Language = Literal["ru", "en"]

ARMS: Final = ("R_x", "R_y", "R_z")
CENTRES: Final = ("c_x", "c_y", "c_z")
MOMENTS: Final = ("I_xx", "I_yy", "I_zz", "I_xy", "I_xz", "I_yz")
#: The paper's own columns; all but the first two must be there.
PAPER: Final = ("i", "i-1", "КП", "q", "d", "x", "y", "z")
REQUIRED: Final = PAPER[2:]
#: Columns of the extended table, in order. ``m_i``, ``d_i`` and ``q0`` are optional beside the others.
EXTENDED: Final = (*PAPER, "m_o", *ARMS, *CENTRES, *MOMENTS)
KNOWN: Final = (*EXTENDED, "m_i", "d_i", "q0")
#: What the row of gravity begins with, and the name of its magnitude where that has no value.
GRAVITY: Final = "g"

_ENGLISH: Final = {
    "i": "body", "i-1": "base", "КП": "joint", "q": "axis", "d": "cg",
    "m_o": "own_mass", "m_i": "mass", "d_i": "cg_distance",
}  # fmt: skip
_LATIN_LOOK_ALIKES: Final = str.maketrans("BKPHABCEMOTXaceopx", "ВКРНАВСЕМОТХасеорх")
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_JOINTS: Final = {
    "ВКП": "rotation", "R": "rotation", "REVOLUTE": "rotation",
    "ПКП": "translation", "P": "translation", "PRISMATIC": "translation",
}  # fmt: skip


@dataclass(frozen=True)
class TpHeading:
    """A column's key, or None for an unknown name, and the language in which its name is written."""

    key: str | None
    language: Language | None


def plain(text: str) -> str:
    """Normalize a cell's dashes, and strip blanks."""
    return unicodedata.normalize("NFKC", text.replace("\N{NO-BREAK SPACE}", " ")).translate(_DASHES).strip()


def heading(text: str) -> TpHeading:
    """Return the key and the language of a header cell."""
    name = re.sub(r"\s+", "", plain(text))
    for key, english in _ENGLISH.items():
        if name.lower() == english:
            return TpHeading(key, "en")
    if name.upper().translate(_LATIN_LOOK_ALIKES) in ("КП", "КР"):
        return TpHeading("КП", "ru")
    for key in KNOWN:
        if name in (key, key.replace("_", "")):
            return TpHeading(key, "ru" if key in _ENGLISH else None)
    return TpHeading(None, None)


def word(key: str, language: Language) -> str:
    """Return the name of a column in a language."""
    return _ENGLISH.get(key, key) if language == "en" else key


def joint_kind(text: str) -> str | None:
    """Return ``rotation`` for ВКП, ``translation`` for ПКП (Latin look-alikes are accepted), or None."""
    name = plain(text).upper()
    return _JOINTS.get(name) or _JOINTS.get(name.translate(_LATIN_LOOK_ALIKES))


def joint_word(kind: str, language: Language) -> str:
    """Return the name of a kind of joint in a language."""
    if language == "ru":
        return "ВКП" if kind == "rotation" else "ПКП"
    return "R" if kind == "rotation" else "P"


def is_gravity(cell: str) -> bool:
    """Return True if a row that begins with this cell is that of gravity."""
    return plain(cell) == GRAVITY


def looks_like_a_table(head: str) -> bool:
    """Return True if a text begins with the header of a table, optionally after a row of gravity."""
    lines = (line for line in head.lstrip("\ufeff").splitlines() if line.strip())
    for line in islice(lines, 2):
        cells = [cell.strip('"') for cell in re.split(r"[;,\t]", line)]
        if {"КП", "q", "d"} <= {heading(cell).key for cell in cells}:
            return True
        if not is_gravity(cells[0]):
            break
    return False


#: key -> language -> (message, remedy)
TEXTS: Final[dict[str, dict[Language, tuple[str, str]]]] = json.loads(
    (files(__package__) / "messages.json").read_text(encoding="utf-8")
)


def format_message(language: Language, key: str, **values: object) -> tuple[str, str]:
    """Return message and remedy in a language."""
    message, remedy = TEXTS[key][language]
    return message.format(**values), remedy.format(**values)


class Messages(Findings):
    """Findings about one table, in the language of its headers."""

    def __init__(self, file: str, language: Language) -> None:
        super().__init__(file)
        self.language = language

    def text(self, key: str, **values: object) -> str:
        """Return the text of a key, a piece of another message."""
        return format_message(self.language, key, **values)[0]

    def wrong(self, key: str, line: int, column: int, /, **values: object) -> None:
        """Record an error at a line and column of the file."""
        self.refuse(Location(self.file, line, column), *format_message(self.language, key, **values))

    def stop(self) -> None:
        """Raise the errors in the order in which they were found: the first may cause others in earlier lines."""
        if self.errors:
            raise ReadError(self.errors)

    def say(self, severity: Severity, key: str, line: int, column: int, place: str = "", /, **values: object) -> None:
        """Record a warning or note."""
        message, remedy = format_message(self.language, key, **values)
        self.remark(severity, "", Location(self.file, line, column), message, remedy, place)
