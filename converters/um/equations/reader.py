"""From a path to equations: a folder with a C++ set (or with a folder C), one C++ file, or a print."""

from __future__ import annotations

import re
from pathlib import Path

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.equations import GeneratedEquations

from .cplusplus import read_file, read_folder
from .files import text_of
from .pascal import read_print


def read(path: str) -> GeneratedEquations:
    """The equations at a path.

    Raises
    ------
    ReadError
        There is nothing to read, or it is not what Universal Mechanism generates.
    """
    place = Path(path)
    if place.is_dir():
        return read_folder(place)
    text = text_of(place)
    if not text.strip():
        expected = "expected generated equations"
        raise ReadError(error("", f"the file is empty; {expected}", "", Location(path, 1, 1)))
    return read_print(text, path) if re.search(r":\s*=", text) else read_file(text, path)
