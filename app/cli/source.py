"""A model file as a command takes it: read, with its parameters set, and its findings put at their places."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from mbconcord.converters import registry
from mbconcord.converters.companions import StateFile
from mbconcord.converters.findings import nearest
from mbconcord.converters.plausibility import implausible
from mbconcord.model.checks.physics import POLICIES, Policy
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ReadError
from mbconcord.model.system import System

from .io.standard_input import STANDARD_INPUT, read_standard_input
from .numbers import Values, overrides, with_parameters


@dataclass(frozen=True)
class Source:
    """A model, the file it came from, what its reader said, and where each place stands in the text.

    ``physics`` says what is made of inertias that no body has; nothing is said of them yet.
    """

    file: str
    system: System
    diagnostics: tuple[Diagnostic, ...]
    locations: Mapping[str, Location]
    physics: Policy = "error"

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
        raise type(problem)([_of(texts[0].file, d) for d in findings]) from None


def _of(file: str, finding: Diagnostic) -> Diagnostic:
    about = file == finding.place or file in finding.message
    named = finding.location or finding.place.startswith("--") or about
    return finding if named else replace(finding, message=f"{finding.message} [{file}]")


def add_file(parser: argparse.ArgumentParser, name: str = "file") -> None:
    """The positional argument of a model file and the option that names its format."""
    parser.add_argument(name, metavar=name.upper(), help="model file; - is standard input")
    parser.add_argument(
        "--from",
        dest="source_format",
        metavar="FORMAT",
        help="format of the file (default: told by its name or content)",
    )
    add_physics(parser)


def add_physics(parser: argparse.ArgumentParser) -> None:
    """The option that says what is made of inertias that no body has."""
    own = {name: registry.format_named(name).physics for name in registry.names()}
    by = "; ".join(f"{p}: {', '.join(n for n in own if own[n] == p)}" for p in POLICIES if p in own.values())
    parser.add_argument(
        "--physics", choices=POLICIES,
        help=f"masses and inertias that no body has: refuse them, warn, or say nothing (default by format: {by})",
    )  # fmt: skip


def load(arguments: argparse.Namespace, file: str) -> Source:
    """Read a model file and set the parameters that the command line gives."""
    source = read(file, getattr(arguments, "source_format", None), arguments.physics)
    values = overrides(arguments)
    return with_values(source, values) if values.numbers else source


def with_values(source: Source, values: Values) -> Source:
    """The source with these values of parameters; notes that said what they were by default are dropped."""
    with located(source):
        system, remarks = with_parameters(source.system, values)
    places = {f"parameters/{name}" for name in values.numbers}
    notes = tuple(d for d in source.diagnostics if d.severity != "note" or d.place not in places)
    return replace(source, system=system, diagnostics=(*notes, *remarks))


def read(file: str, format: str | None = None, physics: Policy | None = None) -> Source:
    """Read a model from a file, from the folder that is one, or from standard input.

    What no body has is not looked for before the parameters have their values. ``physics`` is the option, None what
    the format's record says.
    """
    file = registry.model_file(file)
    if file == STANDARD_INPUT:
        reading = registry.read_bytes(read_standard_input(), STANDARD_INPUT, format, "ignore")
    else:
        reading = registry.read(file, format, "ignore")
    policy = physics or registry.format_named(reading.format).physics
    return Source(file, reading.system, reading.diagnostics, reading.locations, policy)
