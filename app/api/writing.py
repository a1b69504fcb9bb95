"""Files that functions write: whole, or refused in the project's own words."""

from __future__ import annotations

from pathlib import Path

from mbconcord.model.diagnostics import WriteError, error

from .files import replace_file


def write(path: Path, data: bytes) -> Path:
    """Replace a file in one step, or not at all, and give its path.

    Raises
    ------
    WriteError
        The file cannot be written.
    """
    try:
        replace_file(path, data)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise WriteError(error("", f"{path}: {reason}", "name a file that can be written")) from None
    return path
