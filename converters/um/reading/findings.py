"""What is found wrong or worth saying about a file; a kind of remark is made once, however often it applies.

A message ends with the certainty of what it says about UM where that is less than seen in real files: ``[I]``
inferred, ``[M]`` from memory of the manuals, ``[?]`` unknown.
"""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model import Diagnostic, Location, ReadError
from mbconcord.model.diagnostics import Severity, error


class Findings:
    """Errors, and remarks by kind."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[Diagnostic] = []
        self._remarks: dict[str, tuple[Diagnostic, int]] = {}

    def refuse(self, at: Location, message: str, remedy: str = "", place: str = "") -> None:
        """An error."""
        self.errors.append(error(place, message, remedy, at))

    def remark(
        self,
        severity: Severity,
        kind: str,
        at: Location,
        message: str,
        remedy: str = "",
        place: str = "",
    ) -> None:
        """A warning or note; of one kind only the first is kept, and the others are counted."""
        known = self._remarks.get(kind)
        if known is None:
            self._remarks[kind] = Diagnostic(severity, place, message, remedy, at), 1
        else:
            self._remarks[kind] = known[0], known[1] + 1

    def remarks(self) -> tuple[Diagnostic, ...]:
        """Warnings first, then notes, each kind in the order in which it was met."""
        made = [
            replace(d, message=f"{d.message}; {count} times, the first is here") if count > 1 else d
            for d, count in self._remarks.values()
        ]
        return tuple(sorted(made, key=lambda d: d.severity != "warning"))

    def stop(self) -> None:
        """Raise the errors found so far, each once, in the order of the file."""
        if self.errors:
            first = {(d.location, d.message): d for d in self.errors}
            raise ReadError(
                sorted(
                    first.values(),
                    key=lambda d: (d.location.line, d.location.column) if d.location else (0, 0),
                )
            )
