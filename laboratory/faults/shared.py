"""Faults in the formalisms' shared foundation: results of ``check`` on a fixture, in a process with the fault.

All witnesses have such a fault, so no formalism disagrees with another; the claims that watch what they share have
to notice it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from mbconcord.converters import registry as formats
from mbconcord.fixtures import folder
from mbconcord.model.state import State
from mbconcord.testing import Catch, Fault, catches
from mbconcord.testing.injection import seed_fault
from mbconcord.validation.check import check
from mbconcord.validation.many.cluster.worker import Children
from mbconcord.validation.witnesses.peers import Original

from ..runner.change import SourceChange, run, source_file
from .tables.shared import Watched

CHECKED = f"{__name__}:check_fixture"
SEED = 0


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
    answer = run(children, change(row.fault), CHECKED, row.model, row.states)
    if answer.failure:
        return TriedFault(row, (), answer.failure)
    return TriedFault(row, tuple(Catch(**c) for c in answer.value["found"]), answer.value["crash"])


def check_fixture(model: str, states: int) -> dict[str, Any]:
    """Check a model of the fixtures, in the process with the fault.

    The result has ``found``, the numerical disagreements, the largest first, and ``crash``, the error raised by the
    check or a formalism.
    """
    try:
        reading = formats.read(folder() / model)
        given = None if states else [State()]
        text = Original(reading.text, reading.format, ())
        found = check(reading.system, model, states=states, seed=SEED, given=given, original=text).comparisons
    except Exception as problem:
        return {"found": [], "crash": f"{type(problem).__name__}: {problem}"}
    crash = "; ".join(c.explanation for c in found if c.verdict == "disagrees" and c.discrepancy is None)
    return {"found": [asdict(c) for c in catches(found)], "crash": crash}
