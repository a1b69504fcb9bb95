"""Settings of a project for its models: the table ``[tool.mbconcord]`` of the pyproject.toml of the working directory.

::

[tool.mbconcord]
    models = ["models"]                        # files and folders that pytest checks
    baseline = "mbconcord-baseline.toml"       # the earlier state of their equations
    expect = "catalog.toml"                    # the expected results of their checks
    claims = ["all"]                           # in addition to the agreement of the formalisms
    formalisms = ["…", "…"]                    # the names of some
    states = 10
    seed = 0

    [tool.mbconcord.accept-omissions]
    "models/crane/input.dat" = { contact = 19 }

    [tool.mbconcord.against]                   # more witnesses of a model, each an item of pytest
    "models/crane/input.dat" = ["um:generated/crane", "eqs:crane.eqs.json"]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mbconcord.converters import registry as formats
from mbconcord.converters.inclusions import absolute, parse_toml, utf8_text
from mbconcord.converters.registry import model_file
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, among, error
from mbconcord.model.limits import CHECKED_STATES, SEED
from mbconcord.model.omission import ACCEPTABLE
from mbconcord.records import dataclass, field

# The model files that are meant by files and folders.


def model_files(names: Sequence[str]) -> list[str]:
    """Expand directories into their model files and model folders, sorted by name; keep files as given.

    Raises
    ------
    ReadError
        A directory has no model files.
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
            raise ReadError(error(str(name), "no model files in this directory", f"known: {' '.join(suffixes)}"))
        files += found
    return files


#: Names of the program's table in pyproject.toml, and of tables in it whose keys are files.
PROGRAM, TABLE, AGAINST = "tool.mbconcord", "accept-omissions", "against"
WITNESS: Final = '"model/input.dat" = "um:generated/model"'
EXAMPLE = "for example contact=19,bushing=1"
PROJECT_FILE: Final = "pyproject.toml"
#: Keys of the program's table by the kind of their values; ranges of numbers.
LISTS: Final = ("models", "claims", "formalisms")
STRINGS: Final = ("baseline", "expect")
NUMBERS: Final = {"states": (1, CHECKED_STATES), "seed": (0, SEED)}
KEYS: Final = (*LISTS, *STRINGS, *NUMBERS, TABLE, AGAINST)


@dataclass(frozen=True)
class Project:
    """Settings of a project for its models; None if not given.

    Attributes
    ----------
    folder : folder of the pyproject.toml, to which all paths are relative
    models : paths of files and folders that pytest checks
    claims, formalisms : names of those to check
    baseline, expect : paths of the file of baselines, and of that of expected results
    states, seed : number and seed of random states
    accepted : path of a model -> known omissions by kind
    against : path of a model -> further witnesses, in the words of ``check --against``
    """

    folder: Path
    models: tuple[str, ...] | None = None
    claims: tuple[str, ...] | None = None
    formalisms: tuple[str, ...] | None = None
    baseline: str | None = None
    expect: str | None = None
    states: int | None = None
    seed: int | None = None
    accepted: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    against: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def accepts(self, file: str) -> Mapping[str, int] | None:
        """Return the accepted omissions of a model file by kind; None if the project does not mention the file."""
        model = absolute(model_file(file))
        return next((counts for name, counts in self.accepted.items() if _is(self.folder / name, model)), None)

    def list_witnesses(self, file: str) -> tuple[str, ...]:
        """Return the further witnesses of a model file, which are no formalisms."""
        model = absolute(model_file(file))
        named = (own for name, own in self.against.items() if _is(self.folder / name, model))
        return tuple(dict.fromkeys(witness for own in named for witness in own))


def project_in(folder: Path) -> Project | None:
    """Read the settings from the pyproject.toml of a folder; None if it has none.

    Raises
    ------
    ReadError
        The file cannot be read, or its table has an unknown key or a wrong value.
    """
    path = folder / PROJECT_FILE
    table = _table(path) if path.is_file() else None
    if table is None:
        return None
    _require_keys(table, path)
    files = _dict(table.get(TABLE, {}), f"[{PROGRAM}.{TABLE}]", path, TABLE)
    accepted = {name: _counts(value, name, path) for name, value in files.items()}
    told = _dict(
        table.get(AGAINST, {}), f"[{PROGRAM}.{AGAINST}]", path, AGAINST, f"[{PROGRAM}.{AGAINST}], then {WITNESS}"
    )
    against = {name: _named_witnesses(value, name, path) for name, value in told.items()}
    own = {key: _value(key, table[key], path) for key in table if key not in (TABLE, AGAINST)}
    return Project(folder, **own, accepted=accepted, against=against)


