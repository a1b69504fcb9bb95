"""Tables of pandas as files: CSV always, Parquet with the extra ``[data]``; a failed write leaves a part."""

from __future__ import annotations

import contextlib
import errno
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbconcord.converters.findings import find_beside
from mbconcord.model.diagnostics import NumbersError, ReadError, WriteError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.limits import FILE_BYTES, TABLE_NUMBERS, read_within, too_many
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.system import System
from mbconcord.reports.extras import optional

from .files import replace_file, write
from .states import is_result

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from mbconcord.simulation.motion.prescribed import PrescribedTable

SUFFIXES: Final = (".csv", ".parquet")
#: Addition to a file's name, before its suffix, if only a part of a table could be written.
PART: Final = ".part"
#: Number of bytes written at once when the disk is full.
BLOCK: Final = 4096


def suffix_of(path: Path) -> str:
    """Return the suffix of a table's file.

    Raises
    ------
    WriteError
        The suffix is none of :data:`SUFFIXES`; or a package is missing.
    """
    if path.suffix not in SUFFIXES:
        remedy = f"known: {', '.join(SUFFIXES)}; a drawing is .svg or .html"
        raise WriteError(error(str(path), f"no table has the suffix {path.suffix!r}", remedy))
    if path.suffix == ".parquet":
        optional("pyarrow", "data", "writing Parquet")
    return path.suffix


def require_suffix(path: Path, known: tuple[str, ...]) -> None:
    """Refuse a file with another suffix."""
    if path.suffix not in known:
        said = f"{path}: nothing is written with the suffix {path.suffix!r}"
        raise WriteError(error("", said, f"known: {', '.join(known)}"))


def write_table(path: Path, table: DataFrame) -> Path:
    """Replace a file by a table, every number with all its digits.

    Raises
    ------
    WriteError
        The file cannot be written. If the disk is full, the rows that fit are kept in a CSV, which the message names.
    """
    parquet = suffix_of(path) == ".parquet"
    data = _parquet(table) if parquet else _csv(table)
    try:
        replace_file(path, data)
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return write(path, data)  # which says why it cannot be
        kept = _keep_part(path.with_suffix(".csv"), _csv(table) if parquet else data)
        raise WriteError(error(str(path), f"{problem.strerror}; {kept}", "make room, then resume")) from None
    return path


def _csv(table: DataFrame) -> bytes:
    text: str = table.to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8")


def _parquet(table: DataFrame) -> bytes:
    stream = io.BytesIO()
    table.to_parquet(stream, engine="pyarrow", index=False)
    return stream.getvalue()


def _keep_part(path: Path, data: bytes) -> str:
    """Write the rows of a CSV that fit on the disk to another file; return words on how many are in which file."""
    beside, size = path.with_name(f"{path.stem}{PART}{path.suffix}"), 0
    try:
        with beside.open("wb", buffering=0) as opened:
            with contextlib.suppress(OSError):  # the disk is full here too, somewhere
                while size < len(data):
                    size += opened.write(data[size : size + BLOCK])
            whole = data[:size].rfind(b"\n") + 1
            opened.truncate(whole)
    except OSError:
        return "no row of the table fits"
    rows = data[:whole].count(b"\n") - 1
    if rows < 1:
        beside.unlink()
        return "no row of the table fits"
    return f"{rows} of {data.count(bytes([10])) - 1} rows are in {beside}"


def _numbers(column: Any) -> Any:
    """Convert a column of texts to floats exactly, empty ones to NaN; return the column unchanged if that fails."""
    try:
        return column.map(lambda text: float(text) if text else float("nan"))
    except ValueError:
        return column


def _from_parquet(data: bytes) -> DataFrame:
    """Return the table of a Parquet file; raise :class:`ValueError` if its few bytes would expand beyond limits.

    Its metadata give the numbers and bytes before any is unpacked. Columns of lists, of any length, are refused.
    """
    import pyarrow
    from pyarrow import parquet

    source = pyarrow.BufferReader(data)
    schema = parquet.read_schema(source)
    types = pyarrow.types
    texts = []
    for name, type in zip(schema.names, schema.types, strict=True):
        if types.is_string(type) or types.is_large_string(type):
            texts.append(name)
        elif not (types.is_floating(type) or types.is_integer(type) or types.is_boolean(type) or types.is_null(type)):
            raise ValueError(f"the column {name:.100} is of {type!s:.100}; expected numbers or words")
    file = parquet.ParquetFile(source, read_dictionary=texts)  # a text that recurs is kept once
    numbers = file.metadata.num_rows * file.metadata.num_columns
    if numbers > TABLE_NUMBERS:
        raise ValueError(too_many(numbers, "numbers", TABLE_NUMBERS))
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    chunks = [group.column(i) for group in groups for i in range(group.num_columns)]
    if sum(chunk.total_uncompressed_size for chunk in chunks) > FILE_BYTES:
        raise ValueError(f"more than {FILE_BYTES:,} bytes when unpacked")
    if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in chunks):
        raise ValueError("texts written as differences (DELTA_BYTE_ARRAY), whose sizes it does not say")
    frame: DataFrame = file.read(use_threads=False).to_pandas()
    return frame.astype(dict.fromkeys(texts, object))


