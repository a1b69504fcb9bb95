"""A model under test: checked once, whatever number of items ask for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from mbconcord.api.check import checked
from mbconcord.api.regression.asserts import options_of
from mbconcord.api.regression.project import of_project
from mbconcord.api.source import Source
from mbconcord.validation.judge.evidence import Comparison, Evidence


@dataclass(frozen=True)
class Wanted:
    """How models are checked: claims beside the agreement, formalisms (None: all), states, seed."""

    claims: tuple[str, ...]
    formalisms: tuple[str, ...] | None = None
    states: int = 10
    seed: int = 0


class ModelTests:
    """A model that was read, and its evidence when that is asked for."""

    def __init__(self, source: Source, wanted: Wanted) -> None:
        self.source, self.wanted = source, wanted

    @cached_property
    def evidence(self) -> Evidence:
        """All that a check says.

        Raises
        ------
        MbconcordError
            The model cannot be checked.
        """
        wanted = self.wanted
        found = self.source.plausible()
        names = None if wanted.formalisms is None else list(wanted.formalisms)
        evidence = checked(found, found.file, names, wanted.states, wanted.seed, claims=wanted.claims)
        return replace(evidence, accepted=of_project(found.file))

    def of_claim(self, name: str) -> tuple[Comparison, ...]:
        """What a claim says; empty: of the agreement of the formalisms."""
        return tuple(c for c in self.evidence.comparisons if c.claim == name)

    @property
    def options(self) -> list[str]:
        """Those of the command that repeats the check."""
        return options_of(self.wanted.claims)


def short(path: Path, folder: Path) -> str:
    """The path as a command takes it that is run in a folder."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
