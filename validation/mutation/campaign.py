"""Mutants drawn from a seed, tried in several processes at a time, each until somebody notices it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Final, TypeVar

from mbconcord.model.diagnostics import MbconcordError, error

from ..campaign.run import Cluster
from ..faults.mutants import Mutant
from ..faults.processes import Change, Children, source_file
from ..progress import counted
from .by_tests import SECONDS as OF_TESTS
from .by_tests import WARM, Tests, anew
from .machines import MODELS
from .places import NUMBERED, asked, checkout, chosen, kind, possible
from .record import MISSED, NOT_REACHED, Outcome, Record
from .results import SAID
from .wording import SECONDS as OF_WORDS
from .wording import texts, watching

ROOM: Final = __package__
#: Seconds of the processor that one attempt, one survey may take.
SECONDS, OF_SURVEY = 40, 900
#: What a process has before its forks that tries changes of formalisms: the models at their states.
POSED: Final = (f"{ROOM}.posed:all_known",)
#: Under this name a record keeps the lines that are run on import.
IMPORT: Final = "import"
#: Reaching models of which residues are asked where numbers are the same.
PROVED = 4

Item = TypeVar("Item")


@dataclass(frozen=True)
class Asked:
    """What a campaign does.

    Attributes
    ----------
    seed, count : of the draw; None: all of them, in the order of the draw
    modules : beginnings of names; None: all
    jobs : processes
    unreached : whether tests are asked of what no model reaches, too
    models : names of :data:`.machines.MODELS`
    words : of so many changes of texts tests are asked, too
    """

    seed: int = 0
    count: int | None = None
    modules: tuple[str, ...] | None = None
    jobs: int = 1
    unreached: bool = False
    models: tuple[str, ...] = MODELS
    words: int = 0


def drawn(names: tuple[str, ...], seed: int, count: int | None) -> dict[str, Mutant]:
    """Mutants of modules by their keys: a change of one source draws no others of the rest."""
    return _drawn(possible(names), seed, count)


def _drawn(every: Iterable[Mutant], seed: int, count: int | None) -> dict[str, Mutant]:
    found: dict[str, Mutant] = {}
    for mutant in every:
        number = 1
        while (key := f"{mutant} ({number})" if number > 1 else str(mutant)) in found:
            number += 1
        found[key] = mutant
    order = sorted(found, key=lambda key: sha256(f"{seed} {key}".encode()).digest())
    return {key: found[key] for key in order[:count]}


def campaign(given: Asked, record: Record, cluster: Cluster | None = None) -> list[Outcome]:
    """Try the mutants that the record does not have, and keep them in it; all outcomes in the order of the draw.

    Tests take a hundred times as long as checks: they are asked last, of what no check has noticed. Workers of a
    cluster do what is done here otherwise, surveys and words apart: those are made once, and sent to every worker once.

    Raises
    ------
    MbconcordError
        No such module; a model cannot be surveyed; a worker has given no answer, or has no tests.
    """
    mutants = drawn(chosen(given.modules), given.seed, given.count)
    worded = _drawn(texts(), given.seed, given.words) if given.words else {}

    def tried(
        keys: Iterable[str], work: Trial | Tests, seconds: int = SECONDS, warm: Sequence[str] = ()
    ) -> None:
        items = [(key, mutants.get(key) or worded[key]) for key in keys]
        if cluster is None or (items and items[0][0] in worded):
            outcomes = _apart(items, work.outcome, given.jobs, "mutant", lambda item: item[0], seconds, warm)
        else:
            outcomes = by_workers(cluster, work, items)
        for outcome in outcomes:
            record.add(outcome)

    left = [key for key in mutants if key not in record.outcomes]
    if left:
        surveyed = _surveyed(given, record, sorted({kind(m.module) for m in mutants.values()}))
        trial = Trial(surveyed, _on_import(record), given.unreached)
        own = [key for key in left if kind(mutants[key].module) == "formalisms"]
        tried(own, trial, warm=POSED)
        tried((key for key in left if key not in own), trial)
    missed = [key for key in mutants if record.outcomes[key].how == MISSED]
    if missed:
        tried(missed, Tests(record.outcomes, _on_import(record), checkout()), OF_TESTS)
    for key, mutant in worded.items():
        if key not in record.outcomes:
            record.add(Outcome(key, mutant.module, str(mutant), MISSED, words=True))
    unsaid = [key for key in worded if record.outcomes[key].how == MISSED]
    if unsaid:
        tried(unsaid, Tests(record.outcomes, {}, checkout(), watching), OF_WORDS)
    return [record.outcomes[key] for key in (*mutants, *worded)]


def _surveyed(given: Asked, record: Record, kinds: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the models give, those that the record does not know surveyed."""
    names = {str(source_file(m)): m for m in chosen(None)}
    wanted = [m for m in given.models if not set(kinds) <= set(record.surveys.get(m, {}).get("kinds", ()))]

    def survey(children: Children, model: str) -> tuple[str, dict[str, Any]]:
        answer = children.run(None, f"{ROOM}.survey:surveyed", model, kinds, list(names))
        if answer.failure:
            raise MbconcordError(error("mutants", f"{model} cannot be surveyed: {answer.failure}"))
        lines = {names[file]: run for file, run in answer.value["lines"].items()}
        return model, {**answer.value, "lines": lines, "kinds": list(kinds)}

    for model, found in _apart(wanted, survey, given.jobs, "survey", str, OF_SURVEY):
        record.survey(model, found)
    return {model: record.surveys[model] for model in given.models}


