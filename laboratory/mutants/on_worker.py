"""Work of a cluster's worker for a mutation score: it tries one mutant of its own, equal sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.many.cluster.worker import children

from ..faults.mutants import Mutant
from ..runner.record import ChangeOutcome
from .by_tests import SECONDS as OF_TESTS
from .by_tests import WARM, Tests
from .campaign import SECONDS, MutantTrial, draw_mutants
from .places import checkout

#: How a process ends that somebody stops.
INTERRUPTED: Final = ("ended by SIGINT", "ended by SIGTERM")


def try_mutant(context: Mapping[str, Any], key: str, module: str) -> dict[str, Any]:
    """Determine how a mutant ends, by checks."""
    trial = MutantTrial(context["surveyed"], _lines(context), context["unreached"])
    outcome = trial.outcome(children(WARM, SECONDS), (key, _mutants(module)[key]))
    if outcome.by in INTERRUPTED:  # a worker that is stopped says nothing of the mutant
        raise MbconcordError(error("mutants", f"{key}: {outcome.by}"))
    return asdict(outcome)


def run_tests(context: Mapping[str, Any], key: str, module: str) -> dict[str, Any]:
    """Determine by this worker's tests the outcome of a mutant that no check detects."""
    root = checkout() if context["tests"] else None
    if context["tests"] and root is None:
        raise MbconcordError(error("mutants", "a worker has no tests", "install a checkout on all workers"))
    before = {key: ChangeOutcome(**context["before"][key])}
    work = Tests(before, _lines(context), root)
    return asdict(work.outcome(children(WARM, OF_TESTS), (key, _mutants(module)[key])))


def _lines(context: Mapping[str, Any]) -> dict[str, set[int]]:
    return {module: set(lines) for module, lines in context["on_import"].items()}


@cache
def _mutants(module: str) -> dict[str, Mutant]:
    return draw_mutants((module,), 0, None)
