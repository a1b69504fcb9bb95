"""The model files that are meant by files and folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mbconcord.converters import registry as formats
from mbconcord.model.diagnostics import ReadError, error


def model_files(names: Sequence[str]) -> list[str]:
    """Files as given; of each directory its model files, and the folders in it that are models, sorted by name.

    Raises
    ------
    ReadError
        A directory without any.
    """
    files: list[str] = []
    for name in names:
        if not Path(name).is_dir():
            files.append(name)
            continue
        suffixes = tuple(s for f in formats.names() for s in formats.format_named(f).suffixes)
        inside = list(Path(name).iterdir())
        whole = [folder / s for folder in inside for s in suffixes if not s.startswith(".")]
        found = sorted(str(p) for p in (*inside, *whole) if formats.is_model(p))
        if not found:
            raise ReadError(
                error("", f"{name}: no model files in this directory", f"known: {' '.join(suffixes)}")
            )
        files += found
    return files
