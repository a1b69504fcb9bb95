"""Files that are named next to models: catalogs, pyproject.toml. Their texts within bounds, and their kinds."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.limits import TOML_BYTES, read_within

from .findings import find_beside


def absolute(path: str | Path) -> Path:
    """Resolve links and dots of the path, which identifies files; links in a ring as far as they lead."""
    return Path(os.path.realpath(path))


def utf8_text(file: str | Path, most: int = TOML_BYTES) -> str:
    """Read a text of at most ``most`` bytes.

    Raises
    ------
    ReadError
        It cannot be read, is too large, or is not UTF-8 text.
    """
    try:
        data = read_within(file, most)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error(str(file), reason, find_beside(file))) from None
    if data is None:
        found = f"more than {most:,} bytes"
        raise ReadError(error("", found, "divide it", Location(str(file), 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error(str(file), "no text in UTF-8", "save the file as UTF-8")) from None


def parse_toml(text: str, file: str | Path, remedy: str) -> dict[str, Any]:
    """Parse the text of a TOML file; ``remedy`` is what the error says to do.

    Raises
    ------
    ReadError
        It is no TOML, with the line and column that the parser names.
    """
    import tomllib  # not before: most commands read no TOML

    try:
        found = tomllib.loads(text)
        repr(found)  # messages show values: no number of thousands of digits
        return found
    except (ValueError, RecursionError) as problem:  # of TOML, of a number of thousands of digits, of brackets
        place = re.search(r"line (\d+), column (\d+)", str(problem))
        line, column = (int(place[1]), int(place[2])) if place else (1, 1)
        raise ReadError(error("", f"no TOML: {problem}", remedy, Location(str(file), line, column))) from None
