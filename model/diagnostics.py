"""Errors, warnings and losses as values: each with its place, its reason and its remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from mbconcord.records import dataclass, field, replace

from .limits import cut, format_names

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Location:
    """Location in a text: file name (``-`` is standard input), line and column, both counted from 1."""

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

    def with_location(self, location: Location | None) -> Diagnostic:
        """Return the same finding with the location in the source text."""
        return replace(self, location=location) if location else self


@dataclass(frozen=True, slots=True)
class Loss:
    """Loss in a format: its place, what is lost and why, and whether the motion depends on it."""

    place: str
    what: str
    reason: str
    acts: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        return f"{cut(self.place)}: {cut(self.what)} is lost: {cut(self.reason)}"


def error(place: str, message: str, remedy: str = "", location: Location | None = None) -> Diagnostic:
    """Make a diagnostic of severity ``error``."""
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
        """Return the same error with these findings in place of its own."""
        return type(self)(findings)


class ModelError(MbconcordError):
    """Impossible model: broken structure or impossible physics."""


class ReadError(MbconcordError):
    """Unreadable text: each finding has file, line, column, found and expected text."""


class WriteError(MbconcordError):
    """Error for a model that a format cannot hold, when losses are refused."""


class NumbersError(MbconcordError):
    """Required number that is missing, NaN or infinite."""


class DisagreementError(MbconcordError):
    """Disagreement of two computations of the same numbers: each finding names the place and both numbers."""


class FormalismError(MbconcordError):
    """Obstacle of a formalism for a model, or a result that does not fit the model."""


#: Names of quantities in other programs and books, without ``_``, and here.
ELSEWHERE = {
    "massmatrix": "M", "mass": "M", "inertiamatrix": "M", "crba": "M", "bias": "h", "coriolis": "h", "nle": "h",
    "torque": "inverse_dynamics", "tau": "inverse_dynamics", "rnea": "inverse_dynamics",
    "forwarddynamics": "acceleration", "qdd": "acceleration", "aba": "acceleration", "jacobian": "D",
}  # fmt: skip


def find_similar(name: str, known: Iterable[str]) -> str:
    """Return the known name closest to this one, ignoring case; empty if none is similar."""
    from difflib import get_close_matches  # not before: most names are right

    by_folded = {other.casefold(): other for other in known}
    named = ELSEWHERE.get(name.casefold().replace("_", ""))
    if named in by_folded.values():
        return str(named)
    longer = [other for other in by_folded if len(name) > 2 and other.startswith(name.casefold())]
    found = longer if len(longer) == 1 else get_close_matches(name.casefold(), by_folded, n=1)
    return by_folded[found[0]] if found else ""


def among(name: str, known: Iterable[str]) -> str:
    """Write ``did you mean 'lagrange'? known: lagrange, newton_euler``; ``known: none`` if there is none."""
    names = list(known)
    likely = find_similar(name, names)
    question = f"did you mean {likely!r}? " if likely else ""
    return f"{question}known: {format_names(names) or 'none'}"


def no_attribute(owner: object, name: str, known: Mapping[str, str]) -> AttributeError:
    """Return the error of a missing attribute; ``known``: name of a quantity -> the call that returns it."""
    likely = "" if name.startswith("_") else find_similar(name, known)
    question = f": did you mean {known[likely]}?" if likely else ""
    return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}{question}")
