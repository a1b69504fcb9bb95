"""JSON texts of the command line's own files, their numbers, and where a key stands in them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from mbconcord.converters.decimals import exact
from mbconcord.converters.json_text import JsonText, Numeral, Value
from mbconcord.converters.registry import contents
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error

from .io.standard_input import STANDARD_INPUT, read_standard_input


def text_of(file: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    data = read_standard_input() if file == STANDARD_INPUT else contents(file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error("", f"{file}: not UTF-8", "save the file as UTF-8")) from None


def parsed(text: str, file: str) -> Value:
    """The value of a JSON text.

    Raises
    ------
    ReadError
        No JSON, a key twice in one object, or nested too deep.
    """
    return JsonText(text, file).scan()


def with_floats(value: Value, place: str, findings: list[Diagnostic]) -> Any:
    """The value with its numbers as floats; those that floats cannot hold become findings at their places."""
    if isinstance(value.data, dict):
        return {key: with_floats(item, f"{place}/{key}", findings) for key, item in value.data.items()}
    if isinstance(value.data, list):
        return [with_floats(item, place, findings) for item in value.data]
    if not isinstance(value.data, Numeral):
        return value.data
    try:
        return float(exact(value.data.text))
    except ValueError as problem:
        findings.append(error(place, str(problem)))
        return 0.0


def _location(text: str, file: str, at: int) -> Location:
    return Location(file, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)


def key_location(text: str, file: str, path: Sequence[str]) -> Location | None:
    """Where the last key of a path of keys stands in a JSON text; its start for an empty path."""
    at = 0
    for key in path:
        match = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if match is None:
            return None
        at = match.start()
    return Location(file, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
