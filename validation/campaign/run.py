"""One run of a campaign: who does the work, what was done, what was found."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from .row import Finding


class Cluster(Protocol):
    """Who has tasks done elsewhere, as that of ``validation/cluster`` does, which needs the extra."""

    def each(
        self, function: str, context: Any, tasks: Iterable[Sequence[Any]]
    ) -> Generator[tuple[Sequence[Any], Any]]:
        """Every task with its answer, as they come; :class:`str` of one that no worker could end: how it ended."""


@dataclass(frozen=True)
class Kept:
    """A finding, the file of a model that shows it, None where there is none, and the command that shows it again.

    ``name`` of the model, where it has one besides its number.
    """

    number: int
    finding: Finding
    file: Path | None
    command: str
    name: str = ""


@dataclass(frozen=True)
class Run:
    """What one run of a campaign did.

    ``seconds`` of the clock, ``done`` models; ``stopped``: somebody interrupted it.
    """

    seconds: float
    done: int
    stopped: bool = False
