"""Runs workers over a range of inputs and collects what they find."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from .inputs import made
from .readers import READERS
from .worker import MEMORY

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finding:
    """An input that a reader does not take as it should: reader, number, what came of it."""

    reader: str
    number: int
    wrong: str

    def data(self) -> bytes:
        """The input."""
        return made(self.reader, self.number, READERS[self.reader].seeds(self.reader))[0]


def fuzz(first: int, count: int, batch: int, processes: int = 1) -> Iterator[Finding]:
    """What goes wrong with so many inputs, in workers of a batch each."""
    starts = range(first, first + count, batch)
    with ThreadPoolExecutor(processes) as pool:
        for found in pool.map(lambda start: _worker(start, min(batch, first + count - start)), starts):
            yield from found


def _worker(first: int, count: int) -> list[Finding]:
    """Run one worker; where an input ends it, that is a finding, and another worker goes on behind it."""
    findings = []
    while count > 0:
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.fuzz.worker", str(first), str(count), folder]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            findings += [Finding(**line) for line in lines if "number" in line]
            if done.returncode == 0:
                if lines[-1]["peak"] > MEMORY:
                    findings.append(Finding("all", first, f"{lines[-1]['peak']:,} bytes were held"))
                return findings
            at = Path(folder) / "at"
            if not at.exists():
                raise RuntimeError(done.stderr)
            number = int(at.read_text())
        names = list(READERS)
        findings.append(Finding(names[number % len(names)], number, f"the process ended with {done.returncode}"))
        first, count = number + 1, first + count - number - 1
    return findings
