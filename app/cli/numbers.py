"""Numbers from the command line: ``--set``, ``--parameters`` and ``--state``; files are read in :mod:`.io`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from mbconcord.api.parameters import Values
from mbconcord.converters.companions import Companion
from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.converters.registry import parameter_companion, parameter_companions, state_companions
from mbconcord.model.diagnostics import NumbersError, error

from .io.parameter_files import TWICE, read_parameters

EXAMPLE = "for example --set m1=2.5"


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


def overrides(arguments: argparse.Namespace) -> Values:
    """Values of parameters from ``--parameters`` and ``--set``; the latter win.

    Raises
    ------
    NumbersError
        A setting that is not ``name=number`` with a finite number: all findings at once.
    """
    file = arguments.parameters or ""
    read = read_parameters(file) if file else {}
    values: dict[str, Fraction] = {}
    findings = []
    for setting in arguments.settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not (equals and name):
            findings.append(error("--set", f"{setting!r:.60} is not name=number", EXAMPLE))
            continue
        if name in values:
            findings.append(error("--set", f"{name}: {TWICE[0]}", TWICE[1]))
        try:
            values[name] = exact(text)
        except NumeralError as problem:
            findings.append(error("--set", f"{name}: {problem}", problem.remedy or EXAMPLE))
    if findings:
        raise NumbersError(findings)
    beside = read.keys() - values.keys() if parameter_companion(file) is not None else ()
    return Values({**read, **values}, file, frozenset(beside))
