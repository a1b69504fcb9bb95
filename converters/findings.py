"""What is found wrong, or worth saying, while a file is read: collected, put at its place, raised at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, Severity, error

#: Root elements of formats that are told apart by them.
ROOTS: Final = ("robot", "mujoco", "sdf")


def nearest(place: str, locations: Mapping[str, Location]) -> Location | None:
    """Where a place of the model, or the nearest place above it that is known, stands in the text."""
    while place and place not in locations:
        place = place.rpartition("/")[0]
    return locations.get(place)


class Findings:
    """Errors and remarks about one file, and where the places of the model stand in it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[Diagnostic] = []
        self.locations: dict[str, Location] = {}
        self._remarks: dict[str | int, tuple[Diagnostic, int]] = {}

    def refuse(self, at: Location, message: str, remedy: str = "", place: str = "") -> None:
        """An error."""
        self.errors.append(error(place, message, remedy, at))

    def remark(
        self,
        severity: Severity,
        kind: str,
        at: Location | None,
        message: str,
        remedy: str = "",
        place: str = "",
    ) -> None:
        """A warning or note; of one kind only the first is kept, and the others are counted (``""``: each is)."""
        key = kind or len(self._remarks)
        first, count = self._remarks.get(key, (Diagnostic(severity, place, message, remedy, at), 0))
        self._remarks[key] = first, count + 1

    def unweighed(self, at: Location, body: str, reason: str) -> None:
        """A warning of a shape that a body's inertia comes from and that is not known: of the first, and how many."""
        remedy = (
            "put the file there, name the folder of its package by --package-path FOLDER, or give <inertial>"
        )
        message = f"the inertia of {body!r} is not known: {reason}"
        self.remark("warning", "unweighed", at, message, remedy, f"bodies/{body}/inertia")

    def note(self, at: Location | None, place: str, message: str) -> None:
        """A note that is said each time."""
        self.remark("note", "", at, message, place=place)

    def remarks(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes in the order in which they, or the first of their kind, were met."""
        return tuple(
            replace(d, message=f"{d.message}; {count} times, the first is here") if count > 1 else d
            for d, count in self._remarks.values()
        )

    def require_root(self, at: Location, tag: str, expected: str) -> None:
        """Refuse a text of another root element, and say so where it is that of another format of robots."""
        if tag != expected:
            remedy = "name the format with --from" if tag in ROOTS else ""
            self.refuse(at, f"the root element is <{tag}>; expected <{expected}>", remedy)

    def placed(self, finding: Diagnostic) -> Diagnostic:
        """The finding at the location of its place, or of the nearest place above it, or of the file's start."""
        known = finding.location or nearest(finding.place, self.locations)
        return finding.at(known or Location(self.file, 1, 1))

    def stop(self) -> None:
        """Raise the errors found so far, each once, in the order of the file.

        Raises
        ------
        ReadError
            There are errors.
        """
        first = {(d.location, d.message): d for d in self.errors}
        if first:
            raise ReadError(sorted(first.values(), key=_in_file))


def _in_file(finding: Diagnostic) -> tuple[int, int]:
    at = finding.location
    return (at.line, at.column) if at else (0, 0)
