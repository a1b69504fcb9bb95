"""Work in a forked process with limits of time and memory: it always ends, without harm to others."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions.node import forget_nodes
from mbconcord.records import dataclass, field

from ...judge.progress import deaf

#: What one model may take: seconds of the processor, seconds of the clock for each of them, bytes beyond those of the
#: process that is forked for it.
SECONDS, PATIENCE, ROOM = 60, 10, 4 << 30
#: How a process that could not have more memory ends.
OUT_OF_MEMORY: Final = 3


@dataclass(eq=False)
class Child:
    """A process that works on a task, and its output so far."""

    pid: int
    pipe: BinaryIO
    limit: int
    end: float
    said: bytearray = field(default_factory=bytearray)

    def read(self) -> bool:
        """Read the process's new output; return True if it has ended."""
        data = os.read(self.pipe.fileno(), 1 << 16)
        self.said += data
        return not data

    def late(self) -> bool:
        """Return True if the process has used up its time by the clock."""
        return time.monotonic() > self.end

    def kill(self) -> None:
        """Kill the process at once."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def result(self) -> Any:
        """Return the result once the process has ended; if there is none, a :class:`str` that says how it ended."""
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
        raise MbconcordError(error("explore", "this system has no fork", "explore on Linux, on macOS or in WSL"))


def begin(work: Callable[[], Any], seconds: int = SECONDS) -> Child:
    """Start a process for the work, whose result must be a JSON value."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, os.fdopen(reading, "rb"), seconds, time.monotonic() + PATIENCE * seconds)
    code = 1
    try:
        os.close(reading)
        _limit_process(seconds)
        answer = json.dumps(work()).encode()
        with os.fdopen(writing, "wb") as out:
            out.write(answer)
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    finally:
        os._exit(code)


def apart(work: Callable[[], Any], seconds: int = SECONDS) -> Any:
    """Do the work in a separate process and return its result; if there is none, a :class:`str` that says why."""
    child = begin(work, seconds)
    while True:
        ready, _, _ = select.select([child.pipe], [], [], 1.0)
        if ready and child.read():
            return child.result()
        if child.late():
            child.kill()


def _limit_process(seconds: int) -> None:
    """Limit this process, silence it and stop garbage collection: it lives for one model."""
    import resource

    gc.disable()
    forget_nodes(False)
    deaf()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    room = ROOM + _measure_space()
    for kind, soft, hard in ((resource.RLIMIT_CPU, seconds, seconds + 5), (resource.RLIMIT_AS, room, room)):
        _, there = resource.getrlimit(kind)  # only root raises it
        most = hard if there == resource.RLIM_INFINITY else min(hard, there)
        resource.setrlimit(kind, (min(soft, most), most))


def _measure_space() -> int:
    """Measure the address space of this process (bytes); 0 if the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


Item = TypeVar("Item")
#: How long a wait for processes may take before their time is looked at (s).
LOOK: Final = 1.0


def each(work: Callable[[Item], Any], items: Iterator[Item], jobs: int, *seconds: int) -> Generator[tuple[Item, Any]]:
    """Yield every item with its result, in order of completion; without a result, a :class:`str` that says why.

    Each item may take ``seconds`` of processor time, if given, else :data:`SECONDS`. If the generator is closed
    early, it ends the processes that still work.
    """
    require_forks()
    working: dict[Child, Item] = {}
    try:
        while True:
            while len(working) < jobs and (item := next(items, None)) is not None:
                working[begin(partial(work, item), *seconds)] = item
            if not working:
                return
            for child in _wait_for_ended(working):
                yield working.pop(child), child.result()
    finally:
        for child in working:
            child.kill()
        for child in working:
            with suppress(OSError):
                child.result()


def _wait_for_ended(working: dict[Child, Any]) -> list[Child]:
    """Wait for processes to end, and end late ones; return those that have ended."""
    while True:
        by_pipe = {child.pipe.fileno(): child for child in working}
        ready = [by_pipe[pipe] for pipe in by_pipe.keys() & set(wait(list(by_pipe), LOOK))]
        done = [child for child in ready if child.read()]
        if done:
            return done
        for child in working:
            if child.late():
                child.kill()
