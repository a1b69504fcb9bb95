"""Files that are named next to models: catalogs, pyproject.toml. Their texts within bounds, and their kinds."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from mbconcord.model.diagnostics import Location, ReadError, error, find_similar
from mbconcord.model.limits import TOML_BYTES, read_within

#: So many files of a folder are looked through for one that was probably meant.
MOST_ENTRIES = 10_000


def absolute(path: str | Path) -> Path:
    """Resolve links and dots of the path, which identifies files; links in a ring as far as they lead."""
    return Path(os.path.realpath(path))


def find_beside(name: str | Path, otherwise: str = "name a file that can be read") -> str:
    """Suggest a remedy for an unreadable file: the similar file in its folder that was probably intended."""
    file = Path(name)
    try:
        if not file.parent.is_dir():
            return f"there is no folder {file.parent}"
        entries = () if file.exists() or file.is_symlink() else islice(file.parent.iterdir(), MOST_ENTRIES)
        others = {entry.stem: entry for entry in entries if entry.name != file.name}
    except (OSError, ValueError):
        others = {}
    likely = find_similar(file.stem, others)
    return f"did you mean {others[likely]}?" if likely else otherwise


def toml_text(file: str | Path, most: int = TOML_BYTES) -> str:
    """Read a TOML file of at most ``most`` bytes.

    Raises
    ------
    ReadError
        It cannot be read, is too large, or is not UTF-8 text.
    """
    try:
        data = read_within(file, most)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error("", f"{file}: {reason}", find_beside(file))) from None
    if data is None:
        found = f"more than {most:,} bytes"
        raise ReadError(error("", found, "divide it", Location(str(file), 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error("", f"{file}: no text in UTF-8", "save the file as UTF-8")) from None
