"""A campaign: models checked in parallel, each in its own process, until there are enough or time is up."""

from __future__ import annotations

import gc
import shlex
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, TypedDict

from ...check import check
from ...judge.progress import tell
from ...strategies.choices import Choices, Seeded
from ...strategies.machines import Features, machine
from . import apart
from .folder import FINDINGS, Folder
from .parts import working_alone
from .row import CampaignRow, CampaignRun, Finding, SavedFinding, TaskRunner
from .subject import CLAIMS, SHRINKING, STATES, check_row, describe_ended, draw_model, exactness, smallest, whole

#: Findings of one campaign that are made smaller; the files of others hold the models as they were drawn.
MOST_SHRUNK: Final = 20


class Settled(TypedDict):
    """A row as JSON, and for each of its findings the file of a model that shows it, or None."""

    row: dict[str, Any]
    texts: list[str | None]


def explore(
    folder: Folder,
    count: int | None,
    seconds: float | None,
    jobs: int,
    said: Callable[[SavedFinding], None] = lambda found: None,
    cluster: TaskRunner | None = None,
) -> CampaignRun:
    """Check models until the folder has ``count`` rows or ``seconds`` have passed; an interrupt keeps finished rows.

    Parameters
    ----------
    folder : folder of the campaign; models with a row are not checked again; rows and findings are written at once
    count : number of models altogether; None: no limit
    seconds : duration of this run; None: no limit
    jobs : number of parallel models on this machine
    said : function that is called with every finding
    cluster : runner whose workers check the models instead

    Raises
    ------
    MbconcordError
        The scheduler is lost, or the disk is full; finished rows are kept.
    """
    begin = time.monotonic()
    numbers = _numbers(folder, count, None if seconds is None else begin + seconds)
    before, stopped = len(folder.rows), False
    results = _here(folder, numbers, jobs) if cluster is None else _there(folder, numbers, cluster)
    with working_alone(folder.path), closing(results):
        try:
            for number, found in results:
                for i, text in enumerate(found["texts"]):
                    if text is not None:
                        folder.keep(_file(number, i), text)
                folder.add(found["row"])
                for one in list_findings(folder, number):
                    said(one)
                tell("model", len(folder.rows), count or len(folder.rows), f"number {number}")
        except KeyboardInterrupt:
            stopped = True
        finally:
            tell("model", 0, 0, "")
            folder.settle()
    return CampaignRun(time.monotonic() - begin, len(folder.rows) - before, stopped)


def _here(folder: Folder, numbers: Iterator[int], jobs: int) -> Generator[tuple[int, Settled]]:
    """Check models by processes of this machine."""
    warm_up()
    seed = folder.about.seed
    for number, answer in apart.each(partial(check_row, seed), numbers, jobs):
        yield number, settle(seed, number, answer, _room(folder))


def _there(folder: Folder, numbers: Iterator[int], cluster: TaskRunner) -> Generator[tuple[int, Settled]]:
    """Check models by workers: a task is a number, with a seed that all share."""
    seed = folder.about.seed
    tasks = ((number, _room(folder)) for number in numbers)
    for (number, _), answer in cluster.each(f"{__package__}.on_worker:explore", {"seed": seed}, tasks):
        yield (number, {"row": describe_ended(number, answer), "texts": [None]} if isinstance(answer, str) else answer)


def settle(seed: int, number: int, answer: Any, room: int) -> Settled:
    """Return a model's row from its process's answer, and a model for each finding, at most ``room`` of them shrunk."""
    row = describe_ended(number, answer) if isinstance(answer, str) else answer
    found = CampaignRow.from_json(row).findings
    texts = [text_of(seed, number, finding if i < room else None) for i, finding in enumerate(found)]
    return {"row": row, "texts": texts}


def _room(folder: Folder) -> int:
    """Return how many findings may still be shrunk."""
    return max(MOST_SHRUNK - len(list((folder.path / FINDINGS).iterdir())), 0)


def _numbers(folder: Folder, count: int | None, end: float | None) -> Iterator[int]:
    """Yield numbers of models without a row, until the time is up."""
    number = 0
    while (count is None or number < count) and (end is None or time.monotonic() < end):
        if number not in folder.rows:
            yield number
        number += 1


def text_of(seed: int, number: int, finding: Finding | None) -> str | None:
    """Return the smallest model that shows a finding, or the drawn one, as a native file; None if there is none."""
    tries = [(partial(smallest, seed, number, finding), 2 * SHRINKING)] if finding else []
    for work, seconds in (*tries, (partial(whole, seed, number), apart.SECONDS)):
        answer = apart.apart(work, seconds)
        if "text" in answer:
            return str(answer["text"])
    return None


def _file(number: int, i: int) -> str:
    return f"{number}-{i + 1}.mbs.json" if i else f"{number}.mbs.json"


def list_findings(folder: Folder, number: int) -> list[SavedFinding]:
    """List the findings about a model of the campaign, with commands that reproduce them."""
    row = CampaignRow.from_json(folder.rows[number])
    files = (folder.path / FINDINGS / _file(number, i) for i in range(len(row.findings)))
    return [
        SavedFinding(number, finding, file if file.exists() else None, command(folder, number, file))
        for finding, file in zip(row.findings, files, strict=True)
    ]


def command(folder: Folder, number: int, file: Path) -> str:
    """Write the command that reproduces a finding: a check of its file, or if there is none the campaign up to it."""
    about = folder.about
    if file.exists():
        words = ["check", str(file), "--states", str(STATES), "--seed", str(about.seed)]
        words += ["--claims", ",".join(CLAIMS), "--exact", exactness(number)]
    else:
        words = [
            "campaign",
            "run",
            "--random",
            "--profile",
            about.profile,
            "--seed",
            str(about.seed),
            "--count",
            str(number + 1),
        ]
        words += ["--output", "again"]
    return shlex.join(["mbconcord", *words])


def warm_up() -> None:
    """Import the modules that checks need, before processes are forked that share them."""
    small = machine(Choices(Seeded(0)), 1, Features(closed=True))
    elastic = machine(Choices(Seeded(0)), 2, Features(elastic=True))
    draw_model(0, 0)  # what Hypothesis makes of a strategy once
    for system in (small, small.open_loops(), elastic):
        check(system, states=1, claims=CLAIMS)
    gc.collect()
    gc.freeze()
