"""A campaign: so many models at a time, each in a process of its own, until there are enough or time is up."""

from __future__ import annotations

import gc
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final

from ..check import check
from ..models.choices import Choices, Seeded
from ..models.machines import Features, machine
from ..progress import tell
from . import apart
from .drawing import drawn
from .folder import FINDINGS, Folder
from .profiles import STATES
from .row import Finding, Row
from .subject import CLAIMS, SHRINKING, checked, ended, exactness, smallest, whole

#: Findings of one campaign that are made smaller; the files of others hold the models as they were drawn.
MOST_SHRUNK: Final = 20
#: How long a wait for processes may take before their time is looked at (s).
LOOK: Final = 1.0


@dataclass(frozen=True)
class Kept:
    """A finding, the file of a model that shows it, None where there is none, and the command that shows it again."""

    number: int
    finding: Finding
    file: Path | None
    command: str


@dataclass(frozen=True)
class Run:
    """What one run of a campaign did.

    ``seconds`` of the clock, ``done`` models; ``stopped``: somebody interrupted it.
    """

    seconds: float
    done: int
    stopped: bool = False


def explore(
    folder: Folder,
    count: int | None,
    seconds: float | None,
    jobs: int,
    said: Callable[[Kept], None] = lambda found: None,
) -> Run:
    """Check models until the folder has ``count`` rows or ``seconds`` have passed; interrupted, keep what there is.

    Parameters
    ----------
    folder : rows that it has are not checked again; rows and findings are written as they come
    count : of models altogether; None: no end
    seconds : of this run; None: no end
    jobs : so many models at a time
    said : told of every finding
    """
    apart.require_forks()
    _warmed()
    begin = time.monotonic()
    numbers = _numbers(folder, count, None if seconds is None else begin + seconds)
    working: dict[apart.Child, int] = {}
    before, stopped = len(folder.rows), False
    try:
        while True:
            while len(working) < jobs and (number := next(numbers, None)) is not None:
                working[apart.begun(partial(checked, folder.about.seed, number))] = number
            if not working:
                break
            for child in _ended(working):
                number = working.pop(child)
                row = child.result()
                row = ended(number, row) if isinstance(row, str) else row
                _keep(folder, number, row)
                folder.add(row)
                for one in kept(folder, number):
                    said(one)
                tell("model", len(folder.rows), count or len(folder.rows), f"number {number}")
    except KeyboardInterrupt:
        stopped = True
    finally:
        tell("model", 0, 0, "")
        for child in working:
            child.kill()
        for child in working:
            with suppress(OSError):
                child.result()
    return Run(time.monotonic() - begin, len(folder.rows) - before, stopped)


def _numbers(folder: Folder, count: int | None, end: float | None) -> Iterator[int]:
    """Numbers of models without a row, while there is time."""
    number = 0
    while (count is None or number < count) and (end is None or time.monotonic() < end):
        if number not in folder.rows:
            yield number
        number += 1


def _ended(working: dict[apart.Child, int]) -> list[apart.Child]:
    """Those of the processes that have ended, once there are some; late ones are ended."""
    while True:
        by_pipe = {child.pipe.fileno(): child for child in working}
        ready = [by_pipe[pipe] for pipe in by_pipe.keys() & set(wait(list(by_pipe), LOOK))]
        done = [child for child in ready if child.read()]
        if done:
            return done
        for child in working:
            if child.late():
                child.kill()


def _keep(folder: Folder, number: int, row: Mapping[str, Any]) -> None:
    """Write the models of what was found, as small as they become."""
    for i, finding in enumerate(Row.from_json(row).findings):
        kept = len(list((folder.path / FINDINGS).iterdir()))
        made = text_of(folder.about.seed, number, finding if kept < MOST_SHRUNK else None)
        if made is not None:
            folder.keep(_file(number, i), made)


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


def _warmed() -> None:
    """Import what a model needs before there are processes that share it."""
    small = machine(Choices(Seeded(0)), 1, Features(closed=True))
    elastic = machine(Choices(Seeded(0)), 2, Features(elastic=True))
    drawn(0, 0)  # what Hypothesis makes of a strategy once
    for system in (small, small.opened(), elastic):
        check(system, states=1, claims=CLAIMS)
    gc.collect()
    gc.freeze()
