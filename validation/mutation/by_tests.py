"""The tests of a checkout are asked about what no check has noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..faults.mutants import Mutant
from ..faults.processes import Answer, Change, Children
from .places import tests
from .record import NOT_REACHED, Outcome

ROOM: Final = __package__
WARM: Final = (f"{ROOM}.survey", f"{ROOM}.attempt")
#: Seconds of the processor that a group of tests may take.
SECONDS: Final = 90


def anew(mutant: Mutant, on_import: Mapping[str, set[int]]) -> bool:
    """Whether a mutant changes what is done when its module is imported."""
    return not mutant.lines or bool(mutant.lines & on_import.get(mutant.module, set()))


@dataclass(frozen=True)
class Tests:
    """Asks the tests of a checkout about what no check noticed; of an installation without them nobody is asked."""

    before: Mapping[str, Outcome]
    on_import: Mapping[str, set[int]]
    root: Path | None
    watching: Callable[[Mutant, Path], list[list[str]]] = lambda mutant, root: tests(mutant.module, root)

    def outcome(self, children: Children, item: tuple[str, Mutant]) -> Outcome:
        """By which test a mutant ends, or that it survives; what no model reaches stays so."""
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
        """The first test that fails with a mutant and not without it; empty where none does, or there are none."""

        def failing(changed: Change | None, paths: list[str]) -> str:
            answer: Answer = children.run(changed, f"{ROOM}.attempt:failing", paths, str(self.root))
            return answer.value or ""  # tests that come to no end in time have noticed nothing

        change = Change(mutant.module, mutant.source, anew(mutant, self.on_import))
        for paths in self.watching(mutant, self.root) if self.root else ():
            test = failing(change, paths)
            if test and not failing(None, [test]):
                return test
        return ""
