"""Files that are named beside models: catalogs, pyproject.toml. Their texts within bounds, and which is which."""

from __future__ import annotations

import os
from pathlib import Path

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.limits import TOML_BYTES


def absolute(path: str | Path) -> Path:
    """The path without links and dots, by which files are told apart; of links in a ring as far as they lead."""
    return Path(os.path.realpath(path))


def toml_text(file: str | Path, most: int = TOML_BYTES) -> str:
    """The text of a file of TOML, of so many bytes at most.

    Raises
    ------
    ReadError
        It cannot be read, is too large, or is no text in UTF-8.
    """
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(most + 1)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error("", f"{file}: {reason}", "name a file that can be read")) from None
    if len(data) > most:
        found = f"more than {most:,} bytes"
        raise ReadError(error("", found, "divide it", Location(str(file), 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error("", f"{file}: no text in UTF-8", "save the file as UTF-8")) from None
