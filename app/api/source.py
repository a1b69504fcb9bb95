"""A model with what is known of where it came from; its findings are put at their places in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from mbconcord.converters.companions import StateFile
from mbconcord.converters.findings import nearest
from mbconcord.converters.plausibility import implausible
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ReadError
from mbconcord.model.system import System

from .parameters import Values, with_parameters


@dataclass(frozen=True)
class Source:
    """A model, the file it came from, what its reader said, and where each place stands in the text.

    ``physics`` says what is made of inertias that no body has; nothing is said of them yet. ``format`` is that which it
    was read as, empty where it was not read, ``text`` what was read; of its parameters ``changed`` have other values.
    """

    file: str
    system: System
    diagnostics: tuple[Diagnostic, ...]
    locations: Mapping[str, Location]
    physics: Policy = "error"
    format: str = ""
    text: str = field(default="", repr=False)
    changed: frozenset[str] = frozenset()

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with its location in the text: that of the longest known prefix of its place."""
        return finding if finding.location else finding.at(nearest(finding.place, self.locations))

    def implausible(self) -> tuple[Diagnostic, ...]:
        """Warnings of inertias that no body has, by the values that the author and the user gave.

        Raises
        ------
        ReadError
            There are some, and they are to be refused.
        """
        found = tuple(map(self.locate, implausible(self.system, self.physics)))
        if any(d.severity == "error" for d in found):
            raise ReadError(_of(self.file, d) for d in found)
        return found

    def plausible(self) -> Source:
        """The source with these warnings among what its reader said."""
        return replace(self, diagnostics=(*self.diagnostics, *self.implausible()))


@contextmanager
def located(*texts: Source | StateFile) -> Iterator[None]:
    """Errors raised inside gain their locations in these texts; what has none is said to be of the first."""
    try:
        yield
    except MbconcordError as problem:
        findings = problem.diagnostics
        for text in texts:
            findings = tuple(map(text.locate, findings))
        raise problem.saying([_of(texts[0].file, d) for d in findings]) from None


def _of(file: str, finding: Diagnostic) -> Diagnostic:
    about = file == finding.place or file in finding.message
    named = finding.location or finding.place.startswith("--") or about
    return finding if named else replace(finding, message=f"{finding.message} [{file}]")


def with_values(source: Source, values: Values) -> Source:
    """The source with these values of parameters; notes that said what they were by default are dropped."""
    with located(source):
        system, remarks = with_parameters(source.system, values)
    places = {f"parameters/{name}" for name in values.numbers}
    notes = tuple(d for d in source.diagnostics if d.severity != "note" or d.place not in places)
    changed = source.changed | (values.numbers.keys() & {p.name for p in system.parameters})
    return replace(source, system=system, diagnostics=(*notes, *remarks), changed=changed)
