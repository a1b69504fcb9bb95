"""The folder of a campaign: its subject, its rows as they come, its findings. A stopped campaign can continue."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator, Mapping
from errno import EDQUOT, ENOSPC
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, WriteError, error
from mbconcord.model.limits import read_within
from mbconcord.records import dataclass

from .parts import CampaignParts, key, store
from .row import CampaignRow

ABOUT: Final = "campaign.json"
ROWS: Final = "rows.jsonl"
FINDINGS: Final = "findings"
REMEDY: Final = "name another --output, or remove the folder"


@dataclass(frozen=True)
class About:
    """Identity of a campaign: equal identities have the same models, number for number.

    Attributes
    ----------
    profile, seed : profile and seed of the campaign
    program, hypothesis, python : versions of these
    """

    profile: str
    seed: int
    program: str
    hypothesis: str
    python: str


def describe_campaign(profile: str, seed: int) -> About:
    """Return the identity of a campaign with this program."""
    from hypothesis import __version__ as drawing

    return About(profile, seed, version("mbconcord"), drawing, platform.python_version())


class Folder:
    """A folder with the rows of one campaign.

    Attributes
    ----------
    path : path of the folder
    about : identity of the campaign
    rows : number of a model -> its row as JSON
    notes : damage that was found and repaired when the folder was opened
    parts : small files of rows, in which a campaign on a cluster is written
    """

    def __init__(self, path: Path, about: About) -> None:
        self.path, self.about = path, about
        self.rows: dict[int, dict[str, Any]] = {}
        self.notes: list[Diagnostic] = []
        self.parts, self._in_parts = CampaignParts(path), False

    def by_parts(self) -> None:
        """Write rows to separate files from now on."""
        self._in_parts = True

    def add(self, row: Mapping[str, Any]) -> None:
        """Store a row with its time: at once, or in small files within a second."""
        number = int(row["number"])
        found = {**row, "at": round(time.time(), 3)}
        if self._in_parts:
            self.parts.add({"task": key(["explore", self.about.seed, number]), **found})
        else:
            line = json.dumps(found, separators=(",", ":")) + "\n"
            write_data(self.path / ROWS, line.encode("utf-8"), append=True)
        self.rows[number] = found

    def settle(self) -> None:
        """Write the rows that wait to be written."""
        self.parts.settle(all=True)

    def keep(self, name: str, text: str) -> Path:
        """Write a finding's model to a file; return its path."""
        path = self.path / FINDINGS / name
        write_data(path, text.encode("utf-8"))
        return path

    def times(self) -> list[float]:
        """Return times of rows that record them (s since 1970, by the writer's clock)."""
        return [float(row["at"]) for row in self.rows.values() if "at" in row]

    def list_rows(self) -> list[CampaignRow]:
        """Return all rows by number."""
        return [CampaignRow.from_json(self.rows[number]) for number in sorted(self.rows)]


def open_folder(path: Path, profile: str, seed: int | None, new_seed: int) -> Folder:
    """Open the folder of a campaign: a new one, or with the results of an earlier run.

    Parameters
    ----------
    seed : requested seed; None: that of the existing campaign, else ``new_seed``

    Raises
    ------
    WriteError
        It cannot be written.
    ReadError
        The folder holds another campaign, or no campaign.
    """
    file = path / ABOUT
    if not file.exists():
        wanted = describe_campaign(profile, new_seed if seed is None else seed)
        if path.is_dir() and any(path.iterdir()):
            raise WriteError(error("--output", f"{path}: holds other files", "name an empty or a new folder"))
        try:
            path.mkdir(parents=True, exist_ok=True)
            write_data(file, (json.dumps(vars(wanted), indent=2) + "\n").encode())  # first: the rest is made anew
            (path / FINDINGS).mkdir(exist_ok=True)
        except OSError as problem:
            raise describe_refusal(path, problem) from None
        write_data(path / ROWS, b"")
        return Folder(path, wanted)
    there = about_of(file)
    wanted = describe_campaign(profile, there.seed if seed is None else seed)
    for name, value in vars(wanted).items():
        if getattr(there, name) != value:
            found = f"{path}: holds a campaign with {name} {getattr(there, name)}, this one has {value}"
            raise ReadError(error("--output", found, REMEDY))
    if not os.access(path / ROWS, os.W_OK) and (path / ROWS).exists():
        raise WriteError(error("--output", f"{path / ROWS}: Permission denied", "name a folder that can be written"))
    return there_is(path)


def there_is(path: Path) -> Folder:
    """Open the folder of any campaign with its rows.

    Raises
    ------
    ReadError
        The folder is not a campaign, or a row is damaged.
    """
    folder = Folder(path, about_of(path / ABOUT))
    folder.rows = {row["number"]: row for row in folder.parts.rows()}
    folder.rows |= {row["number"]: row for row in lines(folder)}
    return folder


def about_of(file: Path) -> About:
    """Read the identity of a campaign from a file; :class:`ReadError` if it has none."""
    try:
        return About(**json.loads(read_within(file) or b""))
    except (OSError, ValueError, TypeError):
        raise ReadError(error("--output", f"{file}: does not say which campaign this is", REMEDY)) from None


def lines(folder: Folder) -> Iterator[dict[str, Any]]:
    """Yield the rows of local runs. A truncated last line is removed; other damage is refused."""
    file = folder.path / ROWS
    data = file.read_bytes() if file.exists() else b""
    whole, _, rest = data.rpartition(b"\n")
    if rest:
        folder.notes.append(Diagnostic("warning", str(file), "its last line was cut off: that model is checked anew"))
        write_data(file, whole + b"\n" if whole else b"")
    for number, line in enumerate(whole.split(b"\n") if whole else [], 1):
        try:
            row = json.loads(line)
            CampaignRow.from_json(row)
            int(row["number"]), float(row.get("at", 0.0))
        except (ValueError, TypeError, KeyError, AttributeError):
            where = Location(str(file), number, 1)
            raise ReadError(error("", "damaged: no row of a campaign", "remove the line", where)) from None
        yield row


def write_data(path: Path, data: bytes, append: bool = False) -> None:
    """Write or extend a file; :class:`WriteError` where that cannot be."""
    try:
        path.parent.mkdir(exist_ok=True)  # a run that found no room left it out
        if not append:
            return store(path, data)
        with path.open("ab") as out:
            out.write(data)
    except OSError as problem:
        raise describe_refusal(path, problem) from None


def describe_refusal(path: Path, problem: OSError) -> WriteError:
    """Describe why a file of a campaign cannot be written, and what to do."""
    full = problem.errno in (ENOSPC, EDQUOT)
    remedy = "make room, and run the same command again" if full else "name a folder that can be written"
    return WriteError(error("--output", f"{path}: {problem.strerror}", remedy))
