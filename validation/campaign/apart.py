"""Work in a forked process with limits of time and memory: whatever it does, it ends, and nobody else with it."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions.node import forget_nodes

from ..progress import deaf

#: What one model may take: seconds of the processor, seconds of the clock for each of them, bytes.
SECONDS, PATIENCE, ROOM = 60, 10, 4 << 30
#: How a process that could not have more memory ends.
OUT_OF_MEMORY: Final = 3


@dataclass(eq=False)
class Child:
    """A process that works on something, and what it has said so far."""

    pid: int
    pipe: BinaryIO
    limit: int
    end: float
    said: bytearray = field(default_factory=bytearray)

    def read(self) -> bool:
        """Take what it has to say; whether it has ended."""
        data = os.read(self.pipe.fileno(), 1 << 16)
        self.said += data
        return not data

    def late(self) -> bool:
        """Whether it has used up its time by the clock."""
        return time.monotonic() > self.end

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def result(self) -> Any:
        """What the work gave, once it has ended; :class:`str` where it ended without one: how."""
        self.pipe.close()
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if not code:
            with suppress(ValueError):
                return json.loads(self.said)
        if self.late() or code == -signal.SIGXCPU:
            return f"took more than {self.limit} s"
        if code == OUT_OF_MEMORY:
            return f"took more than {ROOM >> 30} GiB"
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def require_forks() -> None:
    """Raise :class:`MbconcordError` on systems where processes do not fork."""
    if not hasattr(os, "fork"):
        raise MbconcordError(
            error("explore", "this system has no fork", "explore on Linux, on macOS or in WSL")
        )


def begun(work: Callable[[], Any], seconds: int = SECONDS) -> Child:
    """A process that does the work; what it gives must be a value of JSON."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, os.fdopen(reading, "rb"), seconds, time.monotonic() + PATIENCE * seconds)
    code = 1
    try:
        os.close(reading)
        _limited(seconds)
        answer = json.dumps(work()).encode()
        with os.fdopen(writing, "wb") as out:
            out.write(answer)
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    finally:
        os._exit(code)


def apart(work: Callable[[], Any], seconds: int = SECONDS) -> Any:
    """What the work gives, done in a process of its own; :class:`str` where it gave nothing: how it ended."""
    child = begun(work, seconds)
    while True:
        ready, _, _ = select.select([child.pipe], [], [], 1.0)
        if ready and child.read():
            return child.result()
        if child.late():
            child.kill()


def _limited(seconds: int) -> None:
    """Limits of this process, which is quiet and collects no garbage: it lives for one model."""
    import resource

    gc.disable()
    forget_nodes(False)
    deaf()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
