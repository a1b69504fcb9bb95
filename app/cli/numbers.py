"""Numbers from the command line: ``--set``, ``--parameters`` and ``--state``; :mod:`.state_files` reads the files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mbconcord.converters.companions import Companion
from mbconcord.converters.registry import parameter_companions, state_companions
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.expressions import number
from mbconcord.model.system import System

from .parameter_files import exact, read_parameters


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The options that set parameters."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="set a parameter, for example --set m1=2; may be repeated",
    )
    parser.add_argument(
        "--parameters",
        metavar="FILE",
        help=f"set parameters from a file: a JSON object, lines name = number{_or(parameter_companions())}",
    )


def add_state(parser: argparse._ActionsContainer) -> None:
    """The option that names a state file."""
    parser.add_argument(
        "--state",
        metavar="FILE",
        help='state file: {"t":0,"q":{"z1":0.3},"v":{},"a":{},"parameters":{}}; '
        f"what is missing is taken from the model{_or(state_companions())}",
    )


def _or(companions: Iterable[Companion[Any]]) -> str:
    """Files of formats as one more thing that an option takes: ``; or .xv (um state)``."""
    return "".join(f"; or {c.suffix} ({c.title})" for c in companions)


def overrides(arguments: argparse.Namespace) -> dict[str, Fraction]:
    """Values of parameters from ``--parameters`` and ``--set``; the latter win.

    Raises
    ------
    NumbersError
        A setting that is not ``name=number`` with a finite number: all findings at once.
    """
    values = read_parameters(arguments.parameters) if arguments.parameters else {}
    findings = []
    for setting in arguments.settings:
        name, equals, text = setting.partition("=")
        try:
            if not (equals and name.strip()):
                raise ValueError
            values[name.strip()] = exact(text)
        except ValueError:
            found = f"{setting!r} is not name=number with a finite number"
            findings.append(error("--set", found, "for example --set m1=2.5"))
    if findings:
        raise NumbersError(findings)
    return values


def with_parameters(system: System, values: Mapping[str, Fraction]) -> System:
    """The system with these values of its parameters; an unknown name is an error."""
    known = [p.name for p in system.parameters]
    unknown = [name for name in values if name not in known]
    if unknown:
        message = "the model has no such parameter"
        raise NumbersError([error(f"parameters/{n}", message, among(n, known)) for n in unknown])
    parameters = [
        replace(p, value=number(values[p.name]), origin="given") if p.name in values else p
        for p in system.parameters
    ]
    return replace(system, parameters=tuple(parameters))
