"""Findings made while a file is read: collected, located, raised together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from mbconcord.model.checks.physics import Policy, Reaches, physics, remark_sizes
from mbconcord.model.coordinate import WANTED
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, Severity, error, find_similar
from mbconcord.model.numbers import known_values
from mbconcord.model.system import System

from .format import Reading

# Masses and inertias of a file that no body can have: refused, reported as warnings, or accepted without a word.
#
# Only what depends on values of the author is checked here. Default values are meant to be replaced: they are checked
# when numbers are needed.


#: Function that returns how far the shapes of a model's bodies reach, according to its text.
ShapesOf = Callable[[System], Reaches]


def implausible(system: System, policy: Policy, shapes: ShapesOf) -> list[Diagnostic]:
    """Return findings about masses and inertias that no body can have, at the author's values."""
    if policy == "ignore":
        return []
    try:
        values = known_values(system, origins=WANTED)
    except NumbersError:
        return []  # who needs these numbers says so
    found = physics(system, values, policy)
    certain = found if policy == "error" else [d for d in found if d.severity == "warning"]
    return [*certain, *remark_oversized(system, policy, shapes)]


def remark_oversized(system: System, policy: Policy, shapes: ShapesOf) -> list[Diagnostic]:
    """Return findings about tensors that are too large for the sizes of their bodies, at the author's values."""
    try:
        values = known_values(system, origins=WANTED)
        return [] if policy == "ignore" else remark_sizes(system, values, lambda: shapes(system))
    except NumbersError:
        return []


def judge_inertias(reading: Reading, policy: Policy, file: str, shapes: ShapesOf) -> Reading:
    """Add findings about masses and inertias to the reading's diagnostics.

    Raises
    ------
    ReadError
        The policy is ``"error"``, and a finding is physically impossible.
    """
    start = Location(file, 1, 1)
    impossible = implausible(reading.system, policy, shapes)
    found = [d.with_location(nearest(d.place, reading.locations) or start) for d in impossible]
    if any(d.severity == "error" for d in found):
        raise ReadError(found)
    return replace(reading, diagnostics=(*reading.diagnostics, *found)) if found else reading


#: Root elements of formats that are told apart by them.
ROOTS: Final = ("robot", "mujoco", "sdf")


def nearest(place: str, locations: Mapping[str, Location]) -> Location | None:
    """Return the location of a place of the model, or of the nearest known place above it."""
    while place and place not in locations:
        place = place.rpartition("/")[0]
    return locations.get(place)


class Findings:
    """Errors and remarks about one file, and the locations in it of the model's places."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[Diagnostic] = []
        self.locations: dict[str, Location] = {}
        self._remarks: dict[str | int, tuple[Diagnostic, int]] = {}

    def refuse(self, at: Location, message: str, remedy: str = "", place: str = "") -> None:
        """Record an error."""
        self.errors.append(error(place, message, remedy, at))

    def remark(
        self, severity: Severity, kind: str, at: Location | None, message: str, remedy: str = "", place: str = ""
    ) -> None:
        """Record a warning or note; keep the first of each kind and count the others (kind ``""``: keep each)."""
        key = kind or len(self._remarks)
        first, count = self._remarks.get(key, (Diagnostic(severity, place, message, remedy, at), 0))
        self._remarks[key] = first, count + 1

    def warn_unknown_inertia(self, at: Location, body: str, reason: str) -> None:
        """Warn that a body's inertia comes from an unknown shape: the first in full, the others counted."""
        remedy = "put the file there, name the folder of its package by --read package-path=FOLDER, or give <inertial>"
        message = f"the inertia of {body!r} is not known: {reason}"
        self.remark("warning", "unweighed", at, message, remedy, f"bodies/{body}/inertia")

    def refuse_friction(self, at: Location, coordinate: str, found: str) -> None:
        """Refuse dry friction below zero: it would drive the joint."""
        message = f"friction of {coordinate!r}: found {found}, expected a number that is not negative"
        self.refuse(at, message, "dry friction opposes the motion by Coulomb's law: give its size")

    def note(self, at: Location | None, place: str, message: str) -> None:
        """Record a note, each time it occurs."""
        self.remark("note", "", at, message, place=place)

    def remarks(self) -> tuple[Diagnostic, ...]:
        """List warnings and notes in the order of occurrence, the first of each kind."""
        return tuple(
            replace(d, message=f"{d.message}; {count} times, the first is here") if count > 1 else d
            for d, count in self._remarks.values()
        )

    def require_root(self, at: Location, tag: str, expected: str) -> None:
        """Refuse a text with another root element; suggest --from if this is the root of another robot format."""
        if tag != expected:
            remedy = "name the format with --from" if tag in ROOTS else ""
            self.refuse(at, f"the root element is <{tag}>; expected <{expected}>", remedy)

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """Locate the finding at its place, the nearest place above it, or the start of the file."""
        known = finding.location or nearest(finding.place, self.locations)
        return finding.with_location(known or Location(self.file, 1, 1))

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


# A file that is not there.

#: Number of files of a folder that are searched for a name that was probably meant.
MOST_ENTRIES = 10_000
#: Pattern of a text that was given in place of a file's name: it sets values, and ends with no extension.
TEXT = re.compile(r"(?s)[={](?!.*\.[A-Za-z]\w*\Z)")
TO_FILE = "write this text into a file, and name that"


def find_beside(name: str | Path, otherwise: str = "name a file that can be read") -> str:
    """Suggest a remedy for an unreadable file: the similar file in its folder that was probably intended."""
    file = Path(name)
    try:
        if not file.parent.is_dir():
            return TO_FILE if TEXT.search(str(name)) else f"there is no folder {file.parent}"
        exists = file.exists() or file.is_symlink()
        entries = () if exists else islice(file.parent.iterdir(), MOST_ENTRIES)
        others = {entry.stem: entry for entry in entries if entry.name != file.name}
    except (OSError, ValueError):
        exists, others = False, {}
    likely = find_similar(file.stem, others)
    if likely:
        return f"did you mean {others[likely]}?"
    return TO_FILE if TEXT.search(str(name)) and not exists else otherwise
