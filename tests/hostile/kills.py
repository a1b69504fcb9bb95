"""A process that replaces a file without end is killed at random moments: the file is the old one or the new one.

    python kills.py files.py TARGET SIZE

is the process: each time it writes so many bytes of one kind.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import cycle
from pathlib import Path
from random import Random
from runpy import run_path

SIZE = 2_000_000
#: Seconds in which a moment is drawn; a file is written some ten times in them.
WHILE = 0.03


def kills(target: Path, times: int, seed: int = 1) -> set[bytes]:
    """Kill a writer so many times; the kinds of bytes that were found. AssertionError: a file that is neither."""
    from mbconcord.api import files  # not by the process, which begins sooner so

    random, found = Random(seed), set()
    target.write_bytes(b"0" * SIZE)
    command = [sys.executable, __file__, files.__file__, str(target), str(SIZE)]
    for _ in range(times):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()  # it writes
            try:
                writer.wait(random.uniform(0, WHILE))
            except subprocess.TimeoutExpired:
                writer.kill()
        data = target.read_bytes()
        assert len(data) == SIZE and len(set(data)) == 1, f"{len(data)} bytes of {sorted(set(data))}"
        found.add(data[:1])
    return found


def write() -> None:
    """Replace the target without end."""
    module, target, size = sys.argv[1:]
    replace_file = run_path(module)["replace_file"]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for kind in cycle(b"123456789"):
        replace_file(Path(target), bytes([kind]) * int(size))


if __name__ == "__main__":
    write()
