"""Writing a file: the old one or the new one, never half of one, whenever the program ends."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

#: What the name of a file begins and ends with while it is written, and all such names.
PREFIX, SUFFIX = ".mbconcord-", ".part"
_WRITTEN = re.compile(re.escape(PREFIX) + r"[a-z0-9_]{8}" + re.escape(SUFFIX))
#: Seconds after which a file that nobody holds is a leftover of a process that was killed.
LEFT_OVER = 3_600.0
#: Mode of a new file before the umask takes from it.
NEW_FILE = 0o666


def replace_file(path: Path, data: bytes) -> None:
    """Put these bytes in place of a file's, in one step; OSError when that cannot be, and then nothing is changed.

    They are written to a file of an unforeseeable name in the same folder, which nobody else can open, stored on the
    disk, and given the name. The new file has the mode of the old one. A symbolic link to a file is refused: what it
    points to is not what was named. A device or a pipe has nothing to replace and is written to. What processes that
    were killed have left in the folder is deleted.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(data)
        return
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link to a file")
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
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


def _held_file(folder: Path) -> tuple[int, Path]:
    """A new file that this process holds locked; one that was taken for a leftover before it was locked is left."""
    while True:
        descriptor, name = tempfile.mkstemp(SUFFIX, PREFIX, folder)
        _lock(descriptor)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        os.close(descriptor)


def _delete_leftovers(folder: Path) -> None:
    """Delete files of this name that nobody holds: whoever writes one has it locked, and it is new.

    Both are asked for: a lock may be unseen by another machine that has the folder too.
    """
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if _WRITTEN.fullmatch(entry.name)]
    for path in found:
        with suppress(OSError):
            descriptor = os.open(
                path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            )
            try:
                known = os.fstat(descriptor)
                old = time.time() - known.st_mtime > LEFT_OVER
                if old and stat.S_ISREG(known.st_mode) and _lock(descriptor, wait=False):
                    Path(path).unlink()
            finally:
                os.close(descriptor)


def _lock(descriptor: int, wait: bool = True) -> bool:
    """Lock an open file for as long as it is open; False where another process has it, or the system has no locks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _mode(path: Path) -> int | None:
    """Kind and mode of what a name stands for; None where it stands for nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    """The process's mask of modes, which can only be asked for by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _store_name(folder: Path) -> None:
    """Store a folder's new entry on the disk, where the system can; without it the file is still whole, old or new."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
