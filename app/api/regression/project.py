"""What a project says of its models: the table ``[tool.mbconcord]`` of the nearest pyproject.toml.

::

    [tool.mbconcord]
    models = ["models"]                        # files and folders that pytest checks
    baseline = "mbconcord-baseline.toml"       # what their equations were
    expect = "catalog.toml"                    # what their checks are expected to give
    claims = ["all"]                           # beside the agreement of the formalisms
    formalisms = ["…", "…"]                    # the names of some
    states = 10
    seed = 0

    [tool.mbconcord.accept-omissions]
    "models/crane/input.dat" = { contact = 19 }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mbconcord.converters.registry import model_file
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ReadError, among, error
from mbconcord.model.limits import CHECKED_STATES, SEED
from mbconcord.model.omission import KINDS
from mbconcord.validation.named_files import absolute, toml_text

#: The tables of pyproject.toml: this program's, and in it the one that names files.
PROGRAM, TABLE = "tool.mbconcord", "accept-omissions"
EXAMPLE = "for example contact=19,bushing=1"
PROJECT_FILE: Final = "pyproject.toml"
#: Keys of the table beside that one, and what they hold.
LISTS: Final = ("models", "claims", "formalisms")
STRINGS: Final = ("baseline", "expect")
NUMBERS: Final = {"states": (1, CHECKED_STATES), "seed": (0, SEED)}
KEYS: Final = (*LISTS, *STRINGS, *NUMBERS, TABLE)


@dataclass(frozen=True)
class Project:
    """What a project asks of its models; None: nothing was said.

    Attributes
    ----------
    folder : of the pyproject.toml, to which all paths are relative
    models : files and folders
    claims, formalisms : names
    baseline, expect : files
    states, seed : of what is drawn
    """

    folder: Path
    models: tuple[str, ...] | None = None
    claims: tuple[str, ...] | None = None
    formalisms: tuple[str, ...] | None = None
    baseline: str | None = None
    expect: str | None = None
    states: int | None = None
    seed: int | None = None


def project_in(folder: Path) -> Project | None:
    """What the pyproject.toml of a folder says; None where it says nothing.

    Raises
    ------
    ReadError
        The file or the table is wrong.
    """
    path = folder / PROJECT_FILE
    table = _table(path) if path.is_file() else None
    if table is None:
        return None
    _require_keys(table, path)
    return Project(folder, **{key: _value(key, table[key], path) for key in table if key != TABLE})


def _require_keys(table: Mapping[str, Any], path: Path) -> None:
    unknown = next((key for key in table if key not in KEYS), None)
    if unknown is not None:
        message = f"unknown key {unknown!r} in [{PROGRAM}]"
        raise _wrong(path, unknown, message, among(unknown, KEYS))


def _value(key: str, value: Any, path: Path) -> Any:
    """The value of a key, of its type."""
    if key in LISTS:
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            return tuple(value)
        expected = "a list of strings"
    elif key in STRINGS:
        if isinstance(value, str) and value:
            return value
        expected = "a string"
    else:
        least, most = NUMBERS[key]
        if type(value) is int and least <= value <= most:
            return value
        expected = f"a whole number from {least:,} to {most:,}"
    raise _wrong(path, key, f"{key} is {value!r:.40}, expected {expected}", "see docs/ci.md")


def of_project(file: str) -> dict[str, int] | None:
    """What the nearest pyproject.toml, beside the file or above it, with a table of this program says of the file."""
    if file == "-":
        return None
    model = absolute(model_file(file))
    for folder in model.parents:
        path = folder / PROJECT_FILE
        table = _table(path) if path.is_file() else None
        if table is not None:
            return _of_file(table, path, model)
    return None


def _table(path: Path) -> dict[str, Any] | None:
    """This program's table of a pyproject.toml; None where there is none."""
    text = toml_text(str(path))
    if "mbconcord" not in text:
        return None
    try:
        tool = tomllib.loads(text).get("tool", {})
    except ValueError as problem:  # of TOML, or of a number of thousands of digits
        found = re.search(r"at line (\d+), column (\d+)", str(problem))
        line, column = (int(found[1]), int(found[2])) if found else (1, 1)
        at = Location(str(path), line, column)
        raise ReadError(error("", f"not TOML: {problem}", "expected tables of key = value", at)) from None
    found = tool.get("mbconcord") if isinstance(tool, dict) else None
    return None if found is None else _dict(found, f"[{PROGRAM}]", path)


def _of_file(table: Mapping[str, Any], path: Path, model: Path) -> dict[str, int] | None:
    _require_keys(table, path)
    files = _dict(table.get(TABLE, {}), f"[{PROGRAM}.{TABLE}]", path, TABLE)
    checked = {name: _counts(value, name, path) for name, value in files.items()}
    return next((counts for name, counts in checked.items() if _is(path.parent / name, model)), None)


def _is(path: Path, model: Path) -> bool:
    """Whether a path is that of a model's file, or of the folder that is the model."""
    try:
        return absolute(model_file(str(path))) == model
    except ReadError:
        return False


def _counts(value: Any, name: str, path: Path) -> dict[str, int]:
    counts = _dict(value, f"what is accepted for {name!r}", path, name)
    for kind, count in counts.items():
        known_kind(kind, name, path)
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise _wrong(path, name, f"found {kind} = {count!r}, expected a count of one or more", EXAMPLE)
    return counts


def _dict(value: Any, what: str, path: Path, key: str = "mbconcord") -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    remedy = f'[{PROGRAM}.{TABLE}], then "model/input.dat" = {{ contact = 19, bushing = 1 }}'
    raise _wrong(path, key, f"{what} is {type(value).__name__} {value!r:.40}, expected a table", remedy)


def known_kind(kind: str, place: str, path: Path | None) -> None:
    """Raise :class:`MbconcordError` where there is no such kind of what is left out."""
    if kind in KINDS:
        return
    message, remedy = f"unknown kind {kind!r}", among(kind, KINDS)
    raise (
        MbconcordError(error(place, message, remedy)) if path is None else _wrong(path, kind, message, remedy)
    )


def _wrong(path: Path, key: str, message: str, remedy: str) -> ReadError:
    """The error at the first line that has the key."""
    lines = toml_text(str(path)).splitlines()
    at = next(((i, line.index(key)) for i, line in enumerate(lines, 1) if key in line), (1, 0))
    finding: Diagnostic = error("", message, remedy, Location(str(path), at[0], at[1] + 1))
    return ReadError(finding)
