"""Runs of other programs under limits of time, memory and output; at the end they and their children are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

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
