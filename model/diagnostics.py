"""Errors, warnings and losses as values: each with its place, its reason and its remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from .limits import cut, listed

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Location:
    """Where in a text: file name (``-`` is standard input), line and column, both counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a model or a text.

    Attributes
    ----------
    severity : "error", "warning" or "note"
    place : str
        What it is about, as a path of names: ``bodies/boom1/inertia``, ``parameters/m1``, or ``""``.
    message : str
        What was found, and what was expected.
    remedy : str
        What the user can do; may be empty.
    location : Location or None
        Where in the source text, when it is known.
    """

    severity: Severity
    place: str
    message: str
    remedy: str = ""
    location: Location | None = None

    def __str__(self) -> str:
        place = cut(self.place)
        where = str(self.location) if self.location else place
        head = f"{where}: " if where else ""
        subject = f"{place}: " if self.location and place else ""
        tail = f" ({cut(self.remedy)})" if self.remedy else ""
        return f"{head}{self.severity}: {subject}{cut(self.message)}{tail}"

    def at(self, location: Location | None) -> Diagnostic:
        """The same finding with the location in the source text."""
        return replace(self, location=location) if location else self


@dataclass(frozen=True, slots=True)
class Loss:
    """Something a format cannot hold: where it stood, what is lost and why."""

    place: str
    what: str
    reason: str

    def __str__(self) -> str:
        return f"{cut(self.place)}: {cut(self.what)} is lost: {cut(self.reason)}"


def error(place: str, message: str, remedy: str = "", location: Location | None = None) -> Diagnostic:
    """A diagnostic of severity ``error``."""
    return Diagnostic("error", place, message, remedy, location)


class MbconcordError(Exception):
    """Root of the project's own errors. Carries its findings as values in ``diagnostics``."""

    def __init__(self, findings: Iterable[Diagnostic] | Diagnostic | str) -> None:
        if isinstance(findings, str):
            findings = error("", findings)
        if isinstance(findings, Diagnostic):
            findings = (findings,)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(findings)
        super().__init__("\n".join(map(str, self.diagnostics)))

    def saying(self, findings: Iterable[Diagnostic]) -> MbconcordError:
        """The same error with these findings in place of its own."""
        return type(self)(findings)


class ModelError(MbconcordError):
    """A model that cannot be: broken structure or impossible physics."""


class ReadError(MbconcordError):
    """A text that cannot be read: each finding has file, line, column, what was found and expected."""


class WriteError(MbconcordError):
    """A model that a format cannot hold although the caller asked for no loss."""


class NumbersError(MbconcordError):
    """Numbers were needed and something has none, or is NaN or infinite."""


class FormalismError(MbconcordError):
    """A formalism declares an obstacle for a model, or what it delivered does not fit the model."""


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one, letters of either case; empty where none is like it."""
    by_folded = {other.casefold(): other for other in known}
    found = get_close_matches(name.casefold(), by_folded, n=1)
    return by_folded[found[0]] if found else ""


def among(name: str, known: Iterable[str]) -> str:
    """``did you mean 'lagrange'? known: lagrange, newton_euler``; ``known: none`` where there is none."""
    names = list(known)
    likely = meant(name, names)
    question = f"did you mean {likely!r}? " if likely else ""
    return f"{question}known: {listed(names) or 'none'}"
