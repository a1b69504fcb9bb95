"""Sources: models with their origin, so that findings get locations in the model's text.

Functions take a model as a path, a result of reading, a system, or a mechanism under construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite
from os import PathLike, fspath
from typing import SupportsFloat, SupportsIndex

from mbconcord.converters import registry
from mbconcord.converters.findings import implausible, nearest
from mbconcord.converters.floats import exact
from mbconcord.converters.format import Buildable, Reading, StateFile
from mbconcord.converters.registry import reaches
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.scope import name_tables, require_normal_forces
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, NumbersError, ReadError, among, error
from mbconcord.model.omission import ACCEPTABLE
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from .parameters import ParameterValues, with_parameters


@dataclass(frozen=True)
class Source:
    """A model, its file, its reader's diagnostics, and the location of each place in the text.

    ``physics`` is the treatment of impossible inertias, which ``diagnostics`` do not report yet. ``format`` is the
    format in which the model was read, empty if it was not read, and ``text`` its text; parameters in ``changed`` have
    other values than there. ``packages`` are folders of packages that the reader was allowed; ``singles`` is the
    reading's. ``folder`` is the folder that was named as the model, if any.
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
    singles: bool = False
    folder: str = ""

    @property
    def path(self) -> str:
        """Path of the model's file; for a model that was read before, the file of its first location."""
        return self.file or next((at.file for at in self.locations.values()), "")

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """Add a location to a finding, that of the longest known prefix of its place; name tables by functions."""
        if (message := name_tables(finding.message, self.system)) != finding.message:
            finding = replace(finding, message=message)
        return finding if finding.location else finding.with_location(nearest(finding.place, self.locations))

    def implausible(self) -> tuple[Diagnostic, ...]:
        """Return warnings about physically impossible inertias, with values from the file and from the user.

        Raises
        ------
        ReadError
            An inertia is impossible, and ``physics`` asks to refuse it.
        """
        found = tuple(map(self.locate, implausible(self.system, self.physics, reaches)))
        if any(d.severity == "error" for d in found):
            raise ReadError(_mention_file(self.file, d) for d in found)
        return found

    def plausible(self) -> Source:
        """Return a copy with the warnings of :meth:`implausible` added to the reader's findings."""
        return replace(self, diagnostics=tuple(dict.fromkeys((*self.diagnostics, *self.implausible()))))


@contextmanager
def locate_errors(source: Source, *others: object) -> Iterator[None]:
    """Add locations in these texts to errors raised inside; errors without one get the name of the first file.

    Of the others, files and sources have places; states that are given as numbers have none.
    """
    try:
        yield
    except MbconcordError as problem:
        findings = problem.diagnostics
        for text in (source, *others):
            if isinstance(text, Source | StateFile):
                findings = tuple(map(text.locate, findings))
        raise problem.saying([_mention_file(source.file, d) for d in findings]) from None


def _mention_file(file: str, finding: Diagnostic) -> Diagnostic:
    about = file == finding.place or file in finding.message
    named = finding.location or finding.place.startswith("--") or about
    return finding if named else replace(finding, message=f"{finding.message} [{file}]")


def with_values(source: Source, values: ParameterValues) -> Source:
    """Return the source with parameters set to these values, without notes about the defaults of these."""
    with locate_errors(source):
        system, remarks = with_parameters(source.system, values)
    places = {f"parameters/{name}" for name in values.numbers}
    notes = tuple(d for d in source.diagnostics if d.severity != "note" or d.place not in places)
    changed = source.changed | (values.numbers.keys() & {p.name for p in system.parameters})
    return replace(source, system=system, diagnostics=(*notes, *remarks), changed=changed)


Model = str | PathLike[str] | Reading | System | Buildable | Source
#: Values of parameters by name; ``"2.5"`` is exactly that decimal, and so is 2.5.
Parameters = Mapping[str, float | Fraction | str]

EXAMPLE = "for example parameters={'m1': 2.5}"


def source(
    model: Model,
    format: str | None = None,
    physics: Policy | None = None,
    parameters: Parameters | ParameterValues | None = None,
) -> Source:
    """Load a model with its origin, and set the values of its parameters.

    Parameters
    ----------
    model : path of a file, or of a folder that is a model; result of :func:`mbconcord.read`; a System; a Mechanism
    format : format of the file, if its name does not determine it
    physics : treatment of physically impossible masses and inertias; None: that of the format's record, for a system
        ``"error"``

    Raises
    ------
    ReadError
        The file cannot be read.
    NumbersError
        A value is not a finite number, or the model does not have the parameter.
    """
    found = _source(model, format, physics)
    with locate_errors(found):
        require_normal_forces(found.system)
    values = parameters if isinstance(parameters, ParameterValues) else ParameterValues(exact_values(parameters or {}))
    return with_values(found, values) if values.numbers else found


def _source(model: Model, format: str | None, physics: Policy | None) -> Source:
    if isinstance(model, Source):
        return model
    if isinstance(model, Reading):
        return _of_reading("", model, physics)
    if isinstance(model, System):
        return Source("", model, (), {}, physics or "error")
    if isinstance(model, str | PathLike):
        path = fspath(model)
        if "\n" in path:
            message = "a text where a path is expected"
            raise ReadError(error("model", message, "read it: mbconcord.read(text=…, format=…)"))
        file = registry.model_file(path)
        found = _of_reading(file, registry.read(file, format, "ignore"), physics)
        return found if file == path else replace(found, folder=path)
    if isinstance(model, Buildable):
        return Source("", model.build("ignore"), (), {}, physics or "error")
    message = f"found {type(model).__name__}"
    raise ReadError(error("model", message, "expected a path, what read() gave, a System or a Mechanism"))


def _of_reading(file: str, reading: Reading, physics: Policy | None) -> Source:
    policy = physics or registry.format_named(reading.format).physics
    return Source(
        file, reading.system, reading.diagnostics, reading.locations, policy, reading.format, reading.text,
        singles=reading.singles,
    )  # fmt: skip


def exact_values(given: Parameters) -> dict[str, Fraction]:
    """Return the values as exact fractions; a float is converted from its shortest decimal.

    Raises
    ------
    NumbersError
        A value is no finite number; the error has all findings.
    """
    found, findings = {}, []
    for name, value in given.items():
        try:
            found[str(name)] = _exact(value)
        except (TypeError, ValueError) as problem:
            findings.append(error(f"parameters/{name}", str(problem), EXAMPLE))
    if findings:
        raise NumbersError(findings)
    return found


def _exact(value: object) -> Fraction:
    if isinstance(value, str):
        return exact(value)
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, SupportsFloat | SupportsIndex):
        raise ValueError(f"{value!r:.40} is not a number")
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"{number} is not a finite number")
    return Fraction(value) if isinstance(value, int) else Fraction(repr(number))


def accepted_kinds(known: Mapping[str, int] | None) -> Mapping[str, int] | None:
    """Return known omissions by kind unchanged; refuse unknown kinds.

    Raises
    ------
    MbconcordError
        A kind does not exist.
    """
    unknown = [kind for kind in known or () if kind not in ACCEPTABLE]
    if unknown:
        place = "accept_omissions"
        raise MbconcordError([error(place, f"unknown kind {kind!r}", among(kind, ACCEPTABLE)) for kind in unknown])
    return known
