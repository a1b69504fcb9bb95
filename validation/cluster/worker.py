"""What a worker does: a task comes as two texts of JSON, is done in processes with limits, and its answer goes as one.

Nothing here knows who brings tasks. A process beside the worker, with one thread, has imported what tasks need and
forks for each of them (:mod:`..faults.processes`): what a task does to it, the worker goes on.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..faults.processes import Children
from .release import release

_own = threading.local()


def perform(function: str, context: str, task: str) -> str:
    """Call ``module:name`` with what all tasks share and with the task; the answer beside the worker's release.

    Parameters
    ----------
    context : JSON, the same of all tasks of a campaign
    task : JSON, a list of further arguments
    """
    answer = _named(function)(_parsed(context), *json.loads(task))
    return json.dumps({"release": release(), "answer": answer}, separators=(",", ":"))


def children(warm: Sequence[str], seconds: int) -> Children:
    """The process that forks for this thread's tasks, in which these modules are there."""
    key = (tuple(warm), seconds)
    if getattr(_own, "key", None) != key:
        if hasattr(_own, "children"):
            _own.children.close()
        _own.key, _own.children = key, Children(warm, seconds)
    found: Children = _own.children
    return found


def undisturbed() -> None:
    """Leave an interrupt of the terminal to the process that asks: it ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def nothing(context: Any, number: int) -> int:
    """The answer to a task that is none: by it the rate of a scheduler is measured."""
    return number


@lru_cache(maxsize=2)
def _parsed(text: str) -> Any:
    return json.loads(text)


def _named(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
