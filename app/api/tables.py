"""Tables of pandas as files: CSV always, Parquet with the extra ``[data]``; of what does not fit a part is kept."""

from __future__ import annotations

import contextlib
import errno
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbconcord.model.diagnostics import ReadError, WriteError, error
from mbconcord.reports.extras import optional

from .files import replace_file
from .writing import write

if TYPE_CHECKING:
    from pandas import DataFrame

SUFFIXES: Final = (".csv", ".parquet")
#: What a table is called of which only a part could be written, before its suffix.
PART: Final = ".part"
#: Bytes that are written at once where the disk is full.
BLOCK: Final = 4096


def suffix_of(path: Path) -> str:
    """The suffix of a table's file.

    Raises
    ------
    WriteError
        It is none of :data:`SUFFIXES`; or a package is missing.
    """
    if path.suffix not in SUFFIXES:
        remedy = f"known: {', '.join(SUFFIXES)}; a drawing is .svg or .html"
        raise WriteError(error("", f"{path}: no table has the suffix {path.suffix!r}", remedy))
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
        It cannot be written. Where the disk is full, the rows that fit are kept in a CSV beside it: it is said where.
    """
    parquet = suffix_of(path) == ".parquet"
    data = _parquet(table) if parquet else _csv(table)
    try:
        replace_file(path, data)
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return write(path, data)  # which says why it cannot be
        kept = _kept(path.with_suffix(".csv"), _csv(table) if parquet else data)
        raise WriteError(error("", f"{path}: {problem.strerror}; {kept}", "make room, then resume")) from None
    return path


def _csv(table: DataFrame) -> bytes:
    text: str = table.to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8")


def _parquet(table: DataFrame) -> bytes:
    stream = io.BytesIO()
    table.to_parquet(stream, engine="pyarrow", index=False)
    return stream.getvalue()


def _kept(path: Path, data: bytes) -> str:
    """What was done with the rows that fit."""
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
    """A column of texts as floats, with all their digits; as it is where some are none."""
    try:
        return column.map(lambda text: float(text) if text else float("nan"))
    except ValueError:
        return column


def read_table(path: Path) -> DataFrame:
    """The table of a file.

    Raises
    ------
    ReadError
        It cannot be read; or a package is missing.
    """
    import pandas

    try:
        if path.suffix == ".parquet":
            optional("pyarrow", "data", "reading Parquet")
            return pandas.read_parquet(path, engine="pyarrow")
        texts = pandas.read_csv(path, dtype=str, keep_default_na=False)
        return texts.apply(_numbers)
    except OSError as problem:
        raise ReadError(
            error("", f"{path}: {problem.strerror or problem}", "name the file of a table")
        ) from None
    except ValueError as problem:
        said = " ".join(str(problem).split())[:200]
        raise ReadError(error("", f"{path}: no table ({said})", "name what simulate has written")) from None
