"""Work on many files, in several processes if possible, with the results in the order of the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from mbconcord.model.diagnostics import MbconcordError

Result = TypeVar("Result")


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[str], Result], files: Sequence[str], jobs: int
) -> Iterator[tuple[str, Result | MbconcordError]]:
    """Yield the result of the work for each file, or the error with which it refuses one.

    Parameters
    ----------
    work : for one file; its results travel between processes, so they hold no formulas
    files : in the order of the results
    jobs : number of processes; with one, or one file, the work is done here
    """
    if min(jobs, len(files)) < 2:
        yield from ((file, try_work(work, file)) for file in files)
        return
    from .processes import each_apart  # not before: one file needs no pool of processes

    yield from each_apart(partial(try_work, work), files, jobs)


def try_work(work: Callable[[str], Result], file: str) -> Result | MbconcordError:
    """Return the result of the work, or the error with which it refuses the file."""
    try:
        return work(file)
    except MbconcordError as problem:
        return problem
