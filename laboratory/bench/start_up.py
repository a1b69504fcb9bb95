"""Wall time of whole commands, interpreter start included; processor time with witnesses and without."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from statistics import median

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
    yield from _witnesses()


#: Models by which the cost of witnesses is measured, and what a command needs to know of one.
WITNESSED = {"crane": ("mbsd/patu655.mbsd", ["--time", "0"]), "panda": ("robots/panda.mbsd", []),
             "talos": ("robots/talos.mbsd", [])}  # fmt: skip
#: Runs of which the median counts, and times the processor time without witnesses at most.
RUNS, DEARER = 3, 1.3


def _witnesses() -> Iterator[BenchmarkRow]:
    """Divide processor time of commands with witnesses by that without, nothing kept from earlier runs."""
    program = [sys.executable, "-m", "mbconcord"]
    for name, (file, more) in WITNESSED.items():
        path = str(folder() / file)
        code = f"import mbconcord as mb; mb.compile({path!r}, backend='llvm', witness={{}})"
        for verb, pair in {
            "linearize": [[*program, "linearize", path, *more, *off] for off in ([], ["--no-witness"])],
            "simulate": [[*program, "simulate", path, "--until", "2", *off] for off in ([], ["--no-witness"])],
            "compile": [[sys.executable, "-c", code.format(on)] for on in (True, False)],
        }.items():
            judged, alone = zip(*([_processor(command) for command in pair] for _ in range(RUNS)), strict=True)
            ratio, note = median(judged) / median(alone), f"{median(judged):.2f} s of {median(alone):.2f} s"
            yield BenchmarkRow(f"{verb} of {name}: with witnesses", ratio, "", DEARER, note=note)


def _processor(command: Sequence[str]) -> float:
    """Measure processor seconds of a command, its own processes included; machine code is made anew."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "MBCONCORD_KERNEL_CACHE": ""}
    subprocess.run(command, capture_output=True, env=environment, check=False)  # 3: something is not decided
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
