"""Tasks in processes of their own, which import the package with one module changed.

A formalism can be replaced in a running process (:mod:`.injection`); what everything else is built on cannot, because
it has been imported long since. Here a child that has not yet imported the package does so with the fault in place.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from mbconcord.model.diagnostics import MbconcordError, error


@dataclass(frozen=True)
class Change:
    """Another source in place of a module's own.

    ``anew``: the package is imported with it, though it may be there: what runs on import has changed.
    """

    module: str
    source: str
    anew: bool = False


@dataclass(frozen=True)
class Answer:
    """What a task gave: its value, or how it failed; ``seconds`` of the processor, where they can be told."""

    value: Any = None
    failure: str = ""
    seconds: float = 0.0


def source_file(module: str) -> Path:
    """The file of a module; :class:`MbconcordError` where there is none."""
    found = find_spec(module)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        raise MbconcordError(
            error(f"faults/{module}", "it is no module with a source", "name a file of Python")
        )
    return Path(found.origin)


class Children:
    """Does tasks one after another; a context, at the end of which no process is left.

    ``warm``: modules that are imported once, before the tasks, or ``module:function`` called. ``seconds``: of the
    processor, that a task may take; ``spent``: those that all tasks have taken so far.
    """

    def __init__(self, warm: Sequence[str] = (), seconds: int | None = None) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._warm, self._seconds = warm, seconds
        self.spent = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, change: Change | None, function: str, *arguments: Any) -> Answer:
        """Call ``module:name`` with arguments that JSON can hold, in a process in which a module is changed.

        Raises
        ------
        MbconcordError
            The child process ended without an answer.
        """
        process = self._process = self._process or _started(self._warm)
        assert process.stdin is not None and process.stdout is not None
        task = {
            "module": change.module if change else "",
            "path": str(source_file(change.module)) if change else "",
            "source": change.source if change else "",
            "anew": bool(change and change.anew),
            "seconds": self._seconds,
            "function": function,
            "arguments": arguments,
        }
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line or not hasattr(os, "fork"):
            self.close()
        if not line:
            raise MbconcordError(error("faults", f"the process for {function} ended without an answer"))
        answer = Answer(**json.loads(line))
        self.spent += answer.seconds
        return answer

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def _started(warm: Sequence[str]) -> subprocess.Popen[str]:
    program = Path(__file__).with_name("child.py")
    return subprocess.Popen(
        [sys.executable, "-P", str(program), *warm],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
