"""Findings about a table, in the language of its headers."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location, ReadError, Severity

from .columns import Language

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