def project_above(folder: Path) -> Project | None:
    """Return the project of the nearest pyproject.toml with a table of this program, in a folder or above; or None."""
    found = (project_in(each) for each in (folder, *folder.parents))
    return next((project for project in found if project is not None), None)


def _require_keys(table: Mapping[str, Any], path: Path) -> None:
    unknown = next((key for key in table if key not in KEYS), None)
    if unknown is not None:
        message = f"unknown key {unknown!r} in [{PROGRAM}]"
        raise _wrong(path, unknown, message, among(unknown, KEYS))


def _value(key: str, value: Any, path: Path) -> Any:
    """Return the value of a key, lists as tuples; refuse a value of another type or range."""
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


def of_project(file: str, folder: Path | None = None) -> Mapping[str, int] | None:
    """Return the omissions of a model that a folder's project accepts; default is the working directory's project.

    A pyproject.toml next to the model that does not belong to that folder's project is ignored: see
    :func:`other_projects`.
    """
    project = None if file == "-" else project_above(folder or Path.cwd())
    return None if project is None else project.accepts(file)


def other_projects(file: str, folder: Path | None = None) -> tuple[Diagnostic, ...]:
    """Return a note for each project of a model's own folders whose accepted omissions do not apply in this folder."""
    here, model = absolute(folder or Path.cwd()), absolute(file)
    own = (here, *here.parents)
    found = [p / PROJECT_FILE for p in (model, *model.parents) if file != "-" and p not in own]
    message = f"its [{PROGRAM}.{TABLE}] is not taken: the project of the working directory decides"
    remedy = "accept there what you know to be left out, or run the command in that folder"
    return tuple(Diagnostic("note", str(path), message, remedy) for path in found if _accepts(path))


def _accepts(path: Path) -> bool:
    """Return True if a pyproject.toml seems to accept omissions; it is searched for a word, not parsed."""
    try:
        return path.is_file() and TABLE in utf8_text(path)
    except (OSError, ReadError):
        return False


def _table(path: Path) -> dict[str, Any] | None:
    """Read this program's table of a pyproject.toml; None if it has none."""
    text = utf8_text(str(path))
    if "mbconcord" not in text:
        return None
    tool = parse_toml(text, path, "expected tables of key = value").get("tool", {})
    found = tool.get("mbconcord") if isinstance(tool, dict) else None
    return None if found is None else _dict(found, f"[{PROGRAM}]", path)


def _is(path: Path, model: Path) -> bool:
    """Return True if a path names this model file, or the folder that is this model."""
    try:
        return absolute(model_file(str(path))) == model
    except ReadError:
        return False


def _counts(value: Any, name: str, path: Path) -> dict[str, int]:
    counts = _dict(value, f"what is accepted for {name!r}", path, name)
    for kind, count in counts.items():
        if kind not in ACCEPTABLE:
            raise _wrong(path, kind, f"unknown kind {kind!r}", among(kind, ACCEPTABLE))
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise _wrong(path, name, f"found {kind} = {count!r}, expected a count of one or more", EXAMPLE)
    return counts


def _named_witnesses(value: Any, name: str, path: Path) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(x, str) and x.strip() for x in listed):
        message = f"the witnesses of {name!r} are {value!r:.40}, expected a string, or a list of strings"
        raise _wrong(path, name, message, f"for example {WITNESS}")
    return tuple(x.strip() for x in listed)


def _dict(value: Any, what: str, path: Path, key: str = "mbconcord", remedy: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    remedy = remedy or f'[{PROGRAM}.{TABLE}], then "model/input.dat" = {{ contact = 19, bushing = 1 }}'
    raise _wrong(path, key, f"{what} is {type(value).__name__} {value!r:.40}, expected a table", remedy)


def _wrong(path: Path, key: str, message: str, remedy: str) -> ReadError:
    """Return an error located at the first line that sets the key, or else at the first that contains it."""
    lines, word = utf8_text(str(path)).splitlines(), re.escape(key)
    places = ((i, re.search(p, line)) for p in (rf"{word}[\"']?\s*=", word) for i, line in enumerate(lines, 1))
    at = next(((i, found.start()) for i, found in places if found), (1, 0))
    finding: Diagnostic = error("", message, remedy, Location(str(path), at[0], at[1] + 1))
    return ReadError(finding)
