"""A cluster in this process: tasks travel as texts and are done by what a worker calls, without processes."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from mbconcord.validation.many.cluster.worker import ProcessAnswer, perform


class Forks:
    """In place of the process that forks: what it is asked for is called here."""

    def run(self, function: str, *arguments: Any) -> ProcessAnswer:
        return ProcessAnswer(
            json.loads(perform(f"{__name__}:spread", json.dumps(function), json.dumps(arguments)))["answer"]
        )


def spread(function: str, *arguments: Any) -> Any:
    from importlib import import_module

    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(*arguments)


class Here:
    """What ``Cluster`` of ``validation/many/cluster`` is for campaigns; so many tasks, then it breaks."""

    def __init__(self, most: int | None = None, breaks: BaseException | None = None) -> None:
        self.most, self.breaks, self.done = most, breaks, 0

    def each(self, function: str, context: Any, tasks: Iterable[Sequence[Any]]) -> Generator[tuple[Sequence[Any], Any]]:
        for task in tasks:
            if self.done == self.most:
                raise self.breaks or KeyboardInterrupt
            self.done += 1
            yield task, json.loads(perform(function, json.dumps(context), json.dumps(task)))["answer"]
