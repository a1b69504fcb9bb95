"""JSON texts of the command line's own files, and where a key stands in them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from mbconcord.converters.registry import contents
from mbconcord.model.diagnostics import Location, ReadError, error


def text_of(file: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    data = sys.stdin.buffer.read() if file == "-" else contents(file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error("", f"{file}: not UTF-8", "save the file as UTF-8")) from None


def parsed(text: str, file: str, **options: Any) -> Any:
    """The value of a JSON text; ``options`` are those of :func:`json.loads`."""
    try:
        return json.loads(text, **options)
    except json.JSONDecodeError as problem:
        at = Location(file, problem.lineno, problem.colno)
        raise ReadError(
            error("", f"not JSON: {problem.msg}", 'expected an object such as {"q": {"z1": 0.3}}', at)
        ) from None
    except ValueError as problem:
        raise ReadError(error("", f"{file}: {problem}")) from None


def key_location(text: str, file: str, path: Sequence[str]) -> Location | None:
    """Where the last key of a path of keys stands in a JSON text; its start for an empty path."""
    at = 0
    for key in path:
        match = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        if match is None:
            return None
        at = match.start()
    return Location(file, text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
