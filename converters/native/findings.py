"""What is wrong with a text, collected while it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from mbconcord.converters import findings
from mbconcord.converters.json_text import JsonText, Value
from mbconcord.model.diagnostics import Diagnostic

#: What ``read`` returns for a value that is wrong.
WRONG: Final = object()


class Findings(findings.Findings):
    """What is wrong with a JSON text, by its values."""

    def __init__(self, source: JsonText) -> None:
        super().__init__(source.file)
        self.source = source

    def wrong(self, place: str, value: Value, message: str, remedy: str = "") -> Any:
        """Record an error at a value; returns ``WRONG``."""
        self.refuse(self.source.location(value.offset), message, remedy, place)
        return WRONG

    def expected(self, place: str, value: Value, what: str) -> Any:
        """Record that something else than ``what`` was found; returns ``WRONG``."""
        return self.wrong(place, value, f"found {value.kind}; expected {what}")

    def inside(self, place: str, finding: Diagnostic) -> None:
        """Record what the model says of itself, at a place inside of which it counts places."""
        self.errors.append(self.placed(replace(finding, place=joined(place, finding.place))))


def joined(path: str, place: str) -> str:
    """A place inside a place; names that end the one and begin the other stand once."""
    outer, inner = path.split("/"), place.split("/")
    overlap = next((k for k in range(len(inner), 0, -1) if outer[-k:] == inner[:k]), 0)
    return "/".join(filter(None, (*outer, *inner[overlap:])))
