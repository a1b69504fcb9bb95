"""A model with its origin; findings get their locations in its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from mbconcord.converters.findings import implausible, nearest
from mbconcord.converters.format import StateFile
from mbconcord.converters.registry import reaches
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ReadError
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from .parameters import ParameterValues, with_parameters


@dataclass(frozen=True)
class Source:
    """A model, its file, its reader's diagnostics, and the location of each place in the text.

    ``physics`` says what is made of inertias that no body has; nothing is said of them yet. ``format`` is that which it
    was read as, empty where it was not read, ``text`` what was read; of its parameters ``changed`` have other values.
    ``packages`` are the folders of packages that its reader was allowed.
    """

    file: str
    system: System
    diagnostics: tuple[Diagnostic, ...]
    locations: Mapping[str, Location]
    physics: Policy = "error"
    format: str = ""
    text: str = field(default="", repr=False)
    changed: frozenset[str] = frozenset()
    packages: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The file, also of a model that was read before: that of its first location."""
        return self.file or next((at.file for at in self.locations.values()), "")

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """Locate the finding in the text by the longest known prefix of its place."""
        return finding if finding.location else finding.with_location(nearest(finding.place, self.locations))

    def implausible(self) -> tuple[Diagnostic, ...]:
        """Warn of physically impossible inertias for the values from the author and the user.

        Raises
        ------
        ReadError
            There are some, and they are to be refused.
        """
        found = tuple(map(self.locate, implausible(self.system, self.physics, reaches)))
        if any(d.severity == "error" for d in found):
            raise ReadError(_mention_file(self.file, d) for d in found)
        return found

    def plausible(self) -> Source:
        """Add these warnings to the reader's findings."""
        return replace(self, diagnostics=tuple(dict.fromkeys((*self.diagnostics, *self.implausible()))))


@contextmanager
def locate_errors(*texts: Source | StateFile) -> Iterator[None]:
    """Give errors raised inside their locations in these texts; errors without one belong to the first."""
    try:
        yield
    except MbconcordError as problem:
        findings = problem.diagnostics
        for text in texts:
            findings = tuple(map(text.locate, findings))
        raise problem.saying([_mention_file(texts[0].file, d) for d in findings]) from None


def _mention_file(file: str, finding: Diagnostic) -> Diagnostic:
    about = file == finding.place or file in finding.message
    named = finding.location or finding.place.startswith("--") or about
    return finding if named else replace(finding, message=f"{finding.message} [{file}]")


def with_values(source: Source, values: ParameterValues) -> Source:
    """Set parameter values of the source, and drop notes about their defaults."""
    with locate_errors(source):
        system, remarks = with_parameters(source.system, values)
    places = {f"parameters/{name}" for name in values.numbers}
    notes = tuple(d for d in source.diagnostics if d.severity != "note" or d.place not in places)
    changed = source.changed | (values.numbers.keys() & {p.name for p in system.parameters})
    return replace(source, system=system, diagnostics=(*notes, *remarks), changed=changed)
