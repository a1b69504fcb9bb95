"""Macros of ROS (``.xacro``): expanded by the xacro program, if the user allows it, under limits.

A file of macros evaluates Python: reading one is running it. No file is expanded unless the user allows it.

Runs of other programs under limits of time, memory and output; at the end they and their children are killed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final

from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.limits import XACRO_BYTES, XACRO_MEMORY, XACRO_SECONDS
from mbconcord.records import dataclass

#: The script that sets the limits.
LIMITED: Final = Path(__file__).with_name("urdf") / "xacro_limits.py"
#: Number of bytes that are read of a program's messages.
SAID: Final = 1 << 20
#: Number of characters of messages that are shown.
MOST_SAID: Final = 300
#: The folders of an absolute path, and the first of them.
_FOLDERS: Final = re.compile(r"""(?:file://|(?<![\w./]))(/[^\s/:'",<>]+)/(?:[^\s/:'",<>]+/)*""")


def run_limited(
    command: Sequence[str], limits: tuple[int, int, int], out: IO[bytes], said: IO[bytes],
    folder: str | None = None, environment: Mapping[str, str] | None = None,
) -> int | None:  # fmt: skip
    """Run a program and return its exit code, None if it timed out; it and all its children are killed at the end.

    Parameters
    ----------
    command : words of the command; the first is the absolute path of the program
    limits : seconds (of processor and of clock time each), bytes of address space, bytes of each written file
    out, said : files that receive standard output and standard error
    folder, environment : working folder and variables of the process; None: those of this process
    """
    process = subprocess.Popen(
        [sys.executable, "-I", str(LIMITED), *map(str, limits), *command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=said, start_new_session=True,
    )  # fmt: skip
    try:
        return process.wait(limits[0])
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_process(process)
        out.seek(0, os.SEEK_END)


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the other processes of its session."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def last_lines(said: IO[bytes], folders: Sequence[Path] = ()) -> str:
    """Return a program's last lines, joined to one; with ``folders``, files go by name, the same on any machine."""
    said.seek(0)
    text = said.read(SAID).decode("utf-8", "replace")
    for folder in folders:
        text = re.sub(f"(?:file://)?{re.escape(f'{folder}{os.sep}')}", "", text)
    text = _FOLDERS.sub(lambda found: "" if Path(found[1]).is_dir() else found[0], text) if folders else text
    lines = [line for line in text.splitlines() if line.strip(" \t~^")][-3:]  # a traceback marks a place below
    while sum(map(len, lines)) > MOST_SAID and len(lines) > 1:
        lines.pop(0)
    return " ".join(" ".join(lines).split())[:MOST_SAID]


SUFFIX: Final = ".xacro"
INSTALL: Final = "pip install 'mbconcord[xacro]'"
#: Pattern of an argument of macros.
ARGUMENT: Final = re.compile(r"[A-Za-z_]\w*:=.*", re.ASCII | re.DOTALL)
EXAMPLE: Final = "for example prefix:=left_"
#: Script that resolves ``$(find package)`` from the folders that the user names.
PACKAGES: Final = Path(__file__).with_name("urdf") / "xacro_packages.py"
#: The module that xacro asks for the folders of packages.
INDEX: Final = Path("ament_index_python", "packages.py")
#: Code to run if the module is installed and the program is not on the path.
MODULE: Final = "import xacro; xacro.main()"


@dataclass(frozen=True)
class Allowed:
    """Options that a user grants a reader in addition to the file.

    Attributes
    ----------
    xacro : allows expanding the macros of a file, which runs its code
    packages : folders that contain ROS packages or are packages: ``package://NAME/…``, ``$(find NAME)``
    free_base : lets the root move freely where the format welds it to the world
    arguments : ``NAME:=VALUE`` for the arguments of macros, ``$(arg NAME)``
    snap_angles : replaces decimals of multiples of 90 degrees by the exact angles
    assume : kinds of elements for which a law is assumed, because theirs is unknown
    encoding : code page of files whose format names none; empty: found from their bytes
    program : name of another program, whose reading of the text is applied; empty: the format's own
    """

    xacro: bool = False
    packages: tuple[str, ...] = ()
    free_base: bool = False
    arguments: tuple[str, ...] = ()
    snap_angles: bool = False
    program: str = ""
    assume: tuple[str, ...] = ()
    encoding: str = ""


def expand_macros(file: str, allowed: Allowed) -> str:
    """Expand a file of macros to text.

    Raises
    ------
    ReadError
        The user does not allow it; xacro is not installed, fails, or exceeds the limits of time, memory or output.
    """
    if not allowed.xacro:
        first = f"or expand it first: xacro {Path(file).name} > robot.urdf"
        remedy = f"allow it: --allow xacro, in Python mbconcord.read(file, allow_xacro=True); {first}"
        raise ReadError(error(file, "macros (xacro) are not expanded unasked, as they run what the file says", remedy))
    _require_arguments(allowed.arguments)
    command = _program(file)
    path = Path(file).resolve()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        words, limits = [*command, str(path), *allowed.arguments], (XACRO_SECONDS, XACRO_MEMORY, XACRO_BYTES + 1)
        code = run_limited(words, limits, out, said, folder, _environment(allowed.packages, folder))
        if code is None:
            raise _failure(file, f"xacro took more than {XACRO_SECONDS} s", "no model takes so long")
        if out.tell() > XACRO_BYTES or code == -getattr(signal, "SIGXFSZ", 0):
            raise _failure(file, f"xacro made more than {XACRO_BYTES:,} bytes", "no model is so large")
        if code:
            raise _failure(file, f"xacro fails: {last_lines(said) or f'exit code {code}'}", _remedy(said))
        out.seek(0)
        return out.read().decode("utf-8", "replace")


def _require_arguments(arguments: tuple[str, ...]) -> None:
    """Refuse texts that are no arguments of macros: xacro would take them for options or files."""
    wrong = [text for text in arguments if not ARGUMENT.fullmatch(text)]
    if wrong:
        found = [error("--read xacro", f"found {text!r}, expected NAME:=VALUE", EXAMPLE) for text in wrong]
        raise ReadError(found)


def _program(file: str) -> list[str]:
    """Return the command that runs xacro: the program on the path, else the module of this installation."""
    found = shutil.which("xacro")
    if found is not None:
        return [str(Path(found).absolute())]
    if find_spec("xacro") is None:
        raise _failure(file, "xacro is not installed", INSTALL)
    return [sys.executable, "-P", "-c", MODULE]


def _environment(packages: tuple[str, ...], own: str) -> dict[str, str]:
    """Return this process's environment; the user's folders of packages, if any, become the search path of xacro."""
    made = dict(os.environ) | {"PYTHONDONTWRITEBYTECODE": "1"}
    if packages:
        index = Path(own) / INDEX
        index.parent.mkdir()
        shutil.copyfile(PACKAGES, index)
        (index.parent / "__init__.py").touch()
        folders = os.pathsep.join(str(Path(folder).resolve()) for folder in packages)
        before = [made["PYTHONPATH"]] if made.get("PYTHONPATH") else []
        made |= {
            "MBCONCORD_PACKAGES": folders,
            "ROS_PACKAGE_PATH": folders,
            "PYTHONPATH": os.pathsep.join([own, *before]),
        }
    return made


def _remedy(said: IO[bytes]) -> str:
    last = last_lines(said)
    if "MemoryError" in last:
        return f"it had {XACRO_MEMORY // 10**6:,} MB: no model takes so much"
    if "ament_index" in last or "PackageNotFound" in last or "package" in last.lower():
        return "name the folder in which its packages stand: --read package-path=FOLDER"
    return "see what xacro itself says of the file"


def _failure(file: str, message: str, remedy: str) -> ReadError:
    return ReadError(error(file, message, remedy))