def read_table(path: Path) -> DataFrame:
    """Read a table from a file.

    Raises
    ------
    ReadError
        The file cannot be read; or a package is missing.
    """
    import pandas

    try:
        parquet = path.suffix == ".parquet" and optional("pyarrow", "data", "reading Parquet")
        data = read_within(path)
        if data is None:
            raise ReadError(error(str(path), f"more than {FILE_BYTES:,} bytes", "read it in parts"))
        if parquet:
            return _from_parquet(data)
        texts = pandas.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)
        return texts.apply(_numbers)
    except OSError as problem:
        raise ReadError(
            error(str(path), f"{problem.strerror or problem}", find_beside(path, "name the file of a table"))
        ) from None
    except ValueError as problem:
        said = " ".join(str(problem).split())[:200]
        raise ReadError(error(str(path), f"no table ({said})", "name what simulate has written")) from None


# A table of a given motion, for the efforts along it.


def given_motion(table: DataFrame, system: System, driven: Sequence[str] | None) -> PrescribedTable:
    """Read the motion of the ``driven`` coordinates from a table; None: of all coordinates that it has.

    Columns are ``t``, positions ``z1``, and optionally rates ``z1'`` and accelerations ``z1''``. Of rows at one
    time the last is taken where an ``event`` made it.

    Raises
    ------
    NumbersError
        A column is missing or unknown, a coordinate does not exist, a cell is not a number.
    """
    names = system.coordinate_names
    known = {f"{name}{dot}" for name in names for dot in ("", "'", "''")}
    findings = [
        error("motion", f"the table has the column {column!r}, no coordinate of the model", among(column, names))
        for column in map(str, table.columns)
        if column != "t" and column not in known and not is_result(column)
    ]
    findings += [
        error("driven", f"no such coordinate {name!r}", among(name, names))
        for name in driven or ()
        if name not in names
    ]
    wanted = [name for name in names if name in (table.columns if driven is None else driven)]
    findings += [
        error("motion", f"the table has no column {name!r}", "give the motion of every driven coordinate")
        for name in ("t", *wanted)
        if name not in table.columns
    ]
    if not findings and not wanted:
        findings.append(error("motion", "the table has no coordinate of the model", among("", names)))
    findings += [
        error(f"coordinates/{name}", "its drive imposes an acceleration", "give its motion in the table too")
        for name in find_imposed_accelerations(system)
        if name not in wanted
    ]
    if findings:
        raise NumbersError(findings)
    from mbconcord.simulation.motion.prescribed import PrescribedTable
    from mbconcord.simulation.motion.trajectory import name_columns

    if (event := name_columns(names)["event"]) in table.columns:
        again = table["t"].eq(table["t"].shift(-1)) & table[event].shift(-1).notna() & table[event].shift(-1).ne("")
        table = table[~again].reset_index(drop=True)
    columns = {
        column: _to_numbers(table[column])
        for column in ("t", *(name + dot for name in wanted for dot in ("", "'", "''")))
        if column in table.columns
    }
    parts = [{name: columns[name + dot] for name in wanted if name + dot in columns} for dot in ("", "'", "''")]
    return PrescribedTable.from_columns(columns["t"], *parts)


def _to_numbers(column: Series) -> Array:
    """Return the numbers of a column.

    Raises
    ------
    NumbersError
        A cell is not a finite number.
    """
    from pandas import to_numeric

    numbers: Array = to_numeric(column, errors="coerce").to_numpy(dtype=float)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        message = f"row {wrong[0] + 1} of column {column.name!r} holds {column.iloc[wrong[0]]!r:.40}, no finite number"
        raise NumbersError(error("motion", message, "give a number in every row"))
    return numbers
