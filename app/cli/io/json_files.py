"""JSON texts of the command line's own files, their numbers, and the locations of keys."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from mbconcord.converters.floats import NumeralError, exact
from mbconcord.converters.format import StateFile
from mbconcord.converters.json_text import JsonText, Numeral, Value
from mbconcord.converters.registry import all_of, contents, state_companion
from mbconcord.converters.spelling import require_text
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, error
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass

# Files of states: JSON that names the coordinates, or the file of a format, told by its suffix.


@dataclass(frozen=True)
class NamedState(StateFile):
    """A state whose file names the coordinates; the text of the file serves to locate findings."""

    text: str
    state: State

    def to_state(self, system: System) -> State:
        """Return the state, which does not depend on the model."""
        return self.state

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding about the state with its location in the state file."""
        return finding if finding.location else finding.with_location(_place(self.text, self.file, finding.place))


def read_state(file: str) -> StateFile:
    """Read a state file; errors name the lines that they are about."""
    companion = state_companion(file)
    if companion is not None:
        return companion.read(contents(file), file)
    text = text_of(file)
    findings: list[Diagnostic] = []
    data = with_floats(parse(text, file), "state", findings)
    try:
        state = State.from_json(data)
    except NumbersError as problem:
        findings += problem.diagnostics
    if findings:
        raise NumbersError([d.with_location(_place(text, file, d.place)) for d in findings])
    return NamedState(file, text, state)


def _place(text: str, file: str, place: str) -> Location | None:
    """Return the location in a state file of a place such as ``state/q/z1``; None if it is not found."""
    root, *path = place.split("/")
    return key_location(text, file, path) if root == "state" else None


# What standard input holds.


STANDARD_INPUT = "-"


def read_standard_input() -> bytes:
    """Read all bytes of standard input.

    Raises
    ------
    ReadError
        Standard input is closed, cannot be read, or has more bytes than a file may have.
    """
    if sys.stdin is None:
        raise ReadError(error("", "standard input is closed", "name a file, or send one"))
    try:
        return all_of(sys.stdin.buffer, STANDARD_INPUT)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error("", f"standard input: {reason}", "name a file, or send one")) from None


def text_of(file: str) -> str:
    """Read the text of a file, or of standard input for ``-``."""
    data = read_standard_input() if file == STANDARD_INPUT else contents(file)
    require_text(data, file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        at = Location(file, data.count(b"\n", 0, problem.start) + 1, 1)
        raise ReadError(error("", "not UTF-8", "save the file as UTF-8", at)) from None


def parse(text: str, file: str) -> Value:
    """Parse a JSON text.

    Raises
    ------
    ReadError
        The text is not JSON, repeats a key in one object, or is nested too deep.
    """
    return JsonText(text, file).scan()


def no_number(value: Value) -> NumeralError:
    """Return the error of a value that is not a number as expected; a number in quotes is an error too."""
    shown = value.data if isinstance(value.data, str) else ""
    try:
        remedy = f"write {exact(shown) and shown.strip()}, without quotes"
    except NumeralError as problem:
        remedy = problem.remedy
    return NumeralError(f"{json.dumps(value.plain(), ensure_ascii=False):.40} is not a finite number", remedy)


def with_floats(value: Value, place: str, findings: list[Diagnostic]) -> Any:
    """Convert the numbers in a value to floats; strings and numbers out of range become findings at their places."""
    if isinstance(value.data, dict):
        return {key: with_floats(item, f"{place}/{key}", findings) for key, item in value.data.items()}
    if isinstance(value.data, list):
        return [with_floats(item, place, findings) for item in value.data]
    if isinstance(value.data, str):
        problem = no_number(value)
        findings.append(error(place, str(problem), problem.remedy))
        return 0.0
    if not isinstance(value.data, Numeral):
        return value.data
    try:
        return float(exact(value.data.text))
    except NumeralError as problem:
        findings.append(error(place, str(problem), problem.remedy))
        return 0.0


def key_location(text: str, file: str, path: Sequence[str]) -> Location | None:
    """Return the location of the last key of a path in a JSON text; None if it is missing, the start without keys."""
    at = 0
    for key in path:
        match = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if match is None:
            return None
        at = match.start()
    return Location(file, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
