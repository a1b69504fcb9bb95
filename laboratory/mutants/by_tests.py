"""Tests of a checkout, run on mutants that no check detects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mbconcord.validation.many.cluster.worker import Children, ProcessAnswer

from ..faults.mutants import Mutant
from ..runner import change as changes
from ..runner.change import SourceChange
from ..runner.record import NOT_REACHED, ChangeOutcome
from .places import tests

ROOM: Final = __package__
WARM: Final = (f"{ROOM}.survey", f"{ROOM}.attempt")
#: Seconds of the processor that a group of tests may take.
SECONDS: Final = 90


def anew(mutant: Mutant, on_import: Mapping[str, set[int]]) -> bool:
    """Return True if a mutant changes code that runs when its module is imported."""
    return not mutant.lines or bool(mutant.lines & on_import.get(mutant.module, set()))


@dataclass(frozen=True)
class Tests:
    """Runner of a checkout's tests on mutants that no check detects; skipped in an installation without tests."""

    before: Mapping[str, ChangeOutcome]
    on_import: Mapping[str, set[int]]
    root: Path | None
    watching: Callable[[Mutant, Path], list[list[str]]] = lambda mutant, root: tests(mutant.module, root)

    def outcome(self, children: Children, item: tuple[str, Mutant]) -> ChangeOutcome:
        """Return the test that kills a mutant, or its survival; unreachable ones stay so."""
        key, mutant = item
        missed = self.before[key]
        before = children.spent
        test = self._noticing(children, mutant)
        seconds = round(missed.seconds + children.spent - before, 3)
        if test:
            return replace(missed, how="tests", by=test, seconds=seconds)
        survives = missed.model or missed.words
        return replace(missed, how="survived" if survives else NOT_REACHED, seconds=seconds)

    def _noticing(self, children: Children, mutant: Mutant) -> str:
        """Return the first test that fails only with a mutant; empty if there is none."""

        def failing(changed: SourceChange | None, paths: list[str]) -> str:
            answer: ProcessAnswer = changes.run(children, changed, f"{ROOM}.attempt:failing", paths, str(self.root))
            return answer.value or ""  # tests that come to no end in time have noticed nothing

        change = SourceChange(mutant.module, mutant.source, anew(mutant, self.on_import))
        for paths in self.watching(mutant, self.root) if self.root else ():
            test = failing(change, paths)
            if test and not failing(None, [test]):
                return test
        return ""