def _on_import(record: Record) -> dict[str, set[int]]:
    """Lines of functions that are run when modules are imported."""
    if IMPORT not in record.surveys:
        files = {str(source_file(m)): m for m in chosen(None)}
        with Children() as children:
            answer = children.run(None, f"{ROOM}.survey:imported", [*WARM, *files.values()], list(files))
        if answer.failure:
            raise MbconcordError(error("mutants", f"the modules cannot be imported: {answer.failure}"))
        record.survey(IMPORT, {files[file]: run for file, run in answer.value.items()})
    return {module: set(lines) for module, lines in record.surveys[IMPORT].items()}


@dataclass(frozen=True)
class Trial:
    """What is known before the mutants are tried."""

    surveyed: Mapping[str, dict[str, Any]]
    on_import: Mapping[str, set[int]]
    unreached: bool

    def outcome(self, children: Children, item: tuple[str, Mutant]) -> Outcome:
        """How a mutant ends."""
        key, mutant = item
        before = children.spent
        how, by, model = self._ended(children, key, mutant)
        seconds, words = round(children.spent - before, 3), how == SAID
        return Outcome(key, mutant.module, str(mutant), MISSED if words else how, by, model, seconds, words)

    def _ended(self, children: Children, key: str, mutant: Mutant) -> tuple[str, str, str]:
        fresh = anew(mutant, self.on_import)
        models = [m for m in self._fastest(mutant.module) if fresh or self._reaches(m, mutant)]
        change = Change(mutant.module, mutant.source, fresh)
        if not models:
            return (MISSED if self.unreached else NOT_REACHED, "", "")
        answer = children.run(change, f"{ROOM}.attempt:attempt", *self._arguments(mutant, models))
        if answer.failure:
            return "raised", answer.failure[:200], ""
        found = answer.value
        if found["how"] == "same":
            return "equivalent", "proved over prime fields" if found.get("proved") else "the same results", ""
        if found["how"] != "missed":
            return found["how"], found["by"], found["model"]
        if key in argued():
            return "equivalent", argued()[key], ""
        return MISSED, found["by"], found["model"]

    def _fastest(self, module: str) -> list[str]:
        """Models, the fastest first."""
        what = RESULTS[kind(module)]
        return sorted(
            (m for m, found in self.surveyed.items() if found.get(what)),
            key=lambda m: self.surveyed[m]["seconds"][what],
        )

    def _reaches(self, model: str, mutant: Mutant) -> bool:
        return bool(mutant.lines & set(self.surveyed[model]["lines"].get(mutant.module, ())))

    def _arguments(self, mutant: Mutant, models: Sequence[str]) -> tuple[Any, ...]:
        """Kind, who is asked, and what the unchanged source gives."""
        how, names = kind(mutant.module), asked(mutant.module)
        honest = {m: _own(self.surveyed[m][RESULTS[how]], how, names) for m in models}
        honest = {m: found for m, found in honest.items() if found}
        exact = {m: _own(self.surveyed[m].get("exact", {}), how, names) for m in models}
        proved = [m for m, found in exact.items() if found][:PROVED]
        return how, names, honest, {m: exact[m] for m in proved}


