"""Reading and checking of a corpus's models, each in a process of its own, here or by workers."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.plugins import import_named

from ...check import check
from ...judge.progress import tell
from ...strategies.choices import Choices, Seeded
from ...strategies.machines import Features, machine
from ...witnesses.peers import Original
from . import apart
from .corpus import CRASHED, Corpus, CorpusModel, CorpusRequest
from .parts import working_alone
from .row import CampaignRow, CampaignRun, TaskRunner, add_evidence, describe
from .subject import crash

#: Seconds of the processor that one model may take.
SECONDS: Final = 600
Task = TypeVar("Task")


def prepare(
    read: Callable[[str], Task], files: Sequence[str], jobs: int,
    restore: Callable[[Mapping[str, Any]], Any] = CorpusModel.from_json, seconds: int = apart.SECONDS,
) -> dict[str, Task | str]:  # fmt: skip
    """Read the models of files in separate processes; return file -> model, or the reason for a refusal."""
    found: dict[str, Task | str] = {}
    for file, answer in apart.each(partial(_read, read), iter(files), jobs, seconds):
        if isinstance(answer, str):
            found[file] = CRASHED + answer
        elif "refused" in answer:
            found[file] = answer["refused"]
        else:
            found[file] = restore(answer)
        tell("reading", len(found), len(files), file)
    tell("reading", 0, 0, "")
    return {file: found[file] for file in files}


def survey(corpus: Corpus, models: Sequence[Any], jobs: int, cluster: TaskRunner | None = None,
           said: Callable[[Any], None] = lambda found: None) -> CampaignRun:  # fmt: skip
    """Check these models and store their rows; an interrupt keeps the rows stored so far."""
    begin, done, stopped = time.monotonic(), 0, False
    results = _here(corpus, models, jobs) if cluster is None else _there(corpus, models, cluster)
    with working_alone(corpus.path), closing(results):
        try:
            for of, answer in results:
                corpus.add(of, corpus.describe_failed(of, answer) if isinstance(answer, str) else answer)
                done += 1
                said(corpus.find_model(of.file))
                tell(corpus.UNIT, done, len(models), of.file)
        except KeyboardInterrupt:
            stopped = True
        finally:
            tell(corpus.UNIT, 0, 0, "")
            corpus.parts.settle(all=True)
    return CampaignRun(time.monotonic() - begin, done, stopped)


def judge(wanted: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """Check a model and return its record as JSON; program errors are findings, model errors refusals."""
    asked, this = CorpusRequest.from_json(wanted), CorpusModel(**of)
    begin = time.process_time()
    row = CampaignRow(0, "failed")
    kept: dict[str, Any] = {"file": this.file, "format": this.format, "witnesses": [], "omissions": {}, "stands": False}
    try:
        system = registry.read_text(this.native, this.file, "native", "ignore").system
        row = describe(0, system)
        original = Original(this.text, this.format, (), this.file, frozenset(this.changed)) if this.text else None
        evidence = check(
            system, this.file, asked.formalisms, asked.states, asked.seed, None, asked.claims, this.physics,
            original, asked.exact, count=False,
        )  # fmt: skip
    except MbconcordError as problem:
        row = replace(row, verdict="refused", silent=(str(problem),))
    except MemoryError:
        raise
    except Exception as problem:  # a fault of the program, whatever it is
        row = replace(row, findings=(crash(problem, "check"),))
    else:
        evidence = replace(evidence, accepted=this.accepted)
        row = add_evidence(row, evidence, 0.0)
        taking = [w.name for w in evidence.witnesses if w.derivation is not None]
        kept |= {"witnesses": taking, "omissions": dict(evidence.left_out.counts), "stands": evidence.stands}
    return {**kept, **replace(row, seconds=round(time.process_time() - begin, 3)).to_json()}


def _here(corpus: Corpus, models: Sequence[Any], jobs: int) -> Generator[tuple[Any, Any]]:
    import_named(corpus.WARM)()
    yield from apart.each(lambda of: judge_by_name(corpus.how, asdict(of)), iter(models), jobs, SECONDS)


def judge_by_name(how: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """Make the row of a task by the function that its campaign names."""
    found: dict[str, Any] = import_named(how["judge"])(how["wanted"], of)
    return found


def _there(corpus: Corpus, models: Sequence[Any], cluster: TaskRunner) -> Generator[tuple[Any, Any]]:
    tasks: Iterator[tuple[int, dict[str, Any]]] = ((i, asdict(of)) for i, of in enumerate(models))
    function = f"{__package__}.on_worker:judged_apart"
    for (number, _), answer in cluster.each(function, corpus.how, tasks):
        yield models[number], answer


def _read(read: Callable[[str], Any], file: str) -> dict[str, Any]:
    try:
        return asdict(read(file))
    except MbconcordError as problem:
        return {"refused": str(problem)}
    except MemoryError:
        raise
    except Exception as problem:
        *_, last = traceback.extract_tb(problem.__traceback__)
        return {"refused": f"{CRASHED}raised {type(problem).__name__} in {Path(last.filename).name}:{last.lineno}"}


def warm_up() -> None:
    """Import the modules that a check needs, before processes are forked that share them."""
    check(machine(Choices(Seeded(0)), 1, Features(closed=True)), states=1)
    gc.collect()
    gc.freeze()
