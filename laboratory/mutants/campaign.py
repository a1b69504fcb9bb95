"""Mutants drawn from a seed, tried in parallel processes, each until it is detected."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.progress import count_progress
from mbconcord.validation.many.campaign.row import TaskRunner
from mbconcord.validation.many.cluster.worker import Children

from ..faults.mutants import Mutant
from ..runner.apart import apart
from ..runner.change import SourceChange, source_file
from ..runner.change import run as run_changed
from ..runner.record import MISSED, NOT_REACHED, ChangeOutcome, ChangeRecord
from .by_tests import SECONDS as OF_TESTS
from .by_tests import WARM, Tests, anew
from .machines import MODELS
from .places import NUMBERED, checkout, choose_modules, kind, list_formalisms, possible
from .results import SAID
from .wording import SECONDS as OF_WORDS
from .wording import texts, watching

ROOM: Final = __package__
#: Seconds of the processor that one attempt, one survey may take.
SECONDS, OF_SURVEY = 40, 900
#: What a process has before its forks that tries changes of formalisms: the models at their states.
POSED: Final = (f"{ROOM}.machines:all_known",)
#: Under this name a record keeps the lines that are run on import.
IMPORT: Final = "import"
#: Reaching models of which residues are asked where numbers are the same.
PROVED = 4

Item = TypeVar("Item")


@dataclass(frozen=True)
class MutationRequest:
    """Settings of a campaign: seed and number of the draw, beginnings of modules' names, None: all; processes.

    ``unreached``: also run tests for mutants that no model reaches. ``models``: names of :data:`.machines.MODELS`.
    ``words``: number of changes of texts for which tests are run too.
    """

    seed: int = 0
    count: int | None = None
    modules: tuple[str, ...] | None = None
    jobs: int = 1
    unreached: bool = False
    models: tuple[str, ...] = MODELS
    words: int = 0


def draw_mutants(names: tuple[str, ...], seed: int, count: int | None) -> dict[str, Mutant]:
    """Draw mutants of modules by key: changing one source does not redraw the rest."""
    return _draw(possible(names), seed, count)


def _draw(every: Iterable[Mutant], seed: int, count: int | None) -> dict[str, Mutant]:
    found: dict[str, Mutant] = {}
    for mutant in every:
        number = 1
        while (key := f"{mutant} ({number})" if number > 1 else str(mutant)) in found:
            number += 1
        found[key] = mutant
    order = sorted(found, key=lambda key: sha256(f"{seed} {key}".encode()).digest())
    return {key: found[key] for key in order[:count]}


def campaign(given: MutationRequest, record: ChangeRecord, cluster: TaskRunner | None = None) -> list[ChangeOutcome]:
    """Try the mutants that the record does not have, and keep them in it; all outcomes in the order of the draw.

    Tests take a hundred times as long as checks: they run last, on mutants that no check detects. Workers of a cluster
    do all work except surveys and words: those are made once, and sent to every worker once. :class:`MbconcordError`:
    no such module; a model cannot be surveyed; a worker has given no answer, or has no tests.
    """
    mutants = draw_mutants(choose_modules(given.modules), given.seed, given.count)
    worded = _draw(texts(), given.seed, given.words) if given.words else {}

    def try_items(
        keys: Iterable[str], work: MutantTrial | Tests, seconds: int = SECONDS, warm: Sequence[str] = ()
    ) -> None:
        items = [(key, mutants.get(key) or worded[key]) for key in keys]
        if cluster is None or (items and items[0][0] in worded):
            outcomes = apart(
                items, work.outcome, given.jobs, "mutant", lambda item: item[0], seconds, (*_list_imported(), *warm)
            )
        else:
            outcomes = by_workers(cluster, work, items)
        for outcome in outcomes:
            record.add(outcome)

    left = [key for key in mutants if key not in record.outcomes]
    if left:
        surveyed = _survey(given, record, sorted({kind(m.module) for m in mutants.values()}))
        trial = MutantTrial(surveyed, _on_import(record), given.unreached)
        own = [key for key in left if kind(mutants[key].module) == "formalisms"]
        try_items(own, trial, warm=POSED)
        try_items((key for key in left if key not in own), trial)
    missed = [key for key in mutants if record.outcomes[key].how == MISSED]
    if missed:
        try_items(missed, Tests(record.outcomes, _on_import(record), checkout()), OF_TESTS)
    for key, mutant in worded.items():
        if key not in record.outcomes:
            record.add(ChangeOutcome(key, mutant.module, str(mutant), MISSED, words=True))
    unsaid = [key for key in worded if record.outcomes[key].how == MISSED]
    if unsaid:
        try_items(unsaid, Tests(record.outcomes, {}, checkout(), watching), OF_WORDS)
    return [record.outcomes[key] for key in (*mutants, *worded)]


def _list_imported() -> tuple[str, ...]:
    """Name what processes have imported: in a module that is not there no function can be changed in place."""
    return (*WARM, *choose_modules(None))


def _survey(given: MutationRequest, record: ChangeRecord, kinds: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the results of the models, surveying those that the record lacks."""
    names = {str(source_file(m)): m for m in choose_modules(None)}
    wanted = [m for m in given.models if not set(kinds) <= set(record.surveys.get(m, {}).get("kinds", ()))]

    def survey(children: Children, model: str) -> tuple[str, dict[str, Any]]:
        answer = children.run(f"{ROOM}.survey:survey_model", model, kinds, list(names))
        if answer.failure:
            raise MbconcordError(error("mutants", f"{model} cannot be surveyed: {answer.failure}"))
        lines = {names[file]: run for file, run in answer.value["lines"].items()}
        return model, {**answer.value, "lines": lines, "kinds": list(kinds)}

    for model, found in apart(wanted, survey, given.jobs, "survey", str, OF_SURVEY, _list_imported()):
        record.survey(model, found)
    return {model: record.surveys[model] for model in given.models}


