"""Fuzz every reader at length.

    python -m tests.fuzz [--count N] [--first N] [--processes N] [--keep FOLDER]

Inputs are numbered and the same on every run. An input that is neither read nor refused in the reader's words, that
takes more than ten seconds or ends its process, is written to FOLDER (``out/fuzz``): once it is mended, it goes to
``tests/fuzz/corpus`` under its name. Then a process that writes files is killed a hundred times. Exit code 1: something
was found.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ..hostile.kills import kills
from .run import fuzz

KILLS = 100


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"))
    arguments = parser.parse_args()
    count = 0
    for found in fuzz(arguments.first, arguments.count, 1_000, arguments.processes):
        count += 1
        arguments.keep.mkdir(parents=True, exist_ok=True)
        if found.reader != "all":
            (arguments.keep / f"{found.reader}-{found.number}").write_bytes(found.data())
        print(f"{found.reader} {found.number}: {found.wrong}")
    print(f"{arguments.count:,} inputs: {count} findings")
    with TemporaryDirectory() as folder:
        kinds = kills(Path(folder) / "file", KILLS)
    print(f"{KILLS} writers killed: each file is whole, {len(kinds)} kinds of it")
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
