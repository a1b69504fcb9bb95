"""Rows in many small files: each written under a temporary name, renamed, and named by the hash of its content.

A file is complete or absent, whenever the program ends; damage is detected, because the name no longer fits. A file has
the rows of a second's work, so that the number of files does not grow with that of tasks. With pyarrow files are
Parquet, else lines of JSON; a folder may have both.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError, ReadError, WriteError, error
from mbconcord.model.limits import count

PARTS: Final = "rows"
#: Rows that are written at once, at most, and the seconds after which there need not be so many.
MOST, SECONDS = 1000, 1.0
_NAME: Final = re.compile(r"([0-9a-f]{24})\.(jsonl|parquet)")


def key(task: Any) -> str:
    """Identify a task by a hash of its JSON value, the same on every machine."""
    return _hash(json.dumps(task, sort_keys=True, separators=(",", ":")).encode())


class CampaignParts:
    """The files of rows in the folder of a campaign.

    A row has ``task``, the key of its task, and ``at``, its time (s since 1970, by the writer's clock).
    """

    def __init__(self, path: Path) -> None:
        self.path = path / PARTS
        self._waiting: list[Mapping[str, Any]] = []
        self._last = 0.0

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the first row of every task.

        Raises
        ------
        ReadError
            A file differs from what was written.
        """
        found: dict[str, dict[str, Any]] = {}
        for file in row_files(self.path):
            for row in read(file):
                known = found.get(row["task"])
                if known is None or row["at"] < known["at"]:
                    found[row["task"]] = row
        yield from found.values()

    def add(self, row: Mapping[str, Any]) -> None:
        """Store a row: at once if none was written in the last second, else together with others of this second."""
        self._waiting.append(row)
        self.settle()

    def settle(self, all: bool = False) -> None:
        """Write waiting rows if the last write is long enough ago or they are many; ``all``: in any case.

        Raises
        ------
        WriteError
            The disk is full, or the folder cannot be written; rows written before are kept.
        """
        late = time.monotonic() - self._last > SECONDS
        if self._waiting and (all or late or len(self._waiting) >= MOST):
            _write(self.path, self._waiting)
            self._waiting, self._last = [], time.monotonic()


def _write(folder: Path, rows: list[Mapping[str, Any]]) -> None:
    if find_spec("pyarrow"):
        data, suffix = pack(rows), "parquet"
    else:
        lines = (json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows)
        data, suffix = "".join(lines).encode(), "jsonl"
    try:
        folder.mkdir(exist_ok=True)
        store(folder / f"{_hash(data)}.{suffix}", data)
    except OSError as problem:
        found = f"{folder}: {problem.strerror}; {count(len(rows), 'row')} could not be kept, those before are"
        raise WriteError(error("--output", found, "make room, and run the same command again")) from None


@contextmanager
def working_alone(folder: Path) -> Iterator[None]:
    """Hold the folder of a campaign locked; :class:`WriteError` where another process works in it."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        found = f"{folder}: another campaign works in it"
        raise WriteError(error("--output", found, "wait until it ends, or name another folder")) from None
    except OSError:
        pass  # a file system without locks
    try:
        yield
    finally:
        os.close(descriptor)


def store(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it: it is complete or unchanged; OSError if this fails."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        aside.replace(path)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def row_files(folder: Path) -> list[Path]:
    """List the files of rows in a folder, by name."""
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in there if _NAME.fullmatch(file.name)]


def read(file: Path) -> list[dict[str, Any]]:
    """Read the rows of a file; :class:`ReadError` if it differs from what was written."""
    try:
        data = file.read_bytes()
    except OSError as problem:
        raise ReadError(error(str(file), f"{problem.strerror}", "make it readable")) from None
    if _hash(data) != file.name.partition(".")[0]:
        raise _damage_error(file)
    if file.suffix == ".jsonl":
        try:
            return [json.loads(line) for line in data.decode().splitlines()]
        except ValueError:
            raise _damage_error(file) from None
    if not find_spec("pyarrow"):
        message = f"{file}: reading it needs pyarrow, which is not installed"
        raise MbconcordError(error("", message, "pip install 'mbconcord[data]'"))
    try:
        return unpack(data)
    except ValueError:  # those of pyarrow are
        raise _damage_error(file) from None


def _damage_error(file: Path) -> ReadError:
    remedy = "move it away and run the same command again: its models are checked anew, no other row is lost"
    return ReadError(error(str(file), "damaged: it is not what was written", remedy))


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()[:24]


# Rows as Parquet.

_CELL: Final = ("claim", "formalism", "agrees", "disagrees", "not_checked", "worst")
#: Lists of lists in JSON that are lists of these fields in Parquet.
_FIELDS: Final = {"cells": _CELL, "decades": ("decade", "comparisons")}


@cache
def _schema() -> Any:
    """Return the columns of rows with their types, as a schema of Arrow."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    cells = pa.list_(pa.struct([
        *((name, pa.string()) for name in _CELL[:2]), *((name, pa.int64()) for name in _CELL[2:5]),
        ("worst", pa.float64()),
    ]))  # fmt: skip
    return pa.schema([
        ("task", pa.string()), ("at", pa.float64()), ("file", pa.string()), ("format", pa.string()),
        ("stands", pa.bool_()), ("witnesses", texts), ("omissions", pa.map_(pa.string(), pa.int64())),
        ("number", pa.int64()), ("verdict", pa.string()), ("seconds", pa.float64()),
        ("pair", pa.string()),
        ("bodies", pa.int64()), ("coordinates", pa.int64()), ("constraints", pa.int64()), ("features", texts),
        ("joints", pa.map_(pa.string(), pa.int64())), ("obstacles", pa.map_(pa.string(), texts)), ("cells", cells),
        ("decades", pa.list_(pa.struct([("decade", pa.int64()), ("comparisons", pa.int64())]))),
        ("exact", pa.map_(pa.string(), pa.int64())), ("silent", texts),
        ("findings", pa.list_(pa.struct([*((n, pa.string()) for n in ("kind", "what", "words")), ("shows", texts)]))),
    ])  # fmt: skip


def pack(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Write rows to a file's bytes: a line for every model, nested as the rows are; values survive a round-trip."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pylist([_to_columns(row) for row in rows], schema=_schema())
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()


def unpack(data: bytes) -> list[dict[str, Any]]:
    """Read the rows of a file of Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    found = file.read(use_threads=False)  # files are small
    return [_out_of(row) for row in found.to_pylist(maps_as_pydicts="strict")]


def _to_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(row)
    for name, fields in _FIELDS.items():
        made[name] = [dict(zip(fields, values, strict=True)) for values in row.get(name, ())]
    return made


def _out_of(row: dict[str, Any]) -> dict[str, Any]:
    for name in _FIELDS:
        row[name] = [list(fields.values()) for fields in row[name]]
    return {name: value for name, value in row.items() if value is not None}
