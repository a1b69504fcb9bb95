"""A model file as a command takes it: read, with its parameters set, and its findings put at their places."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

from mbconcord.converters import registry
from mbconcord.converters.companions import StateFile
from mbconcord.converters.findings import nearest
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError
from mbconcord.model.system import System

from .numbers import overrides, with_parameters

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Source:
    """A model, the file it came from, what its reader said, and where each place stands in the text."""

    file: str
    system: System
    diagnostics: tuple[Diagnostic, ...]
    locations: Mapping[str, Location]

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with its location in the text: that of the longest known prefix of its place."""
        return finding if finding.location else finding.at(nearest(finding.place, self.locations))


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
    named = finding.location or finding.place.startswith("--") or file in finding.message
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


def load(arguments: argparse.Namespace, file: str) -> Source:
    """Read a model file and set the parameters that the command line gives."""
    source = read(file, getattr(arguments, "source_format", None))
    values = overrides(arguments)
    return with_values(source, values) if values else source


def with_values(source: Source, values: Mapping[str, Fraction]) -> Source:
    """The source with these values of parameters; notes that said what they were by default are dropped."""
    with located(source):
        system = with_parameters(source.system, values)
    places = {f"parameters/{name}" for name in values}
    notes = tuple(d for d in source.diagnostics if d.severity != "note" or d.place not in places)
    return replace(source, system=system, diagnostics=notes)


def read(file: str, format: str | None = None) -> Source:
    """Read a model from a file or from standard input."""
    if file == STANDARD_INPUT:
        reading = registry.read_bytes(sys.stdin.buffer.read(), STANDARD_INPUT, format)
    else:
        reading = registry.read(file, format)
    return Source(file, reading.system, reading.diagnostics, reading.locations)
