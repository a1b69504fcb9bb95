"""Baselines: saving the equations of model files in short form, and comparing present models with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbconcord import __version__
from mbconcord.api.files import lock_folder
from mbconcord.api.source import Source, locate_errors
from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.limits import read_within
from mbconcord.records import dataclass
from mbconcord.validation.baseline.changes import BaselineComparison, compare_with_baseline
from mbconcord.validation.baseline.fingerprint import fingerprint
from mbconcord.validation.baseline.text import Baselines, Saved, read_baselines, to_saved, to_toml

from ..files import write

if TYPE_CHECKING:
    from mbconcord.certificate.pair import CertificatePair

#: Default file of baselines.
DEFAULT_FILE: Final = "mbconcord-baseline.toml"


@dataclass(frozen=True)
class Saving:
    """Result of saving baselines: names of models whose baseline is new, changed, unchanged, or was removed."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def name_in(file: str | Path, model: str | Path) -> str:
    """Return the name of a model in a file of baselines: its path relative to the file's folder, with ``/``."""
    folder, own = Path(file).resolve().parent, Path(model).resolve()
    try:
        return Path(os.path.relpath(own, folder)).as_posix()
    except ValueError:  # another drive
        return own.as_posix()


def baseline_of(source: Source) -> Saved:
    """Compute the current baseline of a model."""
    with locate_errors(source):
        return to_saved(fingerprint(source.system), f"mbconcord {__version__}")


def save(found: Mapping[str, Saved], file: str, folders: Sequence[str] = ()) -> Saving:
    """Save baselines in a file, keep those of other models, and remove those of deleted models.

    Parameters
    ----------
    found : name of a model -> baseline; for names see :func:`name_in`
    file : path of the file of baselines, which need not exist
    folders : folders of which all models were requested, so that others in them are deleted ones

    Raises
    ------
    ReadError
        The existing file is damaged; or it is of another version and has models that are not saved now.
    WriteError
        The file cannot be written.
    """
    with lock_folder(Path(file).parent):  # several processes save models of their own at a time
        before = read_baselines(file) if Path(file).exists() else Baselines({})
        gone = {name for name in absent(before, file, folders) if name not in found}
        kept = {name: own for name, own in before.models.items() if name not in gone and name not in found}
        if kept and not before.exact:
            message = f"{file}: of another prime or format, and {', '.join(kept)} would stay as they are"
            raise ReadError(error("", message, "save all of its models, or another file: --output"))
        write(Path(file), to_toml(Baselines({**kept, **found})).encode("utf-8"))
    there = before.models
    return Saving(
        tuple(name for name in found if name not in there),
        tuple(name for name, own in found.items() if name in there and not _alike(there[name], own)),
        tuple(name for name, own in found.items() if name in there and _alike(there[name], own)),
        tuple(sorted(gone)),
    )


def _alike(one: Saved, other: Saved) -> bool:
    return (one.rows, one.left_out, one.reached) == (other.rows, other.left_out, other.reached)


def absent(baselines: Baselines, file: str, folders: Sequence[str]) -> tuple[str, ...]:
    """Return names of models that have baselines but whose files in these folders no longer exist."""
    own, inside = Path(file).resolve().parent, [Path(folder).resolve() for folder in folders]
    paths = {name: Path(os.path.normpath(own / name)) for name in baselines.models}
    return tuple(
        name
        for name, path in paths.items()
        if not path.exists() and any(path.is_relative_to(folder) for folder in inside)
    )


def beside(source: Source, baselines: Baselines, file: str, seed: int = 0) -> BaselineComparison:
    """Compare a model with the baseline that a file has of it.

    Raises
    ------
    ReadError
        The file has no baseline of the model.
    """
    name = name_in(file, source.file)
    before = baselines.models.get(name)
    if before is None:
        message = f"{source.file}: {file} has no baseline of it"
        raise ReadError(error("", message, f"save it: mbconcord baseline save {source.file} --output {file}"))
    with locate_errors(source):
        return compare_with_baseline(before, source.system, baselines.exact, seed)


def certificate_of(source: Source) -> Path:
    """Return the path of a model's certificate: the model's path followed by ``.cert``."""
    return Path(f"{source.file}.cert")


def compare_kept(source: Source) -> CertificatePair | None:
    """Verify the certificate beside a model, and compare it with the present model; None if there is no certificate.

    Raises
    ------
    WordsError
        The certificate's format cannot express the present model.
    """
    from mbconcord.certificate.emit import write_like  # not before: few baselines keep certificates
    from mbconcord.certificate.pair import CertificatePair, compare_texts
    from mbconcord.certificate.process import PROVED, verify

    file = certificate_of(source)
    if not file.is_file():
        return None
    alone = verify(str(file))
    if alone.code != PROVED:
        return CertificatePair(3, "it proves nothing", alone.said)
    with locate_errors(source):
        kept = (read_within(file) or b"").decode("utf-8", "replace")
        return compare_texts(kept, write_like(source.system, kept))
