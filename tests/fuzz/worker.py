"""A process that feeds inputs to readers, limited in memory and time.

    python -m tests.fuzz.worker FIRST COUNT FOLDER

Inputs are numbered; the reader of each follows from its number. A finding is a line of JSON: reader, number, what was
raised. Before an input is read its number is written to ``FOLDER/at``, so that the parent knows which one ended
the process.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

#: Bytes that the process may hold, and seconds of the processor that one input may take.
MEMORY, SECONDS = 1_000_000_000, 10
#: Address space of the libraries, which is not held.
LIBRARIES = 1_500_000_000


class HangError(BaseException):
    """An input took too long; no ``except Exception`` stops it."""


def hangs(number: int, frame: FrameType | None) -> None:
    """What the alarm of an input calls."""
    raise HangError


def finding(reader: str, data: bytes, random: Any, place: Path) -> str | None:
    """What is wrong with how a reader takes an input: None where it reads it or refuses it in its own words."""
    from mbconcord.model.diagnostics import MbconcordError
    from mbconcord.model.expressions import ExpressionError

    from .readers import READERS

    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        READERS[reader].run(data, random, place)
    except MbconcordError as refused:
        empty = not refused.diagnostics or not all(d.message for d in refused.diagnostics)
        return "refused without a word" if empty else None
    except ExpressionError:
        return None
    except HangError:
        return f"more than {SECONDS} s"
    except RecursionError:
        return "RecursionError"
    except (Exception, MemoryError):
        return "".join(traceback.format_exc().splitlines(keepends=True)[-8:])
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


def peak() -> int:
    """The most memory that this process held, in bytes; usage as the system tells it begins with that of the parent."""
    status = Path("/proc/self/status")
    if status.exists():
        (held,) = (line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM:"))
        return int(held.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    signal.signal(signal.SIGVTALRM, hangs)
    from .inputs import made
    from .readers import READERS

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + LIBRARIES, MEMORY + LIBRARIES))
    names = list(READERS)
    seeds = {name: reader.seeds(name) for name, reader in READERS.items()}
    with (folder / "at").open("w") as at:
        for number in range(first, first + count):
            at.seek(0)
            at.write(f"{number:12}")
            at.flush()
            name = names[number % len(names)]
            data, random = made(name, number, seeds[name])
            wrong = finding(name, data, random, folder)
            if wrong is not None:
                sys.stdout.write(json.dumps({"reader": name, "number": number, "wrong": wrong}) + "\n")
                sys.stdout.flush()
    sys.stdout.write(json.dumps({"peak": peak()}) + "\n")


if __name__ == "__main__":
    main()
