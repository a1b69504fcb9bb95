"""Parallel work on items in processes, each of which forks for every change that it tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any

from mbconcord.validation.judge.progress import count_progress
from mbconcord.validation.many.cluster.worker import Children


def apart(
    items: Any,
    work: Callable[[Children, Any], Any],
    jobs: int,
    what: str,
    name: Callable[[Any], str],
    seconds: int,
    warm: Sequence[str] = (),
) -> Iterator[Any]:
    """Give what the work gives for each item, as it is done; ``warm``: what the processes have imported or called."""
    every, free = list(items), SimpleQueue[Children]()

    def work_on(item: Any) -> Any:
        children = free.get()
        try:
            return work(children, item)
        finally:
            free.put(children)

    many = max(1, min(jobs, len(every)))
    with ExitStack() as stack, ThreadPoolExecutor(many) as pool:
        for _ in range(many):
            free.put(stack.enter_context(Children(warm, seconds)))
        tasks = [pool.submit(work_on, item) for item in every]
        try:
            for _, task in zip(count_progress(what, every, name), as_completed(tasks), strict=True):
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
