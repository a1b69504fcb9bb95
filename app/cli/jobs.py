"""Work on many files in several processes, with the results in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.progress import deaf

Result = TypeVar("Result")

_work: Callable[[str], Any]


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
        for file in files:
            yield file, _done(work, file)
        return
    pool = _pool(work, min(jobs, len(files)))
    try:
        futures = [pool.submit(_run, file) for file in files]
        for file, future in zip(files, futures, strict=True):
            yield file, _result(work, file, future)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(work: Callable[[str], Any], jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, multiprocessing.get_context(), _take, (work,))


def _take(work: Callable[[str], Any]) -> None:
    global _work
    _work = work
    deaf()


def _run(file: str) -> Any:
    return _done(_work, file)


def _done(work: Callable[[str], Result], file: str) -> Result | MbconcordError:
    try:
        return work(file)
    except MbconcordError as problem:
        return problem


def _result(work: Callable[[str], Result], file: str, future: Future[Any]) -> Result | MbconcordError:
    """The result; where a process ended without one, the file is tried once more in a process of its own."""
    for attempt in (future, None):
        try:
            if attempt is not None:
                found: Result | MbconcordError = attempt.result()
                return found
            with _pool(work, 1) as own:
                found = own.submit(_run, file).result()
                return found
        except BrokenProcessPool:
            continue
    message = "the process that checked it ended without a result"
    return MbconcordError(
        error("", f"{file}: {message}", "give it more memory, or check it alone with --jobs 1")
    )
