"""Machine code on disk: loaded in milliseconds, while compiling takes a tenth of a second and more.

A file holds a header (magic, length, digest of name and code) and the code of one kernel; its name is the digest of all
that the code depends on. A damaged object file would end the process that loads it, and an object file of another user
*is* another user's program. So a file whose header does not fit is not loaded but compiled anew and replaced; and the
folder is used only if it is no link, belongs to the user, and is closed to others. Files are written to a temporary
name and renamed: two processes may compile the same kernel. The least recently used files are removed beyond a limit.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from mbconcord.model.diagnostics import Diagnostic

MAGIC: Final = b"mbconcord kernel 1\n"
#: Bytes of all files together.
LIMIT: Final = 256_000_000
#: Set to a folder, the cache is there; set to nothing, there is none.
VARIABLE: Final = "MBCONCORD_KERNEL_CACHE"

_LENGTH = 8
_DIGEST = 32
_HEAD = len(MAGIC) + _LENGTH + _DIGEST


class Cache:
    """A folder of machine code.

    Parameters
    ----------
    folder : path, created if it is missing; None: nothing is kept
    limit : largest size of all files together, bytes

    Attributes
    ----------
    findings : why the folder is not used
    """

    def __init__(self, folder: Path | None, limit: int = LIMIT) -> None:
        self.folder = folder
        self._limit = limit
        self.findings: tuple[Diagnostic, ...] = ()

    @classmethod
    def own(cls) -> Cache:
        """Return the user's cache: ``mbconcord/kernels`` in the folder of caches, or the variable's value."""
        said = os.environ.get(VARIABLE)
        if said is not None:
            return cls(Path(said).absolute() if said else None)
        base = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if base.is_absolute():
            return cls(base / "mbconcord" / "kernels")
        home = _find_home()
        return cls(None if home is None else home / ".cache" / "mbconcord" / "kernels")

    def get(self, key: str) -> bytes | None:
        """Load the code of that name; None if no loadable file exists."""
        with self._report_failures(), self._folder() as folder:
            return _read(folder, key)
        return None

    def put(self, key: str, code: bytes) -> None:
        """Keep code under that name."""
        with self._report_failures(), self._folder() as folder:
            beside = f"{key}.{token_hex(8)}"
            try:
                _write(folder, beside, _head(key, code) + code)
                os.replace(beside, key, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with suppress(OSError):
                    os.unlink(beside, dir_fd=folder)
                raise
            _limit_size(folder, self._limit, key)

    @contextmanager
    def _folder(self) -> Iterator[int]:
        """Open the folder once it is known to be the user's own."""
        if self.folder is None:
            raise _NoneError
        if os.open not in os.supports_dir_fd or not hasattr(os, "geteuid"):
            raise OSError("this system does not tell whose folder it is")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _require_own(os.fstat(found), 0o077)
            yield found
        finally:
            os.close(found)

    @contextmanager
    def _report_failures(self) -> Iterator[None]:
        """Turn failures of the folder into findings, because a kernel can be compiled without it."""
        try:
            yield
        except _NoneError:
            pass
        except OSError as problem:
            reason = problem.strerror or str(problem)
            message = f"machine code is not kept in {self.folder}: {reason}"
            remedy = f"a folder of your own that nobody else may enter; {VARIABLE} names another"
            self.findings = (Diagnostic("warning", "kernels/cache", message, remedy=remedy),)


class _NoneError(Exception):
    """The folder does not exist."""


def _find_home() -> Path | None:
    """Return the user's home: $HOME, or that in the list of users if $HOME is not absolute; None if neither is."""
    with suppress(RuntimeError, ImportError, KeyError):
        home = Path.home()
        if os.name == "posix" and not Path(os.environ.get("HOME", "")).is_absolute():
            import pwd  # not before: Windows has none

            home = Path(pwd.getpwuid(os.getuid()).pw_dir)
        return home if home.is_absolute() else None
    return None


def _require_own(status: os.stat_result, others: int) -> None:
    """Raise an error if another user owns a file or folder, or may change it."""
    if status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "another user owns it")
    if status.st_mode & others:
        raise PermissionError(errno.EPERM, "other users may enter it")


def _head(key: str, code: bytes) -> bytes:
    digest = hashlib.blake2b(key.encode() + code, digest_size=_DIGEST).digest()
    return MAGIC + len(code).to_bytes(_LENGTH, "little") + digest


def _read(folder: int, key: str) -> bytes | None:
    """Read the code of a file whose header fits."""
    try:
        file = os.open(key, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:  # there is none, or it is a link
        return None
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > LIMIT:
            return None
        content = stream.read()
    code = content[_HEAD:]
    if content[:_HEAD] != _head(key, code):
        return None
    with suppress(OSError):
        os.utime(key, dir_fd=folder, follow_symlinks=False)  # it was used now
    return code


def _write(folder: int, name: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as stream:
        stream.write(content)


def _limit_size(folder: int, limit: int, kept: str) -> None:
    """Remove the files that were used longest ago until the rest are within the limit."""
    found = []
    for name in os.listdir(folder):
        with suppress(OSError):  # another process has just removed it
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            found.append((status.st_mtime_ns, name, status.st_size))
    total = sum(size for _, _, size in found)
    for _, name, size in sorted(found):
        if total <= limit:
            return
        if name != kept:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
            total -= size
