"""The files of a generated set: which there are, which are missing, and their texts within limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.limits import UM_EQUATION_BYTES, UM_FOLDER_ENTRIES, UM_SET_CHARACTERS

#: Role of a file in a set -> its name around the object identifier, and what it tells.
ROLES = {
    "variables": ("_T{}.hpp", "the struct of identifiers"),
    "constants": ("{}C.hpp", "constants and the order of identifiers"),
    "driver": ("Al{}.hpp", "sines and cosines, joint forces and the order of evaluation"),
    "elements": ("{}E.hpp", "the formulas"),
    "equations": ("Eq{}.hpp", "the force vector"),
    "kinematics": ("_K{}.hpp", "positions, orientations, velocities, accelerations and Jacobians"),
    "constraints": ("Ct{}.hpp", "constraints of closed loops"),
}
#: Files that a set may have beside these.
MORE = {"parallel": "{}Parallel.hpp", "control": "Cl{}.hpp"}
_TELLING = re.compile(r"(?:_T|_K|Al|Eq|Ct)(\w+)\.hpp", re.IGNORECASE)


@dataclass(frozen=True)
class FileSet:
    """The object identifier of a set, its texts by role, with their file names, and the missing roles."""

    identifier: str
    texts: Mapping[str, tuple[str, str]]
    missing: tuple[str, ...]


def find(folder: Path) -> FileSet:
    """The set in a folder, or in its subfolder ``C``; names of files are told apart by no capitals, as UM does.

    Raises
    ------
    ReadError
        There is no set, there are several, or it is too large.
    """
    for candidate in (folder, *_within(folder)):
        found = _identifiers(candidate)
        if len(found) > 1:
            names = ", ".join(found)
            raise ReadError(
                error(
                    "",
                    f"{candidate}: the equations of {len(found)} objects ({names})",
                    "keep one in a folder",
                )
            )
        if found:
            return _read(candidate, found[0])
    expected = "expected _KUMObject.hpp, EqUMObject.hpp, … or a folder C with them"
    raise ReadError(error("", f"{folder}: no equations that Universal Mechanism generated; {expected}"))


def text_of(path: Path) -> str:
    """The text of one file.

    Raises
    ------
    ReadError
        It cannot be read, is too large, empty or binary.
    """
    try:
        with path.open("rb") as opened:
            data = opened.read(UM_EQUATION_BYTES + 1)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ReadError(error("", f"{path}: {reason}", "name a file that can be read")) from None
    if len(data) > UM_EQUATION_BYTES:
        size = f"more than {UM_EQUATION_BYTES:,} bytes"
        raise ReadError(error("", size, "generated equations are smaller", Location(str(path), 1, 1)))
    if b"\0" in data:
        raise ReadError(error("", "a binary file; expected a text", location=Location(str(path), 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1251", "replace")  # comments of the author


def _within(folder: Path) -> list[Path]:
    """The subfolder of the equations, ``C`` or ``c``."""
    if not folder.is_dir():
        return []
    return sorted(entry for entry in _entries(folder) if entry.name.lower() == "c" and entry.is_dir())


def _entries(folder: Path) -> Iterator[Path]:
    """What stands in a folder, within limits."""
    for number, entry in enumerate(folder.iterdir() if folder.is_dir() else ()):
        if number >= UM_FOLDER_ENTRIES:
            message = f"{folder}: more than {UM_FOLDER_ENTRIES:,} files; expected the folder of one object"
            raise ReadError(error("", message))
        yield entry


def _identifiers(folder: Path) -> list[str]:
    """The object identifiers that names of files tell, each once."""
    found = (_TELLING.fullmatch(entry.name) for entry in sorted(_entries(folder)) if entry.is_file())
    return list({name[1].lower(): name[1] for name in found if name}.values())


def _read(folder: Path, identifier: str) -> FileSet:
    texts: dict[str, tuple[str, str]] = {}
    total = 0
    there = {entry.name.lower(): entry for entry in _entries(folder) if entry.is_file()}
    for role, pattern in ({role: pattern for role, (pattern, _) in ROLES.items()} | MORE).items():
        path = there.get(pattern.format(identifier).lower())
        if path is not None:
            text = text_of(path)
            total += len(text)
            if total > UM_SET_CHARACTERS:
                found = f"{folder}: more than {UM_SET_CHARACTERS:,} characters of equations"
                raise ReadError(error("", found))
            texts[role] = (text, str(path))
    return FileSet(identifier, texts, tuple(role for role in ROLES if role not in texts))
