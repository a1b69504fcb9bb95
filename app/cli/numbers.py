"""Numbers from the command line: ``--set`` and ``--state``; files are read in :mod:`.io`."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from mbconcord.api.parameters import ParameterValues
from mbconcord.converters.floats import NumeralError, exact
from mbconcord.converters.format import Companion
from mbconcord.converters.json_text import Numeral
from mbconcord.converters.registry import contents, parameter_companion, parameter_companions, state_companions
from mbconcord.model.diagnostics import Location, NumbersError, error
from mbconcord.model.limits import CHECKED_STATES

from .io.json_files import key_location, no_number, parse, text_of
from .options.numbers import whole

# Files of parameters: a JSON object, lines ``name = number``, or the file of a format, told by its suffix.


LINE = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>\S.*?)\s*[,;]?\s*(?:[%#].*)?$")
#: What is said of a name that comes again, and what to do.
TWICE = ("it has a number twice", "remove one of them")
BLANK = re.compile(r"\s*(?:[%#].*)?$")


def read_parameters(file: str) -> dict[str, Fraction]:
    """Read a file of parameters; return their values by name."""
    companion = parameter_companion(file)
    if companion is not None:
        return companion.read(contents(file), file)
    text = text_of(file)
    if text.lstrip().startswith("["):
        raise NumbersError(error("", "found a list", 'expected an object, as in {"m1": 2.5}', Location(file, 1, 1)))
    return _from_json(text, file) if text.lstrip().startswith("{") else _from_lines(text, file)


def _from_json(text: str, file: str) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    findings = []
    for name, value in parse(text, file).data.items():
        try:
            if not isinstance(value.data, Numeral):
                raise no_number(value)
            values[name] = exact(value.data.text)
        except NumeralError as problem:
            at = key_location(text, file, [name])
            findings.append(error(f"parameters/{name}", str(problem), problem.remedy, at))
    if findings:
        raise NumbersError(findings)
    return values


def _from_lines(text: str, file: str) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    findings = []
    for i, line in enumerate(text.splitlines(), 1):
        if BLANK.match(line):
            continue
        match = LINE.match(line)
        try:
            if match is None:
                raise NumeralError(f"{line.strip()!r:.60} is not name = number")
            value = exact(match["value"])
        except NumeralError as problem:
            at = Location(file, i, match.start("value") + 1 if match else 1)
            findings.append(error("", str(problem), problem.remedy or "for example m1 = 2.5", at))
            continue
        name = match["name"]
        if name in values:
            at = Location(file, i, match.start("name") + 1)
            findings.append(error(f"parameters/{name}", *TWICE, at))
        values[name] = value
    if findings:
        raise NumbersError(findings)
    return values


EXAMPLE = "for example --set m1=2.5"
#: What is meant for a file, and refused as one where there is none: standard input, a folder in it, a suffix.
FILE = re.compile(r"^-$|[/\\]|\.[A-Za-z]\w*$")


def add_parameters(parser: argparse._ActionsContainer) -> None:
    """Add the option that sets parameters."""
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=NUMBER|FILE",
        help="set a parameter, for example --set m1=2, which may be repeated; or many from a file: a JSON object, "
        f"lines name = number{_describe_companions(parameter_companions())} (./a=b.txt, where the name holds =)",
    )  # fmt: skip


def add_state(parser: argparse._ActionsContainer) -> None:
    """Add the option that names a state file."""
    parser.add_argument(
        "--state",
        "--at",
        metavar="FILE",
        help='state file: {"t":0,"q":{"z1":0.3},"v":{},"a":{},"parameters":{}}; '
        f"what is missing is taken from the model{_describe_companions(state_companions())}",
    )


def add_states_or_file(parser: argparse._ActionsContainer) -> None:
    """Add the option that draws states, or names a state file."""
    draw = whole(1, CHECKED_STATES)

    def read(text: str) -> int | str:
        try:
            return draw(text)
        except argparse.ArgumentTypeError as problem:
            if FILE.search(text) or os.path.isfile(text):  # noqa: PTH113 (False where a path is too long)
                return text
            raise argparse.ArgumentTypeError(f"{problem}, or a state file") from None

    parser.add_argument(
        "--states", "--state", "--at", type=read, default=10, metavar="N|FILE",
        help=f"how many random states (default: 10; at most {CHECKED_STATES:,}, fewer of large models); or one, in a "
        f"state file, see mbconcord evaluate --help{_describe_companions(state_companions())}",
    )  # fmt: skip


def state_file(arguments: argparse.Namespace) -> str | None:
    """Return the state file that is given instead of random states; None if there is none."""
    return arguments.states if isinstance(arguments.states, str) else None


def _describe_companions(companions: Iterable[Companion[Any]]) -> str:
    """Write the files of other formats that an option also takes: ``; or .xv (um state)``."""
    return "".join(f"; or {c.suffix} ({c.title})" for c in companions)


def names_file(setting: str) -> bool:
    """Return True if a value of ``--set`` names a file: there is no ``=``, or a slash comes before the ``=``."""
    name, equals, _ = setting.partition("=")
    return not equals or "/" in name or os.sep in name


def overrides(arguments: argparse.Namespace) -> ParameterValues:
    """Read parameter values from ``--set``: numbers win over those of the file.

    Raises
    ------
    NumbersError
        A setting that is not ``name=number`` with a finite number, nor a file, or a second file: all findings at once.
    """
    files = list(dict.fromkeys(filter(names_file, arguments.settings)))
    strange = [text for text in files if not (FILE.search(text) or Path(text).exists())]
    findings = [error("--set", f"{text!r:.60} is not name=number, nor a file", EXAMPLE) for text in strange]
    if len(files) > 1 and not findings:
        findings.append(error("--set", f"found {files[0]}, and {files[1]}", "give one file"))
    file = files[0] if files and not findings else ""
    read = read_parameters(file) if file else {}
    values: dict[str, Fraction] = {}
    for setting in arguments.settings:
        if setting in files:
            continue
        name, _, text = (part.strip() for part in setting.partition("="))
        if not name:
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
    return ParameterValues({**read, **values}, file, frozenset(beside))
