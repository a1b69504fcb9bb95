"""Work on many files, in several processes where there are several, with the results in the order of the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from mbconcord.model.diagnostics import MbconcordError

Result = TypeVar("Result")


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[str], Result], files: Sequence[str], jobs: int
) -> Iterator[tuple[str, Result | MbconcordError]]:
    """What the work gives for each file, or the error with which it refuses one.

    Parameters
    ----------
    work : of one file; its results travel between processes, so they hold no formulas
    files : in the order of the results
    jobs : how many processes; with one, or one file, the work is done here
    """
    if min(jobs, len(files)) < 2:
        yield from ((file, done(work, file)) for file in files)
        return
    from .processes import each_apart  # not before: one file needs no pool of processes

    yield from each_apart(partial(done, work), files, jobs)


def done(work: Callable[[str], Result], file: str) -> Result | MbconcordError:
    """What the work gives, or the error with which it refuses the file."""
    try:
        return work(file)
    except MbconcordError as problem:
        return problem
