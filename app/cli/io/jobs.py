"""Work on many files, in several processes if possible, with the results in the order of the files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.limits import read_within

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Result = TypeVar("Result")

_work: Callable[[str], Any]


def each(
    work: Callable[[str], Result], files: Sequence[str], jobs: int
) -> Iterator[tuple[str, Result | MbconcordError]]:
    """Yield each file with the result of the work on it, or with the error that refuses it.

    Parameters
    ----------
    work : function of one file; its results travel between processes, so they contain no formulas
    files : names of files, in the order of the results
    jobs : number of processes; with one process or one file, the work is done in this process
    """
    if min(jobs, len(files)) < 2:
        yield from ((file, try_work(work, file)) for file in files)
        return
    yield from each_apart(partial(try_work, work), files, jobs)


def require_guard(method: str) -> None:
    """Raise :class:`MbconcordError` if processes started by this method would run the main script once more."""
    script = find_unguarded(method)
    if script is not None:
        reason = f"processes started by {method} run this script once more, and nothing in it keeps them from that"
        remedy = 'put what it does under if __name__ == "__main__":, or ask for one process with --jobs 1'
        raise MbconcordError(error(script, reason, remedy))


def find_unguarded(method: str) -> str | None:
    """Return the main script if new processes would run it again and it never tests ``__name__``; else None."""
    import ast  # not before: one file needs no pool of processes

    main = sys.modules["__main__"]
    script, name = getattr(main, "__file__", None), getattr(getattr(main, "__spec__", None), "name", "")
    if method == "fork" or script is None or name.split(".")[-1] == "__main__":  # such are run by nobody else
        return None
    try:
        tree = ast.parse(read_within(script) or b"")
    except (OSError, ValueError, SyntaxError):  # a program in an archive, say
        return None
    asked = {"__name__", "parent_process", "current_process"}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Compare, ast.Match)):
            inner = ast.walk(node if isinstance(node, ast.Compare) else node.subject)
            if asked & {getattr(x, "id", getattr(x, "attr", "")) for x in inner}:
                return None
    return str(script) if tree.body else None


def try_work(work: Callable[[str], Result], file: str) -> Result | MbconcordError:
    """Return the result of the work, or the error with which it refuses the file."""
    try:
        return work(file)
    except MbconcordError as problem:
        return problem


def each_apart(
    work: Callable[[str], Result], files: Sequence[str], jobs: int
) -> Iterator[tuple[str, Result | MbconcordError]]:
    """Yield each file with its result, as :func:`each` does, from work in several processes."""
    import multiprocessing  # not before: one file needs no pool of processes

    require_guard(multiprocessing.get_start_method())
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
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(jobs, multiprocessing.get_context(), _take, (work,))


def _take(work: Callable[[str], Any]) -> None:
    global _work
    _work = work
    from mbconcord.validation.judge.progress import deaf

    deaf()


def _run(file: str) -> Any:
    return _work(file)


def _result(work: Callable[[str], Result], file: str, future: Future[Any]) -> Result | MbconcordError:
    """Return the result; if a process ended without one, retry the file once in a separate process."""
    from concurrent.futures.process import BrokenProcessPool

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
    return MbconcordError(error(str(file), message, "give it more memory, or check it alone with --jobs 1"))
