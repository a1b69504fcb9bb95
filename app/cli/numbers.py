"""Numbers from the command line: ``--set``, ``--parameters`` and ``--state``; :mod:`.um_files` has UM's files."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbconcord.model.diagnostics import Diagnostic, Location
    from mbconcord.model.state import State
    from mbconcord.model.system import System

    from .um_files import VectorFile

LINE = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>\S+?)\s*[,;]?\s*(?:[%#].*)?$")
BLANK = re.compile(r"\s*(?:[%#].*)?$")


class Digits(str):
    """A number of a JSON text as it is written there."""


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
        help="set parameters from a file: a JSON object, lines name = number, or UM's .par",
    )


def add_state(parser: argparse._ActionsContainer) -> None:
    """The option that names a state file."""
    parser.add_argument(
        "--state",
        metavar="FILE",
        help='state file: {"t":0,"q":{"z1":0.3},"v":{},"a":{},"parameters":{}}; '
        "what is missing is taken from the model; or UM's .xv",
    )


def exact(text: str) -> Fraction:
    """The number that a text shows, exactly; :class:`ValueError` when it shows none, or no finite one."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return Fraction(text.strip()) if value else Fraction(0)


def overrides(arguments: argparse.Namespace) -> dict[str, Fraction]:
    """Values of parameters from ``--parameters`` and ``--set``; the latter win.

    Raises
    ------
    NumbersError
        A setting that is not ``name=number`` with a finite number: all findings at once.
    """
    from mbconcord.model.diagnostics import NumbersError, error

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
    from mbconcord.model.diagnostics import NumbersError, error
    from mbconcord.model.expressions import number

    known = [p.name for p in system.parameters]
    unknown = [name for name in values if name not in known]
    if unknown:
        remedy = f"known: {', '.join(known) or 'none'}"
        raise NumbersError(
            [error(f"parameters/{n}", "the model has no such parameter", remedy) for n in unknown]
        )
    parameters = [
        replace(p, value=number(values[p.name]), origin="given") if p.name in values else p
        for p in system.parameters
    ]
    return replace(system, parameters=tuple(parameters))


def read_parameters(file: str) -> dict[str, Fraction]:
    """Names and numbers of a parameter file: a JSON object, lines ``name = number``, or UM's ``.par``."""
    from . import um_files

    if um_files.is_par(file):
        return um_files.read_parameters(file)
    text = _text(file)
    return _from_json(text, file) if text.lstrip().startswith("{") else _from_lines(text, file)


@dataclass(frozen=True)
class StateFile:
    """A state and the text it came from, so that findings about it gain their place."""

    file: str
    text: str
    state: State

    def of(self, system: System) -> State:
        """The state, which names its coordinates: the same for every model."""
        return self.state

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """Nothing has to be said about its order."""
        return ()

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with its location in the state file, when it is about the state."""
        return finding if finding.location else finding.at(_place(self.text, self.file, finding.place))


def read_state(file: str) -> StateFile | VectorFile:
    """Read a state file, JSON or UM's ``.xv``; findings carry their location in it."""
    from mbconcord.model.diagnostics import NumbersError
    from mbconcord.model.state import State

    from . import um_files

    if um_files.is_xv(file):
        return um_files.read_vectors(file)
    text = _text(file)
    data = _json(text, file)
    try:
        return StateFile(file, text, State.from_json(data))
    except NumbersError as problem:
        raise NumbersError([d.at(_place(text, file, d.place)) for d in problem.diagnostics]) from None


def _text(file: str) -> str:
    from mbconcord.model.diagnostics import ReadError, error

    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as problem:
        raise ReadError(
            error("", f"{file}: {problem.strerror or problem}", "name a file that can be read")
        ) from None
    except UnicodeDecodeError:
        raise ReadError(error("", f"{file}: not UTF-8", "save the file as UTF-8")) from None


def _json(text: str, file: str, **options: Any) -> Any:
    from mbconcord.model.diagnostics import Location, ReadError, error

    try:
        return json.loads(text, **options)
    except json.JSONDecodeError as problem:
        at = Location(file, problem.lineno, problem.colno)
        raise ReadError(
            error("", f"not JSON: {problem.msg}", 'expected an object such as {"q": {"z1": 0.3}}', at)
        ) from None
    except ValueError as problem:
        raise ReadError(error("", f"{file}: {problem}")) from None


def _from_json(text: str, file: str) -> dict[str, Fraction]:
    from mbconcord.model.diagnostics import NumbersError, error

    data = _json(text, file, parse_float=Digits, parse_int=Digits, parse_constant=Digits)
    values: dict[str, Fraction] = {}
    findings = []
    for name, shown in data.items():
        try:
            values[name] = exact(shown if isinstance(shown, Digits) else "")
        except ValueError:
            found = f"{json.dumps(shown)} is not a finite number"
            findings.append(error(f"parameters/{name}", found, location=_key(text, file, [name])))
    if findings:
        raise NumbersError(findings)
    return values


def _from_lines(text: str, file: str) -> dict[str, Fraction]:
    from mbconcord.model.diagnostics import Location, NumbersError, error

    values: dict[str, Fraction] = {}
    findings = []
    for i, line in enumerate(text.splitlines(), 1):
        if BLANK.match(line):
            continue
        match = LINE.match(line)
        try:
            if match is None:
                raise ValueError
            values[match["name"]] = exact(match["value"])
        except ValueError:
            at = Location(file, i, match.start("value") + 1 if match else 1)
            found = f"{line.strip()!r} is not name = number with a finite number"
            findings.append(error("", found, "for example m1 = 2.5", at))
    if findings:
        raise NumbersError(findings)
    return values


def _place(text: str, file: str, place: str) -> Location | None:
    """Where a place such as ``state/q/z1`` stands in a state file."""
    root, *path = place.split("/")
    return _key(text, file, path) if root == "state" else None


def _key(text: str, file: str, path: Sequence[str]) -> Location | None:
    """Where the last key of a path of keys stands in a JSON text; its start for an empty path."""
    from mbconcord.model.diagnostics import Location

    at = 0
    for key in path:
        match = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if match is None:
            return None
        at = match.start()
    return Location(file, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