#: What of a survey is compared, by kind.
RESULTS: Final = {
    **dict.fromkeys(NUMBERED, "numbers"), "readers": "reading", "builders": "reading", "judges": "verdicts",
}  # fmt: skip


def _own(found: Mapping[str, Any], how: str, names: Sequence[str]) -> dict[str, Any]:
    """Results of the formalisms that are asked."""
    if how not in NUMBERED:
        return dict(found)
    return {name: x for name, x in found.items() if x is not None and name.partition(" ")[0] in names}


def by_workers(
    cluster: Cluster, work: Trial | Tests, items: Sequence[tuple[str, Mutant]]
) -> Iterator[Outcome]:
    """Outcomes of these mutants, each tried by a worker, which draws it from its own sources: they are the same.

    Raises
    ------
    MbconcordError
        A worker could not try one: that says nothing of the mutant.
    """
    lines = {module: sorted(lines) for module, lines in work.on_import.items()}
    name = "tried"
    context: dict[str, Any] = {"on_import": lines}
    if isinstance(work, Trial):
        context |= {"surveyed": work.surveyed, "unreached": work.unreached}
    else:
        before = {key: asdict(work.before[key]) for key, _ in items}
        name = "tested"
        context |= {"before": before, "tests": work.root is not None}
    tasks = ((key, mutant.module) for key, mutant in items)
    found = cluster.each(f"{ROOM}.on_worker:{name}", context, tasks)
    for ((key, _), answer), _ in zip(found, counted("mutant", items, lambda item: item[0]), strict=False):
        if isinstance(answer, str):
            raise MbconcordError(error("mutants", f"{key}: {answer}", "run the same command again"))
        yield Outcome(**answer)


@cache
def argued() -> dict[str, str]:
    """Why a mutant that changes a result of a formalism or a model changes nothing that is said, by its key."""
    text = Path(__file__).with_name("argued.toml").read_text("utf-8")
    return {row["mutant"]: row["why"] for row in tomllib.loads(text).get("argued", ())}


def _apart(
    items: Any,
    work: Callable[[Children, Any], Any],
    jobs: int,
    what: str,
    name: Callable[[Any], str],
    seconds: int,
    warm: Sequence[str] = (),
) -> Iterator[Any]:
    """What the work gives for each item, as it is done, by so many processes that have imported the package.

    All of it: in a module that is not there no function can be changed in place.
    """
    waiting: SimpleQueue[Any] = SimpleQueue()
    every = list(items)
    for item in every:
        waiting.put(item)
    done: SimpleQueue[Any] = SimpleQueue()
    stop = Event()

    def work_on() -> None:
        try:
            with Children((*WARM, *chosen(None), *warm), seconds) as children, suppress(Empty):
                while not stop.is_set():
                    done.put(work(children, waiting.get_nowait()))
        except BaseException as problem:
            done.put(problem)

    threads = [Thread(target=work_on, daemon=True) for _ in range(min(jobs, len(every)))]
    for thread in threads:
        thread.start()
    try:
        for _ in counted(what, every, name):
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        stop.set()
        for thread in threads:
            thread.join()
