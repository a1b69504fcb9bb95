"""Programs of others, run under limits of time, memory and output: they and their children are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

#: The script that sets the limits.
LIMITED: Final = Path(__file__).with_name("urdf") / "xacro_limits.py"
#: Bytes that are read of what a program says.
SAID: Final = 1 << 20


def run_limited(
    command: Sequence[str], limits: tuple[int, int, int], out: IO[bytes], said: IO[bytes],
    folder: str | None = None, environment: Mapping[str, str] | None = None,
) -> int | None:  # fmt: skip
    """Run a program and return its exit code, None if it timed out; it and all its children are ended.

    Parameters
    ----------
    command : words; the first is the absolute path of the program
    limits : seconds, of the processor and of the clock; bytes of addresses; bytes of each file that it writes
    out, said : where standard output and standard error go
    folder, environment : of the process; None: as here
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
        _end(process)
        out.seek(0, os.SEEK_END)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and those of its session."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def last_lines(said: IO[bytes]) -> str:
    """Return the last lines that a program wrote, in one line."""
    said.seek(0)
    lines = said.read(SAID).decode("utf-8", "replace").strip().splitlines()
    return " ".join(" ".join(lines[-3:]).split())[:300]
