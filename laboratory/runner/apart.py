"""Parallel work on items in processes, each of which forks for every change that it tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
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
    waiting: SimpleQueue[Any] = SimpleQueue()
    every = list(items)
    for item in every:
        waiting.put(item)
    done: SimpleQueue[Any] = SimpleQueue()
    stop = Event()

    def work_on() -> None:
        try:
            with Children(warm, seconds) as children, suppress(Empty):
                while not stop.is_set():
                    done.put(work(children, waiting.get_nowait()))
        except BaseException as problem:
            done.put(problem)

    threads = [Thread(target=work_on, daemon=True) for _ in range(min(jobs, len(every)))]
    for thread in threads:
        thread.start()
    try:
        for _ in count_progress(what, every, name):
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        stop.set()
        for thread in threads:
            thread.join()
