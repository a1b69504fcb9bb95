"""The program of a child process, which does each task in a fork of its own.

Common imports of tasks are done once, before the forks. A task is a line of JSON on standard input, its answer a line
on standard output::

    {"function": "module:name", "arguments": [], "seconds": null}
    {"value": …, "seconds": 1.5}  or  {"failure": "TypeError: …", "seconds": 1.5}

Modules of the package named on the command line are imported before the forks, too; for ``module:function`` the
function is also called once. Without ``os.fork`` a process does one task and ends.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

#: Imported before the forks: what a check and the tests import of others.
STANDS_ON = ("hypothesis", "lark", "mpmath", "mpmath.ctx_iv", "numpy")
#: What a task may take: seconds of the processor where it does not say, bytes.
SECONDS, ROOM = 120, 4 << 30
#: So many new objects are searched for cycles, of which a task makes few: it ends before they matter.
SELDOM = 500_000


def do_task(task: Mapping[str, Any]) -> dict[str, Any]:
    """Import the function, and call it."""
    module, _, name = task["function"].partition(":")
    try:
        return {"value": getattr(importlib.import_module(module), name)(*task["arguments"])}
    except Exception as problem:
        return {"failure": f"{type(problem).__name__}: {problem}"}


def fork_task(task: Mapping[str, Any]) -> dict[str, Any]:
    """Run the task in a fork, and measure its processor time; describe how it ended if it gives no answer."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit(task["seconds"] or SECONDS)
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            with os.fdopen(writing, "w") as answer:
                json.dump(do_task(task), answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status, used = os.wait4(child, 0)
    seconds = {"seconds": used.ru_utime + used.ru_stime}
    code = os.waitstatus_to_exitcode(status)
    if code:
        ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        return {"failure": ended, **seconds}
    return {**json.loads(text), **seconds}


def _limit(seconds: int) -> None:
    import resource

    for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, ROOM)):
        _, hard = resource.getrlimit(kind)  # it stays: a task that forks has limits of its own, and only root raises it
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main() -> None:
    """Do tasks until there are no more; an interrupt ends them without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in (*STANDS_ON, *sys.argv[1:]):
        module, _, function = name.partition(":")
        imported = importlib.import_module(module)
        if function:
            getattr(imported, function)()
    gc.freeze()  # forks need not walk over what they share, nor count it
    gc.set_threshold(SELDOM)
    for line in sys.stdin:
        task = json.loads(line)
        answer = fork_task(task) if hasattr(os, "fork") else do_task(task)
        try:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # who asked is gone
            os._exit(1)
        if not hasattr(os, "fork"):
            return


if __name__ == "__main__":
    main()
