"""Crossings of the branches of laws in a run, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.model.diagnostics import Diagnostic

from ..poses import Branch
from .arrays import Array
from .events import Event, Happened

#: Crossings of one force that are told.
TOLD: Final = 3


class Crossings:
    """The crossings of branches, found as events."""

    def __init__(self, found: Sequence[Branch]) -> None:
        self.branches = list(found)
        self._times: list[list[float]] = [[] for _ in found]

    @property
    def events(self) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """The events that the run is to find, and what has to be negative there; named by their number."""
        formulas = ([b.crossed for b in self.branches], [b.beside for b in self.branches])
        first, second = (tuple(Event(str(i), x) for i, x in enumerate(part)) for part in formulas)
        return first, second

    def add(self, happened: Happened, besides: Array) -> None:
        """Keep a crossing with the values of the formulas beside, if that of its own is negative."""
        i = int(happened.event.name)
        if besides[i] < 0:
            self._times[i].append(happened.t)

    def back(self, t: float) -> None:
        """Forget crossings after a time."""
        self._times = [[s for s in times if s <= t] for times in self._times]

    def notes(self) -> Iterator[Diagnostic]:
        """Yield a warning for each force that was taken past its branch."""
        for branch, times in zip(self.branches, self._times, strict=True):
            if times:
                when = ", ".join(f"{t:.9g}" for t in times[:TOLD])
                more = f" and {len(times) - TOLD} times more" if len(times) > TOLD else ""
                yield Diagnostic("warning", branch.place, f"at t = {when}{more} {branch.words}", branch.remedy)
