"""The models of a corpus are read and checked, each in a process of its own, here or by workers."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError

from ..check import check
from ..models.choices import Choices, Seeded
from ..models.machines import Features, machine
from ..peers import Original
from ..progress import tell
from . import forks
from .corpus import CRASHED, Checked, Corpus, Model, Wanted
from .row import Row, described, measured
from .run import Cluster, Run
from .subject import crash, limit

#: Seconds of the processor that one model may take.
SECONDS: Final = 600


def prepared(read: Callable[[str], Model], files: Sequence[str], jobs: int) -> dict[str, Model | str]:
    """The models of files, read in processes of their own; of those that are refused why, in the order of the files."""
    found: dict[str, Model | str] = {}
    for file, answer in forks.each(partial(_read, read), iter(files), jobs):
        if isinstance(answer, str):
            found[file] = CRASHED + answer
        elif "refused" in answer:
            found[file] = answer["refused"]
        else:
            found[file] = Model(**answer | {"changed": tuple(answer["changed"])})
        tell("reading", len(found), len(files), file)
    tell("reading", 0, 0, "")
    return {file: found[file] for file in files}


def survey(corpus: Corpus, models: Sequence[Model], jobs: int, cluster: Cluster | None = None,
           said: Callable[[Checked], None] = lambda found: None) -> Run:  # fmt: skip
    """Check these models and keep their rows; interrupted, keep what there is."""
    begin, done, stopped = time.monotonic(), 0, False
    results = _here(corpus, models, jobs) if cluster is None else _there(corpus, models, cluster)
    with closing(results):
        try:
            for of, answer in results:
                corpus.add(of, failed(of, answer) if isinstance(answer, str) else answer)
                done += 1
                said(corpus.of(of.file))
                tell("model", done, len(models), of.file)
        except KeyboardInterrupt:
            stopped = True
        finally:
            tell("model", 0, 0, "")
            corpus.parts.settle(all=True)
    return Run(time.monotonic() - begin, done, stopped)


def judged(wanted: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a model as JSON; an error of the program is a finding, one about the model a refusal."""
    asked, this = Wanted.from_json(wanted), Model(**of)
    begin = time.process_time()
    row = Row(0, "failed")
    kept: dict[str, Any] = {
        "file": this.file,
        "format": this.format,
        "witnesses": [],
        "omissions": {},
        "stands": False,
    }
    try:
        system = registry.read_text(this.native, this.file, "native", "ignore").system
        row = described(0, system)
        original = (
            Original(this.text, this.format, (), this.file, frozenset(this.changed)) if this.text else None
        )
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
        row = measured(row, evidence, 0.0)
        taking = [w.name for w in evidence.witnesses if w.derivation is not None]
        kept |= {"witnesses": taking, "omissions": dict(evidence.left_out.counts), "stands": evidence.stands}
    return {**kept, **replace(row, seconds=round(time.process_time() - begin, 3)).to_json()}


def failed(of: Model, how: str) -> dict[str, Any]:
    """What is kept of a model whose process gave nothing."""
    row = Row(0, "failed", findings=(limit(how),)).to_json()
    return {"file": of.file, "format": of.format, "witnesses": [], "omissions": {}, "stands": False, **row}


def _here(corpus: Corpus, models: Sequence[Model], jobs: int) -> Generator[tuple[Model, Any]]:
    warmed()
    yield from forks.each(partial(_judged, corpus.wanted.to_json()), iter(models), jobs, SECONDS)


def _judged(wanted: Mapping[str, Any], of: Model) -> dict[str, Any]:
    return judged(wanted, asdict(of))


def _there(corpus: Corpus, models: Sequence[Model], cluster: Cluster) -> Generator[tuple[Model, Any]]:
    tasks: Iterator[tuple[int, dict[str, Any]]] = ((i, asdict(of)) for i, of in enumerate(models))
    function = f"{__package__}.on_worker:judged_apart"
    for (number, _), answer in cluster.each(function, corpus.wanted.to_json(), tasks):
        yield models[number], answer


def _read(read: Callable[[str], Model], file: str) -> dict[str, Any]:
    try:
        return asdict(read(file))
    except MbconcordError as problem:
        return {"refused": str(problem)}
    except MemoryError:
        raise
    except Exception as problem:
        *_, last = traceback.extract_tb(problem.__traceback__)
        return {
            "refused": f"{CRASHED}raised {type(problem).__name__} in {Path(last.filename).name}:{last.lineno}"
        }


def warmed() -> None:
    """Import what a check needs before there are processes that share it."""
    check(machine(Choices(Seeded(0)), 1, Features(closed=True)), states=1)
    gc.collect()
    gc.freeze()
