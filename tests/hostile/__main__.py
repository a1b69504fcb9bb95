"""Print what every hostile input costs, the dearest first, beside its aim: ``python -m tests.hostile``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from mbconcord.fixtures import folder

from .inputs import ROWS, make
from .worker import run_rows

#: Seconds of the processor that a row may take on an idle machine.
AIM = 5.0

with tempfile.TemporaryDirectory() as made:
    make(Path(made), folder() / "um_equations" / "double_pendulum" / "C")
    done = run_rows([*ROWS], Path(made))
for row, found in sorted(done.items(), key=lambda item: -item[1]["seconds"]):
    late = "  above the aim" if found["seconds"] > AIM else ""
    sys.stdout.write(f"{found['seconds']:6.2f} s {found['peak'] / 1e6:6.0f} MB  {row}{late}\n")
