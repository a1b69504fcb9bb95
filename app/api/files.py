"""Writing a file: the old one or the new one, never half of one, whenever the program ends."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

#: What the name of a file begins with while it is written.
PREFIX = ".mbconcord-"
#: Mode of a new file before the umask takes from it.
NEW_FILE = 0o666


def replace_file(path: Path, data: bytes) -> None:
    """Put these bytes in place of a file's, in one step; OSError when that cannot be, and then nothing is changed.

    They are written to a file of an unforeseeable name in the same folder, which nobody else can open, stored on the
    disk, and given the name. The new file has the mode of the old one. A symbolic link to a file is refused: what it
    points to is not what was named. A device or a pipe has nothing to replace and is written to.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(data)
        return
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link to a file")
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    descriptor, name = tempfile.mkstemp(prefix=PREFIX, dir=path.parent)
    made = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        made.chmod(NEW_FILE & ~_umask() if mode is None else stat.S_IMODE(mode))
        made.replace(path)
    except BaseException:
        with suppress(OSError):
            made.unlink()
        raise
    _store_name(path.parent)


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
