"""Survey of each model of the fixed set with the unchanged source: results, executed lines, and time."""

from __future__ import annotations

import importlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import CO_NEWLOCALS
from types import CodeType, FrameType
from typing import Any

from mbconcord.formalisms import registry

from .machines import JUDGED, READ, machine, pose
from .places import NUMBERED, forms
from .results import numbers, reading, residues, verdicts

Lines = dict[str, list[int]]


def survey_model(model: str, kinds: Sequence[str], files: Iterable[str]) -> dict[str, Any]:
    """Return a model's results by kind, ``exact`` residues, ``seconds`` by kind, executed ``lines``."""
    names = registry.names()
    every = [form for name in names for form in forms(name)]
    found: dict[str, Any] = {"seconds": {}}
    work: dict[str, Callable[[], Any]] = {}
    if NUMBERED & set(kinds) and model not in READ:
        work |= {"numbers": lambda: numbers(pose(machine(model)), every)}
    if {"readers", "builders"} & set(kinds):
        work |= {"reading": lambda: reading(machine(model))}
    if "judges" in kinds and model in JUDGED:
        work |= {"verdicts": lambda: verdicts(model, machine(model))}
    with trace(files) as lines:
        for name, compute in work.items():
            start = time.process_time()
            found[name] = compute()
            found["seconds"][name] = time.process_time() - start
    if "numbers" in work:
        found["exact"] = residues(machine(model), names)
    return found | {"lines": {file: sorted(run) for file, run in lines.items() if run}}


def trace_imports(modules: Sequence[str], files: Iterable[str]) -> Lines:
    """Return function lines that run on import: an import has to reveal changes in them."""
    with trace(files) as lines:
        for name in modules:
            importlib.import_module(name)
    return {file: sorted(run) for file, run in lines.items() if run}


@contextmanager
def trace(files: Iterable[str]) -> Iterator[dict[str, set[int]]]:
    """Record lines of files that run in functions inside.

    A function called :data:`ENOUGH` times without a new line is no longer traced.
    """
    lines: dict[str, set[int]] = {file: set() for file in files}
    idle: Counter[CodeType] = Counter()

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        code, line = frame.f_code, frame.f_lineno
        if line not in lines[code.co_filename]:
            lines[code.co_filename].add(line)
            idle[code] = 0
        return inside

    def enter(frame: FrameType, *_: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in lines or not code.co_flags & CO_NEWLOCALS or idle[code] > ENOUGH:
            return None
        idle[code] += 1
        return inside

    sys.settrace(enter)
    try:
        yield lines
    finally:
        sys.settrace(None)


#: Calls of a function without a new line, after which it is not followed.
ENOUGH = 50
