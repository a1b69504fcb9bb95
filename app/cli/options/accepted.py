"""What a model is known to leave out: ``--accept-omissions``, and a table of pyproject.toml."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mbconcord.converters.registry import model_file
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ReadError, among, error
from mbconcord.model.limits import cut
from mbconcord.model.omission import KINDS
from mbconcord.validation.named_files import absolute, toml_text

OPTION = "--accept-omissions"
#: The tables of pyproject.toml: this program's, and in it the one that names files.
PROGRAM, TABLE = "tool.mbconcord", "accept-omissions"
EXAMPLE = "for example contact=19,bushing=1"


def add_accepted(parser: argparse.ArgumentParser) -> None:
    """The option that says what is left out."""
    parser.add_argument(
        OPTION, metavar="KIND=N,…",
        help="what the model is known to leave out, for example contact=19,bushing=1: exit code 0 where it is exactly "
        f"this (default: what the table [{PROGRAM}.{TABLE}] of the nearest pyproject.toml says of the file)",
    )  # fmt: skip


def accepted(arguments: argparse.Namespace, *files: str) -> Mapping[str, int] | None:
    """What is accepted for the first of these files of which something is said; None where nothing is.

    Raises
    ------
    MbconcordError
        The option or the table is wrong.
    """
    if arguments.accept_omissions is not None:
        return of_option(arguments.accept_omissions)
    return next((found for file in files if (found := of_project(file)) is not None), None)


def of_option(text: str) -> dict[str, int]:
    """``contact=19,bushing=1`` as a mapping."""
    found: dict[str, int] = {}
    for item in text.split(","):
        kind, equals, count = (part.strip() for part in item.partition("="))
        if not equals or not re.fullmatch(r"[1-9][0-9]{0,8}", count):
            raise MbconcordError(error(OPTION, f"found {cut(item)!r}, expected kind=count", EXAMPLE))
        _known(kind, OPTION, None)
        if kind in found:
            raise MbconcordError(error(OPTION, f"the kind {kind} is named twice", "name it once"))
        found[kind] = int(count)
    return found


def of_project(file: str) -> dict[str, int] | None:
    """What the nearest pyproject.toml, beside the file or above it, with a table of this program says of the file."""
    if file == "-":
        return None
    model = absolute(model_file(file))
    for folder in model.parents:
        path = folder / "pyproject.toml"
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
    unknown = next((key for key in table if key != TABLE), None)
    if unknown is not None:
        raise _wrong(path, unknown, f"unknown key {unknown!r} in [{PROGRAM}]", f"known: {TABLE}")
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
        _known(kind, name, path)
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise _wrong(path, name, f"found {kind} = {count!r}, expected a count of one or more", EXAMPLE)
    return counts


def _dict(value: Any, what: str, path: Path, key: str = "mbconcord") -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    remedy = f'[{PROGRAM}.{TABLE}], then "model/input.dat" = {{ contact = 19, bushing = 1 }}'
    raise _wrong(path, key, f"{what} is {type(value).__name__} {value!r:.40}, expected a table", remedy)


def _known(kind: str, place: str, path: Path | None) -> None:
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