def _on_import(record: ChangeRecord) -> dict[str, set[int]]:
    """Return lines of functions that run when modules are imported."""
    if IMPORT not in record.surveys:
        files = {str(source_file(m)): m for m in choose_modules(None)}
        with Children() as children:
            answer = children.run(f"{ROOM}.survey:trace_imports", [*WARM, *files.values()], list(files))
        if answer.failure:
            raise MbconcordError(error("mutants", f"the modules cannot be imported: {answer.failure}"))
        record.survey(IMPORT, {files[file]: run for file, run in answer.value.items()})
    return {module: set(lines) for module, lines in record.surveys[IMPORT].items()}


@dataclass(frozen=True)
class MutantTrial:
    """Knowledge before the mutants are tried."""

    surveyed: Mapping[str, dict[str, Any]]
    on_import: Mapping[str, set[int]]
    unreached: bool

    def outcome(self, children: Children, item: tuple[str, Mutant]) -> ChangeOutcome:
        """Determine how a mutant ends."""
        key, mutant = item
        before = children.spent
        how, by, model = self._try_mutant(children, key, mutant)
        seconds, words = round(children.spent - before, 3), how == SAID
        return ChangeOutcome(key, mutant.module, str(mutant), MISSED if words else how, by, model, seconds, words)

    def _try_mutant(self, children: Children, key: str, mutant: Mutant) -> tuple[str, str, str]:
        fresh = anew(mutant, self.on_import)
        models = [m for m in self._fastest(mutant.module) if fresh or self._reaches(m, mutant)]
        change = SourceChange(mutant.module, mutant.source, fresh)
        if not models:
            return (MISSED if self.unreached else NOT_REACHED, "", "")
        answer = run_changed(children, change, f"{ROOM}.attempt:attempt", *self._arguments(mutant, models))
        if answer.failure:
            return "raised", answer.failure[:200], ""
        found = answer.value
        if found["how"] == "same":
            return "equivalent", "proved over prime fields" if found.get("proved") else "the same results", ""
        if found["how"] != "missed":
            return found["how"], found["by"], found["model"]
        if key in read_argued():
            return "equivalent", read_argued()[key], ""
        return MISSED, found["by"], found["model"]

    def _fastest(self, module: str) -> list[str]:
        """Return models, the fastest first."""
        what = RESULTS[kind(module)]
        return sorted(
            (m for m, found in self.surveyed.items() if found.get(what)),
            key=lambda m: self.surveyed[m]["seconds"][what],
        )

    def _reaches(self, model: str, mutant: Mutant) -> bool:
        return bool(mutant.lines & set(self.surveyed[model]["lines"].get(mutant.module, ())))

    def _arguments(self, mutant: Mutant, models: Sequence[str]) -> tuple[Any, ...]:
        """Return kind, formalisms or format, and results of the unchanged source."""
        how, names = kind(mutant.module), list_formalisms(mutant.module)
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
    """Select results of the requested formalisms."""
    if how not in NUMBERED:
        return dict(found)
    return {name: x for name, x in found.items() if x is not None and name.partition(" ")[0] in names}


def by_workers(
    cluster: TaskRunner, work: MutantTrial | Tests, items: Sequence[tuple[str, Mutant]]
) -> Iterator[ChangeOutcome]:
    """Yield outcomes of mutants, each tried by a worker, which draws the same ones from its sources.

    :class:`MbconcordError` where a worker could not try one: that says nothing of the mutant.
    """
    lines = {module: sorted(lines) for module, lines in work.on_import.items()}
    name = "try_mutant"
    context: dict[str, Any] = {"on_import": lines}
    if isinstance(work, MutantTrial):
        context |= {"surveyed": work.surveyed, "unreached": work.unreached}
    else:
        before = {key: asdict(work.before[key]) for key, _ in items}
        name = "run_tests"
        context |= {"before": before, "tests": work.root is not None}
    tasks = ((key, mutant.module) for key, mutant in items)
    found = cluster.each(f"{ROOM}.on_worker:{name}", context, tasks)
    for ((key, _), answer), _ in zip(found, count_progress("mutant", items, lambda item: item[0]), strict=False):
        if isinstance(answer, str):
            raise MbconcordError(error("mutants", f"{key}: {answer}", "run the same command again"))
        yield ChangeOutcome(**answer)


@cache
def read_argued() -> dict[str, str]:
    """Return, by key, why a mutant that changes results changes no output."""
    text = Path(__file__).with_name("argued.toml").read_text("utf-8")
    return {row["mutant"]: row["why"] for row in tomllib.loads(text).get("argued", ())}
