"""Worker: it receives a task as two texts of JSON, does it in processes with limits, and returns the answer as a text.

It is independent of the source of tasks. A child process of the worker, with one thread, has imported the modules that
tasks need and forks for each task: whatever a task does to its process, the worker continues.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.plugins import import_named
from mbconcord.records import dataclass

#: What results depend on: parts of the program, kinds of files.
PARTS: Final = ("model", "formalisms", "converters", "simulation", "validation", "fixtures", "api", "cli")
SUFFIXES: Final = (".py", ".lark", ".json", ".toml", ".mbsd", ".dat", ".csv", ".urdf", ".xml", ".txt")


@cache
def release() -> dict[str, str]:
    """Return versions by name, the program's first, and the hash of the program's sources."""
    found = {"mbconcord": version("mbconcord")}
    for name in ("hypothesis", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found | {"Python": platform.python_version(), "sources": digest()}


def require_same(other: Mapping[str, str], worker: str) -> None:
    """Raise unless a worker has this release.

    Raises
    ------
    MbconcordError
        The worker has another version of the program, or of packages that determine drawn models and their numbers.
    """
    for name, own in release().items():
        if other.get(name) != own:
            found = f"the worker {worker} has {name} {other.get(name, 'none')}, this program {own}"
            raise MbconcordError(error("--cluster", found, "install the same versions on all workers"))


@cache
def digest() -> str:
    """Return the hash of every source and fixture on which a result depends."""
    found = sha256()
    for path in _sources():
        found.update(path.read_bytes())
    return found.hexdigest()[:32]


def _sources() -> Iterable[Path]:
    for part in PARTS:
        spec = find_spec(f"mbconcord.{part}")
        assert spec is not None and spec.origin is not None
        base = Path(spec.origin).parent
        yield from sorted(p for p in base.rglob("*") if p.suffix in SUFFIXES and "reference" not in p.parts)


# Tasks in processes of their own: one child imports what they need, and forks for each of them.


@dataclass(frozen=True)
class ProcessAnswer:
    """Answer of a task: its value, or how it failed; ``seconds`` of the processor, if known."""

    value: Any = None
    failure: str = ""
    seconds: float = 0.0


class Children:
    """Runner of tasks in sequence; a context that leaves no process behind.

    ``warm``: modules that are imported once before the tasks, or ``module:function`` to call. ``seconds``: processor
    time that a task may take; ``spent``: processor time that all tasks have taken so far.
    """

    def __init__(self, warm: Sequence[str] = (), seconds: int | None = None) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._warm, self._seconds = warm, seconds
        self.spent = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, function: str, *arguments: Any) -> ProcessAnswer:
        """Call ``module:name`` with arguments that JSON can hold, in a process of its own.

        Raises
        ------
        MbconcordError
            The child process ended without an answer.
        """
        process = self._process = self._process or _start(self._warm)
        assert process.stdin is not None and process.stdout is not None
        task = {"seconds": self._seconds, "function": function, "arguments": arguments}
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line or not hasattr(os, "fork"):
            self.close()
        if not line:
            raise MbconcordError(error("processes", f"the process for {function} ended without an answer"))
        answer = ProcessAnswer(**json.loads(line))
        self.spent += answer.seconds
        return answer

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def _start(warm: Sequence[str]) -> subprocess.Popen[str]:
    """Start the child process, which searches modules in the same places as this process."""
    program = Path(__file__).with_name("child.py")
    return subprocess.Popen(
        [sys.executable, "-P", str(program), *warm],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


_own = threading.local()


def perform(function: str, context: str, task: str) -> str:
    """Call ``module:name`` with the shared data and the task; return the answer and the worker's release.

    Parameters
    ----------
    context : JSON text, the same for all tasks of a campaign
    task : JSON, a list of further arguments
    """
    answer = import_named(function)(_parse(context), *json.loads(task))
    return json.dumps({"release": release(), "answer": answer}, separators=(",", ":"))


def children(warm: Sequence[str], seconds: int) -> Children:
    """Return the process that forks for this thread's tasks, with these modules loaded."""
    key = (tuple(warm), seconds)
    if getattr(_own, "key", None) != key:
        if hasattr(_own, "children"):
            _own.children.close()
        _own.key, _own.children = key, Children(warm, seconds)
    found: Children = _own.children
    return found


def ignore_interrupts() -> None:
    """Ignore interrupts of the terminal: the calling process ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def nothing(context: Any, number: int) -> int:
    """Answer an empty task, which measures the rate of a scheduler."""
    return number


@lru_cache(maxsize=2)
def _parse(text: str) -> Any:
    return json.loads(text)
