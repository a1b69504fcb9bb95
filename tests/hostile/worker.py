"""Runs commands one after the other in a process of its own and tells of each what came of it, as a line of JSON.

Standard input has the commands as a JSON list of lists of words. The process may have so much memory and time.
"""

from __future__ import annotations

import gc
import io
import json
import os
import resource
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from mbconcord.fixtures import folder

from .inputs import FILES

#: Bytes of address space, and seconds of the processor for one command.
MEMORY, SECONDS = 2 << 30, 20


def most_memory() -> int:
    """Bytes that this process has held at most; what getrusage says starts with what its parent held."""
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


#: row -> exit code, output, messages, seconds of the processor, most bytes
Done = dict[str, dict[str, Any]]


def run_rows(rows: list[str], made: Path) -> Done:
    """Run the commands in one process that is limited in memory and time."""
    commands = [
        row.replace("{files}", str(FILES)).replace("{made}", str(made)).replace("{fixtures}", str(folder())).split(" ")
        for row in rows
    ]
    run = subprocess.run(
        [sys.executable, "-m", "tests.hostile.worker"],
        input=json.dumps(commands), capture_output=True, text=True, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(lines) == len(rows), f"{rows[len(lines)]}: the process ended with {run.returncode}\n{run.stderr}"
    return dict(zip(rows, lines, strict=True))


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from mbconcord.cli import main as command

    for words in json.load(sys.stdin):
        out, err = io.StringIO(), io.StringIO()
        gc.collect()  # a command is measured by itself: the most memory counts from here
        Path("/proc/self/clear_refs").write_text("5", "ascii")
        began = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(began) + SECONDS, resource.RLIM_INFINITY))
        with redirect_stdout(out), redirect_stderr(err):
            code = command(words)
        peak = most_memory()
        seconds = time.process_time() - began
        said = {"code": code, "out": out.getvalue(), "err": err.getvalue(), "seconds": seconds, "peak": peak}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
