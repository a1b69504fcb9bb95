"""Faults of what every formalism is built on: what ``check`` says of a fixture, in a process that has the fault.

All witnesses have such a fault, so no formalism disagrees with another; the claims that watch what they share have
to notice it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..progress import counted
from .catch import Catch
from .injection import Fault, altered
from .processes import Change, Children, source_file
from .tables.shared import Watched

NOTICED = "mbconcord.validation.faults.noticing:noticed"


@dataclass(frozen=True)
class Tried:
    """What a check with a fault found, the largest discrepancy first; ``crash``: what was raised, which is no catch."""

    watched: Watched
    found: tuple[Catch, ...]
    crash: str = ""

    @property
    def catch(self) -> Catch | None:
        """The largest discrepancy of the claim that must notice the fault; None when that claim does not."""
        return next((c for c in self.found if c.claim == self.watched.claim), None)


def change(fault: Fault) -> Change:
    """The module with the fault; :class:`MbconcordError` unless its text stands there exactly once."""
    return Change(fault.module, altered(source_file(fault.module).read_text("utf-8"), fault))


def tried(table: Iterable[Watched]) -> Iterator[Tried]:
    """Try one fault after another."""
    with Children() as children:
        for row in counted("fault", table, lambda row: row.fault.title):
            yield attempt(children, row)


def attempt(children: Children, row: Watched) -> Tried:
    """Check the fixture of a fault with the fault in place."""
    answer = children.run(change(row.fault), NOTICED, [row.model], row.states)
    if answer.failure:
        return Tried(row, (), answer.failure)
    (said,) = answer.value
    return Tried(row, tuple(Catch(**c) for c in said["found"]), said["crash"])
