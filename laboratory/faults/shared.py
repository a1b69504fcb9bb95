"""Faults in the formalisms' shared foundation: results of ``check`` on a fixture, in a process with the fault.

All witnesses have such a fault, so no formalism disagrees with another; the claims that watch what they share have
to notice it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.testing import Catch, Fault
from mbconcord.testing.injection import seed_fault
from mbconcord.validation.many.cluster.worker import Children

from ..runner.change import SourceChange, run, source_file
from .tables.shared import Watched

NOTICED = "laboratory.faults.noticing:check_until_noticed"


@dataclass(frozen=True)
class TriedFault:
    """Findings of a check with a fault, largest discrepancy first; ``crash``: what was raised, which is not a catch."""

    watched: Watched
    found: tuple[Catch, ...]
    crash: str = ""

    @property
    def catch(self) -> Catch | None:
        """The largest discrepancy of the claim that must notice the fault; None when that claim does not."""
        return next((c for c in self.found if c.claim == self.watched.claim), None)


def change(fault: Fault) -> SourceChange:
    """Return the module with the fault; :class:`MbconcordError` unless its text occurs there exactly once."""
    return SourceChange(fault.module, seed_fault(source_file(fault.module).read_text("utf-8"), fault), anew=True)


def attempt(children: Children, row: Watched) -> TriedFault:
    """Check the fixture of a fault with the fault in place."""
    answer = run(children, change(row.fault), NOTICED, [row.model], row.states)
    if answer.failure:
        return TriedFault(row, (), answer.failure)
    (said,) = answer.value
    return TriedFault(row, tuple(Catch(**c) for c in said["found"]), said["crash"])
