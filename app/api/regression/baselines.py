"""Baselines of model files: saved, and compared with what the models are now."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mbconcord import __version__
from mbconcord.api.source import Source, located
from mbconcord.api.writing import write
from mbconcord.model.diagnostics import ReadError, error
from mbconcord.validation.baseline.changes import Compared, compared
from mbconcord.validation.baseline.fingerprint import fingerprint
from mbconcord.validation.baseline.reading import read_baselines
from mbconcord.validation.baseline.text import Baselines, Saved, saved, written

#: Where baselines are, unless another file is named.
DEFAULT_FILE: Final = "mbconcord-baseline.toml"


@dataclass(frozen=True)
class Saving:
    """What saving did: names of models whose baselines are new, others than before, the same, or gone."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def name_in(file: str | Path, model: str | Path) -> str:
    """What a model is called in a file of baselines: its path from there, with ``/`` on every system."""
    folder, own = Path(file).resolve().parent, Path(model).resolve()
    try:
        return Path(os.path.relpath(own, folder)).as_posix()
    except ValueError:  # another drive
        return own.as_posix()


def baseline_of(source: Source) -> Saved:
    """The baseline of a model as it is now."""
    with located(source):
        return saved(fingerprint(source.system), f"mbconcord {__version__}")


def save(found: Mapping[str, Saved], file: str, folders: Sequence[str] = ()) -> Saving:
    """Put baselines into a file, beside those of other models, and take out those of models that are gone.

    Parameters
    ----------
    found : name -> baseline, see :func:`name_in`
    file : of baselines, which need not be there
    folders : all of whose models were asked for

    Raises
    ------
    ReadError
        The file that is there is damaged, or of another version and has models that are not among these.
    WriteError
        It cannot be written.
    """
    before = read_baselines(file) if Path(file).exists() else Baselines({})
    gone = {name for name in absent(before, file, folders) if name not in found}
    kept = {name: own for name, own in before.models.items() if name not in gone and name not in found}
    if kept and not before.exact:
        message = f"{file}: of another prime or format, and {', '.join(kept)} would stay as they are"
        raise ReadError(error("", message, "save all of its models, or another file: --output"))
    write(Path(file), written(Baselines({**kept, **found})).encode("utf-8"))
    there = before.models
    return Saving(
        tuple(name for name in found if name not in there),
        tuple(name for name, own in found.items() if name in there and not _alike(there[name], own)),
        tuple(name for name, own in found.items() if name in there and _alike(there[name], own)),
        tuple(sorted(gone)),
    )


def _alike(one: Saved, other: Saved) -> bool:
    return one.rows == other.rows and one.left_out == other.left_out


def absent(baselines: Baselines, file: str, folders: Sequence[str]) -> tuple[str, ...]:
    """Models of which there are baselines, and that are no longer in these folders."""
    own, inside = Path(file).resolve().parent, [Path(folder).resolve() for folder in folders]
    paths = {name: Path(os.path.normpath(own / name)) for name in baselines.models}
    return tuple(
        name
        for name, path in paths.items()
        if not path.exists() and any(path.is_relative_to(folder) for folder in inside)
    )


def beside(source: Source, baselines: Baselines, file: str, seed: int = 0) -> Compared:
    """A model beside its baseline.

    Raises
    ------
    ReadError
        There is no baseline of it.
    """
    name = name_in(file, source.file)
    before = baselines.models.get(name)
    if before is None:
        message = f"{source.file}: {file} has no baseline of it"
        raise ReadError(error("", message, f"save it: mbconcord baseline save {source.file} --output {file}"))
    with located(source):
        return compared(before, source.system, baselines.exact, seed)
