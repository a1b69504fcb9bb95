"""Model arguments of the functions: a path, a text that was read, a system, or one under construction."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from os import PathLike, fspath
from typing import Protocol, SupportsFloat, SupportsIndex, runtime_checkable

from mbconcord.converters import registry
from mbconcord.converters.floats import exact
from mbconcord.converters.format import Reading
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import MbconcordError, NumbersError, ReadError, among, error
from mbconcord.model.omission import ACCEPTABLE
from mbconcord.model.system import System

from .parameters import ParameterValues
from .source import Source, with_values


@runtime_checkable
class Buildable(Protocol):
    """Builder of a system, such as :class:`mbconcord.Mechanism`."""

    def build(self, physics: Policy = "error") -> System:
        """Build the system."""


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
    model : path of a file, or of a folder that is a model; what :func:`mbconcord.read` gave; a System; a Mechanism
    format : of the file, if its name does not determine it
    physics : treatment of physically impossible masses and inertias; None: that of the format's record, for a system
        ``"error"``

    Raises
    ------
    ReadError
        The file cannot be read.
    NumbersError
        A value is not a finite number, or of a parameter that the model does not have.
    """
    found = _source(model, format, physics)
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
        return _of_reading(file, registry.read(file, format, "ignore"), physics)
    if isinstance(model, Buildable):
        return Source("", model.build("ignore"), (), {}, physics or "error")
    message = f"found {type(model).__name__}"
    raise ReadError(error("model", message, "expected a path, what read() gave, a System or a Mechanism"))


def _of_reading(file: str, reading: Reading, physics: Policy | None) -> Source:
    policy = physics or registry.format_named(reading.format).physics
    return Source(file, reading.system, reading.diagnostics, reading.locations, policy, reading.format, reading.text)


def exact_values(given: Parameters) -> dict[str, Fraction]:
    """Return exact values; a float counts as its shortest decimal.

    Raises
    ------
    NumbersError
        Something is no finite number: all findings at once.
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
    """Check the kinds of the omissions that are known.

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
