"""The program of a child process: tasks, each done in a fork of its own with one module of the package changed.

It is run as a file, so that nothing of the package is there before the change; what the package stands on is imported
once, before the forks. A task is a line of JSON on standard input, its answer a line on standard output::

    {"module": "mbconcord.model.force", "path": "…/force.py", "source": "…", "function": "module:name", "arguments": []}
    {"value": …, "seconds": 1.5}  or  {"failure": "TypeError: …", "seconds": 1.5}

Modules of the package that are named on the command line are there before the forks, too: of a module of theirs the
functions are changed in place (:mod:`.swapping`), or where that cannot be, the whole package is imported anew. Of
``module:function`` the function is called once, before the forks.

Without ``os.fork`` a process does one task and ends.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any

#: Imported before the forks: what a check and the tests import of others.
STANDS_ON = ("hypothesis", "lark", "mpmath", "mpmath.ctx_iv", "numpy")
#: What a task may take: seconds of the processor where it does not say, bytes.
SECONDS, ROOM = 120, 4 << 30
#: So many new objects are searched for cycles, of which a task makes few: it ends before they matter.
SELDOM = 500_000
PACKAGE = "mbconcord"


class Changed(MetaPathFinder, Loader):
    """Finds one module, as a file whose source is another."""

    def __init__(self, module: str, path: str, source: str) -> None:
        self.module, self.path, self.source = module, path, source
        self.loaded = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module, if it is asked for."""
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.module else None

    def is_package(self, fullname: str) -> bool:
        """Whether other modules stand below it."""
        return self.path.endswith("__init__.py")

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self.source, self.path, "exec", dont_inherit=True), module.__dict__)
        self.loaded = True


def done(task: Mapping[str, Any]) -> dict[str, Any]:
    """Import the function with the module changed, and call it."""
    changed = Changed(task["module"], task["path"], task["source"]) if task["module"] else None
    if changed and _swapped(task):
        changed = None
    if changed:
        forget()
        sys.meta_path.insert(0, changed)
    module, _, name = task["function"].partition(":")
    try:
        value = getattr(importlib.import_module(module), name)(*task["arguments"])
    except Exception as problem:
        return {"failure": f"{type(problem).__name__}: {problem}"}
    if changed and not changed.loaded:
        return {"failure": f"{changed.module} was not imported"}
    return {"value": value}


def _swapped(task: Mapping[str, Any]) -> bool:
    """Whether the functions of a module that is there could be changed in place."""
    module = sys.modules.get(task["module"])
    if module is None or task["anew"]:
        return False
    swapping = importlib.import_module(f"{PACKAGE}.validation.faults.swapping")
    return bool(swapping.swapped(module, task["path"], task["source"]))


def forget() -> None:
    """Nothing of the package is there any more."""
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def forked(task: Mapping[str, Any]) -> dict[str, Any]:
    """The same in a fork, with seconds of the processor; how it ended where it gives no answer."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit(task["seconds"] or SECONDS)
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            with os.fdopen(writing, "w") as answer:
                json.dump(done(task), answer)
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

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))


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
        answer = forked(task) if hasattr(os, "fork") else done(task)
        try:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # who asked is gone
            os._exit(1)
        if not hasattr(os, "fork"):
            return


if __name__ == "__main__":
    main()
