"""A campaign: so many models at a time, each in a process of its own, until there are enough or time is up."""

from __future__ import annotations

import gc
import shlex
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, TypedDict

from ..check import check
from ..models.choices import Choices, Seeded
from ..models.machines import Features, machine
from ..progress import tell
from . import apart, forks
from .drawing import drawn
from .folder import FINDINGS, Folder
from .profiles import STATES
from .row import Finding, Row
from .run import Cluster, Kept, Run
from .subject import CLAIMS, SHRINKING, checked, ended, exactness, smallest, whole

#: Findings of one campaign that are made smaller; the files of others hold the models as they were drawn.
MOST_SHRUNK: Final = 20


class Settled(TypedDict):
    """A row as JSON, and of each of its findings the file of a model that shows it; None where there is none."""

    row: dict[str, Any]
    texts: list[str | None]


def explore(
    folder: Folder,
    count: int | None,
    seconds: float | None,
    jobs: int,
    said: Callable[[Kept], None] = lambda found: None,
    cluster: Cluster | None = None,
) -> Run:
    """Check models until the folder has ``count`` rows or ``seconds`` have passed; interrupted, keep what there is.

    Parameters
    ----------
    folder : rows that it has are not checked again; rows and findings are written as they come
    count : of models altogether; None: no end
    seconds : of this run; None: no end
    jobs : so many models at a time, on this machine
    said : told of every finding
    cluster : who has the models checked instead

    Raises
    ------
    MbconcordError
        The scheduler is gone, or there is no room; what was checked before is kept.
    """
    begin = time.monotonic()
    numbers = _numbers(folder, count, None if seconds is None else begin + seconds)
    before, stopped = len(folder.rows), False
    results = _here(folder, numbers, jobs) if cluster is None else _there(folder, numbers, cluster)
    with closing(results):
        try:
            for number, found in results:
                for i, text in enumerate(found["texts"]):
                    if text is not None:
                        folder.keep(_file(number, i), text)
                folder.add(found["row"])
                for one in kept(folder, number):
                    said(one)
                tell("model", len(folder.rows), count or len(folder.rows), f"number {number}")
        except KeyboardInterrupt:
            stopped = True
        finally:
            tell("model", 0, 0, "")
            folder.settle()
    return Run(time.monotonic() - begin, len(folder.rows) - before, stopped)


def _here(folder: Folder, numbers: Iterator[int], jobs: int) -> Generator[tuple[int, Settled]]:
    """Models checked by processes of this machine."""
    warmed()
    seed = folder.about.seed
    for number, answer in forks.each(partial(checked, seed), numbers, jobs):
        yield number, settled(seed, number, answer, _room(folder))


def _there(folder: Folder, numbers: Iterator[int], cluster: Cluster) -> Generator[tuple[int, Settled]]:
    """Models checked by workers: a task is a number, beside the seed that all share."""
    seed = folder.about.seed
    tasks = ((number, _room(folder)) for number in numbers)
    for (number, _), answer in cluster.each(f"{__package__}.on_worker:explored", {"seed": seed}, tasks):
        yield number, {"row": ended(number, answer), "texts": [None]} if isinstance(answer, str) else answer


def settled(seed: int, number: int, answer: Any, room: int) -> Settled:
    """The row of a model whose process gave this, and a model for each finding, of ``room`` of them a small one."""
    row = ended(number, answer) if isinstance(answer, str) else answer
    found = Row.from_json(row).findings
    texts = [text_of(seed, number, finding if i < room else None) for i, finding in enumerate(found)]
    return {"row": row, "texts": texts}


def _room(folder: Folder) -> int:
    """How many findings may still be made smaller."""
    return max(MOST_SHRUNK - len(list((folder.path / FINDINGS).iterdir())), 0)


def _numbers(folder: Folder, count: int | None, end: float | None) -> Iterator[int]:
    """Numbers of models without a row, while there is time."""
    number = 0
    while (count is None or number < count) and (end is None or time.monotonic() < end):
        if number not in folder.rows:
            yield number
        number += 1


def text_of(seed: int, number: int, finding: Finding | None) -> str | None:
    """The smallest model that shows a finding, or the one that was drawn, as a native file; None: there is none."""
    tries = [(partial(smallest, seed, number, finding), 2 * SHRINKING)] if finding else []
    for work, seconds in (*tries, (partial(whole, seed, number), apart.SECONDS)):
        answer = apart.apart(work, seconds)
        if "text" in answer:
            return str(answer["text"])
    return None


def _file(number: int, i: int) -> str:
    return f"{number}-{i + 1}.mbs.json" if i else f"{number}.mbs.json"


def kept(folder: Folder, number: int) -> list[Kept]:
    """What was found of a model of the campaign, with what shows it again."""
    row = Row.from_json(folder.rows[number])
    files = (folder.path / FINDINGS / _file(number, i) for i in range(len(row.findings)))
    return [
        Kept(number, finding, file if file.exists() else None, command(folder, number, file))
        for finding, file in zip(row.findings, files, strict=True)
    ]


def command(folder: Folder, number: int, file: Path) -> str:
    """What shows a finding again: a check of its file; where there is none, the campaign up to its number."""
    about = folder.about
    if file.exists():
        words = ["check", str(file), "--states", str(STATES), "--seed", str(about.seed)]
        words += ["--claims", ",".join(CLAIMS), "--exact", exactness(number)]
    else:
        words = ["explore", "--profile", about.profile, "--seed", str(about.seed), "--count", str(number + 1)]
        words += ["--output", "again"]
    return shlex.join(["mbconcord", *words])


def warmed() -> None:
    """Import what a model needs before there are processes that share it."""
    small = machine(Choices(Seeded(0)), 1, Features(closed=True))
    elastic = machine(Choices(Seeded(0)), 2, Features(elastic=True))
    drawn(0, 0)  # what Hypothesis makes of a strategy once
    for system in (small, small.opened(), elastic):
        check(system, states=1, claims=CLAIMS)
    gc.collect()
    gc.freeze()
