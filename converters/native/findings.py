"""What is wrong with a text, collected while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from mbconcord.model.diagnostics import Diagnostic, Location, error

from .json_text import JsonText, Value

#: What ``read`` returns for a value that is wrong.
WRONG: Final = object()


@dataclass
class Findings:
    """What is wrong with a text, and where every place of the model stands in it."""

    source: JsonText
    errors: list[Diagnostic] = field(default_factory=list)
    locations: dict[str, Location] = field(default_factory=dict)

    def refuse(self, place: str, value: Value, message: str, remedy: str = "") -> Any:
        """Record an error at a value; returns ``WRONG``."""
        self.errors.append(error(place, message, remedy, self.source.location(value.offset)))
        return WRONG

    def expected(self, place: str, value: Value, what: str) -> Any:
        """Record that something else than ``what`` was found; returns ``WRONG``."""
        return self.refuse(place, value, f"found {value.kind}; expected {what}")

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with the location of the nearest place that is known."""
        place = finding.place
        while place and place not in self.locations:
            place = place.rpartition("/")[0]
        return finding.at(self.locations.get(place, self.source.location(0)))


def joined(path: str, place: str) -> str:
    """A place inside a place; names that end the one and begin the other stand once."""
    outer, inner = path.split("/"), place.split("/")
    overlap = next((k for k in range(len(inner), 0, -1) if outer[-k:] == inner[:k]), 0)
    return "/".join(filter(None, (*outer, *inner[overlap:])))
