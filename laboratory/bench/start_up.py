"""Wall time of whole commands, interpreter start included."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from mbconcord.fixtures import folder

from .row import BenchmarkRow, seconds


def rows() -> Iterator[BenchmarkRow]:
    """Time ``mbconcord --help`` and ``mbconcord check`` of the double pendulum."""
    pendulum = str(folder("mbsd") / "double_pendulum.mbsd")
    for claim, arguments, limit in (
        ("mbconcord --help", ["--help"], 0.1),
        ("mbconcord check double_pendulum.mbsd", ["check", pendulum], 0.4),
    ):
        command = [sys.executable, "-m", "mbconcord", *arguments]
        wall = seconds(lambda c=command: subprocess.run(c, capture_output=True, check=True))  # type: ignore[misc]
        yield BenchmarkRow(claim, wall, "s", limit)
