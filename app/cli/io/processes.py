"""Work on files in processes of their own, with the results in the order of the files."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.progress import deaf

Result = TypeVar("Result")

_work: Callable[[str], Any]


def each_apart(
    work: Callable[[str], Result], files: Sequence[str], jobs: int
) -> Iterator[tuple[str, Result | MbconcordError]]:
    """Do as :func:`mbconcord.cli.io.jobs.each`, in several processes."""
    before = set(multiprocessing.active_children())
    pool = _pool(work, min(jobs, len(files)))
    try:
        futures = [pool.submit(_run, file) for file in files]
        for file, future in zip(files, futures, strict=True):
            yield file, _result(work, file, future)
    except BaseException:  # interrupted: the end of the program would wait for what they work on
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(work: Callable[[str], Any], jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, multiprocessing.get_context(), _take, (work,))


def _take(work: Callable[[str], Any]) -> None:
    global _work
    _work = work
    deaf()


def _run(file: str) -> Any:
    return _work(file)


def _result(work: Callable[[str], Result], file: str, future: Future[Any]) -> Result | MbconcordError:
    """Return the result; if a process ended without one, retry the file once in a separate process."""
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
    return MbconcordError(error("", f"{file}: {message}", "give it more memory, or check it alone with --jobs 1"))
