"""Deep chains: processor time and memory of whole checks, and growth of the equations with the bodies.

Chains turn about x, y, z in turn, with full tensors.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mbconcord.converters.registry import write
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import count_operations

from ..newton_euler import CHAIN, chain
from ..row import BenchmarkRow

#: Seconds of the processor and megabytes that a check of so many bodies may take.
LIMITS = {30: (5.0, 250.0), 100: (10.0, 500.0)}
#: Operations of 40 bodies over those of 20.
MOST = {"M": 4.1, "h": 2.25}


def rows() -> Iterator[BenchmarkRow]:
    """Measure checks by all formalisms in separate processes; operations of M and h."""
    for bodies, (time, memory) in LIMITS.items():
        spent, needed = measure_check(bodies)
        title = f"mbconcord check of a chain of {bodies} bodies"
        yield BenchmarkRow(f"{title}: processor time", spent, "s", time, note=CHAIN)
        yield BenchmarkRow(f"{title}: memory", needed, "MB", memory)
    for name in BUILT_IN:
        short, long = (formalism(name).derive(chain(n)).quantities for n in (20, 40))
        for quantity, most in MOST.items():
            if quantity in short:
                many, few = (count_operations(flatten(made[quantity])).total for made in (long, short))
                yield BenchmarkRow(f"{name}: operations of {quantity} of 40 bodies over 20", many / few, "", most)


def measure_check(bodies: int) -> tuple[float, float]:
    """Measure processor seconds and largest memory (MB) of the program that checks a chain."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"chain{bodies}.json"
        file.write_text(write(chain(bodies), "native").text, encoding="utf-8")
        command = [sys.executable, "-m", "mbconcord", "check", str(file)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit
