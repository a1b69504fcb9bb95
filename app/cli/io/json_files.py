"""JSON texts of the command line's own files, their numbers, and where a key stands in them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.converters.json_text import JsonText, Numeral, Value
from mbconcord.converters.registry import contents
from mbconcord.converters.spelling import require_text
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error

from .standard_input import STANDARD_INPUT, read_standard_input


def text_of(file: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    data = read_standard_input() if file == STANDARD_INPUT else contents(file)
    require_text(data, file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        at = Location(file, data.count(b"\n", 0, problem.start) + 1, 1)
        raise ReadError(error("", "not UTF-8", "save the file as UTF-8", at)) from None


def parsed(text: str, file: str) -> Value:
    """The value of a JSON text.

    Raises
    ------
    ReadError
        No JSON, a key twice in one object, or nested too deep.
    """
    return JsonText(text, file).scan()


def no_number(value: Value) -> NumeralError:
    """What is wrong with a value that is to be a number and is none; a number in quotes is still one."""
    shown = value.data if isinstance(value.data, str) else ""
    try:
        remedy = f"write {exact(shown) and shown.strip()}, without quotes"
    except NumeralError as problem:
        remedy = problem.remedy
    return NumeralError(f"{json.dumps(value.plain(), ensure_ascii=False):.40} is not a finite number", remedy)


def with_floats(value: Value, place: str, findings: list[Diagnostic]) -> Any:
    """The value with its numbers as floats; strings, and what floats cannot hold, become findings at their places."""
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
    """Where the last key of a path of keys stands in a JSON text; its start for an empty path."""
    at = 0
    for key in path:
        match = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if match is None:
            return None
        at = match.start()
    return Location(file, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
