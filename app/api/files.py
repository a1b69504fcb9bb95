"""Atomic writing of files: whenever the program ends, the old file or the new file is there, never a part."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mbconcord.model.diagnostics import WriteError, error

# Files that functions write: whole, or refused in the project's own words.


def write(path: Path, data: bytes) -> Path:
    """Replace a file in one step, or not at all, and return its path.

    Raises
    ------
    WriteError
        The file cannot be written, or the data are a page or a drawing and the suffix is that of another kind.
    """
    page, drawing = data.startswith(b"<!"), data.startswith((b"<?xml", b"<svg"))
    if path.suffix in (".csv", ".parquet", ".json") + ((".svg",) if page else (".html",)) and (page or drawing):
        found = "a page" if page else "a drawing"
        raise WriteError(error(str(path), f"found {found}, expected what {path.suffix} holds", "report this"))
    try:
        replace_file(path, data)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise WriteError(error(str(path), reason, "name a file that can be written")) from None
    return path


#: Prefix and suffix of a temporary file's name while it is written; the pattern of all such names.
PREFIX, SUFFIX = ".mbconcord-", ".part"
_WRITTEN = re.compile(re.escape(PREFIX) + r"[a-z0-9_]{8}" + re.escape(SUFFIX))
#: Age in seconds after which a temporary file without a lock is a leftover of a killed process.
LEFT_OVER = 3_600.0
#: Mode of a new file before the umask is applied.
NEW_FILE = 0o666


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file's bytes in one step; if that is impossible, raise OSError and change nothing.

    The bytes go to a private file with a random name in the same folder, which is synchronized to disk and renamed. The
    new file has the mode of the old one. A symbolic link to a file is refused: its target is not what was named. A
    device or a pipe is written to, not replaced. Leftovers of killed processes in the folder are deleted.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(data)
        return
    require_replaceable(path)
    descriptor, made = _held_file(path.parent)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
            if sys.platform == "win32":  # there what is open keeps its name
                opened.close()
            made.chmod(NEW_FILE & ~_umask() if mode is None else stat.S_IMODE(mode))
            made.replace(path)
    except BaseException:
        with suppress(OSError):
            made.unlink()
        raise
    _store_name(path.parent)
    with suppress(OSError):
        _delete_leftovers(path.parent)


def require_replaceable(path: Path) -> None:
    """Raise OSError if a path must not be replaced: a symbolic link, or a file without permission to write."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link to a file", str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _held_file(folder: Path) -> tuple[int, Path]:
    """Create and lock a temporary file; try again if another process removed it before it was locked."""
    while True:
        descriptor, name = tempfile.mkstemp(SUFFIX, PREFIX, folder)
        _lock(descriptor)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        os.close(descriptor)


def _delete_leftovers(folder: Path) -> None:
    """Delete temporary files in a folder that are old and not locked by a writer.

    Age counts, too, because a lock may be invisible to another machine that shares the folder.
    """
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if _WRITTEN.fullmatch(entry.name)]
    for path in found:
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            try:
                known = os.fstat(descriptor)
                old = time.time() - known.st_mtime > LEFT_OVER
                if old and stat.S_ISREG(known.st_mode) and _lock(descriptor, wait=False):
                    Path(path).unlink()
            finally:
                os.close(descriptor)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder while a file in it is read, changed and written; do nothing if the system has no locks."""
    descriptor = None
    with suppress(OSError, ValueError):
        descriptor = os.open(folder, os.O_RDONLY)
        _lock(descriptor)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _lock(descriptor: int, wait: bool = True) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it, or there are no locks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _mode(path: Path) -> int | None:
    """Return the file's kind and mode; None if it does not exist."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    """Return the process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _store_name(folder: Path) -> None:
    """Synchronize a folder's new entry to disk, if the system can; else a crash may leave the old file, also whole."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
