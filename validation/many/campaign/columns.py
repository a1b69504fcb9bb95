"""Rows as Parquet: a line for every model, nested as the rows are; values survive a round-trip. Needs pyarrow."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

_TEXTS: Final = pa.list_(pa.string())
_CELL: Final = ("claim", "formalism", "agrees", "disagrees", "not_checked", "worst")
_CELLS: Final = pa.list_(pa.struct([
    *((name, pa.string()) for name in _CELL[:2]), *((name, pa.int64()) for name in _CELL[2:5]), ("worst", pa.float64()),
]))  # fmt: skip
#: Columns, and of which type.
SCHEMA: Final = pa.schema([
    ("task", pa.string()), ("at", pa.float64()), ("file", pa.string()), ("format", pa.string()),
    ("stands", pa.bool_()), ("witnesses", _TEXTS), ("omissions", pa.map_(pa.string(), pa.int64())),
    ("number", pa.int64()), ("verdict", pa.string()), ("seconds", pa.float64()),
    ("pair", pa.string()),
    ("bodies", pa.int64()), ("coordinates", pa.int64()), ("constraints", pa.int64()), ("features", _TEXTS),
    ("joints", pa.map_(pa.string(), pa.int64())), ("obstacles", pa.map_(pa.string(), _TEXTS)), ("cells", _CELLS),
    ("decades", pa.list_(pa.struct([("decade", pa.int64()), ("comparisons", pa.int64())]))),
    ("exact", pa.map_(pa.string(), pa.int64())), ("silent", _TEXTS),
    ("findings", pa.list_(pa.struct([*((n, pa.string()) for n in ("kind", "what", "words")), ("shows", _TEXTS)]))),
])  # fmt: skip
#: Lists of lists in JSON that are lists of these fields here.
_FIELDS: Final = {"cells": _CELL, "decades": ("decade", "comparisons")}


def pack(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Write rows to a file's bytes."""
    table = pa.Table.from_pylist([_to_columns(row) for row in rows], schema=SCHEMA)
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()


def unpack(data: bytes) -> list[dict[str, Any]]:
    """Read the rows of a file."""
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
